// Mechanisms that nothing was made for: one without weights of keys for queries, one without heads. The window,
// figures, worksheets and commands take them as they are: nothing crashes, and nothing speaks of what is not there.
#include <algorithm>
#include <array>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/figures/figure_files.h"
#include "app/reading/cell_trace.h"
#include "app/reading/row_numbers.h"
#include "app/reading/step_words.h"
#include "app/worksheets/worksheet_of.h"
#include "engine/io/experiment.h"
#include "tests/app/mapless.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"
#include "tests/gui/driver.h"
#include "tests/gui/wander.h"
#include "tests/runs.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

Experiment sample_of(const Variant& variant) {
  auto experiment = parse_experiment(variant.samples().front(), {}, "");
  if (!experiment) FAIL(experiment.error().message);
  return *experiment;
}

Experiment without_map() {
  return sample_of(test::mapless_variant());
}

// What a window says, all of it, must not speak of weights that a mechanism does not have.
void check_words(const Driver& driver) {
  for (const LoggedText& text : driver.log().texts)
    for (const char* lie : {"ttention weight", "softmax", "sums to 1", "masked by", "NaN"}) {
      INFO(text.text);
      CHECK(text.text.find(lie) == std::string::npos);
    }
}

int render(const fs::path& experiment, const fs::path& output,
           const std::vector<std::pair<std::string, std::string>>& settings, const std::vector<std::string>& each) {
  RenderOptions options;
  options.experiments = {experiment};
  options.output = output;
  options.settings = settings;
  options.each = each;
  if (settings.empty() && each.empty()) options.extras = {.csv = true, .npy = true, .words = true};
  options.quiet = true;
  return exit_status(render_command(options));
}

}  // namespace

TEST_CASE("a mechanism without a map is what the registry of this program lists, and right") {
  REQUIRE(find_variant("mapless") == &test::mapless_variant());
  const RanExperiment run = ran(without_map());
  CHECK(test::first_disagreement(*run.trace) == "");
  CHECK(run.trace->map() == nullptr);
  CHECK(run.trace->maps().empty());
  REQUIRE(run.trace->output());
  CHECK(run.trace->output()->info.id == "result");
  CHECK(run.trace->default_step() == run.trace->output());
  for (const Step& step : run.trace->steps) CHECK(run.trace->scores_before(step) == nullptr);
}

TEST_CASE("a trace says which steps its maps are and what they were made of") {
  const RanExperiment dropped = ran(parse_experiment(
      R"({"variant": "multi_head", "params": {"mask": "causal", "dropout": 0.5, "heads": 2},
          "inputs": {"x_q": {"text": "one two three"}}})",
      {}, ""));
  const Trace& trace = *dropped.trace;
  std::vector<std::string> maps;
  for (const Step* map : trace.maps()) maps.push_back(map->info.id);
  CHECK(maps == std::vector<std::string>{"weights", "dropped_weights"});
  CHECK(trace.map()->info.id == "weights");
  CHECK(trace.scores_before(*trace.maps()[1])->info.id == "masked_scores");  // what was dropped was masked before
  const Step* at = trace.map();
  std::vector<std::string> before;
  while ((at = trace.scores_before(*at))) before.push_back(at->info.id);
  CHECK(before == std::vector<std::string>{"masked_scores", "scaled_scores", "scores"});
  CHECK(trace.output()->info.id == "output");
  std::vector<std::string> read;
  for (const Step* step : trace.inputs_of(*trace.find("dropped_weights"))) read.push_back(step->info.id);
  CHECK(read == std::vector<std::string>{"weights", "dropout_mask"});
  CHECK(trace.find("q")->axis(AxisRole::head)->size == 2);
  CHECK(trace.map()->axis(AxisRole::key)->size == trace.map()->extent(AxisRole::query));
  CHECK(trace.find("q")->axis(AxisRole::key) == nullptr);
}

TEST_CASE("the numbers of weights after dropout are their own") {
  const RanExperiment dropped = ran(parse_experiment(
      R"({"variant": "multi_head", "params": {"dropout": 0.5}, "inputs": {"x_q": {"text": "one two three"}}})", {},
      ""));
  const Step& step = *dropped.trace->find("dropped_weights");
  const RowNumbers told = row_numbers(*dropped.trace, step, {.flat = true}, 1);
  REQUIRE(told.columns.size() == 1);
  CHECK(told.columns[0].heading == step.info.title);
  for (std::size_t j = 0; j < told.rows.size(); ++j)
    CHECK(told.rows[j].values == std::vector<double>{step.tensor()[static_cast<Index>(told.rows.size() + j)]});
}

TEST_CASE("the window shows a mechanism without a map, step by step and in every view") {
  Driver driver(1600, 1000, 1, without_map());
  driver.settle();
  REQUIRE(driver.model().trace());
  CHECK(driver.model().error.empty());
  REQUIRE(driver.model().step());
  CHECK(driver.model().step()->info.id == "result");  // it opens on what comes out
  const auto stages = static_cast<int>(driver.model().trace()->stages.size());
  for (int stage = 0; stage < stages; ++stage)
    for (const ViewMode mode : {ViewMode::map, ViewMode::matrix, ViewMode::lines, ViewMode::numbers, ViewMode::heads}) {
      act(driver, GoStage{stage});
      act(driver, SetMode{mode});
      CHECK(driver.model().stage() == stage);
      act(driver, Select{{.query = 1, .key = 2, .channel = 1}, true});
      check_words(driver);
      act(driver, SetHead{1});
    }
  act(driver, ShowStep{"answer"});
  act(driver, SetMode{ViewMode::map});
  driver.click_at(driver.cell(2, 1));
  driver.settle();
  CHECK(driver.model().document.look.selection.query == 2);
  CHECK(driver.model().document.look.pinned);
  const CellTrace story = trace_cell(*driver.model().trace(), *driver.model().step(), 7);
  CHECK(story.check_ok);
  CHECK(story.check.starts_with("Recomputed"));
  check_words(driver);
}

TEST_CASE("figures, worksheets and palettes of a mechanism without a map open in its window") {
  Driver driver(1600, 1000, 1, without_map());
  driver.settle();
  for (const Screen screen : {Screen::figure, Screen::worksheet, Screen::explore}) {
    act(driver, ShowScreen{screen});
    CHECK(driver.model().screen == screen);
    check_words(driver);
  }
  act(driver, SetVariant{"multi_head"});
  CHECK(driver.model().step() == driver.model().trace()->map());
}

TEST_CASE("a window on a map goes on to the next mechanism's") {
  Driver driver;
  driver.settle();
  REQUIRE(driver.model().step() == driver.model().trace()->map());
  act(driver, SetVariant{"non_local"});
  CHECK(driver.model().step() == driver.model().trace()->map());
}

TEST_CASE("someone who tries everything finds nothing that breaks without a map") {
  for (const Mood mood : {Mood::looking, Mood::changing}) {
    Driver driver(1280, 800, 1, without_map());
    driver.settle();
    Wanderer wanderer(7);
    for (int i = 0; i < 400; ++i) wanderer.act(driver, mood);
    driver.settle();
    CHECK(driver.model().trace());
  }
}

TEST_CASE("weights are offered where there is something to learn") {
  Driver learning(1280, 800, 1, without_map()), idle(1280, 800, 1, sample_of(*find_variant("average")));
  CHECK(learning.shows("weights/random"));
  CHECK_FALSE(idle.shows("weights/random"));
}

TEST_CASE("commands take mechanisms without maps and without heads") {
  const Scratch folder;
  for (const char* id : {"mapless", "average", "distance"}) {
    INFO(id);
    const Variant& variant = *find_variant(id);
    const fs::path experiment = folder / (std::string(id) + ".headlight");
    std::ofstream(experiment) << variant.samples().front();
    const auto named = [&](const std::string& end) { return folder / (id + end); };
    CHECK(list_command(true, id));
    CHECK(trace_command({.experiment = experiment, .dump = {}, .output = named(".npz"), .quiet = true}));
    for (const Language language : {Language::numpy, Language::pytorch})
      CHECK(code_command({experiment, named(fmt::format("-{}.py", id_of(language))), language, true}));
    for (const char* type : {".pdf", ".svg", ".png"}) CHECK(render(experiment, named(type), {}, {}) == 0);
    CHECK(render(experiment, folder / (std::string(id) + "_{step}_{head}.svg"), {}, {"step", "head"}) == 0);
    for (const char* kind : {"map", "matrix", "bars", "lines"})
      CHECK(render(experiment, named(std::string(kind) + ".svg"), {{"as", kind}}, {}) == 0);
    WorksheetOptions sheet;
    sheet.experiment = experiment;
    sheet.output = named("-sheet.pdf");
    sheet.quiet = true;
    const bool computable = std::string_view(id) != "average";  // a mean over all inputs is not of one row
    CHECK(worksheet_command(sheet).has_value() == computable);
    CHECK(fs::exists(named("-sheet.pdf")) == computable);
  }
}

TEST_CASE("a sheet asks for what a head computes, also where it weighs nothing") {
  const RanExperiment run = ran(without_map());
  WorksheetRequest request;
  request.query = 1;
  const auto made = make_worksheet(*run.trace, request);
  REQUIRE(made);
  std::vector<std::string> titles;
  for (const SheetTable& table : made->sheet.tables) titles.push_back(table.title);
  CHECK(std::ranges::count(titles, std::string("Answers")) == 1);
  CHECK_FALSE(made->sheet.answers.empty());
}

TEST_CASE("what is laid side by side, pooled or projected is told from what is read") {
  const RanExperiment run = ran(without_map());
  CHECK(width_of_heads(*run.trace, *run.trace->find("result")) == 3);
  CHECK(width_of_heads(*run.trace, *run.trace->find("answer")) == 0);
  for (const Step& step : run.trace->steps)
    CHECK(is_projection(*run.trace, step) ==
          (step.info.id == "asked" || step.info.id == "found" || step.info.id == "given"));
  CHECK_FALSE(pooled_keys(*run.trace));
  const RanExperiment pooled = ran(parse_experiment(
      R"({"variant": "non_local", "params": {"inter_channels": 2, "sub_sample": true},
          "inputs": {"x": [[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]]}})",
      {}, ""));
  REQUIRE(pooled_keys(*pooled.trace));
  CHECK(pooled_keys(*pooled.trace)->from->info.id == "phi");
  CHECK(pooled_keys(*pooled.trace)->keys->info.id == "k");
  CHECK_FALSE(is_projection(*pooled.trace, *pooled.trace->find("phi")));
  CHECK(is_projection(*pooled.trace, *pooled.trace->find("k")));
}
