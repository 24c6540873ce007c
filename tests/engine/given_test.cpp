// Attention that is given: axes, labels, warnings and refusals.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/measures/head_measures.h"
#include "engine/measures/measured_map.h"
#include "engine/run/given_maps.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "engine/tokens/readable.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

std::string json(const std::string& weights, const std::string& params = "{}") {
  return R"({"variant": "given", "params": )" + params + R"(, "inputs": {"weights": )" + weights + "}}";
}

struct RanGiven {
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const Trace> trace;
};

Result<RanGiven> try_run(const std::string& text, const std::filesystem::path& folder = {}) {
  HL_TRY(const Experiment experiment, parse_experiment(text, folder, ""));
  HL_TRY(auto problem, prepare(experiment));
  RanGiven ran{std::make_shared<const Problem>(std::move(problem)), nullptr};
  ThreadPool pool(1);
  Compute compute(pool);
  HL_TRY(ran.trace, run(*ran.problem, compute));
  return ran;
}

RanGiven run_given(const std::string& text, const std::filesystem::path& folder = {}) {
  auto ran = try_run(text, folder);
  if (!ran) FAIL(ran.error().message);
  return std::move(*ran);
}

std::string refusal(const std::string& text, const std::filesystem::path& folder = {}) {
  const auto ran = try_run(text, folder);
  return ran ? "no error" : ran.error().message;
}

Tensor filled(Shape shape, float value) {
  Tensor tensor(std::move(shape));
  for (float& number : tensor.values()) number = value;
  return tensor;
}

}  // namespace

TEST_CASE("given weights are shared with the array they were read into, and say that no more is known") {
  const auto ran = run_given(json(R"({"array": [[[0.25, 0.75], [1, 0]]], "tokens": ["a", "b"]})"));
  const Step* map = ran.trace->map();
  REQUIRE(map);
  CHECK(map->info.id == "weights");
  CHECK(map->values == ran.trace->find("given")->values);
  const Explanation why = map->explain(1);
  CHECK(evaluate(why, *ran.trace) == 0.75);
  CHECK(why.reason == "inputs.weights, which does not say what it was made of");
  CHECK(map->axis(AxisRole::key)->labels == std::vector<std::string>{"a", "b"});
  CHECK(map->warnings.empty());
}

TEST_CASE("an edit of a given weight leaves what was given as it is") {
  const auto ran = run_given(
      R"({"variant": "given", "inputs": {"weights": [[0.25, 0.75], [1, 0]]},
          "edits": [{"array": "weights", "at": [0, 0, 0, 0], "set": 0.5}]})");
  CHECK(ran.trace->find("weights")->tensor()[0] == 0.5F);
  CHECK(ran.trace->find("given")->tensor()[0] == 0.25F);
}

TEST_CASE("rows that do not add up to 1 are counted and the first is named") {
  const auto ran = run_given(json(R"({"array": [[[[0.5, 0.5], [0.5, 0.012]], [[0, 0], [1, 0]]],
                                                [[[0.5, 0.5], [0.2, 0.2]], [[0, 1], [1, 0]]]]})"));
  const Step& first = *ran.trace->find("layer0/weights");
  REQUIRE(first.warnings.size() == 1);
  CHECK(first.warnings[0] ==
        "2 of 8 rows do not add up to 1, first: layer 0, head 0, query 1: 0.512; 1 of 8 rows are 0 throughout, as "
        "those of "
        "padding are");
  CHECK(ran.trace->find("layer1/weights")->warnings.empty());
}

TEST_CASE("numbers that can be no weights are called scores and have no measures") {
  const auto ran = run_given(json("[[-7.2, 5.1], [0, 1]]"));
  const Step& map = *ran.trace->map();
  REQUIRE(map.warnings.size() == 1);
  CHECK(map.warnings[0] == "inputs.weights holds −7.2 to 5.1: scores? normalize softmax makes weights of them");
  CHECK(map.info.kind == Kind::score);
  CHECK(maps_of_layers(*ran.trace).empty());
}

TEST_CASE("what cannot be attention is refused in the words of its shape") {
  const Scratch scratch;
  REQUIRE(write_npy(scratch / "attn.npy", filled({1, 1, 1, 1, 2, 2}, 0.5F)));
  const auto& folder = scratch / "";
  CHECK(refusal(json(R"({"npy": "attn.npy"})"), folder) ==
        "attn.npy has shape (1, 1, 1, 1, 2, 2): attention has 2 to 5 axes, (queries, keys) to (layers, batch, heads, "
        "queries, keys)");
  REQUIRE(write_npy(scratch / "attn.npy", filled({2, 3, 4, 4}, 0.25F)));
  CHECK(refusal(json(R"({"npy": "attn.npy", "tokens": ["a", "b", "c"]})"), folder) ==
        "inputs.weights.tokens has 3 tokens, but attn.npy has 4 queries: (2, 3, 4, 4) is layers, heads, queries, keys");
  CHECK(refusal(json(R"({"npy": "attn.npy", "axes": "hqk"})"), folder) ==
        "attn.npy has shape (2, 3, 4, 4), but axes \"hqk\" names 3");
  CHECK(refusal(json(R"({"npy": "attn.npy", "axes": "lbhq"})"), folder).find("must have q") != std::string::npos);
  CHECK(refusal(json(R"({"npy": "attn.npy", "grid": [3, 2]})"), folder) ==
        "grid [3, 2] at offset 0 ends at position 6: attn.npy has 4");
  REQUIRE(write_npy(scratch / "attn.npy", filled({3, 4, 7}, 0.1F)));
  CHECK(
      refusal(json(R"({"npy": "attn.npy", "tokens": ["a", "b", "c", "d", "e", "f", "g"]})"), folder) ==
      "inputs.weights.tokens has 7 tokens, but attn.npy has 4 queries and 7 keys: give tokens (4) and key_tokens (7)");
  const Tensor wide = filled({8, 20, 20}, 0.05F), narrow = filled({8, 10, 10}, 0.1F);
  REQUIRE(write_npz(scratch / "attn.npz", {{"arr_0", wide}, {"arr_3", narrow}}));
  CHECK(refusal(json(R"({"npy": "attn.npz"})"), folder) ==
        "attn.npz: arr_0 is (8, 20, 20) and arr_3 (8, 10, 10): name one with \"member\"");
  CHECK(refusal(json(R"({"npy": "attn.npz", "member": "x*"})"), folder) ==
        "attn.npz holds no array x*: it has arr_0, arr_3");
  REQUIRE(write_npz(scratch / "attn.npz", {{"cross_attentions", narrow}, {"decoder_attentions", narrow}}));
  CHECK(refusal(json(R"({"npy": "attn.npz"})"), folder) ==
        "attn.npz: cross_attentions and decoder_attentions are attention of two kinds: name one with \"member\"");
  CHECK(refusal(json(R"({"text": "a b"})"), folder) ==
        "inputs.weights is no array: attention is given as numbers, {\"npy\": …} or {\"array\": …}");
}

TEST_CASE("tokens come from lists, JSON and text, for all items of a batch or for each") {
  const Scratch scratch;
  const auto labels_of = [&](const std::string& tokens) {
    const auto ran = run_given(
        json(R"({"array": [[[[1, 0], [0, 1]]], [[[1, 0], [0, 1]]]], "axes": "bhqk", "tokens": )" + tokens + "}"),
        scratch / "");
    return ran.trace->map()->axis(AxisRole::query)->labels;
  };
  REQUIRE(write_file(scratch / "t.json", R"({"tokens": ["x", "y"]})"));
  REQUIRE(write_file(scratch / "t.txt", "Ġa\r\nb\n"));
  CHECK(labels_of(R"("t.json")") == std::vector<std::string>{"x", "y"});
  CHECK(labels_of(R"("t.txt")") == std::vector<std::string>{"·a", "b"});
  CHECK(labels_of(R"("t.txt", "raw_tokens": true)") == std::vector<std::string>{"Ġa", "b"});
  CHECK(labels_of(R"([["the", "cat"], ["the", "dog"]])") == std::vector<std::string>{"the", "cat | dog"});
}

TEST_CASE("a picture lies on some of the positions, and the others are called by their tokens") {
  const auto ran = run_given(json(R"({"array": [[1,0,0,0,0],[0,1,0,0,0],[0,0,1,0,0],[0,0,0,1,0],[0,0,0,0,1]],
                                       "grid": [2, 2], "tokens": ["CLS"]})"));
  const Axis& keys = *ran.trace->map()->axis(AxisRole::key);
  CHECK(keys.labels == std::vector<std::string>{"CLS", "0, 0", "0, 1", "1, 0", "1, 1"});
  REQUIRE(keys.placed);
  CHECK(keys.placed->offset == 1);
  CHECK_FALSE(keys.grid);
  ThreadPool pool(1);
  Compute compute(pool);
  // Of the cells alone: each looks at itself. The class token has no place.
  CHECK(measure_heads(*ran.trace, *ran.trace->map(), compute)[Measure::distance].values[0] == 0);
}

TEST_CASE("a token is another where its letters are, and rows are measured as they stand") {
  const auto ran = run_given(json(R"({"array": [[0, 0.5], [0.5, 0]], "tokens": ["The", "the"]})"));
  ThreadPool pool(1);
  Compute compute(pool);
  const auto measures = measure_heads(*ran.trace, *ran.trace->map(), compute, ReadRows::as_they_are);
  CHECK(measures[Measure::same].missing == Missing::such_keys);
  CHECK(measures[Measure::entropy].values[0] == Approx(-0.5 * std::log(0.5)));
}

TEST_CASE("rollout passes what a layer mixes on to the next") {
  const auto ran = run_given(json(R"({"array": [[[[1, 0], [1, 0]]], [[[1, 0], [1, 0]]]]})"));
  ThreadPool pool(1);
  Compute compute(pool);
  const auto rolled = rollout(maps_of_layers(*ran.trace), compute);
  REQUIRE(rolled);
  CHECK(rolled->shape() == Shape{1, 2, 2, 2});
  CHECK((*rolled)[2] == 0.5F);   // position 1 after layer 0: half of it is position 0
  CHECK((*rolled)[6] == 0.75F);  // and after layer 1
  CHECK_FALSE(rollout(maps_of_layers(*run_given(json("[[0.5, 0.25, 0.25]]")).trace), compute));
}

TEST_CASE("positions are kept of queries and keys, with their words, and what is left out is said") {
  const std::string square =
      R"({"array": [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0, 0.2, 0.8]], "tokens": ["<s>", "a", "b"])";
  const auto ran = run_given(json(square + R"(, "positions": "1-2"})"));
  const Step& map = *ran.trace->map();
  CHECK(map.tensor().shape() == Shape{1, 1, 2, 2});
  CHECK(std::ranges::equal(map.tensor().values(), std::vector<float>{0.6F, 0.3F, 0.2F, 0.8F}));
  CHECK(map.axis(AxisRole::key)->labels == std::vector<std::string>{"a", "b"});
  CHECK(ran.problem->warnings ==
        std::vector<std::string>{"inputs.weights: positions 0 are left out: rows are the weights that are left, and "
                                 "normalize rows makes them add up to 1"});
  // Words of what is kept will do, and keys may be others than queries.
  const auto cut = run_given(json(R"({"array": [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0, 0.2, 0.8]], "tokens": ["a", "b"],
                                      "positions": "1-2", "key_positions": "0,2,1", "key_tokens": ["x", "y", "z"]})"));
  CHECK(std::ranges::equal(cut.trace->map()->tensor().values(), std::vector<float>{0.1F, 0.3F, 0.6F, 0, 0.8F, 0.2F}));
  CHECK(cut.trace->map()->axis(AxisRole::key)->labels == std::vector<std::string>{"x", "z", "y"});
  const std::string where = "inputs.weights.";
  CHECK(refusal(json(square + R"(, "positions": "1-3"})")) ==
        where + "positions is 1-3: it must be numbers from 0 to 2, such as 0-8 or 0,3-5");
  CHECK(refusal(json(square + R"(, "positions": "1,1"})")) == where + "positions is 1,1: it names a position twice");
  CHECK(
      refusal(json(square + R"(, "positions": "0,1", "key_positions": "1,2"})")).starts_with(where + "key_positions"));
  CHECK(refusal(R"({"variant": "multi_head", "inputs": {"x_q": {"array": [[[1, 2]]], "positions": "0"}}})") ==
        "inputs.x_q: positions, pieces and global tokens are chosen of attention that is given (the variant given) "
        "alone");
}

TEST_CASE("rows of padding are in no measure, and keys that nobody looks at are said") {
  ThreadPool pool(1);
  Compute compute(pool);
  const std::string weights = R"({"array": [[0.5, 0.5, 0], [0, 1, 0], [1, 0, 0]], "tokens": )";
  const auto padded = run_given(json(weights + R"(["a", "b", "[PAD]"]})"));
  const auto measures = measure_heads(*padded.trace, *padded.trace->map(), compute);
  CHECK(measures[Measure::distance].values[0] == 0.25);
  CHECK(measures.rows_of_padding == 1);
  CHECK(padded.problem->warnings.front() ==
        "inputs.weights: 1 of 3 tokens are padding (2): no measure counts their rows, and positions (--positions) "
        "leaves them out");
  const auto unnamed = run_given(json(weights + R"(["a", "b", "c"]})"));
  CHECK(measure_heads(*unnamed.trace, *unnamed.trace->map(), compute)[Measure::distance].values[0] == Approx(2.5 / 3));
  CHECK(unnamed.problem->warnings ==
        std::vector<std::string>{"inputs.weights: key 2 has no weight in any head: if it is padding, positions "
                                 "(--positions) leaves it out"});
  const auto batch = run_given(json(R"({"array": [[[0.5, 0.5, 0], [0, 1, 0], [1, 0, 0]],
                                                  [[0, 0, 1], [0.5, 0.5, 0], [1, 0, 0]]], "axes": "bqk"})"));
  CHECK(batch.problem->warnings ==
        std::vector<std::string>{"inputs.weights: keys 2 of item 0 have no weight in any head: if they are padding, "
                                 "tokens that say so ([PAD]) keep their rows out of measures"});
  // Of end tokens that fill up a text, the one beside it may be its own.
  const auto ended = run_given(json(R"({"array": [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]],
                                        "tokens": ["a", "<|endoftext|>", "<|endoftext|>", "<|endoftext|>"]})"));
  CHECK(measure_heads(*ended.trace, *ended.trace->map(), compute).rows_of_padding == 2);
  CHECK(ended.problem->warnings.front().starts_with("inputs.weights: 2 of 4 tokens are padding (2-3)"));
}

TEST_CASE("tokens that stand for no text are found by their names, in each text of a batch") {
  ThreadPool pool(1);
  Compute compute(pool);
  const auto ran = run_given(json(R"({"array": [[[0.5, 0.25, 0.25], [0, 1, 0], [0.5, 0, 0.5]],
                                                [[0, 1, 0], [0, 1, 0], [0, 1, 0]]], "axes": "bqk",
                                      "tokens": [["<cls>", "a", "<eos>"], ["a", "</s>", "b"]]})"));
  const auto special = measure_heads(*ran.trace, *ran.trace->map(), compute)[Measure::special];
  CHECK(special.values[0] == Approx((0.75 + 0 + 1 + 3) / 6));
}

TEST_CASE("of one text of a batch its own tokens alone are laid out, and its measures are those of it alone") {
  ThreadPool pool(1);
  Compute compute(pool);
  const std::vector<std::string> maps{"[[0.5, 0.25, 0.25], [0, 1, 0], [0.5, 0, 0.5]]",
                                      "[[0.25, 0.75, 0], [0.5, 0.5, 0], [1, 0, 0]]",
                                      "[[0.2, 0.2, 0.6], [0.1, 0.8, 0.1], [0.7, 0.2, 0.1]]"};
  const std::vector<std::string> tokens{R"(["<cls>", "a", "a"])", R"(["a", "</s>", "[PAD]"])", R"(["b", "a", "b"])"};
  const auto ran = run_given(json(R"({"axes": "bqk", "array": [)" + maps[0] + ", " + maps[1] + ", " + maps[2] +
                                  R"(], "tokens": [)" + tokens[0] + ", " + tokens[1] + ", " + tokens[2] + "]}"));
  const Step& map = *ran.trace->map();
  CHECK(measured_map(map).key_tokens.size() == 3);
  const MeasuredMap second = measured_map(map, 1);
  CHECK((second.query_tokens.size() == 1 && second.key_tokens.size() == 1 && second.padding.size() == 1));
  CHECK(second.is_padding(1, 2));
  CHECK(std::ranges::equal(second.special_keys(1), std::vector<Index>{1, 2}));
  const auto items = measure_items(*ran.trace, map, compute);
  REQUIRE(items.size() == 3);
  for (std::size_t item = 0; item < 3; ++item) {
    const auto alone = run_given(json(R"({"array": )" + maps[item] + R"(, "tokens": )" + tokens[item] + "}"));
    const HeadMeasures own = measure_heads(*alone.trace, *alone.trace->map(), compute);
    CHECK((items[item].rows == own.rows && items[item].rows_of_padding == own.rows_of_padding));
    for (const Measure measure : all_measures()) {
      INFO(item << ": " << id_of(measure));
      CHECK(items[item][measure].missing == own[measure].missing);
      REQUIRE(items[item][measure].values.size() == own[measure].values.size());
      for (std::size_t m = 0; m < own[measure].values.size(); ++m) {
        const double got = items[item][measure].values[m], expected = own[measure].values[m];
        CHECK((got == expected || (std::isnan(got) && std::isnan(expected))));
      }
    }
  }
}

TEST_CASE("pieces of words become words: keys are added up and queries averaged") {
  const std::string weights = R"({"array": [[0.5, 0.5, 0], [0.2, 0.2, 0.6], [0.4, 0.2, 0.4]], "tokens": )";
  const auto ran = run_given(json(weights + R"(["the", "Ġun", "done"], "pieces": "words"})"));
  const Step& map = *ran.trace->map();
  CHECK(map.axis(AxisRole::query)->labels == std::vector<std::string>{"the", "undone"});
  const std::vector<float> expected{0.5F, 0.5F, 0.3F, 0.7F};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(map.tensor()[static_cast<Index>(i)] == Approx(expected[i]));
  CHECK(refusal(json(weights + R"(["the", "un", "done"], "pieces": "words"})")).find("no token of tokens has a mark") !=
        std::string::npos);
  CHECK(refusal(json(R"({"array": [[1]], "pieces": "words"})")) ==
        "inputs.weights.pieces words needs tokens, which say where words begin");
  CHECK(refusal(json(R"({"array": [[1]], "tokens": ["Ġa"], "pieces": "words"})", R"({"normalize": "softmax"})"))
            .find("scores of pieces do not add up") != std::string::npos);
}

TEST_CASE("rows and columns of a picture may be axes of their own") {
  // Two heads of 1 × 2 queries on three keys.
  const auto ran =
      run_given(json(R"({"array": [[[[1, 0, 0], [0, 1, 0]]], [[[0, 0, 1], [0.5, 0.5, 0]]]], "axes": "hyxk"})"));
  const Step& map = *ran.trace->map();
  CHECK(map.tensor().shape() == Shape{1, 2, 2, 3});
  CHECK(map.tensor()[9] == 0.5F);
  CHECK(map.axis(AxisRole::query)->labels == std::vector<std::string>{"0, 0", "0, 1"});
  REQUIRE(map.axis(AxisRole::query)->grid);
  // Columns before rows, keys as rows and columns.
  const auto turned = run_given(json(R"({"array": [[[1, 2, 3], [4, 5, 6]]], "axes": "qXY"})"));
  CHECK(std::ranges::equal(turned.trace->map()->tensor().values(), std::vector<float>{1, 4, 2, 5, 3, 6}));
  CHECK(refusal(json(R"({"array": [[[1]]], "axes": "qyk"})")).find("q (queries), or y and x") != std::string::npos);
}

TEST_CASE("steps of a generated text are one map a layer, and other names of two numbers are said") {
  using Names = std::vector<std::pair<std::string, Shape>>;
  const auto crossed = generated_steps(
      Names{{"a.0.0", {1, 2, 1, 7}}, {"a.0.1", {1, 2, 1, 7}}, {"a.1.0", {1, 2, 1, 7}}, {"a.1.1", {1, 2, 1, 7}}});
  REQUIRE(crossed);
  CHECK(crossed->layers == std::vector<std::vector<std::string>>{{"a.0.0", "a.1.0"}, {"a.0.1", "a.1.1"}});
  CHECK((crossed->queries == 2 && crossed->keys == 7));
  const auto grown = generated_steps(Names{{"0.0", {1, 2, 3, 3}}, {"1.0", {1, 2, 1, 4}}, {"2.0", {1, 2, 1, 5}}});
  REQUIRE(grown);
  CHECK((grown->layers.size() == 1 && grown->queries == 5 && grown->keys == 5));
  // Layers, a step that lacks one, keys that shrink, queries that are many.
  CHECK_FALSE(generated_steps(Names{{"0", {1, 2, 1, 7}}, {"1", {1, 2, 1, 7}}}));
  CHECK_FALSE(generated_steps(Names{{"0.0", {1, 2, 1, 7}}, {"0.1", {1, 2, 1, 7}}, {"1.0", {1, 2, 1, 7}}}));
  CHECK_FALSE(generated_steps(Names{{"0.0", {1, 2, 3, 3}}, {"1.0", {1, 2, 1, 2}}}));
  CHECK_FALSE(generated_steps(
      Names{{"0.0", {1, 2, 3, 3}}, {"0.1", {1, 2, 3, 3}}, {"1.0", {1, 2, 3, 3}}, {"1.1", {1, 2, 3, 3}}}));
  const Scratch scratch;
  const auto row = [](std::vector<float> weights) {
    const auto n = static_cast<Index>(weights.size());
    return Tensor::from({1, 1, 1, n}, weights);
  };
  REQUIRE(write_npz(scratch / "g.npz", {{"0.0", row({1})}, {"1.0", row({0.25F, 0.75F})}}));
  const auto ran = run_given(json(R"({"npy": "g.npz"})"), scratch / "");
  CHECK(
      std::ranges::equal(ran.trace->find("layer0/weights")->tensor().values(), std::vector<float>{1, 0, 0.25F, 0.75F}));
  CHECK(ran.problem->warnings.front().starts_with("g.npz: the 2 steps of a generated text are joined"));
  const Tensor map = filled({2, 2}, 0.5F);
  REQUIRE(write_npz(scratch / "two.npz", {{"a0.b0", map}, {"a0.b1", map}, {"a1.b0", map}}));
  CHECK(
      run_given(json(R"({"npy": "two.npz"})"), scratch / "").problem->warnings.front() ==
      "two.npz: arrays that differ by 2 numbers, a0.b0 to a1.b0, are taken as 3 layers in this order: name fewer with "
      "\"member\"");
}

TEST_CASE("keys of a window round each query stand at their places") {
  // Key i − 1, i and i + 1; before them, the key 3.
  const std::string rows = R"({"array": [[0.1, 0, 0.6, 0.3], [0.2, 0.3, 0.4, 0.1], [0.5, 0.1, 0.4, 0], [0, 0, 0, 0]])";
  const auto ran = run_given(json(rows + R"(, "axes": "qw", "global_tokens": "3"})"));
  CHECK(std::ranges::equal(
      ran.trace->map()->tensor().values(),
      std::vector<float>{0.6F, 0.3F, 0, 0.1F, 0.3F, 0.4F, 0.1F, 0.2F, 0, 0.1F, 0.4F, 0.5F, 0, 0, 0, 0}));
  CHECK(ran.problem->warnings.front().find("the 3 keys round each query are put among all 4: others have 0; columns of "
                                           "the global tokens 3 stand before them") != std::string::npos);
  // Scores of other keys are none at all.
  const auto scores =
      run_given(json(R"({"array": [[0, 2, 2], [3, 3, 0]], "axes": "qw"})", R"({"normalize": "softmax"})"));
  CHECK(std::ranges::equal(scores.trace->map()->tensor().values(), std::vector<float>{0.5F, 0.5F, 0.5F, 0.5F}));
  CHECK(refusal(json(rows + R"(, "axes": "qw"})")).find("leave a window of 4 keys, and it must be odd") !=
        std::string::npos);
  CHECK(refusal(json(rows + R"(, "axes": "qw", "global_tokens": "4"})")).find("must be numbers from 0 to 3") !=
        std::string::npos);
  CHECK(refusal(json(rows + R"(, "global_tokens": "3"})")).find("say its axes") != std::string::npos);
  CHECK(refusal(json(R"({"array": [[1, 0, 0], [0, 1, 0]], "axes": "qw"})")).find("query 0 has 1 for key -1") !=
        std::string::npos);
  CHECK(refusal(json(R"({"array": [[1]], "axes": "qwk"})")).find("beside q and without k") != std::string::npos);
  const auto unsaid = run_given(json(R"({"array": [[0, 0.5, 0.5], [0.2, 0.6, 0.2], [0.2, 0.6, 0.2], [0.5, 0.5, 0]]})"));
  CHECK(unsaid.problem->warnings.front().find("axes (--axes) \"qw\" spreads them over all 4") != std::string::npos);
}

TEST_CASE("what a Longformer's global tokens give is a row for each of them, and its windows ask for their axes") {
  const Scratch scratch;
  // Two global tokens, three keys.
  const Tensor globals = Tensor::from({1, 1, 3, 2}, std::vector<float>{0.1F, 0.5F, 0.2F, 0.3F, 0.7F, 0.2F});
  const Tensor windows = filled({1, 1, 3, 5}, 0.2F);
  REQUIRE(write_npz(scratch / "out.npz", {{"attentions.0", windows},
                                          {"attentions.1", windows},
                                          {"global_attentions.0", globals},
                                          {"global_attentions.1", globals}}));
  const auto ran = run_given(json(R"({"npy": "out.npz", "member": "global_attentions.*"})"), scratch / "");
  const Step* map = ran.trace->find("layer1/weights");
  REQUIRE(map);
  CHECK(map->tensor().shape() == Shape{1, 1, 2, 3});
  CHECK(std::ranges::equal(map->tensor().values(), std::vector<float>{0.1F, 0.2F, 0.7F, 0.5F, 0.3F, 0.2F}));
  CHECK(ran.problem->warnings.front().find("has a column for each global token") != std::string::npos);
  CHECK(
      refusal(json(R"({"npy": "out.npz", "member": "attentions.*"})"), scratch / "")
          .find("attentions.0 has 5 columns, first those of 2 global tokens (global_attentions.0), then of a window") !=
      std::string::npos);
  CHECK(refusal(json(R"({"npy": "out.npz"})"), scratch / "").find("are attention of two kinds") != std::string::npos);
}

TEST_CASE("edges of a graph with their weights are a map of its nodes") {
  const Scratch scratch;
  const auto numbers = [](Shape shape, std::vector<float> values) { return Tensor::from(std::move(shape), values); };
  // 0 → 1, 2 → 1 and 1 → 0, with two heads; an edge that stands twice adds up.
  const Tensor edges = numbers({2, 4}, {0, 2, 1, 1, 1, 1, 0, 0});
  const Tensor weights = numbers({4, 2}, {0.25F, 1, 0.75F, 0, 0.5F, 0.25F, 0.5F, 0.75F});
  REQUIRE(write_npz(scratch / "g.npz", {{"alpha", weights}, {"edge_index", edges}}));
  const auto ran = run_given(json(R"({"npy": "g.npz"})"), scratch / "");
  const Tensor& map = ran.trace->map()->tensor();
  CHECK(map.shape() == Shape{1, 2, 3, 3});
  CHECK(std::ranges::equal(map.values(), std::vector<float>{0, 1, 0, 0.25F, 0, 0.75F, 0, 0, 0,  //
                                                            0, 1, 0, 1, 0, 0, 0, 0, 0}));
  CHECK(ran.problem->warnings.front().starts_with("g.npz: the 4 edges of edge_index between 3 nodes"));
  // A layer each, and arrays that are no edges: of as many rows as there are nodes, of the same shape.
  REQUIRE(write_npz(scratch / "two.npz", {{"a0", numbers({4}, {1, 1, 1, 0})}, {"a1", weights}, {"e", edges}}));
  CHECK(refusal(json(R"({"npy": "two.npz"})"), scratch / "").find("of different numbers of heads") !=
        std::string::npos);
  // Two edges, whose array is no longer than that of their weights.
  REQUIRE(write_npz(scratch / "few.npz",
                    {{"a", numbers({2, 3}, {1, 0, 0, 1, 1, 1})}, {"e", numbers({2, 2}, {0, 1, 1, 0})}}));
  CHECK(run_given(json(R"({"npy": "few.npz"})"), scratch / "").trace->map()->tensor().shape() == Shape{1, 3, 2, 2});
  REQUIRE(write_npz(scratch / "alike.npz", {{"a", numbers({2, 2}, {1, 0, 0, 1})}, {"b", filled({2, 2}, 0.5F)}}));
  CHECK(run_given(json(R"({"npy": "alike.npz"})"), scratch / "").trace->find("layer1/weights"));
  const float infinity = std::numeric_limits<float>::infinity();
  REQUIRE(write_npz(scratch / "inf.npz", {{"e", numbers({2, 1}, {0, infinity})}, {"a", numbers({1}, {1})}}));
  CHECK(refusal(json(R"({"npy": "inf.npz"})"), scratch / "").find("name one with \"member\"") != std::string::npos);
  REQUIRE(write_npz(scratch / "far.npz", {{"e", numbers({2, 1}, {0, 1e9F})}, {"a", numbers({1}, {1})}}));
  CHECK(refusal(json(R"({"npy": "far.npz"})"), scratch / "").find("names node 1000000000") != std::string::npos);
}

TEST_CASE("tokens are read without the marks of their vocabularies, and different ones stay different") {
  const auto read = [](std::vector<std::string> tokens) { return readable_tokens({std::move(tokens)}).front(); };
  using Words = std::vector<std::string>;
  CHECK(read({"The", "Ġcat", "Ã¯ve", "Ċ", "ĠðŁ", "<|endoftext|>"}) ==
        Words{"The", "·cat", "ïve", "⏎", "·<0xF0><0x9F>", "<|endoftext|>"});
  CHECK(read({"Ã¯ve", "▁un▁e", "▁"}) == Words{"Ã¯ve", "·un·e", "·"});
  CHECK(read({"sing", "##ing", "##s", "s"}) == Words{"sing", "ing", "##s", "s"});
  CHECK(words_of_pieces({"[CLS]", "un", "##done", ".", "[SEP]"}) == std::vector<std::size_t>{0, 1, 1, 2, 3});
  CHECK(words_of_pieces({"<s>", "▁don", "'", "t", "▁go", "es", "."}) == std::vector<std::size_t>{0, 1, 2, 3, 4, 4, 5});
  CHECK(words_of_pieces({"a", "b"}).empty());
  // CLIP's, whose mark stands at the end of a word.
  CHECK(words_of_pieces({"<|startoftext|>", "lam", "pligh", "ter</w>", "a</w>", ",</w>", "<|endoftext|>"}) ==
        std::vector<std::size_t>{0, 1, 1, 1, 2, 3, 4});
  CHECK(read({"lam", "p</w>", "naÃ¯ve</w>", "<|endoftext|>"}) ==
        std::vector<std::string>{"lam", "p", "naïve", "<|endoftext|>"});
  CHECK(read({"cat</w>", "cat"}) == std::vector<std::string>{"cat</w>", "cat"});
}
