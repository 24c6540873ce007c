// The one source of every set of kernels. Included by kernels_<set>.cpp, which defines KERNEL_SET (a namespace),
// KERNEL_NAME and UNFUSED_SET; see views_eigen.h for how it is compiled.
#include <cstdint>
#include <type_traits>

#include "engine/math/views_eigen.h"

namespace headlight::math {

namespace UNFUSED_SET {
void multiply_unfused(const Product& product);
void take_keys(KeysTaken& taken);
}  // namespace UNFUSED_SET

namespace KERNEL_SET {

namespace {

constexpr float infinity = __builtin_inff();

// ---- Products -----------------------------------------------------------------------------------------------------

// How Eigen cuts a product, and with it the order of its sums, must not depend on the caches of the machine.
void fix_cache_sizes() {
  [[maybe_unused]] static const bool done = (Eigen::setCpuCacheSizes(32 << 10, 512 << 10, 4 << 20), true);
}

void multiply(const Product& p) {
  fix_cache_sizes();
  const View a = view(p.a, p.rows, p.inner);
  Target out = target(p);
  if (p.transposed)
    out.noalias() = a * view(p.b, p.columns, p.inner).transpose();
  else if (p.adds)
    out.noalias() += a * view(p.b, p.inner, p.columns);
  else if (p.columns < 16)  // too few to fill registers across: then they hold what stands below each other
    out = Eigen::MatrixXf(a * view(p.b, p.inner, p.columns));
  else
    out.noalias() = a * view(p.b, p.inner, p.columns);
  finish(p);
}

// So many rows of a with so many registers of b's columns beside each other: what they add up to stays in registers
// from the first term to the last.
template <class P, int rows, int packets>
void narrow_block(const Product& p, Index row, Index column) {
  constexpr Index size = unpacket_traits<P>::size;
  const float *a = p.a.data + row * p.a.stride, *b = p.b.data + column;
  float* out = p.out + row * p.out_stride + column;
  P sums[rows][packets];
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < packets; ++i) sums[r][i] = p.adds ? ploadu<P>(out + r * p.out_stride + i * size) : pset1<P>(0);
  for (Index k = 0; k < p.inner; ++k, b += p.b.stride) {
    P terms[packets];
    for (int i = 0; i < packets; ++i) terms[i] = ploadu<P>(b + i * size);
    for (int r = 0; r < rows; ++r) {
      const P number = pset1<P>(a[r * p.a.stride + k]);
      for (int i = 0; i < packets; ++i) sums[r][i] = pmadd(number, terms[i], sums[r][i]);
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < packets; ++i) pstoreu(out + r * p.out_stride + i * size, sums[r][i]);
}

template <class P, int packets>
void narrow_columns(const Product& p, Index column) {
  Index row = 0;
  for (; row + narrow_rows <= p.rows; row += narrow_rows) narrow_block<P, narrow_rows, packets>(p, row, column);
  for (; row + 3 <= p.rows; row += 3) narrow_block<P, 3, packets>(p, row, column);
  for (; row < p.rows; ++row) narrow_block<P, 1, packets>(p, row, column);
}

void multiply_narrow(const Product& p) {
  using P = Packet;
  constexpr Index size = lanes;
  constexpr int packets = size == 16 ? 4 : 2;  // with six rows they fill the registers that the set has
  Index column = 0;
  for (; column + packets * size <= p.columns; column += packets * size) narrow_columns<P, packets>(p, column);
  for (; column + size <= p.columns; column += size) narrow_columns<P, 1>(p, column);
  for (; column < p.columns; ++column) narrow_columns<float, 1>(p, column);
  finish(p);
}

// As many rows and columns at a time as a register holds numbers.
void turn(const float* in, Index rows, Index columns, float* out, Index out_stride) {
  using P = Packet;
  constexpr Index size = lanes;
  const auto one_by_one = [&](Index row, Index end_row, Index column, Index end_column) {
    for (Index c = column; c < end_column; ++c)
      for (Index r = row; r < end_row; ++r) out[c * out_stride + r] = in[r * columns + c];
  };
  Index row = 0;
  for (; row + size <= rows; row += size) {
    Index column = 0;
    for (; column + size <= columns; column += size) {
      PacketBlock<P, size> block;
      for (Index i = 0; i < size; ++i) block.packet[i] = ploadu<P>(in + (row + i) * columns + column);
      ptranspose(block);
      for (Index i = 0; i < size; ++i) pstoreu(out + (column + i) * out_stride + row, block.packet[i]);
    }
    one_by_one(row, row + size, column, columns);
  }
  one_by_one(row, rows, 0, columns);
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
// The next row lies `stride` numbers on.
float exponentials(const float* in, Index n, Index stride, float largest, float* out) {
  const Packet most = pset1<Packet>(largest);
  Packet sum = pset1<Packet>(0);
  Index j = 0;
  for (; j + lanes <= n; j += lanes) {
    __builtin_prefetch(in + stride + j);  // what the next row asks for arrives while this one is reckoned
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

// exp(x − largest) of a row → out; returns what makes them weights. A NaN, and +∞ by way of ∞ − ∞, makes the sum NaN
// and with it the whole row.
float exponentials_and_share(const float* in, Index n, Index stride, float* out) {
  const float largest = largest_of(in, n);
  const bool blind = largest == -infinity;  // nothing may be looked at, or all is NaN
  const float sum = exponentials(in, n, stride, blind ? 0 : largest, out);
  return blind && sum == 0 ? 0 : 1 / sum;
}

constexpr Index stretch = 4 * lanes;

// Whether n ≤ stretch numbers are −∞ to the last bit.
bool all_hidden(const float* in, Index n) {
  std::uint32_t other = 0;
  for (Index j = 0; j < n; ++j) other |= __builtin_bit_cast(std::uint32_t, in[j]) ^ 0xFF800000U;
  return other == 0;
}

// What a row holds between its hidden beginning and its hidden end, whose exponentials are 0: it ends with the row or
// with a whole packet, so that its sums have the bits that the whole row's have.
struct Seen {
  Index begin;
  Index end;
};

Seen seen_of(const float* in, Index n) {
  Seen seen{0, n};
  while (seen.begin + stretch <= n && all_hidden(in + seen.begin, stretch)) seen.begin += stretch;
  if (const Index rest = n % stretch; rest > 0 && seen.begin < n - rest && all_hidden(in + n - rest, rest))
    seen.end -= rest;
  if (seen.end % stretch == 0)
    while (seen.end > seen.begin && all_hidden(in + seen.end - stretch, stretch)) seen.end -= stretch;
  return seen;
}

// in · factor → out. What is written is not in the caches then.
void scale_past_caches(const float* in, Index n, float factor, float* out) {
  Index j = 0;
  for (; j < n && !is_aligned<Packet>(out + j); ++j) out[j] = in[j] * factor;
  for (; j + lanes <= n; j += lanes) stream(out + j, pmul(ploadu<Packet>(in + j), pset1<Packet>(factor)));
  for (; j < n; ++j) out[j] = in[j] * factor;
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

void softmax(const float* in, Index rows, Index n, bool past_caches, float* out) {
  if (n <= lanes) return softmax_of_short(in, rows, n, out);
  constexpr Index most = 8192;  // numbers of a row that stay beside the processor until their sum is known
  alignas(64) float kept[most];
  past_caches = past_caches && n <= most;
  for (Index row = 0; row < rows; ++row, in += n, out += n) {
    if (past_caches) {
      scale_past_caches(kept, n, exponentials_and_share(in, n, n, kept), out);
      continue;
    }
    const Seen seen = seen_of(in, n);
    const Index width = seen.end - seen.begin;
    const float share = exponentials_and_share(in + seen.begin, width, n, out + seen.begin);
    TargetRow(out + seen.begin, width) *= share;
    TargetRow(out, seen.begin) = 0 * share;  // NaN where the row is
    TargetRow(out + seen.end, n - seen.end) = 0 * share;
  }
  if (past_caches) end_streams();
}

// ---- Layer norm ---------------------------------------------------------------------------------------------------

void layer_norm(const float* in, const float* gamma, const float* beta, Index rows, Index d, float epsilon,
                float* out) {
  for (Index row = 0; row < rows; ++row, in += d, out += d) {
    const auto x = Row(in, d).cast<double>();
    const double mean = x.mean();
    const double variance = (x - mean).square().mean();
    const double share = 1 / __builtin_sqrt(variance + static_cast<double>(epsilon));
    TargetRow(out, d) = ((x - mean) * share).cast<float>() * Row(gamma, d) + Row(beta, d);
  }
}

#include "engine/math/bends_eigen.h"

}  // namespace

extern const Kernels table;
const Kernels table{KERNEL_NAME,
                    multiply,
                    multiply_narrow,
                    turn,
                    UNFUSED_SET::multiply_unfused,
                    UNFUSED_SET::take_keys,
                    softmax,
                    layer_norm,
                    span_of_finite,
                    log_sum_exp,
                    bend<silu_of>,
                    bend<gelu_of>,
                    bend<gelu_tanh_of>,
                    bend<tanh_of>,
                    bend<elu_plus_one_of>};

}  // namespace KERNEL_SET

}  // namespace headlight::math
