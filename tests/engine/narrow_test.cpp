// Products that are not laid out first, and what is made of them: entries of a table that rows meet, codes of places on
// both sides.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine/math/met_entries.h"
#include "engine/math/positions.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

using Floats = std::vector<float>;

Floats numbers(Index count, unsigned seed) {
  std::mt19937 random(seed);
  Floats out(static_cast<std::size_t>(count));
  for (float& x : out) x = static_cast<float>(random() % 20001) / 10000.0F - 1;
  return out;
}

std::vector<const math::Kernels*> sets() {
  std::vector<const math::Kernels*> all;
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (const math::Kernels* set = math::kernels_named(name)) all.push_back(set);
  return all;
}

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

}  // namespace

TEST_CASE("narrow products match double precision, for every set, shape and stride") {
  for (const math::Kernels* set : sets())
    for (const Index rows : {1, 2, 3, 5, 6, 7, 15, 40})
      for (const Index columns : {1, 3, 15, 16, 17, 31, 64, 65, 144})
        for (const Index inner : {1, 2, 33, 128}) {
          INFO(set->name << ": " << rows << " × " << inner << " × " << columns);
          const Index a_stride = inner + 3, b_stride = columns + 5, out_stride = columns + 2;
          const Floats a = numbers(rows * a_stride, 1), b = numbers(inner * b_stride, 2);
          const Floats before = numbers(rows * out_stride, 3);
          for (const bool adds : {false, true}) {
            Floats out = before;
            set->multiply_narrow({.a = {a.data(), a_stride},
                                  .b = {b.data(), b_stride},
                                  .rows = rows,
                                  .inner = inner,
                                  .columns = columns,
                                  .adds = adds,
                                  .out = out.data(),
                                  .out_stride = out_stride});
            double worst = 0;
            bool beside = true;
            for (Index cell = 0; cell < rows * out_stride; ++cell) {
              const Index r = cell / out_stride, c = cell % out_stride;
              const auto at = static_cast<std::size_t>(cell);
              if (c >= columns) {
                beside = beside && same_bits(out[at], before[at]);
                continue;
              }
              double sum = adds ? static_cast<double>(before[at]) : 0;
              for (Index k = 0; k < inner; ++k)
                sum += static_cast<double>(a[static_cast<std::size_t>(r * a_stride + k)]) *
                       static_cast<double>(b[static_cast<std::size_t>(k * b_stride + c)]);
              worst = std::max(worst, std::abs(static_cast<double>(out[at]) - sum));
            }
            CHECK(worst < 1e-7 * static_cast<double>(inner + 2));
            CHECK(beside);  // what lies between rows is left alone
          }
        }
}

TEST_CASE("a row of a narrow product has the same bits whatever rows and columns are beside it") {
  constexpr Index rows = 20, inner = 70, columns = 144;
  const Floats a = numbers(rows * inner, 1), b = numbers(inner * columns, 2);
  for (const math::Kernels* set : sets()) {
    INFO(set->name);
    Floats all(rows * columns);
    set->multiply_narrow({.a = {a.data(), inner},
                          .b = {b.data(), columns},
                          .rows = rows,
                          .inner = inner,
                          .columns = columns,
                          .out = all.data(),
                          .out_stride = columns});
    for (Index first = 0; first < rows; ++first)
      for (const Index count : {Index{1}, Index{5}, rows - first})
        for (const Index column : {0, 16, 80}) {
          if (first + count > rows) continue;
          constexpr Index width = 64;
          Floats part(static_cast<std::size_t>(count * width));
          set->multiply_narrow({.a = {a.data() + first * inner, inner},
                                .b = {b.data() + column, columns},
                                .rows = count,
                                .inner = inner,
                                .columns = width,
                                .out = part.data(),
                                .out_stride = width});
          bool same = true;
          for (Index cell = 0; cell < count * width; ++cell)
            same = same &&
                   same_bits(part[static_cast<std::size_t>(cell)],
                             all[static_cast<std::size_t>((first + cell / width) * columns + column + cell % width)]);
          CHECK(same);
        }
  }
}

TEST_CASE("what is not finite stays in the rows and columns of a narrow product that hold it") {
  for (const math::Kernels* set : sets()) {
    INFO(set->name);
    Floats a(7 * 3, 1.0F), b(3 * 20, 1.0F), out(7 * 20);
    a[4 * 3 + 1] = std::numeric_limits<float>::quiet_NaN();
    b[2 * 20 + 17] = std::numeric_limits<float>::infinity();
    set->multiply_narrow({.a = {a.data(), 3},
                          .b = {b.data(), 20},
                          .rows = 7,
                          .inner = 3,
                          .columns = 20,
                          .out = out.data(),
                          .out_stride = 20});
    for (Index cell = 0; cell < 7 * 20; ++cell) {
      const float x = out[static_cast<std::size_t>(cell)];
      if (cell / 20 == 4)
        CHECK(std::isnan(x));
      else if (cell % 20 == 17)
        CHECK(x == std::numeric_limits<float>::infinity());
      else
        CHECK(x == 3);
    }
  }
}

TEST_CASE("matrices are turned whatever their shape") {
  for (const math::Kernels* set : sets())
    for (const Index rows : {1, 3, 16, 17, 50})
      for (const Index columns : {1, 4, 15, 16, 40}) {
        INFO(set->name << ": " << rows << " × " << columns);
        const Index stride = rows + 3;
        const Floats in = numbers(rows * columns, 1);
        Floats out(static_cast<std::size_t>(columns * stride), 9.0F);
        set->turn(in.data(), rows, columns, out.data(), stride);
        bool right = true;
        for (Index cell = 0; cell < columns * stride; ++cell) {
          const Index c = cell / stride, r = cell % stride;
          right = right && out[static_cast<std::size_t>(cell)] ==
                               (r < rows ? in[static_cast<std::size_t>(r * columns + c)] : 9.0F);
        }
        CHECK(right);
      }
}

TEST_CASE("rows meet the entries of a table that they ask for") {
  for (const math::Kernels* set : sets())
    for (const Index d : {3, 32, 33, 64}) {
      constexpr Index entries = 41, rows = 6;
      INFO(set->name << ", " << d << " channels");
      const Floats table = numbers(entries * d, 1), q = numbers(rows * d, 2);
      const math::MetEntries met(table.data(), entries, d, *set);
      for (const Index first : {0, 7, 40})
        for (const Index count : {Index{1}, Index{16}, Index{20}, entries - first}) {
          if (first + count > entries) continue;
          Floats out(static_cast<std::size_t>(rows * met.step(count)));
          met.meet(q.data(), rows, first, count, out.data());
          double worst = 0;
          for (Index r = 0; r < rows; ++r)
            for (Index t = 0; t < count; ++t) {
              double sum = 0;
              for (Index c = 0; c < d; ++c)
                sum += static_cast<double>(q[static_cast<std::size_t>(r * d + c)]) *
                       static_cast<double>(table[static_cast<std::size_t>((first + t) * d + c)]);
              const float got = out[static_cast<std::size_t>(r * met.step(count) + t)];
              worst = std::max(worst, std::abs(static_cast<double>(got) - sum));
            }
          CHECK(worst < 1e-7 * static_cast<double>(d + 2));
        }
    }
}

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
    Floats out(static_cast<std::size_t>(count * d), 9.0F);
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
