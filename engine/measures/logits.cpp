#include "engine/measures/logits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/math/math.h"

namespace headlight {

double probability(const Tensor& logits, Index row, Index id) {
  const Index n = logits.dim(-1);
  if (id >= n) return 0;  // of a token that is read and never said
  const float* of = logits.data() + row * n;
  return std::exp(of[id] - math::log_sum_exp(of, n));
}

std::vector<double> probabilities_of_tokens(const Tensor& logits, Index item, std::span<const Index> ids, Index ahead) {
  const auto n = static_cast<Index>(ids.size());
  if (logits.rank() != 3 || logits.dim(1) != n) return {};
  std::vector<double> list(ids.size(), std::numeric_limits<double>::quiet_NaN());
  for (Index i = ahead; i < n; ++i)
    list[static_cast<std::size_t>(i)] = probability(logits, item * n + i - ahead, ids[static_cast<std::size_t>(i)]);
  return list;
}

std::vector<float> relative_norms(const std::vector<const Step*>& steps) {
  std::vector<float> norms;
  for (const Step* step : steps) {
    double sum = 0;
    for (const float x : step->tensor().values()) sum += static_cast<double>(x) * x;
    norms.push_back(static_cast<float>(std::sqrt(sum)));
  }
  const float most = norms.empty() ? 0 : *std::ranges::max_element(norms);
  if (most > 0)
    for (float& norm : norms) norm /= most;
  return norms;
}

}  // namespace headlight
