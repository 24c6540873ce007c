// What heads have in common: shared keys, maps that are mixed or taken from each other, the state of linear attention.
#include "engine/variants/mechanism/heads.h"
#include "engine/variants/variant.h"

namespace headlight::mechanism {

namespace {

// Numbers that a step has for each key.
Index for_a_key(const Step& step) {
  const Index batches = std::max<Index>(1, step.extent(AxisRole::batch));
  return step.tensor().size() / batches / std::max<Index>(1, step.extent(AxisRole::key));
}

}  // namespace

std::optional<SharedKeys> shared_keys(const Problem& problem, const Trace& trace) {
  const Step *q = trace.find("q"), *k = trace.find("k"), *v = trace.find("v");
  if (problem.variant->info().id != "multi_head" || !q || !k || !v || k->tensor().size() == 0) return std::nullopt;
  SharedKeys shared{.query_heads = problem.dim("M"), .key_heads = problem.dim("G"), .kept = 0, .kept_each = 0};
  shared.kept = for_a_key(*k) + for_a_key(*v);
  shared.kept_each = shared.kept * shared.group();
  return shared;
}

std::optional<Unfolded> unfolded(const Trace& trace) {
  const Step* normed = trace.find("kv_latent_norm");
  Unfolded u{.latent = normed ? normed : trace.find("kv_latent"),
             .place = trace.find("k_rotated"),
             .keys = trace.find("k_content"),
             .values = trace.find("v"),
             .by_content = trace.find("content_scores"),
             .by_place = trace.find("position_scores")};
  if (!u.latent || !u.place || !u.keys || !u.values || !u.by_content || !u.by_place) return std::nullopt;
  const Index heads = u.keys->extent(AxisRole::head);
  u.kept = for_a_key(*u.latent) + for_a_key(*u.place);
  u.kept_each = for_a_key(*u.keys) + for_a_key(*u.values) + heads * for_a_key(*u.place);
  return u;
}

std::optional<MapsApart> two_maps(const Problem&, const Trace& trace, Index head) {
  const Step *maps = trace.find("weights"), *result = trace.find("differential_weights"),
             *lambda = trace.find("lambda");
  if (!maps || !result || !lambda) return std::nullopt;
  const Index of = std::min(head, result->extent(AxisRole::head) - 1);
  return MapsApart{maps, result, 2 * of, 2 * of + 1, static_cast<double>(lambda->tensor()[0]), "Differential"};
}

std::vector<Mixing> mixing(const Trace& trace, Index head) {
  std::vector<Mixing> found;
  for (const char* id : {"mixed_scores", "mixed_weights"}) {
    const Step* made = trace.find(id);
    if (!made || !made->made_by()) continue;
    const Index heads = made->extent(AxisRole::head), plane = made->tensor().dim(2) * made->tensor().dim(3);
    const Explanation e = made->made_by()(std::min(head, heads - 1) * plane);
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

}  // namespace headlight::mechanism
