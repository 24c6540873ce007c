#include "app/model/network_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "app/model/model.h"
#include "app/reading/step_words.h"
#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/measures/head_outputs.h"
#include "engine/measures/logits.h"
#include "engine/run/model_run.h"
#include "engine/run/step_input.h"
#include "engine/variants/mechanism/mechanism.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// ---- The folder --------------------------------------------------------------------------------------------------

Status open_folder(OpenModel& open) {
  if (open.model) return {};
  HL_TRY(const auto model, StoredModel::open(open.folder));
  if (has_tokenizer(open.folder)) {
    HL_TRY(open.tokenizer, Tokenizer::open(open.folder));
  }
  open.kept = std::make_unique<KeptModel>(*model, free_memory() / 2);
  open.model = model;
  return {};
}

std::string size_of(const fs::path& file) {
  std::error_code ignored;
  const auto bytes = static_cast<double>(fs::file_size(file, ignored));
  if (ignored) return {};
  return bytes < 1e6 ? fmt::format("{:.0f} kB", bytes / 1e3) : fmt::format("{:.1f} MB", bytes / 1e6);
}

// "transformer.h.3.attn.bias" → "attn.bias": what comes after its last number.
std::string array_without_layer(const std::string& name) {
  std::size_t from = 0;
  for (std::size_t at = 0; at < name.size();) {
    const auto end = std::min(name.find('.', at), name.size());
    const bool number = end > at && name.find_first_not_of("0123456789", at) >= end;
    if (number && end < name.size()) from = end + 1;
    at = end + 1;
  }
  return name.substr(from);
}

ModelReport report_on(const OpenModel& open) {
  ModelReport report;
  const StoredModel& model = *open.model;
  const bool alone = open.folder.extension() == ".gguf";  // a file that says by itself what it is
  if (!alone) report.files.emplace_back("config.json", model.plan().type);
  for (const fs::path& file : model.arrays().files())
    report.files.emplace_back(one_line(utf8(file.filename())),
                              alone ? fmt::format("{}, {}", model.plan().type, size_of(file)) : size_of(file));
  if (open.tokenizer) {
    report.tokenizer = open.tokenizer->kind();
    report.files.emplace_back(one_line(utf8(open.tokenizer->files().front().filename())),
                              fmt::format("{} tokens", open.tokenizer->size()));
  }
  const auto& entries = model.arrays().entries();
  const std::set<std::size_t> read = model.arrays_read();
  report.used = read.size();
  report.arrays = entries.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::string name = one_line(array_without_layer(entries[i].name));
    if (!read.contains(i) && std::ranges::find(report.passed, name) == report.passed.end())
      report.passed.push_back(std::move(name));
  }
  report.assumed = model.plan().assumed;
  return report;
}

// ---- What comes next ---------------------------------------------------------------------------------------------

std::vector<double> token_likelihoods(const NetworkRun& run) {
  const PartRun& output = run.output_part();
  if (!run.logits || !run.input.of(output.part).tokens) return {};
  const TokenIds& read = *run.input.of(output.part).tokens;
  const auto n = static_cast<std::size_t>(std::min(read.count, output.queries()));
  return probabilities_of_tokens(*run.logits, output.item, {read.ids.data() + output.item * read.count, n},
                                 run.predicts_next() ? 1 : 0);
}

// Takes the logits out of the trace: they are its largest step.
std::shared_ptr<const Tensor> take_logits(Trace& trace) {
  std::shared_ptr<const Tensor> logits;
  for (const char* id : {"class_logits", "logits"})
    if (const Step* step = trace.find(id)) logits = step->values;
  std::erase_if(trace.steps, [&](const Step& step) { return step.values == logits; });
  return logits;
}

// How large the stream is in front of each stop of a part's stack: the mean over positions of its norm, beside the
// greatest.
std::vector<float> sizes_of_stream(const NetworkRun& run, ModelPart part) {
  const ModelPlan& plan = run.plan();
  const Index layers = plan.layers_of(part);
  const std::string of_stack = plan.steps_of_stack(part);
  std::vector<const Step*> stream;
  for (Index l = 0; l < run.last_stop(part); ++l) {
    const std::string after = of_stack + (l == layers ? "hidden" : "final_norm");
    const Step* step = run.trace.find(l < layers ? plan.steps_of({l, part}) + "input" : after);
    stream.push_back(step ? step : run.trace.find(of_stack + "hidden"));
  }
  std::vector<float> sizes = relative_norms(stream);
  sizes.insert(sizes.begin(), 0);  // nothing stands before the embeddings
  return sizes;
}

// What the norm after a part's stack multiplies with and adds, for the story of its numbers.
void take_norm(const StoredModel& model, PartRun& part) {
  const StoredModel& own = model.tower(part.part);
  const std::string& name = in_first_stack(part.part) ? own.plan().final_norm : own.plan().decoder_norm;
  const auto read = [&](const char* now, const char* once) -> std::shared_ptr<const Tensor> {
    for (const char* spelt : {now, once})
      if (!name.empty() && own.has(name + spelt))
        if (auto array = own.read(name + spelt, {-1})) return std::make_shared<const Tensor>(std::move(*array));
    return nullptr;
  };
  part.norm_gain = read(".weight", ".gamma");
  if (!own.plan().root_norms) part.norm_shift = read(".bias", ".beta");
}

std::vector<std::string> words_of(const StoredModel& model, const ModelInput& input, ModelPart part, Index item,
                                  Index positions) {
  const StackInput& read = input.of(part);
  if (!read.shown.empty()) return read.shown;
  const auto of_item = [item](const std::vector<std::vector<std::string>>& lists) {
    return lists[static_cast<std::size_t>(std::min<Index>(item, std::ssize(lists) - 1))];
  };
  if (!read.words.empty()) return of_item(read.words);
  const auto known = labels_of_input(model, input, part).tokens.lists;
  std::vector<std::string> words = known.empty() ? std::vector<std::string>() : of_item(known);
  if (!read.pixels) return words;
  const PatchGrid patches = patches_of(model.plan().of(part), *read.pixels);
  for (auto i = static_cast<Index>(words.size()); i < positions; ++i)
    words.push_back(
        fmt::format("{}, {}", (i - patches.before) / patches.columns, (i - patches.before) % patches.columns));
  return words;
}

// All maps, twice: with hidden keys marked, and what is drawn.
double bytes_of_maps(const ModelPlan& plan, const ModelInput& input) {
  const auto places = [&](ModelPart part) {
    const StackInput& read = input.of(part);
    if (read.tokens) return static_cast<double>(read.tokens->count);
    if (read.features) return static_cast<double>(plan.positions);
    const PatchGrid patches = patches_of(plan.of(part), *read.pixels);
    return static_cast<double>(patches.rows * patches.columns + patches.before);
  };
  double cells = 0;
  for (const LayerOfModel layer : plan.order()) {
    if (in_first_stack(layer.part) && !input.of(layer.part).is_given()) continue;
    const ModelStage stage = plan.stage_of(layer);
    const double whole = places(layer.part) * places(layer.part == ModelPart::cross ? ModelPart::first : layer.part),
                 windows = static_cast<double>(stage.side * stage.side * stage.window * stage.window);
    cells += (stage.side > 0 ? windows : whole) *
             static_cast<double>(stage.heads * std::max<Index>(1, input.of(layer.part).items()));
  }
  return 2 * cells * sizeof(float);
}

// Of what the run has for its maps, whichever it is.
double bytes_kept(const NetworkRun& run) {
  double bytes = 0;
  for (const PartRun& part : run.parts) {
    for (const auto* list : {&part.maps, &part.small, &part.first_heads})
      for (const auto& map : *list) bytes += map ? static_cast<double>(map->size()) : 0;
    for (const Step& map : part.mean_maps) bytes += static_cast<double>(map.tensor().size());
    for (const auto& map : {part.means, part.rollout}) bytes += map ? static_cast<double>(map->size()) : 0;
  }
  return bytes * sizeof(float);
}

std::string why_few_maps(const NetworkRun& run, double needed, double room) {
  const PartRun& part = run.parts.front();
  return fmt::format(
      "All maps need about {} ({} layers of {} heads, {} × {} weights) and there is room for {}: the map of a layer is "
      "made when it is looked at, and {} are kept",
      bytes_text(needed), run.plan().order().size(), run.plan().heads_in_words(), part.queries(), part.keys(),
      bytes_text(room), bytes_text(run.bytes_of_maps));
}

// Computes what depends on the item of the batch: means and rollouts of layers, words, likelihoods of the tokens.
void select_item(NetworkRun& run, Index item, Compute& compute) {
  run.item = std::clamp<Index>(item, 0, run.items() - 1);
  for (PartRun& part : run.parts) {
    mix_layers(part, std::min(run.item, run.input.of(part.part).items() - 1), compute);
    part.query_words = words_of(*run.model, run.input, part.part, part.item, part.queries());
    part.key_words = part.part == ModelPart::cross ? run.of(ModelPart::first).query_words : part.query_words;
  }
  run.likelihoods = token_likelihoods(run);
}

// The run where another item of its batch is looked at; it shares all that is of all of them.
Result<std::shared_ptr<const NetworkRun>> at_item(std::shared_ptr<const NetworkRun> run, Index item, ThreadPool& pool,
                                                  const std::stop_token& stop) {
  if (std::clamp<Index>(item, 0, run->items() - 1) == run->item) return run;
  auto other = std::make_shared<NetworkRun>(*run);
  Compute compute(pool, stop);
  select_item(*other, item, compute);
  if (compute.cancelled()) return fail("cancelled");
  if (run->whole) {
    HL_TRY(other->whole, at_item(run->whole, item, pool, stop));
  }
  return std::shared_ptr<const NetworkRun>(std::move(other));
}

Result<std::shared_ptr<NetworkRun>> run_once(OpenModel& open, const ModelExperiment& asked, Index item,
                                             const NetworkRun* whole, ThreadPool& pool, const std::stop_token& stop,
                                             std::atomic<float>& progress) {
  const StoredModel& model = *open.model;
  static std::atomic<std::uint64_t> stamps = 0;
  auto run = std::make_shared<NetworkRun>();
  run->stamp = ++stamps;
  run->asked = asked;
  run->model = open.model;
  run->tokenizer = open.tokenizer;
  HL_TRY(run->input, model_input(model, asked, open.tokenizer ? &*open.tokenizer : nullptr));
  // Ids by themselves have no words, but the folder's tokenizer has.
  StackInput& read = run->input.towers.empty() ? static_cast<StackInput&>(run->input) : run->input.towers.front();
  if (run->tokenizer && read.shown.empty() && read.words.size() == 1 && asked.tokens)
    for (const Index id : read.tokens->ids) read.shown.push_back(run->token(id));
  const ModelPlan& plan = model.plan();
  const double needed = bytes_of_maps(plan, run->input), room = open.room_for_maps.value_or(free_memory());
  const bool keep = needed <= room;
  if (!keep) HL_CHECK(check_memory(needed / static_cast<double>(plan.order().size())));  // one layer
  for (const ModelPart part : plan.parts()) {
    if (in_first_stack(part) && !run->input.of(part).is_given()) continue;
    run->parts.emplace_back().part = part;
    run->parts.back().staged = !plan.stages.empty();
  }
  const std::vector<LayerOfModel> order = plan.order();
  ResumeAt from;
  if (whole) {
    from = {&whole->trace, order.size()};
    for (const ModelHead& head : asked.ablate) from.at = std::min(from.at, plan.place_of(head.of()));
    run->map_id = whole->map_id;
    const std::vector<LayerOfModel> kept(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(from.at));
    for (PartRun& part : run->parts)
      copy_layers(part, whole->of(part.part), std::ranges::count(kept, part.part, &LayerOfModel::part));
  }
  Compute compute(pool, stop);
  LayerRecording kept;
  kept.look = [&](LayerOfModel layer, const Problem& problem, const Trace& trace) -> Status {
    const Step* map = trace.map();
    run->map_id = map->info.id;
    for (const Index head : heads_off_in(asked.ablate, layer))
      run->heads_off[layer].push_back(*edit_switching_off(trace, head));
    const StackInput& asked_of = run->input.of(layer.part == ModelPart::cross ? ModelPart::first : layer.part);
    PartRun& part = run->of(layer.part);
    add_layer(part, *map, with_hidden(trace, *map), keep, asked_of.special(), compute);
    part.causal = part.causal || mechanism::hides_later_keys(problem);  // which the map of one token does not say
    return {};
  };
  kept.terms = &run->terms;
  ModelRunner runner(model, run->input, pool, stop, &progress, open.kept.get());
  HL_TRY(run->trace, runner.run(asked, kept, from));
  run->logits = take_logits(run->trace);
  select_item(*run, item, compute);
  for (PartRun& part : run->parts) {
    part.stream_sizes = sizes_of_stream(*run, part.part);
    take_norm(model, part);
  }
  run->bytes_of_maps = bytes_kept(*run);
  if (!keep) {
    run->few_maps = why_few_maps(*run, needed, room);
    run->trace.warnings.push_back(run->few_maps);
  }
  run->report = report_on(open);
  return run;
}

}  // namespace

const PartRun& NetworkRun::of(ModelPart part) const {
  const auto found = std::ranges::find(parts, part, &PartRun::part);
  return found == parts.end() ? parts.front() : *found;
}

Index NetworkRun::items() const {
  Index most = 1;
  for (const PartRun& part : parts) most = std::max(most, input.of(part.part).items());
  return most;
}

std::size_t NetworkRun::heads_of_all_parts() const {
  Index all = 0;
  for (const PartRun& part : parts) all += part.heads();
  return static_cast<std::size_t>(all);
}

std::string NetworkRun::token(Index number) const {
  return word_of_id(number, plan(), tokenizer ? &*tokenizer : nullptr);
}

std::vector<Likely> NetworkRun::likely(Index place) const {
  const bool classes = logits && logits->shape().size() == 2;
  const Step* which = trace.find(classes ? "top_classes" : "top_tokens");
  const Step* how = trace.find(classes ? "top_class_probabilities" : "top_probabilities");
  std::vector<Likely> list;
  if (!which || !how) return list;
  const Tensor &numbers = which->tensor(), &parts = how->tensor();
  const Index top = numbers.dim(-1), rows = numbers.size() / numbers.dim(0) / top;
  const Index row =
      output_part().item * rows + std::clamp<Index>(rows == output_part().queries() ? place : rows - 1, 0, rows - 1);
  for (Index k = 0; k < top; ++k) {
    const auto number = static_cast<Index>(numbers[row * top + k]);
    const auto& names = plan().class_names;
    const bool named = classes && number < static_cast<Index>(names.size());
    std::string name = classes ? fmt::format("class {}", number) : token(number);
    if (named) name = names[static_cast<std::size_t>(number)];
    list.push_back({std::move(name), number, parts[row * top + k]});
  }
  return list;
}

bool NetworkRun::predicts_next() const {
  return output_part().is_causal() || plan().has_decoder();
}

double NetworkRun::probability(Index place, Index number) const {
  if (!logits) return nothing;
  const Index rows = logits->size() / logits->dim(0) / logits->dim(-1);
  const Index row = std::clamp<Index>(rows == output_part().queries() ? place : rows - 1, 0, rows - 1);
  return headlight::probability(*logits, output_part().item * rows + row, number);
}

Result<std::shared_ptr<const NetworkRun>> run_network(OpenModel& open, const ModelExperiment& asked, Index item,
                                                      std::shared_ptr<const NetworkRun> before, ThreadPool& pool,
                                                      std::stop_token stop, std::atomic<float>& progress) {
  HL_CHECK(open_folder(open));
  ModelExperiment as_it_is = asked;
  as_it_is.ablate.clear();
  std::shared_ptr<const NetworkRun> whole = before && before->whole ? before->whole : before;
  if (!whole || whole->model != open.model || !same_request(whole->asked, as_it_is)) {
    HL_TRY(whole, run_once(open, as_it_is, item, nullptr, pool, stop, progress));
  }
  if (asked.ablate.empty()) return at_item(std::move(whole), item, pool, stop);
  if (before && before->model == open.model && same_request(before->asked, asked))
    return at_item(std::move(before), item, pool, stop);
  HL_TRY(whole, at_item(std::move(whole), item, pool, stop));
  HL_TRY(auto run, run_once(open, asked, item, whole.get(), pool, stop, progress));
  run->whole = whole;
  if (run->logits && whole->logits) run->divergence = mean_divergence(*whole->logits, *run->logits, pool);
  return std::shared_ptr<const NetworkRun>(std::move(run));
}

Experiment experiment_of_layer(const NetworkRun& run, LayerOfModel layer) {
  const ModelPlan& plan = run.plan();
  ModelExperiment of = run.asked;
  std::erase_if(of.ablate, [&](const ModelHead& head) { return plan.place_of(head.of()) >= plan.place_of(layer); });
  of.view = {};
  const auto input_of = [&](const std::string& step, std::optional<ModelPart> labelled) {
    auto numbers = std::make_shared<StepNumbers>();
    numbers->values = run.trace.find(step)->values;
    if (labelled) numbers->labels = labels_of_input(*run.model, run.input, *labelled, TokenWords::shown);
    numbers->heads_off = words_of_heads(of.ablate, plan);
    return StepInput{step, to_json(of, {}), std::move(numbers)};
  };
  const StepInput stream = input_of(plan.input_step(layer), layer.part);
  std::optional<StepInput> memory;
  if (layer.part == ModelPart::cross) memory = input_of(step_of_memory(plan), ModelPart::first);
  std::optional<StepInput> places;
  if (!plan.added_places.empty()) places = input_of(step_of_places, {});
  Experiment experiment = layer_experiment(*run.model, layer, stream, std::move(memory), std::move(places));
  const auto off = run.heads_off.find(layer);
  if (off != run.heads_off.end()) experiment.edits = off->second;
  return experiment;
}

}  // namespace headlight::app
