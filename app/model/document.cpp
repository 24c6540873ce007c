#include "app/model/document.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "app/model/network.h"
#include "engine/core/system/paths.h"
#include "engine/io/embedded.h"

namespace headlight::app {

namespace fs = std::filesystem;

namespace {

// Clears what was shown of the document before.
void clear_shown(Model& model) {
  model.error.clear();
  model.error_about = {};
  model.too_large.reset();
  model.companions.clear();
  model.screen = Screen::explore;
  model.playing = false;
  model.hover.reset();
  model.term.clear();
  model.comparison.before = {};
  model.comparison.change_shown = false;
}

void show(Model& model, Experiment experiment, fs::path path) {
  model.document.network = nullptr;
  model.document.network_file = nullptr;
  model.document.layer_open = false;
  model.document.look = look_of(experiment.view);
  model.document.figure = {};
  static_cast<DocumentFile&>(model) = DocumentFile();
  model.file_id = model.revision();
  model.file_view = experiment.view;
  model.rest_view = view_of(model.document.look);
  model.stamp = stamp_of(path);
  model.path = std::move(path);
  model.notices.clear();
  for (const auto& notice : experiment.notices) model.notices.push_back({Notice::Level::note, notice});
  model.document.experiment = std::make_shared<const Experiment>(std::move(experiment));
  model.saved = model.text();
  model.touch();
  clear_shown(model);
}

// Of a model what a person chose, inside what a first run will show.
NetworkLook look_of(const ModelView& view) {
  NetworkLook look;
  look.part = view.part;
  look.layer = view.layer.value_or(0);
  look.head = view.head.value_or(0);
  look.depth = look.layer + 1;
  look.query = view.query;
  look.key = view.key;
  look.item = view.batch.value_or(0);
  return look;
}

void show(Model& model, ModelExperiment asked, fs::path path) {
  Network network{std::move(asked), {}};
  network.look = look_of(network.asked.view);
  std::string folder = utf8(path_of_utf8(network.asked.model).lexically_normal().filename());
  if (folder.empty()) folder = utf8(path_of_utf8(network.asked.model).lexically_normal().parent_path().filename());
  Experiment none = default_experiment("multi_head");  // until a layer is opened
  none.notices = network.asked.notices;
  show(model, std::move(none), std::move(path));
  model.name = std::move(folder);
  model.document.network = std::make_shared<const Network>(std::move(network));
  model.saved = model.text();
  model.shown = {};
}

void show(Model& model, AnyExperiment experiment, fs::path path) {
  std::visit([&](auto& of_kind) { show(model, std::move(of_kind), std::move(path)); }, experiment);
}

// Whatever takes the place of what is shown, undo brings that back, its file with it.
template <class Change>
void replace(Model& model, std::string name, const Change& change) {
  HistoryEntry entry{std::move(name), "", model.document, static_cast<const DocumentFile&>(model)};
  change();
  if (entry.name.empty()) entry.name = "opening " + model.title();
  push(model, std::move(entry), false);
}

}  // namespace

void begin_at_first_step(Model& model) {
  model.document.look = {};
  model.document.look.step = model.primary_input();
  model.rest_view = view_of(model.document.look);
}

void load(Model& model, AnyExperiment experiment, fs::path path) {
  replace(model, "", [&] { show(model, std::move(experiment), std::move(path)); });
}

void load_first(Model& model, AnyExperiment experiment, fs::path path) {
  show(model, std::move(experiment), std::move(path));
  model.history = {};
}

void show_trained(Model& model, Experiment part, const std::string& called, std::shared_ptr<const Experiment> before) {
  replace(model, fmt::format("{} {}", before ? "comparing" : "exploring", called), [&] {
    auto training = model.document.training;
    show(model, std::move(part), {});
    model.name = called;
    model.document.training = std::move(training);
    model.document.held = std::move(before);
  });
}

void show_layer(Model& model, Experiment layer, const std::string& called) {
  replace(model, fmt::format("opening {}", called), [&] {
    const auto network = model.document.network;
    const auto file = std::make_shared<const DocumentFile>(model);
    const std::string name = fmt::format("{} · {}", utf8(path_of_utf8(model.title()).stem()), called);
    show(model, std::move(layer), {});
    model.name = name;
    model.document.network = network;
    model.document.network_file = file;
    model.document.layer_open = true;
  });
}

void show_network_again(Model& model) {
  if (!model.document.network_file) return;
  replace(model, "going back to the model", [&] {
    static_cast<DocumentFile&>(model) = *model.document.network_file;
    model.document.network_file = nullptr;
    model.document.layer_open = false;
    model.notices.clear();
    model.touch();
    clear_shown(model);
    model.shown = {};
  });
}

std::string text_of(const Document& document) {
  if (!document.network || document.layer_open) return to_json(*document.experiment, {});
  ModelExperiment asked = document.network->asked;
  asked.view = {};
  return to_json(asked, {});
}

ModelExperiment with_view(const Network& network) {
  ModelExperiment experiment = network.asked;
  const NetworkLook& look = network.look;
  experiment.view = {look.layer, look.head, look.query, look.key, look.part};
  if (look.item > 0) experiment.view.batch = look.item;
  return experiment;
}

void go(Model& model, std::deque<HistoryEntry>& from, std::deque<HistoryEntry>& to) {
  if (from.empty()) return;
  HistoryEntry entry = std::move(from.back());
  from.pop_back();
  std::swap(entry.before, model.document);
  if (entry.origin) {
    std::swap(*entry.origin, static_cast<DocumentFile&>(model));
    model.notices.clear();
    clear_shown(model);
    if (model.shows_network()) model.shown = {};
  }
  to.push_back(std::move(entry));
  model.touch();
  model.history.open = false;
}

namespace {

// As files name them, in the order of ViewMode.
constexpr std::array<std::string_view, 8> modes{"map",   "matrix",    "lines",  "numbers",
                                                "heads", "mechanism", "layers", "arrows"};

}  // namespace

bool Look::hides(std::string_view part) const {
  return std::ranges::find(hide, part) != hide.end();
}

View view_of(const Look& look) {
  const auto step = look.step.empty() ? std::nullopt : std::optional(look.step);
  View view{step, look.batch, look.head, look.selection.query, look.selection.key, {}};
  if (look.mode != ViewMode::map) view.mode = modes[static_cast<std::size_t>(look.mode)];
  view.hide = look.hide;
  return view;
}

Look look_of(const View& view) {
  Look look;
  look.step = view.step.value_or("");
  look.batch = view.batch.value_or(0);
  look.head = view.head.value_or(0);
  look.selection = {view.query, view.key, std::nullopt};
  look.pinned = view.query.has_value() && view.key.has_value();
  look.hide = view.hide;
  const auto mode = std::ranges::find(modes, view.mode.value_or("map"));
  if (mode != modes.end()) look.mode = static_cast<ViewMode>(mode - modes.begin());
  return look;
}

Experiment with_view(const Document& document) {
  Experiment experiment = *document.experiment;
  experiment.view = view_of(document.look);
  return experiment;
}

std::string stamp_of(const fs::path& path) {
  std::error_code error;
  if (path.empty() || !fs::is_regular_file(path, error)) return {};
  const auto written = fs::last_write_time(path, error).time_since_epoch().count();
  return fmt::format("{} {}", written, fs::file_size(path, error));
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (a.empty() || b.empty()) return false;
  return fs::absolute(a, error).lexically_normal() == fs::absolute(b, error).lexically_normal() ||
         fs::equivalent(a, b, error);
}

namespace {

// Counts each part that is shared once, where it is met first.
class Counter {
 public:
  std::size_t bytes(const Document& document) {
    std::size_t sum =
        sizeof document + bytes(document.experiment) + bytes(document.held) + bytes(document.network_file);
    if (is_new(document.training.get())) sum += sizeof(learn::TrainingPlan) + text_to_learn(*document.training).size();
    if (is_new(document.network.get())) {
      const ModelExperiment& asked = document.network->asked;
      sum += sizeof(Network) + (asked.tokens && asked.tokens->text ? asked.tokens->text->size() : 0);
    }
    return sum;
  }
  std::size_t bytes(const HistoryEntry& entry) {
    return sizeof entry + entry.name.size() + bytes(entry.before) + (entry.origin ? bytes(*entry.origin) : 0);
  }

 private:
  std::unordered_set<const void*> counted_;

  bool is_new(const void* part) { return part && counted_.insert(part).second; }

  std::size_t bytes(const std::shared_ptr<const DocumentFile>& file) { return is_new(file.get()) ? bytes(*file) : 0; }
  std::size_t bytes(const DocumentFile& file) {
    std::size_t sum = sizeof file + (is_new(file.saved.get()) ? file.saved->size() : 0);
    for (const auto& [path, companion] : file.recipe_companions) sum += path.size() + bytes(companion);
    return sum;
  }

  std::size_t bytes(const std::shared_ptr<const Experiment>& experiment) {
    return is_new(experiment.get()) ? bytes(*experiment) : 0;
  }
  std::size_t bytes(const Experiment& experiment) {
    std::size_t sum = sizeof experiment + experiment.notes.size() + experiment.edits.size() * sizeof(Edit);
    if (is_new(&*experiment.document)) sum += experiment.document->size();
    for (const auto& [id, input] : experiment.inputs) sum += bytes(input);
    for (const auto& file : experiment.files)
      if (is_new(file.get())) sum += sizeof *file + file->bytes.size() + file->base64.size();
    return sum;
  }

  std::size_t bytes(const InputSpec& input) {
    std::size_t sum = sizeof input;
    if (const auto* text = std::get_if<TextInput>(&input)) sum += text->text.size();
    if (const auto* step = std::get_if<StepInput>(&input)) {
      sum += step->of.size();
      if (step->known && is_new(step->known->values.get()))
        sum += static_cast<std::size_t>(step->known->values->size()) * sizeof(float);
    }
    const auto* literal = std::get_if<LiteralInput>(&input);
    if (literal && is_new(&*literal->values)) sum += literal->values->size() * sizeof(float);
    if (const ArrayLabels* labels = labels_of(input))
      for (const TokenList* tokens : {&labels->tokens, &labels->key_tokens})
        for (const auto& list : tokens->lists)
          for (const std::string& token : list) sum += sizeof token + token.size();
    return sum;
  }
};

}  // namespace

std::size_t bytes_held(const Model& model) {
  Counter counter;
  counter.bytes(model.document);
  std::size_t sum = 0;
  for (const HistoryEntry& entry : model.history.undo) sum += counter.bytes(entry);
  return sum;
}

void push(Model& model, HistoryEntry entry, bool open) {
  History& history = model.history;
  history.undo.push_back(std::move(entry));
  history.redo.clear();
  history.open = open;
  Counter counter;
  counter.bytes(model.document);
  std::size_t held = 0, kept = 0;
  for (auto at = history.undo.rbegin(); at != history.undo.rend() && kept < longest_history; ++at, ++kept)
    if ((held += counter.bytes(*at)) > largest_history && kept > 0) break;
  history.undo.erase(history.undo.begin(), history.undo.end() - static_cast<std::ptrdiff_t>(kept));
}

}  // namespace headlight::app
