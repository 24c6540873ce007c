// Weights that are no plain softmax: what they come to, held to other ways of the same.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/ops/offset_rows.h"
#include "engine/trace/thresholds.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Trace weighed_by(const std::string& normalize, std::map<std::string, ParamValue> params = {},
                 std::map<std::string, Tensor> arrays = {}) {
  params.insert({{"normalize", normalize}, {"heads", Index{2}}, {"d_head", Index{3}}});
  auto trace = run(Sketch{"weighed", "multi_head", std::move(params), {{"x_q", {2, 5, 6}}}, std::move(arrays)});
  if (!trace) FAIL(trace.error().message);
  return std::move(*trace);
}

double row_sum(const Tensor& weights, Index row) {
  double sum = 0;
  for (Index j = 0; j < 5; ++j) sum += weights[row * 5 + j];
  return sum;
}

// As the papers find them: in order, largest first, each in turn as the last that counts.
double sparsemax_in_order(std::vector<double> scores) {
  std::ranges::sort(scores, std::greater<>());
  double sum = 0, threshold = 0, count = 0;
  for (const double score : scores)
    if (sum += score; 1 + ++count * score > sum) threshold = (sum - 1) / count;
  return threshold;
}

double entmax15_in_order(std::vector<double> scores) {
  std::ranges::sort(scores, std::greater<>());
  double mean = 0, squares = 0, threshold = 0, count = 0;
  for (const double score : scores) {
    const double half = score / 2, off = half - mean;
    mean += off / ++count;
    squares += off * (half - mean);
    const double found = mean - std::sqrt(std::max(0.0, (1 - squares) / count));
    if (found <= half) threshold = found;
  }
  return threshold;
}

const ParamValue causal = std::string("causal");

}  // namespace

TEST_CASE("a sink of 0 is one more key whose score is 0, and takes what the others leave") {
  const Trace trace = weighed_by("softmax_sink", {{"mask", causal}});
  const Tensor &scores = trace.find("masked_scores")->tensor(), &weights = trace.find("weights")->tensor(),
               &sink = trace.find("sink_weights")->tensor();
  REQUIRE(sink.shape() == Shape{2, 2, 5, 1});
  for (Index row = 0; row < 20; ++row) {
    double sum = 1;  // exp(0)
    for (Index j = 0; j < 5; ++j) sum += std::exp(static_cast<double>(scores[row * 5 + j]));
    for (Index j = 0; j < 5; ++j)
      CHECK(weights[row * 5 + j] == Approx(std::exp(static_cast<double>(scores[row * 5 + j])) / sum).margin(1e-7));
    CHECK(sink[row] == Approx(1 / sum).margin(1e-6));
  }
}

TEST_CASE("sinks from far below to far above every score stay finite") {
  for (const float sink : {-1e30F, -200.0F, 200.0F, 1e30F}) {
    Tensor sinks({2});
    std::ranges::fill(sinks.values(), sink);
    const Trace trace = weighed_by("softmax_sink", {}, {{"sink_logits", sinks}});
    for (Index row = 0; row < 20; ++row)
      CHECK(row_sum(trace.find("weights")->tensor(), row) == Approx(sink < 0 ? 1 : 0).margin(1e-6));
  }
}

TEST_CASE("sparse weights add up to 1, keep the order of scores, and are exactly 0 below the threshold") {
  for (const char* by : {"sparsemax", "entmax15"}) {
    INFO(by);
    const Trace trace = weighed_by(by, {{"scale", 3.0}, {"mask", causal}});
    const Tensor &scores = trace.find("masked_scores")->tensor(), &weights = trace.find("weights")->tensor();
    Index zeros = 0;
    for (Index row = 0; row < 20; ++row) {
      CHECK(row_sum(weights, row) == Approx(1).margin(1e-5));
      for (Index j = 0; j < 5; ++j)
        for (Index t = 0; t < 5; ++t)
          if (scores[row * 5 + j] > scores[row * 5 + t]) CHECK(weights[row * 5 + j] >= weights[row * 5 + t]);
      for (Index j = 0; j <= row % 5; ++j) zeros += weights[row * 5 + j] == 0;
    }
    CHECK(zeros > 5);  // of keys that are visible
  }
}

TEST_CASE("thresholds are those that the papers find in order") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::uint32_t state = 3;
  for (const std::size_t n : {1, 2, 3, 5, 64, 301}) {
    for (const double spread : {0.0, 1e-3, 0.5, 3.0, 100.0}) {
      std::vector<double> scores(n);
      for (double& score : scores) score = spread * ((state = state * 1664525 + 1013904223) / 2147483648.0 - 1) + 40;
      INFO(n << " scores, spread " << spread);
      const double sparse = sparsemax_in_order(scores), entmax = entmax15_in_order(scores);
      scores.insert(scores.begin() + static_cast<std::ptrdiff_t>(n / 2), -infinity);
      CHECK(sparsemax_threshold(scores) == Approx(sparse).epsilon(1e-12));
      CHECK(entmax15_threshold(scores) == Approx(entmax).epsilon(1e-12));
    }
  }
  // Where single precision cannot tell the scores apart.
  std::vector<double> far(50);
  for (std::size_t i = 0; i < far.size(); ++i) far[i] = 1e9 + static_cast<double>(i * 7 % 50) / 25;
  double sparse = 0, entmax = 0;
  for (const double score : far) {
    sparse += std::max(0.0, score - sparsemax_threshold(far));
    entmax += std::pow(std::max(0.0, score / 2 - entmax15_threshold(far)), 2);
  }
  CHECK(sparse == Approx(1).epsilon(1e-5));
  CHECK(entmax == Approx(1).epsilon(1e-5));
  CHECK(sparsemax_threshold(std::vector{-infinity, -infinity}) == 0);
  for (const double broken : {infinity, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(std::isnan(sparsemax_threshold(std::vector{1.0, broken, 2.0})));
    CHECK(std::isnan(entmax15_threshold(std::vector{1.0, 2.0, broken})));
  }
}

TEST_CASE("sparse rows are what is above the threshold of the same numbers") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::uint32_t state = 5;
  for (const std::size_t n : {1, 7, 16, 128, 515})
    for (const double spread : {0.0, 0.3, 4.0, 1000.0}) {
      std::vector<float> scores(n), sparse(n), entmax(n);
      for (float& score : scores)
        score = static_cast<float>(spread * ((state = state * 1664525 + 1013904223) / 2147483648.0 - 1) - 7);
      if (n > 1) scores[n / 2] = -infinity;
      sparsemax(scores, sparse.data());
      entmax15(scores, entmax.data());
      const std::vector<double> precise(scores.begin(), scores.end());
      const double of_sparse = sparsemax_threshold(precise), of_entmax = entmax15_threshold(precise);
      INFO(n << " scores, spread " << spread);
      for (std::size_t i = 0; i < n; ++i) {
        const double over = std::max(0.0, precise[i] / 2 - of_entmax);
        REQUIRE(sparse[i] == Approx(std::max(0.0, precise[i] - of_sparse)).margin(1e-9).epsilon(1e-6));
        REQUIRE(entmax[i] == Approx(over * over).margin(1e-9).epsilon(1e-6));
      }
    }
  std::vector<float> out(3);
  for (auto* made : {static_cast<void (*)(std::span<const float>, float*)>(sparsemax), &entmax15}) {
    made(std::vector{-infinity, -infinity, -infinity}, out.data());
    CHECK(out == std::vector{0.0F, 0.0F, 0.0F});
    for (const float broken : {infinity, std::numeric_limits<float>::quiet_NaN()}) {
      made(std::vector{1.0F, broken, -infinity}, out.data());
      CHECK(std::ranges::all_of(out, [](float weight) { return std::isnan(weight); }));
    }
  }
}

TEST_CASE("rows of a table go to the keys that use them, and what keys have to their rows") {
  for (const ops::OffsetRows& rows : {ops::OffsetRows{5, 7, 0, -2, 2},
                                      {5, 7, 2, -6, 6},
                                      {4, 3, 9, -2, 1},
                                      {3, 6, 0, 4, 5},
                                      {6, 1, 0, 0, 0},
                                      {3, 5, 1, -3, 3}}) {
    std::vector<float> of_rows, of_keys, spread(static_cast<std::size_t>(rows.keys));
    for (Index row = 0; row < rows.count(); ++row) of_rows.push_back(static_cast<float>(row) + 0.5F);
    for (Index key = 0; key < rows.keys; ++key) of_keys.push_back(static_cast<float>(1 << key));
    for (Index query = 0; query < rows.queries; ++query) {
      rows.spread(of_rows.data(), query, spread.data());
      std::vector<float> sums(of_rows.size(), -1), expected(of_rows.size(), 0);
      rows.gather(of_keys.data(), query, sums.data());
      for (Index key = 0; key < rows.keys; ++key) {
        const auto row = static_cast<std::size_t>(rows.of(query, key));
        CHECK(spread[static_cast<std::size_t>(key)] == of_rows[row]);
        expected[row] += of_keys[static_cast<std::size_t>(key)];
      }
      CHECK(sums == expected);
    }
  }
}

TEST_CASE("a row without a visible key has weights 0 by every rule, and its sink takes all") {
  for (const char* by : {"softmax", "softmax_sink", "sigmoid", "sparsemax", "entmax15"}) {
    INFO(by);
    const Trace trace = weighed_by(by, {}, {{"valid_lens", Tensor::from({2}, std::vector<float>{0, 3})}});
    const Step& weights = *trace.find("weights");
    for (Index cell = 0; cell < 50; ++cell) CHECK(weights.tensor()[cell] == 0);
    CHECK(weights.warnings.size() == 1);
    CHECK(weights.explain(0).reason == "no key is visible: the row's weights are 0 by definition");
    CHECK(weights.explain(53).reason.starts_with("masked by "));
    CHECK(weights.explain(50).reason.empty());
    if (const Step* sink = trace.find("sink_weights")) CHECK(sink->tensor()[0] == 1);
  }
}

TEST_CASE("the bias of sigmoids is −ln of all keys unless it is given") {
  const Trace automatic = weighed_by("sigmoid", {{"mask", causal}}),
              given = weighed_by("sigmoid", {{"sigmoid_bias", 0.0}});
  const auto expected = [](double score, double bias) { return 1 / (1 + std::exp(-score - bias)); };
  CHECK(automatic.find("weights")->tensor()[0] ==
        Approx(expected(automatic.find("masked_scores")->tensor()[0], -std::log(5.0))));
  CHECK(given.find("weights")->tensor()[7] == Approx(expected(given.find("scaled_scores")->tensor()[7], 0)));
}
