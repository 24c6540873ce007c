#include "app/cli/measures.h"

#include <algorithm>

#include "engine/measures/head_measures.h"

namespace headlight::app {

namespace {

// Whether the measure has a meaning for such maps, though no query may count in this one.
bool is_of_such_maps(Missing missing) {
  return missing == Missing::nothing || missing == Missing::such_keys || missing == Missing::second_query ||
         missing == Missing::visible_keys;
}

}  // namespace

Made measures_of(const Trace& trace, const std::vector<const Step*>& maps, bool with_rollout) {
  ThreadPool pool;
  Compute compute(pool);
  std::vector<HeadMeasures> layers;
  for (const Step* map : maps) layers.push_back(measure_heads(trace, *map, compute, ReadRows::as_they_are));
  Made made;
  for (const Measure measure : all_measures()) {
    if (row_of(measure).of_run || layers.empty()) continue;  // of runs and outputs: headlight heads
    if (std::ranges::none_of(layers, [&](const auto& of) { return is_of_such_maps(of[measure].missing); })) continue;
    Tensor values({static_cast<Index>(layers.size()), layers.front().heads});
    for (Index l = 0; l < values.dim(0); ++l)
      for (Index m = 0; m < values.dim(1); ++m)
        values[l * values.dim(1) + m] =
            static_cast<float>(layers[static_cast<std::size_t>(l)][measure].values[static_cast<std::size_t>(m)]);
    made.emplace_back(fmt::format("measure/{}", id_of(measure)), std::move(values));
  }
  if (!with_rollout) return made;
  if (auto rolled = rollout(maps, compute)) made.emplace_back("rollout", std::move(*rolled));
  return made;
}

}  // namespace headlight::app
