// The worked example of docs/adding-a-variant.md, held to what every registered variant is held to.
#include <memory>
#include <vector>

#include "docs/examples/average.h"
#include "engine/io/experiment.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

// The example's own sample and a second batch, prepared by hand: it is not in the registry, where prepare() looks.
Problem example_problem() {
  Problem problem;
  problem.variant = &average_variant();
  problem.params = ParamValues::defaults(average_variant().params());
  problem.specs = average_variant().arrays(problem.params, {"x"});
  const std::vector<float> numbers{1, 2, 3, 4, 5, 9, -1, 0, 0, 0, 4, 3};
  problem.arrays["x"] = std::make_shared<const Tensor>(Tensor::from({2, 3, 2}, numbers));
  average_variant().bind(problem.params, problem.symbols);
  problem.symbols["B"] = 2;
  problem.symbols["n_q"] = 3;
  problem.symbols["d_q"] = 2;
  average_variant().bind_rest(problem.params, problem.symbols);
  return problem;
}

}  // namespace

TEST_CASE("the example variant gives the mean, and every cell agrees with its explanation") {
  const Problem problem = example_problem();
  REQUIRE(average_variant().validate(problem.params, problem.symbols));
  const auto trace = run(problem);
  REQUIRE(trace);
  const Tensor& output = trace->find("output")->tensor();
  for (Index i = 0; i < 3; ++i) {
    CHECK(output[i * 2] == Approx(3));        // (1 + 3 + 5) / 3
    CHECK(output[i * 2 + 1] == Approx(5));    // (2 + 4 + 9) / 3
    CHECK(output[(3 + i) * 2] == Approx(1));  // (−1 + 0 + 4) / 3
  }
  CHECK(first_disagreement(*trace) == "");
  for (const auto& step : trace->steps) {
    INFO(step.info.id);
    CHECK(step.explain);
    CHECK(trace->stage_of(step.info.id));
    CHECK(step.info.note.size() > 40);
    CHECK(step.info.code.numpy.starts_with(step.info.id + " = "));
    CHECK(step.info.code.torch.starts_with(step.info.id + " = "));
    CHECK(step.info.formula.starts_with("\\hl{" + step.info.id + "}{"));
  }
  CHECK(trace->find("output")->info.formula.find("\\hl{weights}{") != std::string::npos);
}

TEST_CASE("the example variant knows its cost before it runs") {
  const Problem problem = example_problem();
  const auto trace = run(problem);
  REQUIRE(trace);
  double bytes = 0;
  for (const auto& step : trace->steps) bytes += static_cast<double>(step.tensor().size()) * sizeof(float);
  const Cost cost = cost_of(problem);
  CHECK(cost.bytes == bytes);
  CHECK(cost.operations == 2 * 3 * 3 * 1 + 2 * 3 * 2 * (3 + 3));  // weights: one number each; output: two in each of 3
}

TEST_CASE("the example variant is an example, not one of the program's") {
  REQUIRE(average_variant().samples().size() == 1);
  const auto parsed = parse_experiment(average_variant().samples()[0], {}, "sample");
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().message.starts_with("sample: variant \"average\" is not known: known: multi_head"));
}
