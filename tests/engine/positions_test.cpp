#include "engine/math/positions.h"

#include <cmath>
#include <tuple>
#include <vector>

#include "tests/catch.h"

using namespace headlight;

TEST_CASE("codes of places on both sides of 0 are those of each place") {
  ThreadPool pool(2);
  Compute compute(pool);
  for (const auto& [last, count, d] : {std::tuple<Index, Index, Index>{127, 255, 64},
                                       {9, 200, 7},
                                       {200, 210, 8},
                                       {0, 70, 6},
                                       {70, 71, 6},
                                       {300, 40, 6},
                                       {-3, 40, 6},
                                       {0, 1, 2}}) {
    INFO(last << ", " << count << " places, " << d << " channels");
    std::vector<float> out(static_cast<std::size_t>(count * d), 9.0F);
    sinusoidal_positions_from(compute, last, count, d, out.data());
    double worst = 0;
    for (Index cell = 0; cell < count * d; ++cell) {
      const Index c = cell % d;
      const double angle = static_cast<double>(last - cell / d) /
                           std::pow(10000.0, static_cast<double>(c - c % 2) / static_cast<double>(d));
      const double want = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
      worst = std::max(worst, std::abs(static_cast<double>(out[static_cast<std::size_t>(cell)]) - want));
    }
    CHECK(worst < 6e-8);
  }
}
