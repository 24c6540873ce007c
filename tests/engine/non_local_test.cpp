// What is particular to the non-local block: its grids, its similarities, pooling, batch norm, and limits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// A picture of 5 × 7 pixels in four channels, two of them.
Sketch picture(std::map<std::string, ParamValue> params = {}, std::map<std::string, Tensor> arrays = {}) {
  Sketch sketch{"picture", "non_local", std::move(params), {}, std::move(arrays)};
  if (!sketch.arrays.contains("x")) sketch.drawn["x"] = {2, 4, 5, 7};
  return sketch;
}

Tensor filled(Shape shape, float value) {
  Tensor tensor(std::move(shape));
  std::ranges::fill(tensor.values(), value);
  return tensor;
}

Trace trace_of(const Sketch& sketch) {
  auto trace = run(sketch);
  if (!trace) FAIL(trace.error().message);
  return std::move(*trace);
}

const Tensor& values(const Trace& trace, const char* id) {
  return trace.find(id)->tensor();
}

bool same(const Tensor& a, const Tensor& b) {
  return std::ranges::equal(a.values(), b.values());
}

std::string prepare_error(const std::string& json) {
  const auto experiment = parse_experiment(json, {}, "");
  if (!experiment) return experiment.error().message;
  const auto problem = prepare(*experiment);
  return problem ? "" : problem.error().message;
}

const std::vector<std::string> modes{"embedded_gaussian", "gaussian", "dot_product", "concatenation"};

}  // namespace

TEST_CASE("a block whose output weights or norm are 0 is the identity") {
  for (const auto& mode : modes) {
    const Trace bare = trace_of(picture({{"mode", mode}, {"batch_norm", false}}, {{"w_z", filled({4, 2}, 0)}}));
    CHECK(same(values(bare, "output"), values(bare, "x")));
    const Trace normed = trace_of(picture({{"mode", mode}}, {{"bn_gamma", filled({4}, 0)}}));
    CHECK(same(values(normed, "output"), values(normed, "x")));
    CHECK_FALSE(same(values(trace_of(picture({{"mode", mode}})), "output"), values(normed, "x")));
  }
}

TEST_CASE("rows of weights add up to 1 where softmax normalises, and to the mean score elsewhere") {
  for (const auto& mode : modes) {
    INFO(mode);
    const Trace trace = trace_of(picture({{"mode", mode}, {"sub_sample", true}}));
    const Tensor& weights = values(trace, "weights");
    const Index n_k = weights.dim(3);
    CHECK(n_k == 6);
    for (Index row = 0; row < weights.size() / n_k; ++row) {
      double sum = 0, scores = 0;
      for (Index j = 0; j < n_k; ++j) {
        sum += weights[row * n_k + j];
        scores += values(trace, "scores")[row * n_k + j];
      }
      CHECK(sum == Approx(mode.ends_with("gaussian") ? 1 : scores / 6));
    }
  }
}

TEST_CASE("pooling rounds down, and the axes keep both grids") {
  const Trace trace = trace_of(picture({{"sub_sample", true}}));
  const auto grid = [&](const char* id) { return *trace.find(id)->info.axes[2].grid; };
  CHECK((grid("q").rows == 5 && grid("q").columns == 7 && grid("phi").columns == 7));
  CHECK((grid("k").rows == 2 && grid("k").columns == 3 && grid("k").frames == 1));
  CHECK(trace.find("weights")->info.axes[3].grid->columns == 3);
  // Key 5 is row 1 and column 2 of the pooled grid: rows 2 and 3, columns 4 and 5 of the picture.
  const Step& k = *trace.find("k");
  std::vector<Index> behind;
  for (const auto& term : k.explain(5 * 2 + 1).terms) behind.push_back(term.factors[0].cell / 2);
  CHECK(behind == std::vector<Index>{2 * 7 + 4, 2 * 7 + 5, 3 * 7 + 4, 3 * 7 + 5});
  CHECK(k.info.note.find("last row and column are behind no key") != std::string::npos);
}

TEST_CASE("pixels left over by pooling ask but are not found") {
  Sketch sketch = picture({{"sub_sample", true}}, {{"x", drawn({1, 4, 5, 7}, 1)}});
  const Trace before = trace_of(sketch);
  Tensor& x = sketch.arrays["x"];
  for (Index c = 0; c < 4; ++c) x[c * 35 + 34] += 1;  // the corner, in every channel
  const Trace after = trace_of(sketch);
  CHECK(same(values(before, "k"), values(after, "k")));
  CHECK_FALSE(same(values(before, "q"), values(after, "q")));
}

// docs/variants/non_local.md works this out by hand.
TEST_CASE("the worked example of the documentation") {
  const auto experiment = parse_experiment(
      R"({"variant": "non_local", "params": {"dimension": 2, "sub_sample": true},
          "inputs": {"x": [[[[1, 0, 2, 0], [0, 1, 0, 1]], [[0, 1, 0, 1], [1, 0, 1, 2]]]],
                     "w_theta": [[1, 0.5]], "w_phi": [[0.5, 1]], "w_g": [[1, -1]], "w_z": [[2], [-1]],
                     "bn_gamma": [0.5, 1], "bn_beta": [0, 0.1], "bn_mean": [0.2, 0], "bn_var": [4, 1]}})",
      {}, "");
  REQUIRE(experiment);
  const auto problem = prepare(*experiment);
  REQUIRE(problem);
  const auto trace = run(*problem);
  REQUIRE(trace);
  CHECK(values(*trace, "k").at({0, 0, 1, 0}) == 2.5F);
  CHECK(values(*trace, "v").at({0, 0, 1, 0}) == 2);
  CHECK(values(*trace, "weights").at({0, 0, 2, 1}) == Approx(0.952574).margin(1e-6));
  CHECK(values(*trace, "projected").at({0, 0, 0, 2}) == Approx(0.926286).margin(1e-6));
  CHECK(values(*trace, "output").at({0, 0, 0, 2}) == Approx(2.926286).margin(1e-6));
}

TEST_CASE("time is not pooled") {
  Sketch video{"video", "non_local", {{"dimension", Index{3}}, {"sub_sample", true}}, {{"x", {1, 2, 3, 4, 6}}}, {}};
  const Trace trace = trace_of(video);
  CHECK(values(trace, "k").shape() == Shape{1, 1, 3 * 2 * 3, 1});
  CHECK(trace.find("k")->info.axes[2].grid->frames == 3);
  CHECK(values(trace, "output").shape() == Shape{1, 2, 3, 4, 6});
}

TEST_CASE("in gaussian mode similarity is symmetric and reads the input itself") {
  const Trace trace = trace_of(picture({{"mode", std::string("gaussian")}}));
  const Tensor& scores = values(trace, "scores");
  CHECK(scores.at({1, 0, 3, 20}) == scores.at({1, 0, 20, 3}));
  CHECK(values(trace, "q").shape() == Shape{2, 1, 35, 4});
  CHECK(values(trace, "head_outputs").shape() == Shape{2, 1, 35, 2});
  CHECK_FALSE(trace.find("w_theta"));
}

TEST_CASE("half of the channels are used inside, at least one") {
  const auto inner = [](Index channels) {
    return values(trace_of({"", "non_local", {}, {{"x", {1, channels, 2, 2}}}, {}}), "q").dim(3);
  };
  CHECK(inner(1) == 1);
  CHECK(inner(3) == 1);
  CHECK(inner(8) == 4);
}

TEST_CASE("numbers that are not finite carry through a non-local block, and their origin is named") {
  for (const auto& mode : modes)
    for (const float bad : {not_a_number, infinity}) {
      Tensor x = drawn({1, 4, 4, 4}, 1);
      x[5] = bad;
      const Trace trace = trace_of(picture({{"mode", mode}, {"sub_sample", true}}, {{"x", std::move(x)}}));
      CHECK(trace.origin_of_non_finite()->step == "x");
      CHECK_FALSE(std::isfinite(values(trace, "output")[5]));
      CHECK(first_disagreement(trace) == "");
    }
}

TEST_CASE("what cannot be is refused in one line") {
  const auto refusal = [](const Sketch& sketch) {
    const auto trace = run(sketch);
    return trace ? "" : trace.error().message;
  };
  const ParamValue pooled = true;
  CHECK(refusal(picture({{"sub_sample", pooled}}, {{"x", drawn({1, 2, 1, 6}, 1)}})) ==
        "sub_sample pools 2 × 2 neighbouring positions, and x has only 1 × 6: set sub_sample to false, or give a "
        "larger x");
  CHECK(refusal({"", "non_local", {{"sub_sample", pooled}, {"dimension", Index{1}}}, {{"x", {1, 2, 1}}}, {}})
            .starts_with("sub_sample pools 2 neighbouring positions, and x has only 1:"));
  CHECK(refusal(picture({}, {{"bn_var", Tensor::from({4}, std::vector<float>{1, 0, -0.5F, 1})}})) ==
        "bn_var[2] is -0.5: a variance must be 0 or more");
  CHECK(refusal(picture({{"mode", std::string("concatenation")}}, {{"w_concat", drawn({5}, 1)}})) ==
        "w_concat has 5 numbers, but it weighs queries and keys of 2 channels each: it must have 4");
  CHECK(prepare_error(R"({"variant":"non_local","params":{"dimension":2},"inputs":{"x":[[[1,2,3]]]}})") ==
        "inputs.x has shape (1, 1, 3), but it has 3 axes, not 4: it must be (B, C, H, W) = (any, any, any, any) "
        "(a batch of one? give it that axis: x[None] in NumPy)");
  CHECK(prepare_error(R"({"variant":"non_local","params":{"dimension":4},"inputs":{"x":[[[1,2,3]]]}})")
            .find("dimension is 4: it must be a whole number from 1 to 3") != std::string::npos);
  CHECK(prepare_error(R"({"variant":"non_local","params":{"dimension":2},"inputs":{"x":{"text":"a cat"}}})")
            .ends_with("set params.dimension to 1"));
  CHECK(prepare_error(R"({"variant":"non_local","inputs":{"x":{"text":"a cat"}}})") == "");  // it is one-dimensional
}

TEST_CASE("the samples run and together record every step") {
  std::set<std::string> seen;
  for (const auto& sample : find_variant("non_local")->samples()) {
    const auto experiment = parse_experiment(sample, {}, "sample");
    REQUIRE(experiment);
    const auto problem = prepare(*experiment);
    if (!problem) FAIL(problem.error().message);
    CHECK(problem->warnings.empty());
    const auto trace = run(*problem);
    REQUIRE(trace);
    for (const auto& step : trace->steps) seen.insert(step.info.id);
  }
  CHECK(seen == std::set<std::string>{"q", "phi", "g", "k", "v", "scores", "scaled_scores", "weights", "head_outputs",
                                      "projected", "output"});
}
