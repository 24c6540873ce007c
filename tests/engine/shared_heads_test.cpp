// Heads that share keys, exchange maps or have two, and mechanisms without softmax: what must come to the same thing,
// and what is refused.
#include <limits>
#include <string>

#include "engine/io/experiment.h"
#include "engine/measures/head_outputs.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Trace trace_of(const Sketch& sketch) {
  auto trace = run(sketch);
  if (!trace) FAIL(sketch.name << ": " << trace.error().message);
  return std::move(*trace);
}

// Four heads of three channels over five tokens of six.
Sketch four_heads(std::map<std::string, ParamValue> params, std::map<std::string, Tensor> arrays = {}) {
  params.emplace("heads", Index{4});
  params.emplace("d_head", Index{3});
  return {"four heads", "multi_head", std::move(params), {{"x_q", {2, 5, 6}}}, std::move(arrays)};
}

// (G, …) with every plane `times` times in a row.
Tensor repeated(const Tensor& x, Index times) {
  Shape shape = x.shape();
  shape[0] *= times;
  Tensor made(shape);
  const Index plane = x.size() / x.dim(0);
  for (Index cell = 0; cell < made.size(); ++cell) made[cell] = x[cell / plane / times * plane + cell % plane];
  return made;
}

Tensor unit_matrix(Index n) {
  Tensor made({n, n});
  for (Index m = 0; m < n; ++m) made[m * n + m] = 1;
  return made;
}

void check_same(const Trace& a, const Trace& b, const char* step) {
  INFO(step);
  const Tensor &x = a.find(step)->tensor(), &y = b.find(step)->tensor();
  REQUIRE(x.shape() == y.shape());
  for (Index cell = 0; cell < x.size(); ++cell) CHECK(x[cell] == Approx(y[cell]).margin(1e-6));
}

std::string refusal_of(const std::string& json) {
  const auto experiment = parse_experiment(json, {}, "");
  REQUIRE(experiment);
  const auto problem = prepare(*experiment);
  if (!problem) return problem.error().message;
  const auto trace = run(*problem);
  return trace ? "" : trace.error().message;
}

std::string multi_head(const std::string& params, const std::string& inputs = R"("x_q": {"text": "a b c"})") {
  return fmt::format(R"({{"variant": "multi_head", "params": {{{}}}, "inputs": {{{}}}}})", params, inputs);
}

}  // namespace

TEST_CASE("shared key heads are as many heads with the same weights") {
  const Tensor w_k = drawn({2, 6, 3}, 3), w_v = drawn({2, 6, 3}, 4);
  const Trace shared = trace_of(four_heads({{"kv_heads", Index{2}}}, {{"w_k", w_k}, {"w_v", w_v}}));
  const Trace apart = trace_of(four_heads({}, {{"w_k", repeated(w_k, 2)}, {"w_v", repeated(w_v, 2)}}));
  CHECK(shared.find("k")->tensor().shape() == Shape{2, 2, 5, 3});
  for (const char* step : {"scores", "weights", "head_outputs", "concat"}) check_same(shared, apart, step);
}

TEST_CASE("an axis of shared heads says how many share, and where one of them finds its own") {
  const Trace trace = trace_of(four_heads({{"kv_heads", Index{2}}}));
  const Axis &keys = *trace.find("k")->axis(AxisRole::head), &queries = *trace.find("q")->axis(AxisRole::head);
  CHECK((keys.size == 2 && keys.shared_by == 2 && queries.shared_by == 1));
  CHECK(keys.name == "key head");
  for (const Index head : {0, 1, 2, 3}) CHECK(place_of_head(keys, head) == head / 2);
  CHECK(place_of_head(queries, 3) == 3);
  CHECK(trace.find("w_v")->axis(AxisRole::head)->shared_by == 2);
  // Unshared, they are the heads themselves.
  CHECK(trace_of(four_heads({})).find("k")->axis(AxisRole::head)->name == "head");
}

TEST_CASE("a score of a shared key is explained by the key head that it reads") {
  const Trace trace = trace_of(four_heads({{"kv_heads", Index{2}}}));
  const Step& scores = *trace.find("scores");
  const Index cell = flat_at_index(scores.tensor().shape(), Shape{1, 3, 2, 4});
  const Operand key = scores.explain(cell).terms[0].factors[1];
  CHECK(key.array == "k");
  CHECK(index_at_flat(trace.find("k")->tensor().shape(), key.cell) == Shape{1, 1, 4, 0});
}

TEST_CASE("switching off one of a differential head's maps switches off the head") {
  const Trace trace = trace_of(four_heads({{"differential", true}}));
  REQUIRE(trace.map()->extent(AxisRole::head) == 8);
  const auto edit = edit_switching_off(trace, 5);
  REQUIRE(edit);
  CHECK(edit->array == "head_outputs");
  CHECK((edit->at[1]->first == 2 && edit->at[1]->last == 2));
}

TEST_CASE("a head with vectors for offsets is switched off with what they add") {
  const auto edit =
      edit_switching_off(trace_of(four_heads({{"relative", std::string("shaw")}, {"clip", Index{1}}})), 1);
  REQUIRE(edit);
  CHECK(edit->array == "head_outputs");
}

TEST_CASE("heads that talk through unit matrices say nothing new") {
  const Trace plain = trace_of(four_heads({{"mask", std::string("causal")}}));
  const Trace talking = trace_of(four_heads({{"mask", std::string("causal")}, {"talking_heads", std::string("both")}},
                                            {{"w_pre", unit_matrix(4)}, {"w_post", unit_matrix(4)}}));
  check_same(plain, talking, "weights");
  check_same(plain, talking, "head_outputs");
}

TEST_CASE("with lambda 0 the first maps alone are left") {
  const Trace trace = trace_of(four_heads({{"differential", true}, {"lambda_init", 0.0}}));
  const Tensor &maps = trace.find("weights")->tensor(), &left = trace.find("differential_weights")->tensor();
  for (Index cell = 0; cell < left.size(); ++cell) CHECK(left[cell] == maps[2 * (cell / 25) * 25 + cell % 25]);
  // And else rows add up to 1 − lambda.
  const Trace half = trace_of(four_heads({{"differential", true}, {"lambda_init", 0.5}}));
  const Tensor& rows = half.find("differential_weights")->tensor();
  for (Index row = 0; row < rows.size() / 5; ++row) {
    float sum = 0;
    for (Index key = 0; key < 5; ++key) sum += rows[row * 5 + key];
    CHECK(sum == Approx(0.5));
  }
}

TEST_CASE("masks that differ by head warn where weights are mixed") {
  Tensor mask({1, 4, 5, 5});
  mask[0] = -std::numeric_limits<float>::infinity();
  const Trace trace = trace_of(four_heads({{"talking_heads", std::string("weights")}}, {{"attn_mask", mask}}));
  REQUIRE(trace.find("mixed_weights")->warnings.size() == 1);
  CHECK(trace.find("mixed_weights")->warnings[0].starts_with("masks differ from head to head"));
}

TEST_CASE("the map that linear attention implies gives what its state gives") {
  for (const char* mask : {"none", "causal"})
    for (const char* map : {"elu", "relu"}) {
      const Trace trace = trace_of(
          {"linear",
           "linear_attention",
           {{"heads", Index{2}}, {"d_head", Index{3}}, {"mask", std::string(mask)}, {"feature_map", std::string(map)}},
           {{"x_q", {2, 5, 6}}},
           {}});
      const Tensor &a = trace.find("weights")->tensor(), &v = trace.find("v")->tensor(),
                   &o = trace.find("head_outputs")->tensor();
      for (Index cell = 0; cell < o.size(); ++cell) {
        const Index row = cell / 3, plane = row / 5;
        double sum = 0;
        for (Index j = 0; j < 5; ++j) sum += a[row * 5 + j] * v[(plane * 5 + j) * 3 + cell % 3];
        CHECK(o[cell] == Approx(sum).margin(1e-5));
      }
    }
}

TEST_CASE("what does not go together is refused in one line") {
  CHECK(refusal_of(multi_head(R"("kv_heads": 3)")) == "kv_heads 3 does not divide heads 8: use 1, 2, 4 or 8");
  CHECK(refusal_of(multi_head(R"("differential": true, "talking_heads": "both")")) ==
        "talking_heads mixes the maps that differential keeps in pairs: set talking_heads to none, or differential to "
        "false");
  const std::string biased = R"("x_q": {"text": "a b c"}, "b_post": [0, 1])";
  CHECK(refusal_of(multi_head(R"("heads": 2, "talking_heads": "both", "mask": "causal")", biased)) ==
        "b_post would give weight to keys that the mask hides: leave it out, or set talking_heads to logits");
  CHECK(refusal_of(multi_head(R"("positions": "sinusoidal_2d")")) ==
        "positions sinusoidal_2d needs rows and columns: give a picture, or set grid_columns");
  CHECK(refusal_of(multi_head(R"("positions": "sinusoidal_2d", "grid_columns": 5)")) ==
        "grid_columns 5 does not divide the 4 positions");
  CHECK(refusal_of(multi_head(R"("positions": "sinusoidal_2d", "grid_columns": 2)",
                              R"("x_q": {"text": "a b c", "d_model": 10})")) ==
        "sinusoidal_2d needs a width that 4 divides: x_q has 10 channels");
  CHECK(refusal_of(
            R"({"variant": "luong", "params": {"score": "dot"}, "inputs": {"x_q": [[[1, 2]]], "x_k": [[[1]]]}})") ==
        "score dot needs queries and keys of one width: x_q has 2 channels and x_k 1; use general or concat");
  const std::string picture = R"("inputs": {"x": [[[[0, 1, 2, 3], [4, 5, 6, 7]]]]}})";
  CHECK(refusal_of(R"({"variant": "swin", "params": {"window": 3}, )" + picture) ==
        "window 3 does not divide the picture's 2 rows and 4 columns: use 1 or 2, or a picture of 3 × 3");
  CHECK(refusal_of(R"({"variant": "swin", "params": {"window": 2, "shift": 2}, )" + picture) ==
        "shift 2 must be below window, 2");
}
