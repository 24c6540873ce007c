// The one source of every set of kernels. Included by kernels_<set>.cpp, which defines KERNEL_SET (a namespace),
// KERNEL_LANES and KERNEL_ROWS (rows of a register block) and is compiled for its instruction set.
//
// Uses nothing of the standard library that could be emitted as a shared (weak) symbol: such a symbol, compiled for
// AVX-512, might be the copy that the linker keeps for everybody. A test reads the objects' symbols.
//
// All sets give the same numbers to the last bit: sums are cut and ordered alike whatever the width of a register, and
// nothing is contracted into fused multiply-adds (-ffp-contract=off).
#include "engine/math/kernels.h"

namespace headlight::math::KERNEL_SET {

namespace {

constexpr Index lanes = KERNEL_LANES;
constexpr Index panel = 2 * lanes;
constexpr Index block_rows = KERNEL_ROWS;
constexpr float infinity = __builtin_inff();

// Unaligned, and allowed to look at arrays of its element type.
typedef float Vec __attribute__((vector_size(KERNEL_LANES * 4), aligned(4), may_alias));
typedef int IntVec __attribute__((vector_size(KERNEL_LANES * 4), aligned(4), may_alias));
// As many floats as fit in one register once they are doubles.
typedef float HalfVec __attribute__((vector_size(KERNEL_LANES * 2), aligned(4), may_alias));
typedef double DoubleVec __attribute__((vector_size(KERNEL_LANES * 4), aligned(8), may_alias));

// x − 0 is x for every x, which x + 0 is not for −0: so this compiles to a broadcast alone.
inline Vec splat(float x) {
  return x - Vec{};
}
inline Vec load(const float* p) {
  return *reinterpret_cast<const Vec*>(p);
}
inline void store(float* p, Vec v) {
  *reinterpret_cast<Vec*>(p) = v;
}

inline Index smaller(Index a, Index b) {
  return a < b ? a : b;
}
inline void copy(const float* from, Index n, float* to) {
  Index i = 0;
  for (; i + lanes <= n; i += lanes) store(to + i, load(from + i));
  for (; i < n; ++i) to[i] = from[i];
}
inline void fill(float* out, Index n, float x) {
  for (Index j = 0; j < n; ++j) out[j] = x;
}

// ---- Products -----------------------------------------------------------------------------------------------------

// The columns of b that are worked on together: up to two registers.
struct Panel {
  Index group;
  Index column;  // the first
  Index width;
  Index padded;  // to whole registers
};

Panel panel_at(const Product& p, Index index) {
  const Index in_group = (p.columns + panel - 1) / panel;
  const Index column = index % in_group * panel;
  const Index width = smaller(p.columns - column, panel);
  return {index / in_group, column, width, width <= lanes ? lanes : panel};
}

// Copies a panel to (inner, padded), with zeros for the columns that are not there.
void pack(const Product& p, const Panel& at, float* packed) {
  const float* b = p.b + at.group * p.inner * p.columns + at.column * (p.transposed ? p.inner : 1);
  for (Index k = 0; k < p.inner; ++k, packed += at.padded) {
    if (p.transposed)
      for (Index c = 0; c < at.width; ++c) packed[c] = b[c * p.inner + k];
    else
      copy(b + k * p.columns, at.width, packed);
    fill(packed + at.width, at.padded - at.width, 0);
  }
}

// Sums are made in pieces of this many terms, for which the left side is copied. Then a panel's piece (32 KiB for
// AVX-512) stays in the first-level cache for all rows of a call; rows 4 KiB apart, which would push each other out of
// it, no longer are; and a long sum loses fewer digits.
constexpr Index chunk = 256;
constexpr Index chunk_stride = chunk + 16;
constexpr Index max_rows = 6 * block_rows;  // copied at once: about 90 KiB for AVX-512, in the second-level cache

// Rows × panels register block: a (rows, inner) · b (inner, width) added to `out`, or stored there where `first`.
struct Tile {
  const float* a;  // rows chunk_stride apart
  const float* b;
  Index inner;
  bool first;
  const float* bias;  // added to the finished sum; null for none, or when it is not finished
  bool relu;
  float* out[block_rows];  // one a row
};

template <int Rows, int Registers>
void multiply_tile(const Tile& t) {
  Vec sums[Rows][Registers] = {};
  const float* a = t.a;
  const float* b = t.b;
  for (Index k = 0; k < t.inner; ++k, ++a, b += Registers * lanes) {
    Vec right[Registers];
#pragma GCC unroll 2
    for (int p = 0; p < Registers; ++p) right[p] = load(b + p * lanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const Vec left = splat(a[r * chunk_stride]);
#pragma GCC unroll 2
      for (int p = 0; p < Registers; ++p) sums[r][p] += left * right[p];
    }
  }
#pragma GCC unroll 2
  for (int p = 0; p < Registers; ++p) {
    const Vec bias = t.bias ? load(t.bias + p * lanes) : Vec{};
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      Vec sum = sums[r][p];
      if (!t.first) sum += load(t.out[r] + p * lanes);
      if (t.bias) sum += bias;
      if (t.relu) sum = sum < 0 ? Vec{} : sum;  // NaN stays NaN
      store(t.out[r] + p * lanes, sum);
    }
  }
}

// The block of so many rows.
template <int Registers, int Rows = block_rows>
void multiply_rows(Index rows, const Tile& t) {
  if (rows == Rows)
    multiply_tile<Rows, Registers>(t);
  else if constexpr (Rows > 1)
    multiply_rows<Registers, Rows - 1>(rows, t);
}

// A tile of any width: one that fills no whole registers is computed in a buffer.
void multiply_width(Index rows, Index width, const Tile& t) {
  if (width == panel) return multiply_rows<2>(rows, t);
  if (width == lanes) return multiply_rows<1>(rows, t);
  float numbers[block_rows][panel];
  float bias[panel];
  Tile buffered = t;
  for (Index r = 0; r < rows; ++r) {
    buffered.out[r] = numbers[r];
    if (!t.first) copy(t.out[r], width, numbers[r]);
    fill(numbers[r] + width, panel - width, 0);
  }
  if (t.bias) {
    copy(t.bias, width, bias);
    fill(bias + width, panel - width, 0);
    buffered.bias = bias;
  }
  if (width < lanes)
    multiply_rows<1>(rows, buffered);
  else
    multiply_rows<2>(rows, buffered);
  for (Index r = 0; r < rows; ++r) copy(numbers[r], width, t.out[r]);
}

// Rows of the left side as multiply_panel() reads them.
struct Rows {
  Index count;
  float numbers[max_rows * chunk_stride];
  Index place[max_rows];  // of the row's first column in a group of `out`
};

// One packed panel times the rows, in blocks whose heights differ by one at most.
void multiply_panel(const Product& p, const Rows& rows, const Panel& at, const float* packed, Index k_begin,
                    Index k_end) {
  float* out = p.out + at.group * p.group_stride + at.column;
  const bool last = k_end == p.inner;
  Tile t;
  t.b = packed + k_begin * at.padded;
  t.inner = k_end - k_begin;
  t.first = k_begin == 0;
  t.bias = p.bias && last ? p.bias + at.group * p.columns + at.column : nullptr;
  t.relu = p.relu && last;
  const Index blocks = (rows.count + block_rows - 1) / block_rows;
  for (Index block = 0, begin = 0; block < blocks; ++block) {
    const Index end = rows.count * (block + 1) / blocks;
    t.a = rows.numbers + begin * chunk_stride;
    for (Index r = begin; r < end; ++r) t.out[r - begin] = out + rows.place[r];
    multiply_width(end - begin, at.width, t);
    begin = end;
  }
}

void multiply(const Product& p, Index row_begin, Index row_end, Index panel_begin, Index panel_end, float* room) {
  alignas(64) Rows rows;
  const Index room_each = p.inner * panel;
  for (Index i = panel_begin; i < panel_end; ++i) pack(p, panel_at(p, i), room + (i - panel_begin) * room_each);
  for (Index begin = row_begin; begin < row_end; begin += max_rows) {
    rows.count = smaller(row_end - begin, max_rows);
    for (Index r = 0; r < rows.count; ++r)
      rows.place[r] = (begin + r) / p.batch_rows * p.batch_stride + (begin + r) % p.batch_rows * p.columns;
    for (Index k_begin = 0; k_begin < p.inner; k_begin += chunk) {
      const Index k_end = smaller(k_begin + chunk, p.inner);
      for (Index r = 0; r < rows.count; ++r)
        copy(p.a + (begin + r) * p.inner + k_begin, k_end - k_begin, rows.numbers + r * chunk_stride);
      for (Index i = panel_begin; i < panel_end; ++i)
        multiply_panel(p, rows, panel_at(p, i), room + (i - panel_begin) * room_each, k_begin, k_end);
    }
  }
}

// ---- Softmax ------------------------------------------------------------------------------------------------------

// exp(x) for x ≤ 0: 2ⁿ · e^r with |r| ≤ ½ ln 2, the series of e^r to r⁷ (relative error below 2e-7); 0 below −87.3,
// where float32 leaves its normal numbers.
inline Vec exp_of(Vec x) {
  const Vec low = splat(-87.3F);
  const IntVec tiny = x < low;
  const Vec clamped = tiny ? low : x;
  const Vec magic = splat(12582912.0F);  // 1.5 · 2²³: adding it rounds to a whole number
  const Vec n = (clamped * splat(1.44269504F) + magic) - magic;
  Vec r = clamped - n * splat(0.693359375F);
  r = r - n * splat(-2.12194440e-4F);  // ln 2 in two parts, so that r keeps its last bits
  Vec e = splat(1.0F / 5040);
  e = e * r + splat(1.0F / 720);
  e = e * r + splat(1.0F / 120);
  e = e * r + splat(1.0F / 24);
  e = e * r + splat(1.0F / 6);
  e = e * r + splat(0.5F);
  e = e * r + splat(1.0F);
  e = e * r + splat(1.0F);
  const IntVec power = (__builtin_convertvector(n, IntVec) + 127) << 23;
  const Vec result = e * (Vec)power;  // the same bits as floats
  return tiny ? Vec{} : result;
}

inline float largest_lane(Vec v) {
  float x[lanes];
  store(x, v);
  for (Index half = lanes / 2; half > 0; half /= 2)
    for (Index c = 0; c < half; ++c) x[c] = x[c + half] > x[c] ? x[c + half] : x[c];
  return x[0];
}
// Sums over a row run in 16 parts whatever the width of a register.
constexpr Index parts = 16;
static_assert(parts % lanes == 0);

inline float sum_of_parts(float* x) {
  for (Index half = parts / 2; half > 0; half /= 2)
    for (Index c = 0; c < half; ++c) x[c] += x[c + half];
  return x[0];
}

// Largest of a row, passing over NaN.
inline float largest_of(const float* in, Index n) {
  Vec best = splat(-infinity);
  Index j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Vec x = load(in + j);
    best = x > best ? x : best;
  }
  float largest = largest_lane(best);
  for (; j < n; ++j) largest = in[j] > largest ? in[j] : largest;
  return largest;
}

// Where nothing is above −∞: 0 throughout, or NaN throughout.
void softmax_blind_row(const float* in, Index n, float* out) {
  bool broken = false;
  for (Index j = 0; j < n; ++j) broken |= in[j] != in[j];
  fill(out, n, broken ? __builtin_nanf("") : 0);
}

// exp(x − largest) of as many numbers as there are parts of the sum.
inline void add_exp(const float* in, float largest, Vec* sums, float* out) {
  for (Index i = 0; i < parts; i += lanes) {
    const Vec e = exp_of(load(in + i) - splat(largest));
    store(out + i, e);
    sums[i / lanes] += e;
  }
}

// A NaN, and +∞ by way of ∞ − ∞, makes the sum NaN and with it the whole row.
void softmax_row(const float* in, Index n, float* out) {
  const float largest = largest_of(in, n);
  if (largest == -infinity) return softmax_blind_row(in, n, out);
  Vec sums[parts / lanes] = {};
  Index j = 0;
  for (; j + parts <= n; j += parts) add_exp(in + j, largest, sums, out + j);
  if (j < n) {
    float rest[parts];
    fill(rest, parts, -infinity);
    copy(in + j, n - j, rest);
    add_exp(rest, largest, sums, rest);
    copy(rest, n - j, out + j);
  }
  float numbers[parts];
  for (Index i = 0; i < parts; i += lanes) store(numbers + i, sums[i / lanes]);
  const float share = 1 / sum_of_parts(numbers);
  for (j = 0; j + lanes <= n; j += lanes) store(out + j, load(out + j) * splat(share));
  for (; j < n; ++j) out[j] *= share;
}

void softmax(const float* in, Index rows, Index n, float* out) {
  for (Index row = 0; row < rows; ++row) softmax_row(in + row * n, n, out + row * n);
}

// ---- Layer norm ---------------------------------------------------------------------------------------------------

inline DoubleVec load_double(const float* p) {
  return __builtin_convertvector(*reinterpret_cast<const HalfVec*>(p), DoubleVec);
}

// Σ (x − center)ᵖ for p = 1 or 2, in eight parts.
template <int Power>
inline double sum_of(const float* in, Index d, double center) {
  constexpr Index step = lanes / 2, double_parts = 8;
  DoubleVec sums[double_parts / step] = {};
  Index c = 0;
  for (; c + double_parts <= d; c += double_parts)
    for (Index i = 0; i < double_parts; i += step) {
      const DoubleVec x = load_double(in + c + i) - center;
      sums[i / step] += Power == 1 ? x : x * x;
    }
  double sum = 0;
  for (Index i = 0; i < double_parts; ++i) sum += sums[i / step][i % step];
  for (; c < d; ++c) {
    const double x = in[c] - center;
    sum += Power == 1 ? x : x * x;
  }
  return sum;
}

void layer_norm(const float* in, const float* gamma, const float* beta, Index rows, Index d, float epsilon,
                float* out) {
  for (Index row = 0; row < rows; ++row, in += d, out += d) {
    const double mean = sum_of<1>(in, d, 0) / static_cast<double>(d);
    const double variance = sum_of<2>(in, d, mean) / static_cast<double>(d);
    const double share = 1 / __builtin_sqrt(variance + static_cast<double>(epsilon));
    for (Index c = 0; c < d; ++c)
      out[c] = static_cast<float>((static_cast<double>(in[c]) - mean) * share) * gamma[c] + beta[c];
  }
}

}  // namespace

extern const Kernels table;
const Kernels table{KERNEL_NAME, lanes, panel, multiply, softmax, layer_norm};

}  // namespace headlight::math::KERNEL_SET
