// The maps of a run of several layers that a figure shows together: of which layers, and what is made of them, their
// mean over heads, rollout, and the row of one query in every layer.
//
// Not for layers that are experiments of their own: figure_plan.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figures/figure_request.h"
#include "engine/measures/measure.h"
#include "engine/trace/trace.h"

namespace headlight::app {

// What --step calls the rollout of the layers, which no trace holds.
inline constexpr const char* rollout_id = "rollout";

// The measure that a step's id names, "measure/entropy": a number for each head of each layer, which no trace holds.
std::optional<Measure> measure_in(const std::string& step);

// Whether the maps alone say it: not of runs, outputs and tokens that stand for no text.
bool needs_only_maps(Measure measure);

// Steps that are made for a figure: whoever draws it keeps them.
using OwnedSteps = std::vector<std::shared_ptr<const Step>>;

struct LayerOfRun {
  Index number = 0;                // counted from 0
  std::vector<const Step*> steps;  // of the trace, or made
};

// Whether a request is about the layers of one run rather than about steps by their ids.
bool is_of_layers(const FigureRequest& request);

// The number of layers of a run; 0 where it has none.
Index layers_of(const Trace& trace);
// Those that are asked for. Errors: a run without layers, or without one of them.
Result<std::vector<Index>> requested_layers(const Trace& trace, const FigureRequest& request);

// Of each layer the steps that are asked for; one alone of them all where that is a query's row through them.
// Errors: as of requested_layers(), a step that a layer has none of, rollout of maps that are not square.
Result<std::vector<LayerOfRun>> steps_of_layers(const Trace& trace, const FigureRequest& request, OwnedSteps& made);

// A map's mean over its heads, −∞ where none of them sees the key: an axis less. A step without heads is itself.
// Errors: it is no map of queries and keys.
Result<const Step*> mean_over_heads(const Trace& trace, const Step& step, OwnedSteps& made);

// What a figure shows of a step. Over a picture: a map's keys that lie on it, without those beside it; where its
// queries lie on one and its keys on none, the weights of all queries on one key. Any other step is itself. Errors:
// such a map without a key.
Result<const Step*> displayed_step(const Trace& trace, const Step& step, const FigureRequest& request,
                                   OwnedSteps& made);

// The step of which a figure is first; null where there is none.
const Step* first_step(const Trace& trace, const FigureRequest& request);

// A step of a layer by its id: "decoder/layer3/cross/weights" is "weights" of the layer 3 of cross.
struct StepOfLayer {
  LayerOfModel layer;
  std::string name;
};
std::optional<StepOfLayer> step_of_layer_in(const std::string& id);
// "layer3/weights" → "weights"; another id is itself.
std::string without_layer(const std::string& id);

}  // namespace headlight::app
