// What additive and key-content-only attention mean: who may swap places, what cancels, their limits, their hand-made
// weights on a sentence, and what they refuse. Their numbers are held to references by reference_test.cpp.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/inputs/text.h"
#include "engine/io/experiment.h"
#include "engine/io/npz.h"
#include "engine/math/math.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Trace trace_of(const Sketch& sketch) {
  auto trace = run(sketch);
  if (!trace) FAIL(trace.error().message);
  return std::move(*trace);
}

const Tensor& values(const Trace& trace, const char* id) {
  return trace.find(id)->tensor();
}

bool same(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::ranges::equal(a.values(), b.values());
}

// Rounding of sums of a few dozen numbers of size 1.
bool close(const Tensor& a, const Tensor& b, double most = 2e-6) {
  if (a.shape() != b.shape()) return false;
  for (Index i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= most)) return false;
  return true;
}

// Turns the order of one axis round.
Tensor reversed(const Tensor& x, Index axis) {
  Tensor out = x;
  for (Index cell = 0; cell < x.size(); ++cell) {
    auto at = index_at_flat(x.shape(), cell);
    Index& i = at[static_cast<std::size_t>(axis)];
    i = x.dim(axis) - 1 - i;
    out[cell] = x[flat_at_index(x.shape(), at)];
  }
  return out;
}

Tensor scaled(Tensor x, float factor) {
  for (float& value : x.values()) value *= factor;
  return x;
}

Sketch additive(std::map<std::string, Tensor> arrays, Index hidden = 4) {
  return {"additive", "additive", {{"hidden", hidden}}, {}, std::move(arrays)};
}

Sketch key_content_only(Tensor x) {
  return {"key_content_only", "key_content_only", {{"heads", Index{3}}, {"d_head", Index{5}}}, {}, {{"x", x}}};
}

// Whether every row of (B, M, n_q, n_k) is its plane's first one, bit for bit.
bool rows_are_equal(const Tensor& map) {
  const auto row = static_cast<std::size_t>(map.dim(3)), plane = static_cast<std::size_t>(map.dim(2)) * row;
  for (std::size_t at = 0; at < map.values().size(); at += row)
    if (!std::ranges::equal(map.values().subspan(at, row), map.values().subspan(at / plane * plane, row))) return false;
  return true;
}

Problem problem_of(const std::string& json, const std::filesystem::path& folder = {}) {
  const auto experiment = parse_experiment(json, folder, "");
  if (!experiment) FAIL(experiment.error().message);
  auto problem = prepare(*experiment);
  if (!problem) FAIL(problem.error().message);
  return std::move(*problem);
}

std::string refusal(const std::string& json, const std::filesystem::path& folder = {}) {
  const auto experiment = parse_experiment(json, folder, "");
  if (!experiment) return experiment.error().message;
  const auto problem = prepare(*experiment);
  if (!problem) return problem.error().message;
  const auto trace = run(*problem);
  return trace ? "" : trace.error().message;
}

constexpr const char* cat = "the cat sat on the mat because the cat was warm";

std::string on_text(const std::string& variant, const std::string& input, const std::string& text,
                    const std::string& more = "") {
  return R"({"variant": ")" + variant + R"(", "weights": {"init": "textbook"}, "inputs": {")" + input +
         R"(": {"text": ")" + text + "\"" + more + "}}}";
}

struct Run {
  Problem problem;
  Trace trace;
  const std::vector<std::string>& tokens() const { return problem.labels.at("n_q"); }
  // Of what one query of a head sees, the share of those tokens that `chosen` picks.
  template <class Chosen>
  double share(Index head, Index query, Chosen chosen) const {
    double sum = 0;
    for (std::size_t j = 0; j < tokens().size(); ++j)
      if (chosen(tokens()[j])) sum += values(trace, "weights").at({0, head, query, static_cast<Index>(j)});
    return sum;
  }
};

Run run_text(const std::string& json) {
  Problem problem = problem_of(json);
  CHECK(problem.warnings.empty());
  auto trace = run(problem);
  if (!trace) FAIL(trace.error().message);
  return {std::move(problem), std::move(*trace)};
}

}  // namespace

// ---- What they mean -----------------------------------------------------------------------------------------------

TEST_CASE("key content only: whoever asks, the answer is the same, bit for bit") {
  const Trace trace = trace_of(key_content_only(drawn({2, 17, 7}, 1)));
  for (const char* id : {"scores", "weights", "head_outputs"}) CHECK(rows_are_equal(values(trace, id)));
  const Trace other = trace_of(additive({{"x_q", drawn({2, 17, 7}, 1)}}));
  CHECK_FALSE(rows_are_equal(values(other, "scores")));
}

TEST_CASE("input in another order gives the output in that order") {
  const Tensor x = drawn({2, 17, 7}, 1);
  const auto check = [&](const Sketch& there, const Sketch& back) {
    const Trace a = trace_of(there), b = trace_of(back);
    CHECK(close(values(b, "output"), reversed(values(a, "output"), 1)));
    CHECK_FALSE(close(values(b, "output"), values(a, "output")));
    CHECK(close(values(b, "weights"), reversed(reversed(values(a, "weights"), 2), 3)));
  };
  check(key_content_only(x), key_content_only(reversed(x, 1)));
  check(additive({{"x_q", x}}), additive({{"x_q", reversed(x, 1)}}));
}

TEST_CASE("additive: the order of the keys does not reach the output") {
  const Tensor x_q = drawn({2, 3, 4}, 1), x_k = drawn({2, 6, 5}, 2), x_v = drawn({2, 6, 2}, 3);
  const Trace a = trace_of(additive({{"x_q", x_q}, {"x_k", x_k}, {"x_v", x_v}}));
  const Trace b = trace_of(additive({{"x_q", x_q}, {"x_k", reversed(x_k, 1)}, {"x_v", reversed(x_v, 1)}}));
  CHECK(close(values(a, "output"), values(b, "output")));
  CHECK(close(values(b, "weights"), reversed(values(a, "weights"), 3)));
}

TEST_CASE("additive: what is moved from all queries to all keys changes nothing, what is added to all keys does") {
  std::map<std::string, Tensor> arrays{{"x_q", drawn({1, 6, 5}, 1)}, {"w_q", drawn({5, 4}, 2)}};
  arrays["w_k"] = drawn({5, 4}, 3);
  for (Index i = 0; i < 6; ++i) arrays["x_q"][i * 5] = 1;  // channel 0 is the same everywhere
  const Trace before = trace_of(additive(arrays));
  for (Index c = 0; c < 4; ++c) arrays["w_k"][c] += 0.5F;
  CHECK_FALSE(close(values(before, "weights"), values(trace_of(additive(arrays)), "weights"), 1e-3));
  for (Index c = 0; c < 4; ++c) arrays["w_q"][c] -= 0.5F;
  CHECK(close(values(before, "features"), values(trace_of(additive(arrays)), "features")));
}

TEST_CASE("additive: where tanh does not bend, the query cancels and all rows are alike") {
  std::map<std::string, Tensor> arrays{{"x_q", drawn({1, 6, 5}, 1)}, {"w_score", scaled(drawn({4}, 4), 1000)}};
  arrays["w_q"] = scaled(drawn({5, 4}, 2), 1e-3F);
  arrays["w_k"] = scaled(drawn({5, 4}, 3), 1e-3F);
  const Trace trace = trace_of(additive(arrays));
  const Tensor& weights = values(trace, "weights");
  for (Index j = 0; j < 6; ++j) CHECK(weights.at({0, 0, 5, j}) == Approx(weights.at({0, 0, 0, j})).epsilon(1e-4));
  const auto [least, most] = std::ranges::minmax(weights.values().first(6));
  CHECK(most > 1.5F * least);  // alike, but not flat
}

TEST_CASE("additive: no score exceeds the sum of the absolute score weights, and saturated features reach it") {
  const Tensor w = Tensor::from({3}, std::vector<float>{0.5F, -2, 1});
  const Tensor x = Tensor::from({1, 2, 3}, std::vector<float>{9, -9, 9, -9, 9, -9});
  const Tensor identity = Tensor::from({3, 3}, std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  const Trace trace = trace_of(additive({{"x_q", x}, {"w_q", identity}, {"w_k", identity}, {"w_score", w}}, 3));
  CHECK(values(trace, "scores").at({0, 0, 0, 0}) == 3.5F);
  CHECK(values(trace, "scores").at({0, 0, 1, 1}) == -3.5F);
  CHECK(values(trace, "scores").at({0, 0, 0, 1}) == 0);
}

// ---- Weights made by hand -----------------------------------------------------------------------------------------

TEST_CASE("additive: the weight goes to the same word, most of all where it stands again") {
  const Run run = run_text(on_text("additive", "x_q", cat));
  double sum = 0;
  for (std::size_t i = 0; i < run.tokens().size(); ++i) {
    const std::string& word = run.tokens()[i];
    const double share = run.share(0, static_cast<Index>(i), [&](const std::string& t) { return t == word; });
    INFO(word);
    CHECK(share > (std::ranges::count(run.tokens(), word) > 1 ? 0.85 : 0.7));
    sum += share;
  }
  CHECK(sum / static_cast<double>(run.tokens().size()) >= 0.8);
}

TEST_CASE("key content only: the four heads look where their sentences say") {
  const Run run = run_text(on_text("key_content_only", "x", "the cat, warm, sat on the mat because the cat was warm."));
  const auto is_sign = [](const std::string& t) { return t == "," || t == "."; };
  const auto is_start = [](const std::string& t) { return t == start_token_text; };
  const auto is_small = [](const std::string& t) { return is_function_word(t); };
  const auto count = static_cast<double>(std::ranges::count_if(run.tokens(), is_small));
  const double others = static_cast<double>(run.tokens().size()) - count;
  const double small = run.share(0, 5, is_small), content = 1 - run.share(1, 5, is_small);
  CHECK(run.trace.heads[0].name == "Function words");
  CHECK(small / count > 5 * (1 - small) / others);
  CHECK(run.trace.heads[1].name == "Content words");
  CHECK(content / others > 5 * (1 - content) / count);
  CHECK(run.trace.heads[2].name == "First token");
  CHECK(run.share(2, 5, is_start) > 0.9);
  CHECK(run.trace.heads[3].name == "Punctuation");
  CHECK(run.share(3, 5, is_sign) > 0.9);
}

TEST_CASE("key content only: without a start token or signs those heads look at everything alike") {
  const Run run = run_text(on_text("key_content_only", "x", cat, R"(, "start_token": false)"));
  for (const Index head : {2, 3})
    for (Index j = 0; j < 11; ++j)
      CHECK(values(run.trace, "weights").at({0, head, 4, j}) == Approx(1.0 / 11).epsilon(1e-5));
}

TEST_CASE("weights of the file are used, and only the others are made") {
  Scratch scratch;
  const Tensor w_score = drawn({16}, 1), w_v = drawn({4, 32, 8}, 2);
  REQUIRE(write_npz(scratch / "mine.npz", {{"w_score", w_score}, {"w_v", w_v}}));
  const auto with_file = [&](std::string json) {
    return problem_of(json.insert(json.size() - 1, R"(, "arrays": "mine.npz")"), scratch / "");
  };
  const std::string sequence = on_text("additive", "x_q", cat), summary = on_text("key_content_only", "x", cat);
  const Problem a = with_file(sequence), b = with_file(summary);
  CHECK(same(*a.find("w_score"), w_score));
  CHECK(same(*a.find("w_q"), *problem_of(sequence).find("w_q")));
  CHECK(same(*b.find("w_v"), w_v));
  CHECK(same(*b.find("w_k"), *problem_of(summary).find("w_k")));
}

TEST_CASE("sizes that are not set come from the file's weights") {
  Scratch scratch;
  const Tensor x = drawn({1, 2, 5}, 1), w = drawn({5, 3}, 2), w_score = drawn({3}, 3), u = drawn({2, 7}, 4);
  REQUIRE(write_npz(scratch / "mine.npz", {{"x_q", x}, {"x", x}, {"w_q", w}, {"w_k", w}, {"w_score", w_score}}));
  REQUIRE(write_npz(scratch / "u.npz", {{"x", x}, {"u", u}}));
  const Problem a = problem_of(R"({"variant": "additive", "arrays": "mine.npz"})", scratch / "");
  CHECK(a.params.integer("hidden") == 3);
  const Problem b =
      problem_of(R"({"variant": "key_content_only", "arrays": "u.npz", "weights": {"init": "normal"}})", scratch / "");
  CHECK(b.params.integer("heads") == 2);
  CHECK(b.params.integer("d_head") == 7);
  const auto said = refusal(R"({"variant": "additive", "params": {"hidden": 4}, "arrays": "mine.npz"})", scratch / "");
  CHECK(said.find("w_q has shape (5, 3), but h is 4 (params)") != std::string::npos);
}

// ---- Limits -------------------------------------------------------------------------------------------------------

TEST_CASE("what the sequence variants cannot take is refused in one line") {
  const auto additive_with = [](const std::string& params, const std::string& inputs) {
    return refusal(R"({"variant": "additive", "params": {)" + params +
                   R"(}, "weights": {"init": "normal"}, "inputs": {)" + inputs + "}}");
  };
  const auto one_line = [](const std::string& message, const std::string& part) {
    INFO(message);
    return !message.empty() && message.find('\n') == std::string::npos && message.find(part) != std::string::npos;
  };
  const std::string x = R"("x_q": [[[1, 2], [3, 4]]])";
  CHECK(additive_with("", x) == "");
  CHECK(one_line(additive_with(R"("hidden": 0)", x), "params.hidden is 0: it must be a whole number from 1 to 4096"));
  CHECK(one_line(additive_with("", R"("x_q": [1, 2])"), "inputs.x_q has shape (2,)"));
  CHECK(one_line(additive_with("", x + R"(, "x_k": [[[1]], [[1]]])"), "inputs.x_k has shape (2, 1, 1)"));
  CHECK(one_line(additive_with("", x + R"(, "x_v": [[[1]]])"), "inputs.x_v has shape (1, 1, 1)"));
  CHECK(one_line(additive_with("", x + R"(, "valid_lens": [3])"), "valid_lens[0] is 3: it must be"));
  CHECK(one_line(additive_with("", x + R"(, "valid_lens": [1, 1])"), "inputs.valid_lens has shape (2,)"));
  const auto key_content_with = [](const std::string& inputs) {
    return refusal(R"({"variant": "key_content_only", "weights": {"init": "normal"}, "inputs": {)" + inputs + "}}");
  };
  CHECK(key_content_with(R"("x": [[[1, 2], [3, 4]]])") == "");
  CHECK(one_line(key_content_with(R"("x": [[[1, 2], [3, 4]]], "ln_gamma": [1])"), "inputs.ln_gamma has shape (1,)"));
  CHECK(one_line(key_content_with(R"("x": [[[1, 2], [3, 4]]], "x_k": [[[1, 2]]])"), "x_k"));
}

TEST_CASE("the samples of the sequence variants run without a warning and record every step") {
  const auto steps_of = [](const char* variant) {
    std::set<std::string> seen;
    for (const auto& sample : find_variant(variant)->samples())
      for (const auto& step : run_text(sample).trace.steps) seen.insert(step.info.id);
    return seen;
  };
  using Ids = std::set<std::string>;
  CHECK(steps_of("additive") == Ids{"q", "k", "features", "scores", "masked_scores", "weights", "output"});
  CHECK(steps_of("key_content_only") ==
        Ids{"k", "v", "scores", "weights", "head_outputs", "concat", "projected", "residual", "output"});
}

TEST_CASE("tanh of sums is that of a double loop, whatever the threads") {
  const Index planes = 2, n_q = 5, n_k = 7, h = 3;
  Tensor q = scaled(drawn({planes, n_q, h}, 1), 4), k = scaled(drawn({planes, n_k, h}, 2), 4);
  q[0] = std::numeric_limits<float>::infinity();
  k[k.size() - 1] = std::numeric_limits<float>::quiet_NaN();
  const auto with_threads = [&](int threads) {
    ThreadPool pool(threads);
    Compute compute(pool);
    Tensor out = Tensor::uninitialized({planes, n_q, n_k, h});
    math::tanh_of_sums(compute, q.data(), k.data(), planes, n_q, n_k, h, out.data());
    return out;
  };
  const Tensor one = with_threads(1), many = with_threads(4);
  Index not_numbers = 0;
  for (Index cell = 0; cell < one.size(); ++cell) {
    const auto at = index_at_flat(one.shape(), cell);
    const double expected = std::tanh(static_cast<double>(q.at({at[0], at[1], at[3]})) + k.at({at[0], at[2], at[3]}));
    not_numbers += std::isnan(expected);
    CHECK((std::isnan(expected) ? std::isnan(one[cell]) : std::abs(one[cell] - expected) < 1e-6));
    CHECK((one[cell] == many[cell] || (std::isnan(one[cell]) && std::isnan(many[cell]))));
  }
  CHECK(not_numbers == n_q);
}
