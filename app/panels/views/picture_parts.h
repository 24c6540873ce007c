// The parts of the view of a picture: what they all know of the step, marks and callouts, frames, windows.
#pragma once

#include <optional>
#include <string>

#include "app/panels/common/picture.h"
#include "app/panels/common/shown.h"
#include "app/reading/slice.h"

namespace headlight::app {

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

}  // namespace headlight::app
