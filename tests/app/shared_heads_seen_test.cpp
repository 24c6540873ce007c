// Heads that share keys, and heads of two maps, in the window: what belongs to which is shown and said.
#include "app/panels/views/parts.h"
#include "app/reading/cell_trace.h"
#include "app/reading/edits_offered.h"
#include "app/reading/slice.h"
#include "app/reading/step_words.h"
#include "engine/io/experiment.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

Experiment experiment_of(const char* variant, const char* params) {
  auto experiment = parse_experiment(fmt::format(R"({{"variant": "{}", "params": {{{}}},
      "inputs": {{"x_q": {{"text": "one owl and two more owls"}}}}, "weights": {{"init": "normal"}}}})",
                                                 variant, params),
                                     {}, "");
  if (!experiment) FAIL(experiment.error().message);
  return *experiment;
}

}  // namespace

TEST_CASE("keys that heads share are shown once, under the heads that read them") {
  Driver driver(1600, 1000, 1, experiment_of("multi_head", R"("heads": 6, "kv_heads": 2)"));
  driver.settle();
  // Under the number of key heads stands which query heads read each.
  for (int head = 0; head < 6; ++head)
    CHECK(driver.widget(fmt::format("params/query head/{}", head)).value == (head < 3 ? "k v 0" : "k v 1"));
  CHECK(driver.widget("params/kept").value == "32 numbers cached per token, not 96.");
  act(driver, SetHead{4});
  act(driver, ShowStep{"k"});
  CHECK(title_of_view(driver.model()) == "Heads 3–5");
  REQUIRE(driver.shows("heads/0"));
  REQUIRE(driver.shows("heads/3"));
  for (const char* none : {"heads/1", "heads/2", "heads/4", "heads/5"}) CHECK_FALSE(driver.shows(none));
  // The one that is clicked is the first of its heads; where they read on, each has a map of its own.
  driver.click("heads/0");
  driver.settle();
  CHECK(driver.model().document.look.head == 0);
  CHECK(title_of_view(driver.model()) == "Heads 0–2");
  act(driver, ShowStep{"scores"});
  CHECK(driver.shows("heads/5"));
  CHECK(title_of_view(driver.model()) == "Head 0");
}

TEST_CASE(
    "what a mask hides is hatched in every map of weights, and told as masked, whatever the weights are made of") {
  for (const auto& [variant, params] :
       {std::pair("multi_head", R"("heads": 2, "differential": true)"),
        std::pair("multi_head", R"("heads": 2, "talking_heads": "both")"),
        std::pair("multi_head", R"("heads": 2, "dropout": 0.3)"), std::pair("linear_attention", R"("heads": 2)")}) {
    Driver driver(1600, 1000, 1, experiment_of(variant, fmt::format(R"({}, "mask": "causal")", params).c_str()));
    driver.settle();
    const Trace& trace = *driver.model().trace();
    int maps = 0;
    for (const Step& step : trace.steps) {
      if (!is_weight(step)) continue;
      ++maps;
      INFO(variant << " " << params << " " << step.info.id);
      for (Index head = 0; head < heads_of(step); ++head) {
        std::shared_ptr<const Tensor> owner;
        const Focus focus{.head = first_head_at(step, head)};
        const MatrixView cells = cells_of(trace, step, focus, owner);
        const Slice slice = slice_of(step, focus);
        for (Index i = 0; i < cells.rows; ++i)
          for (Index j = 0; j < cells.columns; ++j) {
            CHECK(is_masked(cells.at(i, j)) == (j > i));
            CHECK(why_masked(trace, step, slice.cell_at(i, j)).empty() == (j <= i));
          }
      }
    }
    CHECK(maps == (std::string_view(variant) == "multi_head" ? 2 : 1));
  }
}

TEST_CASE("a number that was set where a mask hides is shown, and one that was set to 0 is no mask's") {
  Driver driver(1600, 1000, 1, experiment_of("linear_attention", R"("heads": 2, "mask": "causal")"));
  driver.settle();
  const auto set = [&](Index key, double value) {
    Edit edit{.array = "weights", .at = {Span{0, 0}, Span{0, 0}, Span{0, 0}, Span{key, key}}, .values = {value}};
    act(driver, AddEdit{std::move(edit)});
  };
  set(2, 0.5);
  set(3, 0);
  const Trace& trace = *driver.model().trace();
  const Step& weights = *trace.find("weights");
  std::shared_ptr<const Tensor> owner;
  CHECK(cells_of(trace, weights, {}, owner).at(0, 2) == 0.5F);
  CHECK(why_masked(trace, weights, 2).empty());
  CHECK(why_masked(trace, weights, 3).empty());
  CHECK_FALSE(why_masked(trace, weights, 4).empty());
}

TEST_CASE("the slice of a shared step is that of the key head which the shown head reads") {
  Driver driver(1600, 1000, 1, experiment_of("multi_head", R"("heads": 6, "kv_heads": 2)"));
  driver.settle();
  const Trace& trace = *driver.model().trace();
  const Step& k = *trace.find("k");
  const Index plane = k.tensor().dim(2) * k.tensor().dim(3);
  for (Index head = 0; head < 6; ++head) {
    const Slice slice = slice_of(k, {.head = head});
    CHECK(slice.offset == head / 3 * plane);
  }
  CHECK(heads_of(k) == 2);
  CHECK(heads_served(k) == 6);
  CHECK(counted_head(trace, k, 5) == "heads 3–5");
  CHECK(counted_head(trace, *trace.find("q"), 5) == "head 5");
}

TEST_CASE("the two maps of a differential head are maps, and what follows is the head's") {
  Driver driver(1600, 1000, 1, experiment_of("multi_head", R"("heads": 3, "kv_heads": 1, "differential": true)"));
  driver.settle();
  act(driver, SetHead{3});
  act(driver, ShowStep{"weights"});
  CHECK(title_of_view(driver.model()) == "Map 3");
  act(driver, ShowStep{"differential_weights"});
  CHECK(title_of_view(driver.model()) == "Head 1");
  act(driver, ShowStep{"k"});
  CHECK(title_of_view(driver.model()) == "Maps 3–5");
  act(driver, ShowStep{"v"});
  CHECK(title_of_view(driver.model()) == "Maps 0–5");
}

TEST_CASE("a map by which nothing is taken offers no edits of it") {
  Driver driver(1600, 1000, 1, experiment_of("linear_attention", R"("heads": 2)"));
  driver.settle();
  const Trace& trace = *driver.model().trace();
  CHECK(edits_offered(trace, *trace.find("weights"), {.selection = {.query = 1, .key = 2}}).empty());
  Driver softmax(1600, 1000, 1, experiment_of("multi_head", R"("heads": 2)"));
  softmax.settle();
  const Trace& other = *softmax.model().trace();
  CHECK_FALSE(edits_offered(other, *other.find("weights"), {.selection = {.query = 1, .key = 2}}).empty());
}
