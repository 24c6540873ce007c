#include "engine/run/model_run.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/math/math.h"
#include "engine/measures/head_outputs.h"
#include "engine/models/windowed_block.h"
#include "engine/run/model_steps.h"
#include "engine/run/prepare_layer.h"
#include "engine/run/run.h"
#include "engine/run/step_input.h"

namespace headlight {

namespace {

// Bytes that the trace will keep.
double bytes_kept(const ModelPlan& plan, const ModelInput& input, Index items, Index n, const LayerRecording& kept) {
  const auto of = [](auto... extents) { return (static_cast<double>(extents) * ...) * sizeof(float); };
  const Index asking = input.decoder ? input.decoder->tokens->count : n;
  double bytes = 0;
  for (const ModelPart part : plan.parts()) {
    const Index queries = in_first_stack(part) ? n : asking, keys = part == ModelPart::decoder ? asking : n,
                layers = plan.layers_of(part);
    for (Index l = 0; l < layers; ++l) {
      const ModelStage stage = plan.stage_of({l, part});
      const bool whole = stage.side == 0;  // a layer's queries see all keys
      const Index n_q = whole ? queries : stage.side * stage.side, n_k = whole ? keys : stage.window * stage.window;
      bytes += of(items, n_q, stage.width) + (kept.maps ? of(items, stage.heads, n_q, n_k) : 0);
    }
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
    const std::vector<ModelPart> parts = plan.parts();
    if (std::ranges::find(parts, head.part) == parts.end())
      return fail("params.ablate names the {}: {} has no {}", name_of(head.part), plan.type,
                  name_of(head.part == ModelPart::cross ? ModelPart::decoder : head.part));
    const std::string name = head.part == ModelPart::first ? "" : fmt::format("\"{}\", ", name_of(head.part));
    const Index heads = head.layer < layers ? plan.heads_of(head.of()) : plan.of(head.part).heads;
    if (head.layer >= layers || head.head >= heads)
      return fail("params.ablate holds [{}{}, {}]: {} has layers 0 to {} and heads 0 to {}", name, head.layer,
                  head.head, plan.type, layers - 1, heads - 1);
  }
  return {};
}

Step similarity_step(Tensor similarity) {
  std::vector<Axis> axes{channels("picture", similarity.dim(0)), channels("text", similarity.dim(1))};
  return step_of("logits_per_image", "Pictures and texts", "How alike each picture and each text are, before softmax.",
                 std::move(axes), std::make_shared<const Tensor>(std::move(similarity)));
}

}  // namespace

std::string ModelRunner::name_of_layer(LayerOfModel layer) const {
  const std::string name = fmt::format("layer {}", layer.layer), part = model_.plan().part_name(layer.part);
  return part.empty() ? name : part + " " + name;
}

std::vector<Index> heads_off_in(const std::vector<ModelHead>& off, LayerOfModel layer) {
  std::vector<Index> heads;
  for (const ModelHead& head : off)
    if (head.of() == layer) heads.push_back(head.head);
  return heads;
}

std::vector<std::string> words_of_heads(const std::vector<ModelHead>& heads, const ModelPlan& plan) {
  std::vector<std::string> words;
  for (const ModelHead& head : heads)
    words.push_back(fmt::format("{}{}layer {} head {}", plan.part_name(head.part), plan.names_parts() ? " " : "",
                                head.layer, head.head));
  return words;
}

KeptModel::KeptModel(const StoredModel& model, double most_bytes) : ends(model), model_(model), room_(most_bytes) {
  for (const auto& tower : model.towers())
    towers.push_back(std::make_unique<KeptModel>(*tower, most_bytes / static_cast<double>(model.towers().size())));
}

ModelRunner::ModelRunner(const StoredModel& model, const ModelInput& input, ThreadPool& pool, std::stop_token stop,
                         std::atomic<float>* progress, KeptModel* kept)
    : model_(model),
      input_(input),
      pool_(pool),
      stop_(std::move(stop)),
      progress_(progress),
      own_(model),
      kept_(kept ? *kept : own_) {
  for (std::size_t i = 0; i < model.towers().size(); ++i)
    towers_.push_back(input.towers[i].is_given()
                          ? std::make_unique<ModelRunner>(*model.towers()[i], input.towers[i], pool, stop_, progress,
                                                          kept_.towers[i].get())
                          : nullptr);
}

ModelRunner* ModelRunner::tower(ModelPart part) {
  if (towers_.empty()) return this;
  for (std::size_t i = 0; i < towers_.size(); ++i)
    if (model_.towers()[i]->plan().only == part) return towers_[i].get();
  return nullptr;
}

Result<std::shared_ptr<const Tensor>> ModelRunner::layer_input(LayerOfModel number, const Streams& streams) const {
  const ModelPlan& plan = model_.plan();
  if (!plan.reads_normed()) return streams.x;
  HL_TRY(const LayerOfStateDict layer, kept_.layer(number));
  Compute compute(pool_, stop_);
  if (plan.stages.empty()) return std::make_shared<const Tensor>(normed_beside(layer, plan, "ln", *streams.x, compute));
  return std::make_shared<const Tensor>(
      picture_before_attention(layer, plan, *streams.x, plan.stage_of(number), compute));
}

Result<std::shared_ptr<const Tensor>> ModelRunner::stream_after(LayerOfModel number, const Streams& streams,
                                                                const Trace& ran) {
  const ModelPlan& plan = model_.plan();
  Compute compute(pool_, stop_);
  if (plan.adds_input) {
    const Tensor& made = ran.output()->tensor();
    Tensor sum = Tensor::uninitialized(made.shape());
    math::add(compute, streams.x->data(), made.data(), made.size(), sum.data());
    return std::make_shared<const Tensor>(std::move(sum));
  }
  if (plan.stages.empty()) return ran.output()->values;
  HL_TRY(const LayerOfStateDict layer, kept_.layer(number));
  Tensor x = stream_after_block(layer, plan, *streams.x, ran.output()->tensor(), compute);
  Index end = 0;  // of the layers of the stages so far
  for (std::size_t s = 0; s + 1 < plan.stages.size(); ++s) {
    end += plan.stages[s].layers;
    if (number.layer + 1 != end) continue;
    HL_TRY(x, kept_.ends.merged(x, static_cast<Index>(s), compute));
  }
  return std::make_shared<const Tensor>(std::move(x));
}

Result<std::shared_ptr<const Problem>> ModelRunner::prepare(LayerOfModel number, const Streams& streams) const {
  HL_TRY(LayerOfStateDict layer, kept_.layer(number));
  layer.notices.clear();
  const std::string variant = variant_of(model_.plan());
  Experiment experiment = default_experiment(variant);
  experiment.weights = WeightsSpec{};
  experiment.weights->from = utf8(model_.folder());
  const LayerInputs ids = inputs_of_layers(variant);
  std::map<std::string, std::shared_ptr<const Tensor>> inputs;
  HL_TRY(inputs[ids.stream], layer_input(number, streams));
  experiment.inputs[ids.stream] = LabelsInput{labels_of_input(model_, input_, number.part)};
  if (!model_.plan().added_places.empty()) {
    HL_TRY(Tensor places, kept_.ends.added_places(streams.x->dim(1)));
    inputs[ids.places] = std::make_shared<const Tensor>(std::move(places));
  }
  if (number.part == ModelPart::cross) {
    inputs[ids.memory] = streams.memory;
    experiment.inputs[ids.memory] = LabelsInput{labels_of_input(model_, input_, ModelPart::first)};
  }
  auto problem = prepare_layer(experiment, std::move(layer), inputs);
  if (!problem) return fail("{}: {}", name_of_layer(number), problem.error().message);
  for (const auto& [id, values] : problem->arrays)
    if (const auto* extents = kept_.extents_of(*values)) problem->extents[id] = *extents;
  return std::make_shared<const Problem>(std::move(*problem));
}

Result<std::shared_ptr<const Trace>> ModelRunner::record(LayerOfModel layer, const Problem& problem,
                                                         const std::vector<Index>& heads_off) {
  Compute compute(pool_, stop_);
  auto& switching_off = kept_.switching_off;
  const Index heads = model_.plan().heads_of(layer);
  if (heads_off.empty() || static_cast<Index>(switching_off.size()) < heads) {
    HL_TRY(auto trace, headlight::run(problem, compute));
    for (auto m = static_cast<Index>(switching_off.size()); !cancelled() && m < heads; ++m)
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

Result<Streams> ModelRunner::decoder_streams(const Tensor& hidden, std::shared_ptr<const Tensor> embeddings) {
  HL_TRY(std::optional<Tensor> normed, last_norm(hidden, ModelPart::first));
  return Streams{std::move(embeddings), std::make_shared<const Tensor>(normed ? std::move(*normed) : Tensor(hidden))};
}

Result<HeadOutputs> ModelRunner::heads(const Tensor& hidden) {
  HL_TRY(const std::optional<Tensor> normed, last_norm(hidden, model_.plan().parts().back()));
  Compute compute(pool_, stop_);
  return kept_.ends.heads(normed ? *normed : hidden, output_tokens(), compute);
}

const TokenIds* ModelRunner::output_tokens() const {
  const auto& tokens = input_.of(model_.plan().parts().back()).tokens;
  return tokens ? &*tokens : nullptr;
}

Result<Trace> ModelRunner::run(const ModelExperiment& experiment, const LayerRecording& kept, const ResumeAt& from) {
  HL_CHECK(check_heads_off(model_.plan(), experiment.ablate));
  return towers_.empty() ? run_stacks(experiment, kept, from) : run_towers(experiment, kept, from);
}

Result<Trace> ModelRunner::run_towers(const ModelExperiment& experiment, const LayerRecording& kept,
                                      const ResumeAt& from) {
  Trace all;
  all.variant = "model";
  all.warnings = input_.notices;
  std::size_t first = 0;  // of the tower's layers, in the order of all
  for (std::size_t i = 0; i < towers_.size(); ++i) {
    const std::size_t layers = model_.towers()[i]->plan().order().size();
    const ResumeAt own{from.trace, std::clamp(from.at, first, first + layers) - first};
    first += layers;
    if (!towers_[i]) continue;
    towers_[i]->ran_before_ = first - layers;
    towers_[i]->of_layers_ = model_.plan().order().size();
    HL_TRY(Trace trace, towers_[i]->run_stacks(experiment, kept, own));
    std::ranges::move(trace.steps, std::back_inserter(all.steps));
    for (std::string& warning : trace.warnings)
      if (std::ranges::find(all.warnings, warning) == all.warnings.end()) all.warnings.push_back(std::move(warning));
  }
  const Step *image = all.find("image_embeds"), *text = all.find("text_embeds");
  if (image && text && model_.has("logit_scale")) {
    HL_TRY(Tensor similarity, kept_.ends.similarity(image->tensor(), text->tensor()));
    all.steps.push_back(similarity_step(std::move(similarity)));
  }
  return all;
}

Result<Trace> ModelRunner::run_stacks(const ModelExperiment& experiment, const LayerRecording& kept,
                                      const ResumeAt& from) {
  const ModelPlan& plan = model_.plan();
  // As the trace has it that is gone on from, or made.
  const auto embedded = [&](ModelPart part) -> Result<std::shared_ptr<const Tensor>> {
    if (from.trace) return from.trace->find(plan.steps_of_stack(part) + "embeddings")->values;
    HL_TRY(Tensor made, embed(part));
    return std::make_shared<const Tensor>(std::move(made));
  };
  ModelRecording recording(model_, input_);
  Streams streams;
  HL_TRY(streams.x, embedded(plan.only));
  HL_CHECK(check_memory(bytes_kept(plan, input_, streams.x->dim(0), streams.x->dim(1), kept)));
  bool not_finite = false;
  note_not_finite(*streams.x, "the embedding", not_finite, recording.trace);
  recording.begin_stack(plan.only, streams.x);
  if (!plan.added_places.empty()) {
    HL_TRY(Tensor places, kept_.ends.added_places(streams.x->dim(1)));
    recording.put_places(std::make_shared<const Tensor>(std::move(places)));
  }
  const std::vector<LayerOfModel> order = plan.order();
  for (std::size_t at = 0; at < order.size(); ++at) {
    const LayerOfModel layer = order[at];
    if (layer == LayerOfModel{0, ModelPart::decoder}) {
      const auto hidden = from.trace && at <= from.at
                              ? from.trace->find(plan.steps_of_stack(ModelPart::first) + "hidden")->values
                              : streams.x;
      HL_TRY(auto embeddings, embedded(ModelPart::decoder));
      HL_TRY(streams, decoder_streams(*hidden, std::move(embeddings)));
      recording.end_stack(hidden, plan.final_norm.empty() ? std::nullopt : std::optional(Tensor(*streams.memory)));
      recording.begin_stack(ModelPart::decoder, streams.x);
    }
    if (at <= from.at && from.trace) streams.x = from.trace->find(plan.steps_of(layer) + "input")->values;
    if (cancelled()) return fail("cancelled");
    recording.put_input(layer, streams.x);
    if (at < from.at) {
      if (plan.reads_normed()) recording.put_normed_input(layer, from.trace->find(plan.input_step(layer))->values);
      continue;
    }
    HL_TRY(const auto problem, prepare(layer, streams));
    if (plan.reads_normed())
      recording.put_normed_input(layer, problem->arrays.at(inputs_of_layers(variant_of(plan)).stream));
    HL_TRY(const auto of_this, record(layer, *problem, heads_off_in(experiment.ablate, layer)));
    if (cancelled()) return fail("cancelled");
    kept_.learn_extents(*of_this);
    if (kept.look) HL_CHECK(kept.look(layer, *problem, *of_this));
    const Step* map = of_this->map();
    for (const Step& step : of_this->steps)
      if (kept.all_of.contains(layer) || (kept.maps && &step == map)) recording.put_step(layer, step);
    HL_TRY(streams.x, stream_after(layer, streams, *of_this));
    note_not_finite(*streams.x, name_of_layer(layer), not_finite, recording.trace);
    const std::size_t all = std::max(order.size(), of_layers_);
    if (progress_) progress_->store(static_cast<float>(ran_before_ + at + 1) / static_cast<float>(all + 1));
  }
  if (from.trace && from.at >= order.size())  // nothing of it has changed
    streams.x = from.trace->find(plan.steps_of_stack(order.back().part) + "hidden")->values;
  HL_TRY(std::optional<Tensor> normed, last_norm(*streams.x, order.back().part));
  Compute compute(pool_, stop_);
  HL_TRY(HeadOutputs outputs, kept_.ends.heads(normed ? *normed : *streams.x, output_tokens(), compute));
  recording.end_stack(streams.x, std::move(normed));
  if (kept.terms) *kept.terms = std::move(outputs.terms);
  recording.put_heads(std::move(outputs), experiment.top, pool_);
  if (cancelled()) return fail("cancelled");
  return std::move(recording.trace);
}

Result<LayerOfStateDict> KeptModel::layer(LayerOfModel number) {
  if (const auto kept = layers_.find(number); kept != layers_.end()) return kept->second;
  if (last_ && last_->first == number) return last_->second;
  HL_TRY(LayerOfStateDict layer, model_.layer(number));
  if (!layer.beside.empty()) last_ = {number, layer};
  double bytes = 0;
  for (const auto* arrays : {&layer.arrays, &layer.beside})
    for (const auto& [id, values] : *arrays) bytes += static_cast<double>(values->size()) * sizeof(float);
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
