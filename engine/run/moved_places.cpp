#include "engine/run/moved_places.h"

#include <algorithm>

#include "engine/math/positions.h"

namespace headlight {

namespace {

// Whether a table of places (…, n, d) holds those codes, as they are made where nobody gives others.
bool holds(const Tensor& table, const Tensor& codes) {
  const Index each = codes.size();
  for (Index i = 0; i < table.size(); ++i)
    if (table[i] != codes[i % each]) return false;
  return true;
}

Tensor sinusoids(Index n, Index d) {
  Tensor codes({n, d});
  sinusoidal_positions(n, d, codes.data());
  return codes;
}

Tensor sinusoids_2d(Index rows, Index columns, Index d) {
  Tensor codes({rows * columns, d});
  sinusoidal_positions_2d(rows * columns, columns, d, codes.data());
  return codes;
}

// A table of positions (…, n, d) whose row i is that of place i + by; on a grid of `columns`, by so many to the right.
Tensor moved_table(const Tensor& table, Index columns, Index by) {
  const Index n = table.dim(-2), d = table.dim(-1), rows = columns > 0 ? n / columns : 0;
  Tensor moved(table.shape());
  const auto take = [&](const Tensor& from, const auto& row_of) {
    for (Index i = 0; i < moved.size() / d; ++i) std::copy_n(from.data() + row_of(i) * d, d, moved.data() + i * d);
    return std::move(moved);
  };
  if (holds(table, sinusoids(n, d))) return take(sinusoids(n + by, d), [&](Index i) { return i % n + by; });
  const Index wide = columns + by;
  if (rows * columns == n && rows > 0 && d % 4 == 0 && holds(table, sinusoids_2d(rows, columns, d)))
    return take(sinusoids_2d(rows, wide, d), [&](Index i) { return i % n / columns * wide + i % columns + by; });
  return take(table, [&](Index i) { return i / n * n + (i % n + by) % n; });
}

// 0 where places lie on no grid.
Index columns_of(const Problem& problem) {
  if (!problem.params.is_automatic("grid_columns")) return problem.params.integer("grid_columns");
  const auto grid = problem.grids.find(std::string(symbol_of(AxisRole::query)));
  return grid == problem.grids.end() ? 0 : grid->second.columns;
}

// The tables of positions that are added to queries or keys, those that serve in another's place aside.
std::vector<std::string> tables_of(const Problem& problem) {
  std::vector<std::string> ids;
  std::vector<const Tensor*> seen;
  for (const ArraySpec& spec : problem.specs.inputs) {
    const Tensor* table = spec.role == Role::position ? problem.find(spec.id) : nullptr;
    const auto& shape = spec.shapes.front();
    if (!table || shape.size() < 2 || !counts_positions(role_of_symbol(shape[shape.size() - 2]))) continue;
    if (std::ranges::count(seen, table) == 0) ids.push_back(spec.id);
    seen.push_back(table);
  }
  return ids;
}

// Whether places can be moved there.
bool has_places(const Problem& problem) {
  return problem.variant->info().id == "multi_head" || problem.variant->info().id == "mla";
}

}  // namespace

void keep_made_weights(Experiment& experiment, const Problem& problem) {
  if (problem.heads.empty()) return;  // drawn, or given: the same again
  for (const ArraySpec& spec : problem.specs.weights) {
    const bool asks = spec.role == Role::query || spec.role == Role::key;
    if (const Tensor* made = asks && spec.fill == Fill::init ? problem.find(spec.id) : nullptr)
      experiment.inputs.try_emplace(spec.id, literal_input(*made));
  }
}

bool ignores_positions(const Problem& problem) {
  return problem.variant->info().id == "multi_head" && problem.params.choice("relative") == "none" &&
         problem.params.choice("rotary") == "none" && tables_of(problem).empty();
}

std::optional<Experiment> with_positions_shifted(const Experiment& experiment, const Problem& problem, Index by) {
  if (!has_places(problem) || problem.only_query || ignores_positions(problem)) return std::nullopt;
  Experiment moved = experiment;
  if (problem.params.choice("rotary") != "none")
    moved.params.set("rotary_offset", problem.params.integer("rotary_offset") + by);
  const auto tables = tables_of(problem);
  if (!tables.empty()) keep_made_weights(moved, problem);
  for (const std::string& id : tables)
    moved.inputs[id] = literal_input(moved_table(*problem.find(id), columns_of(problem), by));
  return moved;
}

}  // namespace headlight
