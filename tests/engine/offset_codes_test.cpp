#include "engine/math/offset_codes.h"

#include <algorithm>
#include <cmath>

#include "engine/math/positions.h"
#include "engine/run/edits.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

TEST_CASE("codes of offsets brought into heads match double precision, wherever the offsets lie") {
  struct Case {
    Index last, count, d, heads, width;
  };
  for (const Case& c : {Case{9, 19, 6, 2, 3},
                        {9, 19, 64, 2, 3},
                        {127, 255, 48, 3, 16},
                        {127, 255, 384, 2, 7},
                        {128, 257, 130, 1, 3},
                        {500, 700, 256, 1, 70},
                        {200, 700, 256, 2, 4},
                        {30, 100, 65, 1, 5},
                        {90, 100, 66, 2, 8},
                        {0, 40, 64, 2, 4},
                        {200, 40, 64, 2, 4},
                        {-5, 40, 64, 2, 4},
                        {3, 1, 64, 2, 4}}) {
    INFO(c.last << ", " << c.count << " places, " << c.d << " channels");
    Tensor codes = Tensor::uninitialized({c.count, c.d}), out = Tensor::uninitialized({c.heads, c.count, c.width});
    sinusoidal_positions(c.count, c.d, codes.data(), c.last, -1);
    const Tensor w = drawn({c.heads, c.d, c.width}, 1);
    for (const char* name : {"baseline", "avx2", "avx512"}) {
      const math::Kernels* set = math::kernels_named(name);
      if (!set) continue;
      ThreadPool pool(2);
      Compute compute(pool);
      math::project_codes(compute, codes.data(), c.last, c.count, c.d, w.data(), c.heads, c.width, out.data(), *set);
      double worst = 0;
      for (Index cell = 0; cell < out.size(); ++cell) {
        const Index m = cell / (c.count * c.width), t = cell / c.width % c.count;
        double sum = 0;
        for (Index channel = 0; channel < c.d; ++channel)
          sum += static_cast<double>(codes[t * c.d + channel]) *
                 static_cast<double>(w[(m * c.d + channel) * c.width + cell % c.width]);
        worst = std::max(worst, std::abs(static_cast<double>(out[cell]) - sum));
      }
      CHECK(worst < 2e-7 * static_cast<double>(c.d + 2));
    }
  }
}

TEST_CASE("codes of offsets that were edited are brought into heads as they are") {
  const Sketch sketch{
      .name = "wide",
      .variant = "multi_head",
      .params = {{"heads", Index{2}}, {"d_head", Index{3}}, {"relative", std::string("transformer_xl")}},
      .drawn = {{"x_q", {1, 6, 48}}},
      .arrays = {}};
  for (const bool edited : {false, true}) {
    auto problem = make_problem(sketch);
    REQUIRE(problem);
    if (edited)
      REQUIRE(apply_edits({{.array = "relative_embedding", .at = {Span{2, 2}, Span{7, 7}}, .values = {5}}}, *problem));
    const auto trace = run(*problem);
    REQUIRE(trace);
    CHECK(first_disagreement(*trace) == "");
  }
}
