// What moves between frames, kept by path: selections and maps on their way, a function of the window's clock alone;
// and which part of a large map is shown.
#pragma once

#include <optional>

#include "app/render/map_painter.h"
#include "app/widgets/geometry.h"

namespace headlight::app {

// A number on its way to another.
struct Glide {
  float from = 0;
  float to = 0;
  double since = -1;  // on the window's clock
};

// A large map that gives way to another.
struct Leaving {
  MapData shown;  // in the last frame
  Rect shown_rect;
  MapData map;  // the one that goes
  Rect rect;
  double since = -1;  // before 0: nothing goes
};

// The part of a map that is shown: from that row and column on, the more of the screen to a cell the larger the zoom.
struct MapPart {
  struct Drag {
    Point from;                 // where the button went down
    Index row = 0, column = 0;  // that was first then
    bool moved = false;
  };
  Index rows = 0, columns = 0;  // of the whole map: another begins whole
  double zoom = 1;
  Index row = 0, column = 0;
  std::optional<Drag> drag = {};
};

}  // namespace headlight::app
