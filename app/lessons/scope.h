// What expressions of a lesson may ask: the run that is shown, the runs beside it, their parameters and measures.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/expressions/expression.h"
#include "engine/io/experiment.h"

namespace headlight::app {

struct LessonRun {
  std::shared_ptr<const Experiment> experiment;
  std::shared_ptr<const Trace> trace;  // null: it has no result
};
using LessonRuns = std::map<std::string, LessonRun, std::less<>>;

// The place along an axis that a token or a number says: "fox", "\"cat\"#2", "q3", "3". Error: what there is.
Result<Index> parse_position(const Axis& axis, std::string_view word);

// The scope keeps what it needs of them.
ExpressionScope make_scope(const LessonRun& shown, const LessonRuns& others);

}  // namespace headlight::app
