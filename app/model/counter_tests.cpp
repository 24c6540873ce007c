#include "app/model/counter_tests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/words.h"

namespace headlight::app {

namespace {

bool is_changed_by_any(const learn::Task& task, const std::string& option) {
  return std::ranges::any_of(task.counter_tests(),
                             [&](const learn::CounterTest& test) { return test.changed.contains(option); });
}

const ParamValue& value_in(const learn::CounterTest& test, const ParamSpec& spec) {
  const auto changed = test.changed.find(spec.id);
  return changed == test.changed.end() ? spec.fallback : changed->second;
}

// What else is not as the task is offered: "width 32, seed 2"; empty: nothing.
std::string other_changes(const learn::Film& film, const learn::CounterTest& test) {
  const learn::TrainingPlan& plan = *film.plan;
  std::vector<std::string> words;
  for (const ParamSpec& spec : plan.task->options())
    if (const ParamValue& value = plan.options.values.get(spec.id); value != value_in(test, spec))
      words.push_back(fmt::format("{} {}", lower_first(spec.title), value_in_words(spec, value)));
  if (film.schedule.size() > 1) words.emplace_back("rate or batch changed on the way");
  if (plan.seed != default_plan(*plan.task).seed) words.push_back(fmt::format("seed {}", plan.seed));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

const learn::CounterTest* counter_test_named(const learn::Task& task, std::string_view title) {
  const auto& tests = task.counter_tests();
  const auto found = std::ranges::find(tests, title, &learn::CounterTest::title);
  return found == tests.end() ? nullptr : &*found;
}

const learn::CounterTest* counter_test_in(const learn::TrainingPlan& plan) {
  const auto is_in = [&](const learn::CounterTest& test) {
    return std::ranges::all_of(plan.task->options(), [&](const ParamSpec& spec) {
      return !is_changed_by_any(*plan.task, spec.id) || plan.options.values.get(spec.id) == value_in(test, spec);
    });
  };
  const auto& tests = plan.task->counter_tests();
  const auto found = std::ranges::find_if(tests, is_in);
  return found == tests.end() ? nullptr : &*found;
}

learn::TrainingPlan with_counter_test(learn::TrainingPlan plan, const learn::CounterTest* test) {
  for (const ParamSpec& spec : plan.task->options())
    if (is_changed_by_any(*plan.task, spec.id)) plan.options.values.reset(spec);
  if (!test) return plan;
  for (const auto& [id, value] : test->changed) plan.options.values.set(id, value);
  return plan;
}

std::string why_no_change(const learn::TrainingPlan& plan, const learn::CounterTest& test) {
  const auto kilobytes = plan.task->reads_text() ? test.changed.find("kilobytes") : test.changed.end();
  if (kilobytes == test.changed.end()) return {};
  const double asked = std::get<double>(kilobytes->second),
               given = static_cast<double>(text_to_learn(plan).size()) / 1000;
  return given < asked ? fmt::format("Give a longer text first: this one has {:.1f} kilobytes", given) : std::string();
}

void record_test_result(TrainingShown& shown) {
  const learn::Film& film = *shown.film;
  const bool is_whole = film.is_at_end() && film.newest->step == film.step;
  const learn::CounterTest* test = counter_test_in(*film.plan);
  if (!test || (!film.broken && !is_whole)) return;
  shown.test_results[test] = {film.step, film.broken ? learn::Figures() : film.newest->figures,
                              other_changes(film, *test)};
}

std::string in_words(const TestResult& result) {
  std::string words = result.figures.empty() ? "came to no number" : "came to";
  words += fmt::format(", at step {}", result.step);
  return result.other_changes.empty() ? words : fmt::format("{} with {}", words, result.other_changes);
}

}  // namespace headlight::app
