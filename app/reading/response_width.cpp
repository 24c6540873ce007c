#include "app/reading/response_width.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "engine/trace/rule.h"

namespace headlight::app {

std::optional<ResponseWidth> response_width(const Trace& trace, const Step& weights, Index cell) {
  if (weights.info.kind != Kind::probability || !weights.explain || weights.info.axes.empty()) return {};
  if (weights.info.axes.back().role != Role::key) return {};
  const Explanation why = weights.explain(cell);
  if (!rule_of(why.combine).adds_to_one()) return {};
  const Step* scores = trace.find(why.terms.front().factors.front().array);
  const Index count = weights.tensor().dim(-1), first = cell / count * count;
  ResponseWidth width;
  std::vector<float> row;
  for (Index j = first; j < first + count; ++j) {
    const bool masked = scores && scores->info.minus_infinity_masks && scores->tensor().size() > j &&
                        std::isinf(scores->tensor()[j]) && scores->tensor()[j] < 0;
    width.keys += !masked;
    const float weight = weights.tensor()[j];
    if (!std::isfinite(weight)) return {};
    if (weight > 0) row.push_back(weight);
  }
  if (row.empty()) return {};
  std::ranges::sort(row, std::greater<>());
  double sum = 0, entropy = 0;
  for (const float weight : row) {
    width.half += sum < 0.5;
    width.most += sum < 0.9;
    sum += weight;
    entropy -= weight * std::log(static_cast<double>(weight));
  }
  width.effective = std::exp(std::max(0.0, entropy));
  return width;
}

}  // namespace headlight::app
