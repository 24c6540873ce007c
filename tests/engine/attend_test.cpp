// Holds multi_head to the four lines of its paper: what default parameters record, and where an option joins in.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/variants/head_option.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

using Ids = std::vector<std::string>;
using Params = std::map<std::string, ParamValue>;

const ParamValue yes = true, causal = std::string("causal");

Sketch two_heads(Params params, std::map<std::string, Shape> drawn = {}) {
  params.insert({{"heads", Index{2}}, {"d_head", Index{4}}});
  drawn["x_q"] = {1, 5, 6};
  return {"two heads", "multi_head", std::move(params), std::move(drawn), {}};
}

Trace trace_of(const Sketch& sketch) {
  auto trace = run(sketch);
  if (!trace) FAIL(trace.error().message);
  return std::move(*trace);
}

Ids ids_of(const std::vector<Step>& steps) {
  Ids ids;
  for (const Step& step : steps) ids.push_back(step.info.id);
  return ids;
}

// The steps between those that every run has.
struct Option {
  Params params = {};
  std::map<std::string, Shape> drawn = {};
  Ids before_scores = {}, after_scores = {}, after_scaled = {}, after_weights = {}, after_heads = {};
};

Ids steps_with(const Option& option) {
  Ids ids{"q", "k", "v"};
  const auto add = [&](const Ids& list) { ids.insert(ids.end(), list.begin(), list.end()); };
  add(option.before_scores);
  add({"scores"});
  add(option.after_scores);
  add({"scaled_scores"});
  add(option.after_scaled);
  add({"weights"});
  add(option.after_weights);
  add({"head_outputs"});
  add(option.after_heads);
  add({"concat", "output"});
  return ids;
}

std::vector<Option> options_alone() {
  const auto choice = [](const char* id) { return ParamValue(std::string(id)); };
  const std::map<std::string, Shape> lambdas{
      {"lambda_q1", {4}}, {"lambda_k1", {4}}, {"lambda_q2", {4}}, {"lambda_k2", {4}}};
  return {
      {.params = {{"qk_norm", choice("rms_norm")}}, .before_scores = {"q_normed", "k_normed"}},
      {.params = {{"rotary", choice("half")}}, .before_scores = {"q_rotated", "k_rotated"}},
      {.params = {{"relative", choice("alibi")}}, .after_scores = {"position_bias"}},
      {.params = {{"relative", choice("t5")}}, .after_scores = {"relative_index", "position_bias"}},
      {.params = {{"relative", choice("shaw")}},
       .after_scores = {"relative_index", "position_scores"},
       .after_weights = {"position_outputs"}},
      {.params = {{"temperature", 2.0}}, .drawn = {{"logit_scale", {2}}}},
      {.params = {{"scale", 0.25}}},
      {.params = {{"talking_heads", choice("both")}},
       .after_scaled = {"mixed_scores"},
       .after_weights = {"mixed_weights"}},
      {.params = {{"softcap", 5.0}}, .after_scaled = {"capped_scores"}},
      {.params = {{"normalize", choice("sparsemax")}}},
      {.params = {{"normalize", choice("softmax_sink")}}, .after_weights = {"sink_weights"}},
      {.params = {{"mistake", choice("mask_after_softmax")}, {"mask", causal}}, .after_weights = {"masked_weights"}},
      {.params = {{"differential", yes}},
       .drawn = lambdas,
       .after_weights = {"lambda", "differential_weights"},
       .after_heads = {"normed_heads"}},
      {.params = {{"dropout", 0.5}}, .after_weights = {"dropped_weights"}},
  };
}

// Ids of all that options record.
std::set<std::string> ids_of_options() {
  std::set<std::string> ids;
  for (const HeadOption* option : head_options())
    for (const StepWords& words : option->words) ids.insert(words.id);
  return ids;
}

}  // namespace

TEST_CASE("default parameters record softmax(q kᵀ / √d') v and no step of an option") {
  const Trace trace = trace_of(two_heads({}));
  CHECK(ids_of(trace.steps) ==
        Ids{"q", "k", "v", "scores", "scaled_scores", "weights", "head_outputs", "concat", "output"});
  CHECK(trace.find("scaled_scores")->info.code.numpy == "scaled_scores = scores / 4**0.5");

  const Trace masked = trace_of(two_heads({{"mask", causal}}));
  CHECK(ids_of(masked.steps) == steps_with({.after_scaled = {"masked_scores"}}));
  const auto problem = make_problem(two_heads({{"mask", causal}}));
  REQUIRE(problem);
  CHECK(!options::any_active(*problem));
}

TEST_CASE("an option of attend() takes part where its parameter asks, and records its steps at its place") {
  std::set<std::string> met;
  for (const Option& option : options_alone()) {
    const Sketch sketch = two_heads(option.params, option.drawn);
    INFO(option.params.begin()->first);
    const auto problem = make_problem(sketch);
    REQUIRE(problem);
    CHECK(options::any_active(*problem));
    const Trace trace = trace_of(sketch);
    CHECK(ids_of(trace.steps) == steps_with(option));
    for (const auto* list : {&trace.sources, &trace.steps})
      for (std::string& id : ids_of(*list)) met.insert(std::move(id));
  }
  for (const std::string& id : ids_of_options()) {
    INFO(id);
    CHECK(met.contains(id));
  }
  for (const HeadOption* option : head_options())
    if (!option->words.empty()) CHECK(option->is_active);
}
