// The parts of the views, each a file of its own.
#pragma once

#include <optional>
#include <string>

#include "app/panels/common/picture.h"
#include "app/panels/common/shown.h"
#include "app/reading/slice.h"

namespace headlight::app {

// ---- Of a picture: what all know of the step, marks and callouts, frames, windows.

// Everything that one frame of the view needs to know of the step.
struct Scene {
  const Step* step = nullptr;
  Focus focus;
  Grid queries;
  InputPicture picture;         // of the frame that is shown
  OverlayPlace place;           // of the keys on it
  Index rows = 0, columns = 0;  // of the picture, or of the keys where there is none
  bool windowed = false;        // the keys are a window round the query
  ValueRange range;
};

Scene scene_of(const Model& model, PanelMemory& memory);

// The rectangle of a key, if any of it is inside the picture; of the query, if it is in that frame; of the window round
// the query, of which some may lie beyond the picture in the box.
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

// Frames in as many rows as make their pictures largest, in a box of this size.
struct FrameRows {
  Index each = 1;  // frames in a row
  float width = 0, picture = 0, height = 0;
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
