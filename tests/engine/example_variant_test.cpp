// The worked example of docs/adding-a-variant.md, held to what every registered variant is held to.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "docs/examples/distance.h"
#include "engine/io/experiment.h"
#include "engine/trace/rule.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Tensor one_number(Shape shape, std::vector<float> numbers) {
  return Tensor::from(std::move(shape), numbers);
}

// Two batch items of three tokens of one channel, which all matrices leave as it is, prepared by hand: the example is
// not in the registry, where prepare() looks.
Problem example_problem() {
  Problem problem;
  problem.variant = &distance_variant();
  problem.params = ParamValues::defaults(distance_variant().params());
  for (const auto& [id, value] : std::initializer_list<std::pair<const char*, ParamValue>>{
           {"heads", Index{1}}, {"d_head", Index{1}}, {"sharpness", 0.5}, {"mask", std::string("causal")}})
    REQUIRE(problem.params.set(id, value));
  problem.specs = distance_variant().arrays(problem.params, {"x_q"});
  const auto x = std::make_shared<const Tensor>(one_number({2, 3, 1}, {0, 1, 3, -1, 0, 4}));
  for (const char* id : {"x_q", "x_k", "x_v"}) problem.arrays[id] = x;
  for (const char* id : {"w_q", "w_k", "w_v"})
    problem.arrays[id] = std::make_shared<const Tensor>(one_number({1, 1, 1}, {1}));
  problem.arrays["w_o"] = std::make_shared<const Tensor>(one_number({1, 1}, {1}));
  distance_variant().bind(problem.params, problem.symbols);
  for (const auto& [symbol, extent] :
       std::initializer_list<std::pair<const char*, Index>>{{"B", 2}, {"n_q", 3}, {"d_q", 1}})
    problem.symbols[symbol] = extent;
  distance_variant().bind_rest(problem.params, problem.symbols);
  return problem;
}

}  // namespace

TEST_CASE("the example variant weighs keys by their distance, and every cell agrees with its explanation") {
  const Problem problem = example_problem();
  REQUIRE(distance_variant().validate(problem.params, problem.symbols));
  const auto trace = run(problem);
  REQUIRE(trace);
  const Tensor &scores = trace->find("scores")->tensor(), &output = trace->find("output")->tensor();
  CHECK(scores[5] == Approx(-2));  // −0.5 · (1 − 3)²
  CHECK(scores[9 + 2] == -12.5F);  // −0.5 · (−1 − 4)²
  CHECK(output[0] == 0);           // the first token sees itself alone
  CHECK(output[1] == Approx(1 / (1 + std::exp(-0.5))));
  CHECK(output[2] == Approx((3 + std::exp(-2.0)) / (1 + std::exp(-2.0) + std::exp(-4.5))));
  CHECK(first_disagreement(*trace) == "");
  for (const auto& step : trace->steps) {
    INFO(step.info.id);
    CHECK(step.explain);
    CHECK(trace->stage_of(step.info.id));
    CHECK(step.info.note.size() > 40);
    CHECK(step.info.code.numpy.starts_with(step.info.id + " = "));
    CHECK(step.info.code.torch.starts_with(step.info.id + " = "));
    CHECK(step.info.formula.find("\\hl{" + step.info.id + "}{") != std::string::npos);
  }
  CHECK(trace->find("head_outputs")->info.formula.find("\\hl{weights}{") != std::string::npos);
}

TEST_CASE("the example variant knows its cost before it runs") {
  const Problem problem = example_problem();
  const auto trace = run(problem);
  REQUIRE(trace);
  double bytes = 0, operations = 0;
  for (const auto* list : {&trace->sources, &trace->steps})
    for (const auto& step : *list) {
      if (list == &trace->sources && step.info.id != "mask") continue;
      const auto cells = static_cast<double>(step.tensor().size());
      double most = 1;  // a masked cell reads fewer
      for (Index cell = 0; cell < step.tensor().size(); ++cell)
        most = std::max(most, operations_of(step.explain(cell)));
      bytes += cells * sizeof(float);
      operations += cells * most;
    }
  const Cost cost = cost_of(problem);
  CHECK(cost.bytes == bytes);
  CHECK(cost.operations == operations);
}

TEST_CASE("the example variant is an example, not one of the program's") {
  REQUIRE(distance_variant().samples().size() == 1);
  const auto parsed = parse_experiment(distance_variant().samples()[0], {}, "sample");
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().message.starts_with("sample: variant \"distance\" is not known: known: multi_head"));
}
