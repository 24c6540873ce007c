#include "engine/trace/thresholds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {

namespace {

// Sums over the scores above a threshold, of what they are more: how many there are, these numbers, their squares.
struct SupportSums {
  double count = 0, sum = 0, squares = 0;
};

template <typename Score>
SupportSums support_sums(std::span<const Score> scores, double factor, double threshold) {
  SupportSums all;
  for (const double score : scores)
    if (const double by = score * factor - threshold; by > 0) {
      ++all.count;
      all.sum += by;
      all.squares += by * by;
    }
  return all;
}

// Newton's method from below: the sum is convex, so that no step passes its root. It begins at the largest score less
// 1, where that score alone leaves 1.
template <typename Score, typename Step>
double threshold(std::span<const Score> scores, double factor, const Step& step) {
  const double largest = largest_of(scores) * factor;
  if (!std::isfinite(largest)) return largest < 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  double at = largest - 1;
  for (int round = 0; round < 64; ++round) {
    const double next = std::min(largest, at + step(support_sums(scores, factor, at)));
    if (!(next > at)) break;
    at = next;
  }
  return at;
}

template <typename Score>
double threshold_of_sparsemax(std::span<const Score> scores) {
  return threshold(scores, 1, [](const SupportSums& row) { return (row.sum - 1) / row.count; });
}

template <typename Score>
double threshold_of_entmax15(std::span<const Score> scores) {
  return threshold(scores, 0.5, [](const SupportSums& row) { return (row.squares - 1) / (2 * row.sum); });
}

}  // namespace

double sparsemax_threshold(std::span<const double> scores) {
  return threshold_of_sparsemax(scores);
}

double entmax15_threshold(std::span<const double> scores) {
  return threshold_of_entmax15(scores);
}

void sparsemax(std::span<const float> scores, float* out) {
  const double threshold = threshold_of_sparsemax(scores);
  for (const float score : scores) {
    const double by = score - threshold;
    *out++ = static_cast<float>(by < 0 ? 0 : by);  // NaN stays NaN
  }
}

void entmax15(std::span<const float> scores, float* out) {
  const double threshold = threshold_of_entmax15(scores);
  for (const float score : scores) {
    const double over = score * 0.5 - threshold, by = over < 0 ? 0 : over;
    *out++ = static_cast<float>(by * by);
  }
}

}  // namespace headlight
