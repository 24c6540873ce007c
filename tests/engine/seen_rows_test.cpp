// What a mask hides is passed over: that changes no number.
#include <cmath>

#include "engine/ops/attention_mask.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

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
