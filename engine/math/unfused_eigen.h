// Products whose sums are made term after term, each product and each sum rounded, wherever a number stands. Included
// by files that define KERNEL_SET and are compiled without fused multiply-adds.
#include "engine/math/views_eigen.h"

namespace headlight::math::KERNEL_SET {

namespace {

// out = a · b for one row of a. Several terms at a time, so that the sums stay in registers between them.
template <class Right>
void add_terms(const float* a, const Right& b, Index inner, TargetRow& out) {
  const auto term = [&](Index k) { return a[k] * b.row(k).array(); };
  out = term(0);
  Index k = 1;
  for (; k + 4 <= inner; k += 4) out = out + term(k) + term(k + 1) + term(k + 2) + term(k + 3);
  for (; k < inner; ++k) out = out + term(k);
}

template <class Right>
void multiply_rows(const Product& p, const Right& b) {
  for (Index i = 0; i < p.rows; ++i) {
    TargetRow out(p.out + i * p.out_stride, p.columns);
    add_terms(p.a.data + i * p.a.stride, b, p.inner, out);
  }
}

// outᵀ = bᵀ · aᵀ, for rows that are short and many.
void multiply_columns(const Product& p) {
  const Matrix a = view(p.a, p.rows, p.inner).transpose();  // (inner, rows)
  Matrix b = p.transposed ? Matrix(view(p.b, p.columns, p.inner)) : Matrix(view(p.b, p.inner, p.columns).transpose());
  Matrix out(p.columns, p.rows);
  multiply_rows({.a = {b.data(), p.inner},
                 .b = {},
                 .rows = p.columns,
                 .inner = p.inner,
                 .columns = p.rows,
                 .out = out.data(),
                 .out_stride = p.rows},
                a);
  target(p) = out.transpose();
}

}  // namespace

void multiply_unfused(const Product& p);
void multiply_unfused(const Product& p) {
  constexpr Index short_row = 64;
  if (p.columns < short_row && p.columns < p.rows)
    multiply_columns(p);
  else if (p.transposed)
    multiply_rows(p, Matrix(view(p.b, p.columns, p.inner).transpose()));
  else
    multiply_rows(p, view(p.b, p.inner, p.columns));
  finish(p);
}

}  // namespace headlight::math::KERNEL_SET
