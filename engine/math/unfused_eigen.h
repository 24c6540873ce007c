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

}  // namespace

void multiply_unfused(const Product& p);
void multiply_unfused(const Product& p) {
  if (p.transposed)
    multiply_rows(p, Matrix(view(p.b, p.columns, p.inner).transpose()));
  else
    multiply_rows(p, view(p.b, p.inner, p.columns));
  Target out(p.out, p.rows, p.columns, Eigen::OuterStride<>(p.out_stride));
  finish(p, out);
}

}  // namespace headlight::math::KERNEL_SET
