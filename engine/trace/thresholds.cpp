#include "engine/trace/thresholds.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace headlight {

namespace {

// Several numbers at once: what every processor has, and what loops over an array of them are not always made into.
template <typename Number>
struct Several {
  static constexpr std::size_t count = 16 / sizeof(Number), times = 4;  // sums that do not wait for each other
  using Numbers __attribute__((vector_size(16))) = Number;
  using Where = decltype(Numbers{} > Numbers{});  // −1 where it is so
};

// The next of some scores, as numbers of another type perhaps.
template <typename Number, typename Score>
typename Several<Number>::Numbers next_of(const Score* scores) {
  using Scores __attribute__((vector_size(16 / sizeof(Number) * sizeof(Score)))) = Score;
  Scores next;
  std::memcpy(&next, scores, sizeof next);
  return __builtin_convertvector(next, typename Several<Number>::Numbers);
}

// How many numbers lie above the threshold, and by how much together, and their squares.
struct Above {
  double count = 0, sum = 0, squares = 0;
};

// Of scores of either type, in numbers of the type that the threshold has.
template <typename Score, typename Number>
Above above(std::span<const Score> scores, Number factor, Number threshold) {
  using All = Several<Number>;
  typename All::Numbers sums[All::times] = {}, squares[All::times] = {};
  typename All::Where counts[All::times] = {};
  std::size_t i = 0;
  for (; i + All::times * All::count <= scores.size(); i += All::times * All::count)
    for (std::size_t k = 0; k < All::times; ++k) {
      const auto over = next_of<Number>(scores.data() + i + k * All::count) * factor - threshold;
      const auto is_above = over > 0;
      const auto by = is_above ? over : typename All::Numbers{};
      counts[k] -= is_above;
      sums[k] += by;
      squares[k] += by * by;
    }
  Above all;
  const auto add = [&](Number count, Number sum, Number square) {
    all.count += static_cast<double>(count);
    all.sum += static_cast<double>(sum);
    all.squares += static_cast<double>(square);
  };
  for (std::size_t k = 0; k < All::times; ++k)
    for (std::size_t lane = 0; lane < All::count; ++lane)
      add(static_cast<Number>(counts[k][lane]), sums[k][lane], squares[k][lane]);
  for (; i < scores.size(); ++i)
    if (const Number by = static_cast<Number>(scores[i]) * factor - threshold; by > 0) add(1, by, by * by);
  return all;
}

// NaN where one is among them.
template <typename Score>
Score largest_of(std::span<const Score> scores) {
  using All = Several<Score>;
  Score largest = -std::numeric_limits<Score>::infinity();
  bool broken = false;
  typename All::Numbers most[All::times];
  typename All::Where strange = {};
  std::ranges::fill(most, typename All::Numbers{} + largest);
  std::size_t i = 0;
  for (; i + All::times * All::count <= scores.size(); i += All::times * All::count)
    for (std::size_t k = 0; k < All::times; ++k) {
      const auto next = next_of<Score>(scores.data() + i + k * All::count);
      most[k] = next > most[k] ? next : most[k];
      strange |= next != next;
    }
  for (std::size_t lane = 0; lane < All::count; ++lane) {
    for (const auto& one : most) largest = std::max(largest, one[lane]);
    broken = broken || strange[lane] != 0;
  }
  for (; i < scores.size(); ++i) {
    largest = std::max(largest, scores[i]);
    broken = broken || std::isnan(scores[i]);
  }
  return broken ? std::numeric_limits<Score>::quiet_NaN() : largest;
}

// Newton's steps from below, which a sum that falls ever more slowly never lets past its root. They begin at the
// largest score less 1, where that score alone leaves 1, or where a step from a guess, which may lie on either side,
// leads. The guess is where they end in single precision, for which a guess serves that `first` makes of the numbers
// above the largest less 1.
template <typename Score, typename First, typename Step>
double threshold(std::span<const Score> scores, double factor, const First& first, const Step& step) {
  const double largest = static_cast<double>(largest_of(scores)) * factor;
  if (!std::isfinite(largest)) return largest < 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  const auto after = [&](auto at) {
    return std::min(at + static_cast<decltype(at)>(step(above(scores, static_cast<decltype(at)>(factor), at))),
                    static_cast<decltype(at)>(largest));
  };
  const auto begin = static_cast<float>(largest - 1);
  auto guess = begin + static_cast<float>(first(above(scores, static_cast<float>(factor), begin)));
  guess = std::max(begin, after(guess));
  for (int round = 0; round < 16; ++round) {
    const float next = after(guess);
    if (!(next > guess)) break;
    guess = next;
  }
  double at = std::max(largest - 1, after(static_cast<double>(guess)));
  for (int round = 0; round < 64; ++round) {
    const double next = after(at);
    if (!(next > at)) break;
    at = next;
  }
  return at;
}

template <typename Score>
double threshold_of_sparsemax(std::span<const Score> scores) {
  const auto step = [](const Above& row) { return (row.sum - 1) / row.count; };
  return threshold(scores, 1, step, step);
}

template <typename Score>
double threshold_of_entmax15(std::span<const Score> scores) {
  // Where it would lie if all of these stayed above it.
  const auto first = [](const Above& row) {
    const double mean = row.sum / row.count, spread = row.squares - mean * row.sum;
    return mean - std::sqrt(std::max(0.0, (1 - spread) / row.count));
  };
  return threshold(scores, 0.5, first, [](const Above& row) { return (row.squares - 1) / (2 * row.sum); });
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
