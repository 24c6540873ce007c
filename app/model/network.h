// A model of many layers that is open: what is asked of it, how it is looked at, and what it said.
//
// In code it is called a network, for `Model` is what the window shows. Not for running it: network_run.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/reading/scaling.h"
#include "engine/math/extent.h"
#include "engine/measures/measure.h"
#include "engine/models/model_experiment.h"
#include "engine/run/outcome.h"
#include "engine/trace/step.h"

namespace headlight {
struct PartRun;
}

namespace headlight::app {

// What heads are put in the order of, or marked by: a measure; none: their numbers.
using HeadOrder = std::optional<Measure>;

// How a measure shows on the heads: a ring round those that reach a bound, a list in its order, not at all.
enum class HeadMarks { ring, sort, off };
// maps: every head; token: the row of one query in every head; rollout and average: a map a layer; measure: every head
// in the colour of its number; rollout_row: the row of one query of the rollout, over the picture that it lies on;
// relevance: gradient × attention, a map a layer, of the likeliest token after the chosen query.
enum class LayersView { maps, token, rollout, average, measure, rollout_row, relevance };

// How the heads of many layers are looked at together, be they of a model that runs or of attention that was saved.
struct LayersLook {
  HeadOrder measure = Measure::induction;
  HeadMarks marks = HeadMarks::ring;
  double from = 0.3;  // heads whose measure reaches it have a ring
  LayersView view = LayersView::maps;
  bool operator==(const LayersLook&) const = default;
};

// What a model is given to read; `decoder` is what its decoder has said, as text or as numbers, whichever it reads.
enum class ModelReads { text, pair, ids, picture, decoder };

struct NetworkLook : LayersLook {
  ModelPart part = ModelPart::first;  // whose heads are shown
  Index layer = 0, head = 0;
  Index depth = 1;  // where one is in its stack: 0 embeddings, layer + 1, then the last norm and the logits
  std::optional<Index> query, key;
  Index item = 0;   // of the batch
  Scaling scaling;  // `per_head` is for a layer that is opened: here all heads are on one scale
  bool operator==(const NetworkLook&) const = default;
};

// Of a document.
struct Network {
  ModelExperiment asked;
  NetworkLook look;
};

struct NetworkRun;

// What is lost without each head of a run: Σ p ln(p / p′), nats, p being the model's probabilities and p′ those without
// the head; the mean over places. Michel, Levy and Neubig 2019, section 3.2.
struct AblationLosses {
  std::uint64_t of_stamp = 0;  // the run's
  bool running = false;
  std::vector<ModelHead> heads;                     // in the order in which they are switched off
  std::size_t done = 0;                             // of them
  std::map<ModelPart, std::vector<double>> values;  // (L, M) of each part; NaN where it is not known

  // NaN where it is not known.
  double of(ModelHead head, Index heads_of_layer) const;
};

// The map (B, M, n_q, n_k) of a layer that its run did not keep.
struct LayerMap {
  LayerOfModel layer;
  std::shared_ptr<const Tensor> map;
};

// The rows of one query in every layer of a part whose maps its run did not keep; made one layer after another.
struct QueryRows {
  std::uint64_t of_stamp = 0;  // the run's
  ModelPart part = ModelPart::first;
  Index layer = 0, query = 0;                              // as that layer counts it
  std::vector<std::shared_ptr<const Tensor>> layers = {};  // (B, M, 1, n_k); null: not yet

  std::size_t done() const { return layers.size() - static_cast<std::size_t>(std::ranges::count(layers, nullptr)); }
};

// Gradient × attention of one logit of a run, as LogitGradients has it.
struct RelevanceMaps {
  std::uint64_t of_stamp = 0;  // the run's
  Index item = 0, place = 0, token = 0;
  std::vector<Step> steps = {};  // "layer0/relevance" …, (1, n, n): R_l − I, −∞ where hidden; empty: not yet
  Extent extent = {};            // of all of them
  double value = 0;              // the logit
  std::string why_none = {};

  bool same_logit(const RelevanceMaps& other) const {
    return of_stamp == other.of_stamp && item == other.item && place == other.place && token == other.token;
  }
};

// What is known of the network that is open. Whether it runs, and why it has no result, is said as of any run.
struct NetworkShown {
  std::shared_ptr<const NetworkRun> run;  // the last good result; null before the first
  bool unread = false;                    // the folder itself could not be read: nothing is known of what it takes
  AblationLosses without;
  std::vector<LayerMap> looked;  // of that run, the newest first
  QueryRows rows;                // where that view is shown
  RelevanceMaps relevance;       // where that view is shown
  std::string not_made;          // why the map of the layer that is looked at could not be made
  Outcome figured;               // that run as figures take it (network_figure.h); no experiment is with it
  bool figure_wanted = false;    // the figure is shown once what it takes is made: not all maps of the run are kept
  std::string not_figured;       // why that is not there; empty where it is

  // The map of a layer that was looked at, or null.
  std::shared_ptr<const Tensor> looked_at(LayerOfModel layer) const;
};

}  // namespace headlight::app
