#include "engine/math/mixing.h"

#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

TEST_CASE("mixed maps match double precision, for every instruction set, number of heads and of threads") {
  constexpr Index batches = 2;
  for (const auto& [heads, plane] : {std::pair<Index, Index>{1, 5}, {3, 2050}, {12, 1024}, {40, 33}}) {
    const Tensor maps = drawn({batches, heads, plane}, 1), w = drawn({heads, heads}, 2), bias = drawn({heads}, 3);
    for (const char* name : {"baseline", "avx2", "avx512"})
      for (const int threads : {1, 3}) {
        const math::Kernels* set = math::kernels_named(name);
        if (!set) continue;
        INFO(name << ", " << heads << " heads, " << threads << " threads");
        ThreadPool pool(threads);
        Compute compute(pool);
        Tensor plain = Tensor::uninitialized(maps.shape()), shifted = Tensor::uninitialized(maps.shape());
        math::mix_maps(compute, maps.data(), w.data(), nullptr, batches, heads, plane, plain.data(), *set);
        math::mix_maps(compute, maps.data(), w.data(), bias.data(), batches, heads, plane, shifted.data(), *set);
        double worst = 0;
        for (Index cell = 0; cell < maps.size(); ++cell) {
          const Index item = cell / (heads * plane), t = cell / plane % heads, at = cell % plane;
          double sum = 0;
          for (Index m = 0; m < heads; ++m)
            sum += static_cast<double>(maps[(item * heads + m) * plane + at]) * static_cast<double>(w[m * heads + t]);
          worst = std::max({worst, std::abs(plain[cell] - sum), std::abs(shifted[cell] - sum - bias[t])});
        }
        CHECK(worst < 1e-7 * static_cast<double>(heads + 2));
      }
  }
}

TEST_CASE("a share of the second map of each pair is taken off the first") {
  constexpr Index pairs = 3, plane = 1500;
  const Tensor maps = drawn({pairs, 2, plane}, 4);
  ThreadPool pool(2);
  Compute compute(pool);
  Tensor out = Tensor::uninitialized({pairs, plane});
  math::differences(compute, maps.data(), 0.3F, pairs, plane, out.data());
  for (Index cell = 0; cell < out.size(); ++cell) {
    const Index first = cell / plane * 2 * plane + cell % plane;
    REQUIRE(out[cell] == Approx(maps[first] - 0.3 * maps[first + plane]).margin(1e-6));
  }
}
