#include "app/worksheets/by_hand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/random.h"

namespace headlight::app {

namespace {

constexpr std::size_t words = 4;
using Pair = std::array<int, 2>;
using Pairs = std::array<Pair, words>;

constexpr std::array<std::array<const char*, words>, 8> sentences{{{"red", "fox", "runs", "home"},
                                                                   {"cats", "like", "warm", "milk"},
                                                                   {"birds", "sing", "at", "dawn"},
                                                                   {"we", "read", "old", "books"},
                                                                   {"rain", "fell", "all", "night"},
                                                                   {"small", "dogs", "bark", "loudly"},
                                                                   {"bees", "find", "blue", "flowers"},
                                                                   {"she", "sails", "far", "north"}}};

int below(int count, Random& random) {
  return static_cast<int>(random.uniform() * count);
}

// Two numbers from 0 to 3, not both 0.
Pair draw_pair(Random& random) {
  constexpr int largest = 3;
  Pair pair{};
  while (pair == Pair{}) pair = {below(largest + 1, random), below(largest + 1, random)};
  return pair;
}

Pairs draw_pairs(Random& random) {
  Pairs pairs;
  std::ranges::generate(pairs, [&] { return draw_pair(random); });
  return pairs;
}

// Whether the scores differ, and the softmax leaves to each key a weight that is worth a line on paper.
bool tells(const Pair& query, const Pairs& keys) {
  constexpr double least_weight = 0.02;
  std::array<int, words> scores{};
  std::ranges::transform(keys, scores.begin(), [&](const Pair& key) { return query[0] * key[0] + query[1] * key[1]; });
  std::ranges::sort(scores);
  if (std::ranges::adjacent_find(scores) != scores.end()) return false;
  double sum = 0;
  for (const int score : scores) sum += std::exp((score - scores.front()) / std::sqrt(2.0));
  return 1 / sum >= least_weight;
}

// Neither channel is the same for all words, nor both of two words.
bool differ(Pairs values) {
  for (const std::size_t channel : {std::size_t{0}, std::size_t{1}})
    if (std::ranges::all_of(values, [&](const Pair& value) { return value[channel] == values[0][channel]; }))
      return false;
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

struct Drawn {
  Pairs queries, keys, values;
};

Drawn draw(Random& random) {
  constexpr int most_tries = 40;  // for a query; then other keys are drawn
  for (;;) {
    Drawn drawn{{}, draw_pairs(random), draw_pairs(random)};
    if (!differ(drawn.keys) || !differ(drawn.values)) continue;
    const bool found = std::ranges::all_of(drawn.queries, [&](Pair& query) {
      for (int i = 0; i < most_tries; ++i)
        if (query = draw_pair(random); tells(query, drawn.keys)) return true;
      return false;
    });
    if (found) return drawn;
  }
}

std::string array_text(const Pairs& pairs, const std::array<const char*, words>& tokens) {
  return fmt::format(R"({{"array": [{}], "tokens": ["{}"]}})", pairs, fmt::join(tokens, R"(", ")"));
}

}  // namespace

Result<Experiment> by_hand_experiment(std::uint64_t seed, int number) {
  Random random(seed, fmt::format("by hand {}", number));
  const auto& tokens = sentences[static_cast<std::size_t>(below(static_cast<int>(sentences.size()), random))];
  const Drawn drawn = draw(random);
  return parse_experiment(
      fmt::format(R"({{"variant": "multi_head", "params": {{"heads": 1, "d_head": 2, "output_projection": false}},
  "inputs": {{"x_q": {}, "x_k": {}, "x_v": {}}}, "weights": {{"init": "identity"}},
  "view": {{"query": {}}}}})",
                  array_text(drawn.queries, tokens), array_text(drawn.keys, tokens), array_text(drawn.values, tokens),
                  below(words, random)),
      {}, "by hand");
}

}  // namespace headlight::app
