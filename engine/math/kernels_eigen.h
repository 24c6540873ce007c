// The one source of every set of kernels. Included by kernels_<set>.cpp, which defines KERNEL_SET (a namespace),
// KERNEL_NAME and UNFUSED_SET; see views_eigen.h for how it is compiled.
#include "engine/math/views_eigen.h"

namespace headlight::math {

namespace UNFUSED_SET {
void multiply_unfused(const Product& product);
}

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
  Target out(p.out, p.rows, p.columns, Eigen::OuterStride<>(p.out_stride));
  if (p.transposed)
    out.noalias() = a * view(p.b, p.columns, p.inner).transpose();
  else
    out.noalias() = a * view(p.b, p.inner, p.columns);
  finish(p, out);
}

// ---- Softmax ------------------------------------------------------------------------------------------------------

using Packet = Eigen::internal::packet_traits<float>::type;
constexpr Index lanes = Eigen::internal::packet_traits<float>::size;

// exp(x) for x ≤ 0; exactly 0 below −87.3, where float32 leaves its normal numbers. (Eigen's own gives 1e-38 for −∞.)
inline Packet exp_of(const Packet& x) {
  using namespace Eigen::internal;
  return pandnot(pexp(x), pcmp_lt(x, pset1<Packet>(-87.3F)));
}

// exp(x − largest) of a row → out; returns their sum. A number's exponential does not depend on its place in the row.
float exponentials(const float* in, Index n, float largest, float* out) {
  using namespace Eigen::internal;
  const Packet most = pset1<Packet>(largest);
  Packet sum = pset1<Packet>(0);
  Index j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Packet e = exp_of(psub(ploadu<Packet>(in + j), most));
    sum = padd(sum, e);
    pstoreu(out + j, e);
  }
  if (j < n) {
    float rest[lanes];
    for (Index i = 0; i < lanes; ++i) rest[i] = j + i < n ? in[j + i] : -infinity;
    const Packet e = exp_of(psub(ploadu<Packet>(rest), most));
    sum = padd(sum, e);
    pstoreu(rest, e);
    for (Index i = 0; j + i < n; ++i) out[j + i] = rest[i];
  }
  return predux(sum);
}

void softmax_row(const float* in, Index n, float* out) {
  const float largest = Row(in, n).maxCoeff<Eigen::PropagateNaN>();
  TargetRow weights(out, n);
  if (largest == -infinity)
    weights.setZero();  // nothing may be looked at
  else if (largest < infinity)
    weights *= 1 / exponentials(in, n, largest, out);
  else
    weights.setConstant(__builtin_nanf(""));  // NaN, or ∞ − ∞
}

void softmax(const float* in, Index rows, Index n, float* out) {
  for (Index row = 0; row < rows; ++row) softmax_row(in + row * n, n, out + row * n);
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

}  // namespace

extern const Kernels table;
const Kernels table{KERNEL_NAME, multiply, UNFUSED_SET::multiply_unfused, softmax, layer_norm};

}  // namespace KERNEL_SET

}  // namespace headlight::math
