// Sheets of other runs: each pupil's numbers are their own.
#include <fmt/format.h>

#include <algorithm>

#include "app/worksheets/by_hand.h"
#include "app/worksheets/worksheet_of.h"
#include "engine/core/pause.h"
#include "engine/core/random.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"

namespace headlight::app {

namespace {

constexpr int most_draws = 20;  // of a run whose sheet has too few numbers to ask for

// The same experiment with other embeddings and weights, as far as seeds draw them.
Experiment with_new_seeds(const Experiment& of, std::uint64_t seed, int number, int draw) {
  Experiment other = of;
  Random random(seed, fmt::format("sheet {}.{}", number, draw));
  const auto fresh = [&] { return random.next() >> 33; };
  for (auto& [id, input] : other.inputs)
    if (auto* text = std::get_if<TextInput>(&input)) text->seed = fresh();
  if (other.weights) other.weights->seed = fresh();
  return other;
}

Result<MadeWorksheet> worksheet_of_run(const Experiment& experiment, const WorksheetRequest& request,
                                       const std::stop_token& stop) {
  HL_TRY(const Problem problem, prepare(experiment));
  ThreadPool pool(1);
  Compute compute(pool, stop);
  HL_TRY(const auto trace, run(problem, compute));
  return make_worksheet(*trace, request);
}

Result<MadeWorksheet> by_hand(WorksheetRequest request, int number, const std::stop_token& stop) {
  HL_TRY(const Experiment experiment, by_hand_experiment(request.seed, number));
  request.title = "Attention by hand";
  if (!request.query) request.query = experiment.view.query;
  return worksheet_of_run(experiment, request, stop);
}

Result<MadeWorksheet> sheet_of_new_run(const WorksheetJob& job, int number, const std::stop_token& stop) {
  WorksheetRequest request = job.request;
  request.seed += static_cast<std::uint64_t>(number) - 1;  // other blanks too
  Result<MadeWorksheet> made = fail("");
  for (int draw = 0; draw < most_draws && !made && !stop.stop_requested(); ++draw)
    made = worksheet_of_run(with_new_seeds(*job.experiment, job.request.seed, number, draw), request, stop);
  return made;
}

Result<MadeWorksheet> make_sheet(const WorksheetJob& job, int number, const std::stop_token& stop) {
  const auto make = [&] {
    WorksheetRequest request = job.request;
    const int run_number = job.rows.empty() ? number : 1;  // all rows are of the first
    if (!job.rows.empty()) request.query = job.rows[static_cast<std::size_t>(number) - 1];
    if (job.by_hand) return by_hand(std::move(request), run_number, stop);
    return run_number == 1 ? make_worksheet(*job.trace, request) : sheet_of_new_run(job, number, stop);
  };
  auto made = make();
  if (!made && !job.rows.empty()) return fail("sheet {} of --rows: {}", number, made.error().message);
  if (made && sheet_count(job) > 1) made->sheet.number = fmt::format("Sheet {}", number);
  return made;
}

std::vector<std::string> numbers_on(const Worksheet& sheet) {
  std::vector<std::string> numbers;
  for (const SheetTable& table : sheet.tables)
    for (const SheetRow& row : table.rows)
      for (const SheetCell& cell : row.cells) numbers.push_back(cell.text);
  return numbers;
}

}  // namespace

Result<MadeWorksheet> first_worksheet(const WorksheetJob& job) {
  return make_sheet(job, 1, {});
}

Result<MadeWorksheets> make_worksheets(const WorksheetJob& job, const std::stop_token& stop,
                                       std::atomic<float>* fraction) {
  MadeWorksheets all;
  for (int number = 1; number <= sheet_count(job); ++number) {
    pause_if_asked();
    if (stop.stop_requested()) return fail("cancelled");
    HL_TRY(MadeWorksheet made, make_sheet(job, number, stop));
    if (number > 1 && job.rows.empty() && numbers_on(made.sheet) == numbers_on(all.sheets.front()))
      return fail(
          "--copies is {}: no seed draws the numbers of this run, and all sheets would have the same: draw the weights "
          "(normal), or let --by-hand draw whole numbers",
          job.copies);
    if (number == 1) all.note = std::move(made.note);
    all.sheets.push_back(std::move(made.sheet));
    if (fraction) *fraction = static_cast<float>(number) / static_cast<float>(sheet_count(job));
  }
  return all;
}

}  // namespace headlight::app
