#include "app/lessons/scope.h"

#include <algorithm>
#include <cstdlib>

#include "engine/base/words.h"
#include "engine/core/parallel.h"
#include "engine/expressions/arrays.h"
#include "engine/measures/head_measures.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

// What scores are multiplied by, as the run's own explanation of its first score says.
Result<double> scale_of(const LessonRun& run) {
  bool scored = false;
  for (const Step& step : run.trace->steps) {
    if (step.info.role != Role::score || !step.base_explain() || step.tensor().size() == 0) continue;
    scored = true;
    const Explanation made = step.base_explain()(0);
    const bool by_an_array = std::ranges::any_of(made.terms, [&](const Term& term) {
      return term.factors.size() > 1 && std::ranges::any_of(term.factors, [&](const Operand& factor) {
               const Step* of = run.trace->find(factor.array);
               return of && of->info.role == Role::score;
             });
    });
    if (by_an_array) return fail("scale: these scores are multiplied by an array, and by no one number");
    if (made.scale != 1 || made.root_of > 0) return made.scale;
  }
  if (!scored) return fail("scale: this run has no scores");
  return 1.0;
}

Result<Value> parameter(const LessonRun& run, std::string_view name) {
  const ParamValues& params = run.experiment->params;
  std::vector<std::string> known;
  bool there = false;
  for (const auto& [id, value] : params) {
    known.push_back(id);
    there = there || id == name;
  }
  const bool scaled = std::ranges::find(known, "scale") != known.end();
  if (scaled && (name == "scale" || name == "scale_inverse")) {
    HL_TRY(const double scale, scale_of(run));
    return number_value(name == "scale" ? scale : 1 / scale);
  }
  if (!there) return fail("no parameter is called “{}”: there are {}", brief(name), brief_list(known));
  const ParamValue& value = params.get(name);
  if (const auto* whole = std::get_if<Index>(&value)) return number_value(static_cast<double>(*whole));
  if (const auto* real = std::get_if<double>(&value)) return number_value(*real);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  return to_string(value);
}

Result<Value> measure(const LessonRun& run, std::string_view name) {
  std::vector<std::string> known;
  for (const auto& row : measure_rows())
    if (std::string_view(row.id) != "ablation") known.emplace_back(row.id);
  const auto wanted = measure_by_id(name);
  if (!wanted || *wanted == Measure::ablation)
    return fail("no measure is called “{}”: there are {}", brief(name), brief_list(known));
  ThreadPool pool(1);
  Compute compute(pool);
  const auto measures = measure_heads(*run.trace, compute);
  if (!measures) return fail("this run has no map of queries and keys to measure");
  const HeadValues& of = (*measures)[*wanted];
  if (of.missing != Missing::nothing) return fail("{} is not known of this run", name);
  NumberArray array;
  array.axes.push_back({{.symbol = std::string(symbol_of(AxisRole::head)),
                         .name = "head",
                         .size = measures->heads,
                         .along = AxisRole::head},
                        {}});
  for (Index head = 0; head < measures->heads; ++head) array.axes[0].positions.push_back(head);
  array.numbers = of.values;
  return Value(std::move(array));
}

RunValues values_of(const LessonRun& run) {
  RunValues values;
  values.trace = run.trace.get();
  values.parameter = [run](std::string_view name) { return parameter(run, name); };
  values.measure = [run](std::string_view name) { return measure(run, name); };
  return values;
}

}  // namespace

Result<Index> parse_position(const Axis& axis, std::string_view word) {
  const char first = word.empty() ? ' ' : word[0];
  std::string_view digits = word;
  const std::string_view letter = letter_of(role_along(axis));
  std::string name(word);
  int nth = 0;
  if (!letter.empty() && word.size() > 1 && word.starts_with(letter)) digits = word.substr(1);
  if (std::ranges::all_of(digits, is_digit) && digits.size() < 9 && !digits.empty()) {
    const Index at = std::atoll(std::string(digits).c_str());
    if (at >= axis.size) return fail("{} is no {}: there are {}, counted from 0", at, axis.name, axis.size);
    return at;
  }
  if (first == '"') {
    const auto end = word.find('"', 1);
    if (end == std::string_view::npos) return fail("the closing \" is missing");
    name = word.substr(1, end - 1);
    word.remove_prefix(end);
  }
  if (const auto sign = word.rfind('#'); sign != std::string_view::npos && sign > 0) {
    nth = std::atoi(std::string(word.substr(sign + 1)).c_str());
    if (first != '"') name = word.substr(0, sign);
  }
  return position_of_label(axis, name, nth);
}

ExpressionScope make_scope(const LessonRun& shown, const LessonRuns& others) {
  ExpressionScope scope;
  scope.run = values_of(shown);
  for (const auto& [name, run] : others) scope.runs.emplace(name, values_of(run));
  return scope;
}

}  // namespace headlight::app
