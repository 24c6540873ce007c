// Gradients against central differences in double precision, for every variant: what an explanation says of a number
// is also what is differentiated and what is perturbed.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "engine/trace/rule.h"
#include "tests/catch.h"
#include "tests/engine/doubles.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

double sum_by(const DoubleNumbers& numbers, const Tensor& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (weights[static_cast<Index>(i)] != 0) sum += numbers[i] * weights[static_cast<Index>(i)];
  return sum;
}

// A problem that asks for the gradients of a random sum over its output, and its name.
struct Asked {
  std::string name;
  Problem problem;
};

std::string output_of(const Problem& problem) {
  const auto trace = run(problem);
  REQUIRE(trace);
  const Step* output = trace->output();
  return (output ? *output : trace->steps.back()).info.id;
}

Asked asking(std::string name, Problem problem) {
  const auto plain = run(problem);
  INFO(name);
  REQUIRE(plain);
  const std::string of = output_of(problem);
  problem.gradient =
      GradientAsked{.of = of, .weights = std::make_shared<const Tensor>(drawn(plain->find(of)->tensor().shape(), 77))};
  return {std::move(name), std::move(problem)};
}

// Numbers in [0, 1), one after the other.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : numbers_(drawn({4096}, seed)) {}
  double next() { return (static_cast<double>(numbers_[at_++ % numbers_.size()]) + 1) / 2; }
  Index below(std::size_t count) { return static_cast<Index>(next() * static_cast<double>(count)); }

 private:
  Tensor numbers_;
  Index at_ = 0;
};

// Some of the parameters of scaled dot-product attention away from their defaults.
Experiment with_random_options(Draws& draws) {
  auto experiment = parse_experiment(R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4},
      "inputs": {"x_q": {"text": "see what it does", "d_model": 8}}, "weights": {"init": "normal"}})",
                                     {}, "random");
  REQUIRE(experiment);
  for (const ParamSpec& spec : find_variant("multi_head")->params()) {
    if (draws.next() > 0.2 || spec.id == "heads" || spec.id == "d_head" || spec.id == "only_query") continue;
    ParamValue value = spec.fallback;
    if (spec.type == ParamType::choice)
      value = spec.choices[static_cast<std::size_t>(draws.below(spec.choices.size()))].id;
    if (spec.type == ParamType::flag) value = draws.next() < 0.5;
    if (spec.type == ParamType::integer) value = static_cast<Index>(spec.least) + draws.below(4);
    if (spec.type == ParamType::real) value = std::clamp(draws.next() * 3, spec.least, spec.most);
    if (const auto checked = check_param(spec, value)) experiment->params.set(spec.id, *checked);
  }
  return *experiment;
}

// What was set of each, as a failing test names it.
std::string in_words(const Experiment& experiment) {
  std::string words;
  for (const ParamSpec& spec : find_variant(experiment.variant)->params())
    if (experiment.params.is_given(spec.id)) words += spec.id + " " + to_string(experiment.params.get(spec.id)) + ", ";
  return words;
}

std::vector<Asked> with_fifty_random_combinations() {
  std::vector<Asked> all;
  Draws draws(31);
  while (all.size() < 50) {
    const Experiment experiment = with_random_options(draws);
    if (auto problem = prepare(experiment, Budget{1e9}); problem && problem->variant->check(*problem))
      all.push_back(asking(in_words(experiment), std::move(*problem)));
  }
  return all;
}

std::vector<Asked> all_problems() {
  std::vector<Asked> all = with_fifty_random_combinations();
  for (const Sketch& sketch : all_sketches()) {
    auto problem = make_problem(sketch);
    REQUIRE(problem);
    if (problem->variant->check_gradients()) all.push_back(asking(sketch.name, std::move(*problem)));
  }
  for (const Variant* variant : all_variants())
    for (const std::string& json : variant->check_gradients() ? variant->samples() : std::vector<std::string>{}) {
      INFO(json);
      const auto experiment = parse_experiment(json, HEADLIGHT_SOURCE_DIR, variant->info().id);
      REQUIRE(experiment);
      auto problem = prepare(*experiment, Budget{1e9});
      REQUIRE(problem);
      all.push_back(asking(json, std::move(*problem)));
    }
  return all;
}

}  // namespace

TEST_CASE("the slope of every rule is that of its function") {
  int tried = 0;
  for (const Rule& rule : rules()) {
    INFO(rule.name);
    CHECK((rule.function == nullptr) == (rule.slope == nullptr));
    CHECK((rule.length == nullptr) == (rule.length_slope == nullptr));
    for (const double x : {-3.1, -0.7, 0.2, 1.9}) {
      constexpr double h = 1e-5;
      if (rule.function && std::isfinite(rule.function(x)))  // a logarithm has none below 0
        CHECK(rule.slope(x) ==
              Approx((rule.function(x + h) - rule.function(x - h)) / (2 * h)).epsilon(1e-7).margin(1e-9));
      if (rule.length)
        CHECK(rule.length_slope(x * x, 3, 1e-3) ==
              Approx((rule.length(x * x + h, 3, 1e-3) - rule.length(x * x - h, 3, 1e-3)) / (2 * h)).epsilon(1e-7));
      ++tried;
    }
  }
  CHECK(tried > 40);
}

TEST_CASE("the derivative of every explanation is that of central differences, for every variant") {
  int directions = 0;
  for (const Asked& asked : all_problems()) {
    INFO(asked.name);
    const auto trace = run(asked.problem);
    REQUIRE(trace);
    const std::string& of = asked.problem.gradient->of;
    const auto& weights = asked.problem.gradient->weights;
    Doubles doubles(*trace);
    doubles.move_off_ties();
    doubles.run();
    auto gradients = doubles.gradients(of, *weights);
    for (const Step& source : trace->sources) {
      if (!is_given(source)) continue;
      INFO(source.info.id);
      DoubleNumbers& numbers = doubles.of(source.info.id);
      const DoubleNumbers before = numbers;
      const Tensor direction = drawn(source.tensor().shape(), 5);
      double slope = 0, squares = 0;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double part = gradients.at(source.info.id)[i] * direction[static_cast<Index>(i)];
        slope += part;
        squares += part * part;
      }
      const auto loss_at = [&](double by) {
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = before[i] + by * direction[static_cast<Index>(i)];
        doubles.run();
        return sum_by(doubles.of(of), *weights);
      };
      const auto difference = [&](double by) { return (loss_at(by) - loss_at(-by)) / (2 * by); };
      // Richardson 1911: without the error in h².
      const auto error = [&](double h) { return std::abs((4 * difference(h / 2) - difference(h)) / 3 - slope); };
      const double allowed = 1e-6 * std::sqrt(squares) + 1e-8;
      double off = std::abs(difference(1e-5) - slope);
      if (off > allowed) off = error(1e-4);
      if (off > allowed) off = error(1e-6);  // a bend, as of ReLU, may lie within the longer step
      numbers = before;
      CHECK(off <= allowed);
      ++directions;
    }
  }
  CHECK(directions > 300);
}

TEST_CASE("gradients are steps: their numbers are those of the derivative, and every cell says where it came from") {
  int compared = 0;
  for (const Asked& asked : all_problems()) {
    INFO(asked.name);
    const auto trace = run(asked.problem);
    REQUIRE(trace);
    CHECK(first_disagreement(*trace) == "");
    Doubles doubles(*trace);
    const std::string& of = asked.problem.gradient->of;
    const auto& weights = asked.problem.gradient->weights;
    const auto gradients = doubles.gradients(of, *weights);
    double overall = 0;
    for (const auto& [id, numbers] : gradients)
      for (const double number : numbers) overall = std::max(overall, std::abs(number));
    for (const auto& [id, expected] : gradients) {
      const auto abs_less = [](double a, double b) { return std::abs(a) < std::abs(b); };
      const double largest = std::abs(*std::ranges::max_element(expected, abs_less));
      const Step* step = trace->find("grad_" + id);
      INFO(id);
      if (!step) {
        CHECK((largest == 0 || id == "mask"));  // a mask made by rules alone hands nothing on
        continue;
      }
      REQUIRE(step->tensor().size() == static_cast<Index>(expected.size()));
      double worst = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        worst = std::max(worst, std::abs(step->tensor()[static_cast<Index>(i)] - expected[i]));
      CHECK(worst <= 1e-4 * largest + 2e-6 * overall);
      ++compared;
    }
    for (const Step& step : trace->steps) {
      INFO(step.info.id);
      CHECK(trace->stage_of(step.info.id));
      CHECK_FALSE(step.info.title.empty());
      CHECK_FALSE(step.info.formula.empty());
      if (step.info.id.starts_with("grad_")) CHECK(step.info.role == Role::none);
    }
  }
  CHECK(compared > 1000);
}

TEST_CASE(
    "explanations hold wherever inputs are moved to: no number that depends on them stands in one as a constant") {
  for (const Asked& asked : all_problems()) {
    INFO(asked.name);
    Problem moved = asked.problem;
    const std::string of = moved.gradient->of;
    moved.gradient.reset();
    const auto trace = run(moved);
    REQUIRE(trace);
    Doubles doubles(*trace);
    for (const Step& source : trace->sources) {
      if (source.info.id == "rotary_frequencies") continue;  // turns made of them stop gradients
      const auto spec =
          std::ranges::find_if(moved.arrays, [&](const auto& array) { return array.second == source.values; });
      if (!is_given(source) || spec == moved.arrays.end() || source.info.kind == Kind::mask) continue;
      const Tensor direction = drawn(source.tensor().shape(), 9);
      auto changed = std::make_shared<Tensor>(source.tensor());
      for (Index i = 0; i < changed->size(); ++i) (*changed)[i] += 0.1F * std::abs(direction[i]);
      for (auto& [id, tensor] : moved.arrays)
        if (tensor == source.values) tensor = changed;
      doubles.of(source.info.id).assign(changed->values().begin(), changed->values().end());
    }
    const auto expected = run(moved);
    REQUIRE(expected);
    doubles.run();
    const Tensor& output = expected->find(of)->tensor();
    double worst = 0, largest = 0;
    for (Index i = 0; i < output.size(); ++i) {
      const double got = doubles.of(of)[static_cast<std::size_t>(i)];
      if (std::isinf(output[i]) && got == output[i]) continue;
      worst = std::max(worst, std::abs(got - output[i]));
      largest = std::max(largest, std::abs(static_cast<double>(output[i])));
    }
    CHECK(worst <= 1e-3 * largest + 1e-5);
  }
}
