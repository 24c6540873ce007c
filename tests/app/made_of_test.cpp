// What a row is made of, in words: held to the map of weights and to the numbers of the row, in every variant.
#include "app/reading/made_of.h"

#include <numeric>

#include "app/reading/slice.h"
#include "engine/io/experiment.h"
#include "engine/variants/variant.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

std::vector<float> row_of(const Step& step, Index head, Index row) {
  const Tensor& x = step.tensor();
  const Index width = x.dim(x.rank() - 1), rows = x.dim(x.rank() - 2);
  const auto values =
      x.values().subspan(static_cast<std::size_t>((head * rows + row) * width), static_cast<std::size_t>(width));
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("a row of a weighted sum is made of the shares that the map has") {
  const RanExperiment run = ran(example_experiment());
  const Trace& trace = *run.trace;
  const Step &sums = *trace.find("head_outputs"), &weights = *trace.find("weights"), &values = *trace.find("v");
  for (Index head = 0; head < 8; ++head)
    for (Index query = 0; query < 12; ++query) {
      const auto made = made_of(trace, sums, {.head = head}, query);
      REQUIRE(made);
      REQUIRE(made->heads.size() == 1);
      const TakenShares& taken = made->heads.front();
      CHECK(taken.head == head);
      const auto row = row_of(weights, head, query);
      double named = 0;
      for (const auto& part : taken.parts) {
        CHECK(part.share == row[static_cast<std::size_t>(part.key)]);
        CHECK(part.name.starts_with(weights.info.axes[3].labels[static_cast<std::size_t>(part.key)]));
        named += part.share;
      }
      CHECK(named + taken.rest == Approx(1).margin(1e-5));
      if (!made->nearest) continue;  // a row of zeros
      CHECK(made->nearest->of == "value");
      const auto sum = row_of(sums, head, query), value = row_of(values, head, taken.parts.front().key);
      if (taken.parts.front().share > 0.9 && std::inner_product(value.begin(), value.end(), value.begin(), 0.0) > 1)
        CHECK(made->nearest->name == taken.parts.front().name);
    }
  const auto at_output = made_of(trace, *trace.find("output"), {}, 9);
  REQUIRE(at_output);
  CHECK(at_output->heads.size() == 8);
  CHECK(in_words(at_output->heads[2]) == "95 % sat, 5 % ⟨s⟩");
  CHECK(at_output->nearest->of == "input");
  CHECK_FALSE(made_of(trace, weights, {}, 9));
  CHECK_FALSE(made_of(trace, *trace.find("q"), {}, 9));
}

TEST_CASE("what was added to its input is not said to be made of shares") {
  const RanExperiment run = ran(parse_experiment(
      R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4, "block": "pre_norm"},
          "inputs": {"x_q": {"text": "red fox runs"}}, "weights": {"init": "xavier_normal"}})",
      {}, ""));
  CHECK(made_of(*run.trace, *run.trace->find("head_outputs"), {}, 1));
  CHECK(made_of(*run.trace, *run.trace->find("projected"), {}, 1));
  CHECK_FALSE(made_of(*run.trace, *run.trace->find("residual"), {}, 1));
  CHECK_FALSE(made_of(*run.trace, *run.trace->find("output"), {}, 1));
}

TEST_CASE("in every variant, shares are of the whole") {
  std::size_t told = 0;
  for (const Variant* variant : all_variants())
    for (const std::string& json : variant->samples()) {
      const RanExperiment run = ran(parse_experiment(json, HEADLIGHT_SOURCE_DIR "/assets/examples", ""));
      for (const Step& step : run.trace->steps) {
        INFO(json << " " << step.info.id);
        const auto made = made_of(*run.trace, step, {}, 0);
        if (!made) continue;
        ++told;
        for (const auto& taken : made->heads) {
          const double sum = std::transform_reduce(taken.parts.begin(), taken.parts.end(), taken.rest, std::plus<>(),
                                                   [](const auto& part) { return part.share; });
          CHECK(sum == Approx(1).margin(1e-3));
          CHECK_FALSE(in_words(taken).empty());
        }
        if (made->nearest) CHECK(std::abs(made->nearest->cosine) < 1.00001);
      }
    }
  CHECK(told > 20);
}

TEST_CASE("the inspector says what the row that is chosen is made of, or each") {
  Driver driver(1600, 1000, 1, example_experiment());
  driver.session().act(SetHead{2});
  driver.session().act(ShowStep{"head_outputs"});
  driver.settle();
  CHECK(driver.widget("made/0").value == "cat ← 95 % sat, 5 % ⟨s⟩");
  driver.session().act(Select{});
  driver.settle();
  CHECK(driver.widget("made/9").value == "cat ← 95 % sat, 5 % ⟨s⟩");
  driver.session().act(ShowStep{"output"});
  driver.session().act(Select{{.query = 9}});
  driver.settle();
  CHECK(driver.widget("made/2").value == "Induction ← 95 % sat, 5 % ⟨s⟩");
  CHECK(driver.widget("made/nearest").value.starts_with("Nearest input: "));
  driver.session().act(ShowStep{"weights"});
  driver.settle();
  CHECK_FALSE(driver.shows("made/0"));
}
