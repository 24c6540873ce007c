// The expressions of lessons: what they come to by hand, and what they say where they are wrong. Against NumPy:
// tests/code/run_expressions.py.
#include "engine/expressions/expression.h"

#include <cmath>

#include "engine/expressions/value.h"
#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

// Three words of two whole numbers each; what they are and who asks are one.
constexpr const char* three_words = R"({"variant": "multi_head", "params": {"heads": 1, "d_head": 2},
  "inputs": {"x_q": {"array": [[[2, 0], [0, 2], [2, 1]]], "tokens": ["red", "fox", "runs"]}}, "weights": {"init": "identity"}})";
constexpr const char* twins = R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 1},
  "inputs": {"x_q": {"array": [[[2, 0], [0, 2], [2, 0]]], "tokens": ["red", "fox", "red"]}}, "weights": {"init": "identity"}})";

struct Made {
  std::shared_ptr<const Trace> trace, other;
  ExpressionScope scope;
  explicit Made(const char* json = three_words) {
    trace = made(json);
    other = made(twins);
    scope.run.trace = trace.get();
    scope.runs["twins"].trace = other.get();
    scope.run.parameter = [](std::string_view name) -> Result<Value> {
      if (name == "d_head") return number_value(2);
      return fail("no parameter is called {}", name);
    };
  }
  static std::shared_ptr<const Trace> made(const char* json) {
    const auto experiment = parse_experiment(json, {}, "test");
    REQUIRE(experiment);
    const auto problem = prepare(*experiment);
    REQUIRE(problem);
    ThreadPool pool(1);
    Compute compute(pool);
    return run(*problem, compute).value();
  }
  Value value(const std::string& text) const {
    INFO(text);
    const auto parsed = Expression::parse(text);
    if (!parsed) FAIL(parsed.error().message);
    auto value = parsed->evaluate(scope);
    if (!value) FAIL(value.error().message);
    return *value;
  }
  double number(const std::string& text) const {
    const auto number = as_number(value(text));
    INFO(text);
    REQUIRE(number);
    return *number;
  }
  bool holds(const std::string& text) const {
    const Value found = value(text);
    INFO(text);
    REQUIRE(std::holds_alternative<bool>(found));
    return std::get<bool>(found);
  }
  ExpressionError error(const std::string& text) const {
    INFO(text);
    const auto parsed = Expression::parse(text);
    if (!parsed) return parsed.error();
    const auto value = parsed->evaluate(scope);
    REQUIRE_FALSE(value);
    return value.error();
  }
};

}  // namespace

TEST_CASE("numbers of a step are taken by letters, by tokens and by their places") {
  const Made made;
  for (const char* text :
       {"scores[runs, red]", "scores[q2, k0]", "scores[2, 0]", "scores[h0, q2, k0]", "scores[b0, h0, 2, 0]",
        "scores[0, 0, 2, 0]", "scores[k0, q2]", "scores[\"runs\", -3]", "max scores[runs, red:fox]"}) {
    INFO(text);
    CHECK(made.number(text) == 4);
  }
  CHECK(made.number("sum scores[runs, :]") == 11);
  CHECK(made.number("sum scores[runs]") == 11);
  // Of names both ends are meant, of plain numbers the last is not.
  CHECK(made.number("sum scores[runs, red:fox]") == 6);
  CHECK(made.number("sum scores[runs, k0:k1]") == 6);
  CHECK(made.number("sum scores[runs, 0:1]") == 4);
  CHECK(made.number("sum scores[runs, 1:]") == 7);
  CHECK(made.number("sum scores[runs, fox:]") == 7);
  CHECK(made.number("x_q[red, 0]") == 2);
  CHECK(made.number("scores[runs, (argmax scores[runs, :])]") == 5);
}

TEST_CASE("arithmetic goes as it is written, and functions take what stands next to them") {
  const Made made;
  CHECK(made.number("1 + 2 * 3 ^ 2 - 4 / 2") == 17);
  CHECK(made.number("-2 ^ 2") == -4);
  CHECK(made.number("2 ^ -1") == 0.5);
  CHECK(made.number("−1 · 3") == -3);
  CHECK(made.number("max scores[runs, :] + 1") == 6);
  CHECK(made.number("max (scores[runs, :] + 1)") == 6);
  CHECK(made.number("sqrt abs min (0 - scores[runs, :] - 11)") == 4);
  CHECK(made.number("log exp 2") == 2);
  CHECK(made.number("norm q[runs]") == Approx(std::sqrt(5.0)));
  CHECK(made.number("entropy (scores[runs, :] * 0 + 1 / 3)") == Approx(std::log(3.0)));
  CHECK(made.number("max (sum scores over k)") == 11);
  CHECK(made.number("max (sum scores over q)") == 11);
  CHECK(made.number("sum (max scores over keys)") == 13);
  CHECK(made.number("params.d_head") == 2);
  CHECK(made.number("max abs(twins.v[h0] * 0 + 3)") == 3);
}

TEST_CASE("arrays meet by what their axes are") {
  const Made made;
  // A number for each key beside the length of each key's vector.
  CHECK(made.number("max (scores[runs, :] * norm(v))") == Approx(5 * std::sqrt(5.0)));
  CHECK(made.number("sum (scores - scores)") == 0);
  CHECK(made.error("scores[runs, :] + twins.weights[h0, 0:2, 0:2]").message.find("do not fit") != std::string::npos);
}

TEST_CASE("an argmax is a place, with all that equal it") {
  const Made made;
  CHECK(made.holds("argmax scores[runs, :] = runs"));
  CHECK(made.holds("argmax scores[runs, :] != red"));
  CHECK(made.holds("argmax scores[runs, :] = 2"));
  CHECK(made.holds("(runs, argmax scores[runs, :]) = (runs, runs)"));
  CHECK(made.holds("(runs, argmax scores[runs, :]) != (fox, runs)"));
  const Made equal(twins);
  const auto places = std::get<AxisPlaces>(equal.value("argmax weights[h0, q0, :]"));
  REQUIRE(places.size() == 1);
  CHECK(places[0].positions == std::vector<Index>{0, 2});
  CHECK(equal.holds("argmax weights[h0, q0, :] = \"red\"#2"));
  CHECK_FALSE(equal.holds("argmax weights[h0, q0, :] = fox"));
}

TEST_CASE("beside a number that was typed, equal is to its digits") {
  const Made made;
  CHECK(made.number("weights[runs, runs]") == Approx(0.61999).margin(1e-5));
  CHECK(made.holds("weights[runs, runs] = 0.62"));
  CHECK(made.holds(".62 = weights[runs, runs]"));
  CHECK(made.holds("weights[runs, runs] = 1"));
  CHECK_FALSE(made.holds("weights[runs, runs] = 0.63"));
  CHECK_FALSE(made.holds("weights[runs, runs] = 0.62000"));
  CHECK(made.holds("sum weights[runs, :] = 1.0000"));
  CHECK(made.holds("0.6 < weights[runs, runs] < 0.63"));
  CHECK_FALSE(made.holds("0.62 = 0.621"));
  CHECK(made.holds("sum scores = 9 + 3 * 5 + 1"));
  CHECK(made.holds("not (1 > 2) and (1 < 2 or 1 > 2)"));
}

TEST_CASE("a mistake says where it is and what would fit") {
  const Made made;
  struct Case {
    const char* text;
    std::size_t at;
    const char* says;
  };
  for (const Case& one :
       std::initializer_list<Case>{{"", 0, "an expression is missing"},
                                   {"scores[runs, red", 16, "“]” is missing"},
                                   {"(1 + 2", 6, "“)” is missing"},
                                   {"1 +", 3, "ends too soon"},
                                   {"weigths[0, 0]", 0, "nothing is called “weigths”: there are q, k"},
                                   {"scores[runs, cat]", 13, "no key is called “cat”: there are red, fox, runs"},
                                   {"scores[q7, k0]", 7, "7 is not there: scores has 3 queries, counted from 0"},
                                   {"scores[0, 0, 0, 0, 0]", 19, "one place too many"},
                                   {"scores[c0]", 7, "scores has no channel to take here"},
                                   {"scores[runs, fox:red]", 13, "nothing lies between"},
                                   {"twins.weights[h0, red, fox]", 18, "“red” stands at 0, 2: write \"red\"#1"},
                                   {"twins.weights[h0, \"red\"#3, fox]", 18, "there are 2 “red”"},
                                   {"without.weights", 0, "no run is called “without”: other runs here are twins"},
                                   {"params.heads", 0, "no parameter is called heads"},
                                   {"argmax scores[runs, :] + 1", 0, "+ takes numbers, and this is a place"},
                                   {"scores[runs, :] < 3", 6, "< compares one number with one"},
                                   {"not 3", 4, "a condition is needed here"},
                                   {"max over k", 4, "no beginning of a number"},
                                   {"sum scores over c", 0, "names no axis"},
                                   {"1 2", 2, "put an operator between"},
                                   {"3x", 0, "neither a number nor a name"},
                                   {"\"red", 0, "closing \""},
                                   {"1e999", 0, "can be held"},
                                   {"scores[h99999999999]", 7, "further than any axis"}}) {
    INFO(one.text);
    const ExpressionError error = made.error(one.text);
    CHECK(error.at == one.at);
    INFO(error.message);
    CHECK(error.message.find(one.says) != std::string::npos);
    CHECK(error.message.find('\n') == std::string::npos);
  }
  std::string deep(5000, '(');
  CHECK_FALSE(Expression::parse(deep.substr(0, 1999)));
  CHECK_FALSE(Expression::parse(deep));
  CHECK_FALSE(Expression::parse(std::string(1999, '-')));
}

TEST_CASE("an expression knows the runs it asks, and how it goes without them") {
  const Made made;
  const auto parsed = Expression::parse("max twins.weights[h0, q0, :] - scores[0, 0]").value();
  CHECK(parsed.runs() == std::vector<std::string>{"twins"});
  CHECK(Expression::parse("params.d_head + measure.entropy[h0]").value().runs().empty());
  const auto plain = Expression::parse("max twins.scores[q2, :]").value().without_runs().evaluate(made.scope);
  REQUIRE(plain);
  CHECK(as_number(*plain) == 5);
  CHECK(Expression::parse("-0.5").value().is_typed_number());
  CHECK_FALSE(Expression::parse("1 - 0.5").value().is_typed_number());
}
