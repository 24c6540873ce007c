#include "engine/layouts/cutting.h"

#include <algorithm>
#include <string_view>

namespace headlight {

namespace {

// x (rows, columns), whose rows lie `stride` apart → out (columns, rows), a block that the caches hold after the other.
void transpose(const float* x, Index rows, Index columns, Index stride, float* out) {
  constexpr Index block = 32;
  for (Index top = 0; top < rows; top += block)
    for (Index left = 0; left < columns; left += block)
      for (Index j = left; j < std::min(columns, left + block); ++j)
        for (Index i = top; i < std::min(rows, top + block); ++i) out[j * rows + i] = x[i * stride + j];
}

Index third_of(How how) {
  switch (how) {
    case How::cut_k:
    case How::columns_k:
    case How::by_head_k:
      return 1;
    case How::cut_v:
    case How::columns_v:
    case How::by_head_v:
      return 2;
    default:
      return 0;
  }
}

bool by_columns(How how) {
  return how == How::columns_q || how == How::columns_k || how == How::columns_v;
}

bool by_head(How how) {
  return how == How::by_head_q || how == How::by_head_k || how == How::by_head_v;
}

bool is_cut(How how) {
  return how != How::as_is && how != How::transposed;
}

}  // namespace

Result<Tensor> converted(Tensor given, How how, Index heads, Index head_width) {
  const bool vector = given.rank() == 1;
  if (given.rank() < 1 || given.rank() > 2 || (how == How::transposed && vector))
    return fail("has shape {}: a {} is needed", to_string(given.shape()),
                how == How::transposed ? "matrix" : "vector or a matrix");
  if (how == How::as_is) return given;
  if (how == How::transposed) {
    Tensor result = Tensor::uninitialized({given.dim(1), given.dim(0)});
    transpose(given.data(), given.dim(0), given.dim(1), given.dim(1), result.data());
    return result;
  }
  const bool columns = by_columns(how) && !vector;
  const Index all = columns ? given.dim(1) : given.dim(0),
              in = vector    ? 1
                   : columns ? given.dim(0)
                             : given.dim(1),
              parts = how == How::cut ? 1 : 3;
  if (all % parts != 0) return fail("has {} rows: they cannot be cut into queries, keys and values", all);
  const Index count = all / parts, width = head_width > 0 ? head_width : count / heads;
  if (count == 0 || (head_width == 0 && count % heads != 0))
    return fail("has {} rows for {} heads: heads must divide them", count, heads);
  if (count % width != 0) return fail("has {} rows, but a head is {} wide", count, width);
  const Index made = count / width, third = third_of(how);
  Tensor result = Tensor::uninitialized(vector ? Shape{made, width} : Shape{made, in, width});
  for (Index m = 0; m < made; ++m) {
    const Index row = by_head(how) ? (m * 3 + third) * width : third * count + m * width;
    float* to = result.data() + m * in * width;
    if (columns)
      for (Index i = 0; i < in; ++i) std::copy_n(given.data() + i * all + row, width, to + i * width);
    else
      transpose(given.data() + row * in, width, in, in, to);
  }
  return result;
}

Shape shape_in_file(const Piece& piece, const LayerSizes& sizes) {
  const std::string_view array = piece.array;
  const bool vector = array.starts_with("b_") || array.starts_with("ln");
  const Index hidden = sizes.hidden > 0 ? sizes.hidden : -1;
  const bool of_keys = array.ends_with("_k") || array.ends_with("_v");
  const Index queries = sizes.heads * sizes.head_width,
              each = of_keys && sizes.key_heads > 0 ? sizes.key_heads * sizes.head_width : queries,
              cut = piece.how == How::cut ? each : 3 * queries;
  if (is_cut(piece.how)) {
    if (vector) return {cut};
    return by_columns(piece.how) ? Shape{sizes.width, cut} : Shape{cut, sizes.width};
  }
  if (array == "bias_table") return {-1, sizes.heads};
  if (vector) return {array == "b_1" || array == "b_3" ? hidden : sizes.width};
  const Index in = array == "w_o"   ? queries
                   : array == "w_2" ? hidden
                                    : sizes.width,
              out = array == "w_o" || array == "w_2" ? sizes.width : hidden;
  return piece.how == How::transposed ? Shape{out, in} : Shape{in, out};
}

}  // namespace headlight
