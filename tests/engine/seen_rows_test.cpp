// What a mask hides is passed over: that changes no number.
#include "engine/math/seen_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "engine/ops/attention_mask.h"
#include "engine/run/edits.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Trace traced(const Sketch& sketch) {
  auto trace = run(sketch);
  INFO(sketch.name);
  REQUIRE(trace);
  return std::move(*trace);
}

Sketch masked(std::string name, std::map<std::string, ParamValue> params, std::map<std::string, Tensor> arrays = {},
              Index queries = 40, Index keys = 47) {
  params.emplace("heads", Index{2});
  params.emplace("d_head", Index{3});
  return {std::move(name),
          "multi_head",
          std::move(params),
          {{"x_q", {2, queries, 6}}, {"x_k", {2, keys, 6}}},
          std::move(arrays)};
}

std::vector<Sketch> masks() {
  const std::string causal = "causal", prefix = "prefix";
  Tensor layout({6, 6});
  for (Index block = 0; block < 36; block += 5) layout[block] = 1;
  return {
      masked("causal", {{"mask", causal}}),
      masked("causal, later queries", {{"mask", causal}, {"query_offset", Index{7}}}),
      masked("causal, queries before all keys", {{"mask", causal}, {"query_offset", Index{-20}}}),
      masked("prefix", {{"mask", prefix}, {"prefix_length", Index{5}}}),
      masked("prefixes", {{"mask", prefix}}, {{"prefix_lens", Tensor::from({2}, std::vector<float>{0, 9})}}),
      masked("lengths", {}, {{"valid_lens", Tensor::from({2}, std::vector<float>{0, 9})}}),
      masked("window before", {{"window_left", Index{3}}}),
      masked("window after", {{"window_right", Index{3}}}),
      masked("window", {{"window_left", Index{3}}, {"window_right", Index{2}}, {"query_offset", Index{-4}}}),
      masked("dilated", {{"window_left", Index{3}}, {"window_right", Index{2}}, {"window_dilation", Index{3}}}),
      masked("dilated without end", {{"window_dilation", Index{4}}}),
      masked("window, sinks, causal", {{"window_left", Index{3}}, {"sink_tokens", Index{2}}, {"mask", causal}}),
      masked("window, global tokens",
             {{"window_left", Index{3}}, {"window_right", Index{3}}, {"global_tokens", Index{3}}}),
      masked("chunks", {{"chunk", Index{7}}, {"chunk_left", Index{1}}}),
      masked("chunks ahead", {{"chunk", Index{4}}, {"chunk_right", Index{2}}, {"query_offset", Index{-9}}}),
      masked("blocks", {{"chunk", Index{8}}}, {{"block_layout", layout}}, 48, 48),
  };
}

}  // namespace

TEST_CASE("what a rule says of keys in one go is what it says of each") {
  for (const Sketch& sketch : masks()) {
    const Trace trace = traced(sketch);
    const Step& mask = *trace.find("mask");
    REQUIRE(mask.rules);
    const Shape shape = mask.tensor().shape();
    Index hidden = 0;
    std::string wrong;
    for (Index cell = 0; cell < mask.tensor().size(); ++cell) {
      const auto at = index_at_flat(shape, cell);
      const bool is_hidden = std::isinf(mask.tensor()[cell]);
      hidden += is_hidden ? 1 : 0;
      if (is_hidden == hidden_by(*mask.rules, at[0], at[1], at[2], at[3]).empty() && wrong.empty())
        wrong = sketch.name + ": " + to_string(at);
    }
    CHECK(wrong == "");
    CHECK(hidden > 0);
    CHECK(hidden < mask.tensor().size());
  }
}

namespace {

// A mask of long rows: stretches, single keys, all, none, and one row for many.
Tensor long_mask(const Shape& shape) {
  Tensor mask(shape);
  const Index n = shape[3];
  for (Index row = 0; row < mask.size() / n; ++row)
    for (Index j = 0; j < n; ++j) {
      const bool sees = row % 5 == 0   ? j >= row * 9 && j < row * 9 + 70
                        : row % 5 == 1 ? j == row * 17 || j == n - 1
                        : row % 5 == 2 ? j < 3 || (j > 200 && j < 230)
                                       : row % 5 == 3;
      mask[row * n + j] = sees ? static_cast<float>(j % 3) : -infinity;
    }
  return mask;
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return std::ranges::equal(
      a, b, [](float x, float y) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y); });
}

}  // namespace

TEST_CASE("masked scores and softmax of what rows see are those of whole rows, to the last bit") {
  for (const Index n : {5, 64, 130, 333, 515})
    for (const Shape& planes : {Shape{2, 3, 20, n}, {1, 3, 20, n}, {2, 1, 1, n}}) {
      const Shape shape{2, 3, 20, n};
      const Index rows = 2 * 3 * 20;
      const Tensor scores = drawn(shape, 5), mask = long_mask(planes);
      const math::VisibleBlocks seen(mask, shape);
      Tensor sums = Tensor::uninitialized(shape), whole(shape), weights = Tensor::uninitialized(shape), want(shape);
      for (Index cell = 0; cell < whole.size(); ++cell) {
        auto at = index_at_flat(shape, cell);
        for (std::size_t axis = 0; axis < 3; ++axis)
          if (planes[axis] == 1) at[axis] = 0;
        whole[cell] = scores[cell] + mask[flat_at_index(planes, at)];
      }
      sums[0] = not_a_number;
      INFO(to_string(planes));
      math::add_mask(scores.data(), shape, mask, seen, 0, rows / 2, sums.data());
      math::add_mask(scores.data(), shape, mask, seen, rows / 2, rows, sums.data());
      CHECK(same_bits(sums.values(), whole.values()));
      for (const char* name : {"baseline", "avx2", "avx512"}) {
        const math::Kernels* set = math::kernels_named(name);
        if (!set) continue;
        INFO(name);
        math::softmax(whole.data(), 0, rows, n, want.data(), *set);
        math::softmax(sums.data(), seen, 0, rows, n, weights.data(), *set);
        CHECK(same_bits(weights.values(), want.values()));
      }
    }
}

TEST_CASE("a row with a NaN is NaN where it sees nothing, too") {
  const Shape shape{1, 1, 5, 400};
  const Tensor mask = long_mask(shape);
  const math::VisibleBlocks seen(mask, shape);
  Tensor scores = drawn(shape, 6), weights(shape);
  scores[3] = not_a_number;
  math::add_mask(scores.data(), shape, mask, seen, 0, 5, scores.data());
  math::softmax(scores.data(), seen, 0, 5, 400, weights.data());
  for (Index j = 0; j < 400; ++j) REQUIRE(std::isnan(weights[j]));
  for (Index j = 400; j < 5 * 400; ++j) REQUIRE_FALSE(std::isnan(weights[j]));
}

TEST_CASE("what steps of a masked run span is told of hidden keys, too, edited or not") {
  for (const char* edited : {"", "weights", "masked_scores", "mask"}) {
    Sketch sketch = masked("long", {{"mask", std::string("causal")}, {"window_left", Index{30}}, {"d_head", Index{16}}},
                           {}, 600, 600);
    auto problem = make_problem(sketch);
    REQUIRE(problem);
    if (*edited)
      REQUIRE(apply_edits(
          {{.array = edited, .at = {Span{0, 0}, Span{0, 0}, Span{9, 9}, Span{500, 500}}, .values = {0.5}}}, *problem));
    const auto trace = run(*problem);
    REQUIRE(trace);
    INFO(edited);
    for (const char* id : {"masked_scores", "weights"}) {
      const Step& step = *trace->find(id);
      for (Index item = 0; item < 2; ++item) {
        const std::size_t each = step.tensor().values().size() / 2;
        const Extent want = extent_of(step.tensor().values().subspan(static_cast<std::size_t>(item) * each, each)),
                     &got = step.extents[static_cast<std::size_t>(item)];
        CHECK(got.finite == want.finite);
        CHECK(got.masked == want.masked);
        CHECK(got.least == want.least);
        CHECK(got.greatest == want.greatest);
      }
    }
    CHECK(first_disagreement(*trace, 200) == "");
    // A key that an edit lets a row see has its part in the row's sum.
    const Step &weights = *trace->find("weights"), &outputs = *trace->find("head_outputs"), &v = *trace->find("v");
    double sum = 0;
    for (Index j = 0; j < 600; ++j)
      sum += static_cast<double>(weights.tensor()[9 * 600 + j]) * static_cast<double>(v.tensor()[j * 16]);
    CHECK(static_cast<double>(outputs.tensor()[9 * 16]) == Approx(sum).margin(1e-5));
    CHECK((weights.tensor()[9 * 600 + 500] > 0) == (*edited != '\0'));
  }
}
