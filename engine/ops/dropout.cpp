#include "engine/core/random.h"
#include "engine/math/math.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

Operation dropout_mask(const Array& map, double chance, std::uint64_t seed) {
  return {.axes = map.axes,
          .run =
              [size = map.size(), chance, seed](Compute&, float* to) {
                Random random(seed, "dropout");
                for (Index i = 0; i < size; ++i) to[i] = random.uniform() < chance ? 0.0F : 1.0F;
              },
          .formula = {},
          .operations = 1,
          .kind = Kind::mask,
          .role = Role::mask};
}

Operation dropout(const Array& weights, const Array& kept, double chance) {
  const double factor = 1 / (1 - chance);
  return {.axes = weights.axes,
          .run =
              [w = weights.values, kept = kept.values, factor](Compute& compute, float* to) {
                math::dropout(compute, w->data(), kept->data(), static_cast<float>(factor), w->size(), to);
              },
          .explain =
              [weights = weights.id, kept = kept.id, factor, label = fmt::format("1/(1 − {})", chance)](Index cell) {
                return Explanation{.scale = factor,
                                   .terms = {{{Operand::of(kept, cell), Operand::of(weights, cell)}}},
                                   .scale_label = label};
              },
          .code = both(fmt::format("{} * {} / (1 - {})", weights.id, kept.id, chance)),
          .formula = {.right = fmt::format("\\frac{{{}}}{{1 - p}}\\,{}", notation::written(kept),
                                           notation::written(weights)),
                      .aside = fmt::format("\\qquad {} \\in \\{{0, 1\\}}", notation::written(kept))},
          .operations = 2,
          .kind = weights.kind,
          .role = weights.role};
}

}  // namespace headlight::ops
