// What the report on heads needs done: measuring off the window's thread, runs without a head, its file.
#include <cmath>

#include "app/reading/head_measures.h"
#include "app/session/session.h"
#include "engine/io/experiment_files.h"
#include "engine/measures/head_outputs.h"

namespace headlight::app {

namespace {

std::string key_without(Index head) {
  return "without " + std::to_string(head);
}

}  // namespace

// Once for each result, when the report is looked at.
void Session::measure_shown() {
  HeadReport& report = model_.head_report;
  if (report.of_ticket != model_.shown.ticket && (report.measuring || report.measures || report.ablating)) {
    measured_enough_.request_stop();
    measuring_.drop("heads");
    sides_.drop("without ");
    report = {};
  }
  if (model_.document.look.mode != ViewMode::heads || !model_.trace() || report.of_ticket == model_.shown.ticket)
    return;
  report.of_ticket = model_.shown.ticket;
  report.measuring = true;
  measured_enough_ = std::stop_source();
  measuring_.run("heads",
                 [this, trace = model_.shown.trace, token = measured_enough_.get_token()]() -> Background::Taken {
                   ThreadPool pool(1);  // this thread alone: the session's pool is the runs'
                   Compute compute(pool, token);
                   auto found = measure_heads(*trace, compute);
                   if (compute.cancelled()) return {};
                   auto measures = found ? std::make_shared<const HeadMeasures>(std::move(*found)) : nullptr;
                   return [this, measures] {
                     model_.head_report.measures = measures;
                     model_.head_report.measuring = false;
                   };
                 });
}

void Session::ablate(bool on) {
  HeadReport& report = model_.head_report;
  sides_.drop("without ");
  report.ablating = false;
  if (!on || !report.measures || report.of_ticket != model_.shown.ticket) return;
  auto measures = std::make_shared<HeadMeasures>(*report.measures);
  (*measures)[Measure::ablation] = {std::vector<double>(static_cast<std::size_t>(measures->heads), std::nan("")),
                                    Missing::nothing};
  report.measures = std::move(measures);
  report.ablated = 0;
  report.ablating = true;
  ask_next_without_head();
}

// One at a time: each leaves a number, and its trace goes.
void Session::ask_next_without_head() {
  HeadReport& report = model_.head_report;
  const auto edit = edit_switching_off(*model_.trace(), report.ablated);
  if (!edit || report.ablated >= report.measures->heads) {
    report.ablating = false;
    return;
  }
  auto off = std::make_shared<Experiment>(*model_.shown.experiment);
  off->edits.push_back(*edit);
  sides_.ask(key_without(report.ablated), std::move(off));
}

void Session::accept_run_without_head(Index head, const Outcome& outcome) {
  HeadReport& report = model_.head_report;
  if (!report.ablating || report.of_ticket != model_.shown.ticket || head != report.ablated) return;
  if (!outcome.trace) {
    report.ablating = false;
    return note(Notice::Level::error, fmt::format("The run without head {}: {}", head + 1, outcome.error));
  }
  auto measures = std::make_shared<HeadMeasures>(*report.measures);
  (*measures)[Measure::ablation].values[static_cast<std::size_t>(head)] =
      relative_change(model_.trace()->output()->tensor(), outcome.trace->output()->tensor());
  report.measures = std::move(measures);
  ++report.ablated;
  ask_next_without_head();
}

void Session::save_heads(const std::filesystem::path& path, bool sure) {
  const HeadTable& table = model_.head_table;
  const auto measures = model_.head_report.measures;
  if (!measures) return;
  const Status may = check_may_write(*model_.shown.experiment, path);
  const auto text = [&] {
    const auto order = heads_by(*measures, table.by, table.ascending);
    return heads_as_fields(*measures, *model_.trace(), order, Separator::comma);
  };
  start_export(may ? Result<ExportTask>(TextJob{text(), path}) : tl::unexpected<Error>(may.error()),
               Replacing::What::heads, path, sure);
}

}  // namespace headlight::app
