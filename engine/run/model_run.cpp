#include "engine/run/model_run.h"

#include <algorithm>
#include <cmath>

#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/measures/head_outputs.h"
#include "engine/run/model_steps.h"
#include "engine/run/prepare_layer.h"
#include "engine/run/run.h"
#include "engine/run/step_input.h"

namespace headlight {

namespace {

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

// Said once, of the layer where numbers stop being finite: what follows is worth little.
void note_not_finite(const Tensor& x, const std::string& of, bool& noted, Trace& trace) {
  if (noted || std::ranges::all_of(x.values(), [](float value) { return std::isfinite(value); })) return;
  noted = true;
  trace.warnings.push_back(fmt::format("{} hands on NaN or ∞: all that follows is made of it", of));
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
  experiment.weights->from = utf8(model_.folder());
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
  for (const auto& [id, values] : problem->arrays)
    if (const auto* extents = kept_.extents_of(*values)) problem->extents[id] = *extents;
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
  if (read.features) return kept_.ends.embed_sound(*read.features, compute);
  return read.tokens ? kept_.ends.embed(*read.tokens, part, compute) : kept_.ends.embed(*read.pixels, compute);
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
  ModelRecording recording(model_, input_);
  Streams streams;
  HL_TRY(streams.x, embedded(ModelPart::first));
  HL_CHECK(check_memory(bytes_kept(plan, input_, streams.x->dim(0), streams.x->dim(1), kept)));
  bool not_finite = false;
  note_not_finite(*streams.x, "the embedding", not_finite, recording.trace);
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
    kept_.learn_extents(*of_this);
    if (kept.look) HL_CHECK(kept.look(layer, *of_this));
    const Step* map = of_this->map();
    for (const Step& step : of_this->steps)
      if (kept.all_of.contains(layer) || (kept.maps && &step == map)) recording.put_step(layer, step);
    streams.x = of_this->output()->values;
    note_not_finite(*streams.x,
                    plan.has_decoder() ? fmt::format("{} layer {}", name_of(layer.part), layer.layer)
                                       : fmt::format("layer {}", layer.layer),
                    not_finite, recording.trace);
    if (progress_) progress_->store(static_cast<float>(at + 1) / static_cast<float>(order.size() + 1));
  }
  HL_TRY(std::optional<Tensor> normed, last_norm(*streams.x, order.back().part));
  Compute compute(pool_, stop_);
  HL_TRY(HeadOutputs outputs, kept_.ends.heads(normed ? *normed : *streams.x, compute));
  recording.end_stack(streams.x, std::move(normed));
  if (kept.terms) *kept.terms = std::move(outputs.terms);
  recording.put_heads(std::move(outputs), experiment.top, pool_);
  if (cancelled()) return fail("cancelled");
  return std::move(recording.trace);
}

Result<LayerOfStateDict> KeptModel::layer(LayerOfModel number) {
  if (const auto kept = layers_.find(number); kept != layers_.end()) return kept->second;
  HL_TRY(LayerOfStateDict layer, model_.layer(number));
  double bytes = 0;
  for (const auto& [id, values] : layer.arrays) bytes += static_cast<double>(values->size()) * sizeof(float);
  if (bytes > room_) return layer;
  room_ -= bytes;
  for (const auto& [id, values] : layer.arrays) extents_[values.get()];
  layers_.emplace(number, layer);
  return layer;
}

const std::vector<Extent>* KeptModel::extents_of(const Tensor& values) const {
  const auto found = extents_.find(&values);
  return found == extents_.end() || found->second.empty() ? nullptr : &found->second;
}

void KeptModel::learn_extents(const Trace& trace) {
  for (const Step& source : trace.sources)
    if (const auto found = extents_.find(source.values.get()); found != extents_.end()) found->second = source.extents;
}

}  // namespace headlight
