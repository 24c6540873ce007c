// Weights that were learned once and are held in the program itself: parts of networks, each of them a set for one
// mechanism. tools/make_trained makes them anew.
//
// Not for learning: engine/learn.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"

namespace headlight {

struct TrainedSet {
  std::string id;     // "induction"
  std::string title;  // "Induction head"
  std::string variant;
  std::vector<std::pair<std::string, ParamValue>> params;  // that it has learned with, but for defaults
  HeadInfo head;                                           // what each of its heads has learned to do
  std::map<std::string, std::shared_ptr<const Tensor>, std::less<>> arrays = {};
};

// All of them, in the order in which they are listed.
const std::vector<TrainedSet>& trained_sets();

// That which the experiment's weights ask for: the one that they name, or the only one of the mechanism whose sizes are
// those that are given. Errors say which there are, and what they need.
Result<const TrainedSet*> trained_set_of(const Experiment& experiment);

// Of the problem's mechanism, with arrays of the shapes that its weights have; null where there is none.
const TrainedSet* trained_set_for(const Problem& problem);
// Why there is none; empty where there is one.
std::string why_no_trained_set(const Problem& problem);

}  // namespace headlight
