// A run with numbers that were set by hand, in the window: which they are is said wherever they count, and what a
// person does there keeps them.
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

void act(Driver& driver, const Action& action) {
  driver.session().act(action);
  driver.settle();
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
      CHECK(driver.widget("edits").value ==
            "Set by hand in the experiment, and behind these numbers: weights, head 3 made uniform.");
  }
}

TEST_CASE("what is done in the window keeps the edits of the experiment, and undo too") {
  Driver driver(1600, 1000, 1, with_a_head_made_uniform());
  driver.settle();
  const auto edits = driver.model().document.experiment.edits;
  REQUIRE(edits.size() == 2);
  act(driver, SetParam{"temperature", 2.0});
  CHECK(driver.model().document.experiment.edits == edits);
  const Step* weights = driver.model().trace()->find("weights");
  REQUIRE(weights);
  const Index n = weights->tensor().dim(3);
  CHECK(weights->tensor()[(2 * n + 3) * n] == 0.25F);  // head 3, query 3 sees four keys
  act(driver, Undo{});
  CHECK(driver.model().document.experiment.edits == edits);
  CHECK(to_json(driver.model().document.experiment, {}).find("uniform") != std::string::npos);
}

TEST_CASE("a worksheet of numbers that were set by hand is refused in words") {
  Driver driver(1600, 1000, 1, with_a_head_made_uniform());
  driver.settle();
  const auto made = worksheet_of(*driver.model().trace(), {});
  REQUIRE_FALSE(made);
  CHECK(made.error().message.find("weights was set by hand") != std::string::npos);
}
