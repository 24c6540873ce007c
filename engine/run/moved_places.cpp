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
  const auto grid = problem.grids.find("n_q");
  return grid == problem.grids.end() ? 0 : grid->second.columns;
}

}  // namespace

bool reads_no_place(const Problem& problem) {
  return problem.variant->info().id == "multi_head" && problem.params.choice("relative") == "none" &&
         problem.params.choice("rotary") == "none" && !problem.find("p_q") && !problem.find("p_k");
}

std::optional<Experiment> with_places_moved(const Experiment& experiment, const Problem& problem, Index by) {
  if (problem.variant->info().id != "multi_head" || problem.only_query || reads_no_place(problem)) return std::nullopt;
  Experiment moved = experiment;
  if (problem.params.choice("rotary") != "none") {
    static_cast<void>(moved.params.set("rotary_offset", problem.params.integer("rotary_offset") + by));
    moved.given.insert("rotary_offset");
  }
  for (const char* id : {"p_q", "p_k"}) {
    const Tensor* table = problem.find(id);
    if (!table || (std::string_view(id) == "p_k" && table == problem.find("p_q"))) continue;
    const Tensor there = moved_table(*table, columns_of(problem), by);
    moved.inputs[id] = LiteralInput{.shape = there.shape(), .values = {there.values().begin(), there.values().end()}};
  }
  return moved;
}

}  // namespace headlight
