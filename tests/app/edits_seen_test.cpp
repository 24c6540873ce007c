// A run with numbers that were set by hand, in the window: which they are is said wherever they count, and what a
// person does there keeps them.
#include <algorithm>

#include "app/worksheets/worksheet_of.h"
#include "engine/io/experiment.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

Experiment with_a_head_made_uniform() {
  auto experiment = parse_experiment(R"({"variant": "multi_head", "params": {"heads": 4, "mask": "causal"},
      "inputs": {"x_q": {"text": "one owl and two more owls"}}, "weights": {"init": "textbook"},
      "edits": [{"array": "weights", "at": [null, 2, null, null], "make": "uniform"},
                {"array": "w_o", "at": [0, 0], "set": 1, "on": false}]})",
                                     {}, "");
  if (!experiment) FAIL(experiment.error().message);
  return *experiment;
}

}  // namespace

TEST_CASE("a step says which numbers behind it were set by hand, and one before them says nothing") {
  Driver driver(1600, 1000, 1, with_a_head_made_uniform());
  driver.settle();
  REQUIRE(driver.model().trace());
  for (const auto& [step, edited] : {std::pair{"scores", false}, {"weights", true}, {"output", true}}) {
    INFO(step);
    act(driver, ShowStep{step});
    REQUIRE(driver.shows("edits") == edited);
    if (edited)  // the other edit is off
      CHECK(driver.widget("edits").value == "Set by hand, at this step or before it: weights, head 2 made uniform.");
  }
}

TEST_CASE("what is done in the window keeps the edits of the experiment, and undo too") {
  Driver driver(1600, 1000, 1, with_a_head_made_uniform());
  driver.settle();
  const auto edits = driver.model().document.experiment->edits;
  REQUIRE(edits.size() == 2);
  act(driver, SetParam{"temperature", 2.0});
  CHECK(driver.model().document.experiment->edits == edits);
  const Step* weights = driver.model().trace()->find("weights");
  REQUIRE(weights);
  const Index n = weights->tensor().dim(3);
  CHECK(weights->tensor()[(2 * n + 3) * n] == 0.25F);  // head 2, query 3 sees four keys
  act(driver, Undo{});
  CHECK(driver.model().document.experiment->edits == edits);
  CHECK(to_json(*driver.model().document.experiment, {}).find("uniform") != std::string::npos);
}

TEST_CASE("a worksheet asks for no number that was set by hand, and says which they are") {
  Driver driver(1600, 1000, 1, with_a_head_made_uniform());
  driver.settle();
  WorksheetRequest request;
  request.head = 2;
  request.query = 3;
  const auto blanks_of_weights = [&] {
    const auto made = make_worksheet(*driver.model().trace(), request);
    if (!made) FAIL(made.error().message);
    const auto weights = std::ranges::find(made->sheet.tables, "Attention weights", &SheetTable::title);
    REQUIRE(weights != made->sheet.tables.end());
    return std::pair{std::ranges::count(made->blanks, "weights", &SheetNumber::step), weights->note};
  };
  const auto [of_edited, note] = blanks_of_weights();
  CHECK(of_edited == 0);
  CHECK(note == "set by hand: ⟨s⟩, one, owl, and");  // the keys that the mask leaves
  request.head = 1;
  const auto [of_others, no_note] = blanks_of_weights();
  CHECK(of_others > 0);
  CHECK(no_note.empty());
}

TEST_CASE("edits are switched off and on where they are named, and undo knows it") {
  Driver driver(1600, 1000, 1, with_a_head_made_uniform());
  driver.settle();
  act(driver, ShowStep{"weights"});
  driver.click("edits/button");
  driver.settle();
  CHECK(driver.model().trace()->edits.empty());
  REQUIRE(driver.shows("edits"));
  CHECK(driver.widget("edits").value == "The edits of this experiment are switched off.");
  driver.click("edits/button");
  driver.settle();
  CHECK(driver.model().trace()->edits.size() == 2);
  act(driver, Undo{});
  act(driver, Undo{});
  const auto& edits = driver.model().document.experiment->edits;
  CHECK((edits[0].on && !edits[1].on));  // as the file had them
}

TEST_CASE("the way out is of the edit that was refused, whatever its message mentions") {
  Experiment experiment = with_a_head_made_uniform();
  Edit stray = experiment.edits.front();
  stray.array = "edit 1: weights";
  experiment.edits.push_back(stray);
  Driver driver(1600, 1000, 1, experiment);
  driver.settle();
  CHECK(driver.model().error.find("edit 3: array \"edit 1: weights\"") != std::string::npos);
  driver.click("error/button");
  driver.settle();
  const auto& edits = driver.model().document.experiment->edits;
  CHECK((edits[0].on && !edits[2].on));
  CHECK(driver.model().error.empty());
}

TEST_CASE("an edit that no longer fits is refused with a way out") {
  Driver driver(1600, 1000, 1, with_a_head_made_uniform());
  driver.settle();
  act(driver, SetParam{"heads", Index{2}});
  CHECK(driver.model().error.find("edit 1: ") != std::string::npos);
  driver.click("error/button");
  driver.settle();
  CHECK(driver.model().error.empty());
  CHECK(driver.model().shown.problem->dim("M") == 2);
}

TEST_CASE("of several edits the one that no longer fits is switched off, or all of them") {
  Experiment experiment = with_a_head_made_uniform();
  experiment.edits.insert(experiment.edits.begin(),
                          {.array = "weights", .at = {{}, Span{0, 0}, {}, {}}, .make = Edit::Make::uniform});
  Driver driver(1600, 1000, 1, experiment);
  driver.settle();
  act(driver, SetParam{"heads", Index{2}});
  CHECK(driver.model().error.find("edit 2: ") != std::string::npos);
  driver.click("error/button");
  driver.settle();
  CHECK(driver.model().error.empty());
  const auto on = [&](std::size_t i) { return driver.model().document.experiment->edits[i].on; };
  CHECK((on(0) && !on(1)));
  act(driver, Undo{});
  driver.click("error/button2");
  driver.settle();
  CHECK(driver.model().error.empty());
  CHECK((!on(0) && !on(1)));
}

TEST_CASE("a number that was set by hand says so in its trace, and no rule is told for it") {
  Experiment experiment = with_a_head_made_uniform();
  experiment.edits = {{.array = "masked_scores", .at = {}, .make = Edit::Make::zero}};
  experiment.edits[0].at = {std::nullopt, Span{2, 2}, Span{1, 1}, Span{4, 4}};
  Driver driver(1600, 1000, 1, std::move(experiment));
  driver.settle();
  act(driver, ShowStep{"masked_scores"});
  act(driver, SetHead{2});
  act(driver, Select{{1, 4}, true});
  const auto says = [&](const char* words) {
    return std::ranges::any_of(driver.log().texts,
                               [&](const LoggedText& text) { return text.text.find(words) != std::string::npos; });
  };
  CHECK(says("by hand"));
  CHECK_FALSE(says("by rule"));
}
