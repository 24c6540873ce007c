#include "engine/math/positions.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headlight {

void sinusoidal_positions(Index n, Index d, float* out, Index first, Index step) {
  const Index pairs = (d + 1) / 2;
  std::vector<double> slowness, sine, cosine, step_sine, step_cosine;
  for (Index pair = 0; pair < pairs; ++pair) {
    slowness.push_back(std::pow(10000.0, static_cast<double>(2 * pair) / static_cast<double>(d)));
    step_sine.push_back(std::sin(static_cast<double>(step) / slowness.back()));
    step_cosine.push_back(std::cos(static_cast<double>(step) / slowness.back()));
  }
  sine.resize(slowness.size());
  cosine.resize(slowness.size());
  for (Index row = 0; row < n; ++row) {
    for (std::size_t pair = 0; row % 32 == 0 && pair < slowness.size(); ++pair) {
      const double angle = static_cast<double>(first + step * row) / slowness[pair];
      sine[pair] = std::sin(angle);
      cosine[pair] = std::cos(angle);
    }
    float* to = out + row * d;
    for (Index pair = 0; pair < d / 2; ++pair) {
      to[2 * pair] = static_cast<float>(sine[static_cast<std::size_t>(pair)]);
      to[2 * pair + 1] = static_cast<float>(cosine[static_cast<std::size_t>(pair)]);
    }
    if (d % 2 != 0) to[d - 1] = static_cast<float>(sine.back());
    // Rotated to the next row, which is faster than a sine for each angle. They are computed anew before rounding
    // shows.
    for (std::size_t pair = 0; pair < slowness.size(); ++pair) {
      const double s = sine[pair], c = cosine[pair];
      sine[pair] = s * step_cosine[pair] + c * step_sine[pair];
      cosine[pair] = c * step_cosine[pair] - s * step_sine[pair];
    }
  }
}

void sinusoidal_positions_from(Compute& compute, Index last, Index n, Index d, float* out) {
  compute.parallel(
      n, 64, [&](Index begin, Index end) { sinusoidal_positions(end - begin, d, out + begin * d, last - begin, -1); });
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
