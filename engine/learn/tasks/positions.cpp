// What rotary, ALiBi, learned and sinusoidal positions and none at all can say. Trained at one length, tried at twice
// that length.
#include <algorithm>
#include <vector>

#include "engine/learn/drawing.h"
#include "engine/learn/tasks/sequence.h"

namespace headlight::learn {

namespace {

bool asks_latest(const ParamValues& o) {
  return o.choice("kind") == "latest";
}

// A quarter are digits, which are the first symbols; others are letters.
std::vector<Index> digits_and_letters(Draws& draws, const ParamValues& o, Index count) {
  const Index digits = o.integer("digits");
  const std::vector<double> which = draws.uniform(count);
  std::vector<Index> symbols = draws.integers(digits, count);
  const std::vector<Index> letters = draws.integers(o.integer("symbols") - digits, count);
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (!(which[i] < 0.25)) symbols[i] = digits + letters[i];
  return symbols;
}

// The place that each symbol (B, n) should look at, −1 where there is none.
template <class Symbol>
std::vector<Index> keys_of(const ParamValues& o, Index rows, Index n, const Symbol& symbol) {
  const std::string& kind = o.choice("kind");
  std::vector<Index> keys;
  for (Index row = 0; row < rows; ++row) {
    Index latest = -1;
    for (Index i = 0; i < n; ++i) {
      if (symbol(row * n + i) < o.integer("digits")) latest = i;
      if (kind == "back")
        keys.push_back(std::max<Index>(i - o.integer("back"), -1));
      else
        keys.push_back(kind == "first" ? 0 : latest);
    }
  }
  return keys;
}

// Asked from that place on.
Numbers draw_rows(std::uint64_t seed, Index step, const ParamValues& o, Index rows, Index n, Index from) {
  Draws draws(seed, fmt::format("batch/{}", step));
  std::vector<Index> x = draws.integers(o.integer("symbols"), rows * n);
  if (asks_latest(o)) x = digits_and_letters(draws, o, rows * n);
  const auto symbol = [&](Index cell) { return x[static_cast<std::size_t>(cell)]; };
  const std::vector<Index> keys = keys_of(o, rows, n, symbol);
  const auto answer = [&](Index cell) {
    const Index key = keys[static_cast<std::size_t>(cell)];
    return key < 0 || cell % n < from ? -1 : symbol(cell / n * n + key);
  };
  return {{"tokens", tensor_of({rows, n}, symbol)}, {"answers", tensor_of({rows, n}, answer)}, {"places", places(n)}};
}

// The largest share that a head has of its weight on the right key.
double weight_on_answer(const Network& network, const TaskOptions& options) {
  const Tensor& tokens = network.array("tokens");
  const Index rows = tokens.dim(0), n = tokens.dim(1);
  const std::vector<Index> right =
      keys_of(options.values, rows, n, [&](Index cell) { return static_cast<Index>(tokens[cell]); });
  Tensor keys({rows, n, n});
  for (Index query = 0; query < tokens.size(); ++query)
    if (const Index key = right[static_cast<std::size_t>(query)]; key >= 0) keys[query * n + key] = 1;
  const Tensor& map = map_of_layer(network, options.values.integer("layers") - 1, options);
  return largest(weight_on(map, keys, asked_places(network.array("answers"))));
}

std::vector<ParamSpec> position_options() {
  std::vector<ParamSpec> all = sequence_options({.heads = 4, .positions = "rotary"});
  ParamSpec kind = param::choice("kind", "Kind", "Which symbol is asked at each place.",
                                 {{"back", "Some places back", "The one that stands so many places before."},
                                  {"first", "First", "The first of all."},
                                  {"latest", "Latest digit", "The nearest digit, among letters and digits."}});
  all.insert(all.begin(), std::move(kind));
  all.push_back(count_option("back", "Places back", "How far back, where that is asked.", 3, 0, 255));
  all.push_back(count_option("symbols", "Symbols", "How many there are to choose from.", 16, 2, 4096));
  all.push_back(count_option("digits", "Digits", "How many of them are digits, where digits are asked.", 4, 1, 4095));
  all.push_back(
      count_option("length", "Length", "How many symbols it learns from; it is tried at twice as many.", 24, 1, 256));
  mark_advanced(all, {"symbols", "digits", "length"});
  return all;
}

CounterTest counter_test(std::string title, const char* kind, const char* positions, std::string expected) {
  return {std::move(title), {{"kind", std::string(kind)}, {"positions", std::string(positions)}}, std::move(expected)};
}

std::vector<CounterTest> counter_tests_of_positions() {
  CounterTest one_head = counter_test("Latest digit, ALiBi, one head", "latest", "alibi",
                                      "is as good as no positions, about 0.73: a single head has the slope 1/256");
  one_head.changed["heads"] = Index{1};
  return {
      counter_test("Back, none", "back", "none", "stays near 0.23: nothing says which one is three back"),
      counter_test("Back, learned", "back", "learned", "comes to 1.00, but to 0.08 at places that it has never seen"),
      counter_test("Back, ALiBi", "back", "alibi", "stays near 0.23: it knows near from far, not three from four"),
      counter_test("Back, sinusoidal", "back", "sinusoidal",
                   "comes to 1.00, but to 0.21 at places that it has never seen"),
      counter_test("First, rotary", "first", "rotary", "comes to 1.00, but to 0.21 at twice the length"),
      counter_test("First, learned", "first", "learned",
                   "comes to 1.00, and to 0.91 at twice the length: key 0 alone shines"),
      counter_test("First, ALiBi", "first", "alibi", "stays near 0.34: it looks at what is near"),
      counter_test("Latest digit, none", "latest", "none",
                   "comes to about 0.73: it knows digits, not which is nearest"),
      counter_test("Latest digit, ALiBi", "latest", "alibi", "comes to about 0.96, and to 0.94 at twice the length"),
      counter_test("Latest digit, learned", "latest", "learned",
                   "comes to about 0.99, but to 0.48 at twice the length"),
      one_head,
  };
}

TaskSpec positions_spec() {
  return {
      .info = {.id = "positions",
               .title = "Positions",
               .lesson = "Which symbol stood three places back, which came first, which digit was the latest?",
               .source = "Press, Smith and Lewis 2022, Train Short, Test Long: longer than what it was trained on",
               .learned = "accuracy",
               .threshold = 0.9},
      .options = position_options(),
      .figures = {{"accuracy", "Right answers",
                   "The share of symbols that are said right, at the length it learns from."},
                  {"looked_at", "Weight on the answer",
                   "What the best head of the last layer gives to the place that is asked.", true},
                  {"accuracy_far", "Right answers, far",
                   "The share at places that it has never seen, at twice the length."},
                  {"looked_at_far", "Weight on the answer, far",
                   "What the best head gives to the place that is asked there.", true}},
      .counter_tests = counter_tests_of_positions(),
  };
}

class Positions final : public Task {
 public:
  Positions() : Task(positions_spec()) {}

  Status check(const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    HL_CHECK(check_layers(options));
    if (o.choice("kind") == "back" && o.integer("back") >= o.integer("length"))
      return fail("options.back {} reaches no symbol of options.length {}", o.integer("back"), o.integer("length"));
    if (asks_latest(o) && o.integer("digits") >= o.integer("symbols"))
      return fail("options.digits {} leaves no letter of options.symbols {}", o.integer("digits"),
                  o.integer("symbols"));
    return {};
  }

  Numbers batch(std::uint64_t seed, Index step, const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    return draw_rows(seed, step, o, o.integer("batch"), o.integer("length"), 0);
  }

  NetworkPlan plan(const TaskOptions& options) const override {
    const Index symbols = options.values.integer("symbols"), places = 2 * options.values.integer("length");
    return sequence_plan({.symbols = symbols, .answers = symbols, .places = places}, options);
  }

  // Near, and far: asked only at places that were never trained.
  std::vector<Numbers> held_out(std::uint64_t seed, const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    const Index n = o.integer("length");
    return {draw_rows(seed + 1000, 0, o, 64, n, 0), draw_rows(seed + 1000, 0, o, 64, 2 * n, n)};
  }

  Figures measure(std::uint64_t, const TaskOptions& options, std::span<const Network* const> networks) const override {
    const auto accuracy = [](const Network& network) {
      return answer_accuracy(network.array("logits"), network.array("answers"));
    };
    const Network &near = *networks.front(), &far = *networks.back();
    return {{"accuracy", accuracy(near)},
            {"looked_at", weight_on_answer(near, options)},
            {"accuracy_far", accuracy(far)},
            {"looked_at_far", weight_on_answer(far, options)}};
  }

  std::vector<ShownMap> maps(const TaskOptions& options) const override { return maps_of_layers(options); }
  ExampleWords words(const Numbers& examples, const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    const Index digits = asks_latest(o) ? o.integer("digits") : 0;
    std::vector<std::string> names;
    for (Index digit = 0; digit < digits; ++digit) names.push_back(fmt::format("{}", digit));
    for (Index letter = 0; letter < o.integer("symbols") - digits; ++letter) names.push_back(symbol_name(letter));
    return words_of_symbols(examples, std::move(names));
  }
};

}  // namespace

const Task& positions_task() {
  static const Positions task;
  return task;
}

}  // namespace headlight::learn
