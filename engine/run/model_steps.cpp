#include "engine/run/model_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/math/math.h"
#include "engine/run/step_input.h"

namespace headlight {

Axis channels(const char* name, Index size) {
  return {.symbol = name, .name = name, .size = size};
}

Step step_of(std::string id, std::string title, std::string note, std::vector<Axis> axes,
             std::shared_ptr<const Tensor> values) {
  Step step;
  step.info.id = std::move(id);
  step.info.title = std::move(title);
  step.info.note = std::move(note);
  step.info.axes = std::move(axes);
  step.values = std::move(values);
  step.extents = extents_of_items(*step.values);
  return step;
}

namespace {

Axis named(AxisRole along, const char* name, Index size) {
  return {.symbol = std::string(symbol_of(along)), .name = name, .size = size, .along = along};
}

std::vector<Axis> axes_of_stream(const Tensor& x) {
  return {named(AxisRole::batch, "batch", x.dim(0)), named(AxisRole::query, "query", x.dim(1)),
          channels("channel", x.dim(2))};
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

void put_decoder_ids(const TokenIds& tokens, const StackPlaces& places, Trace& trace) {
  trace.steps.push_back(step_of("decoder_token_ids", "Tokens of the decoder",
                                "The number of each token that the decoder has said.", {places.items, places.positions},
                                std::make_shared<const Tensor>(numbers_of(tokens.ids, {tokens.items, tokens.count}))));
}

void put_inputs(const StoredModel& model, const ModelInput& input, const StackPlaces& places, Trace& trace) {
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
  if (input.features) {
    put("input_features", "Spectrogram", "The sound as the model takes it.",
        {places.items, channels("bin", input.features->dim(1)), channels("time", input.features->dim(2))},
        Tensor(*input.features));
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

struct TopK {
  Tensor which, probabilities;
};

// The places of the k greatest of n numbers in their order, equal ones by place; a NaN is less than all others.
std::vector<Index> greatest(const float* of, Index n, Index k) {
  const auto before = [of](Index a, Index b) {
    if (std::isnan(of[b])) return !std::isnan(of[a]) || a < b;
    return of[a] != of[b] ? of[a] > of[b] : a < b;
  };
  std::vector<Index> found(static_cast<std::size_t>(k));
  std::iota(found.begin(), found.end(), Index{0});
  std::ranges::sort(found, before);
  for (Index j = k; j < n; ++j) {
    if (of[j] <= of[found.back()] || std::isnan(of[j])) continue;  // one of the same size came before
    const auto place = std::ranges::upper_bound(found, j, before);
    std::copy_backward(place, found.end() - 1, found.end());
    *place = j;
  }
  return found;
}

const char* pooled_in_words(const ModelPlan& plan) {
  if (plan.pooled == Pooled::mean) return "The mean over all places.";
  if (plan.pooled == Pooled::end_token) return "What the text comes to at its last token.";
  return plan.pooler.empty() ? "What stands at the first place, for all of them."
                             : "What is made of the first token, for both texts together.";
}

// Of each row of n logits the k greatest, equal ones by lower number, and their share of the softmax.
TopK top_k(const Tensor& logits, Index k, ThreadPool& pool) {
  const Index n = logits.dim(-1), rows = logits.size() / n;
  Shape shape;  // of the logits, with k in the last place
  for (const Index extent : logits.shape()) shape.push_back(shape.size() + 1 < logits.shape().size() ? extent : k);
  TopK result{Tensor::uninitialized(shape), Tensor::uninitialized(shape)};
  pool.for_each(rows, 1, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const float* of = logits.data() + row * n;
      const std::vector<Index> found = greatest(of, n, k);
      const double sum = math::log_sum_exp(of, n);
      for (Index j = 0; j < k; ++j) {
        const Index which = found[static_cast<std::size_t>(j)];
        result.which[row * k + j] = static_cast<float>(which);
        result.probabilities[row * k + j] = static_cast<float>(std::exp(of[which] - sum));
      }
    }
  });
  return result;
}

void put_top(const Tensor& logits, const StackPlaces& places, Index top, bool classes, ThreadPool& pool, Trace& trace) {
  // Of classes at least one is left out: all of them together are `class_logits`.
  const Index most = classes ? std::max<Index>(1, logits.dim(-1) - 1) : logits.dim(-1), k = std::min(top, most);
  TopK found = top_k(logits, k, pool);
  std::vector<Axis> axes{places.items};
  if (!classes) {
    axes.push_back(places.positions);
    if (logits.dim(1) != places.positions.size) {
      axes.back().labels.clear();
      axes.back().given_labels.clear();
    }
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

// What is pooled stands with the stack that it is of, where a model has two towers.
void put_outputs(HeadOutputs heads, const ModelPlan& plan, const StackPlaces& places, Index top, ThreadPool& pool,
                 Trace& trace) {
  const auto put = [&](std::string id, const char* title, const char* note, std::vector<Axis> axes,
                       std::optional<Tensor>& values) {
    if (!values) return;
    axes.push_back(channels("number", values->dim(-1)));
    trace.steps.push_back(
        step_of(std::move(id), title, note, std::move(axes), std::make_shared<const Tensor>(std::move(*values))));
  };
  std::optional<std::size_t> logits, classes;
  if (heads.logits) {
    Axis positions = places.positions;
    if (heads.logits->dim(1) != positions.size) {
      trace.warnings.push_back("logits are those of the last position alone: all of them would be too many");
      positions.size = heads.logits->dim(1);
      positions.labels.clear();
      positions.given_labels.clear();
    }
    logits = trace.steps.size();
    put("logits", "Logits", "What the model says of every token of its vocabulary, before softmax.",
        {places.items, positions}, heads.logits);
  }
  put((plan.only == ModelPart::first ? "" : plan.steps_of_stack(plan.only)) + "pooled", "Pooled", pooled_in_words(plan),
      {places.items}, heads.pooled);
  put(plan.embeds, "Embedding", "The projection of what is pooled, into the space of pictures and texts.",
      {places.items}, heads.embeds);
  put("pair_logits", "Next sentence", "Whether the second text follows the first: yes, no.", {places.items},
      heads.pair_logits);
  if (heads.class_logits) classes = trace.steps.size();
  put("class_logits", "Class logits", "What the model says of every class, before softmax.", {places.items},
      heads.class_logits);
  // The steps' numbers are shared, not the steps, which move as the list grows.
  if (logits) put_top(*std::shared_ptr(trace.steps[*logits].values), places, top, false, pool, trace);
  if (classes) put_top(*std::shared_ptr(trace.steps[*classes].values), places, top, true, pool, trace);
}

}  // namespace

ModelRecording::ModelRecording(const StoredModel& model, const ModelInput& input) : model_(model), input_(input) {
  trace.variant = "model";
  trace.warnings = input.notices;
}

void ModelRecording::begin_stack(ModelPart part, std::shared_ptr<const Tensor> embeddings) {
  stack_ = model_.plan().steps_of_stack(part);
  const std::vector<Axis> axes = axes_of_stream(*embeddings);
  places_ = {axes[0], axes[1]};
  if (in_first_stack(part))
    put_inputs(model_, input_, places_, trace);
  else
    put_decoder_ids(*input_.decoder->tokens, places_, trace);
  put("embeddings", "Embeddings", "What enters the first layer.", std::move(embeddings));
}

void ModelRecording::put_input(LayerOfModel layer, const std::shared_ptr<const Tensor>& stream) {
  put_step(layer, step_of("input", fmt::format("Before layer {}", layer.layer), "The residual stream before the layer.",
                          axes_of_stream(*stream), stream));
}

void ModelRecording::put_places(std::shared_ptr<const Tensor> places) {
  put(step_of_places, "Positions", "What each layer adds to its queries and keys.", std::move(places));
}

void ModelRecording::put_normed_input(LayerOfModel layer, std::shared_ptr<const Tensor> read) {
  const bool picture = read->rank() == 4;
  std::vector<Axis> axes = axes_of_stream(*read);
  if (picture)
    axes = {places_.items, channels("channel", read->dim(1)), channels("row", read->dim(2)),
            channels("column", read->dim(3))};
  put_step(layer, step_of("attention_input", fmt::format("Before the attention of layer {}", layer.layer),
                          picture ? "The norm of the stream, as a picture." : "The norm of the stream.", axes,
                          std::move(read)));
}

void ModelRecording::put_step(LayerOfModel layer, const Step& step) {
  trace.steps.push_back(of_layer(step, layer, model_.plan()));
}

void ModelRecording::end_stack(std::shared_ptr<const Tensor> hidden, std::optional<Tensor> normed) {
  put("hidden", "Hidden", "The residual stream after the last layer.", std::move(hidden));
  if (normed)
    put("final_norm", "Final norm", "What is read after the last layer.",
        std::make_shared<const Tensor>(std::move(*normed)));
}

void ModelRecording::put_heads(HeadOutputs heads, Index top, ThreadPool& pool) {
  put_outputs(std::move(heads), model_.plan(), places_, top, pool, trace);
}

void ModelRecording::put(const char* id, const char* title, const char* note, std::shared_ptr<const Tensor> values) {
  std::vector<Axis> axes = axes_of_stream(*values);
  trace.steps.push_back(step_of(stack_ + id, title, note, std::move(axes), std::move(values)));
}

}  // namespace headlight
