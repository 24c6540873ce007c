#include "app/model/history.h"

#include <unordered_set>

#include "app/model/network.h"
#include "engine/io/embedded.h"

namespace headlight::app {

namespace {

// Counts each part that is shared once, where it is met first.
class Counter {
 public:
  std::size_t bytes(const Document& document) {
    std::size_t sum =
        sizeof document + bytes(document.experiment) + bytes(document.held) + bytes(document.network_file);
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
    for (const auto& [path, companion] : file.companions_from_a_recipe) sum += path.size() + bytes(companion);
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
