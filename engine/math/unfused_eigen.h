// Products whose sums are made term after term, each product and each sum rounded, wherever a number stands. Included
// by files that define KERNEL_SET and are compiled without fused multiply-adds.
#include "engine/math/rows_unfused.h"
#include "engine/math/views_eigen.h"

namespace headlight::math::KERNEL_SET {

namespace {

// out = a · b for some rows of a and some packets of columns at once, so that a row of b is read once for them and the
// sums stay in registers.
template <class P, int rows, int packets>
void add_terms(const float* a, Index a_stride, const float* b, Index b_stride, Index inner, float* out,
               Index out_stride) {
  constexpr Index width = unpacket_traits<P>::size;
  P sums[rows][packets];
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < packets; ++c) sums[i][c] = pmul(pset1<P>(a[i * a_stride]), ploadu<P>(b + c * width));
  for (Index k = 1; k < inner; ++k) {
    P row[packets];
    for (int c = 0; c < packets; ++c) row[c] = ploadu<P>(b + k * b_stride + c * width);
    for (int i = 0; i < rows; ++i)
      for (int c = 0; c < packets; ++c) sums[i][c] = padd(sums[i][c], pmul(pset1<P>(a[i * a_stride + k]), row[c]));
  }
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < packets; ++c) pstoreu(out + i * out_stride + c * width, sums[i][c]);
}

// The columns from c on that packets have room for; returns the first of those that are left.
template <class P, int rows, int packets>
Index add_columns(const Product& p, const float* a, const float* b, Index b_stride, Index c, float* out) {
  constexpr Index width = unpacket_traits<P>::size * packets;
  for (; c + width <= p.columns; c += width)
    add_terms<P, rows, packets>(a, p.a.stride, b + c, b_stride, p.inner, out + c, p.out_stride);
  return c;
}

// All columns of some rows: as many at a time as there is room for, the last ones by themselves.
template <int rows>
void multiply_some_rows(const Product& p, const float* b, Index b_stride, Index first) {
  using Half = unpacket_traits<Packet>::half;
  using Quarter = unpacket_traits<Half>::half;
  const float* a = p.a.data + first * p.a.stride;
  float* out = p.out + first * p.out_stride;
  Index c = add_columns<Packet, rows, 2>(p, a, b, b_stride, 0, out);
  c = add_columns<Packet, rows, 1>(p, a, b, b_stride, c, out);
  c = add_columns<Half, rows, 1>(p, a, b, b_stride, c, out);
  c = add_columns<Quarter, rows, 1>(p, a, b, b_stride, c, out);
  for (; c < p.columns; ++c)
    for (Index i = 0; i < rows; ++i) {
      float sum = a[i * p.a.stride] * b[c];
      for (Index k = 1; k < p.inner; ++k) sum = sum + a[i * p.a.stride + k] * b[k * b_stride + c];
      out[i * p.out_stride + c] = sum;
    }
}

void multiply_rows(const Product& p, const float* b, Index b_stride) {
  constexpr int together = 4;
  Index i = 0;
  for (; i + together <= p.rows; i += together) multiply_some_rows<together>(p, b, b_stride, i);
  for (; i < p.rows; ++i) multiply_some_rows<1>(p, b, b_stride, i);
}

// outᵀ = bᵀ · aᵀ, for rows that are short and many.
void multiply_columns(const Product& p) {
  const Matrix a = view(p.a, p.rows, p.inner).transpose();  // (inner, rows)
  Matrix b = p.b_transposed ? Matrix(view(p.b, p.columns, p.inner)) : Matrix(view(p.b, p.inner, p.columns).transpose());
  Matrix out(p.columns, p.rows);
  multiply_rows({.a = {b.data(), p.inner},
                 .b = {},
                 .rows = p.columns,
                 .inner = p.inner,
                 .columns = p.rows,
                 .out = out.data(),
                 .out_stride = p.rows},
                a.data(), p.rows);
  target(p) = out.transpose();
}

}  // namespace

void multiply_unfused(const Product& p);
void multiply_unfused(const Product& p) {
  constexpr Index short_row = 16;
  if (p.columns < short_row && p.columns < p.rows)
    multiply_columns(p);
  else if (p.b_transposed)
    multiply_rows(p, Matrix(view(p.b, p.columns, p.inner).transpose()).data(), p.columns);
  else
    multiply_rows(p, p.b.data, p.b.stride);
  finish(p);
}

}  // namespace headlight::math::KERNEL_SET
