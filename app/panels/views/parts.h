// The views of one step, the line over each, and their parts.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/panels/common/contrast.h"
#include "app/panels/common/picture.h"
#include "app/panels/common/shown.h"
#include "app/reading/slice.h"
#include "app/reading/word_arrows.h"
#include "engine/inputs/text.h"

namespace headlight::app {

// Where the strip of steps was brought to show the current one, and in how much room.
struct StripAt {
  int stage = -1;
  float room = 0, length = 0;  // px of the screen
  bool operator==(const StripAt&) const = default;
};

struct LinesMemory {
  Index scrolled_to = -1;  // the query
};

struct NumbersMemory {
  std::pair<Index, Index> scrolled_to{-1, -1};  // the pinned cell
  bool all_questions = false;                   // below the numbers: those too that one line has no room for
};

// The strip of stages.
void draw_pipeline(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// What the channels of a step stand for, where it is a text's own numbers; empty where they stand for nothing known.
std::vector<ChannelGroup> channel_groups(const Model& model, const Step& step);
// The same as brackets under the columns of the map, from the top of the line on. Returns the height that they take.
inline constexpr float channel_groups_height = 52;  // px of the design
float draw_channel_groups(Ui& ui, Rect line, const std::vector<ChannelGroup>& groups, Index columns);
// Below the input, where there is room for them: the maps of all heads that it leads to. Takes their room from the box.
void draw_next_heads(Ui& ui, Rect& box, const Model& model, PanelMemory& memory, Actions& actions);
// The step's large map with its bars, and all heads beside it.
void draw_heatmap_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Where the selected query looks, on the picture that was given; for steps of pairs whose keys lie on a grid.
void draw_picture_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Lines from queries to keys, as wide as their weights.
void draw_lines(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The selected row, number by number, and what would change it.
void draw_numbers(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

// Where `title` is empty it is the step's. Returns the room left between title and controls. With `choose_head` a list
// of the heads stands in place of the title.
Rect draw_view_header(Ui& ui, Rect header, const Model& model, const std::string& title, const std::string& what,
                      Actions& actions, bool choose_head = false);

// ---- Rows as arrows in a plane.

struct ArrowChoices {
  double drag_by = 0;      // what dragged numbers are rounded to; 0: no tip is dragged
  bool selects = false;    // a press on a tip selects its row
  bool hides_mix = false;  // what is made of the others is what is asked for
};
void draw_arrow_plane(Ui& ui, Rect box, const WordArrows& arrows, const ArrowChoices& choices, const Model& model,
                      PanelMemory& memory, Actions& actions);
// The same as a view of the step.
void draw_arrows_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

// Which batch item, where there is more than one; from the header's right.
void draw_batch(Ui& ui, Rect& header, const Model& model, Actions& actions);
// Which channel, where the view shows one of several.
void draw_channel(Ui& ui, Rect& header, const Model& model, Actions& actions);
// Which of a stage's steps: q, k or v.
void draw_stage_steps(Ui& ui, Rect& controls, const Model& model, Actions& actions);
// Where no thumbnails stand beside the view, its head is chosen from a list at the header's left.
void draw_head_choice(Ui& ui, Rect& header, const Model& model, Actions& actions);
// "Head 3 · Induction", and beside it "attention weights".
std::string title_of_view(const Model& model);
std::string subtitle_of_view(const Model& model);

struct ChangeMemory {
  ContrastMemory contrast;  // with what was before the newest change
};

// Whether the maps stand for that.
bool shows_change(const Model& model);

// What the newest change did, where that is asked for and both results can be laid beside each other; or why not.
struct Change {
  std::optional<SideBySide> both;
  const Difference* of_head = nullptr;  // of the one that is shown
  std::string words;                    // "+0.27 at most, output 21.3 %"
};

Change change_of(const Model& model, PanelMemory& memory);

// The map of the change in place of the result's, over the positions that both have.
void set_change_map(Ui& ui, const Model& model, PanelMemory& memory, const Change& change, HeatmapData& data);
// A cell of that map as one of the result.
CellAt to_result_cell(const Change& change, CellAt at);
// What that takes of the header; 0 where nothing was changed.
float change_button_width(const Ui& ui, const Model& model);
// Offers it beside the title, where there is room and something was changed.
void draw_change_button(Ui& ui, Rect room, const Model& model, Actions& actions);
// What the maps stand for, its words, and the way back.
void draw_change_line(Ui& ui, Rect line, const Change& change, Actions& actions);
// The scale of the map of a change, below it.
void draw_change_bar(Ui& ui, Rect box, const HeatmapData& data, const HeatmapResult& drawn);

// ---- Of a picture: what all know of the step, marks and callouts, frames, windows.

// Everything that one frame of the view needs to know of the step.
struct Scene {
  const Step* step = nullptr;  // as it is drawn: where keys are places of windows, the row of the query on its grid
  const Step* run = nullptr;   // of the run
  Focus focus;                 // in what is drawn
  Grid queries;
  bool query_on_picture = true;     // those who ask lie on the same picture as what they ask
  const Axis* positions = nullptr;  // of the picture: keys, or queries where there are none
  InputPicture picture;             // of the frame that is shown
  OverlayPlace place;               // of the keys on it
  Index rows = 0, columns = 0;  // of the picture, or of the keys where there is none; of its part where that is shown
  Index first_row = 0, first_column = 0;  // of the part
  Index all_rows = 0, all_columns = 0;    // of the whole
  bool windowed = false;                  // the keys are a window round the query
  ValueRange range;
};

Scene scene_of(const Model& model, PanelMemory& memory);
// A part of the picture, larger.
Scene part_of(const Scene& whole, const MapPart& part);
// The part round the query's window, where that is small on the picture.
Scene zoom_to_window(const Scene& whole);

// The row of a query of such windows on its grid, until the run, the step or the query is another.
struct WindowRowMemory {
  std::uint64_t run = 0;
  std::shared_ptr<const Step> row;
};

// The rectangle of a key, if any of it is inside the picture; of the query, if it is in that frame; of the window round
// the query, which may reach beyond the picture.
std::optional<Rect> key_rect(Rect box, const Scene& scene, Index row, Index column);
std::optional<Rect> query_rect(Rect box, const Scene& scene, Index frame);
Rect window_rect(Rect box, const Scene& scene, const Grid& window);

// The overlay of one head and frame, with its marks if they are wanted.
void draw_response(Ui& ui, const Model& model, PanelMemory& memory, const std::string& key, Rect box, Scene scene,
                   Index head, bool marks);

// "key 25, 14 · weight 0.062 · 1 down, 3 right", or what to do where no key is chosen.
std::string line_below(const Trace& trace, const Scene& scene);
// What is pinned, said beside it.
void draw_callouts(Ui& ui, Rect box, const Trace& trace, const Scene& scene);

// Frames in as many rows as make their pictures largest, in a box of this size; where they would be too small, a bar
// for each over some of them.
struct FrameRows {
  Index each = 1;  // frames in a row
  float width = 0, picture = 0, height = 0;
  bool bars = false;
};
FrameRows frame_rows(const Ui& ui, float width, float height, Index frames, float aspect);
// All frames in such rows, each with its share of the query's row; a click goes to one.
void draw_frames(Ui& ui, Rect room, const FrameRows& rows, const Model& model, PanelMemory& memory, const Scene& scene,
                 Actions& actions);
// "where frame 3 looks in frame 5"; nothing where there is one frame.
std::string frames_in_words(const Scene& scene);

// The keys of a window as they are, and whether those outside the picture take part. Returns the height it takes.
float draw_window(Ui& ui, Rect room, const Model& model, PanelMemory& memory, const Scene& scene, Actions& actions);

// ---- Relative positions in two dimensions: the tables of row and column offsets with the entries that the selected
// pair picks, and the position score of every offset that the query can reach.

// Whether the shown trace has tables of relative positions.
bool has_relative_tables(const Model& model);

// Both tables with the entries that the selected pair picks, one below the other.
float relative_tables_height(const Ui& ui);
void draw_relative_tables(Ui& ui, Rect box, const Model& model, PanelMemory& memory);
// The position scores of the selected query by how far a key lies from it. Returns the height it takes.
float draw_offset_map(Ui& ui, Rect box, const Model& model, PanelMemory& memory);

// ---- A non-local block: where pooled keys come from, and the same query under the other similarities.

// Whether the shown trace pools its keys.
bool has_pooled_keys(const Model& model);

// The pixels round the selected key and what became of them. Returns the height it takes.
float draw_pooling(Ui& ui, Rect box, const Model& model);

// The selected query under every similarity, side by side. Asks for the runs that are missing.
// `place` is where the keys lie on the picture, which may be none.
float draw_similarities(Ui& ui, Rect box, const Model& model, PanelMemory& memory, const InputPicture& picture,
                        const OverlayPlace& place, Actions& actions);

// ---- A signal as a line, with the weights of the selected sample over it.

// Whether the step pairs samples of a signal.
bool shows_signal(const Model& model, const Step& step);
// The line, which samples look and are looked at, and the row of the step under it, each key as wide as the samples
// that it stands for. Pointing at it links, a click keeps.
void draw_signal_response(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
