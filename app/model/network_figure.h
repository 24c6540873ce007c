// A model's run as figures take one: the maps of its layers, with what its positions are called.
//
// Not for what a figure shows of it: app/figures/figure_layers.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/figures/figure_request.h"
#include "app/model/network_run.h"
#include "engine/variants/variant.h"

namespace headlight::app {

struct FigureRun {
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const Trace> trace;
};

// Of maps (B, n_q, n_k) of a part.
std::vector<Axis> axes_of_maps(const NetworkRun& run, const PartRun& part, Index items);

// Shares the maps: −∞ in them stands where a key is hidden. Nothing of a run that did not keep them all.
FigureRun make_figure_run(const NetworkRun& run);

// What a figure takes of the maps of a model.
struct MapSelection {
  ModelPart part = ModelPart::first;
  std::vector<Index> layers;
  bool mean = false;           // over the heads, which are then one
  std::optional<Index> query;  // its row alone
  bool operator==(const MapSelection&) const = default;
};
MapSelection map_selection(const NetworkRun& run, const FigureRequest& request);

// Of a run that did not keep its maps: what is taken of them, where that has room (bytes). The layers are run again one
// after another from the streams before them, and one map at a time is there as a whole: the same numbers.
// Errors: what is taken has no room; a layer, part or query that there is none of.
Result<FigureRun> make_figure_run(OpenModel& open, const NetworkRun& run, const MapSelection& taken, double room,
                                  ThreadPool& pool, const std::stop_token& stop, std::atomic<float>& progress);

// The run of a model of many layers that a session asked for last, and what became of it. For session_network.cpp.
struct LayersRequest {
  std::uint64_t ticket = 0;
  std::shared_ptr<OpenModel> open;
  // Written by the thread of runs before its outcome is polled.
  std::shared_ptr<const NetworkRun> run;
  FigureRun figured;
};

}  // namespace headlight::app
