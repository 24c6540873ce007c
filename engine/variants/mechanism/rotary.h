// Rotary (Su et al. 2021, section 3.2): pairs of channels turned by their places.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/trace/trace.h"
#include "engine/variants/mechanism/pair_of.h"

namespace headlight {
struct Problem;
}

namespace headlight::mechanism {

struct Turning {
  const Step *q = nullptr, *q_turned = nullptr;  // (B, heads, n_q, d'), as they were and as they are
  const Step *k = nullptr, *k_turned = nullptr;  // (B, key heads, n_k, d')
  std::vector<double> frequencies;               // of each pair, radians a place
  bool interleaved = false;                      // neighbours are a pair, else halves are
  Index first_query = 0, first_key = 0;          // where on the circle query 0 and key 0 stand

  Index pairs() const { return static_cast<Index>(frequencies.size()); }
  // Both channels of a pair.
  std::pair<Index, Index> channels(Index pair) const;
};
std::optional<Turning> turning(const Problem& problem, const Trace& trace);

// One pair of channels of a query and a key.
struct Arrow {
  double x = 0, y = 0;
  double length() const;
  double angle() const;  // radians, −π to π
};
struct Dial {
  Arrow q, k, q_turned, k_turned;
  double between = 0;  // radians from the turned query to the turned key, −π to π
  double product = 0;  // of the turned arrows: what the pair adds to the dot product
};
Dial dial(const Turning& turning, const PairOf& of, Index pair);

// How much each pair can add at most in a head: the longest of its queries times the longest of its keys.
std::vector<double> reach_of_pairs(const Turning& turning, Index batch, Index head);

// What pairs `from` to `to` − 1 would add to the dot product if the key stood `offset` places after the query:
// Σ |q_c| |k_c| cos(φ_c + offset · θ_c), φ_c the angle from query to key before the turn. At the offset that they have
// it is the sum of their products.
double product_at(const Turning& turning, const PairOf& of, double offset, Index from, Index to);
// What channels that do not turn add.
double product_of_still(const Turning& turning, const PairOf& of);

// What the scores of a run are multiplied by, in that head: 1/√d' unless it was chosen otherwise.
double scale_of_scores(const Trace& trace, const PairOf& of);

}  // namespace headlight::mechanism
