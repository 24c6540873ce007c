// Every number of every variant, recomputed from its own explanation.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <utility>

#include "engine/trace/rule.h"
#include "engine/variants/recorder.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

// What a problem's arrays hold, perhaps under another name; the rest of the sources were made by the run.
bool made_by_run(const Step& source, const Problem& problem) {
  const auto holds = [&](const ArraySpec& spec) { return spec.recorded_as == source.info.id && problem.find(spec.id); };
  return !problem.find(source.info.id) && std::ranges::none_of(problem.specs.weights, holds) &&
         std::ranges::none_of(problem.specs.inputs, holds);
}

// As many as Cost counts for a cell.
double operations_per_cell(const Step& step) {
  double most = 1;
  for (Index cell = 0; step.explain && cell < step.tensor().size(); ++cell)
    most = std::max(most, operations_of(step.explain(cell)));  // a masked cell reads fewer
  return most;
}

// The ids that a formula marks, \\hl{id}{…}, without the axes that are no arrays.
std::set<std::string> marked_arrays(const Step& step) {
  std::set<std::string> ids;
  const std::string& tex = step.info.formula;
  for (auto at = tex.find("\\hl{"); at != std::string::npos; at = tex.find("\\hl{", at + 1)) {
    const std::string id = tex.substr(at + 4, tex.find('}', at) - at - 4);
    if (id != "this" && id != "n_q" && id != "n_k") ids.insert(id);
  }
  return ids;
}

std::set<std::string> read_arrays(const Step& step) {
  std::set<std::string> ids;
  for (Index cell = 0; cell < step.tensor().size(); ++cell) {
    const Explanation e = step.explain(cell);
    for (const auto& term : e.terms)
      for (const auto& factor : term.factors)
        if (!factor.array.empty()) ids.insert(factor.array);  // a constant is the rule's own
    for (const auto& operand : e.parameters) ids.insert(operand.array);
  }
  return ids;
}

Trace with_values(Trace trace, const std::string& id, Index cell, float value) {
  for (auto& step : trace.steps) {
    if (step.info.id != id) continue;
    Tensor altered = step.tensor();
    altered[cell] = value;
    step.values = std::make_shared<const Tensor>(std::move(altered));
  }
  return trace;
}

}  // namespace

TEST_CASE("every variant has sketches, and every cell agrees with its explanation") {
  std::set<std::string> seen;
  for (const auto& sketch : all_sketches()) {
    INFO(sketch.name);
    const auto trace = run(sketch);
    if (!trace) FAIL(trace.error().message);
    seen.insert(sketch.variant);
    CHECK(first_disagreement(*trace) == "");
    for (const auto& step : trace->steps) {
      INFO(step.info.id);
      CHECK(step.explain);
      CHECK_FALSE(step.non_finite);
      CHECK_FALSE(step.info.title.empty());
      CHECK_FALSE(step.info.formula.empty());
      CHECK(step.info.note.size() > 40);
      CHECK(trace->stage_of(step.info.id));
    }
    for (const auto& stage : trace->stages)
      for (const auto& id : stage.steps) CHECK(trace->find(id));
  }
  for (const Variant* variant : all_variants()) {
    INFO(variant->info().id << " has no sketch in tests/engine/sketches.cpp");
    CHECK(seen.contains(variant->info().id));
  }
}

TEST_CASE("a formula marks what its step reads, and nothing that was not recorded") {
  for (const auto& sketch : all_sketches()) {
    INFO(sketch.name);
    const auto trace = run(sketch);
    REQUIRE(trace);
    for (const auto& step : trace->steps) {
      INFO(step.info.id << ": " << step.info.formula);
      const auto marked = marked_arrays(step);
      for (const auto& id : marked) CHECK(trace->find(id));
      for (const auto& id : read_arrays(step)) {
        INFO(id);
        CHECK(marked.contains(id));
      }
    }
  }
}

TEST_CASE("what a run costs is known before it starts") {
  for (const auto& sketch : all_sketches()) {
    INFO(sketch.name);
    const auto problem = make_problem(sketch);
    REQUIRE(problem);
    const auto trace = run(*problem);
    REQUIRE(trace);
    Recorder dry(*problem);
    problem->variant->record(dry);
    const std::map<std::string, double> known(dry.operations().begin(), dry.operations().end());
    double bytes = 0, operations = 0;
    for (const auto* list : {&trace->sources, &trace->steps})
      for (const auto& step : *list) {
        if (list == &trace->sources && !made_by_run(step, *problem)) continue;
        const auto cells = static_cast<double>(step.tensor().size());
        const bool handed_on = std::ranges::any_of(
            trace->sources, [&](const Step& source) { return &source != &step && source.values == step.values; });
        if (!handed_on) bytes += cells * sizeof(float);
        const double of_step = cells * operations_per_cell(step);
        INFO(step.info.id << ": its Operation::operations times " << cells << " cells, and what its explanations read");
        CHECK(known.at(step.info.id) == of_step);
        operations += of_step;
      }
    const Cost cost = cost_of(*problem);
    CHECK(cost.bytes == bytes);
    CHECK(cost.operations == operations);
  }
}

TEST_CASE("progress is complete when the trace is taken") {
  for (const auto& sketch : all_sketches()) {
    INFO(sketch.name);
    const auto problem = make_problem(sketch);
    REQUIRE(problem);
    ThreadPool pool(1);
    std::atomic<float> progress = 0;
    Compute compute(pool, {}, &progress);
    Recorder recorder(*problem, compute);
    problem->variant->record(recorder);
    std::move(recorder).take();
    CHECK(progress.load() == Approx(1));
  }
}

TEST_CASE("a cancelled run stops early and without harm") {
  std::stop_source stop;
  stop.request_stop();
  for (const auto& sketch : all_sketches()) {
    const auto problem = make_problem(sketch);
    REQUIRE(problem);
    ThreadPool pool(1);
    Compute compute(pool, stop.get_token());
    Recorder recorder(*problem, compute);
    problem->variant->record(recorder);
    CHECK(std::move(recorder).take().steps.empty());
  }
}

TEST_CASE("a wrong number in any step is noticed") {
  const auto trace =
      run({"control", "multi_head", {{"heads", Index{2}}, {"d_head", Index{3}}}, {{"x_q", {2, 3, 6}}}, {}});
  REQUIRE(trace);
  REQUIRE(first_disagreement(*trace) == "");
  for (const auto& step : trace->steps) {
    const Index cell = step.tensor().size() / 2;
    const Trace altered = with_values(*trace, step.info.id, cell, step.tensor()[cell] + 0.01F);
    CHECK(first_disagreement(altered).starts_with(step.info.id + "["));
  }
}

TEST_CASE("the explanation of a right merge does not pass for a wrong one") {
  Sketch sketch{"control", "multi_head", {{"heads", Index{2}}, {"d_head", Index{3}}}, {{"x_q", {2, 3, 6}}}, {}};
  const auto right = run(sketch);
  sketch.params["mistake"] = std::string("merge_without_transpose");
  auto wrong = run(sketch);
  REQUIRE((right && wrong));
  REQUIRE(first_disagreement(*wrong) == "");
  for (std::size_t i = 0; i < wrong->steps.size(); ++i) wrong->steps[i].explain = right->steps[i].explain;
  CHECK(first_disagreement(*wrong).starts_with("concat["));
}
