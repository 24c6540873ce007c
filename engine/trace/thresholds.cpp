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

// Newton's steps from below, which a sum that falls ever more slowly never lets past its root: at the largest score
// less 1, that score alone leaves 1.
template <typename Step>
double threshold(std::span<const double> scores, double factor, const Step& step) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double score : scores) {
    if (std::isnan(score)) return score;
    largest = std::max(largest, score * factor);
  }
  if (std::isinf(largest)) return largest < 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  double at = largest - 1;
  for (int round = 0; round < 64; ++round) {
    const double next = std::min(at + step(above(scores, factor, at)), largest);
    if (!(next > at)) break;
    at = next;
  }
  return at;
}

}  // namespace

double sparsemax_threshold(std::span<const double> scores) {
  return threshold(scores, 1, [](const Above& row) { return (row.sum - 1) / row.count; });
}

double entmax15_threshold(std::span<const double> scores) {
  return threshold(scores, 0.5, [](const Above& row) { return (row.squares - 1) / (2 * row.sum); });
}

}  // namespace headlight
