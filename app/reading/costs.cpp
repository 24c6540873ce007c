#include "app/reading/costs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/run/only_query.h"

namespace headlight::app {

namespace {

// Whether a symbol grows with the first input; frames stay as many as they are.
bool grows(const std::string& symbol) {
  const AxisRole role = role_of_symbol(symbol);
  return counts_positions(role) && role != AxisRole::frame;
}

// The first input's axes of positions with their extents, as the problem has them.
std::vector<std::pair<std::string, Index>> position_axes(const Problem& problem) {
  std::vector<std::pair<std::string, Index>> axes;
  for (const auto& symbol : problem.specs.inputs.front().shapes.front())
    if (grows(symbol)) axes.emplace_back(symbol, problem.dim(symbol));
  return axes;
}

// Weights that were saved are looked at: they cost what they are, and grow with nothing that can be set.
bool is_map(const ArraySpec& input) {
  return std::ranges::any_of(input.shapes.front(),
                             [](const auto& symbol) { return role_of_symbol(symbol) == AxisRole::key; }) &&
         std::ranges::any_of(input.shapes.front(),
                             [](const auto& symbol) { return role_of_symbol(symbol) == AxisRole::query; });
}

// The cost with the longest axis of positions at `size`, the others in proportion; none where that cannot be.
std::optional<Cost> cost_at(const Problem& problem, const ParamValues& params, Index size) {
  const auto axes = position_axes(problem);
  Index longest = 1;
  for (const auto& [symbol, extent] : axes) longest = std::max(longest, extent);
  Problem other = problem;  // arrays are shared: only their presence counts
  other.params = params;
  other.symbols.clear();
  for (const auto& [symbol, extent] : problem.symbols)
    if (!grows(symbol)) other.symbols[symbol] = extent;
  for (const auto& [symbol, extent] : axes)
    other.symbols[symbol] =
        std::max<Index>(1, static_cast<Index>(std::lround(static_cast<double>(extent) * static_cast<double>(size) /
                                                          static_cast<double>(longest))));
  problem.variant->bind(params, other.symbols);
  problem.variant->bind_rest(params, other.symbols);
  if (!problem.variant->validate(params, other.symbols)) return std::nullopt;
  other.only_query.reset();  // so that it is priced as asked
  return cost_of_asked_queries(other);
}

CostCurve curve(const Problem& problem, std::string name, const ParamValues& params, bool current,
                const std::vector<Index>& sizes) {
  CostCurve result{std::move(name), current, {}};
  for (const Index size : sizes)
    if (const auto cost = cost_at(problem, params, size)) result.points.push_back({size, *cost});
  return result;
}

// The mechanism in its other form, if it has one.
void add_other_form(CostChart& chart, const Problem& problem, const std::vector<Index>& sizes) {
  const Variant& variant = *problem.variant;
  ParamValues params = problem.params;
  std::string name = "as it is", other;
  if (problem.only_query) {
    name = "one query";
    other = "every query";
    params.set("only_query", std::monostate{});
  } else if (const ParamSpec* extent = find_param(variant.params(), "extent")) {
    constexpr Index usual = 7;
    const bool whole = extent->automatic && params.is_automatic("extent");
    name = whole ? "whole picture" : fmt::format("window of {}", params.integer("extent"));
    if (whole) {
      params.set("extent", usual);
      other = fmt::format("window of {}", usual);
    } else if (extent->automatic) {
      params.set("extent", std::monostate{});
      other = "whole picture";
    } else {
      const Index wider = 2 * params.integer("extent") + 1;
      params.set("extent", wider);
      other = fmt::format("window of {}", wider);
    }
  } else if (find_param(variant.params(), "sub_sample")) {
    const bool pooled = params.flag("sub_sample");
    name = pooled ? "pooled keys" : "all keys";
    other = pooled ? "all keys" : "pooled keys";
    params.set("sub_sample", !pooled);
  }
  chart.curves.push_back(curve(problem, name, problem.params, true, sizes));
  if (!other.empty()) chart.curves.push_back(curve(problem, other, params, false, sizes));
}

}  // namespace

CostChart cost_chart(const Problem& shown) {
  Problem problem = shown;
  problem.gradient.reset();  // what the way back costs is another matter
  CostChart chart;
  const auto axes = position_axes(problem);
  if (axes.empty() || is_map(problem.specs.inputs.front())) return chart;
  for (const auto& [symbol, extent] : axes) chart.size = std::max(chart.size, extent);
  // Two sequences of their own lengths do not grow together.
  if (const ArraySpec* second = second_input(problem.specs))
    if (problem.find(second->id) != problem.find(problem.specs.inputs.front().id)) return chart;
  const bool picture = axes.size() > 1;
  std::vector<std::string> sides;
  for (const auto& [symbol, extent] : axes) sides.push_back(fmt::to_string(extent));
  chart.at = fmt::format("{} position{}", chart.size, chart.size == 1 ? "" : "s");
  if (picture) chart.at = fmt::format("{}", fmt::join(sides, " × "));
  if (const Index frames = problem.extent(AxisRole::frame); frames > 1)
    chart.at = fmt::format("{} frames of {}", frames, chart.at);
  chart.of = picture ? "longer side of the picture, in pixels" : "positions";
  chart.own = cost_of(problem);
  std::vector<Index> sizes;
  const Index most = picture ? 128 : 4096, least = picture ? 4 : 8;
  for (Index size = least; size <= most; size *= 2) sizes.push_back(size);
  if (chart.size > least && chart.size < most && std::ranges::find(sizes, chart.size) == sizes.end())
    sizes.insert(std::ranges::lower_bound(sizes, chart.size), chart.size);
  add_other_form(chart, problem, sizes);
  return chart;
}

std::string count_text(double count) {
  constexpr const char* units[] = {"", " k", " M", " G", " T", " P"};
  std::size_t unit = 0;
  while (count >= 999.5 && unit + 1 < std::size(units)) {
    count /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f}{}", count, unit > 0 && count < 10 ? 1 : 0, units[unit]);
}

}  // namespace headlight::app
