// A picture brought to another size as Pillow's Image.resize does it, bit for bit: what vision models were fed.
//
// Not for grids of cells: resize.h.
#pragma once

#include "engine/picture/image.h"

namespace headlight {

enum class ResizeFilter { nearest, bilinear, bicubic };

// Each channel by itself, in the numbers as they are stored: columns first, then rows, each rounded to 8 bits. Taps are
// as wide as the pixels that they cover where the picture gets smaller. Alpha comes out as 255. Width and height are at
// least 1.
Image filtered_resize(const Image& image, Index width, Index height, ResizeFilter filter);

}  // namespace headlight
