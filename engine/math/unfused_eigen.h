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

namespace {

// Columns of running states that lie beside each other, as many as registers hold: what a row of them adds up to stays
// there from key to key, and each sum is written, read by its query and looked at while it is there.
template <class P, int packets>
void take_columns(KeysTaken& t, Index column, bool aligned) {
  constexpr Index lanes = unpacket_traits<P>::size;
  P least = pset1<P>(t.least), greatest = pset1<P>(t.greatest);
  for (Index f = 0; f < t.features; ++f) {
    P before[packets], added[packets];
    for (int i = 0; i < packets; ++i) {
      before[i] = ploadu<P>(t.before + f * t.width + column + i * lanes);
      added[i] = pset1<P>(0);
    }
    Index row = 0;
    for (Index key = 0; key < t.keys; ++key) {
      const P number = pset1<P>(t.key[key * t.features + f]);
      for (int i = 0; i < packets; ++i)
        added[i] = padd(added[i], pmul(number, ploadu<P>(t.value + key * t.width + column + i * lanes)));
      for (; row < t.rows_until[key]; ++row) {
        const P asked = pset1<P>(t.query[row * t.features + f]);
        float* to = t.states + (row * t.features + f) * t.width + column;
        float* read = t.read + row * t.width + column;
        for (int i = 0; i < packets; ++i) {
          const P sum = padd(before[i], added[i]);
          if (aligned)
            stream(to + i * lanes, sum);
          else
            pstoreu(to + i * lanes, sum);
          const P product = pmul(asked, sum);
          pstoreu(read + i * lanes, f == 0 ? product : padd(ploadu<P>(read + i * lanes), product));
          least = pmin(least, sum);
          greatest = pmax(greatest, sum);
        }
      }
    }
    for (int i = 0; i < packets; ++i) pstoreu(t.added + f * t.width + column + i * lanes, added[i]);
  }
  t.least = predux_min(least);
  t.greatest = predux_max(greatest);
}

}  // namespace

void take_keys(KeysTaken& t);
void take_keys(KeysTaken& t) {
  constexpr int packets = 4;
  const bool aligned = t.width % lanes == 0 && is_aligned<Packet>(t.states);
  Index column = 0;
  for (; column + packets * lanes <= t.width; column += packets * lanes)
    take_columns<Packet, packets>(t, column, aligned);
  for (; column + lanes <= t.width; column += lanes) take_columns<Packet, 1>(t, column, aligned);
  for (; column < t.width; ++column) take_columns<float, 1>(t, column, false);
  end_streams();
}

}  // namespace headlight::math::KERNEL_SET
