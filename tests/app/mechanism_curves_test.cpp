// The curve that the scores of a row go through, what rows add up to, and windows of a picture that is rolled.
#include <fmt/format.h>

#include <cmath>

#include "app/reading/printed.h"
#include "engine/variants/mechanism/mechanism.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

Experiment experiment_of(const std::string& params) {
  auto experiment = parse_experiment(fmt::format(R"({{"variant": "multi_head", "params": {{{}}},
      "inputs": {{"x_q": {{"text": "the cat sat on the mat because the cat was warm"}}}},
      "weights": {{"init": "normal", "seed": 4}}}})",
                                                 params),
                                     {}, "");
  if (!experiment) FAIL(experiment.error().message);
  return *experiment;
}

double number(const Driver& driver, const char* step, Index head, Index query, Index key) {
  return static_cast<double>(driver.model().trace()->find(step)->tensor().at({0, head, query, key}));
}

}  // namespace

TEST_CASE("the chosen key is told by its score and its weight, or by both scores of a cap") {
  Driver driver(1366, 768, 1, experiment_of(R"("mask": "causal", "normalize": "sparsemax")"));
  driver.settle();
  act(driver, Select{{8, 6, {}}, true});
  act(driver, SetMode{ViewMode::mechanism});
  CHECK(driver.widget("mechanism/plot").value == "Weight over score");
  const auto told = [&] { return driver.widget("mechanism/plot/chosen").value; };
  const Index head = driver.model().document.look.head;
  const auto weight_words = [&](Index query, Index key) {
    return fmt::format("{} → {:.4f}", number_text(number(driver, "masked_scores", head, query, key), 3),
                       number(driver, "weights", head, query, key));
  };
  CHECK(told() == "mat: " + weight_words(8, 6));
  act(driver, Select{{7, 5, {}}, true});
  CHECK(told() == "the: " + weight_words(7, 5));
  act(driver, Select{{2, 7, {}}, true});  // a key that the query does not see lies nowhere
  CHECK_FALSE(driver.shows("mechanism/plot/chosen"));
  CHECK(driver.shows("mechanism/plot"));
  CHECK_FALSE(driver.shows("mechanism/sums"));
  act(driver, Select{{8, 6, {}}, true});
  act(driver, SetParam{"softcap", 0.5, false});
  CHECK(driver.widget("mechanism/plot").value == "Weight over score");
  CHECK(told() == "mat: " + weight_words(8, 6));
  act(driver, SetParam{"normalize", std::string("softmax"), false});
  CHECK(driver.widget("mechanism/plot").value == "Capped score over score");
  const std::string bent = number_text(number(driver, "capped_scores", head, 8, 6), 3);
  CHECK(told() == fmt::format("mat: {} → {}", number_text(number(driver, "scaled_scores", head, 8, 6), 3), bent));
}

TEST_CASE("what all rows add up to is one strip, and a click asks from there") {
  Driver driver(1366, 768, 1, experiment_of(R"("mask": "causal", "normalize": "sigmoid")"));
  driver.settle();
  act(driver, Select{{8, 6, {}}, true});
  act(driver, SetMode{ViewMode::mechanism});
  CHECK_FALSE(driver.shows("mechanism/pictures/more"));
  double most = 1;
  const Index head = driver.model().document.look.head;
  for (Index query = 0; query < 12; ++query) {
    double sum = 0;
    for (Index key = 0; key < 12; ++key) sum += number(driver, "weights", head, query, key);
    most = std::max(most, sum);
  }
  CHECK(driver.widget("mechanism/sums").value == fmt::format("0 to {:.3g}", most));
  const Rect strip = driver.widget("mechanism/sums").rect;
  driver.click_at({strip.x + strip.w * 3.5F / 12, strip.middle().y});
  CHECK(driver.model().document.look.selection.query == 3);
  act(driver, SetHead{head + 1});
  const std::string of_next = driver.widget("mechanism/sums").value;
  act(driver, SetHead{head});
  CHECK(driver.widget("mechanism/sums").value == fmt::format("0 to {:.3g}", most));
  CHECK(of_next != driver.widget("mechanism/sums").value);
}

TEST_CASE("a query that sees no key has no curve, and it is said") {
  Driver driver(1366, 768, 1, experiment_of(R"("mask": "causal", "normalize": "softmax_sink", "window_right": 0)"));
  driver.settle();
  act(driver, PadKeys{true, 3});
  act(driver, Select{{1, 1, {}}, true});
  act(driver, SetMode{ViewMode::mechanism});
  CHECK_FALSE(driver.shows("mechanism/plot"));
  CHECK(driver.shows("mechanism/no-curve"));
  act(driver, Select{{8, 6, {}}, true});
  CHECK(driver.shows("mechanism/plot"));
}

TEST_CASE("the picture rolls until its shifted windows are a grid, and a click still asks from the pixel under it") {
  Driver driver(1600, 1000);
  act(driver, UseExample{InputKind::image});
  act(driver, SetVariant{"swin"});
  act(driver, SetMode{ViewMode::mechanism});
  CHECK_FALSE(driver.shows("mechanism/roll/rolled"));  // nothing is shifted
  act(driver, SetParam{"window", Index{4}, false});
  act(driver, SetParam{"shift", Index{2}, false});
  act(driver, Select{{1023, {}, {}}, true});
  const std::string as_it_lies = driver.widget("mechanism/windows/told").value;
  CHECK(as_it_lies.find("The 12 hatched ones share its window in the rolled picture") != std::string::npos);
  driver.session().act(SetReduceMotion{false});
  driver.session().act(RollWindows{true});
  driver.frame();
  CHECK(driver.next_redraw() <= driver.now());  // on its way
  for (int i = 0; i < 90 && driver.next_redraw() <= driver.now(); ++i) driver.frame();
  CHECK(driver.next_redraw() > driver.now());
  driver.session().act(SetReduceMotion{true});
  driver.click("mechanism/roll/lies");
  CHECK_FALSE(driver.model().document.look.rolled);
  driver.click("mechanism/roll/rolled");
  CHECK(driver.model().document.look.rolled);
  CHECK(driver.widget("mechanism/windows/told").value.find("The 12 hatched ones came round") != std::string::npos);
  const Rect map = driver.widget("mechanism/windows").rect;
  const auto click = [&](float row, float column) {
    driver.click_at({map.x + map.w * (column + 0.5F) / 32, map.y + map.h * (row + 0.5F) / 32});
    return driver.model().document.look.selection.query;
  };
  CHECK(click(0, 0) == 2 * 32 + 2);
  CHECK(click(29, 10) == 31 * 32 + 12);
  CHECK(click(30, 31) == 0 * 32 + 1);  // what came round the border
  for (int i = 0; i < 4 && driver.model().document.look.rolled; ++i) act(driver, Undo{});
  CHECK_FALSE(driver.model().document.look.rolled);
  CHECK(driver.model().document.experiment->params.integer("shift") == 2);
  act(driver, Select{{1023, {}, {}}, true});
  CHECK(driver.widget("mechanism/windows/told").value == as_it_lies);
  CHECK(click(3, 5) == 3 * 32 + 5);
}
