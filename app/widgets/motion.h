// What moves between frames: kept by path, a function of the window's clock alone.
#pragma once

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

}  // namespace headlight::app
