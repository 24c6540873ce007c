// Gradient × attention of the token that a run finds likeliest after a place: why it cannot be asked, its maps, and the
// same as steps that a figure shows.
//
// Not for its mathematics: engine/run/logit_gradients.h.
#pragma once

#include <atomic>
#include <stop_token>
#include <string>

#include "app/model/network_figure.h"

namespace headlight::app {

// Why it cannot be asked; empty where it can.
std::string why_no_relevance(const NetworkRun& run);
std::string why_no_relevance(const Model& model);

// The token that it is asked of: the likeliest after a place, or after the one that a figure names. The maps are not
// made. Errors: a run that has none, a batch of several texts, a place that there is none of.
RelevanceMaps relevance_asked(const NetworkRun& run, Index place);
Result<RelevanceMaps> relevance_asked(const NetworkRun& run, const FigureRequest& request);

// The maps of what is asked. Errors: as of logit_gradients().
Result<RelevanceMaps> make_relevance(const OpenModel& open, const NetworkRun& run, RelevanceMaps asked,
                                     ThreadPool& pool, std::stop_token stop, std::atomic<float>& progress);

// What a figure takes of a run, with these in place of what was made of another token.
FigureRun with_relevance(const FigureRun& figured, const RelevanceMaps& made);

// Why what a figure takes of a model is not there; empty where it is, or where no model is shown.
std::string why_not_figured(const Model& model);

}  // namespace headlight::app
