#include "engine/variants/mechanism/windows.h"
#include "engine/ops/shifted_windows.h"
#include "engine/variants/variant.h"

namespace headlight::mechanism {

namespace {

bool has_windows(const Problem& problem) {
  return problem.variant->info().id == "swin";
}

}  // namespace

bool shifts_windows(const Problem& problem) {
  return has_windows(problem) && problem.params.integer("shift") > 0;
}

Index WindowGroups::pixel(Index asks, Index key) const {
  return ops::ShiftedWindows{rows, columns, side, shift}.pixel_at(asks, key);
}

std::optional<WindowGroups> window_groups(const Problem& problem, const Trace& trace) {
  const Step* windows = has_windows(problem) ? trace.find("windows") : nullptr;
  if (!windows) return std::nullopt;
  WindowGroups groups;
  groups.rows = windows->tensor().dim(0);
  groups.columns = windows->tensor().dim(1);
  groups.side = problem.params.integer("window");
  groups.shift = problem.params.integer("shift");
  groups.only = problem.only_query.value_or(-1);
  const ops::ShiftedWindows lie{groups.rows, groups.columns, groups.side, groups.shift, groups.only};
  constexpr Index regions = 9;  // of the circle's cut
  for (Index pixel = 0; pixel < groups.rows * groups.columns; ++pixel) {
    groups.window.push_back(static_cast<Index>(windows->tensor()[pixel]));
    groups.group.push_back(groups.window.back() * regions + (groups.shift > 0 ? lie.region(pixel) : 0));
  }
  return groups;
}

}  // namespace headlight::mechanism
