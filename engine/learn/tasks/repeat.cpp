// Symbols with a period of their own, repeated: the induction head. Olsson et al. 2022, In-context Learning and
// Induction Heads, section "Induction heads".
#include <algorithm>

#include "engine/learn/drawing.h"
#include "engine/learn/tasks/sequence.h"

namespace headlight::learn {

namespace {

// The period must vary: with one period a single layer learns "so many places back" from the positions alone.
Numbers draw_repeats(std::uint64_t seed, Index step, const ParamValues& o, Index rows) {
  const Index shortest = o.integer("shortest"), length = o.integer("length"), symbols = o.integer("symbols");
  const Index n = 2 * length;
  Draws draws(seed, fmt::format("batch/{}", step));
  const std::vector<Index> more = draws.integers(length - shortest + 1, rows);
  const std::vector<Index> order = draws.shuffled(rows, symbols, length);
  const auto period = [&](Index row) { return shortest + more[static_cast<std::size_t>(row)]; };
  const auto symbol = [&](Index row, Index i) {
    return order[static_cast<std::size_t>(row * length + i % period(row))];
  };
  return {{"tokens", tensor_of({rows, n}, [&](Index cell) { return symbol(cell / n, cell % n); })},
          {"answers", tensor_of({rows, n},
                                [&](Index cell) {
                                  const Index row = cell / n, i = cell % n;
                                  return i >= period(row) && i + 1 < n ? symbol(row, i + 1) : -1;
                                })},
          {"places", places(n)}};
}

// 1 where a key comes right after an earlier twin of the query: prefix matching.
Tensor keys_after_match(const Tensor& tokens) {
  const Index n = tokens.dim(1);
  Tensor keys({tokens.dim(0), n, n});
  for (Index query = 0; query < tokens.size(); ++query)
    for (Index key = 1; key <= query % n; ++key)
      if (tokens[query / n * n + key - 1] == tokens[query]) keys[query * n + key] = 1;
  return keys;
}

Tensor keys_before(const Tensor& tokens) {
  const Index n = tokens.dim(1);
  Tensor keys({tokens.dim(0), n, n});
  for (Index query = 0; query < tokens.size(); ++query)
    if (query % n > 0) keys[query * n + query % n - 1] = 1;
  return keys;
}

// The largest weight that any head has on the key before, averaged over the queries that count.
double best_previous_weight(const Tensor& map, const Tensor& counts) {
  const Index heads = map.dim(1), n = map.dim(2);
  double sum = 0, all = 0;
  for (Index query = 0; query < counts.size(); ++query) {
    const Index i = query % n;
    if (counts[query] == 0 || i == 0) continue;
    float best = 0;
    for (Index head = 0; head < heads; ++head)
      best = std::max(best, map[((query / n * heads + head) * n + i) * n + i - 1]);
    sum += best;
    ++all;
  }
  return sum / all;
}

std::vector<ParamSpec> repeat_options() {
  std::vector<ParamSpec> all = sequence_options({.layers = 2,
                                                 .heads = 2,
                                                 .position_deviation = 0.3,
                                                 .positions = "rotary",
                                                 .block = "pre_norm",
                                                 .residual = true});
  all.push_back(count_option("symbols", "Symbols", "How many there are to choose from.", 32, 2, 4096));
  all.push_back(count_option("length", "Longest period", "What is repeated has at most so many symbols.", 16, 1, 512));
  all.push_back(count_option("shortest", "Shortest period", "And at least so many.", 8, 1, 512));
  all.push_back(
      real_option("clip", "Clip", "Gradients are shortened to this length of all together; 0: never.", 0, 0, 1e30));
  all.push_back(real_option("embed_std", "Symbols, spread", "How large their vectors are at the start.", 1, 0, 1e6));
  mark_advanced(all, {"symbols", "length", "shortest", "clip", "embed_std"});
  return all;
}

TaskSpec repeat_spec() {
  return {
      .info = {.id = "repeat",
               .title = "Repeat",
               .lesson = "Symbols come, then the same again: what came after this one the last time?",
               .source = "Olsson et al. 2022, In-context Learning and Induction Heads",
               .learned = "accuracy",
               .threshold = 0.9},
      .options = repeat_options(),
      .figures = {{"accuracy", "Right answers", "The share of symbols that are foretold where they can be known."},
                  {"induction", "Weight after the twin",
                   "What the best head of the last layer gives to keys that came after an earlier twin of the query.",
                   true},
                  {"previous", "Weight on the one before",
                   "What the best head of the first layer gives to the key before.", true},
                  {"previous_any", "The one before, by any head",
                   "What the best head of each query gives to the key before, averaged.", true}},
      .counter_tests = {{"One layer",
                         {{"layers", Index{1}}},
                         "stays near 0.18: nobody has told a key what came before it"},
                        {"Scale 1", {{"scale", 1.0}}, "stays near 0.13: softmax is saturated from the start"},
                        {"One period, one layer",
                         {{"layers", Index{1}}, {"shortest", Index{16}}},
                         "is learned by places alone: the same diagonal, and no induction"},
                        {"No positions",
                         {{"positions", std::string("none")}},
                         "comes to about 0.54, slowly: the mask tells some place"}},
  };
}

class Repeat final : public Task {
 public:
  Repeat() : Task(repeat_spec()) {}

  Status check(const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    HL_CHECK(check_layers(options));
    if (o.integer("shortest") > o.integer("length"))
      return fail("options.shortest {} is more than options.length {}", o.integer("shortest"), o.integer("length"));
    if (o.integer("symbols") < o.integer("length"))
      return fail("options.symbols {} is fewer than options.length {}: no symbol stands twice in a period",
                  o.integer("symbols"), o.integer("length"));
    return {};
  }

  Numbers batch(std::uint64_t seed, Index step, const TaskOptions& options) const override {
    return draw_repeats(seed, step, options.values, options.values.integer("batch"));
  }

  NetworkPlan plan(const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    return sequence_plan({.symbols = o.integer("symbols"),
                          .answers = o.integer("symbols"),
                          .symbol_deviation = o.real("embed_std"),
                          .places = 2 * o.integer("length"),
                          .final_norm = true},
                         options);
  }

  std::vector<Numbers> held_out(std::uint64_t seed, const TaskOptions& options) const override {
    return {draw_repeats(seed + 1000, 0, options.values, 64)};
  }

  Figures measure(std::uint64_t, const TaskOptions& options, std::span<const Network* const> networks) const override {
    const Network& network = *networks.front();
    const Tensor &answers = network.array("answers"), &tokens = network.array("tokens");
    const Tensor counts = asked_places(answers);
    const Tensor& first = map_of_layer(network, 0, options);
    const Tensor& last = map_of_layer(network, options.values.integer("layers") - 1, options);
    return {{"accuracy", answer_accuracy(network.array("logits"), answers)},
            {"induction", largest(weight_on(last, keys_after_match(tokens), counts))},
            {"previous", largest(weight_on(first, keys_before(tokens), counts))},
            {"previous_any", best_previous_weight(first, counts)}};
  }

  std::vector<ShownMap> maps(const TaskOptions& options) const override { return maps_of_layers(options); }
  ExampleWords words(const Numbers& examples, const TaskOptions& options) const override {
    return words_of_symbols(examples, symbol_names(options.values.integer("symbols")));
  }
};

}  // namespace

const Task& repeat_task() {
  static const Repeat task;
  return task;
}

}  // namespace headlight::learn
