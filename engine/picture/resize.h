// A picture brought to a grid of another size, each cell of the grid one pixel.
//
// Not for enlarging on the screen: the window shows the grid's pixels as they are.
#pragma once

#include "engine/picture/image.h"

namespace headlight {

// Each pixel of the result is the mean of the area that it covers, in linear light (IEC 61966-2-1), whether the grid is
// coarser or finer: for whole factors that is the mean of a block, or a pixel repeated (a box filter both ways). What
// is not opaque is laid over white first, in sRGB, as viewers do. The result is opaque; width and height are at
// least 1. A picture that is opaque and has the size already comes back as it is.
Image resized(const Image& image, Index width, Index height);

struct PictureSize {
  Index width = 0;
  Index height = 0;
};
// The size with the same aspect whose longer side is `longest`, never enlarged; no side falls below 1.
PictureSize size_within(Index width, Index height, Index longest);

}  // namespace headlight
