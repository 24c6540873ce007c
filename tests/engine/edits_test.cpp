// Interventions: what is edited, what follows from it, and what does not change.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>

#include "engine/core/random.h"
#include "engine/io/experiment.h"
#include "engine/run/edits.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

bool same_numbers(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(a.size())) == 0;
}

bool same_bits(const Step& a, const Step& b) {
  return same_numbers(a.tensor(), b.tensor());
}

Edit edit_of_cell(const Step& step, Index cell, double value) {
  Edit edit{.array = step.info.id, .at = {}, .values = {value}};
  for (const Index place : index_at_flat(step.tensor().shape(), cell)) edit.at.emplace_back(Span{place, place});
  return edit;
}

Trace run_edited(const Sketch& sketch, const std::vector<Edit>& edits) {
  auto problem = make_problem(sketch);
  REQUIRE(problem);
  const Status applied = apply_edits(edits, *problem);
  if (!applied) FAIL(applied.error().message);
  auto trace = run(*problem);
  if (!trace) FAIL(trace.error().message);
  return std::move(*trace);
}

// One cell of a step set: it and what follows explains itself, what comes before is as it was.
void check_cell_set(const Sketch& sketch, const Trace& plain, std::size_t at, Index cell) {
  const Step& step = plain.steps[at];
  INFO(step.info.id << " " << cell);
  std::vector<Edit> edits{edit_of_cell(step, cell, 0.375)};
  const Trace trace = run_edited(sketch, edits);
  REQUIRE(trace.steps.size() == plain.steps.size());
  for (std::size_t i = 0; i < at; ++i) CHECK(same_bits(trace.steps[i], plain.steps[i]));
  const Step& edited = trace.steps[at];
  CHECK(edited.tensor()[cell] == 0.375F);
  REQUIRE(edited.edited);
  CHECK(edited.edited->edit_of(cell) == 1);
  CHECK(same_numbers(*edited.edited->before, step.tensor()));
  CHECK(edited.explain(cell).reason.starts_with("set by edit 1 (" + step.info.id));
  CHECK(first_disagreement(trace) == "");
  for (const Step& other : trace.steps)
    if (!same_bits(other, *plain.find(other.info.id))) CHECK(trace.edits_affecting(other).size() == 1);
  edits[0].on = false;
  const Trace off = run_edited(sketch, edits);
  CHECK(off.edits.empty());
  for (std::size_t i = 0; i < plain.steps.size(); ++i) CHECK(same_bits(off.steps[i], plain.steps[i]));
}

Sketch small(ParamValue mask) {
  return {"small", "multi_head", {{"heads", Index{2}}, {"d_head", Index{3}}, {"mask", mask}}, {{"x_q", {1, 4, 6}}}, {}};
}

Edit of_map(Edit::Make make) {
  return {.array = "weights", .at = {std::nullopt, Span{1, 1}, std::nullopt, std::nullopt}, .make = make};
}

// The weights of head 1, query i, key j of 4.
float weight(const Trace& trace, Index i, Index j) {
  return trace.find("weights")->tensor().at({0, 1, i, j});
}

std::string refusal(const std::vector<Edit>& edits, const Sketch& sketch = small(std::string("causal"))) {
  auto problem = make_problem(sketch);
  REQUIRE(problem);
  const Status applied = apply_edits(edits, *problem);
  return applied ? "" : applied.error().message;
}

Result<Experiment> parsed(const std::string& edits) {
  return parse_experiment(
      R"({"variant": "multi_head", "params": {"mask": "causal", "heads": 2}, "inputs": {"x_q": {"text": "a b c"}}, "edits": )" +
          edits + "}",
      {}, "e");
}

Trace run_of(const Experiment& experiment) {
  const auto problem = prepare(experiment);
  if (!problem) FAIL(problem.error().message);
  auto trace = run(*problem);
  REQUIRE(trace);
  return std::move(*trace);
}

}  // namespace

TEST_CASE("a cell of any step of any variant can be set, and all that follows explains itself") {
  Random random(1, "cells");
  for (const auto& sketch : all_sketches()) {
    INFO(sketch.name);
    const auto plain = run(sketch);
    REQUIRE(plain);
    for (int n = 0; n < 8; ++n) {
      const auto at = static_cast<std::size_t>(random.uniform() * static_cast<double>(plain->steps.size()));
      const Index cell = static_cast<Index>(random.uniform() * static_cast<double>(plain->steps[at].tensor().size()));
      check_cell_set(sketch, *plain, at, cell);
    }
  }
}

TEST_CASE("every source of every variant can be edited, on a copy") {
  for (const auto& sketch : all_sketches()) {
    INFO(sketch.name);
    const auto plain = run(sketch);
    REQUIRE(plain);
    for (const Step& source : plain->sources) {
      if (source.info.id == "valid_lens" || source.info.id == "prefix_lens" || source.info.id.ends_with("_var"))
        continue;  // not every number may stand there
      INFO(source.info.id);
      const double value = source.info.id == "key_padding_mask" ? 1 : 0.375;
      auto problem = make_problem(sketch);
      REQUIRE(problem);
      const ArrayMap given = problem->arrays;
      std::map<std::string, Tensor> before;
      for (const auto& [id, tensor] : given) before.emplace(id, *tensor);
      REQUIRE(apply_edits({edit_of_cell(source, source.tensor().size() - 1, value)}, *problem));
      for (const auto& [id, tensor] : given) CHECK(same_numbers(*tensor, before.at(id)));
      const auto trace = run(*problem);
      if (!trace) FAIL(trace.error().message);
      const Step& edited = *trace->find(source.info.id);
      CHECK(edited.tensor()[source.tensor().size() - 1] == static_cast<float>(value));
      REQUIRE(edited.edited);
      CHECK(edited.edited->before->values().back() == source.tensor().values().back());
      CHECK(first_disagreement(*trace) == "");
    }
  }
}

TEST_CASE("uniform weights are shared by the keys that are visible") {
  const Trace trace = run_edited(small(std::string("causal")), {of_map(Edit::Make::uniform)});
  const auto plain = run(small(std::string("causal")));
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) {
      CHECK(weight(trace, i, j) == (j <= i ? 1 / static_cast<float>(i + 1) : 0.0F));
      CHECK(trace.find("weights")->tensor().at({0, 0, i, j}) == plain->find("weights")->tensor().at({0, 0, i, j}));
    }
  CHECK(first_disagreement(trace) == "");
  CHECK(notes_on_edits(trace) == std::vector<std::string>{"edit 1: weights, head 1 made uniform"});
}

TEST_CASE("a row of one-hot weights is left alone where its key is hidden, and says so") {
  Edit edit = of_map(Edit::Make::one_hot);
  edit.key = 2;
  const Trace trace = run_edited(small(std::string("causal")), {edit});
  const auto plain = run(small(std::string("causal")));
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) CHECK(weight(trace, i, j) == (i < 2 ? weight(*plain, i, j) : j == 2 ? 1.0F : 0.0F));
  CHECK(trace.find("weights")->warnings ==
        std::vector<std::string>{"edit 1: key 2 is hidden from 2 rows, which stay as they are"});
}

TEST_CASE("permuted weights are the same numbers in other places that are visible") {
  const Trace trace = run_edited(small(std::string("causal")), {of_map(Edit::Make::permuted)});
  const auto plain = run(small(std::string("causal")));
  bool moved = false;
  for (Index i = 0; i < 4; ++i) {
    std::vector<float> now, before;
    for (Index j = 0; j < 4; ++j) {
      now.push_back(weight(trace, i, j));
      before.push_back(weight(*plain, i, j));
      if (j > i) CHECK(now.back() == 0);
    }
    moved = moved || now != before;
    std::ranges::sort(now);
    std::ranges::sort(before);
    CHECK(now == before);
  }
  CHECK(moved);
}

TEST_CASE("an edge that is cut gives its weight to the others, and a row without edges has none") {
  Edit cut{.array = "masked_scores",
           .at = {Span{0, 0}, Span{1, 1}, Span{3, 3}, Span{1, 1}},
           .values = {static_cast<double>(minus_infinity)}};
  const Trace trace = run_edited(small(std::string("causal")), {cut});
  CHECK(weight(trace, 3, 1) == 0);
  CHECK(weight(trace, 3, 0) + weight(trace, 3, 2) + weight(trace, 3, 3) == Approx(1));
  CHECK(first_disagreement(trace) == "");
  CHECK(trace.find("weights")->explain(trace.find("weights")->tensor().size() - 3).reason == "the key's score is −∞");
  // Without a mask, the scores that a softmax reads are where edges are cut.
  cut.array = "scaled_scores";
  cut.at.back() = std::nullopt;
  const Trace blind = run_edited(small(std::string("none")), {cut});
  for (Index j = 0; j < 4; ++j) CHECK(weight(blind, 3, j) == 0);
  CHECK_FALSE(blind.origin_of_non_finite());
  CHECK(first_disagreement(blind) == "");
}

TEST_CASE("a mask that is opened shows a key, and one that is closed hides it, whatever the rules say") {
  Edit open{.array = "mask", .at = {Span{0, 0}, Span{0, 0}, Span{1, 1}, Span{3, 3}}, .values = {0}};
  Edit close = open;
  close.at = {Span{0, 0}, Span{0, 0}, Span{3, 3}, Span{0, 1}};
  close.values = {static_cast<double>(minus_infinity)};
  const Trace trace = run_edited(small(std::string("causal")), {open, close});
  CHECK(first_disagreement(trace) == "");
  CHECK(weight(trace, 1, 3) > 0);
  CHECK(weight(trace, 3, 1) == 0);
  const Step& weights = *trace.find("weights");
  CHECK(weights.explain(1 * 4 + 3).reason.empty());
  CHECK(trace.find("masked_scores")->explain(3 * 4 + 1).reason == "masked: the mask is −∞ here");
  CHECK(trace.edits_affecting(weights).size() == 2);
  CHECK(trace.edits_affecting(*trace.find("v")).empty());
}

TEST_CASE("a weight that is set does not change the others of its row") {
  Edit edit = of_map(Edit::Make::set);
  edit.values = {0};
  edit.at = {Span{0, 0}, Span{1, 1}, Span{3, 3}, Span{1, 1}};
  const Trace trace = run_edited(small(std::string("causal")), {edit});
  const auto plain = run(small(std::string("causal")));
  for (const Index j : {0, 2, 3}) CHECK(weight(trace, 3, j) == weight(*plain, 3, j));
  CHECK(weight(trace, 3, 1) == 0);
}

TEST_CASE("an edit of one row of a loop says that the states of later words stay as they were") {
  const Sketch loop{"loop", "bahdanau_decoder", {{"hidden", Index{3}}}, {{"x_k", {1, 4, 5}}, {"y", {1, 3, 2}}}, {}};
  const Trace plain = run_edited(loop, {});
  for (const Step& step : plain.steps) CHECK(step.warnings.empty());
  for (const char* id : {"weights", "context"}) {
    const Trace edited = run_edited(loop, {edit_of_cell(*plain.find(id), 0, 0.5)});
    const auto& warnings = edited.find(id)->warnings;
    CHECK(
        std::ranges::any_of(warnings, [](const auto& text) { return text.find("later words") != std::string::npos; }));
    CHECK(same_bits(*edited.find("states"), *plain.find("states")));
  }
}

TEST_CASE("edits of one array are carried out in their order, a block by its numbers") {
  Edit all = of_map(Edit::Make::zero);
  Edit block = of_map(Edit::Make::set);
  block.at = {Span{0, 0}, Span{1, 1}, Span{0, 1}, Span{2, 3}};
  block.values = {1, 2, 3, 4};
  const Trace trace = run_edited(small(std::string("none")), {all, block});
  CHECK(weight(trace, 0, 2) == 1);
  CHECK(weight(trace, 0, 3) == 2);
  CHECK(weight(trace, 1, 2) == 3);
  CHECK(weight(trace, 1, 3) == 4);
  CHECK(weight(trace, 2, 3) == 0);
  CHECK(trace.edits.size() == 2);
  const Trace other = run_edited(small(std::string("none")), {block, all});
  CHECK(weight(other, 0, 2) == 0);
}

TEST_CASE("queries that are edited are keys too where one input serves for both") {
  const Sketch sketch = small(std::string("none"));
  const Step x = run(sketch)->sources.front();
  REQUIRE(x.info.id == "x_q");
  const Trace trace = run_edited(sketch, {edit_of_cell(x, 0, 2)});
  const auto plain = run(sketch);
  CHECK_FALSE(same_bits(*trace.find("k"), *plain->find("k")));
  CHECK(trace.edits_affecting(*trace.find("v")).size() == 1);
}

TEST_CASE("an edit that cannot be says what, where and what to do") {
  const Edit good = of_map(Edit::Make::zero);
  Edit bad = good;
  bad.array = "wieghts";
  CHECK(refusal({good, bad}).starts_with("edit 2: array \"wieghts\" is not in this run: it has x_q, "));
  bad = good;
  bad.at.pop_back();
  CHECK(refusal({bad}) ==
        "edit 1: at has 3 entries: weights is (B, M, n_q, n_k) = (1, 2, 4, 4), give an entry an axis "
        "(null for the whole of one)");
  bad = good;
  bad.at[1] = Span{2, 2};
  CHECK(refusal({bad}) == "edit 1: at[1] is 2: heads of weights go from 0 to 1");
  bad.at = {Span{9, 9}, std::nullopt, std::nullopt, std::nullopt};
  CHECK(refusal({bad}).starts_with("edit 1: at[0] is 9: batches of weights go from 0 to "));
  bad.at = {std::nullopt, std::nullopt, Span{99, 99}, std::nullopt};
  CHECK(refusal({bad}).starts_with("edit 1: at[2] is 99: queries of weights go from 0 to "));
  bad = of_map(Edit::Make::uniform);
  bad.array = "q";
  CHECK(refusal({bad}) ==
        "edit 1: q is no map of weights: \"uniform\", \"one_hot\" and \"permuted\" are made of rows of "
        "weights");
  bad = of_map(Edit::Make::permuted);
  bad.at[3] = Span{1, 1};
  CHECK(refusal({bad}) == "edit 1: at[3] must be null: \"make\" is done to whole rows of weights");
  bad = of_map(Edit::Make::one_hot);
  bad.key = 4;
  CHECK(refusal({bad}) == "edit 1: key is 4: keys of weights go from 0 to 3");
  bad = of_map(Edit::Make::set);
  bad.values = {1, 2};
  CHECK(refusal({bad}) == "edit 1: set has 2 numbers for 16 cells of weights: give one number, or one a cell");
  bad.values = {minus_infinity};
  CHECK(refusal({bad}) == "edit 1: \"-inf\" hides a key in masks and masked scores; weights is none: set a number");
  bad.array = "scores";
  CHECK(refusal({bad}).starts_with("edit 1: \"-inf\" hides a key"));  // they are scaled, and no softmax reads them
  bad.array = "scaled_scores";
  CHECK(refusal({bad}) == "");  // a mask is added to them, and −∞ stays what it is
  bad.array = "nothing";
  bad.on = false;
  CHECK(refusal({bad}) == "");
}

TEST_CASE("edits in a file are read, and refused in one line") {
  const auto error_of = [](const std::string& edits) {
    const auto experiment = parsed(edits);
    return experiment ? std::string() : experiment.error().message;
  };
  CHECK(error_of("[]") == "");
  CHECK(error_of("{}") == "e: edits is an object: it must be a list of objects");
  CHECK(error_of("[1]") == "e: edit 1: it is 1: it must be an object");
  CHECK(error_of(R"([{"set": 1}])") == "e: edit 1: \"array\" is missing: name an input, a weight, the mask or a step");
  CHECK(error_of(R"([{"array": "q", "set": 1, "make": "zero"}])") ==
        "e: edit 1: it has both \"set\" and \"make\": give one of \"set\" (numbers) and \"make\" (zero, uniform, "
        "one_hot, "
        "permuted)");
  CHECK(error_of(R"([{"array": "q", "set": 1e39}])") ==
        "e: edit 1: set holds 1e+39: it must be a number that float32 holds, or \"-inf\"");
  CHECK(error_of(R"([{"array": "q", "at": [[3, 1]], "set": 1}])") ==
        "e: edit 1: at[0] is [3,1]: it must be a place from 0, [first, last] or null (the whole axis)");
  CHECK(error_of(R"([{"array": "q", "make": "gone"}])") ==
        "e: edit 1: edits.make is \"gone\": it must be one of zero, uniform, one_hot, permuted");
  CHECK(error_of(R"([{"array": "q", "make": "one_hot"}])") ==
        "e: edit 1: key is missing: say which key gets the whole weight, from 0");
  CHECK(error_of(R"([{"array": "q", "make": "zero", "seed": 1}])") ==
        "e: edit 1: \"seed\" goes with \"make\": \"permuted\", not with \"zero\": take it out");
}

TEST_CASE("edits are written as they were read, and keep what is not known") {
  const std::string edits =
      R"([{"array": "scores", "at": [0, [1, 1], null, [0, 2]], "set": 0.1, "why": "a test"},
          {"array": "weights", "make": "one_hot", "key": 0, "on": false},
          {"array": "weights", "make": "permuted", "seed": 9},
          {"array": "masked_scores", "set": "-inf"}, {"array": "w_q", "set": [1, 0.25]}])";
  auto experiment = parsed(edits);
  if (!experiment) FAIL(experiment.error().message);
  CHECK(experiment->notices.size() == 1);
  const std::string written = to_json(*experiment, {});
  const auto again = parse_experiment(written, {}, "e");
  REQUIRE(again);
  CHECK(again->edits == experiment->edits);
  CHECK(to_json(*again, {}) == written);
  CHECK(written.find("\"why\": \"a test\"") != std::string::npos);
  // Another order, one switched off and none of a document: the same edits.
  std::swap(experiment->edits[0], experiment->edits[4]);
  experiment->edits[4].on = false;
  const std::string changed = to_json(*experiment, {});
  CHECK(changed.find("\"why\": \"a test\",\n      \"on\": false") != std::string::npos);
  experiment->document = {};
  const auto bare = parse_experiment(to_json(*experiment, {}), {}, "e");
  REQUIRE(bare);
  CHECK(bare->edits == experiment->edits);
}

TEST_CASE("of one query alone, the edits of its row count and the others say that they do not") {
  const std::string edits =
      R"([{"array": "weights", "at": [0, 0, 2, 1], "set": 0.5}, {"array": "weights", "at": [0, 0, 1, 1], "set": 0.25},
          {"array": "scaled_scores", "at": [0, 0, [1, 2], [0, 1]], "set": [1, 2, 3, 4]},
          {"array": "x_q", "at": [0, 2, 0], "set": 1}, {"array": "x_q", "at": [0, 1, 0], "set": 1}])";
  auto experiment = parsed(edits);
  REQUIRE(experiment);
  const Trace whole = run_of(*experiment);
  experiment->params.set("only_query", Index{2});
  const Trace row = run_of(*experiment);
  for (const char* id : {"weights", "head_outputs", "output"}) {
    INFO(id);
    const Tensor& one = row.find(id)->tensor();
    const Tensor& all = whole.find(id)->tensor();
    const Index inner = one.dim(-1), planes = one.size() / inner, queries = all.size() / planes / inner;
    for (Index p = 0; p < planes; ++p)
      for (Index c = 0; c < inner; ++c)
        CHECK(one[p * inner + c] == Approx(all[(p * queries + 2) * inner + c]).margin(1e-6));
  }
  CHECK(row.find("weights")->tensor().at({0, 0, 0, 1}) == 0.5F);
  CHECK(row.find("scaled_scores")->tensor().at({0, 0, 0, 1}) == 4);
  CHECK(std::ranges::count(row.warnings,
                           "edit 2 changes nothing: it is of queries other than the one that is computed") == 1);
  CHECK(first_disagreement(row) == "");
}

TEST_CASE("an edit names the pixels of a picture, and the keys of a window by their offset") {
  const Grid picture{1, 4, 5}, window{1, 3, 3};
  const Axis queries{.symbol = "n_q", .name = "query", .size = 20, .grid = picture, .role = Role::query},
      keys{.symbol = "n_k", .name = "key", .size = 20, .grid = picture, .role = Role::key},
      near{.symbol = "n_k", .name = "key", .size = 9, .grid = window, .role = Role::key, .window = true};
  const Edit edit{.array = "scores", .at = {Span{1, 19}, Span{0, 0}}, .values = {1}};
  CHECK(words_of(edit, {queries, keys}) == "scores, queries 0, 1 to 3, 4, key 0, 0 set to 1");
  CHECK(words_of(edit, {queries, near}) == "scores, queries 0, 1 to 3, 4, key at offset −1, −1 set to 1");
  const Edit hot{.array = "weights", .at = {}, .make = Edit::Make::one_hot, .key = 7};
  CHECK(words_of(hot, {queries, keys}) == "weights made one-hot at key 1, 2");
  Axis pooled = keys;
  pooled.size = 4;
  pooled.grid = Grid{1, 2, 2};
  CHECK(words_of(edit, {queries, pooled}) == "scores, queries 0, 1 to 3, 4, key 0 set to 1");
}
