// What is particular to multi-head attention: its rules for masks, positions and blocks, and numbers at their limits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>

#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// Batch 2, five tokens of six channels, two heads of three.
Sketch small(std::map<std::string, ParamValue> params = {}, std::map<std::string, Tensor> arrays = {}) {
  params.emplace("heads", Index{2});
  params.emplace("d_head", Index{3});
  Sketch sketch{"small", "multi_head", std::move(params), {}, std::move(arrays)};
  if (!sketch.arrays.contains("x_q")) sketch.drawn["x_q"] = {2, 5, 6};
  return sketch;
}

Tensor filled(Shape shape, float value) {
  Tensor tensor(std::move(shape));
  std::ranges::fill(tensor.values(), value);
  return tensor;
}

Trace trace_of(const Sketch& sketch) {
  auto trace = run(sketch);
  if (!trace) FAIL(trace.error().message);
  return std::move(*trace);
}

std::string refusal(const Sketch& sketch) {
  const auto trace = run(sketch);
  return trace ? "" : trace.error().message;
}

const ArraySpec& spec_of(const ArraySpecs& specs, const std::string& id) {
  for (const auto* list : {&specs.inputs, &specs.weights})
    for (const auto& spec : *list)
      if (spec.id == id) return spec;
  throw std::out_of_range(id);
}

std::string reason_at(const Trace& trace, const char* step, std::initializer_list<Index> at) {
  const Step& s = *trace.find(step);
  return s.explain(flat_at_index(s.tensor().shape(), std::vector<Index>(at))).reason;
}

}  // namespace

TEST_CASE("rows of weights add up to 1, and hidden keys get exactly 0") {
  const Trace trace = trace_of(small({{"mask", std::string("causal")}}));
  const Tensor& weights = trace.find("weights")->tensor();
  for (Index row = 0; row < 20; ++row) {
    double sum = 0;
    for (Index j = 0; j < 5; ++j) {
      sum += weights[row * 5 + j];
      CHECK((weights[row * 5 + j] == 0) == (j > row % 5));
    }
    CHECK(sum == Approx(1));
  }
  CHECK(trace.find("weights")->warnings.empty());
}

TEST_CASE("a row that sees no key has weights 0, output b_o, and a warning") {
  Sketch sketch = small({}, {{"valid_lens", Tensor::from({2, 5}, std::vector<float>{5, 0, 5, 5, 0, 5, 5, 5, 5, 5})}});
  sketch.drawn["b_v"] = {2, 3};
  sketch.drawn["b_o"] = {6};
  const Trace trace = trace_of(sketch);
  const Step& weights = *trace.find("weights");
  CHECK(weights.warnings ==
        std::vector<std::string>{
            "2 rows have no visible key (first: batch 0, query 1): their weights are 0 by definition"});
  CHECK_FALSE(trace.origin_of_non_finite());
  for (Index c = 0; c < 6; ++c) CHECK(trace.find("output")->tensor().at({0, 4, c}) == trace.find("b_o")->tensor()[c]);
  CHECK(reason_at(trace, "weights", {0, 1, 4, 2}) == "no key is visible: the row's weights are 0 by definition");
}

TEST_CASE("every hidden cell names the rule that hides it") {
  Tensor added(Shape{5, 5});
  added[0 * 5 + 2] = -infinity;
  Tensor padding(Shape{2, 5});
  padding[1 * 5 + 0] = 1;
  const Trace trace =
      trace_of(small({{"mask", std::string("causal")}}, {{"valid_lens", Tensor::from({2}, std::vector<float>{3, 0})},
                                                         {"attn_mask", std::move(added)},
                                                         {"key_padding_mask", std::move(padding)}}));
  CHECK(reason_at(trace, "mask", {0, 0, 3, 1}).empty());
  CHECK(reason_at(trace, "mask", {0, 0, 1, 2}) == "causal: key 2 comes after query 1");
  CHECK(reason_at(trace, "mask", {0, 0, 4, 3}) == "valid length 3: keys 3 and later are padding");
  CHECK(reason_at(trace, "mask", {0, 0, 0, 2}) == "causal: key 2 comes after query 0; attn_mask: −∞ here");
  CHECK(reason_at(trace, "mask", {1, 0, 0, 0}) ==
        "valid length 0: every key is padding; padding mask: key 0 is ignored");
  CHECK(reason_at(trace, "masked_scores", {0, 1, 1, 2}) == "masked by causal: key 2 comes after query 1");
  CHECK(trace.find("weights")->warnings.front().starts_with("5 rows have no visible key (first: batch 1, query 0)"));
}

TEST_CASE("masking makes no NaN of scores that are not finite") {
  Tensor keys = drawn({1, 3, 6}, 1);
  keys[2 * 6] = infinity;  // the last key, which is padding
  Sketch sketch = small({}, {{"x_q", drawn({1, 2, 6}, 2)},
                             {"x_k", std::move(keys)},
                             {"x_v", drawn({1, 3, 6}, 3)},
                             {"valid_lens", Tensor::from({1}, std::vector<float>{2})}});
  const Trace trace = trace_of(sketch);
  for (const float weight : trace.find("weights")->tensor().values()) CHECK(std::isfinite(weight));
  for (const float number : trace.find("output")->tensor().values()) CHECK(std::isfinite(number));
  CHECK(trace.origin_of_non_finite()->step == "x_k");
}

TEST_CASE("numbers that are not finite carry through, and their origin is named") {
  for (const float bad : {not_a_number, infinity, -infinity}) {
    const Trace trace =
        trace_of(small({{"block", std::string("pre_norm")}, {"ffn", true}}, {{"x_q", filled({2, 5, 6}, bad)}}));
    const auto origin = trace.origin_of_non_finite();
    REQUIRE(origin);
    CHECK(origin->step == "x_q");
    CHECK(origin->cell == 0);
    for (const float number : trace.find("output")->tensor().values()) CHECK_FALSE(std::isfinite(number));
  }
  Tensor weight = drawn({2, 6, 3}, 9);
  weight[7] = not_a_number;
  CHECK(trace_of(small({}, {{"w_k", std::move(weight)}})).origin_of_non_finite()->step == "w_k");
  const Trace overflow = trace_of(
      small({}, {{"x_q", filled({2, 5, 6}, 1e30F)}, {"w_q", filled({2, 6, 3}, 1)}, {"w_k", filled({2, 6, 3}, 1)}}));
  CHECK(overflow.origin_of_non_finite()->step == "scores");
  CHECK(overflow.origin_of_non_finite()->value == infinity);
  Tensor mask(Shape{5, 5});
  mask[3] = not_a_number;
  const Trace masked = trace_of(small({}, {{"attn_mask", std::move(mask)}}));
  CHECK(masked.origin_of_non_finite()->step == "attn_mask");
  CHECK(first_disagreement(masked) == "");
}

TEST_CASE("mask values that cannot be are refused in one line") {
  const auto lens = [](std::vector<float> values) { return small({}, {{"valid_lens", Tensor::from({2}, values)}}); };
  CHECK(refusal(lens({5, 0})) == "");
  CHECK(refusal(lens({5, 6})) == "valid_lens[1] is 6: it must be a whole number of keys from 0 to 5");
  CHECK(refusal(lens({-1, 0})) == "valid_lens[0] is -1: it must be a whole number of keys from 0 to 5");
  CHECK(refusal(lens({2.5, 0})).starts_with("valid_lens[0] is 2.5"));
  CHECK(refusal(lens({1, not_a_number})).starts_with("valid_lens[1] is nan"));
  CHECK(refusal(small({}, {{"key_padding_mask", filled({2, 5}, -infinity)}})) ==
        "key_padding_mask[0, 0] is -inf: it must be 1 to ignore the key or 0 to use it");
}

TEST_CASE("a block that cannot add its input to its output is refused with a fix") {
  const std::string post_norm = "post_norm";
  CHECK(refusal(small({{"block", post_norm}}, {{"w_o", Tensor(Shape{6, 9})}})) ==
        "block post_norm adds the input to the output, so both need one width: w_o gives 9 and x_q has 6; give w_o 6 "
        "columns, or set block to bare");
  CHECK(refusal(small({{"block", post_norm}, {"output_projection", false}, {"heads", Index{4}}})) ==
        "block post_norm without an output projection needs heads · d_head to be the width of x_q, 6, not 4 · 3 = 12; "
        "set output_projection to true, or change heads or d_head");
  CHECK(refusal(small({{"block", post_norm}, {"output_projection", false}})) == "");
}

TEST_CASE("positions go to queries and keys as the inputs say") {
  const Variant& variant = *find_variant("multi_head");
  auto params = ParamValues::defaults(variant.params());
  const auto fill = [&](const char* id, const IdSet& given) { return spec_of(variant.arrays(params, given), id).fill; };
  CHECK(fill("p_q", {"x_q"}) == Fill::absent);
  CHECK(fill("p_k", {"x_q"}) == Fill::absent);
  CHECK(fill("p_k", {"x_q", "p_q"}) == Fill::alias);
  CHECK(fill("p_k", {"x_q", "x_k", "p_q"}) == Fill::absent);
  params.set("positions", std::string("sinusoidal"));
  CHECK(fill("p_q", {"x_q"}) == Fill::sinusoidal);
  CHECK(fill("p_k", {"x_q"}) == Fill::alias);
  CHECK(fill("p_k", {"x_q", "x_k"}) == Fill::sinusoidal);
  params.set("positions", std::string("learned"));
  CHECK(fill("p_k", {"x_q", "x_k"}) == Fill::init);
  CHECK_FALSE(spec_of(variant.arrays(params, {}), "attn_mask").boolean_ok);
  CHECK(spec_of(variant.arrays(params, {}), "key_padding_mask").boolean_ok);
}

TEST_CASE("dropout drops its share, scales the rest, and repeats with its seed") {
  Sketch sketch = small({{"dropout", 0.25}}, {{"x_q", drawn({2, 40, 6}, 4)}});
  const Trace a = trace_of(sketch);
  const Tensor& kept = a.find("dropout_mask")->tensor();
  const double share = static_cast<double>(std::ranges::count(kept.values(), 0.0F)) / static_cast<double>(kept.size());
  CHECK(share == Approx(0.25).margin(0.03));  // 6400 draws: 0.03 is 5.5 standard deviations
  CHECK(std::ranges::equal(kept.values(), trace_of(sketch).find("dropout_mask")->tensor().values()));
  sketch.params["dropout_seed"] = Index{1};
  CHECK_FALSE(std::ranges::equal(kept.values(), trace_of(sketch).find("dropout_mask")->tensor().values()));
}

TEST_CASE("a merge without a transpose says where each number came from") {
  const Trace trace = trace_of(small({{"mistake", std::string("merge_without_transpose")}}));
  CHECK(reason_at(trace, "concat", {0, 0, 0}).empty());
  CHECK(reason_at(trace, "concat", {0, 0, 3}) ==
        "merged without a transpose: read from head 0, query 1, channel 0 instead of head 1, query 0, channel 0");
  CHECK(trace.find("concat")->warnings.size() == 1);
}

TEST_CASE("a mask after the softmax leaves rows that add up to less than 1, by what hidden keys took") {
  const Trace late = trace_of(small({{"mistake", std::string("mask_after_softmax")}, {"mask", std::string("causal")}}));
  const Trace open = trace_of(small({}));
  const Tensor &made = late.find("weights")->tensor(), &cut = late.find("masked_weights")->tensor();
  CHECK(late.find("masked_scores") == nullptr);
  CHECK(std::ranges::equal(made.values(), open.find("weights")->tensor().values()));
  const Index n = made.dim(2);
  bool less = false;
  for (Index m = 0; m < made.dim(1); ++m)
    for (Index i = 0; i < n; ++i) {
      double sum = 0, future = 0;
      for (Index j = 0; j < n; ++j) {
        CHECK(cut.at({0, m, i, j}) == (j <= i ? made.at({0, m, i, j}) : 0));
        sum += cut.at({0, m, i, j});
        if (j > i) future += made.at({0, m, i, j});
      }
      CHECK(sum == Approx(1 - future));
      less = less || sum < 0.9;
    }
  CHECK(less);
  CHECK(reason_at(late, "masked_weights", {0, 0, 0, 1}) == "masked by causal: key 1 comes after query 0");
  // Without a mask there is no such mistake.
  CHECK(trace_of(small({{"mistake", std::string("mask_after_softmax")}})).find("masked_weights") == nullptr);
}

TEST_CASE("parameters run at their limits and are refused beyond them") {
  for (const auto& spec : find_variant("multi_head")->params()) {
    INFO(spec.id);
    CHECK(check_param(spec, spec.fallback));
    CHECK_FALSE(spec.title.empty());
    CHECK(spec.help.ends_with("."));
    if (spec.type != ParamType::integer && spec.type != ParamType::real) continue;
    if (spec.id == "only_query") continue;  // not beside dropout, and its limit is the input's: only_query_test.cpp
    CHECK_FALSE(check_param(spec, spec.most * 2));
    CHECK_FALSE(check_param(spec, spec.least - 1));
    for (const double limit : {spec.least, spec.most}) {
      Sketch sketch = small({}, {{"x_q", drawn({1, 2, 2}, 5)}});
      sketch.params.insert({{"dropout", 0.5}, {"ffn", true}});
      if (spec.id == "kv_heads") sketch.params["heads"] = static_cast<Index>(limit);
      sketch.params[spec.id] = spec.type == ParamType::integer ? ParamValue(static_cast<Index>(limit)) : limit;
      const Trace trace = trace_of(sketch);
      for (const float weight : trace.find("weights")->tensor().values()) CHECK((weight >= 0 && weight <= 1));
    }
  }
}

TEST_CASE("any number of threads gives the same bits") {
  const auto problem =
      make_problem(small({{"block", std::string("post_norm")}, {"ffn", true}, {"mask", std::string("causal")}},
                         {{"x_q", drawn({3, 37, 6}, 6)}}));
  REQUIRE(problem);
  const auto one = run(*problem, 1), three = run(*problem, 3);
  REQUIRE((one && three));
  for (std::size_t i = 0; i < one->steps.size(); ++i)
    CHECK(std::ranges::equal(one->steps[i].tensor().values(), three->steps[i].tensor().values()));
}

TEST_CASE("a soft cap holds every score below it, and one far above all scores changes nothing") {
  const Trace capped = trace_of(small({{"softcap", 0.25}})), wide = trace_of(small({{"softcap", 1e6}}));
  for (const float score : capped.find("capped_scores")->tensor().values()) CHECK(std::abs(score) < 0.25F);
  const Tensor &before = wide.find("scaled_scores")->tensor(), &after = wide.find("capped_scores")->tensor();
  for (Index i = 0; i < before.size(); ++i) CHECK(after[i] == Approx(before[i]));
}

TEST_CASE("queries and keys of length 1 give cosines, however long they were") {
  const Trace trace = trace_of(small({{"qk_norm", std::string("l2")}}));
  const Tensor &scores = trace.find("scores")->tensor(), &scaled = trace.find("scaled_scores")->tensor();
  for (Index i = 0; i < scores.size(); ++i) {
    CHECK(std::abs(scores[i]) <= 1.00001F);
    CHECK(scaled[i] == Approx(10 * scores[i]));
  }
}

TEST_CASE("a scale for each head and one for all are refused together") {
  Sketch sketch = small({{"scale", 2.0}});
  sketch.drawn["logit_scale"] = {2};
  CHECK(refusal(sketch) == "logit_scale is a scale for each head, and scale is set too: leave one of them out");
}

TEST_CASE("norms add the epsilon that is set") {
  const Trace trace =
      trace_of(small({{"qk_norm", std::string("rms_norm")}, {"norm_epsilon", 1.0}}, {{"x_q", filled({2, 5, 6}, 0)}}));
  for (const float value : trace.find("q_normed")->tensor().values()) CHECK(value == 0);
  CHECK(trace.find("q_normed")->explain(0).epsilon == 1);
}

TEST_CASE("rotary scores depend on offsets alone") {
  const auto turned = [](Index offset) {
    Sketch sketch = small({{"rotary", std::string("half")}, {"d_head", Index{4}}, {"rotary_offset", offset}});
    sketch.arrays["x_q"] = filled({2, 5, 6}, 0.5F);
    sketch.drawn.clear();
    return trace_of(sketch);
  };
  const Trace here = turned(0), there = turned(1000);
  const Tensor &scores = here.find("scores")->tensor(), &moved = there.find("scores")->tensor();
  for (Index i = 0; i < scores.size(); ++i) CHECK(moved[i] == Approx(scores[i]).margin(1e-5));
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) CHECK(scores[(i + 1) * 5 + j + 1] == Approx(scores[i * 5 + j]).margin(1e-5));
}

TEST_CASE("rotary says what it cannot turn") {
  const std::string half = "half";
  CHECK(refusal(small({{"rotary", half}, {"d_head", Index{8}}, {"rotary_fraction", 0.1}})) ==
        "rotary turns pairs of channels, and rotary_fraction 0.1 of d_head 8 leaves none: raise it to 0.25 or more");
  CHECK(refusal(small({{"rotary", half}, {"d_head", Index{1}}})) ==
        "rotary turns pairs of channels, and d_head 1 has none: set d_head to 2 or more");
  Sketch sketch = small({{"rotary", half}, {"d_head", Index{8}}});
  sketch.drawn["rotary_frequencies"] = {5};
  CHECK(refusal(sketch) == "rotary_frequencies has 5 numbers, and d_head 8 has 4 pairs of channels");
}

TEST_CASE("T5's buckets say what they cannot be") {
  const auto said = [](Index buckets, Index max_distance, const char* direction) {
    return refusal(small({{"relative", std::string("t5")},
                          {"buckets", buckets},
                          {"max_distance", max_distance},
                          {"bucket_direction", std::string(direction)}}));
  };
  CHECK(said(2, 128, "both") ==
        "buckets 2 in both directions is one bucket a side: use 4 or more, or bucket_direction past");
  CHECK(said(9, 128, "both") == "buckets 9 cannot be halved for two directions: use 8 or 10, or bucket_direction past");
  CHECK(said(32, 8, "both") == "max_distance 8 must be above 8, the distances that have a bucket each");
  CHECK(said(9, 5, "past").empty());
}

TEST_CASE("Shaw's tables of zeros change nothing, and constant channels in them are ALiBi") {
  const auto of = [](const char* relative, std::map<std::string, Tensor> arrays) {
    arrays.emplace("w_q", drawn({2, 6, 3}, 11));
    arrays.emplace("b_q", filled({2, 3}, 1));
    return trace_of(small({{"relative", std::string(relative)}, {"clip", Index{4}}}, std::move(arrays)));
  };
  const Trace none = of("none", {});
  const Trace zeros = of("shaw", {{"relative_keys", Tensor({9, 3})}, {"relative_values", Tensor({9, 3})}});
  const Tensor &expected = none.find("output")->tensor(), &found = zeros.find("output")->tensor();
  for (Index i = 0; i < expected.size(); ++i) CHECK(found[i] == Approx(expected[i]).margin(1e-6));
  // Queries whose channels are all 1 meet −slope · |δ| · √d' in one of them.
  Tensor table({2, 9, 3});
  for (Index m = 0; m < 2; ++m)
    for (Index row = 0; row < 9; ++row)
      table[(m * 9 + row) * 3] = static_cast<float>(-std::pow(2.0, -4.0 * static_cast<double>(m + 1)) *
                                                    std::abs(static_cast<double>(row - 4)) * std::sqrt(3.0));
  const auto with = [](const char* relative, std::map<std::string, Tensor> arrays) {
    arrays.emplace("w_q", Tensor({2, 6, 3}));
    arrays.emplace("w_k", drawn({2, 6, 3}, 12));
    arrays.emplace("b_q", filled({2, 3}, 1));
    return trace_of(small({{"relative", std::string(relative)}, {"clip", Index{4}}}, std::move(arrays)));
  };
  const Trace alibi = with("alibi", {}), keys = with("shaw_keys", {{"relative_keys", table}});
  const Tensor &falling = alibi.find("weights")->tensor(), &met = keys.find("weights")->tensor();
  for (Index i = 0; i < falling.size(); ++i) CHECK(met[i] == Approx(falling[i]).margin(1e-6));
}
