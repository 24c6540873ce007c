// Copy, reverse and sort: which position is looked at, and which of the three needs to know positions.
#include <algorithm>
#include <vector>

#include "engine/learn/drawing.h"
#include "engine/learn/tasks/sequence.h"

namespace headlight::learn {

namespace {

bool sorts(const ParamValues& o) {
  return o.choice("kind") == "sort";
}

// x_0 … x_{n−1}, a separator, y_0 … y_{n−2}: asked from the separator on. No symbol stands twice.
Numbers rows_to_sort(Draws& draws, Index n, Index symbols, Index rows) {
  const std::vector<Index> order = draws.shuffled(rows, symbols, n);
  std::vector<Index> sorted = order;
  for (auto first = sorted.begin(); first != sorted.end(); first += n) std::sort(first, first + n);
  const auto next = [&](Index row, Index i) { return sorted[static_cast<std::size_t>(row * n + i)]; };
  const auto token = [&](Index cell) {
    const Index row = cell / (2 * n), i = cell % (2 * n);
    if (i == n) return symbols;
    return i < n ? order[static_cast<std::size_t>(row * n + i)] : next(row, i - n - 1);
  };
  const auto answer = [&](Index cell) {
    const Index row = cell / (2 * n), i = cell % (2 * n);
    return i < n ? -1 : next(row, i - n);
  };
  return {{"tokens", tensor_of({rows, 2 * n}, token)},
          {"answers", tensor_of({rows, 2 * n}, answer)},
          {"places", places(2 * n)}};
}

Numbers draw_orders(std::uint64_t seed, Index step, const ParamValues& o, Index rows) {
  const Index n = o.integer("length"), symbols = o.integer("symbols");
  Draws draws(seed, fmt::format("batch/{}", step));
  if (sorts(o)) return rows_to_sort(draws, n, symbols, rows);
  const std::vector<Index> x = draws.integers(symbols, rows * n);
  const bool reverse = o.choice("kind") == "reverse";
  const auto token = [&](Index cell) { return x[static_cast<std::size_t>(cell)]; };
  const auto answer = [&](Index cell) { return token(reverse ? cell / n * n + n - 1 - cell % n : cell); };
  return {{"tokens", tensor_of({rows, n}, token)}, {"answers", tensor_of({rows, n}, answer)}, {"places", places(n)}};
}

// 1 where the answer stands in the input.
Tensor keys_with_answers(const Tensor& tokens, const Tensor& answers, const ParamValues& o) {
  const Index n = tokens.dim(1), length = o.integer("length");
  const bool reverse = o.choice("kind") == "reverse";
  Tensor keys({tokens.dim(0), n, n});
  for (Index query = 0; query < tokens.size(); ++query) {
    const Index row = query / n, i = query % n;
    if (!sorts(o)) {
      keys[query * n + (reverse ? n - 1 - i : i)] = 1;
      continue;
    }
    for (Index key = 0; key < length; ++key)
      if (tokens[row * n + key] == answers[query]) keys[query * n + key] = 1;
  }
  return keys;
}

std::vector<ParamSpec> order_options() {
  std::vector<ParamSpec> all = sequence_options({.width = 32});
  ParamSpec kind = param::choice("kind", "Kind", "In which order the symbols are to come back.",
                                 {{"reverse", "Reverse", "The last one first; every place answers at once."},
                                  {"copy", "Copy", "As they stand; every place answers at once."},
                                  {"sort", "Sort", "One after another behind a separator, the smallest first."}});
  all.insert(all.begin(), std::move(kind));
  all.push_back(count_option("symbols", "Symbols", "How many there are to choose from.", 16, 2, 4096));
  all.push_back(count_option("length", "Length", "How many symbols are put in order.", 10, 1, 256));
  mark_advanced(all, {"symbols"});
  return all;
}

std::vector<CounterTest> counter_tests_of_order() {
  using Changed = std::map<std::string, ParamValue, std::less<>>;
  const Changed sort{{"kind", std::string("sort")},
                     {"positions", std::string("none")},
                     {"block", std::string("pre_norm")},
                     {"residual", true},
                     {"d", Index{64}},
                     {"lr", 1e-2}};
  Changed sort_alone = sort, sort_unscaled = sort;
  sort_alone["residual"] = false;
  sort_unscaled["scale"] = 1.0;
  return {{"No positions",
           {{"positions", std::string("none")}},
           "stays near 0.25: it can only name symbols that occur, with a weight of 1/10 everywhere"},
          {"Rotary",
           {{"positions", std::string("rotary")}},
           "comes to about 0.35: rotary positions know j − i, and the answer stands at n − 1 − i"},
          {"Sinusoidal",
           {{"positions", std::string("sinusoidal")}},
           "comes to about 0.99, three times later, with a weight of 0.52"},
          {"Copy, no positions",
           {{"kind", std::string("copy")}, {"positions", std::string("none")}},
           "comes to about 0.98: equal symbols find each other, so copy is no test of positions"},
          {"Sort", sort, "comes to about 0.94 without positions: each looks for the next larger one"},
          {"Sort, no residual", sort_alone, "comes to 0.67 to 0.83"},
          {"Sort, scale 1", sort_unscaled, "comes to about 0.66: softmax is saturated from the start"}};
}

TaskSpec order_spec() {
  return {
      .info = {.id = "order",
               .title = "Order",
               .lesson = "Symbols are to come back as they stand, in reverse, or sorted: where does the "
                         "next one stand?",
               .learned = "accuracy",
               .threshold = 0.9},
      .options = order_options(),
      .figures = {{"accuracy", "Right answers", "The share of symbols that are said right."},
                  {"looked_at", "Weight on the answer",
                   "What the best head of the last layer gives to the place where the answer stands.", true}},
      .counter_tests = counter_tests_of_order(),
  };
}

class Order final : public Task {
 public:
  Order() : Task(order_spec()) {}

  Status check(const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    HL_CHECK(check_layers(options));
    if (sorts(o) && o.integer("symbols") < o.integer("length"))
      return fail("options.symbols {} is fewer than options.length {}: no symbol stands twice in what is sorted",
                  o.integer("symbols"), o.integer("length"));
    return {};
  }

  Numbers batch(std::uint64_t seed, Index step, const TaskOptions& options) const override {
    return draw_orders(seed, step, options.values, options.values.integer("batch"));
  }

  NetworkPlan plan(const TaskOptions& options) const override {
    const Index symbols = options.values.integer("symbols"), places = 2 * options.values.integer("length");
    return sequence_plan(
        {.symbols = symbols + 1, .answers = symbols, .places = places, .causal = sorts(options.values)}, options);
  }

  std::vector<Numbers> held_out(std::uint64_t seed, const TaskOptions& options) const override {
    return {draw_orders(seed + 1000, 0, options.values, 64)};
  }

  Figures measure(std::uint64_t, const TaskOptions& options, std::span<const Network* const> networks) const override {
    const Network& network = *networks.front();
    const Tensor &answers = network.array("answers"), &tokens = network.array("tokens");
    const Tensor& map = map_of_layer(network, options.values.integer("layers") - 1, options);
    const Tensor keys = keys_with_answers(tokens, answers, options.values);
    return {{"accuracy", answer_accuracy(network.array("logits"), answers)},
            {"looked_at", largest(weight_on(map, keys, asked_places(answers)))}};
  }

  std::vector<ShownMap> maps(const TaskOptions& options) const override { return maps_of_layers(options); }
  ExampleWords words(const Numbers& examples, const TaskOptions& options) const override {
    std::vector<std::string> names = symbol_names(options.values.integer("symbols"));
    names.emplace_back("|");  // between what comes and what is to be said
    return words_of_symbols(examples, std::move(names));
  }
};

}  // namespace

const Task& order_task() {
  static const Order task;
  return task;
}

}  // namespace headlight::learn
