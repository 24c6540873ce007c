// Plain attention: what a mechanism is without the choices that change which weights come out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/params/params.h"

namespace headlight {

// What to compare a mechanism with that has no plain setting of its own: the id of another variant that takes the same
// inputs and weights, with those of its parameters that are away from their defaults.
struct PlainTwin {
  std::string variant;
  std::vector<std::pair<std::string, ParamValue>> params;
};

// One of several ways to score a pair of query and key, and what makes it: a variant and its parameters.
struct ScoreForm {
  std::string title;    // "General"
  std::string formula;  // in a line of text: "qW·k"
  PlainTwin made_by;
  bool own = false;  // of the mechanism that names it
};

// Whether a parameter stands for a choice that is not plain: one of where positions enter, who may look, how many keys
// are kept or how scores become weights, away from its default while it takes part. Positions that are added to
// the tokens and a causal mask are as plain as none (Vaswani et al. 2017, sections 3.5 and 3.2.3).
bool differs_from_plain(const std::vector<ParamSpec>& specs, const ParamSpec& spec, const ParamValues& values);

// Their ids, in the order of the specs; without those that only say more of another in the list.
std::vector<std::string> non_plain_choices(const std::vector<ParamSpec>& specs, const ParamValues& values);

// The values with every such choice at its default. With `same_weights`, those stay by which weights have other
// shapes: how many keys are kept, and two maps a head.
ParamValues with_plain_choices(const std::vector<ParamSpec>& specs, ParamValues values, bool same_weights);

}  // namespace headlight
