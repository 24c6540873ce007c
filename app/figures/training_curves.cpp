#include "app/figures/training_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/words.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_figures = 4;  // more would not be told apart

template <class Value>
TrainCurve curve_of(const learn::Film& film, const Value& value) {
  TrainCurve curve;
  const auto add = [&](const learn::FilmFrame& frame) {
    if (const std::optional<double> number = value(frame); number && std::isfinite(*number))
      curve.points.emplace_back(frame.step, *number);
  };
  for (const auto& frame : film.frames) add(*frame);
  if (film.newest && (film.frames.empty() || film.newest->step > film.frames.back()->step)) add(*film.newest);
  return curve;
}

}  // namespace

TrainCurve loss_of(const learn::Film& film) {
  return curve_of(film, [](const learn::FilmFrame& frame) { return std::optional(frame.loss); });
}

TrainCurve figure_of(const learn::Film& film, const std::string& id) {
  return curve_of(film, [&](const learn::FilmFrame& frame) -> std::optional<double> {
    const auto found = frame.figures.find(id);
    return found == frame.figures.end() ? std::nullopt : std::optional(found->second);
  });
}

// Those of texts are in nats, but for what is measured on weights.
bool is_loss(const learn::Task& task, const learn::FigureWords& figure) {
  return task.reads_text() && !figure.of_weights;
}

const learn::FigureWords& learned_figure(const learn::Task& task) {
  return *std::ranges::find(task.figures(), task.info().learned, &learn::FigureWords::id);
}

std::string threshold_in_words(const learn::Task& task) {
  const learn::TaskInfo& info = task.info();
  return fmt::format("clicks at {} {}{:g}", lower_first(learned_figure(task).title), info.falls ? "≤ " : "",
                     info.threshold);
}

std::vector<TrainCurve> figure_curves(const learn::Film& film) {
  const learn::Task& task = *film.plan->task;
  std::vector<TrainCurve> curves;
  const auto add = [&](const learn::FigureWords& figure) {
    TrainCurve curve = figure_of(film, figure.id);
    curve.name = lower_first(figure.title);
    curve.of_weights = figure.of_weights;
    curve.dashed = std::ranges::count(curves, curve.of_weights, &TrainCurve::of_weights) > 0;
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  };
  const auto& figures = task.figures();
  const std::string& learned = task.info().learned;
  for (const learn::FigureWords& figure : figures)
    if (figure.id == learned && !is_loss(task, figure)) add(figure);
  for (const learn::FigureWords& figure : figures)
    if (figure.id != learned && !is_loss(task, figure) && curves.size() < most_figures) add(figure);
  return curves;
}

std::vector<TrainCurve> loss_curves(const learn::Film& film) {
  std::vector<TrainCurve> losses;
  const auto add = [&](TrainCurve curve, const std::string& name) {
    curve.name = fmt::format("{} {:.3f}", name, curve.points.empty() ? 0 : curve.points.back().second);
    curve.dashed = !losses.empty();
    losses.push_back(std::move(curve));
  };
  add(loss_of(film), "loss");
  for (const learn::FigureWords& figure : film.plan->task->figures())
    if (is_loss(*film.plan->task, figure) && figure.id != "loss")
      add(figure_of(film, figure.id), lower_first(figure.title));
  return losses;
}

double top_of(const std::vector<TrainCurve>& curves) {
  double most = 1e-9;
  for (const TrainCurve& curve : curves)
    for (const auto& [step, value] : curve.points) most = std::max(most, value);
  const double unit = std::pow(10.0, std::floor(std::log10(most)));
  for (const double times : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (times * unit >= 0.999 * most) return times * unit;
  return 10 * unit;
}

}  // namespace headlight::app
