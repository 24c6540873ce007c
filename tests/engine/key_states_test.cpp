#include "engine/math/key_states.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/math/extent.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

constexpr Index planes = 3;
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

bool same(const Extent& a, const Extent& b) {
  return a.finite == b.finite && a.masked == b.masked && a.broken == b.broken && a.least == b.least &&
         a.greatest == b.greatest;
}

// Σ k_j v_jᵀ of keys 0 to `last`, one number of it.
double summed(const Tensor& k, const Tensor& v, Index plane, Index last, Index feature, Index channel) {
  double sum = 0;
  for (Index j = 0; j <= last; ++j)
    sum += static_cast<double>(k[(plane * k.dim(1) + j) * k.dim(2) + feature]) *
           static_cast<double>(v[(plane * v.dim(1) + j) * v.dim(2) + channel]);
  return sum;
}

}  // namespace

TEST_CASE("states of keys are their sums, of all and up to each query") {
  struct Case {
    Index n, features, width, first, rows;
  };
  for (const Case& c :
       {Case{1, 1, 1, 0, 1}, {7, 5, 3, 0, 7}, {70, 16, 9, 0, 90}, {100, 4, 33, 64, 2}, {33, 3, 4, 40, 3}})
    for (const char* name : {"baseline", "avx2", "avx512"}) {
      const math::Kernels* set = math::kernels_named(name);
      if (!set) continue;
      INFO(name << ", " << c.n << " keys");
      const Tensor k = drawn({planes, c.n, c.features}, 1), v = drawn({planes, c.n, c.width}, 2);
      ThreadPool pool(2);
      Compute compute(pool);
      Tensor state = Tensor::uninitialized({planes, c.features, c.width}),
             running = Tensor::uninitialized({planes, c.rows, c.features, c.width});
      math::key_states(compute, k.data(), v.data(), planes, c.n, c.features, c.width, state.data(), *set);
      const Index area = c.features * c.width;
      const Tensor q = drawn({planes, c.rows, c.features}, 3);
      Tensor of_one = Tensor::uninitialized({planes, c.rows, c.width}), of_each = of_one, in_passing = of_one;
      const auto extents = math::running_key_states(compute,
                                                    {.k = k.data(),
                                                     .v = v.data(),
                                                     .q = q.data(),
                                                     .planes = planes,
                                                     .n = c.n,
                                                     .features = c.features,
                                                     .width = c.width,
                                                     .first = c.first,
                                                     .rows = c.rows,
                                                     .states = running.data(),
                                                     .read = in_passing.data()},
                                                    *set);
      REQUIRE(extents.size() == planes);
      for (Index plane = 0; plane < planes; ++plane) {
        CHECK(same(extents[static_cast<std::size_t>(plane)],
                   extent_of({running.data() + plane * c.rows * area, static_cast<std::size_t>(c.rows * area)})));
      }
      double worst = 0;
      for (Index cell = 0; cell < running.size(); ++cell) {
        const auto at = index_at_flat(running.shape(), cell);
        const double up_to = summed(k, v, at[0], std::min(c.first + at[1], c.n - 1), at[2], at[3]),
                     all = summed(k, v, at[0], c.n - 1, at[2], at[3]);
        worst = std::max({worst, std::abs(static_cast<double>(running[cell]) - up_to),
                          std::abs(static_cast<double>(state.at({at[0], at[2], at[3]})) - all)});
      }
      CHECK(worst < 1e-7 * static_cast<double>(c.n + 2));

      math::read_key_state(compute, q.data(), state.data(), planes, c.rows, c.features, c.width, of_one.data(), *set);
      math::read_key_states(compute, q.data(), running.data(), planes * c.rows, c.features, c.width, of_each.data(),
                            *set);
      CHECK(std::ranges::equal(in_passing.values(), of_each.values()));
      worst = 0;
      for (Index cell = 0; cell < of_one.size(); ++cell) {
        const Index row = cell / c.width, plane = row / c.rows, channel = cell % c.width;
        double one = 0, each = 0;
        for (Index f = 0; f < c.features; ++f) {
          const double asked = q[row * c.features + f];
          one += asked * static_cast<double>(state.at({plane, f, channel}));
          each += asked * static_cast<double>(running[(row * c.features + f) * c.width + channel]);
        }
        worst = std::max({worst, std::abs(of_one[cell] - one), std::abs(of_each[cell] - each)});
      }
      CHECK(worst < 1e-5);
    }
}

TEST_CASE("a running state stays precise over many keys") {
  constexpr Index n = 20000;
  Tensor k({1, n, 1}), v({1, n, 1}), running({1, n, 1, 1});
  std::ranges::fill(k.values(), 1.0F);
  std::ranges::fill(v.values(), 0.1F);
  ThreadPool pool(1);
  Compute compute(pool);
  Tensor read({1, n, 1});
  math::running_key_states(
      compute,
      {.k = k.data(), .v = v.data(), .q = k.data(), .n = n, .rows = n, .states = running.data(), .read = read.data()});
  for (Index row = 0; row < n; ++row) REQUIRE(running[row] == Approx(0.1 * static_cast<double>(row + 1)).epsilon(4e-7));
}

TEST_CASE("what running states span is told where they are not finite all through, too") {
  constexpr Index n = 70, width = 5;
  constexpr float largest = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
  struct Case {
    Index key;
    float value, next;  // at that key, and the one after it
  };
  for (const auto& [key, value, next] :
       {Case{0, not_a_number, 0}, Case{40, not_a_number, 0}, Case{69, infinity, 0}, Case{12, largest, largest},
        Case{31, largest, largest}, Case{63, -infinity, infinity}}) {
    INFO(key << ": " << value << ", " << next);
    Tensor k({1, n, 1}), v({1, n, width}), states({1, n, width}), read({1, n, width});
    std::ranges::fill(k.values(), 1.0F);
    v[key * width + width - 1] = value;
    if (key + 1 < n) v[(key + 1) * width + width - 1] = next;
    if (key + 2 < n && next == largest) v[(key + 2) * width + width - 1] = -largest;  // what is too large is taken back
    ThreadPool pool(1);
    Compute compute(pool);
    const auto extents = math::running_key_states(compute, {.k = k.data(),
                                                            .v = v.data(),
                                                            .q = k.data(),
                                                            .n = n,
                                                            .width = width,
                                                            .rows = n,
                                                            .states = states.data(),
                                                            .read = read.data()});
    CHECK(std::ranges::any_of(states.values(), [](float x) { return !std::isfinite(x); }));
    CHECK(extents[0].finite < states.size());
    CHECK(same(extents[0], extent_of(states.values())));
  }
}
