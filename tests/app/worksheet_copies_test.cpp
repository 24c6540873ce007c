// Sheets that can be done by hand, and many sheets in one file: every answer reckoned again from the whole numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/worksheets/by_hand.h"
#include "app/worksheets/worksheet_of.h"
#include "tests/catch.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

MadeWorksheet made_of(const Trace& trace, const WorksheetRequest& request) {
  auto made = make_worksheet(trace, request);
  if (!made) FAIL(made.error().message);
  return std::move(*made);
}

std::vector<Worksheet> sheets_of(const WorksheetJob& job) {
  auto made = make_worksheets(job, {});
  if (!made) FAIL(made.error().message);
  return std::move(made->sheets);
}

const SheetTable& table_of(const Worksheet& sheet, std::string_view title) {
  const auto table = std::ranges::find(sheet.tables, title, &SheetTable::title);
  if (table == sheet.tables.end()) FAIL("there is no table " << title);
  return *table;
}

double number_of(const std::string& text) {
  const bool minus = text.starts_with("−");
  return (minus ? -1 : 1) * std::stod(text.substr(minus ? std::string("−").size() : 0));
}

std::vector<double> row_of(const Worksheet& sheet, std::string_view title, std::size_t row = 0) {
  std::vector<double> numbers;
  for (const SheetCell& cell : table_of(sheet, title).rows[row].cells) numbers.push_back(number_of(cell.text));
  return numbers;
}

// All rows of a sheet by hand, from its whole numbers alone.
void check_reckoned(const Worksheet& sheet) {
  const auto query = row_of(sheet, "Queries");
  std::vector<double> keys[2], values[2];
  for (const std::size_t channel : {std::size_t{0}, std::size_t{1}}) {
    keys[channel] = row_of(sheet, "Keys", channel);
    values[channel] = row_of(sheet, "Values", channel);
  }
  const auto scores = row_of(sheet, "Scores"), scaled = row_of(sheet, "Scaled scores"),
             weights = row_of(sheet, "Attention weights"), outputs = row_of(sheet, "Head outputs");
  REQUIRE(query.size() == 2);
  REQUIRE(scores.size() == 4);
  double sum = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    CHECK(scores[j] == query[0] * keys[0][j] + query[1] * keys[1][j]);
    CHECK(scaled[j] == Approx(scores[j] / std::sqrt(2.0)).epsilon(0.005));
    sum += std::exp(scores[j] / std::sqrt(2.0));
  }
  std::set<double> different(scores.begin(), scores.end());
  CHECK(different.size() == 4);
  double mixed[2] = {0, 0};
  for (std::size_t j = 0; j < 4; ++j) {
    const double weight = std::exp(scores[j] / std::sqrt(2.0)) / sum;
    CHECK(weights[j] == Approx(weight).epsilon(0.006));
    CHECK(weight >= 0.02);
    for (const std::size_t channel : {std::size_t{0}, std::size_t{1}}) mixed[channel] += weight * values[channel][j];
  }
  for (const std::size_t channel : {std::size_t{0}, std::size_t{1}})
    CHECK(outputs[channel] == Approx(mixed[channel]).epsilon(0.006));
  for (const char* title : {"Queries", "Keys", "Values", "Scores"})
    for (const SheetRow& row : table_of(sheet, title).rows)
      for (const SheetCell& cell : row.cells) CHECK(cell.text.find('.') == std::string::npos);
}

// The boxes' numbers, by the answers: "4: 2·2 + 1·1 = 5".
std::vector<std::string> asked_on(const Worksheet& sheet) {
  std::vector<std::string> asked;
  for (const SheetTable& table : sheet.tables)
    for (const SheetRow& row : table.rows)
      for (const SheetCell& cell : row.cells)
        if (cell.blank > 0) asked.push_back(cell.text);
  return asked;
}

std::string all_of(const Worksheet& sheet) {
  std::string all = sheet.subject;
  for (const SheetTable& table : sheet.tables)
    for (const SheetRow& row : table.rows)
      for (const SheetCell& cell : row.cells) all += fmt::format(" {}/{}", cell.text, cell.blank);
  return all;
}

WorksheetJob job_of(const RanExperiment& of, int copies) {
  WorksheetJob job;
  job.experiment = of.experiment;
  job.trace = of.trace;
  job.copies = copies;
  return job;
}

}  // namespace

TEST_CASE("a run by hand has whole numbers, and every number of its sheet is reckoned again") {
  WorksheetJob job;
  job.by_hand = true;
  for (job.request.seed = 0; job.request.seed < 60; ++job.request.seed) {
    INFO("seed " << job.request.seed);
    auto made = first_worksheet(job);
    if (!made) FAIL(made.error().message);
    check_reckoned(made->sheet);
    CHECK(made->blanks.size() >= 8);
    CHECK(made->sheet.number.empty());
    for (const auto& [step, cell] : made->blanks)
      if (step == "scores") CHECK(made->sheet.answers.front().find("·") != std::string::npos);
  }
}

TEST_CASE("all queries of a run by hand can be asked about") {
  WorksheetJob job;
  job.by_hand = true;
  for (Index query = 0; query < 4; ++query) {
    job.request.query = query;
    const auto made = first_worksheet(job);
    REQUIRE(made);
    check_reckoned(made->sheet);
  }
  job.request.query = 4;
  CHECK_FALSE(first_worksheet(job));
}

TEST_CASE("each of thirty sheets has numbers of its own, the same ones again for the same seed") {
  WorksheetJob by_hand;
  by_hand.by_hand = true;
  by_hand.copies = 30;
  const auto random = ran(example("random-weights")), textbook = ran(example_experiment());
  for (WorksheetJob job : {by_hand, job_of(random, 30), job_of(textbook, 8)}) {
    const auto sheets = sheets_of(job);
    REQUIRE(static_cast<int>(sheets.size()) == job.copies);
    std::set<std::string> different;
    for (std::size_t i = 0; i < sheets.size(); ++i) {
      INFO(sheets[i].title << " " << i);
      CHECK(sheets[i].number == fmt::format("Sheet {}", i + 1));
      CHECK(sheets[i].answers.size() == asked_on(sheets[i]).size());
      CHECK(sheets[i].answers.size() >= 6);
      different.insert(all_of(sheets[i]));
      if (job.by_hand) check_reckoned(sheets[i]);
    }
    CHECK(different.size() == sheets.size());
    const auto again = sheets_of(job);
    for (std::size_t i = 0; i < sheets.size(); ++i) CHECK(all_of(sheets[i]) == all_of(again[i]));
    job.request.seed = 77;
    CHECK(all_of(sheets_of(job)[1]) != all_of(sheets[1]));
  }
}

TEST_CASE("a neighbour's sheet has other answers under the same numbers") {
  WorksheetJob job;
  job.by_hand = true;
  job.copies = 30;
  const auto sheets = sheets_of(job);
  int same = 0, all = 0;
  for (std::size_t i = 1; i < sheets.size(); ++i) {
    const auto mine = asked_on(sheets[i]), other = asked_on(sheets[i - 1]);
    for (std::size_t b = 0; b < std::min(mine.size(), other.size()); ++b, ++all) same += mine[b] == other[b];
  }
  CHECK(same * 5 < all);
}

TEST_CASE("sheets of a run that no seed draws are refused in one line") {
  const auto given = ran(parse_experiment(R"({"variant": "multi_head", "params": {"heads": 1, "d_head": 2},
      "inputs": {"x_q": {"array": [[[2, 0], [0, 2], [2, 1]]]}}, "weights": {"init": "identity"}})",
                                          {}, ""));
  const auto refused = make_worksheets(job_of(given, 3), {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.starts_with("--copies is 3: no seed draws"));
  CHECK(refused.error().message.find('\n') == std::string::npos);
  CHECK(make_worksheets(job_of(given, 1), {}));
}

TEST_CASE("the answers of all sheets stand behind them, by their numbers") {
  WorksheetJob job;
  job.by_hand = true;
  job.copies = 30;
  const auto sheets = sheets_of(job);
  const auto fonts = FontSet::load(font_files_in(HEADLIGHT_FONT_FOLDER));
  REQUIRE(fonts);
  const auto pages = lay_out_answers(sheets, a4_paper, *fonts);
  CHECK(pages.size() < 10);
  std::set<std::string> texts;
  for (const Page& page : pages)
    for (const TextItem& text : page.texts) {
      texts.insert(text.line.text);
      CHECK(text.origin.y <= a4_paper.height - 20);
      CHECK(text.origin.x + text.line.width <= a4_paper.width - 40);
    }
  for (const Worksheet& sheet : sheets) {
    CHECK(texts.contains("Answers, " + sheet.number));
    for (const std::string& answer : sheet.answers) CHECK(texts.contains(answer));
    const auto own = lay_out(sheet, a4_paper, SheetSide::questions, *fonts);
    REQUIRE(own);
    CHECK(
        std::ranges::any_of(own->front().texts, [&](const TextItem& text) { return text.line.text == sheet.number; }));
  }
}

TEST_CASE("a sheet is made for each of several rows of one run") {
  const auto of = ran(example("causal"));
  WorksheetJob job;
  job.experiment = of.experiment;
  job.trace = of.trace;
  job.request.head = 2;
  job.rows = {11, 3, 8};
  const auto made = make_worksheets(job, {});
  REQUIRE(made);
  REQUIRE(made->sheets.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(made->sheets[i].number == fmt::format("Sheet {}", i + 1));
    CHECK(made->sheets[i].subject.ends_with(fmt::format("token {}", job.rows[i])));
  }
  job.rows = {3, 99};
  CHECK_FALSE(make_worksheets(job, {}));
  // By hand, all rows are of one run: its numbers are on each sheet.
  WorksheetJob by_hand;
  by_hand.by_hand = true;
  by_hand.rows = {1, 2, 3};
  const auto drawn = make_worksheets(by_hand, {});
  REQUIRE(drawn);
  REQUIRE(drawn->sheets.size() == 3);
  const auto keys_of = [](const Worksheet& sheet) {
    std::vector<std::string> numbers;
    for (const SheetTable& table : sheet.tables)
      if (table.title.find("Keys") != std::string::npos)
        for (const SheetRow& row : table.rows)
          for (const SheetCell& cell : row.cells) numbers.push_back(cell.text);
    return numbers;
  };
  CHECK(keys_of(drawn->sheets[0]) == keys_of(drawn->sheets[1]));
  CHECK_FALSE(keys_of(drawn->sheets[0]).empty());
}

TEST_CASE("no box asks for a number below a hundredth that is not 0, and too few are spoken of") {
  bool told = false;
  for (const char* name : {"causal", "random-weights", "cross-attention", "relative", "image", "signal"}) {
    const auto of = ran(example(name));
    for (Index query = 0; query < 5; ++query)
      for (std::uint64_t seed = 1; seed < 5; ++seed) {
        WorksheetRequest request;
        request.query = query;
        request.seed = seed;
        if (seed == 4 && of.trace->find("masked_scores")) request.steps = {"masked_scores", "weights"};
        const auto made = make_worksheet(*of.trace, request);
        if (!made) {
          CHECK(made.error().message.find("below 0.01") != std::string::npos);
          continue;
        }
        for (const auto& [step, cell] : made->blanks) {
          const double size = std::abs(of.trace->find(step)->tensor()[cell]);
          INFO(name << " " << step << " " << cell << ": " << size);
          CHECK((size == 0 || size >= 0.01));
        }
        CHECK((made->note.empty() || made->blanks.size() < 12));
        told = told || made->note.starts_with("Only ");
      }
  }
  CHECK(told);
}

TEST_CASE("numbers set by hand are printed as they were set, and the boxes follow from them") {
  const auto of = ran(parse_experiment(R"({"variant": "multi_head", "params": {"heads": 1, "d_head": 2},
      "inputs": {"x_q": {"array": [[[2, 0], [0, 2], [2, 1]]], "tokens": ["red", "fox", "runs"]}},
      "weights": {"init": "identity"},
      "edits": [{"array": "x_q", "at": [0, 0, 1], "set": 3}, {"array": "weights", "at": [0, 0, 2, 1], "set": 0.5}]})",
                                       {}, ""));
  REQUIRE(of.trace->edits.size() == 2);
  WorksheetRequest request;
  request.query = 2;
  for (request.seed = 1; request.seed < 20; ++request.seed) {
    const MadeWorksheet made = made_of(*of.trace, request);
    const SheetTable& weights = table_of(made.sheet, "Attention weights");
    CHECK(weights.note == "set by hand: fox");
    CHECK(weights.rows[0].cells[1].blank == 0);
    CHECK(weights.rows[0].cells[1].text == "0.500");
    CHECK(table_of(made.sheet, "Scores").note.empty());
    CHECK(row_of(made.sheet, "Scores") == std::vector<double>{7, 2, 5});  // with the input that was set
    const auto shown = row_of(made.sheet, "Attention weights");
    const double sum = std::exp(7 / std::sqrt(2.0)) + std::exp(2 / std::sqrt(2.0)) + std::exp(5 / std::sqrt(2.0));
    CHECK(shown[0] == Approx(std::exp(7 / std::sqrt(2.0)) / sum).epsilon(0.006));
    CHECK(shown[2] == Approx(std::exp(5 / std::sqrt(2.0)) / sum).epsilon(0.006));
    const auto outputs = row_of(made.sheet, "Head outputs");
    CHECK(outputs[0] == Approx(shown[0] * 2 + shown[2] * 2).epsilon(0.006));
    CHECK(outputs[1] == Approx(shown[0] * 3 + 0.5 * 2 + shown[2] * 1).epsilon(0.006));
    for (const auto& [step, cell] : made.blanks) {
      const Step& from = *of.trace->find(step);
      CHECK((!from.edited || from.edited->edit_of(cell) == 0));
      CHECK(evaluate(from.explain(cell), *of.trace) == Approx(from.tensor()[cell]).margin(1e-5));
    }
  }
}
