#include "engine/trace/thresholds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace headlight {

namespace {

constexpr std::size_t lanes = 4;  // sums that do not wait for each other

// How many numbers lie above the threshold, and by how much together, and their squares.
struct Above {
  double count = 0, sum = 0, squares = 0;
};

Above above(std::span<const double> scores, double factor, double threshold) {
  std::array<double, lanes> count{}, sum{}, squares{};
  const auto add = [&](std::size_t lane, double score) {
    const double by = std::max(0.0, score * factor - threshold);
    count[lane] += by > 0 ? 1 : 0;
    sum[lane] += by;
    squares[lane] += by * by;
  };
  std::size_t i = 0;
  for (; i + lanes <= scores.size(); i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, scores[i + lane]);
  for (; i < scores.size(); ++i) add(0, scores[i]);
  Above all;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    all.count += count[lane];
    all.sum += sum[lane];
    all.squares += squares[lane];
  }
  return all;
}

// Newton's steps from below, which a sum that falls ever more slowly never lets past its root. They begin at the
// largest score less 1, where that score alone leaves 1, or where a step from a guess, which may lie on either side,
// leads.
template <typename Guess, typename Step>
double threshold(std::span<const double> scores, double factor, const Guess& guess, const Step& step) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double score : scores) {
    if (std::isnan(score)) return score;
    largest = std::max(largest, score * factor);
  }
  if (std::isinf(largest)) return largest < 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  const auto after = [&](double at) { return std::min(at + step(above(scores, factor, at)), largest); };
  double at = largest - 1;
  at = std::max(at, after(at + guess(above(scores, factor, at))));
  for (int round = 0; round < 64; ++round) {
    const double next = after(at);
    if (!(next > at)) break;
    at = next;
  }
  return at;
}

}  // namespace

double sparsemax_threshold(std::span<const double> scores) {
  const auto step = [](const Above& row) { return (row.sum - 1) / row.count; };
  return threshold(scores, 1, step, step);
}

double entmax15_threshold(std::span<const double> scores) {
  // Where it would lie if all of these stayed above it.
  const auto guess = [](const Above& row) {
    const double mean = row.sum / row.count, spread = row.squares - mean * row.sum;
    return mean - std::sqrt(std::max(0.0, (1 - spread) / row.count));
  };
  return threshold(scores, 0.5, guess, [](const Above& row) { return (row.squares - 1) / (2 * row.sum); });
}

}  // namespace headlight
