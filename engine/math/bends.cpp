#include "engine/math/math.h"

namespace headlight::math {

double log_sum_exp(const float* row, Index n, const Kernels& set) {
  return set.log_sum_exp(row, n);
}

void silu(Compute& compute, float* x, Index size, const Kernels& set) {
  compute.parallel(size, 4096, [&](Index begin, Index end) { set.silu(x + begin, end - begin); });
}

void gelu(Compute& compute, float* x, Index size, const Kernels& set) {
  compute.parallel(size, 4096, [&](Index begin, Index end) { set.gelu(x + begin, end - begin); });
}

void tanh(float* x, Index size, const Kernels& set) {
  set.tanh(x, size);
}

void elu_plus_one(float* x, Index size, const Kernels& set) {
  set.elu_plus_one(x, size);
}

void gelu_tanh(Compute& compute, float* x, Index size, const Kernels& set) {
  compute.parallel(size, 4096, [&](Index begin, Index end) { set.gelu_tanh(x + begin, end - begin); });
}

}  // namespace headlight::math
