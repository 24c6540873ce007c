// Measures of heads against NumPy's numbers (tests/reference/make_measures.py), and what they say where there are none.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "engine/inputs/text.h"
#include "engine/io/array_source.h"
#include "engine/io/experiment.h"
#include "engine/measures/head_measures.h"
#include "engine/measures/head_outputs.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

namespace fs = std::filesystem;
const fs::path cases = HEADLIGHT_SOURCE_DIR "/tests/reference/measures";

Trace run_of(const Experiment& experiment) {
  const auto problem = prepare(experiment);
  if (!problem) FAIL(problem.error().message);
  auto trace = run(*problem);
  if (!trace) FAIL(trace.error().message);
  return std::move(*trace);
}

Trace run_of(const std::string& json) {
  const auto experiment = parse_experiment(json, {}, "e");
  if (!experiment) FAIL(experiment.error().message);
  return run_of(*experiment);
}

HeadMeasures measured(const Trace& trace) {
  ThreadPool pool(2);
  Compute compute(pool);
  const auto found = measure_heads(trace, compute);
  REQUIRE(found);
  return *found;
}

// Tells the map which tokens its positions are, and on which grid they lie.
void put_places(Trace& trace, const fs::path& file) {
  const auto places = nlohmann::json::parse(std::ifstream(file));
  const std::string map = trace.map()->info.id;
  for (Step& step : trace.steps)
    for (Axis& axis : step.info.axes) {
      const AxisRole role = role_along(axis);
      const char* tokens = role == AxisRole::query ? "tokens_q" : "tokens_k";
      if (step.info.id != map || (role != AxisRole::query && role != AxisRole::key)) continue;
      axis.labels.clear();
      for (std::size_t i = 0; places.contains(tokens) && i < places[tokens].size(); ++i) {
        const int token = places[tokens][i].get<int>();
        const bool special = token == 0 && places.contains("special");
        // One word in two spellings, as the embedding takes them.
        axis.labels.push_back(special ? std::string(start_token_text)
                                      : fmt::format("{}{}", i % 2 ? "Word" : "word", token));
      }
      if (places.contains("grid")) axis.grid = Grid{places["grid"][0], places["grid"][1], places["grid"][2]};
    }
}

bool near(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 2e-5 + 1e-4 * std::abs(b);
}

// A window of 3 × 3 on a picture of 2 × 2.
Sketch small_window() {
  return {"window",
          "memory_block",
          {{"extent", Index{3}}, {"heads", Index{2}}, {"d_head", Index{2}}},
          {{"x", {1, 2, 2, 2}}},
          {}};
}

std::vector<double> ablated(const Experiment& experiment, const Trace& whole, Index heads) {
  std::vector<double> changes;
  for (Index m = 0; m < heads; ++m) {
    Experiment off = experiment;
    const auto edit = edit_switching_off(whole, m);
    REQUIRE(edit);
    off.edits.push_back(*edit);
    changes.push_back(relative_change(whole.output()->tensor(), run_of(off).output()->tensor()));
  }
  return changes;
}

}  // namespace

TEST_CASE("measures of heads are those of their definitions in NumPy") {
  int folders = 0;
  for (const auto& entry : fs::directory_iterator(cases)) {
    ++folders;
    INFO(entry.path().filename().string());
    const auto experiment = read_experiment(entry.path() / "experiment.json");
    if (!experiment) FAIL(experiment.error().message);
    Trace trace = run_of(*experiment);
    put_places(trace, entry.path() / "places.json");
    HeadMeasures got = measured(trace);
    got[Measure::ablation] = {ablated(*experiment, trace, got.heads), Missing::nothing};
    const auto expected = read_arrays(entry.path() / "expect.npz");
    REQUIRE(expected);
    for (const Measure measure : all_measures()) {
      INFO(id_of(measure));
      const auto found = std::ranges::find(*expected, id_of(measure), &NamedArray::name);
      REQUIRE((found == expected->end()) == (got[measure].missing != Missing::nothing));
      if (found == expected->end()) continue;
      REQUIRE(found->values.size() == got.heads);
      for (Index m = 0; m < got.heads; ++m) {
        INFO(m << ": " << got[measure].values[static_cast<std::size_t>(m)] << " " << found->values[m]);
        CHECK(near(got[measure].values[static_cast<std::size_t>(m)], found->values[m]));
      }
    }
  }
  CHECK(folders == 10);
}

TEST_CASE("measures of one item of a batch are of that item, and all items together have their mean") {
  const Trace trace =
      *run(Sketch{"batch", "multi_head", {{"heads", Index{2}}, {"d_head", Index{4}}}, {{"x_q", {3, 5, 8}}}, {}});
  ThreadPool pool(2);
  Compute compute(pool);
  const HeadMeasures all = measured(trace);
  std::vector<HeadMeasures> items;
  for (Index item = 0; item < 3; ++item) items.push_back(*measure_heads(trace, compute, item));
  const std::vector<HeadMeasures> together = measure_items(trace, *trace.map(), compute);
  REQUIRE(together.size() == 3);
  for (std::size_t item = 0; item < 3; ++item)
    for (const Measure measure : {Measure::entropy, Measure::share})
      CHECK(together[item][measure].values == items[item][measure].values);
  CHECK(items[1].rows * 3 == all.rows);
  for (const Measure measure : {Measure::entropy, Measure::self, Measure::previous, Measure::share})
    for (std::size_t head = 0; head < 2; ++head) {
      INFO(id_of(measure) << " " << head);
      double sum = 0;
      for (const HeadMeasures& item : items) sum += item[measure].values[head];
      CHECK(near(sum / 3, all[measure].values[head]));
      CHECK(!near(items[0][measure].values[head], items[1][measure].values[head]));
    }
}

TEST_CASE("what has no number says why") {
  const auto why = [](const Trace& trace, Measure measure) { return measured(trace)[measure].missing; };
  const Trace plain =
      run_of(R"({"variant": "multi_head", "inputs": {"x_q": {"text": "the cat sat", "start_token": false}}})");
  CHECK(why(plain, Measure::entropy) == Missing::nothing);
  CHECK(why(plain, Measure::special) == Missing::special_tokens);
  CHECK(why(plain, Measure::same) == Missing::such_keys);
  CHECK(why(plain, Measure::ablation) == Missing::runs);
  const Trace across =
      run_of(R"({"variant": "multi_head", "inputs": {"x_q": {"text": "le chat"}, "x_k": {"text": "the cat sat"}}})");
  CHECK(why(across, Measure::distance) == Missing::not_square);
  CHECK(why(across, Measure::induction) == Missing::not_square);
  CHECK(why(across, Measure::share) == Missing::nothing);
  const Trace one = run_of(R"({"variant": "multi_head", "inputs": {"x_q": {"text": "cat", "start_token": false}}})");
  CHECK(why(one, Measure::previous) == Missing::second_query);
  const auto window = *run(small_window());
  CHECK(why(window, Measure::previous) == Missing::window);
  CHECK(why(window, Measure::same) == Missing::tokens);
  const auto far = measured(window)[Measure::distance];
  CHECK(far.missing == Missing::nothing);
  CHECK((far.values[0] > 0 && far.values[0] < std::sqrt(2)));
}

TEST_CASE("distances in a window are those from its middle") {
  // Queries of zeros look evenly at the four pixels that are there, or at all nine places.
  Sketch sketch = small_window();
  sketch.arrays.emplace("w_q", Tensor(Shape{2, 2, 2}));
  const auto trace = run(sketch);
  REQUIRE(trace);
  const HeadMeasures found = measured(*trace);
  const double places = 1 / found[Measure::self].values[0];
  CHECK((places == Approx(4) || places == Approx(9)));
  CHECK(found[Measure::effective_keys].values[0] == Approx(places));
  CHECK(found[Measure::distance].values[0] == Approx((places < 5 ? 2 + std::sqrt(2) : 4 + 4 * std::sqrt(2)) / places));
}

TEST_CASE("every variant's heads are measured, and add up to the whole output") {
  for (const auto& sketch : all_sketches()) {
    INFO(sketch.name);
    const auto trace = run(sketch);
    REQUIRE(trace);
    const HeadMeasures found = measured(*trace);
    CHECK(found[Measure::entropy].values.size() == static_cast<std::size_t>(found.heads));
    if (found[Measure::share].missing != Missing::nothing) continue;
    double all = 0;
    for (const double share : found[Measure::share].values) all += share;
    CHECK(all == Approx(1));
    CHECK(head_outputs(*trace)->axis(AxisRole::key) == nullptr);
  }
}

TEST_CASE("rows that see no key and rows that are no shares are counted") {
  const auto read = read_experiment(cases / "hidden_rows" / "experiment.json");
  REQUIRE(read);
  const HeadMeasures hidden = measured(run_of(*read));
  CHECK(hidden.rows == 2 * 3 * 7);
  CHECK(hidden.rows_without_key == 2 * 3);
  CHECK(hidden.unnormalized_rows == 0);
  const auto linear = read_experiment(cases / "no_softmax" / "experiment.json");
  REQUIRE(linear);
  CHECK(measured(run_of(*linear)).unnormalized_rows == 2 * 9);
}

TEST_CASE("keys of a shifted window are measured where they stand on the picture") {
  const Trace trace = run_of(R"({"variant": "swin", "params": {"heads": 2, "d_head": 4, "window": 2, "shift": 1},
      "inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0], [3, 0, 1, 1]]]]}, "weights": {"init": "normal"}})");
  const Tensor& weights = trace.map()->tensor();  // (1, 2, 16, 4)
  const HeadMeasures found = measured(trace);
  const auto rolled = [](Index at) { return (at + 3) % 4; };  // by one, in a circle of four
  for (Index m = 0; m < 2; ++m) {
    double far = 0, own = 0;
    for (Index q = 0; q < 16; ++q)
      for (Index t = 0; t < 4; ++t) {
        const Index row = (rolled(q / 4) / 2 * 2 + t / 2 + 1) % 4, column = (rolled(q % 4) / 2 * 2 + t % 2 + 1) % 4;
        const double w = weights[(m * 16 + q) * 4 + t];
        far += w * std::hypot(row - q / 4, column - q % 4) / 16;
        if (row * 4 + column == q) own += w / 16;
      }
    const auto head = static_cast<std::size_t>(m);
    CHECK(found[Measure::distance].values[head] == Approx(far));
    CHECK(found[Measure::self].values[head] == Approx(own));
  }
  CHECK(found[Measure::previous].missing == Missing::own_window);
  CHECK(found[Measure::special].missing == Missing::tokens);
}

TEST_CASE("every measure says all that is to be said of it") {
  std::set<std::string_view> ids;
  for (const MeasureRow& row : measure_rows()) {
    const std::string_view id = row.id ? row.id : "";
    INFO("the measure " << (row.title ? row.title : "without a title") << ", id \"" << id << "\"");
    CHECK_FALSE(id.empty());
    CHECK(ids.insert(id).second);
    for (const auto& [name, words] : {std::pair("title", row.title),
                                      {"heading", row.heading},
                                      {"phrase", row.phrase},
                                      {"formula", row.formula},
                                      {"says", row.says},
                                      {"source", row.source}}) {
      INFO("its " << name);
      CHECK((words && *words));
    }
    CHECK(row.unit);  // which may be empty
  }
}

TEST_CASE("measures are found by their ids") {
  for (const Measure measure : all_measures()) CHECK(measure_by_id(id_of(measure)) == measure);
  CHECK(!measure_by_id("relevance"));
  CHECK(!measure_by_id(""));  // `headlight heads` without --sort
}
