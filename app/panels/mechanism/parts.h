// The view of a mechanism: its map, and beside it a picture of each choice that has one. A picture is one function that
// cuts its parts off the top of the frame's box; mechanism_view.cpp lists when each is shown.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/panels/common/contrast.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/common/shown.h"
#include "engine/variants/mechanism/mechanism.h"

namespace headlight::app {

// Whether a choice of the shown result has a picture.
bool has_mechanism_view(const Model& model);
void draw_mechanism_view(Ui& ui, Rect inside, const Model& model, PanelMemory& memory, Actions& actions);

// One curve, over the offset of a key or over its score.
struct Curve {
  std::string name = {};
  std::vector<double> values = {};  // at `first`, `first` + `step` …
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
  std::string title = {};
  double first = 0, step = 1;
  std::vector<Curve> curves = {};
  std::vector<CurveMark> marks = {};
  bool dots = false;                                   // at the whole places of the first curve
  std::vector<std::pair<double, double>> points = {};  // and dots at these
  bool whole = true;                                   // places are whole numbers
  std::optional<double> hidden_from = {};              // keys from this offset on are masked
  std::vector<Index> edges = {};                       // a line before these offsets, where buckets begin
};
// Fills the box.
void draw_curve_plot(Ui& ui, Rect box, const CurvePlot& plot);

// What the pictures of the shown result keep between frames.
struct MechanismMemory {
  struct Of {
    std::uint64_t run = 0;
    Index batch = -1, head = -1, query = -1, key = -1;
    bool operator==(const Of&) const = default;
  };
  Of rotary_of, dials_of, bias_of, row_of, codes_of;
  std::vector<Index> dials;  // the pairs that have one
  CurvePlot rotary, bias;
  std::shared_ptr<const Tensor> stairs;  // (heads, offsets)
  std::vector<mechanism::OffsetEntry> offsets;
  std::optional<mechanism::RowRule> row;
  std::optional<mechanism::RowCurve> curve;
  std::shared_ptr<const Tensor> sums;                           // (1, n_q) of the rows of the head; null: all are 1
  std::shared_ptr<const Tensor> similarity;                     // of the query's code to that of each place
  std::map<std::string, std::pair<NumbersOf, Extent>> extents;  // by the map's key
  ContrastMemory against;
  std::map<std::string, ContrastMemory> forms;  // by title
};

// A picture while it is drawn: what it is of, and what is left of its box.
struct MechanismFrame {
  Ui& ui;
  const Model& model;
  PanelMemory& memory;
  Actions& actions;
  const Trace& trace;
  const Problem& problem;
  const Step& map;          // that stands at the left
  mechanism::PairIndex of;  // which is selected, in the map's own places
  std::string query, key;   // what those are called
  Rect box = {};
  float room = 0;   // px of the screen that pictures beside the map have in sight, one below the other
  float share = 0;  // this picture's part of `room`, which it may exceed to stay legible
  float top = 0;    // where its box began

  const Theme& theme() const { return ui.theme(); }
  MechanismMemory& cache() const { return memory.get<MechanismMemory>(); }
  MechanismMemory::Of selected() const { return {model.shown.ticket, of.batch, of.head, of.query, of.key}; }
  // How much of its share of the height is left, less what stands below.
  float height_left(float below) const { return top + share - box.y - below; }

  // The parts of a picture, each cut off the top of the box.
  void skip(float design) { box.take_top(ui.px(design)); }
  void title(std::string_view title, std::string_view note = {});
  void line(std::string_view words, Color32 color, Type type = Type::note);
  void words(std::string_view marked, Color32 color, Type type = Type::note);
  float height_of(std::string_view marked, Type type = Type::note) const;

  // A bar of the map's colours.
  void color_bar(const MapData& map, std::string words, Rect place) const;
  // A map of a step's head; the id keeps it apart from the same map elsewhere.
  MapData head_map(const std::string& id, const Step& step, Index head) const;
  // Cells with bounds of their own, which are found once. What has the same key and place has the same numbers.
  MapData own_map(const std::string& key, const MatrixView& cells, Index place, Kind kind = Kind::score) const;
  const Extent& extent(const MapData& map) const;
  // The query's row in a step (1|B, M, n_q, n_k), and what it holds of the key: of the selected head, or of another.
  std::span<const float> row(const Step& step, std::optional<Index> head = {}) const;
  double pair_value(const Step& step, std::optional<Index> head = {}) const;

  // Makes that query the selected one.
  void select_query(Index query) const;
};
void draw_rotary(MechanismFrame& frame);
void draw_rotary_curve(MechanismFrame& frame);
void draw_offsets(MechanismFrame& frame);
void draw_offset_curve(MechanismFrame& frame);
void draw_score_parts(MechanismFrame& frame);
void draw_shared_keys(MechanismFrame& frame);
void draw_latent(MechanismFrame& frame);
void draw_row_rule(MechanismFrame& frame);
void draw_row_curve(MechanismFrame& frame);
void draw_two_maps(MechanismFrame& frame);
void draw_mixing(MechanismFrame& frame);
void draw_state(MechanismFrame& frame);
void draw_windows(MechanismFrame& frame);
void draw_score_forms(MechanismFrame& frame);
void draw_norming(MechanismFrame& frame);
void draw_place_codes(MechanismFrame& frame);
void draw_gating(MechanismFrame& frame);

// The same run with plain choices: its map, what this one is more or less, and the numbers of both. Fills the box.
void draw_against_plain(MechanismFrame& frame);
// What its numbers take where nothing is held against them.
float height_of_numbers(const MechanismFrame& frame);

// In which cell of a grid that fills the box the point lies, or next to which, counted row by row.
Index cell_under(Point at, Rect box, Index rows, Index columns);
// "itself", "3 back", "2 ahead".
std::string distance_words(Index offset);
// From a point to another, the head at the latter.
void draw_arrow(Ui& ui, Point from, Point to, Color32 color);
// A small map in a line of that colour.
void draw_framed_map(Ui& ui, Rect box, const MapData& map, Color32 color);
// The map of a step's head as a small square, with the selected pair framed.
void draw_small_map(const MechanismFrame& frame, Rect box, const MapData& map);
// The same as wide as the box, under its name.
void draw_named_map(const MechanismFrame& frame, Rect box, const MapData& map, const std::string& name);
// Between two named maps.
void draw_sign(Ui& ui, Rect box, const char* sign);

}  // namespace headlight::app
