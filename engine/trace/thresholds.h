// What sparsemax and entmax take off the scores of a row, so that what is left adds up to 1.
#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace headlight {

// NaN where one is among them.
template <typename Score>
double largest_of(std::span<const Score> scores) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double score : scores)
    if (score > largest || std::isnan(score)) largest = score;
  return largest;
}

// τ with Σ max(0, x − τ) = 1 over the row; 0 where nothing is above −∞, NaN where NaN or +∞ is among them.
// Martins and Astudillo 2016, From Softmax to Sparsemax, section 2.2, found without their algorithm's order.
double sparsemax_threshold(std::span<const double> scores);

// τ with Σ max(0, x/2 − τ)² = 1. Peters, Niculae and Martins 2019, Sparse Sequence-to-Sequence Models, section 3.2.
double entmax15_threshold(std::span<const double> scores);

// What of each score is above that: max(0, x − τ), and max(0, x/2 − τ)². All of a row is NaN where its τ is.
void sparsemax(std::span<const float> scores, float* out);
void entmax15(std::span<const float> scores, float* out);

}  // namespace headlight
