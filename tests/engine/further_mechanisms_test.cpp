// Block layouts, fused projections, random features, Transformer-XL's terms, latents and loops: what must come to the
// same thing, and what is refused.
#include <string>

#include "engine/io/experiment.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Trace trace_of(const Sketch& sketch) {
  auto trace = run(sketch);
  if (!trace) FAIL(sketch.name << ": " << trace.error().message);
  return std::move(*trace);
}

std::string json(const std::string& variant, const std::string& params, const std::string& inputs) {
  return fmt::format(R"({{"variant": "{}", "params": {{{}}}, "inputs": {{{}}}, "weights": {{"init": "normal"}}}})",
                     variant, params, inputs);
}

std::string refusal_of(const std::string& text) {
  const auto experiment = parse_experiment(text, {}, "");
  REQUIRE(experiment);
  const auto problem = prepare(*experiment, Budget{1e9});
  if (!problem) return problem.error().message;
  const Status checked = problem->variant->check(*problem);
  return checked ? "" : checked.error().message;
}

void check_same(const Step* a, const Step* b) {
  REQUIRE((a && b));
  REQUIRE(a->tensor().size() == b->tensor().size());
  double most = 0;
  for (Index cell = 0; cell < a->tensor().size(); ++cell)
    most = std::max(most, std::abs(static_cast<double>(a->tensor()[cell] - b->tensor()[cell])));
  CHECK(most < 1e-5);
}

const std::string ones = "[[1, 1], [1, 1]]";
const std::string text = R"("x_q": {"text": "a b c", "d_model": 6})";

}  // namespace

TEST_CASE("a layout of the blocks on the diagonal is the chunk rule") {
  const Tensor diagonal = Tensor::from({3, 3}, std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  const std::map<std::string, ParamValue> params{{"heads", Index{2}}, {"d_head", Index{3}}, {"chunk", Index{2}}};
  const Trace by_rule = trace_of({"rule", "multi_head", params, {{"x_q", {2, 5, 6}}}, {}});
  const Trace by_layout =
      trace_of({"layout", "multi_head", params, {{"x_q", {2, 5, 6}}}, {{"block_layout", diagonal}}});
  check_same(by_rule.find("weights"), by_layout.find("weights"));
  const Step& hidden = *by_layout.find("masked_scores");
  CHECK(hidden.explain(4).reason == "masked by block layout: block 0, 2 is 0");
}

TEST_CASE("Transformer-XL's scores for keys are those of key content only, and codes of offsets alone draw diagonals") {
  const Trace trace =
      trace_of({"xl",
                "multi_head",
                {{"heads", Index{2}}, {"d_head", Index{3}}, {"relative", std::string("transformer_xl")}},
                {{"x_q", {2, 5, 6}}},
                {}});
  const Tensor &k = trace.find("k")->tensor(), &u = trace.find("bias_u")->tensor(),
               &by_key = trace.find("key_scores")->tensor(), &by_offset = trace.find("offset_scores")->tensor();
  for (Index cell = 0; cell < by_key.size(); ++cell) {
    const Index j = cell % 5, plane = cell / 25;
    double sum = 0;
    for (Index c = 0; c < 3; ++c) sum += u[plane % 2 * 3 + c] * k[(plane * 5 + j) * 3 + c];
    CHECK(by_key[cell] == Approx(sum).margin(1e-5));
  }
  for (Index i = 0; i + 1 < 5; ++i)
    for (Index j = 0; j + 1 < 5; ++j) CHECK(by_offset.at({0, 1, i, j}) == by_offset.at({0, 1, i + 1, j + 1}));
}

TEST_CASE("w_uk moved to the query gives the content scores of the latents") {
  const Trace trace = trace_of(
      {"mla", "mla", {{"heads", Index{2}}, {"d_head", Index{3}}, {"kv_rank", Index{2}}}, {{"x_q", {1, 4, 5}}}, {}});
  const Tensor &q = trace.find("q_content")->tensor(), &w = trace.find("w_uk")->tensor(),
               &c = trace.find("kv_latent")->tensor(), &s = trace.find("content_scores")->tensor();
  for (Index cell = 0; cell < s.size(); ++cell) {
    const Index j = cell % 4, i = cell / 4 % 4, m = cell / 16;
    double sum = 0;
    for (Index r = 0; r < 2; ++r)
      for (Index d = 0; d < 3; ++d) sum += q.at({0, m, i, d}) * w.at({m, r, d}) * c.at({0, j, r});
    CHECK(s[cell] == Approx(sum).margin(1e-5));
  }
}

TEST_CASE("a temperature is said wherever scores are divided by one") {
  for (const char* variant : {"multi_head", "mla"})
    for (const bool own_scale : {false, true}) {
      INFO(variant << " " << own_scale);
      std::map<std::string, ParamValue> params{{"heads", Index{2}}, {"d_head", Index{4}}};
      if (own_scale) params.emplace("scale", 0.3);
      const auto note = [&] {
        const Trace trace = trace_of({"temperature", variant, params, {{"x_q", {1, 3, 5}}}, {}});
        return trace.find("scaled_scores")->info.note;
      };
      CHECK(note().find("temperature") == std::string::npos);
      params.emplace("temperature", 2.0);
      CHECK(note().find("The temperature 2 divides") != std::string::npos);
    }
}

// Whatever `init` says of the other weights, random directions have variance 1: with others the mean would be another.
TEST_CASE("many random directions come near softmax's map") {
  const std::string narrow = R"("x_q": [[[0.5, 1, -1], [1, 0, 0.5], [-0.5, 0.2, 0.1]]])";
  const auto softmax = ran(parse_experiment(json("multi_head", R"("heads": 2, "d_head": 3)", narrow), {}, ""));
  const auto random = ran(parse_experiment(
      json("linear_attention", R"("heads": 2, "d_head": 3, "feature_map": "favor", "features": 4096)", narrow), {},
      ""));
  const Tensor &a = softmax.trace->find("weights")->tensor(), &b = random.trace->find("weights")->tensor();
  for (Index cell = 0; cell < a.size(); ++cell) CHECK(b[cell] == Approx(a[cell]).margin(0.05));
}

TEST_CASE("the state after the last word of a loop is the first state of the words that follow") {
  const Shape x{1, 4, 5};
  const Sketch whole{
      "whole", "bahdanau_decoder", {{"hidden", Index{3}}}, {{"x_k", x}, {"y", {1, 4, 2}}, {"s_0", {1, 3}}}, {}};
  const auto problem = make_problem(whole);
  REQUIRE(problem);
  const Trace first = trace_of(whole);
  std::map<std::string, Tensor> arrays;
  for (const auto& [id, values] : problem->arrays) arrays.emplace(id, *values);
  const Tensor y = arrays.at("y"), states = first.find("states")->tensor();
  arrays.at("y") = Tensor::from({1, 2, 2}, {y.values().begin() + 4, y.values().end()});
  arrays.at("s_0") = Tensor::from({1, 3}, {states.values().begin() + 6, states.values().begin() + 9});
  const Trace rest = trace_of({"rest", "bahdanau_decoder", {{"hidden", Index{3}}}, {}, arrays});
  const Tensor& after = rest.find("output")->tensor();
  for (Index cell = 0; cell < 6; ++cell) CHECK(after[cell] == Approx(states[9 + cell]).margin(1e-5));
}

TEST_CASE("one array makes queries, keys and values, or says why not") {
  std::string columns;
  for (Index i = 0; i < 6 * 18; ++i)
    columns += fmt::format("{}{}{}", i % 18 == 0 ? "[" : "", i, i % 18 == 17 ? "]," : ",");
  for (std::size_t at; (at = columns.find(",]")) != std::string::npos;) columns.erase(at, 1);
  columns.pop_back();
  const std::string all = fmt::format(R"("w_qkv": [{}])", columns), with_text = text + ", " + all;
  const auto first_of = [&](const char* layout, const char* id) {
    const auto run = ran(parse_experiment(
        json("multi_head", fmt::format(R"("heads": 4, "kv_heads": 1, "qkv_layout": "{}")", layout), with_text), {},
        ""));
    CHECK_FALSE(run.trace->find("w_qkv"));
    CHECK(run.problem->dim("d'") == 3);
    return run.problem->find(id)->at({0, 0, 0});
  };
  CHECK((first_of("stacked", "w_k") == 12 && first_of("stacked", "w_v") == 15));
  const auto two = ran(
      parse_experiment(json("multi_head", R"("heads": 2, "d_head": 3, "qkv_layout": "per_head")", with_text), {}, ""));
  CHECK((two.problem->find("w_k")->at({0, 0, 0}) == 3 && two.problem->find("w_q")->at({1, 0, 0}) == 9));
  const std::string apart = "w_qkv makes queries, keys and values from one input: give w_q, w_k and w_v";
  for (const char* params : {R"("heads": 2, "differential": true)", R"("heads": 2, "positions": "sinusoidal")",
                             R"("heads": 2, "d_value": 2)"}) {
    INFO(params);
    CHECK(refusal_of(json("multi_head", params, with_text)) == apart);
  }
  CHECK(refusal_of(json("multi_head", R"("heads": 2)", with_text + R"(, "x_k": {"text": "d", "d_model": 6})")) ==
        apart);
  CHECK(refusal_of(json("multi_head", R"("heads": 4)", with_text)) ==
        "w_qkv has 18 columns: 4 heads and 4 key heads need a multiple of 12");
  CHECK(refusal_of(json("multi_head", R"("heads": 4, "kv_heads": 3)", with_text)) ==
        "kv_heads 3 does not divide heads 4: use 1, 2 or 4");
}

TEST_CASE("a layout without its blocks, and places that cannot turn, are refused in one line") {
  const std::string with_layout = text + R"(, "block_layout": )" + ones;
  CHECK(refusal_of(json("multi_head", "", with_layout)) ==
        "block_layout needs chunk, the number of positions in a block");
  CHECK(refusal_of(json("multi_head", R"("chunk": 2, "query_offset": 1)", with_layout)) ==
        "block_layout counts its blocks from query 0: set query_offset to 0");
  CHECK(refusal_of(json("multi_head", R"("chunk": 3)", with_layout)).empty());  // four tokens
  CHECK(refusal_of(json("multi_head", R"("chunk": 4)", with_layout)) ==
        "block_layout has 2 × 2 blocks, and chunk 4 makes 1 × 1: give it that shape, or change chunk");
  CHECK(refusal_of(json("multi_head", R"("chunk": 1, "only_query": 3)", with_layout)) ==
        "block_layout has 2 × 2 blocks, and chunk 1 makes 4 × 4: give it that shape, or change chunk");
  CHECK(refusal_of(json("mla", R"("d_rotary": 5)", text)) == "d_rotary 5 must be even");
}
