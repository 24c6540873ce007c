// What a run's choices change against plain attention: the same run with plain choices, the same with all places moved
// on, and the numbers that follow.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/model/model.h"
#include "engine/measures/mechanism_figures.h"

namespace headlight::app {

struct MechanismReport {
  std::uint64_t of_ticket = 0;  // of the result that it is of
  // Without an experiment: there is none, as nothing differs or no place is read. With neither trace nor error: not
  // run yet.
  Outcome plain;
  Outcome moved;
  Outcome sinusoidal, sinusoidal_moved;  // the same weights with sinusoids in place of what tells places
  std::vector<Outcome> scores;  // of the mechanism's score_forms(), in their order; that of its own has nothing
  std::shared_ptr<const MechanismFigures> figures, plain_figures;  // null: not found yet
  std::vector<double> sinusoidal_shifts;                           // of each head; empty: not found
  std::stop_source enough;                                         // nobody asks for them any more
};

// So far are all tokens moved on to see what a shift changes.
inline constexpr Index places_moved = 5;

// Ids of the parameters that differ from plain, in what is asked.
std::vector<std::string> non_plain_choices(const Model& model);
// Whether a choice differs that leaves the weights their shapes, or the mechanism has another for its plain one.
bool differs_in_map(const Experiment& experiment);
// The same experiment with plain choices, or through the mechanism that is plain for it, and the weights that it ran
// with; nothing where nothing differs.
std::optional<Experiment> plain_beside(const Experiment& experiment, const Problem& problem);
// The same inputs through each of the mechanism's score_forms(), with those weights of the run that it takes; null for
// the run's own, and none at all where the experiment is edited by hand.
std::vector<std::optional<Experiment>> scores_beside(const Experiment& experiment, const Problem& problem);
// The same experiment and weights with sinusoids added to queries and keys (Vaswani et al. 2017, section 3.5) in place
// of rotary positions or a term by distance; nothing where it has neither, or such codes besides.
std::optional<Experiment> sinusoidal_beside(const Experiment& experiment, const Problem& problem);

}  // namespace headlight::app
