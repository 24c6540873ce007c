#include "engine/math/positions.h"

#include <cmath>

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

}  // namespace headlight
