// Weights set to 0 at random, as in training. Srivastava et al. 2014, Dropout, section 10.
#include "engine/ops/ops.h"
#include "engine/variants/head_option.h"

namespace headlight {

namespace {

bool drops_weights(const Problem& problem) {
  return problem.params.real("dropout") > 0;
}

const char* const dropout_note =
    "In training, each {weight:weight} is set to 0 with chance {dropout}, and what stays is divided by 1 − {dropout}, "
    "so that the sum is right on average. A single row no longer adds up to 1. Another seed drops other weights.";

}  // namespace

const HeadOption& dropout() {
  static const HeadOption option{
      .params = {param::real("dropout", "Dropout", "The chance that a weight is set to 0, as in training.", 0.0, 0,
                             0.95, {.advanced = true}),
                 {.id = "dropout_seed",
                  .title = "Dropout seed",
                  .help = "Which random draw decides what is dropped.",
                  .type = ParamType::integer,
                  .fallback = Index{0},
                  .least = 0,
                  .most = 4294967295.0,  // 32 bits
                  .advanced = true,
                  .part_of = "dropout"}},
      .words = {{"dropout_mask", "z", "Dropout draw",
                 "1 where the {weight:weight} stays, 0 where it is dropped, drawn at random."},
                {"dropped_weights", "\\tilde\\alpha", "Weights after dropout", dropout_note, "α"}},
      .is_active = drops_weights};
  return option;
}

Array options::drop_weights(Recorder& r, const Array& weights) {
  if (!drops_weights(r.problem())) return weights;
  r.stage("dropout", "Dropout", "dropout");
  const double chance = r.params().real("dropout");
  const auto seed = static_cast<std::uint64_t>(r.params().integer("dropout_seed"));
  const Array kept = r.source("dropout_mask", ops::dropout_mask(weights, chance, seed));
  return r.step("dropped_weights", ops::dropout(weights, kept, chance));
}

}  // namespace headlight
