// What a step's numbers span, held to a plain loop over them.
#include "engine/math/extent.h"

#include <cmath>
#include <limits>
#include <vector>

#include "engine/variants/recorder.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Extent plain_extent(std::span<const float> values) {
  Extent extent;
  for (const float value : values) {
    if (value == -infinity) ++extent.masked;
    if (std::isnan(value) || value == infinity) ++extent.broken;
    if (!std::isfinite(value)) continue;
    extent.least = extent.finite == 0 ? value : std::min(extent.least, value);
    extent.greatest = extent.finite == 0 ? value : std::max(extent.greatest, value);
    ++extent.finite;
  }
  return extent;
}

bool same(const Extent& a, const Extent& b) {
  return a.finite == b.finite && a.masked == b.masked && a.broken == b.broken && a.least == b.least &&
         a.greatest == b.greatest;
}

}  // namespace

TEST_CASE("an extent counts every number once, wherever it stands") {
  for (Index size = 0; size <= 50; ++size) {
    const Tensor clean = drawn({size}, static_cast<std::uint64_t>(size));
    CHECK(same(extent_of(clean.values()), plain_extent(clean.values())));
    for (const float odd : {infinity, -infinity, not_a_number, 7.0F, -7.0F})
      for (Index cell = 0; cell < size; ++cell) {
        Tensor values = clean;
        values[cell] = odd;
        INFO(odd << " at " << cell << " of " << size);
        REQUIRE(same(extent_of(values.values()), plain_extent(values.values())));
      }
  }
  for (const Index size : {255, 256, 257, 1030})
    for (const Index hidden : {0, 3, 256, 600})
      for (const Index odd : {0, 200, 255, 256, 1029}) {
        Tensor values = drawn({size}, static_cast<std::uint64_t>(size));
        for (Index cell = 0; cell < std::min(hidden, size); ++cell) values[cell] = -infinity;
        for (const float value : {infinity, -infinity, not_a_number, 7.0F, -7.0F}) {
          values[std::min(odd, size - 1)] = value;
          INFO(value << " at " << odd << " of " << size << ", " << hidden << " hidden");
          REQUIRE(same(extent_of(values.values()), plain_extent(values.values())));
        }
      }
  const std::vector<float> hidden(40, -infinity);
  CHECK(same(extent_of(hidden), {.finite = 0, .masked = 40, .broken = 0, .least = 0, .greatest = 0}));
}

TEST_CASE("steps keep the extent of each batch item, however many threads found it") {
  constexpr Index items = 3, queries = 300;  // 90 000 scores an item: more than one piece of work
  const std::map<std::string, ParamValue> causal{
      {"heads", Index{1}}, {"d_head", Index{4}}, {"mask", std::string("causal")}};
  for (const char* variant : {"multi_head", "linear_attention"}) {  // states of keys tell theirs as they are made
    const auto problem = make_problem({.name = "batches",
                                       .variant = variant,
                                       .params = causal,
                                       .drawn = {{"x_q", {items, queries, 8}}},
                                       .arrays = {}});
    REQUIRE(problem);
    for (const int threads : {1, 3}) {
      const auto trace = run(*problem, threads);
      REQUIRE(trace);
      for (const auto& step : trace->steps) {
        INFO(step.info.id << " with " << threads << " threads");
        REQUIRE(step.extents.size() == items);
        const auto each = static_cast<std::size_t>(step.tensor().size() / items);
        for (std::size_t item = 0; item < items; ++item)
          CHECK(same(step.extents[item], plain_extent(step.tensor().values().subspan(item * each, each))));
      }
      CHECK(trace->find("w_q")->extents.size() == 1);
    }
  }
}

TEST_CASE("the first number that went wrong is found in a large array") {
  constexpr Index queries = 600;
  Sketch sketch{.name = "broken",
                .variant = "multi_head",
                .params = {{"heads", Index{1}}, {"d_head", Index{4}}},
                .drawn = {},
                .arrays = {}};
  Tensor x = drawn({1, queries, 8}, 1);
  x[500 * 8] = not_a_number;
  sketch.arrays.emplace("x_q", std::move(x));
  const auto trace = run(sketch);
  REQUIRE(trace);
  const auto& found = trace->find("scores")->non_finite;
  REQUIRE(found);
  CHECK(found->first_cell == 500);               // query 0, key 500
  CHECK(found->count == queries + queries - 1);  // a row and a column
}
