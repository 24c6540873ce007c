// The one source of every set of kernels. Included by kernels_<set>.cpp, which defines KERNEL_SET (a namespace),
// KERNEL_LANES and KERNEL_ROWS (rows of a register block) and is compiled for its instruction set.
//
// Uses nothing of the standard library that could be emitted as a shared (weak) symbol: such a symbol, compiled for
// AVX-512, might be the copy that the linker keeps for everybody. A test reads the objects' symbols.
#include "engine/math/kernels.h"

namespace headlight::math::KERNEL_SET {

namespace {

constexpr Index lanes = KERNEL_LANES;
constexpr Index block_rows = KERNEL_ROWS;
constexpr Index sum_lanes = 16;
constexpr Index groups = sum_lanes / lanes;

typedef float Vec __attribute__((vector_size(KERNEL_LANES * 4), aligned(4)));
typedef int IntVec __attribute__((vector_size(KERNEL_LANES * 4), aligned(4)));

inline Vec splat(float x) {
  return x - Vec{};
}
inline Vec load(const float* p) {
  return *reinterpret_cast<const Vec*>(p);
}
inline void store(float* p, Vec v) {
  *reinterpret_cast<Vec*>(p) = v;
}

void pack(const float* b, Index inner, Index columns, Index row_stride, Index column_stride, float* packed) {
  for (Index begin = 0; begin < columns; begin += lanes) {
    const Index width = columns - begin < lanes ? columns - begin : lanes;
    for (Index k = 0; k < inner; ++k) {
      const float* from = b + k * row_stride + begin * column_stride;
      for (Index c = 0; c < width; ++c) packed[k * lanes + c] = from[c * column_stride];
      for (Index c = width; c < lanes; ++c) packed[k * lanes + c] = 0;
    }
    packed += inner * lanes;
  }
}

struct Output {
  const float* bias;  // of the block's first column, or null
  bool relu;
  float* out;
  Index stride;
};

void write_row(Vec sum, Index column, Index columns, const Output& o, float* row) {
  float numbers[lanes];
  store(numbers, sum);
  const Index width = columns - column < lanes ? columns - column : lanes;
  for (Index c = 0; c < width; ++c) {
    float x = numbers[c];
    if (o.bias) x += o.bias[column + c];
    row[column + c] = o.relu && x < 0 ? 0 : x;
  }
}

// Rows × Panels·lanes numbers at once, all sums in registers.
template <int Rows, int Panels>
inline void block(const float* a, Index inner, const float* packed, Index column, Index columns, const Output& o) {
  Vec sums[Rows][Panels] = {};
  for (Index k = 0; k < inner; ++k) {
    Vec b[Panels];
#pragma GCC unroll 2
    for (int p = 0; p < Panels; ++p) b[p] = load(packed + (p * inner + k) * lanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const Vec x = splat(a[r * inner + k]);
#pragma GCC unroll 2
      for (int p = 0; p < Panels; ++p) sums[r][p] += x * b[p];
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int p = 0; p < Panels; ++p) write_row(sums[r][p], column + p * lanes, columns, o, o.out + r * o.stride);
}

template <int Panels>
void all_rows(const float* a, Index rows, Index inner, const float* packed, Index column, Index columns, Output o) {
  Index row = 0;
  for (; row + block_rows <= rows; row += block_rows) {
    block<block_rows, Panels>(a + row * inner, inner, packed, column, columns, o);
    o.out += block_rows * o.stride;
  }
  for (; row < rows; ++row) {
    block<1, Panels>(a + row * inner, inner, packed, column, columns, o);
    o.out += o.stride;
  }
}

void multiply(const float* a, Index rows, Index inner, const float* packed, Index columns, const float* bias, bool relu,
              float* out, Index out_stride) {
  const Output o{bias, relu, out, out_stride};
  Index column = 0;
  for (; column + lanes < columns; column += 2 * lanes)
    all_rows<2>(a, rows, inner, packed + column * inner, column, columns, o);
  if (column < columns) all_rows<1>(a, rows, inner, packed + column * inner, column, columns, o);
}

// exp(x) for x ≤ 0: 2ⁿ · e^r with |r| ≤ ½ ln 2, the series of e^r to r⁷ (relative error below 2e-7); 0 below −87.3,
// where float32 leaves its normal numbers. NaN stays NaN.
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

constexpr float infinity = __builtin_inff();

// Largest of a row, and whether it holds a NaN.
inline float largest_of(const float* in, Index n, bool& broken) {
  Vec best = splat(-infinity);
  IntVec bad = {};
  Index j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Vec x = load(in + j);
    best = x > best ? x : best;
    bad |= x != x;
  }
  float largest = -infinity;
  int any = 0;
  for (Index c = 0; c < lanes; ++c) {
    largest = best[c] > largest ? best[c] : largest;
    any |= bad[c];
  }
  for (; j < n; ++j) {
    largest = in[j] > largest ? in[j] : largest;
    any |= in[j] != in[j];
  }
  broken = any != 0 || largest == infinity;
  return largest;
}

inline void fill(float* out, Index n, float x) {
  for (Index j = 0; j < n; ++j) out[j] = x;
}

void softmax_row(const float* in, Index n, float* out) {
  bool broken = false;
  const float largest = largest_of(in, n, broken);
  if (broken) return fill(out, n, __builtin_nanf(""));
  if (largest == -infinity) return fill(out, n, 0);
  // Sixteen partial sums whatever the width of a register, so that every set of kernels adds in the same order.
  Vec sums[groups] = {};
  Index j = 0;
  for (; j + sum_lanes <= n; j += sum_lanes) {
    for (Index g = 0; g < groups; ++g) {
      const Vec e = exp_of(load(in + j + g * lanes) - splat(largest));
      store(out + j + g * lanes, e);
      sums[g] += e;
    }
  }
  if (j < n) {
    float rest[sum_lanes];
    for (Index c = 0; c < sum_lanes; ++c) rest[c] = j + c < n ? in[j + c] - largest : -infinity;
    for (Index g = 0; g < groups; ++g) {
      const Vec e = exp_of(load(rest + g * lanes));
      store(rest + g * lanes, e);
      sums[g] += e;
    }
    for (Index c = 0; j + c < n; ++c) out[j + c] = rest[c];
  }
  float sum = 0;
  for (Index g = 0; g < groups; ++g)
    for (Index c = 0; c < lanes; ++c) sum += sums[g][c];
  const float share = 1 / sum;
  for (j = 0; j < n; ++j) out[j] *= share;
}

void softmax(const float* in, Index rows, Index n, float* out) {
  for (Index row = 0; row < rows; ++row) softmax_row(in + row * n, n, out + row * n);
}

}  // namespace

extern const Kernels table;
const Kernels table{KERNEL_NAME, lanes, pack, multiply, softmax};

}  // namespace headlight::math::KERNEL_SET
