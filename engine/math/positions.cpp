#include "engine/math/positions.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headlight {

void sinusoidal_positions(Index n, Index d, float* out) {
  for (Index position = 0; position < n; ++position) {
    for (Index channel = 0; channel < d; ++channel) {
      const double exponent = static_cast<double>(channel - channel % 2) / static_cast<double>(d);
      const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
      out[position * d + channel] = static_cast<float>(channel % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
}

void sinusoidal_positions_2d(Index n, Index columns, Index d, float* out) {
  const Index half = d / 2, sides = std::max(columns, (n + columns - 1) / columns);
  std::vector<float> codes(static_cast<std::size_t>(sides * half));
  sinusoidal_positions(sides, half, codes.data());
  for (Index place = 0; place < n; ++place) {
    std::copy_n(codes.data() + place / columns * half, half, out + place * d);
    std::copy_n(codes.data() + place % columns * half, half, out + place * d + half);
  }
}

}  // namespace headlight
