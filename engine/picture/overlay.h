// Numbers over a picture: each cell of the picture's grid a block of pixels, greyed, and coloured as strongly as its
// value.
//
// Not for heatmaps without a picture below: rasterizer.h.
#pragma once

#include "engine/picture/colormap.h"
#include "engine/picture/image.h"
#include "engine/picture/matrix.h"
#include "engine/picture/value_range.h"

namespace headlight {

// Where the numbers lie on the picture's grid, in its cells: number (r, c) covers `block_rows` × `block_columns` of
// them from (row + r · block_rows, column + c · block_columns). What falls outside the picture is not drawn.
struct OverlayPlace {
  Index row = 0;
  Index column = 0;
  Index block_rows = 1;
  Index block_columns = 1;
  friend bool operator==(const OverlayPlace&, const OverlayPlace&) = default;
};

// How strongly a number colours: 0 not at all, 1 fully; NaN, masked and negative numbers of an unsigned range: 0.
// Logarithmic ranges rise by powers from `low`, which must be above 0; signed ones by magnitude.
float overlay_strength(float value, const ValueRange& range);

// The picture in grey, paler for a light ground and darker for a dark one, so that colours stand out on it.
Image greyed(const Image& picture, bool dark);

// The numbers over the picture, whose grid has so many cells and which has as many pixels or more. The table is that of
// the range's colour map.
Image overlaid(Image picture, Index rows, Index columns, const MatrixView& values, const OverlayPlace& place,
               const ValueRange& range, const ColorTable& table);

// Every pixel a block: width × height pixels, by nearest neighbour.
Image enlarged(const Image& picture, Index width, Index height);

}  // namespace headlight
