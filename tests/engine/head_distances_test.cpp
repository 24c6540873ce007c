// Distances between heads, against the definition, and on heads whose likeness is known.
#include "engine/measures/head_distances.h"

#include <cmath>

#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

// Written from the definition: KL(p | m)/2 + KL(q | m)/2.
double divergence(const Tensor& w, Index item, Index a, Index b, Index query) {
  double sum = 0;
  for (Index j = 0; j < w.dim(3); ++j) {
    const double p = w.at({item, a, query, j}), q = w.at({item, b, query, j}), m = (p + q) / 2;
    if (p > 0) sum += 0.5 * p * std::log(p / m);
    if (q > 0) sum += 0.5 * q * std::log(q / m);
  }
  return sum;
}

struct RunResult {
  std::shared_ptr<const Trace> of;
  const Trace& trace = *of;
};
RunResult run_json(const std::string& json) {
  const auto experiment = parse_experiment(json, {}, "test");
  REQUIRE(experiment);
  const auto problem = prepare(*experiment, Budget{1e9});
  REQUIRE(problem);
  ThreadPool pool(1);
  Compute compute(pool);
  const auto trace = run(*problem, compute);
  REQUIRE(trace);
  return {*trace};
}

HeadDistances distances_of(const Trace& trace, std::optional<Index> item = {}) {
  ThreadPool pool(2);
  Compute compute(pool);
  const auto found = head_distances({trace.map()}, compute, item);
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("heads lie as far apart as the definition says") {
  for (const Index heads : {3, 40}) {
    const auto result = run_json(fmt::format(
        R"({{"variant": "multi_head", "params": {{"heads": {}, "d_head": 4, "mask": "causal"}},
            "inputs": {{"x_q": {{"text": "the cat sat on the mat", "d_model": 16}}}},
            "weights": {{"init": "normal", "seed": 3}}}})",
        heads));
    const Tensor& w = result.trace.map()->tensor();
    const HeadDistances found = distances_of(result.trace);
    REQUIRE(found.heads == heads);
    for (Index a = 0; a < heads; ++a)
      for (Index b = 0; b < heads; ++b) {
        double sum = 0;
        for (Index i = 0; i < w.dim(2); ++i) sum += a == b ? 0 : divergence(w, 0, a, b, i);
        CHECK(found.between(a, b) == Approx(sum / static_cast<double>(w.dim(2))).margin(1e-6));
        CHECK(found.between(a, b) <= std::log(2.0) + 1e-9);
      }
    for (Index a = 0; a < heads; ++a)
      for (Index b = 0; b < heads; ++b)
        if (a != b) CHECK(found.between(a, *found.nearest(a)) <= found.between(a, b));
  }
}

TEST_CASE("heads that do the same are nearest to each other") {
  const auto result = run_json(
      R"({"variant": "multi_head", "params": {"heads": 16, "mask": "causal", "positions": "sinusoidal"},
          "inputs": {"x_q": {"text": "the cat sat on the mat because the cat was warm"}}, "weights": {"init": "textbook"}})");
  const HeadDistances found = distances_of(result.trace);
  for (const Index head : {0, 2, 3, 5, 6}) CHECK(found.nearest(head) == head + 8);  // those that repeat them
  CHECK(found.between(3, 11) < 0.05);
  CHECK(found.between(0, 3) > 0.2);
}

TEST_CASE("rows that one head does not have count for neither, and other sizes are not compared") {
  const auto one = run_json(R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4},
      "inputs": {"x_q": {"text": "the cat sat", "d_model": 16}}, "weights": {"init": "normal"}})");
  const auto other = run_json(R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4},
      "inputs": {"x_q": {"text": "the cat sat down", "d_model": 16}}, "weights": {"init": "normal"}})");
  ThreadPool pool(1);
  Compute compute(pool);
  CHECK_FALSE(head_distances({one.trace.map(), other.trace.map()}, compute));
  CHECK_FALSE(head_distances({}, compute));
  const auto both = head_distances({one.trace.map(), one.trace.map()}, compute);
  REQUIRE(both);
  CHECK(both->heads == 4);
  CHECK(both->between(0, 2) == Approx(0).margin(1e-7));
  CHECK(both->nearest(0) == 2);
}
