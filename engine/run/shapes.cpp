#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/run/shapes.h"

namespace headlight {

namespace {

bool is_one(const std::string& symbol) {
  return role_of_symbol(symbol) == AxisRole::one;
}

}  // namespace

void Shapes::bind(const std::string& symbol, Index extent, std::string by) {
  bound_.try_emplace(symbol, Binding{extent, std::move(by)});
}

Status Shapes::match(const ArraySpec& spec, const Shape& shape, const std::string& by) {
  std::string complaint;
  for (const auto& symbols : spec.shapes) {
    complaint = mismatch(symbols, shape);
    if (!complaint.empty()) continue;
    for (std::size_t axis = 0; axis < symbols.size(); ++axis)
      if (!is_one(symbols[axis])) bind(symbols[axis], shape[axis], fmt::format("{}, axis {}", by, axis));
    return {};
  }
  if (spec.shapes.size() > 1 || complaint.empty())
    return fail("{} has shape {}: it must be {}", by, to_string(shape), wanted(spec));
  return fail("{} has shape {}, but {}: it must be {}", by, to_string(shape), complaint, wanted(spec));
}

Symbols Shapes::symbols() const {
  Symbols result;
  for (const auto& [symbol, binding] : bound_) result[symbol] = binding.extent;
  return result;
}

void Shapes::take(const Symbols& symbols, const std::string& by) {
  for (const auto& [symbol, extent] : symbols) bind(symbol, extent, by);
}

std::string Shapes::mismatch(const std::vector<std::string>& symbols, const Shape& shape) const {
  if (symbols.size() != shape.size()) return fmt::format("it has {} axes, not {}", shape.size(), symbols.size());
  for (std::size_t axis = 0; axis < symbols.size(); ++axis) {
    if (shape[axis] == 0) return fmt::format("axis {} is empty", axis);
    if (is_one(symbols[axis]) && shape[axis] != 1) return fmt::format("axis {} must be 1", axis);
    const auto found = bound_.find(symbols[axis]);
    if (found != bound_.end() && found->second.extent != shape[axis])
      return fmt::format("{} is {} ({})", symbols[axis], found->second.extent, found->second.by);
  }
  return {};
}

// "(B, n_q, d_q) = (2, ?, 32)", every alternative.
std::string Shapes::wanted(const ArraySpec& spec) const {
  std::vector<std::string> alternatives;
  for (const auto& symbols : spec.shapes) {
    std::vector<std::string> extents;
    for (const auto& symbol : symbols) {
      const auto found = bound_.find(symbol);
      extents.push_back(is_one(symbol)          ? symbol
                        : found == bound_.end() ? "any"
                                                : fmt::format("{}", found->second.extent));
    }
    alternatives.push_back(fmt::format("({}) = ({})", fmt::join(symbols, ", "), fmt::join(extents, ", ")));
  }
  return fmt::format("{}", fmt::join(alternatives, " or "));
}

}  // namespace headlight
