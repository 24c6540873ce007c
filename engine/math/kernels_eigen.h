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
  Target out = target(p);
  if (p.transposed)
    out.noalias() = a * view(p.b, p.columns, p.inner).transpose();
  else if (p.columns < 16)  // too few to fill registers across: then they hold what stands below each other
    out = Eigen::MatrixXf(a * view(p.b, p.inner, p.columns));
  else
    out.noalias() = a * view(p.b, p.inner, p.columns);
  finish(p);
}

// ---- Softmax ------------------------------------------------------------------------------------------------------

using Packet = Eigen::internal::packet_traits<float>::type;
constexpr Index lanes = Eigen::internal::packet_traits<float>::size;

// exp(x) for x ≤ 0: 2ⁿ · e^r with |r| ≤ ½ ln 2, the series of e^r to r⁷ (relative error below 2e-7). Exactly 0 below
// −87.7, where n is −127 and the bits of 2ⁿ are all 0; Eigen's own, which takes twice as long, gives 1e-38 for −∞. NaN
// stays NaN.
inline Packet exp_of(const Packet& x) {
  using namespace Eigen::internal;
  using Whole = unpacket_traits<Packet>::integer_packet;
  const auto number = [](float f) { return pset1<Packet>(f); };
  const Packet magic = number(12582912.0F);      // 1.5 · 2²³: adding it rounds to a whole number
  const Packet above = pmax(x, number(-88.0F));  // x where that is NaN
  const Packet n = psub(pmadd(above, number(1.44269504F), magic), magic);
  Packet r = pmadd(n, number(-0.693359375F), above);
  r = pmadd(n, number(2.12194440e-4F), r);  // ln 2 in two parts, so that r keeps its last bits
  Packet e = number(1.0F / 5040);
  for (const float term : {1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F})
    e = pmadd(e, r, number(term));
  const Whole power = plogical_shift_left<23>(padd(pcast<Packet, Whole>(n), pset1<Whole>(127)));
  return pmul(e, preinterpret<Packet>(power));
}

// The n < lanes numbers that are left of a row, and −∞ beyond them.
inline Packet load_rest(const float* in, Index n) {
  float rest[lanes];
  for (Index i = 0; i < lanes; ++i) rest[i] = i < n ? in[i] : -infinity;
  return Eigen::internal::ploadu<Packet>(rest);
}
inline void store_rest(float* out, Index n, const Packet& from) {
  float rest[lanes];
  Eigen::internal::pstoreu(rest, from);
  for (Index i = 0; i < n; ++i) out[i] = rest[i];
}

// Largest of a row; what it is beside a NaN is not said.
float largest_of(const float* in, Index n) {
  using namespace Eigen::internal;
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
    const Packet e = exp_of(psub(load_rest(in + j, n - j), most));
    sum = padd(sum, e);
    store_rest(out + j, n - j, e);
  }
  return predux(sum);
}

// A NaN, and +∞ by way of ∞ − ∞, makes the sum NaN and with it the whole row.
void softmax_row(const float* in, Index n, float* out) {
  const float largest = largest_of(in, n);
  const bool blind = largest == -infinity;  // nothing may be looked at, or all is NaN
  const float sum = exponentials(in, n, blind ? 0 : largest, out);
  TargetRow(out, n) *= blind && sum == 0 ? 0 : 1 / sum;
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
