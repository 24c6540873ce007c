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
Step of_layer(const Step& step, LayerOfModel layer, const ModelPlan& plan) {
  Step kept = step;
  kept.info.id = plan.steps_of(layer) + step.info.id;
  kept.info.layer = layer.layer;
  kept.info.part = plan.part_name(layer.part);
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

void put_decoder_ids(const TokenIds& tokens, const Places& places, Trace& trace) {
  trace.steps.push_back(step_of("decoder_token_ids", "Tokens of the decoder",
                                "The number of each token that the decoder has said.", {places.items, places.positions},
                                std::make_shared<const Tensor>(numbers_of(tokens.ids, {tokens.items, tokens.count}))));
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
double bytes_kept(const ModelPlan& plan, const ModelInput& input, Index items, Index n, const KeptOfLayers& kept) {
  const auto of = [](auto... extents) { return (static_cast<double>(extents) * ...) * sizeof(float); };
  const Index asking = input.decoder ? input.decoder->tokens->count : n;
  double bytes = 0;
  for (const ModelPart part : plan.parts()) {
    const Index queries = in_first_stack(part) ? n : asking, keys = part == ModelPart::decoder ? asking : n,
                layers = plan.layers_of(part);
    bytes += of(layers, items, queries, plan.width) + (kept.maps ? of(layers, items, plan.heads, queries, keys) : 0);
  }
  return bytes;
}

Status check_heads_off(const ModelPlan& plan, const std::vector<ModelHead>& off) {
  for (const ModelHead& head : off) {
    const Index layers = plan.layers_of(head.part);
    if (layers == 0) return fail("params.ablate names the {}: {} has no decoder", name_of(head.part), plan.type);
    const std::string name = head.part == ModelPart::first ? "" : fmt::format("\"{}\", ", name_of(head.part));
    if (head.layer >= layers || head.head >= plan.heads)
      return fail("params.ablate holds [{}{}, {}]: {} has layers 0 to {} and heads 0 to {}", name, head.layer,
                  head.head, plan.type, layers - 1, plan.heads - 1);
  }
  return {};
}

// The steps of a run, one stack after another.
class Recording {
 public:
  Recording(const Model& model, const ModelInput& input) : model_(model), input_(input) {
    trace.variant = "model";
    trace.warnings = input.notices;
  }

  // What enters the first layer of a part's stack.
  void begin_stack(ModelPart part, std::shared_ptr<const Tensor> x) {
    const bool first = in_first_stack(part);
    stack_ = model_.plan().steps_of_stack(part);
    const Index n = x->dim(1);
    places = {named(AxisRole::batch, "batch", x->dim(0)), named(AxisRole::query, "query", n)};
    stream_ = {places.items, places.positions, channels("channel", model_.plan().width)};
    first ? put_inputs(model_, input_, places, trace) : put_decoder_ids(*input_.decoder->tokens, places, trace);
    put("embeddings", "Embeddings", "What enters the first layer.", std::move(x));
  }
  void put_input(LayerOfModel layer, const std::shared_ptr<const Tensor>& x) {
    trace.steps.push_back(of_layer(step_of("input", fmt::format("Before layer {}", layer.layer + 1),
                                           "The residual stream before the layer.", stream_, x),
                                   layer, model_.plan()));
  }
  void end_stack(std::shared_ptr<const Tensor> hidden, std::optional<Tensor> normed) {
    put("hidden", "Hidden", "The residual stream after the last layer.", std::move(hidden));
    if (normed)
      put("final_norm", "Final norm", "What is read after the last layer.",
          std::make_shared<const Tensor>(std::move(*normed)));
  }

  Trace trace;
  Places places;  // of the stack that was begun last

 private:
  void put(const char* id, const char* title, const char* note, std::shared_ptr<const Tensor> values) {
    trace.steps.push_back(step_of(stack_ + id, title, note, stream_, std::move(values)));
  }

  const Model& model_;
  const ModelInput& input_;
  std::string stack_;
  std::vector<Axis> stream_;
};

}  // namespace

std::vector<Index> heads_off_in(const std::vector<ModelHead>& off, LayerOfModel layer) {
  std::vector<Index> heads;
  for (const ModelHead& head : off)
    if (head.of() == layer) heads.push_back(head.head);
  return heads;
}

Result<std::shared_ptr<const Problem>> ModelRunner::prepare(LayerOfModel number, const Streams& streams) const {
  HL_TRY(LayerOfStateDict layer, kept_.layer(number));
  layer.notices.clear();
  Experiment experiment = default_experiment("multi_head");
  experiment.weights = WeightsSpec{};
  experiment.weights->from = model_.folder().native();
  const LayerInputs ids = inputs_of_layers();
  std::map<std::string, std::shared_ptr<const Tensor>> inputs{{ids.stream, streams.x}};
  experiment.inputs[ids.stream] = LabelsInput{labels_of_input(model_, input_, number.part)};
  if (number.part == ModelPart::cross) {
    inputs[ids.memory] = streams.memory;
    experiment.inputs[ids.memory] = LabelsInput{labels_of_input(model_, input_, ModelPart::first)};
  }
  auto problem = prepare_layer(experiment, std::move(layer), inputs);
  if (!problem)
    return fail("{}layer {}: {}", model_.plan().has_decoder() ? fmt::format("{} ", name_of(number.part)) : "",
                number.layer, problem.error().message);
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

Result<Tensor> ModelRunner::embed(ModelPart part) {
  Compute compute(pool_, stop_);
  const StackInput& read = input_.of(part);
  return read.tokens ? kept_.ends.embed(*read.tokens, compute) : kept_.ends.embed(*read.pixels, compute);
}

Result<std::optional<Tensor>> ModelRunner::last_norm(const Tensor& hidden, ModelPart part) {
  Compute compute(pool_, stop_);
  return kept_.ends.last_norm(hidden, part, compute);
}

Result<Streams> ModelRunner::decoder_after(const Tensor& hidden, std::shared_ptr<const Tensor> embeddings) {
  HL_TRY(std::optional<Tensor> normed, last_norm(hidden, ModelPart::first));
  return Streams{std::move(embeddings), std::make_shared<const Tensor>(normed ? std::move(*normed) : Tensor(hidden))};
}

Result<HeadOutputs> ModelRunner::heads(const Tensor& hidden) {
  HL_TRY(const std::optional<Tensor> normed, last_norm(hidden, model_.plan().parts().back()));
  Compute compute(pool_, stop_);
  return kept_.ends.heads(normed ? *normed : hidden, compute);
}

Result<Trace> ModelRunner::run(const ModelExperiment& experiment, const KeptOfLayers& kept, const FromLayer& from) {
  const ModelPlan& plan = model_.plan();
  HL_CHECK(check_heads_off(plan, experiment.ablate));
  // As the trace has it that is gone on from, or made.
  const auto embedded = [&](ModelPart part) -> Result<std::shared_ptr<const Tensor>> {
    if (from.trace) return from.trace->find(plan.steps_of_stack(part) + "embeddings")->values;
    HL_TRY(Tensor made, embed(part));
    return std::make_shared<const Tensor>(std::move(made));
  };
  Recording recording(model_, input_);
  Streams streams;
  HL_TRY(streams.x, embedded(ModelPart::first));
  HL_CHECK(check_memory(bytes_kept(plan, input_, streams.x->dim(0), streams.x->dim(1), kept)));
  recording.begin_stack(ModelPart::first, streams.x);
  const std::vector<LayerOfModel> order = plan.order();
  for (std::size_t at = 0; at < order.size(); ++at) {
    const LayerOfModel layer = order[at];
    if (layer == LayerOfModel{0, ModelPart::decoder}) {
      const auto hidden = from.trace && at <= from.at
                              ? from.trace->find(plan.steps_of_stack(ModelPart::first) + "hidden")->values
                              : streams.x;
      HL_TRY(auto embeddings, embedded(ModelPart::decoder));
      HL_TRY(streams, decoder_after(*hidden, std::move(embeddings)));
      recording.end_stack(hidden, plan.final_norm.empty() ? std::nullopt : std::optional(Tensor(*streams.memory)));
      recording.begin_stack(ModelPart::decoder, streams.x);
    }
    if (at <= from.at && from.trace) streams.x = from.trace->find(plan.steps_of(layer) + "input")->values;
    if (cancelled()) return fail("cancelled");
    recording.put_input(layer, streams.x);
    if (at < from.at) continue;
    HL_TRY(const auto problem, prepare(layer, streams));
    HL_TRY(const auto of_this, record(*problem, heads_off_in(experiment.ablate, layer)));
    if (cancelled()) return fail("cancelled");
    if (kept.look) HL_CHECK(kept.look(layer, *of_this));
    const Step* map = of_this->map();
    for (const Step& step : of_this->steps)
      if (kept.all_of.contains(layer) || (kept.maps && &step == map))
        recording.trace.steps.push_back(of_layer(step, layer, plan));
    streams.x = of_this->output()->values;
    if (progress_) progress_->store(static_cast<float>(at + 1) / static_cast<float>(order.size() + 1));
  }
  HL_TRY(std::optional<Tensor> normed, last_norm(*streams.x, order.back().part));
  Compute compute(pool_, stop_);
  HL_TRY(HeadOutputs outputs, kept_.ends.heads(normed ? *normed : *streams.x, compute));
  recording.end_stack(streams.x, std::move(normed));
  put_heads(std::move(outputs), recording.places, experiment.top, pool_, recording.trace);
  if (cancelled()) return fail("cancelled");
  return std::move(recording.trace);
}

}  // namespace headlight
