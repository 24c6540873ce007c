#include "app/state/network_run.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "app/reading/step_words.h"
#include "engine/core/memory.h"
#include "engine/core/utf8.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/measures/weight_on_keys.h"
#include "engine/run/model_run.h"
#include "engine/run/step_input.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// ---- The folder --------------------------------------------------------------------------------------------------

Status open_folder(OpenModel& open) {
  if (open.model) return {};
  HL_TRY(const auto model, headlight::Model::open(open.folder));
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
  return ignored       ? std::string()
         : bytes < 1e6 ? fmt::format("{:.0f} kB", bytes / 1e3)
                       : fmt::format("{:.1f} MB", bytes / 1e6);
}

// "transformer.h.3.attn.bias" → "attn.bias": what comes after its last number.
std::string without_layer(const std::string& name) {
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
  const headlight::Model& model = *open.model;
  report.files.emplace_back("config.json", model.plan().type);
  for (const fs::path& file : model.arrays().files())
    report.files.emplace_back(one_line(file.filename().string()), size_of(file));
  if (open.tokenizer) {
    report.tokenizer = open.tokenizer->kind();
    report.files.emplace_back(one_line(open.tokenizer->files().front().filename().string()),
                              fmt::format("{} tokens", open.tokenizer->size()));
  }
  const auto& entries = model.arrays().entries();
  const std::set<std::size_t> read = model.arrays_read();
  report.used = read.size();
  report.arrays = entries.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::string name = one_line(without_layer(entries[i].name));
    if (!read.contains(i) && std::ranges::find(report.passed, name) == report.passed.end())
      report.passed.push_back(std::move(name));
  }
  report.assumed = model.plan().assumed;
  return report;
}

// ---- The layers --------------------------------------------------------------------------------------------------

// (B, M, n, n) with −∞ where the key is hidden.
std::shared_ptr<const Tensor> with_hidden(const Trace& trace, const Step& map) {
  Tensor shown = Tensor::uninitialized(map.tensor().shape());
  float* to = shown.data();
  for (Index b = 0; b < map.tensor().dim(0); ++b)
    for (Index m = 0; m < map.tensor().dim(1); ++m) {
      Focus focus;
      focus.batch = b;
      focus.head = m;
      focus.flat = true;
      auto owner = map.values;
      const MatrixView cells = cells_of(trace, map, focus, owner);
      for (Index i = 0; i < cells.rows; ++i)
        for (Index j = 0; j < cells.columns; ++j) *to++ = cells.at(i, j);
    }
  return std::make_shared<const Tensor>(std::move(shown));
}

constexpr Index most_mixed = 512;  // positions: rollout costs their cube

Step mean_over_heads(const Step& map) {
  const Tensor& of = map.tensor();
  const Index items = of.dim(0), heads = of.dim(1), cells = of.dim(2) * of.dim(3);
  Tensor mean({items, 1, of.dim(2), of.dim(3)});
  for (Index b = 0; b < items; ++b)
    for (Index m = 0; m < heads; ++m)
      for (Index c = 0; c < cells; ++c)
        mean[b * cells + c] += of[(b * heads + m) * cells + c] / static_cast<float>(heads);
  Step step;
  step.info.id = map.info.id;
  step.values = std::make_shared<const Tensor>(std::move(mean));
  return step;
}

// Of the first item, a map a layer, with −∞ where the keys of its heads are hidden.
std::shared_ptr<const Tensor> stacked(const std::vector<std::shared_ptr<const Tensor>>& hidden,
                                      const std::function<const float*(Index layer)>& of) {
  const auto layers = static_cast<Index>(hidden.size());
  const Index n = hidden.front()->dim(2), keys = hidden.front()->dim(3);
  Tensor all = Tensor::uninitialized({layers, n, keys});
  for (Index l = 0; l < layers; ++l)
    for (Index c = 0; c < n * keys; ++c) {
      const float shown = (*hidden[static_cast<std::size_t>(l)])[c];
      // What earlier layers have brought there is shown, whatever this one hides.
      all[l * n * keys + c] = std::isinf(shown) && of(l)[c] == 0 ? shown : of(l)[c];
    }
  return std::make_shared<const Tensor>(std::move(all));
}

void mix_layers(NetworkRun& run, Compute& compute) {
  if (run.mean_maps.empty()) return;
  std::vector<const Step*> steps;
  for (const Step& step : run.mean_maps) steps.push_back(&step);
  run.means = stacked(run.maps, [&](Index l) { return steps[static_cast<std::size_t>(l)]->tensor().data(); });
  const auto rolled = headlight::rollout(steps, compute);
  const Index cells = run.positions() * run.positions();
  if (rolled) run.rollout = stacked(run.maps, [&](Index l) { return rolled->data() + l * cells; });
}

// Of the map alone: its share of the output would cost more than the run itself.
HeadMeasures measured(const Step& map, const std::vector<Index>& special, Compute& compute) {
  Trace alone;
  alone.steps.push_back(map);
  HeadMeasures measures = measure_heads(alone, alone.steps.front(), compute, ReadRows::as_they_are);
  if (!special.empty()) measures[Measure::special] = {weight_on_keys(map, special), Missing::nothing};
  return measures;
}

// ---- What comes next ---------------------------------------------------------------------------------------------

// Of each row of n logits the logarithm of the sum of their exponentials.
double log_sum(const float* row, Index n) {
  const double most = *std::max_element(row, row + n);
  double sum = 0;
  for (Index j = 0; j < n; ++j) sum += std::exp(row[j] - most);
  return most + std::log(sum);
}

std::vector<double> probabilities_of_what_came(const NetworkRun& run) {
  if (!run.logits || !run.input.tokens || run.logits->shape().size() != 3) return {};
  const Index n = run.positions(), vocabulary = run.logits->dim(2), ahead = run.hides_later() ? 1 : 0;
  if (run.logits->dim(1) != n) return {};
  std::vector<double> came(static_cast<std::size_t>(n), nothing);
  for (Index i = ahead; i < n; ++i) {
    const float* row = run.logits->data() + (i - ahead) * vocabulary;
    const Index id = run.input.tokens->ids[static_cast<std::size_t>(i)];
    came[static_cast<std::size_t>(i)] = std::exp(row[id] - log_sum(row, vocabulary));
  }
  return came;
}

// Takes the logits out of the trace: they are its largest step.
std::shared_ptr<const Tensor> take_logits(Trace& trace) {
  std::shared_ptr<const Tensor> logits;
  for (const char* id : {"class_logits", "logits"})
    if (const Step* step = trace.find(id)) logits = step->values;
  std::erase_if(trace.steps, [&](const Step& step) { return step.values == logits; });
  return logits;
}

// How large the stream is in front of each layer, of the last norm and of the logits: the mean over positions of its
// norm, beside the greatest.
std::vector<float> sizes_of_stream(const Trace& trace, Index layers) {
  std::vector<float> sizes{0};
  for (Index l = 0; l <= layers + 1; ++l) {
    const std::string id = l < layers ? fmt::format("layer{}/input", l) : l == layers ? "hidden" : "final_norm";
    const Step* step = trace.find(id);
    if (!step) step = trace.find("hidden");
    const Tensor& x = step->tensor();
    double sum = 0;
    for (Index i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * x[i];
    sizes.push_back(static_cast<float>(std::sqrt(sum)));
  }
  const float most = *std::ranges::max_element(sizes);
  if (most > 0)
    for (float& size : sizes) size /= most;
  return sizes;
}

std::vector<std::string> words_of(const headlight::Model& model, const ModelInput& input, Index positions) {
  if (!input.shown.empty()) return input.shown;
  if (!input.words.empty()) return input.words.front();
  std::vector<std::string> words = labels_of_input(model, input).tokens.lists.front();
  const Index side = model.plan().image_size / model.plan().patch;
  for (auto i = static_cast<Index>(words.size()); i < positions; ++i) {
    const Index patch = i - static_cast<Index>(model.plan().lone_tokens.size());
    words.push_back(fmt::format("{}, {}", patch / side, patch % side));
  }
  return words;
}

Result<std::shared_ptr<NetworkRun>> run_once(OpenModel& open, const ModelExperiment& asked, const NetworkRun* whole,
                                             ThreadPool& pool, const std::stop_token& stop,
                                             std::atomic<float>& progress) {
  const headlight::Model& model = *open.model;
  static std::atomic<std::uint64_t> stamps = 0;
  auto run = std::make_shared<NetworkRun>();
  run->stamp = ++stamps;
  run->asked = asked;
  run->model = open.model;
  run->tokenizer = open.tokenizer;
  HL_TRY(run->input, model_input(model, asked, open.tokenizer ? &*open.tokenizer : nullptr));
  // Ids by themselves have no words, but the folder's tokenizer has.
  if (run->tokenizer && run->input.shown.empty() && run->input.words.size() == 1 && asked.tokens)
    for (const Index id : run->input.tokens->ids) run->input.shown.push_back(run->token(id));
  const ModelPlan& plan = model.plan();
  const double n = run->input.tokens ? static_cast<double>(run->input.tokens->count)
                                     : std::pow(static_cast<double>(plan.image_size / plan.patch), 2) + 1;
  HL_CHECK(
      check_memory(2 * n * n * static_cast<double>(plan.layers * plan.heads * run->input.items()) * sizeof(float)));
  Index first = plan.layers;
  for (const ModelHead& head : asked.ablate) first = std::min(first, head.layer);
  const FromLayer from = whole && first < plan.layers ? FromLayer{&whole->trace, first} : FromLayer{};
  if (from.trace) {
    run->map_id = whole->map_id;
    run->maps.assign(whole->maps.begin(), whole->maps.begin() + from.layer);
    run->measures.assign(whole->measures.begin(), whole->measures.begin() + from.layer);
    if (!whole->mean_maps.empty())
      run->mean_maps.assign(whole->mean_maps.begin(), whole->mean_maps.begin() + from.layer);
  }
  Compute compute(pool, stop);
  const std::vector<Index> special = run->input.special();
  KeptOfLayers kept;
  kept.look = [&](Index, const Trace& trace) -> Status {
    const Step* map = trace.map();
    run->map_id = map->info.id;
    run->maps.push_back(with_hidden(trace, *map));
    run->measures.push_back(measured(*map, special, compute));
    if (map->tensor().dim(2) <= most_mixed) run->mean_maps.push_back(mean_over_heads(*map));
    return {};
  };
  ModelRunner runner(model, run->input, pool, stop, &progress, open.kept.get());
  HL_TRY(run->trace, runner.run(asked, kept, from));
  run->logits = take_logits(run->trace);
  mix_layers(*run, compute);
  run->words = words_of(model, run->input, run->positions());
  run->stream_sizes = sizes_of_stream(run->trace, plan.layers);
  run->came = probabilities_of_what_came(*run);
  run->report = report_on(open);
  return run;
}

}  // namespace

bool NetworkRun::hides_later() const {
  const Tensor& map = *maps.front();
  const Index keys = map.dim(3);
  return keys > 1 && std::isinf(map[keys - 1]);  // the first query does not see the last key
}

namespace {

bool is_whole(std::string_view text) {  // no character is cut
  if (text.find("\uFFFD") != std::string_view::npos) return false;
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    if (!step.sound) return false;
    text.remove_prefix(step.size);
  }
  return true;
}

}  // namespace

std::string NetworkRun::token(Index number) const {
  const auto id = static_cast<std::int32_t>(number);
  const std::string* known = tokenizer ? tokenizer->token(id) : nullptr;
  if (!known) return fmt::format("{}", number);
  std::string text = tokenizer->decode(std::span(&id, 1));
  if (text.empty() || !is_whole(text)) return *known;
  if (text.front() == ' ') text = "·" + text.substr(1);
  return text;
}

std::vector<Likely> NetworkRun::likely(Index place) const {
  const bool classes = logits && logits->shape().size() == 2;
  const Step* which = trace.find(classes ? "top_classes" : "top_tokens");
  const Step* how = trace.find(classes ? "top_class_probabilities" : "top_probabilities");
  std::vector<Likely> list;
  if (!which || !how) return list;
  const Tensor &numbers = which->tensor(), &parts = how->tensor();
  const Index top = numbers.dim(-1), rows = numbers.size() / numbers.dim(0) / top;
  const Index row = classes ? 0 : std::clamp<Index>(rows == positions() ? place : rows - 1, 0, rows - 1);
  for (Index k = 0; k < top; ++k) {
    const auto number = static_cast<Index>(numbers[row * top + k]);
    const auto& names = plan().class_names;
    const bool named = classes && number < static_cast<Index>(names.size());
    list.push_back({named     ? names[static_cast<std::size_t>(number)]
                    : classes ? fmt::format("class {}", number)
                              : token(number),
                    number, parts[row * top + k]});
  }
  return list;
}

double NetworkRun::probability(Index place, Index number) const {
  if (!logits) return nothing;
  const Index n = logits->dim(-1), rows = logits->size() / logits->dim(0) / n;
  const Index row = std::clamp<Index>(rows == positions() ? place : rows - 1, 0, rows - 1);
  const float* of = logits->data() + row * n;
  return std::exp(of[number] - log_sum(of, n));
}

double NetworkRun::measure(Measure measure, Index layer, Index head) const {
  const OfHeads& of = measures[static_cast<std::size_t>(layer)][measure];
  return head < static_cast<Index>(of.values.size()) && of.missing == Missing::nothing
             ? of.values[static_cast<std::size_t>(head)]
             : nothing;
}

double NetworkRun::middle(Measure which) const {
  std::vector<double> all;
  for (Index l = 0; l < static_cast<Index>(measures.size()); ++l)
    for (Index m = 0; m < plan().heads; ++m)
      if (const double value = measure(which, l, m); std::isfinite(value)) all.push_back(value);
  if (all.empty()) return nothing;
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, at);
  return *at;
}

Result<std::shared_ptr<const NetworkRun>> run_network(OpenModel& open, const ModelExperiment& asked,
                                                      std::shared_ptr<const NetworkRun> before, ThreadPool& pool,
                                                      std::stop_token stop, std::atomic<float>& progress) {
  HL_CHECK(open_folder(open));
  ModelExperiment as_it_is = asked;
  as_it_is.ablate.clear();
  std::shared_ptr<const NetworkRun> whole = before && before->whole ? before->whole : before;
  if (!whole || whole->model != open.model || !ask_the_same(whole->asked, as_it_is)) {
    HL_TRY(whole, run_once(open, as_it_is, nullptr, pool, stop, progress));
  }
  if (asked.ablate.empty()) return whole;
  HL_TRY(auto run, run_once(open, asked, whole.get(), pool, stop, progress));
  run->whole = whole;
  if (run->logits && whole->logits) run->divergence = mean_divergence(*whole->logits, *run->logits);
  return std::shared_ptr<const NetworkRun>(std::move(run));
}

Experiment experiment_of_layer(const NetworkRun& run, Index layer) {
  auto numbers = std::make_shared<StepNumbers>();
  const std::string step = fmt::format("layer{}/input", layer);
  numbers->values = run.trace.find(step)->values;
  numbers->labels = labels_of_input(*run.model, run.input, TokenWords::shown);
  ModelExperiment of = run.asked;
  of.ablate.erase(
      std::remove_if(of.ablate.begin(), of.ablate.end(), [&](const ModelHead& head) { return head.layer >= layer; }),
      of.ablate.end());
  of.view = {};
  return layer_experiment(*run.model, layer, StepInput{step, to_json(of, {}), std::move(numbers)});
}

}  // namespace headlight::app
