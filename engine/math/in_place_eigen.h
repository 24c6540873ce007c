// Products with a matrix b of few columns, which is read where it lies: to pack it, as Eigen does, takes as long as to
// multiply by it. Included by kernels_eigen.h.
#include "engine/math/views_eigen.h"

namespace headlight::math::KERNEL_SET {

namespace {

constexpr Index terms_together = 256;  // whose sum is begun anew, so that it stays exact

// Some terms of a product: a's number for row i and term k is a[i · row_step + k · term_step].
struct Terms {
  const float* a;
  Index row_step, term_step;
  const float* b;
  Index b_stride, count;
  bool adds;  // to what out holds
};

template <class P, int rows, int packets>
void add_block(const Product& p, const Terms& t, Index row, Index column) {
  constexpr Index width = unpacket_traits<P>::size;
  const float *a = t.a + row * t.row_step, *b = t.b + column;
  P sums[rows][packets];
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < packets; ++c) sums[i][c] = pset1<P>(0.0F);
  for (Index k = 0; k < t.count; ++k) {
    P right[packets];
    for (int c = 0; c < packets; ++c) right[c] = ploadu<P>(b + k * t.b_stride + c * width);
    for (int i = 0; i < rows; ++i) {
      const P left = pset1<P>(a[i * t.row_step + k * t.term_step]);
      for (int c = 0; c < packets; ++c) sums[i][c] = pmadd(left, right[c], sums[i][c]);
    }
  }
  float* out = p.out + row * p.out_stride + column;
  const Index stride = p.out_stride;
  if (t.adds)
    for (int i = 0; i < rows; ++i)
      for (int c = 0; c < packets; ++c) sums[i][c] = padd(ploadu<P>(out + i * stride + c * width), sums[i][c]);
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < packets; ++c) pstoreu(out + i * stride + c * width, sums[i][c]);
}

// The columns from `column` on that packets have room for; returns the first of those that are left.
template <class P, int rows, int packets>
Index add_columns(const Product& p, const Terms& t, Index row, Index column) {
  constexpr Index width = unpacket_traits<P>::size * packets;
  for (; column + width <= p.columns; column += width) add_block<P, rows, packets>(p, t, row, column);
  return column;
}

// All columns of some rows, a multiple of four; eight sums at a time keep a processor busy, however they lie.
template <int rows>
void add_rows(const Product& p, const Terms& t, Index row) {
  using Half = unpacket_traits<Packet>::half;
  using Quarter = unpacket_traits<Half>::half;
  constexpr int by_two = rows > 4 ? 4 : rows;
  Index column = 0;
  for (int i = 0; i < rows; i += by_two) column = add_columns<Packet, by_two, 2>(p, t, row + i, 0);
  column = add_columns<Packet, rows, 1>(p, t, row, column);
  column = add_columns<Half, rows, 1>(p, t, row, column);
  add_columns<Quarter, rows, 1>(p, t, row, column);
}

void multiply_in_place(const Product& p) {
  const Index row_step = p.a_transposed ? 1 : p.a.stride, term_step = p.a_transposed ? p.a.stride : 1;
  for (Index k = 0; k < p.inner; k += terms_together) {
    const Terms t{.a = p.a.data + k * term_step,
                  .row_step = row_step,
                  .term_step = term_step,
                  .b = p.b.data + k * p.b.stride,
                  .b_stride = p.b.stride,
                  .count = k + terms_together < p.inner ? terms_together : p.inner - k,
                  .adds = p.adds || k > 0};
    Index row = 0;
    for (; row + 8 <= p.rows; row += 8) add_rows<8>(p, t, row);
    for (; row + 4 <= p.rows; row += 4) add_rows<4>(p, t, row);
    for (; row < p.rows; ++row) add_rows<1>(p, t, row);
  }
}

}  // namespace

}  // namespace headlight::math::KERNEL_SET
