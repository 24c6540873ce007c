#include "engine/variants/array_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine/core/mistake.h"

namespace headlight {

namespace {

// A symbol that all variants share. Every other symbol counts channels.
struct Meaning {
  std::string_view symbol;
  const char* name;
  Role role = Role::none;
};
constexpr Meaning meanings[] = {
    {"B", "batch"},
    {"M", "head"},
    {"G", "key head"},
    {"2M", "map"},
    {"2G", "key map"},
    {"n_q", "query", Role::query},
    {"n_k", "key", Role::key},
    {"T", "frame"},
    {"H", "row"},
    {"W", "column"},
    {"L", "position"},
    {"h", "feature"},
    {"2P-1", "offset", Role::position},
};

void describe(Axis& axis) {
  const auto found = std::ranges::find(meanings, std::string_view(axis.symbol), &Meaning::symbol);
  const bool shared = found != std::end(meanings);
  axis.name = shared ? found->name : "channel";
  if (shared) axis.role = found->role;
}

// An array may have one of several shapes. In a dry run its extents may still change, so its rank decides.
const std::vector<std::string>& symbols_of(const Problem& problem, const ArraySpec& spec, const Tensor* tensor) {
  if (!tensor) return spec.shapes.front();
  const auto of_rank = [&](const auto& shape) { return static_cast<Index>(shape.size()) == tensor->rank(); };
  const auto extent_of = [&](const std::string& symbol) -> Index {
    if (symbol == "1") return 1;
    const auto bound = problem.symbols.find(symbol);
    return bound == problem.symbols.end() ? -1 : bound->second;
  };
  const auto fits = [&](const std::vector<std::string>& shape) {
    return of_rank(shape) && std::ranges::equal(shape, tensor->shape(), {}, extent_of);
  };
  auto shape = std::ranges::find_if(spec.shapes, fits);
  if (shape == spec.shapes.end()) shape = std::ranges::find_if(spec.shapes, of_rank);
  return shape == spec.shapes.end() ? spec.shapes.front() : *shape;
}

// "−2", "−1", "0", "1", "2".
std::vector<std::string> labels_of_offsets(Index count) {
  std::vector<std::string> labels;
  for (Index offset = -(count / 2); offset < count - count / 2; ++offset)
    labels.push_back(fmt::format("{}{}", offset < 0 ? "−" : "", std::abs(offset)));
  return labels;
}

}  // namespace

std::vector<Axis> axes_of_array(const Problem& problem, const ArraySpec& spec, const Tensor* tensor, bool dry) {
  std::vector<Axis> axes;
  for (const std::string& symbol : symbols_of(problem, spec, tensor)) {
    Axis axis;
    axis.symbol = symbol;
    if (symbol != "1" && !problem.symbols.contains(symbol))
      mistake("{}: the array {} has the axis {}, a symbol that bind(), bind_rest() and the inputs leave unbound",
              problem.variant->info().id, spec.id, symbol);
    axis.size = symbol == "1" ? 1 : problem.dim(symbol);
    describe(axis);
    set_letters(axis);
    set_shared_heads(problem, axis);
    if (symbol == "n_q") axis.only = problem.only_query;
    add_places(problem, axis);
    if (!dry && symbol == "2P-1") axis.labels = labels_of_offsets(axis.size);
    if (const auto labels = problem.labels.find(symbol); !dry && labels != problem.labels.end())
      axis.labels = labels->second;
    axes.push_back(std::move(axis));
  }
  return axes;
}

void set_letters(Axis& axis) {
  if (axis.symbol == "n_q") axis.index = R"(\hl{n_q}{i})";
  if (axis.symbol == "N") axis.index = "p";
  if (axis.symbol != "n_k") return;
  axis.index = R"(\hl{n_k}{j})";
  axis.other_index = R"(\hl{n_k}{t})";
}

void add_places(const Problem& problem, Axis& axis) {
  if (const auto grid = problem.grids.find(axis.symbol); grid != problem.grids.end()) axis.grid = grid->second;
  if (const auto placed = problem.placed.find(axis.symbol); placed != problem.placed.end())
    axis.placed = placed->second;
  if (const auto given = problem.given_labels.find(axis.symbol); given != problem.given_labels.end())
    axis.given_labels = given->second;
}

void set_shared_heads(const Problem& problem, Axis& axis) {
  if (role_along(axis) != AxisRole::head) return;
  axis.shared_by = std::max<Index>(1, problem.extent(AxisRole::head) / std::max<Index>(1, axis.size));
  // Those of keys that nobody shares are the heads themselves.
  if (axis.symbol == "G" && axis.size == problem.dim("M")) axis.name = "head";
  if (axis.symbol == "2G" && axis.shared_by == 1) axis.name = "map";
}

}  // namespace headlight
