// A model that is open in the window, and a run of it: all maps on hand, every head measured, what comes next.
//
// Off the window's thread. Not for a layer, which runs as any experiment: engine/run.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/state/network.h"
#include "engine/measures/head_measures.h"
#include "engine/models/inputs.h"
#include "engine/run/kept_model.h"
#include "engine/run/run_queue.h"
#include "engine/tokens/tokenizer.h"

namespace headlight::app {

// What of a model's folder is read: its files with a few words each, and what became of the arrays.
struct ModelReport {
  std::vector<std::pair<std::string, std::string>> files;  // "config.json", "gpt2"
  std::string tokenizer;                                   // "byte-level BPE"; empty where there is none
  std::size_t used = 0, arrays = 0;
  std::vector<std::string> passed;   // "attn.bias": names without their layer
  std::vector<std::string> assumed;  // "rope_theta 10000"
};

// Of one folder. It is opened by the first run; then the model does not change, and what is kept is for the thread of
// runs alone.
struct OpenModel {
  explicit OpenModel(std::filesystem::path of) : folder(std::move(of)) {}
  const std::filesystem::path folder;
  std::shared_ptr<const headlight::Model> model;
  std::optional<Tokenizer> tokenizer;
  std::unique_ptr<KeptModel> kept;
};

// The tokens or classes that a model finds likeliest.
struct Likely {
  std::string name;
  Index number = 0;
  double probability = 0;
};

// Immutable once made.
struct NetworkRun {
  std::uint64_t stamp = 0;  // another for each run
  ModelExperiment asked;
  std::shared_ptr<const headlight::Model> model;
  std::optional<Tokenizer> tokenizer;
  ModelInput input;
  std::vector<std::string> words;  // what positions are called
  Trace trace;                     // without maps and logits
  std::string map_id;              // what a layer calls its map
  // Of each layer (B, M, n, n): −∞ where the key is hidden.
  std::vector<std::shared_ptr<const Tensor>> maps;
  std::vector<Step> mean_maps;                   // of each layer (B, 1, n, n), over its heads; none of long texts
  std::shared_ptr<const Tensor> means, rollout;  // of the first item (L, n, n), −∞ where hidden; null of long texts
  std::vector<HeadMeasures> measures;            // of each layer
  std::shared_ptr<const Tensor> logits;          // or those of classes; null where the model has neither
  std::vector<float> stream_sizes;               // of each stop of the stack, what comes in, the greatest being 1
  std::vector<double> came;                 // how probable the token was that came, at each place; NaN where none did
  std::optional<double> divergence;         // where heads are off: Σ p ln(p / p′), nats, p as the model is
  std::shared_ptr<const NetworkRun> whole;  // where heads are off: as the model is
  ModelReport report;

  const ModelPlan& plan() const { return model->plan(); }
  Index positions() const { return maps.front()->dim(2); }
  // Whether a query sees no later key: tokens are foretold from those before.
  bool hides_later() const;
  // What a token of the vocabulary is shown as.
  std::string token(Index number) const;
  // At a place, the likeliest first; of a model of pictures its classes, wherever.
  std::vector<Likely> likely(Index place) const;
  // Of the token or class of that number at a place.
  double probability(Index place, Index number) const;
  // Of a head: NaN where it has none.
  double measure(Measure measure, Index layer, Index head) const;
  // Of all heads the middle one; NaN where none has a number.
  double middle(Measure measure) const;
};

// Runs what is asked; `before` is the last run of the same folder, whose parts serve again, or null.
Result<std::shared_ptr<const NetworkRun>> run_network(OpenModel& open, const ModelExperiment& asked,
                                                      std::shared_ptr<const NetworkRun> before, ThreadPool& pool,
                                                      std::stop_token stop, std::atomic<float>& progress);

// The layer of a run as an experiment of its own.
Experiment experiment_of_layer(const NetworkRun& run, Index layer);

}  // namespace headlight::app
