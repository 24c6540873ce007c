#include <algorithm>
#include <map>

#include "engine/ops/shifted_windows.h"
#include "engine/variants/mask_option.h"
#include "engine/variants/mechanism/mechanism.h"
#include "engine/variants/score_term.h"

namespace headlight::mechanism {

std::string choice_of(const Problem& problem, std::string_view id) {
  return find_param(problem.variant->params(), id) ? problem.params.choice(id) : "";
}

bool hides_later_keys(const Problem& problem) {
  return choice_of(problem, "mask") == "causal";
}

std::optional<OffsetTerm> offset_term(const Problem& problem, const Trace& trace) {
  if (problem.variant->info().id != "multi_head") return std::nullopt;
  const ScoreTerm* term = score_term(problem.params);
  if (!term) return std::nullopt;
  OffsetTerm found;
  found.added = trace.find("position_bias");
  found.of_query = !found.added;
  if (found.of_query) found.added = trace.find("position_scores");
  if (!found.added) return std::nullopt;
  found.for_all = trace.find("offset_scores");
  found.rows = trace.find("relative_index");
  found.first_query = mask::first_query(problem);
  found.title = term->choice().title;
  return found;
}

std::vector<OffsetEntry> offset_entries(const OffsetTerm& term, Index batch, Index head, Index query) {
  const Tensor& added = term.added->tensor();  // (1|B, M, n_q, n_k)
  const Index queries = added.dim(2), keys = added.dim(3);
  const auto plane_of = [&](const Step& step) {
    const Tensor& x = step.tensor();
    const Index place = place_of_head(*step.axis(AxisRole::head), head);
    return x.data() + ((x.dim(0) == 1 ? 0 : batch) * x.dim(1) + place) * queries * keys;
  };
  const float* plane = plane_of(*term.added);
  const float* for_all = term.for_all ? plane_of(*term.for_all) : nullptr;
  std::map<Index, OffsetEntry> found;
  const auto add = [&](Index i, Index j) {
    const Index offset = j - i - term.first_query, pair = i * keys + j;
    found.try_emplace(
        offset,
        OffsetEntry{offset, static_cast<double>(plane[pair]) + (for_all ? static_cast<double>(for_all[pair]) : 0),
                    term.rows ? static_cast<Index>(term.rows->tensor()[pair]) : -1});
  };
  // The first row and the last one have every offset that there is.
  for (Index j = 0; j < keys; ++j)
    for (const Index i : term.of_query ? std::vector<Index>{query} : std::vector<Index>{0, queries - 1}) add(i, j);
  for (Index i = 0; i < queries && !term.of_query; ++i) {
    add(i, 0);
    add(i, keys - 1);
  }
  std::vector<OffsetEntry> list;
  for (const auto& [offset, at] : found) list.push_back(at);
  return list;
}

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
