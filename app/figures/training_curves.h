// The curves of a training: its loss, and the figures that its task has, over the steps that a film has kept.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/learn/film.h"

namespace headlight::app {

struct TrainCurve {
  std::string name;
  std::vector<std::pair<Index, double>> points = {};  // by step
  bool of_weights = false;                            // it is measured on attention weights, not on what is said
  bool dashed = false;                                // another of the same kind stands before it
};

TrainCurve loss_of(const learn::Film& film);  // without a name
TrainCurve figure_of(const learn::Film& film, const std::string& id);
// The loss, and where the task counts in nats, what that comes to.
std::vector<TrainCurve> loss_curves(const learn::Film& film);
// The task's other figures, at most four, the one that says whether it was learned first.
std::vector<TrainCurve> figure_curves(const learn::Film& film);

// The figure that says whether a task was learned, and whether it is one of loss_curves().
const learn::FigureWords& learned_figure(const learn::Task& task);
bool is_loss(const learn::Task& task, const learn::FigureWords& figure);
// "clicks at right answers 0.9".
std::string threshold_in_words(const learn::Task& task);

// What an axis goes up to that holds all of them: a round number.
double top_of(const std::vector<TrainCurve>& curves);

}  // namespace headlight::app
