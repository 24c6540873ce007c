// What the axes of an array mean that somebody gives, by a letter each, and the array laid into the shape that a
// variant takes.
//
//   b items of a batch   c channels   n positions of a sequence   t frames   h rows   w columns
//
// "bchw" is what frameworks call NCHW. Positions are n; or h and w; or t, h and w. Without b there is one item, without
// c one channel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/axis.h"
#include "engine/variants/variant.h"

namespace headlight {

// Errors: a letter that is none of the six or stands twice, no positions, or positions that do not go together.
Status check_axes(std::string_view axes);
// "bhqk" and the like, of attention that is given (run/given_maps.h): letters of l (layer), b, h (head), q, k, once
// each, q and k always. Queries that lie on a picture may have two axes in place of q, y (its rows) and x (its
// columns), and keys Y and X in place of k.
Status check_map_axes(std::string_view axes);
// Whether axes are of such attention; not that they are sound.
bool are_map_axes(std::string_view axes);
// Also that there are as many letters as the array has axes.
Status check_axes(std::string_view axes, const Shape& shape);

// Every meaning that an array of so many axes may have, the commonest first; none where there is none.
const std::vector<std::string>& axes_of_rank(std::size_t rank);

// "16 channels · 7 rows · 9 columns", in the order of the axes.
std::string axes_in_words(std::string_view axes, const Shape& shape);

// The natural input kind of such positions: signal, image or frames.
InputKind kind_of_axes(std::string_view axes);

// The grid of the positions: 1×1×n for a sequence.
Grid grid_of_axes(std::string_view axes, const Shape& shape);

// The array in the shape of `spec`: rows (items, positions, channels); a grid (items, channels, length), (items,
// channels, rows, columns), where frames are items, or (items, channels, frames, rows, columns). `fits(kind_of_axes(),
// spec)` must hold.
Tensor laid_out(const Tensor& given, std::string_view axes, const ArraySpec& spec);

}  // namespace headlight
