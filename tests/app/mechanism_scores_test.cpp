// Ways to score a pair beside each other: the same input, the run's own weights where it has them, and a click.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/model/mechanism_report.h"
#include "app/reading/printed.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;
using Catch::Matchers::WithinAbs;

namespace {

Experiment experiment_of(const char* variant, const std::string& params, const std::string& inputs = "") {
  auto experiment = parse_experiment(fmt::format(R"({{"variant": "{}", "params": {{{}}},
      "inputs": {{"x_q": {{"text": "the cat sat on the mat"}}{}}}, "weights": {{"init": "normal", "seed": 4}}}})",
                                                 variant, params, inputs),
                                     {}, "");
  if (!experiment) FAIL(experiment.error().message);
  return *experiment;
}

bool same(const Step* a, const Step* b) {
  return a && b && std::ranges::equal(a->tensor().values(), b->tensor().values());
}

}  // namespace

TEST_CASE("one input is scored in three ways, each in numbers of its own run") {
  Driver driver(1366, 768, 1, experiment_of("luong", R"("score": "general")"));
  driver.settle();
  act(driver, Select{{3, 2, {}}, true});
  act(driver, SetMode{ViewMode::mechanism});
  const Model& model = driver.model();
  REQUIRE(model.mechanism);
  const auto& scores = model.mechanism->scores;
  REQUIRE(scores.size() == 3);
  CHECK_FALSE(scores[1].experiment);  // it is the run's own
  REQUIRE(scores[0].trace);
  REQUIRE(scores[2].trace);
  CHECK(same(scores[2].trace->find("x_q"), model.trace()->find("x_q")));
  CHECK(same(scores[2].trace->find("w_c"), model.trace()->find("w_c")));  // what both take is the run's
  // Softmax of the tokens' own products.
  const Tensor &x = model.trace()->find("x_q")->tensor(), &map = scores[0].trace->map()->tensor();
  const Index n = x.dim(1), d = x.dim(2);
  for (Index i = 0; i < n; ++i) {
    std::vector<double> products;
    for (Index j = 0; j < n; ++j) {
      double& product = products.emplace_back(0.0);
      for (Index c = 0; c < d; ++c) product += static_cast<double>(x[i * d + c]) * x[j * d + c];
    }
    const double most = std::ranges::max(products);
    double sum = 0;
    for (const double product : products) sum += std::exp(product - most);
    for (Index j = 0; j < n; ++j)
      CHECK_THAT(map[i * n + j], WithinAbs(std::exp(products[static_cast<std::size_t>(j)] - most) / sum, 1e-5));
  }
  const auto told = [&](const char* form, const char* line) {
    return driver.widget(fmt::format("mechanism/form/{}/{}", form, line)).value;
  };
  const auto number = [&](const Trace& trace, const char* step) {
    return static_cast<double>(trace.find(step)->tensor().at({0, 0, 3, 2}));
  };
  CHECK(told("Dot", "score") == number_text(number(*scores[0].trace, "scores"), 3));
  CHECK(told("General", "score") == number_text(number(*model.trace(), "scores"), 3));
  CHECK(told("Concat", "score") == number_text(number(*scores[2].trace, "scores"), 3));
  CHECK(told("Concat", "weight") == fmt::format("{:.4f}", number(*scores[2].trace, "weights")));
  CHECK(told("Dot", "operations") != told("General", "operations"));
  CHECK(driver.widget("mechanism/forms/drawn").value == "Drawn at random, as this run has none: W_q, W_k, w (Concat).");
  CHECK_FALSE(driver.shows("mechanism/pictures/scrollbar"));
  // The dot product is what it is held against.
  REQUIRE(model.mechanism->plain.trace);
  CHECK(same(model.mechanism->plain.trace->map(), scores[0].trace->map()));

  driver.click("mechanism/form/Concat");
  driver.settle();
  CHECK(model.document.experiment->params.choice("score") == "concat");
  CHECK(model.trace()->find("features"));
  CHECK(driver.widget("mechanism/form/Concat").state == "chosen");
  CHECK(told("Concat", "score") == number_text(number(*model.trace(), "scores"), 3));
  act(driver, Undo{});
  CHECK(model.document.experiment->params.choice("score") == "general");
  CHECK(driver.widget("mechanism/form/General").state == "chosen");
}

TEST_CASE("additive scores stand beside products, and one of these takes their place") {
  Driver driver(1600, 1000, 1, experiment_of("additive", R"("hidden": 5)", R"(, "valid_lens": [4])"));
  driver.settle();
  act(driver, Select{{1, 6, {}}, true});
  act(driver, SetMode{ViewMode::mechanism});
  const Model& model = driver.model();
  REQUIRE(model.mechanism);
  REQUIRE(model.mechanism->scores.size() == 3);
  CHECK_FALSE(model.mechanism->scores[2].experiment);
  REQUIRE(model.mechanism->scores[0].trace);
  CHECK_FALSE(model.mechanism->scores[0].trace->find("w_c"));  // values as they are averaged here
  CHECK(driver.widget("mechanism/form/Dot/score").value == "masked");
  CHECK(driver.widget("mechanism/form/Additive/score").value == "masked");
  CHECK(driver.widget("mechanism/form/Dot/weight").value == "0.0000");
  driver.click("mechanism/form/Dot");
  driver.settle();
  CHECK(model.document.experiment->variant == "luong");
  CHECK(model.document.experiment->params.choice("score") == "dot");
  CHECK(driver.shows("mechanism/form/Concat"));
  CHECK_FALSE(model.mechanism->plain.experiment);  // it is what others are held against
}

TEST_CASE("a way to score that the input does not suit says so, and edits by hand put all of them away") {
  Driver driver(1600, 1000, 1,
                experiment_of("luong", R"("score": "concat")", R"(, "x_k": [[[1, 2, 3, 4], [0, 1, 0, 2]]])"));
  driver.settle();
  act(driver, SetMode{ViewMode::mechanism});
  REQUIRE(driver.model().mechanism);
  CHECK(driver.model().mechanism->scores[0].error.find("score dot needs queries and keys of one width") !=
        std::string::npos);
  CHECK(driver.widget("mechanism/form/Dot/refused").value == driver.model().mechanism->scores[0].error);
  CHECK_FALSE(driver.shows("mechanism/form/Dot/score"));
  CHECK(driver.shows("mechanism/form/General/score"));
  auto edited = *driver.model().document.experiment;
  edited.edits = {{.array = "scores", .at = {Span{0, 0}, Span{0, 0}, Span{1, 1}, Span{0, 0}}, .values = {5}}};
  act(driver, AddEdit{edited.edits.front()});
  REQUIRE(driver.model().trace()->edits.size() == 1);
  CHECK_FALSE(driver.shows("mechanism/form/General"));
}
