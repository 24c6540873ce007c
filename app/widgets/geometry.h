// Points and rectangles of the screen, in pixels.
#pragma once

#include <algorithm>

#include "engine/picture/geometry.h"

namespace headlight::app {

using Point = PointOf<float>;

struct Rect {
  float x = 0;
  float y = 0;
  float w = 0;
  float h = 0;

  float right() const { return x + w; }
  float bottom() const { return y + h; }
  Point middle() const { return {x + w / 2, y + h / 2}; }
  bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
  bool overlaps(Rect o) const { return x < o.right() && o.x < right() && y < o.bottom() && o.y < bottom(); }
  Rect inset(float by) const { return {x + by, y + by, w - 2 * by, h - 2 * by}; }
  Rect inset(float across, float down) const { return {x + across, y + down, w - 2 * across, h - 2 * down}; }

  // Cut a strip off an edge; what is left stays in *this.
  Rect take_top(float height) {
    const Rect strip{x, y, w, std::min(height, h)};
    y += strip.h;
    h -= strip.h;
    return strip;
  }
  Rect take_bottom(float height) {
    const float taken = std::min(height, h);
    h -= taken;
    return {x, y + h, w, taken};
  }
  Rect take_left(float width) {
    const Rect strip{x, y, std::min(width, w), h};
    x += strip.w;
    w -= strip.w;
    return strip;
  }
  Rect take_right(float width) {
    const float taken = std::min(width, w);
    w -= taken;
    return {x + w, y, taken, h};
  }
};

// Boxes beside each other, in as many rows of one height as they need.
struct Flow {
  Rect box;                                // whose height does not count
  float height = 0, gap = 0, between = 0;  // of a row; between boxes; between rows
  float x = box.x, y = box.y;

  Rect next(float width) {
    width = std::min(width, box.w);
    if (x > box.x && x + width > box.right()) {
      x = box.x;
      y += height + between;
    }
    const Rect place{x, y, width, height};
    x += width + gap;
    return place;
  }
  float bottom() const { return y + height; }
};

// What lies in both; of no size where nothing does.
inline Rect intersection(Rect a, Rect b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.0F, std::min(a.right(), b.right()) - x),
          std::max(0.0F, std::min(a.bottom(), b.bottom()) - y)};
}

}  // namespace headlight::app
