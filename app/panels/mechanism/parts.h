// The view of a mechanism: its map, and beside it a picture of each choice that has one. A picture is a file of its
// own, which says in one MechanismPicture when it is shown and how it is drawn; mechanism_view.cpp lists them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/panels/common/contrast.h"
#include "app/panels/common/shown.h"
#include "engine/variants/mechanism.h"

namespace headlight::app {

// What a frame's pictures are of. All of it is there.
struct MechanismFrame {
  const Model& model;
  const Trace& trace;
  const Problem& problem;
  const Step& map;         // that stands at the left
  mechanism::PairOf of;    // which is selected, in the map's own places
  std::string query, key;  // what those are called
  float room = 0;          // px of the screen that pictures beside the map have in sight, one below the other
  float share = 0;         // of it, what is there for the one that is drawn
};

// One curve, over the offset of a key or over its score.
struct Curve {
  std::string name;
  std::vector<double> values;  // at `first`, `first` + `step` …
  Color32 color = 0;
  bool strong = false, dashed = false;
  bool leaves = false;  // the plane is not made higher for it: it is cut off there
};
struct CurveMark {
  double x = 0, y = 0;
  std::string words;
  bool chosen = false;
};
struct CurvePlot {
  std::string title;
  double first = 0, step = 1;
  std::vector<Curve> curves;
  std::vector<CurveMark> marks;
  bool dots = false;                                   // at the whole places of the first curve
  std::vector<std::pair<double, double>> points = {};  // and dots at these
  bool whole = true;                                   // places are whole numbers
  std::optional<double> hidden_from;                   // keys from this offset on are masked
  std::vector<Index> edges;                            // a line before these offsets, where buckets begin
};
// Fills the box.
void draw_curve_plot(Ui& ui, Rect box, const CurvePlot& plot);

// What a picture of the shown result keeps between frames.
struct MechanismMemory {
  struct Of {
    std::uint64_t run = 0;
    Index batch = -1, head = -1, query = -1, key = -1;
    bool operator==(const Of&) const = default;
  };
  Of rotary_of, dials_of, bias_of, row_of, codes_of;
  std::vector<Index> dials;  // the pairs that have one
  CurvePlot rotary, bias;
  MatrixView stairs;  // heads × offsets
  Tensor stair_cells;
  std::vector<mechanism::AtOffset> offsets;
  std::optional<mechanism::RowRule> row;
  std::optional<mechanism::RowCurve> curve;
  std::shared_ptr<const Tensor> sums;      // (1, n_q) of the rows of the head; null: all are 1
  std::shared_ptr<const Tensor> likeness;  // of the query's code to that of each place
  ContrastMemory against;
  std::map<std::string, ContrastMemory> forms;  // by title
};
MechanismMemory::Of all_of(const MechanismFrame& frame);

struct MechanismPicture {
  const char* id;
  const char* name;  // as it is listed: "dials of pairs"
  bool (*shows)(const Problem& problem, const Trace& trace);
  // Beside the map. Where its share of the room is little it makes itself as low as it can be read. Returns the height
  // that it takes, which may be more.
  float (*beside)(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions& actions);
  // Under the map, into the whole box; null: it draws nothing there.
  void (*below)(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory) = nullptr;
  const char* name_below = "";  // as that is listed
};
const MechanismPicture& rotary_picture();
const MechanismPicture& offsets_picture();
const MechanismPicture& score_parts_picture();
const MechanismPicture& shared_keys_picture();
const MechanismPicture& latent_picture();
const MechanismPicture& row_rule_picture();
const MechanismPicture& two_maps_picture();
const MechanismPicture& mixing_picture();
const MechanismPicture& state_picture();
const MechanismPicture& windows_picture();
const MechanismPicture& score_forms_picture();
const MechanismPicture& norming_picture();
const MechanismPicture& place_codes_picture();
const MechanismPicture& gating_picture();

// The same run with plain choices: its map, what this one is more or less, and the numbers of both. Fills the box.
void draw_against_plain(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions& actions);
// What its numbers take where nothing is held against them.
float height_of_numbers(Ui& ui, const MechanismFrame& frame);

// Makes that query the selected one.
void ask_from(const MechanismFrame& frame, Index query, Actions& actions);
// In which cell of a grid that fills the box the point lies, or next to which, counted row by row.
Index cell_under(Point at, Rect box, Index rows, Index columns);

// A line over a picture: what it is, and at its right a note. Takes it off the box's top.
void picture_title(Ui& ui, Rect& box, std::string_view title, std::string_view note = {});
// From a point to another, the head at the latter.
void draw_arrow(Ui& ui, Point from, Point to, Color32 color);
// The map of a step's head as a small square, with the selected pair framed.
void draw_small_map(Ui& ui, Rect box, const MapData& map, const MechanismFrame& frame);
// The same as wide as the box, under its name.
void draw_named_map(Ui& ui, Rect box, const MapData& map, const MechanismFrame& frame, const std::string& name);

}  // namespace headlight::app
