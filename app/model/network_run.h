// A model that is open in the window, and a run of it: all maps on hand where they fit, every head measured, what comes
// next.
//
// Off the window's thread. Not for a layer, which runs as any experiment: engine/run.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/model/network.h"
#include "engine/measures/layer_maps.h"
#include "engine/models/inputs.h"
#include "engine/run/model_run.h"
#include "engine/run/queue/run_queue.h"
#include "engine/tokens/tokenizer.h"

namespace headlight::app {

struct Model;

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
  std::shared_ptr<const StoredModel> model;
  std::optional<Tokenizer> tokenizer;
  std::unique_ptr<KeptModel> kept;
  std::optional<double> room_for_maps;  // bytes; nothing: what is free
};

// The tokens or classes that a model finds likeliest.
struct Likely {
  std::string name;
  Index number = 0;
  double probability = 0;
};

// How a token that a model finds likely stands to the place that says it.
inline const char* after_or_in_place_of(bool predicts_next) {
  return predicts_next ? "after" : "in place of";
}

// Immutable once made.
struct NetworkRun {
  std::uint64_t stamp = 0;  // another for each run, whichever item is looked at
  Index item = 0;           // of the batch that is looked at: all below is of it where it is of one
  ModelExperiment asked;
  std::shared_ptr<const StoredModel> model;
  std::optional<Tokenizer> tokenizer;
  ModelInput input;
  Trace trace;                              // without maps and logits
  std::string map_id;                       // what a layer calls its map
  double bytes_of_maps = 0;                 // that the run keeps of its maps, and of what is made of them
  std::string few_maps;                     // that maps are made when they are looked at, and why; empty: all are kept
  std::vector<PartRun> parts;               // that have run, as the plan has them
  std::shared_ptr<const Tensor> logits;     // or those of classes; null where the model has neither
  std::optional<LogitTerms> terms;          // what those are sums of
  std::vector<double> likelihoods;          // how probable the token was that came, at each place; NaN where none did
  std::optional<double> divergence;         // where heads are off: Σ p ln(p / p′), nats, p as the model is
  std::shared_ptr<const NetworkRun> whole;  // where heads are off: as the model is
  std::map<LayerOfModel, std::vector<Edit>> heads_off;  // by which a layer switches them off
  ModelReport report;

  const ModelPlan& plan() const { return model->plan(); }
  // The run of that part, or of the first part where that one has not run.
  const PartRun& of(ModelPart part) const;
  PartRun& of(ModelPart part) { return const_cast<PartRun&>(std::as_const(*this).of(part)); }
  bool has(ModelPart part) const { return std::ranges::find(parts, part, &PartRun::part) != parts.end(); }
  // The part whose queries say something: a decoder's, else the first.
  const PartRun& output_part() const { return of(plan().has_decoder() ? ModelPart::decoder : parts.front().part); }
  bool has_output(ModelPart part) const { return !plan().has_decoder() || !in_first_stack(part); }
  // Of the batch: the most that a part has.
  Index items() const;
  // Of every part.
  std::size_t heads_of_all_parts() const;
  // The last stop of a part's stack: 0 embeddings, then its layers, the last norm, and the logits of one that says.
  Index last_stop(ModelPart part) const { return plan().layers_of(part) + (has_output(part) && logits ? 2 : 1); }
  // Whether the tokens that it finds likely come after a place; else they are in place of that one's.
  bool predicts_next() const;
  // What a token of the vocabulary is shown as.
  std::string token(Index number) const;
  // At a place, the likeliest first; of a model of pictures its classes, wherever.
  std::vector<Likely> likely(Index place) const;
  // Of the token or class of that number at a place.
  double probability(Index place, Index number) const;
};

// Why layers of several sizes have no rollout and no mean.
inline constexpr const char* several_sizes =
    "Layers of this model look at pictures of several sizes: their maps do not lie on one another";

// Runs what is asked; `before` is the last run of the same folder, whose parts serve again, or null. An item that the
// batch does not have counts as its last.
Result<std::shared_ptr<const NetworkRun>> run_network(OpenModel& open, const ModelExperiment& asked, Index item,
                                                      std::shared_ptr<const NetworkRun> before, ThreadPool& pool,
                                                      std::stop_token stop, std::atomic<float>& progress);

// The map (B, M, n_q, n_k) of a layer, −∞ where the key is hidden, made again from the stream before it: the same bits.
Result<std::shared_ptr<const Tensor>> map_of_layer(OpenModel& open, const NetworkRun& run, LayerOfModel layer,
                                                   ThreadPool& pool, std::stop_token stop);

// Of such a map the row of a query in each of its heads (B, M, 1, n_k).
Tensor row_of_maps(const Tensor& maps, Index query);

// The layer of a run as an experiment of its own.
Experiment experiment_of_layer(const NetworkRun& run, LayerOfModel layer);

}  // namespace headlight::app
