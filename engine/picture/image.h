// Pixels in memory.
//
// Not for files: that is io/images/png.h.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/picture/color.h"

namespace headlight {

// Rows from the top, four bytes a pixel: sRGB and straight alpha.
struct Image {
  Index width = 0;
  Index height = 0;
  std::vector<std::uint8_t> rgba;

  Color at(Index x, Index y) const {
    const std::uint8_t* p = rgba.data() + byte_at(x, y);
    return {p[0], p[1], p[2], p[3]};
  }
  void set(Index x, Index y, Color color) {
    std::uint8_t* p = rgba.data() + byte_at(x, y);
    p[0] = color.r;
    p[1] = color.g;
    p[2] = color.b;
    p[3] = color.a;
  }

 private:
  Index byte_at(Index x, Index y) const {
    assert(x >= 0 && x < width && y >= 0 && y < height);
    return 4 * (y * width + x);
  }
};

// The frames of an input: as they stand on its grid, and as people see them.
struct Pictures {
  std::vector<Image> cells;       // one pixel a cell
  std::vector<Image> fine;        // the same with more pixels a cell; none where the files hold no more
  std::uint64_t fingerprint = 0;  // of all these pixels, to tell whether they are the ones that were drawn
  Index of = 0;                   // frames that these were chosen from
};
Pictures make_pictures(std::vector<Image> cells, std::vector<Image> fine);

// Every pixel of one colour.
Image filled_image(Index width, Index height, Color color);

}  // namespace headlight
