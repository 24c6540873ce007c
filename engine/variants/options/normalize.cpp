// How the scores of a row become weights: softmax, or what others have put in its place.
#include <cmath>

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"

namespace headlight {

namespace {

// A number of one's own, or what makes a row of sigmoids add up to about 1 at first. Ramapuram et al. 2024, section 2.
ops::Factor bias_of(const Recorder& r) {
  const Index keys = r.dim("n_k");
  if (r.params().is_automatic("sigmoid_bias"))
    return {.value = 0 - std::log(static_cast<double>(keys)),
            .label = fmt::format("−ln {}", keys),
            .in_code = fmt::format("- np.log({})", keys),
            .right = fmt::format("-\\ln {}", keys)};
  const double bias = r.params().real("sigmoid_bias");
  return {.value = bias,
          .label = "the bias",
          .in_code = fmt::format("{} {}", bias < 0 ? "-" : "+", std::abs(bias)),
          .right = fmt::format("{}", bias)};
}

std::string weights_note(const Recorder& r) {
  const std::string& by = r.params().choice("normalize");
  if (by == "softmax_sink")
    return "As softmax, but a sink that is no {key:key} takes part in the sum: a row adds up to less than 1, and a "
           "head that finds nothing can give almost nothing. With a sink of 0 that is a 1 in the denominator.";
  if (by == "sigmoid")
    return "Each {score:score} becomes a {weight:weight} by itself, between 0 and 1: keys do not compete, and a row "
           "need not add up to 1. The bias keeps it near that when there are many keys.";
  if (by == "sparsemax")
    return "What lies below a threshold gets a {weight:weight} of exactly 0, the rest what it is above it. The "
           "threshold is where the row adds up to 1, so the further one {score:score} stands out, the fewer keys are "
           "left.";
  if (by == "entmax15")
    return "Halfway between softmax and sparsemax: what half of a {score:score} is above a threshold, squared. Small "
           "ones become exactly 0, and near the threshold {weight:weights} fade out instead of breaking off.";
  return "Each {query:query} row of {score:scores} becomes {weight:weights} that add up to 1. Subtracting the row "
         "maximum changes nothing but keeps exp from overflowing. Only differences count: a {score:score} higher by 1 "
         "gets 2.72 times the {weight:weight}.";
}

std::vector<ArraySpec> sinks(const ParamValues& params) {
  if (params.choice("normalize") != "softmax_sink") return {};
  return {
      declare::weight("sink_logits", "b", "Sink scores",
                      "What each head's sink scores in every row; 0, a 1 in the denominator, where nobody gives it.",
                      {"M"}, Fill::zeros, Role::score)};
}

Operation weights_of(Recorder& r, const Array& scores) {
  const std::string& by = r.params().choice("normalize");
  if (by == "softmax") return ops::softmax(scores);
  if (by == "softmax_sink") return ops::softmax_with_sink(scores, r.array("sink_logits"));
  if (by == "sigmoid") return ops::sigmoid(scores, bias_of(r));
  return by == "sparsemax" ? ops::sparsemax(scores) : ops::entmax15(scores);
}

bool masks_after_softmax(const ParamValues& params) {
  return params.choice("mistake") == "mask_after_softmax";
}

bool replaces_softmax(const Problem& problem) {
  return problem.params.choice("normalize") != "softmax" || masks_after_softmax(problem.params);
}

}  // namespace

const HeadOption& normalize() {
  static const HeadOption option{
      .params =
          {param::choice("normalize", "Normalize", "How the scores of a row become weights.",
                         {{"softmax", "Softmax", "Shares of exp(score) that add up to 1."},
                          {"softmax_sink", "Softmax, sink", "A sink takes a share and gives nothing (Miller 2023)."},
                          {"sigmoid", "Sigmoid", "Each score by itself (Ramapuram et al. 2024)."},
                          {"sparsemax", "Sparsemax", "Low scores get exactly 0 (Martins and Astudillo 2016)."},
                          {"entmax15", "Entmax 1.5", "Between softmax and sparsemax (Peters et al. 2019)."}},
                         {.advanced = true, .breaks_named_heads = true, .titles_suffice = true}),
           param::real(
               "sigmoid_bias", "Sigmoid bias",
               "Added to every score before its sigmoid; automatic is −ln of the number of keys.", param::automatic,
               -1e6, 1e6,
               {.advanced = true, .part_of = "normalize", .part_of_choice = "sigmoid", .breaks_named_heads = true})},
      .weights = sinks,
      .words = {{"weights", "\\alpha", "Attention weights", weights_note, "α", {"softmax", "Softmax", "softmax"}},
                {"masked_weights", "\\alpha^m", "Weights masked too late",
                 "A classic bug, run on purpose: the {mask:mask} is laid over {weight:weights} that were divided "
                 "already. What hidden {key:keys} took is lost, so that rows add up to less than 1; and how much that "
                 "is, is seen, so that each row still tells of keys that it should know nothing of.",
                 "α"},
                {"sink_weights", "\\alpha^b", "Share of the sink",
                 "What the keys of each row leave over: the sink's share, from which nothing is taken.", "sink"}},
      .is_active = replaces_softmax};
  return option;
}

namespace {

// Opens the stage and records the weights, and what a sink leaves over of them.
Array record_weights(Recorder& r, const ops::MaskedScores& masked, const char* title, const std::string& tile) {
  r.stage("softmax", title, tile);
  const Array made = r.step("weights", ops::with_mask_reasons(weights_of(r, masked.scores), masked));
  if (r.params().choice("normalize") == "softmax_sink") r.step("sink_weights", ops::sink_weights(made));
  return made;
}

// A classic mistake: the rows are divided with all keys in them, and the mask is laid over the result.
Array mask_after_softmax(Recorder& r, const Array& scores, const MaskRules& rules) {
  const std::string& by = r.params().choice("normalize");
  const Array made = record_weights(r, {scores, {}, {}}, by == "softmax" ? "Softmax" : "Normalize", by);
  r.stage("mask", "Mask", "mask");
  const Array mask = r.source("mask", ops::mask(rules, made.axes));
  return r.step("masked_weights", ops::masked_after_softmax(made, mask, rules));
}

}  // namespace

Array options::normalize_rows(Recorder& r, const Array& scores, const MaskRules& rules) {
  const std::string& by = r.params().choice("normalize");
  if (rules.any() && masks_after_softmax(r.params())) return mask_after_softmax(r, scores, rules);
  if (by == "softmax") return record::masked_softmax(r, scores, rules);
  const ops::MaskedScores masked = record::masked_scores(r, scores, rules);
  if (by == "softmax_sink") return record_weights(r, masked, "Softmax", "with sink");
  return record_weights(r, masked, by == "sigmoid" ? "Sigmoid" : "Sparse", by);
}

}  // namespace headlight
