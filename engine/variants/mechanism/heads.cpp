// What heads have in common: shared keys, maps that are mixed or taken from each other, the state of linear attention.
#include <algorithm>

#include "engine/variants/mechanism/mechanism.h"
#include "engine/variants/variant.h"

namespace headlight::mechanism {

namespace {

// Numbers that a step has for each key.
Index numbers_per_key(const Step& step) {
  const Index batches = std::max<Index>(1, step.extent(AxisRole::batch));
  return step.tensor().size() / batches / std::max<Index>(1, step.extent(AxisRole::key));
}

}  // namespace

std::optional<SharedKeys> shared_keys(const Problem& problem, const Trace& trace) {
  const Step *q = trace.find("q"), *k = trace.find("k"), *v = trace.find("v");
  if (problem.variant->info().id != "multi_head" || !q || !k || !v || k->tensor().size() == 0) return std::nullopt;
  SharedKeys shared{.query_heads = problem.dim("M"), .key_heads = problem.dim("G"), .kept = 0, .kept_each = 0};
  shared.kept = numbers_per_key(*k) + numbers_per_key(*v);
  shared.kept_each = shared.kept * shared.group();
  return shared;
}

std::optional<LatentKeys> latent_keys(const Trace& trace) {
  const Step* normed = trace.find("kv_latent_norm");
  LatentKeys found{.latent = normed ? normed : trace.find("kv_latent"),
                   .place = trace.find("k_rotated"),
                   .keys = trace.find("k_content"),
                   .values = trace.find("v"),
                   .by_content = trace.find("content_scores"),
                   .by_place = trace.find("position_scores")};
  if (!found.latent || !found.place || !found.keys || !found.values || !found.by_content || !found.by_place)
    return std::nullopt;
  const Index heads = found.keys->extent(AxisRole::head);
  found.kept = numbers_per_key(*found.latent) + numbers_per_key(*found.place);
  found.kept_each =
      numbers_per_key(*found.keys) + numbers_per_key(*found.values) + heads * numbers_per_key(*found.place);
  return found;
}

std::optional<TwoMaps> two_maps(const Problem&, const Trace& trace, Index head) {
  const Step *maps = trace.find("weights"), *result = trace.find("differential_weights"),
             *lambda = trace.find("lambda");
  if (!maps || !result || !lambda) return std::nullopt;
  const Index of = std::min(head, result->extent(AxisRole::head) - 1);
  return TwoMaps{maps, result, 2 * of, 2 * of + 1, static_cast<double>(lambda->tensor()[0]), "Differential"};
}

std::vector<Mixing> mixing(const Trace& trace, Index head) {
  std::vector<Mixing> found;
  for (const char* id : {"mixed_scores", "mixed_weights"}) {
    const Step* made = trace.find(id);
    if (!made || !made->base_explain()) continue;
    const Index heads = made->extent(AxisRole::head), plane = made->tensor().dim(2) * made->tensor().dim(3);
    const Explanation e = made->base_explain()(std::min(head, heads - 1) * plane);
    Mixing mixing{.of = trace.find(e.terms.front().factors.front().array), .made = made, .shares = {}};
    for (Index m = 0; m < heads; ++m)
      mixing.shares.push_back(value_of(e.terms[static_cast<std::size_t>(m)].factors[1], trace));
    found.push_back(std::move(mixing));
  }
  return found;
}

std::optional<RunningState> running_state(const Trace& trace) {
  const Step* state = trace.find("kv_state");
  if (!state) return std::nullopt;
  const Tensor& x = state->tensor();
  return RunningState{state, x.dim(-2), x.dim(-1), state->axis(AxisRole::query) != nullptr};
}

ScoreParts score_parts(const Trace& trace) {
  ScoreParts parts;
  parts.added = trace.find("position_bias");
  for (const char* id : {"scores", "position_scores", "key_scores", "offset_scores"})
    if (const Step* step = trace.find(id)) parts.scaled.push_back(step);
  parts.sum = trace.find("scaled_scores");
  // A score of content and place is one of these parts where each has its own width (DeepSeek-AI 2024).
  const bool apart = trace.find("content_scores") != nullptr;
  const bool several = parts.added || parts.scaled.size() > 1;
  if (apart || !several || !parts.sum || parts.scaled.empty()) return {};
  // Of windows of a picture all queries share one table of places.
  const Shape& whole = parts.sum->tensor().shape();
  const auto of_all_pairs = [&](const Step* step) {
    const Shape& shape = step->tensor().shape();
    return shape.size() == 4 && std::equal(shape.begin() + 2, shape.end(), whole.begin() + 2, whole.end());
  };
  if (whole.size() != 4 || !std::ranges::all_of(parts.scaled, of_all_pairs) ||
      (parts.added && !of_all_pairs(parts.added)))
    return {};
  return parts;
}

}  // namespace headlight::mechanism
