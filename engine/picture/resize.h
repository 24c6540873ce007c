// A picture brought to another size: a grid of which each cell is one pixel, or what a vision model was fed.
//
// Not for enlarging on the screen: the window shows the grid's pixels as they are.
#pragma once

#include <vector>

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

enum class ResizeFilter { nearest, bilinear, bicubic };

// What one cell of `to` is made of, of `from` along a side: neighbours from `first` on, whose weights add up to 1.
struct ResizeShares {
  Index first = 0;
  std::vector<double> weights;
};
// Keys 1981 with a = −1/2 where it is bicubic; wider where the result is smaller.
std::vector<ResizeShares> resize_shares(Index from, Index to, ResizeFilter filter);

// As Pillow's Image.resize does it, bit for bit. Each channel by itself, in the numbers as they are stored: columns
// first, then rows, each rounded to 8 bits. Taps are as wide as the pixels that they cover where the picture gets
// smaller. Alpha comes out as 255. Width and height are at least 1.
Image filtered_resize(const Image& image, Index width, Index height, ResizeFilter filter);

}  // namespace headlight
