#include "engine/run/only_query.h"

#include <algorithm>
#include <utility>

namespace headlight {

namespace {

std::string queries_symbol() {
  return std::string(symbol_of(AxisRole::query));
}

// The array without the other positions along an axis.
Tensor row_of(const Tensor& array, std::size_t axis, Index at) {
  Shape shape = array.shape();
  Index outer = 1, inner = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  const Index count = std::exchange(shape[axis], 1);
  Tensor row = Tensor::uninitialized(std::move(shape));
  for (Index i = 0; i < outer; ++i) std::copy_n(array.data() + (i * count + at) * inner, inner, row.data() + i * inner);
  return row;
}

// The axis of queries in an array of that shape, if it has one.
std::optional<std::size_t> query_axis(const ArraySpec& spec, const Shape& shape) {
  for (const auto& symbols : spec.shapes) {
    if (symbols.size() != shape.size()) continue;
    const auto found = std::ranges::find(symbols, symbol_of(AxisRole::query));
    if (found == symbols.end()) return std::nullopt;
    return static_cast<std::size_t>(found - symbols.begin());
  }
  return std::nullopt;
}

// What was edited in the row that is kept.
void keep_row_of_edits(Problem& problem, const ArraySpec& spec, std::size_t axis, Index query) {
  const auto found = problem.edited.find(spec.recorded_as.empty() ? spec.id : spec.recorded_as);
  if (found == problem.edited.end()) return;
  auto cells = std::make_shared<EditedCells>();
  cells->before = std::make_shared<const Tensor>(row_of(*found->second.cells->before, axis, query));
  cells->by = std::make_shared<const Tensor>(row_of(*found->second.cells->by, axis, query));
  std::erase_if(found->second.applied, [&](const AppliedEdit& edit) {
    return std::ranges::count(cells->by->values(), static_cast<float>(edit.number)) == 0;
  });
  found->second.cells = std::move(cells);
  if (found->second.applied.empty()) problem.edited.erase(found);
}

}  // namespace

bool can_keep_one_query(const Variant& variant) {
  return find_param(variant.params(), "only_query") != nullptr;
}

Index middle_query(const Problem& problem) {
  const Index queries = problem.extent(AxisRole::query);
  Grid grid{problem.extent(AxisRole::frame), problem.extent(AxisRole::row), problem.extent(AxisRole::column)};
  if (const auto found = problem.grids.find(queries_symbol()); found != problem.grids.end()) grid = found->second;
  if (grid.frames * grid.rows * grid.columns != queries) grid = {1, 1, queries};
  return ((grid.frames / 2) * grid.rows + grid.rows / 2) * grid.columns + grid.columns / 2;
}

std::optional<Index> asked_query(const Variant& variant, const ParamValues& params) {
  if (!can_keep_one_query(variant) || params.is_automatic("only_query")) return std::nullopt;
  return params.integer("only_query");
}

Cost cost_of_asked_queries(const Problem& problem) {
  if (problem.only_query || !asked_query(*problem.variant, problem.params)) return cost_of(problem);
  Problem one = problem;  // arrays are shared, and only their presence counts
  one.symbols.insert_or_assign(queries_symbol(), 1);
  return cost_of(one);
}

Status keep_only_query(Problem& problem) {
  const auto query = asked_query(*problem.variant, problem.params);
  if (!query) return {};
  const Index count = problem.extent(AxisRole::query);
  if (*query >= count)
    return fail("params.only_query is {}: there {}", *query,
                count == 1 ? "is one query, 0" : fmt::format("are {} queries, 0 to {}", count, count - 1));
  for (const auto& spec : problem.specs.inputs) {
    const auto found = problem.arrays.find(spec.id);
    if (found == problem.arrays.end()) continue;
    if (const auto axis = query_axis(spec, found->second->shape())) {
      found->second = std::make_shared<const Tensor>(row_of(*found->second, *axis, *query));
      keep_row_of_edits(problem, spec, *axis, *query);
    }
  }
  if (const auto labels = problem.labels.find(queries_symbol()); labels != problem.labels.end())
    labels->second = {labels->second[static_cast<std::size_t>(*query)]};
  if (const auto given = problem.given_labels.find(queries_symbol()); given != problem.given_labels.end())
    for (auto& list : given->second) list = {list[static_cast<std::size_t>(*query)]};
  problem.symbols[queries_symbol()] = 1;
  problem.only_query = query;
  return {};
}

}  // namespace headlight
