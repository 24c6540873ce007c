#include "app/model/relevance.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/figures/figure_layers.h"
#include "app/model/model.h"
#include "engine/run/logit_gradients.h"

namespace headlight::app {

std::string why_no_relevance(const NetworkRun& run) {
  if (run.plan().has_several_parts() || !run.plan().stages.empty())
    return "Gradient × attention is of models of one stack of layers";
  if (!run.logits || run.logits->shape().size() != 3 || !run.input.of(run.plan().only).tokens)
    return "This model says no tokens: there is no logit to follow back";
  return {};
}

std::string why_no_relevance(const Model& model) {
  if (!model.shows_network()) return "Gradient × attention is of the folder of a model: saved maps have no logits";
  return model.net.run ? why_no_relevance(*model.net.run) : "There is no result yet";
}

RelevanceMaps relevance_asked(const NetworkRun& run, Index place) {
  const auto likely = run.likely(place);
  return {.of_stamp = run.stamp, .item = run.item, .place = place, .token = likely.empty() ? 0 : likely.front().number};
}

Result<RelevanceMaps> relevance_asked(const NetworkRun& run, const FigureRequest& request) {
  if (const std::string why = why_no_relevance(run); !why.empty()) return fail("{}", why);
  if (const Index items = run.input.of(run.plan().only).items(); items > 1)
    return fail("Relevance is drawn of one text, and {} are read: give it that one alone", items);
  const Index last = run.output_part().queries() - 1;
  if (request.after.value_or(0) > last) return fail("--after is {}: it must be from 0 to {}", *request.after, last);
  return relevance_asked(run, request.after.value_or(last));
}

Result<RelevanceMaps> make_relevance(const OpenModel& open, const NetworkRun& run, RelevanceMaps asked,
                                     ThreadPool& pool, std::stop_token stop, std::atomic<float>& progress) {
  ModelRunner runner(*run.model, run.input, pool, std::move(stop), nullptr, open.kept.get());
  HL_TRY(LogitGradients all,
         logit_gradients(runner, run.trace, {asked.item, asked.place, asked.token, {}}, run.asked.ablate, &progress));
  asked.value = all.value;
  const PartRun& part = run.output_part();
  const Index n = all.relevance.dim(1);
  Step step;
  step.info.title = fmt::format("Gradient × attention of “{}” {} “{}” ({})", run.token(asked.token),
                                after_or_in_place_of(run.predicts_next()),
                                part.query_words[static_cast<std::size_t>(asked.place)], asked.place);
  step.info.axes = axes_of_maps(run, part, 1);
  step.info.kind = Kind::probability;  // from 0, as weights: what is drawn is drawn alike
  step.info.minus_infinity_masks = true;
  for (Index l = 0; l < all.relevance.dim(0); ++l) {
    Tensor map({1, n, n});
    std::copy_n(all.relevance.data() + l * n * n, n * n, map.data());
    for (Index i = 0; i < n; ++i) {
      float* row = map.data() + i * n;
      row[i] -= 1;
      if (part.is_causal()) std::fill(row + i + 1, row + n, masked_value);  // what no weight reaches
    }
    step.info.id = run.plan().steps_of({l, part.part}) + relevance_id;
    step.info.layer = l;
    step.extents = {extent_of(map.values())};
    step.values = std::make_shared<const Tensor>(std::move(map));
    asked.extent = united(asked.extent, step.extents.front());
    asked.steps.push_back(step);
  }
  return asked;
}

FigureRun with_relevance(const FigureRun& figured, const RelevanceMaps& made) {
  auto trace = std::make_shared<Trace>(*figured.trace);
  std::erase_if(trace->steps, [](const Step& step) { return without_layer(step.info.id) == relevance_id; });
  trace->steps.insert(trace->steps.end(), made.steps.begin(), made.steps.end());
  return {figured.problem, std::move(trace)};
}

std::string why_not_figured(const Model& model) {
  const NetworkShown& net = model.net;
  if (!model.shows_network()) return {};
  if (!net.not_figured.empty() || !net.run || !shows_relevance(model.document.figure)) return net.not_figured;
  const auto asked = relevance_asked(*net.run, model.document.figure);
  if (!asked) return asked.error().message;
  if (!net.relevance.same_logit(*asked)) return "Gradient × attention is being made, one layer after another.";
  return net.relevance.why_none;
}

}  // namespace headlight::app
