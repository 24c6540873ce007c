// What the view of a mechanism needs done: the runs that it is held against, and its figures off the window's thread.
#include "app/model/mechanism_report.h"
#include "app/session/session.h"
#include "engine/run/moved_places.h"

namespace headlight::app {

namespace {

constexpr const char *plain_run = "mechanism plain", *moved_run = "mechanism moved",
                     *sinusoidal_run = "mechanism sinusoidal", *sinusoidal_moved_run = "mechanism sinusoidal moved",
                     *score_run = "mechanism score ", *figures = "mechanism";

Outcome& place_of(MechanismReport& report, const std::string& key) {
  if (key.starts_with(score_run)) return report.scores[std::stoul(key.substr(std::string_view(score_run).size()))];
  return key == plain_run        ? report.plain
         : key == moved_run      ? report.moved
         : key == sinusoidal_run ? report.sinusoidal
                                 : report.sinusoidal_moved;
}

bool is_pending(const Outcome& outcome) {
  return outcome.experiment && !outcome.trace && outcome.error.empty();
}

std::shared_ptr<const Experiment> shared(std::optional<Experiment> experiment) {
  return experiment ? std::make_shared<const Experiment>(std::move(*experiment)) : nullptr;
}

}  // namespace

// Once for each result, when it is looked at.
void Session::look_at_mechanism() {
  const auto before = model_.mechanism;
  const bool of_shown = before && before->of_ticket == model_.shown.ticket;
  if (before && !of_shown) {
    std::stop_source(before->enough).request_stop();
    sides_.drop("mechanism ");
    measuring_.drop(figures);
    model_.mechanism.reset();
  }
  if (model_.document.look.mode != ViewMode::mechanism || !model_.trace() || !model_.shown.problem || of_shown) return;
  auto report = std::make_shared<MechanismReport>();
  report->of_ticket = model_.shown.ticket;
  report->plain.experiment = shared(plain_beside(*model_.shown.experiment, *model_.shown.problem));
  report->moved.experiment = shared(with_places_moved(*model_.shown.experiment, *model_.shown.problem, places_moved));
  report->sinusoidal.experiment = shared(sinusoidal_beside(*model_.shown.experiment, *model_.shown.problem));
  if (report->plain.experiment) sides_.ask(plain_run, report->plain.experiment);
  if (report->moved.experiment) sides_.ask(moved_run, report->moved.experiment);
  if (report->sinusoidal.experiment) sides_.ask(sinusoidal_run, report->sinusoidal.experiment);
  for (auto& beside : scores_beside(*model_.shown.experiment, *model_.shown.problem)) {
    Outcome& score = report->scores.emplace_back();
    score.experiment = shared(std::move(beside));
    if (score.experiment) sides_.ask(score_run + std::to_string(report->scores.size() - 1), score.experiment);
  }
  model_.mechanism = std::move(report);
  find_mechanism_figures();
}

void Session::take_mechanism(const std::string& key, Outcome outcome) {
  if (!model_.mechanism) return;
  auto report = std::make_shared<MechanismReport>(*model_.mechanism);
  Outcome& place = place_of(*report, key);
  if (place.experiment != outcome.experiment) return;
  place = std::move(outcome);
  if (key == sinusoidal_run && place.trace) {  // what it is moved from
    Outcome& moved = report->sinusoidal_moved;
    moved.experiment = shared(with_places_moved(*place.experiment, *place.problem, places_moved));
    if (moved.experiment) sides_.ask(sinusoidal_moved_run, moved.experiment);
  }
  model_.mechanism = std::move(report);
  find_mechanism_figures();
}

// As soon as the runs that they need are there.
void Session::find_mechanism_figures() {
  const MechanismReport& now = *model_.mechanism;
  for (const Outcome* outcome : {&now.plain, &now.moved, &now.sinusoidal, &now.sinusoidal_moved})
    if (is_pending(*outcome)) return;
  measuring_.run(figures, [this, report = model_.mechanism, shown = model_.shown]() -> Background::Taken {
    ThreadPool pool(1);  // this thread alone: the session's pool is the runs'
    Compute compute(pool, report->enough.get_token());
    auto next = std::make_shared<MechanismReport>(*report);
    const auto find = [&](const Outcome& of, const Trace* moved) {
      auto found = of.trace ? mechanism_figures(*of.problem, *of.trace, moved, compute) : std::nullopt;
      if (found) found->reads_places = report->moved.experiment || !reads_no_place(*of.problem);
      return found ? std::make_shared<const MechanismFigures>(std::move(*found)) : nullptr;
    };
    next->figures = find(shown, report->moved.trace.get());
    next->plain_figures = find(report->plain, nullptr);
    if (report->sinusoidal.trace && report->sinusoidal_moved.trace)
      next->sinusoidal_shifts =
          changes_of_heads(report->sinusoidal.trace->map()->tensor(), report->sinusoidal_moved.trace->map()->tensor());
    if (compute.cancelled()) return {};
    return [this, next, report] {
      if (model_.mechanism == report) model_.mechanism = next;
    };
  });
}

}  // namespace headlight::app
