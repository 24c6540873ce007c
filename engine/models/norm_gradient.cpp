#include "engine/models/norm_gradient.h"

#include <cmath>

namespace headlight {

// With x̂ = (x − mean) / s: ∂L/∂x = (h − mean h − x̂ · mean (h x̂)) / s, h being `stretched`; by the root no mean is
// taken off.
std::vector<double> gradient_of_norm(std::span<const double> x, std::span<const double> stretched, NormShape shape) {
  const auto d = static_cast<double>(x.size());
  double mean = 0, squares = 0, mean_of_h = 0, along = 0;
  for (std::size_t c = 0; c < x.size() && !shape.by_root; ++c) {
    mean += x[c] / d;
    mean_of_h += stretched[c] / d;
  }
  for (const double value : x) squares += (value - mean) * (value - mean) / d;
  const double s = std::sqrt(squares + shape.epsilon);
  for (std::size_t c = 0; c < x.size(); ++c) along += stretched[c] * (x[c] - mean) / s / d;
  std::vector<double> gradient(x.size());
  for (std::size_t c = 0; c < x.size(); ++c) gradient[c] = (stretched[c] - mean_of_h - (x[c] - mean) / s * along) / s;
  return gradient;
}

Tensor gradient_of_norm(const Tensor& x, const Tensor& gamma, const Tensor& g, NormShape shape) {
  const Index d = gamma.size();
  Tensor gradient = Tensor::uninitialized(x.shape());
  std::vector<double> row(static_cast<std::size_t>(d)), stretched(row);
  for (Index first = 0; first < x.size(); first += d) {
    for (Index c = 0; c < d; ++c) {
      row[static_cast<std::size_t>(c)] = x[first + c];
      stretched[static_cast<std::size_t>(c)] = static_cast<double>(g[first + c]) * gamma[c];
    }
    const std::vector<double> made = gradient_of_norm(row, stretched, shape);
    for (Index c = 0; c < d; ++c) gradient[first + c] = static_cast<float>(made[static_cast<std::size_t>(c)]);
  }
  return gradient;
}

}  // namespace headlight
