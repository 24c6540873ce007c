#include "engine/run/model_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/core/memory.h"
#include "engine/io/file.h"
#include "engine/measures/head_outputs.h"
#include "engine/run/prepare_layer.h"
#include "engine/run/run.h"
#include "engine/run/step_input.h"

namespace headlight {

namespace {

Axis named(AxisRole along, const char* name, Index size) {
  Axis axis;
  axis.symbol = std::string(symbol_of(along));
  axis.name = name;
  axis.size = size;
  axis.along = along;
  return axis;
}

Axis channels(const char* name, Index size) {
  Axis axis;
  axis.symbol = name;
  axis.name = name;
  axis.size = size;
  return axis;
}

// The axes of a run's positions, with their labels.
struct Places {
  Axis items, positions;
};

Step step_of(std::string id, std::string title, std::string note, std::vector<Axis> axes,
             std::shared_ptr<const Tensor> values) {
  Step step;
  step.info.id = std::move(id);
  step.info.title = std::move(title);
  step.info.note = std::move(note);
  step.info.axes = std::move(axes);
  step.values = std::move(values);
  const Index items = std::max<Index>(1, step.values->dim(0)), each = step.values->size() / items;
  for (Index b = 0; b < items; ++b)
    step.extents.push_back(
        extent_of(step.values->values().subspan(static_cast<std::size_t>(b * each), static_cast<std::size_t>(each))));
  return step;
}

// What a step of a layer is in the trace of the model.
Step of_layer(const Step& step, Index layer) {
  Step kept = step;
  kept.info.id = fmt::format("layer{}/{}", layer, step.info.id);
  kept.info.layer = layer;
  kept.info.code = {};
  kept.explain = {};
  return kept;
}

// ---- What the model reads ----------------------------------------------------------------------------------------

Tensor numbers_of(const std::vector<Index>& numbers, Shape shape) {
  Tensor tensor = Tensor::uninitialized(std::move(shape));
  std::ranges::transform(numbers, tensor.data(), [](Index number) { return static_cast<float>(number); });
  return tensor;
}

void put_inputs(const Model& model, const ModelInput& input, const Places& places, Trace& trace) {
  const auto put = [&](const char* id, const char* title, const char* note, std::vector<Axis> axes, Tensor values) {
    trace.steps.push_back(step_of(id, title, note, std::move(axes), std::make_shared<const Tensor>(std::move(values))));
  };
  if (input.pixels) {
    put("pixel_values", "Pixels", "The picture as the model takes it.",
        {places.items, channels("channel", input.pixels->dim(1)), channels("row", input.pixels->dim(2)),
         channels("column", input.pixels->dim(3))},
        Tensor(*input.pixels));
    return;
  }
  const TokenIds& tokens = *input.tokens;
  put("token_ids", "Tokens", "The number of each token in the vocabulary.", {places.items, places.positions},
      numbers_of(tokens.ids, {tokens.items, tokens.count}));
  if (!input.offsets.empty()) {
    std::vector<Index> ends;
    for (const auto& [start, end] : input.offsets) ends.insert(ends.end(), {start, end});
    put("token_offsets", "Offsets",
        "Where each token begins and ends in the text, in bytes; −1 where it stands for none.",
        {places.items, places.positions, channels("end", 2)}, numbers_of(ends, {1, tokens.count, 2}));
  }
  if (model.plan().types.empty()) return;
  const std::vector<Index> none(tokens.ids.size(), 0);
  put("type_ids", "Types", "Which of two texts each token is of.", {places.items, places.positions},
      numbers_of(tokens.types.empty() ? none : tokens.types, {tokens.items, tokens.count}));
}

// ---- What the heads say ------------------------------------------------------------------------------------------

struct Likeliest {
  Tensor which, probabilities;
};

// Of each row of n logits the k greatest, equal ones by lower number, and their share of the softmax.
Likeliest likeliest(const Tensor& logits, Index k, ThreadPool& pool) {
  const Index n = logits.dim(-1), rows = logits.size() / n;
  Shape shape = logits.shape();
  shape.back() = k;
  Likeliest result{Tensor::uninitialized(shape), Tensor::uninitialized(shape)};
  pool.for_each(rows, 1, [&](Index begin, Index end) {
    std::vector<Index> order(static_cast<std::size_t>(n));
    for (Index row = begin; row < end; ++row) {
      const float* of = logits.data() + row * n;
      std::iota(order.begin(), order.end(), Index{0});
      const auto before = [of](Index a, Index b) { return of[a] != of[b] ? of[a] > of[b] : a < b; };
      const bool broken = std::any_of(of, of + n, [](float value) { return std::isnan(value); });
      if (!broken) std::ranges::partial_sort(order, order.begin() + k, before);
      double sum = 0;
      const double most = of[order.front()];
      for (Index j = 0; j < n; ++j) sum += std::exp(of[j] - most);
      for (Index j = 0; j < k; ++j) {
        const Index which = order[static_cast<std::size_t>(j)];
        result.which[row * k + j] = static_cast<float>(which);
        result.probabilities[row * k + j] = static_cast<float>(std::exp(of[which] - most) / sum);
      }
    }
  });
  return result;
}

void put_top(const Tensor& logits, const Places& places, Index top, bool classes, ThreadPool& pool, Trace& trace) {
  // Of classes at least one is left out: all of them together are `class_logits`.
  const Index most = classes ? std::max<Index>(1, logits.dim(-1) - 1) : logits.dim(-1), k = std::min(top, most);
  Likeliest found = likeliest(logits, k, pool);
  std::vector<Axis> axes{places.items};
  if (!classes) {
    axes.push_back(places.positions);
    if (logits.dim(1) != places.positions.size) axes.back().labels.clear(), axes.back().given_labels.clear();
    axes.back().size = logits.dim(1);
  }
  axes.push_back(channels("rank", k));
  const auto put = [&](const char* id, const char* title, Tensor values) {
    trace.steps.push_back(
        step_of(id, title, "The likeliest first.", axes, std::make_shared<const Tensor>(std::move(values))));
  };
  put(classes ? "top_classes" : "top_tokens", classes ? "Likeliest classes" : "Likeliest tokens",
      std::move(found.which));
  put(classes ? "top_class_probabilities" : "top_probabilities", "Their probabilities", std::move(found.probabilities));
}

void put_heads(HeadOutputs heads, const Places& places, Index top, ThreadPool& pool, Trace& trace) {
  const auto put = [&](const char* id, const char* title, const char* note, std::vector<Axis> axes,
                       std::optional<Tensor>& values) {
    if (!values) return;
    axes.push_back(channels("number", values->dim(-1)));
    trace.steps.push_back(
        step_of(id, title, note, std::move(axes), std::make_shared<const Tensor>(std::move(*values))));
  };
  std::optional<std::size_t> logits, classes;
  if (heads.logits) {
    Axis positions = places.positions;
    if (heads.logits->dim(1) != positions.size) {
      trace.warnings.push_back("logits are those of the last position alone: all of them would be too many");
      positions.size = heads.logits->dim(1);
      positions.labels.clear(), positions.given_labels.clear();
    }
    logits = trace.steps.size();
    put("logits", "Logits", "What the model says of every token of its vocabulary, before softmax.",
        {places.items, positions}, heads.logits);
  }
  put("pooled", "Pooled", "What is made of the first token, for both texts together.", {places.items}, heads.pooled);
  put("pair_logits", "Next sentence", "Whether the second text follows the first: yes, no.", {places.items},
      heads.pair_logits);
  if (heads.class_logits) classes = trace.steps.size();
  put("class_logits", "Class logits", "What the model says of every class, before softmax.", {places.items},
      heads.class_logits);
  // The steps' numbers are shared, not the steps, which move as the list grows.
  if (logits) put_top(*std::shared_ptr(trace.steps[*logits].values), places, top, false, pool, trace);
  if (classes) put_top(*std::shared_ptr(trace.steps[*classes].values), places, top, true, pool, trace);
}

// ---- The layers --------------------------------------------------------------------------------------------------

// Bytes that the trace will keep.
double bytes_kept(const ModelPlan& plan, Index items, Index n, const KeptOfLayers& kept) {
  const auto of = [](auto... extents) { return (static_cast<double>(extents) * ...) * sizeof(float); };
  return of(plan.layers, items, n, plan.width) + (kept.maps ? of(plan.layers, items, plan.heads, n, n) : 0);
}

}  // namespace

Result<std::shared_ptr<const Problem>> ModelRunner::prepare(Index number, std::shared_ptr<const Tensor> x) const {
  HL_TRY(LayerOfStateDict layer, kept_.layer(number));
  layer.notices.clear();
  Experiment experiment = default_experiment("multi_head");
  experiment.weights = WeightsSpec{};
  experiment.weights->from = model_.folder().native();
  const ArraySpecs specs = find_variant(experiment.variant)->arrays(experiment.params, {});
  experiment.inputs[specs.inputs.front().id] = LabelsInput{labels_of_input(model_, input_)};
  auto problem = prepare_layer(experiment, std::move(layer), std::move(x));
  if (!problem) return fail("layer {}: {}", number, problem.error().message);
  return std::make_shared<const Problem>(std::move(*problem));
}

Result<std::shared_ptr<const Trace>> ModelRunner::record(const Problem& problem, const std::vector<Index>& heads_off) {
  Compute compute(pool_, stop_);
  auto& switching_off = kept_.switching_off;
  if (heads_off.empty() || switching_off.empty()) {
    HL_TRY(auto trace, headlight::run(problem, compute));
    for (auto m = static_cast<Index>(switching_off.size()); !cancelled() && m < model_.plan().heads; ++m)
      switching_off.push_back(*edit_switching_off(*trace, m));
    if (heads_off.empty() || cancelled()) return trace;
  }
  Problem off = problem;
  for (const Index head : heads_off) off.edits.push_back(switching_off[static_cast<std::size_t>(head)]);
  return headlight::run(off, compute);
}

Result<HeadOutputs> ModelRunner::heads(const Tensor& hidden, std::optional<Tensor>* last_norm) {
  Compute compute(pool_, stop_);
  HL_TRY(std::optional<Tensor> normed, kept_.ends.last_norm(hidden, compute));
  HL_TRY(HeadOutputs outputs, kept_.ends.heads(normed ? *normed : hidden, compute));
  if (last_norm) *last_norm = std::move(normed);
  return outputs;
}

Result<Trace> ModelRunner::run(const ModelExperiment& experiment, const KeptOfLayers& kept, const FromLayer& from) {
  const ModelPlan& plan = model_.plan();
  for (const ModelHead& off : experiment.ablate)
    if (off.layer >= plan.layers || off.head >= plan.heads)
      return fail("params.ablate holds [{}, {}]: {} has layers 0 to {} and heads 0 to {}", off.layer, off.head,
                  plan.type, plan.layers - 1, plan.heads - 1);
  Compute compute(pool_, stop_);
  std::shared_ptr<const Tensor> x;
  if (from.trace) {
    x = from.trace->find("embeddings")->values;
  } else {
    HL_TRY(Tensor embedded,
           input_.tokens ? kept_.ends.embed(*input_.tokens, compute) : kept_.ends.embed(*input_.pixels, compute));
    x = std::make_shared<const Tensor>(std::move(embedded));
  }
  const Index items = x->dim(0), n = x->dim(1);
  HL_CHECK(check_memory(bytes_kept(plan, items, n, kept)));
  Trace trace;
  trace.variant = "model";
  trace.warnings = input_.notices;
  Places places{named(AxisRole::batch, "batch", items), named(AxisRole::query, "query", n)};
  const std::vector<Axis> stream{places.items, places.positions, channels("channel", plan.width)};
  put_inputs(model_, input_, places, trace);
  trace.steps.push_back(step_of("embeddings", "Embeddings", "What enters the first layer.", stream, x));
  const auto put_input = [&](Index l) {
    trace.steps.push_back(of_layer(
        step_of("input", fmt::format("Before layer {}", l + 1), "The residual stream before the layer.", stream, x),
        l));
  };
  for (Index l = 0; l < from.layer; ++l) {
    x = from.trace->find(fmt::format("layer{}/input", l))->values;
    put_input(l);
  }
  if (from.layer > 0) x = from.trace->find(fmt::format("layer{}/input", from.layer))->values;
  for (Index l = from.layer; l < plan.layers; ++l) {
    if (cancelled()) return fail("cancelled");
    HL_TRY(const auto problem, prepare(l, x));
    std::vector<Index> off;
    for (const ModelHead& head : experiment.ablate)
      if (head.layer == l) off.push_back(head.head);
    HL_TRY(const auto of_this, record(*problem, off));
    if (cancelled()) return fail("cancelled");
    put_input(l);
    if (kept.look) HL_CHECK(kept.look(l, *of_this));
    const Step* map = of_this->map();
    for (const Step& step : of_this->steps)
      if (kept.all_of.contains(l) || (kept.maps && &step == map)) trace.steps.push_back(of_layer(step, l));
    x = of_this->output()->values;
    if (progress_) progress_->store(static_cast<float>(l + 1) / static_cast<float>(plan.layers + 1));
  }
  trace.steps.push_back(step_of("hidden", "Hidden", "The residual stream after the last layer.", stream, x));
  std::optional<Tensor> normed;
  HL_TRY(HeadOutputs outputs, heads(*x, &normed));
  if (normed)
    trace.steps.push_back(step_of("final_norm", "Final norm", "What the heads of the model read.", stream,
                                  std::make_shared<const Tensor>(std::move(*normed))));
  put_heads(std::move(outputs), places, experiment.top, pool_, trace);
  if (cancelled()) return fail("cancelled");
  return trace;
}

}  // namespace headlight
