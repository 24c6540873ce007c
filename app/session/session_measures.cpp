// What is measured off the window's thread, and the runs that it takes: heads, layers, the view of a mechanism.
#include <cmath>
#include <functional>
#include <utility>

#include "app/model/mechanism_report.h"
#include "app/reading/difference.h"
#include "app/reading/head_measures.h"
#include "app/reading/step_words.h"
#include "app/session/session.h"
#include "engine/io/experiment_files.h"
#include "engine/measures/head_outputs.h"
#include "engine/measures/layer_maps.h"
#include "engine/run/moved_places.h"

namespace headlight::app {

namespace {

std::string key_without(Index head) {
  return "without " + std::to_string(head);
}

// Changes what each head's absence changes, of each item of the batch.
void set_ablation(HeadReport& report, const std::function<void(HeadValues& of, Index item)>& set) {
  for (std::size_t item = 0; item < report.items.size(); ++item) {
    auto measures = std::make_shared<HeadMeasures>(*report.items[item]);
    set((*measures)[Measure::ablation], static_cast<Index>(item));
    report.items[item] = std::move(measures);
  }
}

}  // namespace

void Session::choose_measures() {
  HeadReport& report = model_.head_report;
  const Index last = std::ssize(report.items) - 1;
  report.measures =
      last < 0 ? nullptr
               : report.items[static_cast<std::size_t>(std::clamp<Index>(item_looked_at(model_).item, 0, last))];
}

// Once for each result, when the report is looked at.
void Session::measure_shown() {
  HeadReport& report = model_.head_report;
  if (report.of_ticket != model_.shown.ticket && (report.measuring || report.measures || report.ablating)) {
    measures_stop_.request_stop();
    measuring_.drop("heads");
    sides_.drop("without ");
    report = {};
  }
  choose_measures();
  if (model_.document.look.mode != ViewMode::heads || !model_.trace() || report.of_ticket == model_.shown.ticket)
    return;
  report.of_ticket = model_.shown.ticket;
  report.measuring = true;
  measures_stop_ = std::stop_source();
  measuring_.run("heads",
                 [this, trace = model_.shown.trace, token = measures_stop_.get_token()]() -> Background::Taken {
                   ThreadPool pool(1);  // this thread alone: the session's pool is the runs'
                   Compute compute(pool, token);
                   std::vector<std::shared_ptr<const HeadMeasures>> items;
                   std::vector<std::optional<HeadDistances>> distances;
                   if (const Step* map = trace->map())
                     for (HeadMeasures& item : measure_items(*trace, *map, compute)) {
                       const auto at = static_cast<Index>(items.size());
                       items.push_back(std::make_shared<const HeadMeasures>(std::move(item)));
                       distances.push_back(head_distances({map}, compute, at));
                     }
                   if (compute.cancelled()) return {};
                   return [this, items, distances] {
                     model_.head_report.items = items;
                     model_.head_report.distances = distances;
                     model_.head_report.measuring = false;
                     choose_measures();
                   };
                 });
}

void Session::ablate(bool on) {
  HeadReport& report = model_.head_report;
  sides_.drop("without ");
  report.ablating = false;
  if (!on || !report.measures || report.of_ticket != model_.shown.ticket) return;
  const auto heads = static_cast<std::size_t>(report.measures->heads);
  set_ablation(report, [&](HeadValues& of, Index) {
    of = {std::vector<double>(heads, std::nan("")), Missing::nothing};
  });
  choose_measures();
  report.ablated = 0;
  report.ablating = true;
  ask_next_without_head();
}

// Starts the next run with one head off: its number is kept, its trace is not.
void Session::ask_next_without_head() {
  HeadReport& report = model_.head_report;
  const auto edit = edit_switching_off(*model_.trace(), report.ablated);
  if (!edit || report.ablated >= report.measures->heads) {
    report.ablating = false;
    return;
  }
  auto off = std::make_shared<Experiment>(*model_.shown.experiment);
  off->edits.push_back(*edit);
  off->gradient.reset();
  sides_.ask(key_without(report.ablated), std::move(off));
}

void Session::accept_run_without_head(Index head, const Outcome& outcome) {
  HeadReport& report = model_.head_report;
  if (!report.ablating || report.of_ticket != model_.shown.ticket || head != report.ablated) return;
  if (!outcome.trace) {
    report.ablating = false;
    return note(Notice::Level::error, fmt::format("The run without head {}: {}", head, outcome.error));
  }
  set_ablation(report, [&](HeadValues& of, Index item) {
    of.values[static_cast<std::size_t>(head)] =
        relative_change(*model_.trace()->output(), *outcome.trace->output(), item, item).value_or(std::nan(""));
  });
  choose_measures();
  ++report.ablated;
  ask_next_without_head();
}

void Session::save_heads(const std::filesystem::path& path, bool sure) {
  const HeadTable& table = model_.head_table;
  const auto& items = model_.head_report.items;
  if (items.empty()) return;
  const Status may = check_may_write(*model_.shown.experiment, path);
  const auto text = [&] { return items_as_fields(items, *model_.trace(), table.by, table.ascending); };
  start_export(may ? Result<ExportTask>(TextJob{text(), path}) : tl::unexpected<Error>(may.error()),
               Replacing::What::heads, path, sure);
}

// ---- The maps of all layers of a result that has several, such as attention that was saved: their measures, means and
// rollout are made off the window's thread once they are looked at together.

namespace {

std::vector<std::string> words_along(const Axis& axis, Index item) {
  std::vector<std::string> words;
  for (Index i = 0; i < axis.size; ++i) words.push_back(label_of(&axis, i, item));
  return words;
}

// The layers of a trace for an item of its batch. Unfinished once the computation is cancelled.
PartRun layers_in(const Trace& trace, Index item, Compute& compute) {
  PartRun part;
  for (const Step* map : maps_of_layers(trace)) {
    if (compute.cancelled()) return part;
    add_layer(part, *map, with_hidden(trace, *map), true, {}, compute, item);
    if (!part.query_words.empty()) continue;
    part.query_words = words_along(*map->axis(AxisRole::query), item);
    part.key_words = words_along(*map->axis(AxisRole::key), item);
  }
  mix_layers(part, item, compute);
  return part;
}

}  // namespace

void Session::refresh_layers() {
  LayersReport& layers = model_.layers;
  const bool shown = model_.shows_layers();
  const Index item = model_.document.look.batch;
  const bool of_shown = layers.of_ticket == model_.shown.ticket && layers.item == item;
  if (!of_shown && layers.of_ticket != 0) {
    layers_stop_.request_stop();
    measuring_.drop("layers");
    // What was made of another item stays until this one is there, so that the screen does not go empty.
    layers = {0, 0, layers.of_ticket == model_.shown.ticket ? std::move(layers.made) : nullptr};
  }
  if (!shown || of_shown) return;
  layers.of_ticket = model_.shown.ticket;
  layers.item = item;
  layers_stop_ = std::stop_source();
  measuring_.run("layers",
                 [this, item, trace = model_.shown.trace, token = layers_stop_.get_token()]() -> Background::Taken {
                   ThreadPool pool(1);  // this thread alone: the session's pool is the runs'
                   Compute compute(pool, token);
                   auto made = std::make_shared<const PartRun>(layers_in(*trace, item, compute));
                   if (compute.cancelled()) return {};
                   return [this, made = std::move(made)] { model_.layers.made = made; };
                 });
}

// ---- What the view of a mechanism needs done: the runs that it is held against, and its figures off the window's
// thread.

namespace {

constexpr const char *plain_run = "mechanism plain", *moved_run = "mechanism moved",
                     *sinusoidal_run = "mechanism sinusoidal", *sinusoidal_moved_run = "mechanism sinusoidal moved",
                     *score_run = "mechanism score ", *figures = "mechanism";

Outcome& place_of(MechanismReport& report, const std::string& key) {
  if (key.starts_with(score_run)) return report.scores[std::stoul(key.substr(std::string_view(score_run).size()))];
  if (key == plain_run) return report.plain;
  if (key == moved_run) return report.moved;
  return key == sinusoidal_run ? report.sinusoidal : report.sinusoidal_moved;
}

bool is_pending(const Outcome& outcome) {
  return outcome.experiment && !outcome.trace && outcome.error.empty();
}

std::shared_ptr<const Experiment> shared(std::optional<Experiment> experiment) {
  return experiment ? std::make_shared<const Experiment>(std::move(*experiment)) : nullptr;
}

}  // namespace

// Once for each result, when it is looked at.
void Session::refresh_mechanism() {
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
  Experiment forward = *model_.shown.experiment;
  forward.gradient.reset();
  report->plain.experiment = shared(plain_beside(forward, *model_.shown.problem));
  report->moved.experiment = shared(with_positions_shifted(forward, *model_.shown.problem, places_moved));
  report->sinusoidal.experiment = shared(sinusoidal_beside(forward, *model_.shown.problem));
  if (report->plain.experiment) sides_.ask(plain_run, report->plain.experiment);
  if (report->moved.experiment) sides_.ask(moved_run, report->moved.experiment);
  if (report->sinusoidal.experiment) sides_.ask(sinusoidal_run, report->sinusoidal.experiment);
  for (auto& beside : scores_beside(forward, *model_.shown.problem)) {
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
    moved.experiment = shared(with_positions_shifted(*place.experiment, *place.problem, places_moved));
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
      if (found) found->reads_places = report->moved.experiment || !ignores_positions(*of.problem);
      return found ? std::make_shared<const MechanismFigures>(std::move(*found)) : nullptr;
    };
    next->figures = find(shown, report->moved.trace.get());
    next->plain_figures = find(report->plain, nullptr);
    if (report->sinusoidal.trace && report->sinusoidal_moved.trace)
      next->sinusoidal_shifts =
          largest_changes(report->sinusoidal.trace->map()->tensor(), report->sinusoidal_moved.trace->map()->tensor());
    if (compute.cancelled()) return {};
    return [this, next, report] {
      if (model_.mechanism == report) model_.mechanism = next;
    };
  });
}

}  // namespace headlight::app
