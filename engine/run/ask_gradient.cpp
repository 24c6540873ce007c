#include "engine/run/ask_gradient.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "engine/base/words.h"
#include "engine/variants/recorder.h"

namespace headlight {

namespace {

Status ask(const GradientAsked& asked, Problem& problem) {
  HL_CHECK(problem.variant->check_gradients());
  problem.gradient = asked;
  Recorder dry(problem);
  problem.variant->record(dry);
  const auto outline = std::move(dry).outline();
  const auto found = std::ranges::find(outline, asked.of, &StepInfo::id);
  if (found == outline.end()) {
    std::vector<std::string> ids;
    for (const StepInfo& info : outline) ids.push_back(info.id);
    return fail("gradient.of \"{}\" is not in this run: it has {}", brief(asked.of), fmt::join(ids, ", "));
  }
  const Shape shape = shape_of(found->axes);
  if (asked.cell.empty()) return {};
  const bool inside = asked.cell.size() == shape.size() &&
                      std::ranges::equal(asked.cell, shape, [](Index at, Index size) { return at < size; });
  if (!inside)
    return fail("gradient.cell [{}] is no place of {}: it has {} axes of extents {}, counted from 0",
                fmt::join(asked.cell, ", "), asked.of, shape.size(), to_string(shape));
  return {};
}

}  // namespace

Status ask_gradient(const GradientAsked& asked, Problem& problem) {
  Status done = ask(asked, problem);
  if (!done) done.error().about.gradient = true;
  return done;
}

}  // namespace headlight
