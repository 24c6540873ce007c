// Sums over keys, and tables with a row for each offset, of more keys and channels than the sketches have.
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

// Every cell of it is explained, and comes out the same in double precision.
Trace explained_run(const Sketch& sketch) {
  auto trace = run(sketch);
  INFO(sketch.name);
  REQUIRE(trace);
  CHECK(first_disagreement(*trace) == "");
  return std::move(*trace);
}

}  // namespace

TEST_CASE("states of keys are their sums, of all and up to each query") {
  for (const char* mask : {"none", "causal"})
    for (const Index queries : {Index{20}, Index{90}}) {
      const Trace trace = explained_run({mask,
                                         "linear_attention",
                                         {{"mask", std::string(mask)}, {"heads", Index{2}}, {"d_head", Index{16}}},
                                         {{"x_q", {2, queries, 8}}, {"x_k", {2, 70, 8}}},
                                         {}});
      const Tensor& state = trace.find("kv_state")->tensor();
      CHECK(state.rank() == (std::string(mask) == "causal" ? 5 : 4));
    }
}

TEST_CASE("a running state stays precise over many keys") {
  constexpr Index n = 3000;
  Tensor x({1, n, 1}), one({1, 1, 1});
  std::ranges::fill(x.values(), 1.0F);
  one[0] = 1;
  Tensor tenth({1, 1, 1});
  tenth[0] = 0.1F;
  const Sketch sketch{"long",
                      "linear_attention",
                      {{"mask", std::string("causal")},
                       {"heads", Index{1}},
                       {"d_head", Index{1}},
                       {"feature_map", std::string("relu")},
                       {"output_projection", false}},
                      {},
                      {{"x_q", std::move(x)}, {"w_q", one}, {"w_k", one}, {"w_v", std::move(tenth)}}};
  const auto trace = run(sketch);
  REQUIRE(trace);
  const Tensor& states = trace->find("kv_state")->tensor();
  for (Index row = 0; row < n; ++row) REQUIRE(states[row] == Approx(0.1 * static_cast<double>(row + 1)).epsilon(4e-7));
}

TEST_CASE("queries meet the rows of a table that stand for offsets, however wide they are") {
  for (const char* relative : {"shaw", "transformer_xl"})
    for (const Index d : {Index{3}, Index{32}, Index{33}, Index{64}})
      explained_run({fmt::format("{}, {} channels", relative, d),
                     "multi_head",
                     {{"relative", std::string(relative)}, {"heads", Index{2}}, {"d_head", d}},
                     {{"x_q", {2, 75, 6}}, {"x_k", {2, 41, 6}}},
                     {}});
}

TEST_CASE("maps are mixed from head to head, and taken from each other, in maps of any size") {
  for (const Index heads : {Index{1}, Index{3}, Index{12}, Index{40}})
    for (const bool bias : {false, true})
      explained_run({fmt::format("{} heads", heads),
                     "multi_head",
                     {{"talking_heads", std::string("both")}, {"heads", heads}, {"d_head", Index{3}}, {"bias", bias}},
                     {{"x_q", {2, 33, 6}}},
                     {}});
  explained_run({"differential",
                 "multi_head",
                 {{"differential", true}, {"heads", Index{3}}, {"d_head", Index{3}}},
                 {{"x_q", {2, 60, 6}}},
                 {}});
}
