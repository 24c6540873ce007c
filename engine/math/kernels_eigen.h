// The one source of every set of kernels. Included by kernels_<set>.cpp, which defines KERNEL_SET (a namespace),
// KERNEL_NAME and UNFUSED_SET; see views_eigen.h for how it is compiled.
#include <cstdint>
#include <type_traits>

#include "engine/math/in_place_eigen.h"
#include "engine/math/views_eigen.h"

namespace headlight::math {

// Of unfused_eigen.h and rows_unfused.h, which kernels_<UNFUSED_SET>.cpp compiles; for the baseline both are one file.
namespace UNFUSED_SET {
void multiply_unfused(const Product& product);
double dot(const float* a, const float* b, Index n);
void add_arrays(const float* const* parts, Index count, Index n, float* out);
NormSlopes normed(const float* x, Index d, const Norm& norm, double* __restrict z);
void norm_gradient(const NormRow& row, const Norm& norm, float* __restrict out);
void add_normed(const NormRow& row, const Norm& norm, double* __restrict sums);
void layer_norm(const float* in, const float* gamma, const float* beta, Index rows, Index d, float epsilon, float* out);
}  // namespace UNFUSED_SET

namespace KERNEL_SET {

namespace {

constexpr float infinity = __builtin_inff();

// ---- Products -----------------------------------------------------------------------------------------------------

// How Eigen cuts a product, and with it the order of its sums, must not depend on the caches of the machine.
void fix_cache_sizes() {
  [[maybe_unused]] static const bool done = (Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 4 << 20), true);
}

// The loops of the first two: add_terms() in unfused_eigen.h, add_block() in in_place_eigen.h. The others are Eigen's.
void multiply(const Product& p) {
  if (p.inner <= few_terms && !p.a_transposed && !p.adds && !p.is_part) return UNFUSED_SET::multiply_unfused(p);
  if (!p.b_transposed && is_read_in_place(p.inner, p.columns)) {
    multiply_in_place(p);
    return finish(p);
  }
  fix_cache_sizes();
  Target out = target(p);
  if (p.a_transposed) {
    out.noalias() = view(p.a, p.inner, p.rows).transpose() * view(p.b, p.inner, p.columns);
    return finish(p);
  }
  const View a = view(p.a, p.rows, p.inner);
  if (p.b_transposed)
    out.noalias() = a * view(p.b, p.columns, p.inner).transpose();
  else if (p.adds)
    out.noalias() += a * view(p.b, p.inner, p.columns);
  else if (p.columns < 16) {  // too few to fill registers across: then they hold what stands below each other
    Eigen::MatrixXf sums(p.rows, p.columns);
    sums.noalias() = a * view(p.b, p.inner, p.columns);
    out = sums;
  } else
    out.noalias() = a * view(p.b, p.inner, p.columns);
  finish(p);
}

// ---- Softmax ------------------------------------------------------------------------------------------------------

// A bit for each of the first n ≤ lanes.
constexpr auto first_lanes(Index n) {
  return static_cast<std::conditional_t<lanes == 16, std::uint16_t, std::uint8_t>>((1U << n) - 1);
}

// exp(x) for x ≤ 0: 2ⁿ · e^r with |r| ≤ ½ ln 2, and for e^r the polynomial of degree 6 through 1 whose greatest
// relative error there is least (2.0e-9, by weighted least squares repeated; the roundings are what is left). Exactly 0
// below −87.7, where n is −127 and the bits of 2ⁿ are all 0; Eigen's own, which takes twice as long, gives 1e-38 for
// −∞. NaN stays NaN.
inline Packet exp_of(const Packet& x) {
  using Whole = unpacket_traits<Packet>::integer_packet;
  const auto number = [](float f) { return pset1<Packet>(f); };
  const Packet magic =
      number(12582912.0F + 127);  // adding 1.5 · 2²³ rounds to a whole number, which the last bits hold
  const Packet above = pmax(x, number(-88.0F));  // x where that is NaN
  const Packet shifted = pmadd(above, number(1.44269504F), magic);
  const Packet n = psub(shifted, magic);
  Packet r = pmadd(n, number(-0.693359375F), above);
  r = pmadd(n, number(2.12194440e-4F), r);  // ln 2 in two parts, so that r keeps its last bits
  Packet e = number(1.384364441e-3F);
  for (const float term : {8.374162950e-3F, 4.166800156e-2F, 1.666643173e-1F, 4.999999404e-1F, 1.0F, 1.0F})
    e = pmadd(e, r, number(term));
  return pmul(e, preinterpret<Packet>(plogical_shift_left<23>(preinterpret<Whole>(shifted))));  // n + 127 as exponent
}

// The n ≤ lanes numbers that are left of a row, and −∞ beyond them.
template <class P = Packet>
P load_rest(const float* in, Index n) {
  if constexpr (unpacket_traits<P>::masked_load_available) {
    const P there = pcmp_lt(plset<P>(0), pset1<P>(static_cast<float>(n)));
    return pselect(there, ploadu<P>(in, first_lanes(n)), pset1<P>(-infinity));
  } else {
    float rest[lanes];
    for (Index i = 0; i < lanes; ++i) rest[i] = i < n ? in[i] : -infinity;
    return ploadu<P>(rest);
  }
}
template <class P>
void store_rest(float* out, Index n, const P& from) {
  if constexpr (unpacket_traits<P>::masked_store_available) {
    pstoreu(out, from, first_lanes(n));
  } else {
    float rest[lanes];
    pstoreu(rest, from);
    for (Index i = 0; i < n; ++i) out[i] = rest[i];
  }
}

Index span_of_finite(const float* in, Index n, float* least, float* greatest) {
  constexpr Index together = 256;
  Packet low = pset1<Packet>(*least), high = pset1<Packet>(*greatest);
  Index done = 0;
  while (done < n && n >= lanes) {
    const Index end = done + together < n ? done + together : n;
    Packet lows[2] = {low, low}, highs[2] = {high, high}, strange[2] = {pset1<Packet>(0), pset1<Packet>(0)};
    const auto take = [&](int i, const Packet& x) {
      lows[i] = pmin(lows[i], x);
      highs[i] = pmax(highs[i], x);
      strange[i] = padd(strange[i], psub(x, x));  // NaN from the first on that is not finite
    };
    Index j = done;
    for (; j + 2 * lanes <= end; j += 2 * lanes) {
      take(0, ploadu<Packet>(in + j));
      take(1, ploadu<Packet>(in + j + lanes));
    }
    for (; j < end; j += lanes) take(0, ploadu<Packet>(in + (j + lanes <= end ? j : end - lanes)));
    if (!(predux(padd(strange[0], strange[1])) == 0)) break;
    low = pmin(lows[0], lows[1]);
    high = pmax(highs[0], highs[1]);
    done = end;
  }
  *least = predux_min(low);
  *greatest = predux_max(high);
  return done;
}

// Largest of a row; what it is beside a NaN is not said.
float largest_of(const float* in, Index n) {
  Packet most = pset1<Packet>(-infinity), other = most;
  Index j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    most = pmax(most, ploadu<Packet>(in + j));
    other = pmax(other, ploadu<Packet>(in + j + lanes));
  }
  for (; j + lanes <= n; j += lanes) most = pmax(most, ploadu<Packet>(in + j));
  if (j < n) other = pmax(other, load_rest(in + j, n - j));
  return predux_max(pmax(most, other));
}

// exp(x − largest) of a row → out; returns their sum. A number's exponential does not depend on its place in the row.
// The next row lies n numbers on.
float exponentials(const float* in, Index n, float largest, float* out) {
  const Packet most = pset1<Packet>(largest);
  Packet sum = pset1<Packet>(0);
  Index j = 0;
  for (; j + lanes <= n; j += lanes) {
    __builtin_prefetch(in + n + j);  // what the next row asks for arrives while this one is computed
    const Packet e = exp_of(psub(ploadu<Packet>(in + j), most));
    sum = padd(sum, e);
    pstoreu(out + j, e);
  }
  if (j < n) {
    const Packet e = exp_of(psub(load_rest(in + j, n - j), most));
    sum = padd(sum, e);
    store_rest(out + j, n - j, e);
  }
  return predux(sum);
}

// Rows that a packet holds whole.
void softmax_of_short(const float* in, Index rows, Index n, float* out) {
  Packet next = load_rest(in, n);
  for (Index row = 0; row < rows; ++row, in += n, out += n) {
    const Packet x = next;  // read before what is stored beside it, for which it would have to wait
    if (row + 1 < rows) next = load_rest(in + n, n);
    const float largest = predux_max(x);
    const Packet e = exp_of(psub(x, pset1<Packet>(largest == -infinity ? 0 : largest)));
    const float sum = predux(e);
    store_rest(out, n, pmul(e, pset1<Packet>(sum == 0 ? 0 : 1 / sum)));
  }
}

// A NaN, and +∞ by way of ∞ − ∞, makes the sum NaN and with it the whole row.
void softmax(const float* in, Index rows, Index n, float* out) {
  if (n <= lanes) return softmax_of_short(in, rows, n, out);
  for (Index row = 0; row < rows; ++row, in += n, out += n) {
    const float largest = largest_of(in, n);
    const bool blind = largest == -infinity;  // nothing may be looked at, or all is NaN
    const float sum = exponentials(in, n, blind ? 0 : largest, out);
    TargetRow(out, n) *= blind && sum == 0 ? 0 : 1 / sum;
  }
}

#include "engine/math/bends_eigen.h"

}  // namespace

extern const Kernels table;
const Kernels table{KERNEL_NAME,
                    multiply,
                    UNFUSED_SET::dot,
                    UNFUSED_SET::add_arrays,
                    UNFUSED_SET::normed,
                    UNFUSED_SET::norm_gradient,
                    UNFUSED_SET::add_normed,
                    softmax,
                    UNFUSED_SET::layer_norm,
                    span_of_finite,
                    log_sum_exp,
                    map_packets<silu_of>,
                    map_packets<gelu_of>,
                    map_packets<gelu_tanh_of>,
                    map_packets<tanh_of>,
                    map_packets<elu_plus_one_of>};

}  // namespace KERNEL_SET

}  // namespace headlight::math
