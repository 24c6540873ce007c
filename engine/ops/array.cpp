#include "engine/ops/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headlight {

const Axis& Array::axis_at(Index axis) const {
  return axes[static_cast<std::size_t>(axis < 0 ? axis + static_cast<Index>(axes.size()) : axis)];
}

Index Array::size() const {
  Index cells = 1;
  for (const Axis& axis : axes) cells *= axis.size;
  return cells;
}

Shape Array::shape() const {
  return shape_of(axes);
}

Array Array::with_axes_of(const Array& other) const {
  Array read = *this;
  read.axes = other.axes;
  return read;
}

Shape shape_of(const std::vector<Axis>& axes) {
  Shape shape;
  for (const Axis& axis : axes) shape.push_back(axis.size);
  return shape;
}

namespace notation {

namespace {

// The letters of an index without their marks: "i", "ab".
std::string bare(const std::string& index) {
  const auto open = index.rfind('{');
  return open == std::string::npos ? index : index.substr(open + 1, index.find('}', open) - open - 1);
}

// Indices beside each other; those of several letters are parted by a comma.
std::string joined(const std::vector<std::string>& indices) {
  const bool long_ones = std::ranges::any_of(indices, [](const auto& index) { return bare(index).size() > 1; });
  return fmt::format("{}", fmt::join(indices, long_ones ? "," : ""));
}

std::string with_subscript(const std::string& symbol, const std::string& subscript) {
  if (subscript.empty()) return symbol;
  return subscript.size() == 1 ? symbol + "_" + subscript : fmt::format("{}_{{{}}}", symbol, subscript);
}

std::string indices_of(const Array& array, bool other_key) {
  std::vector<std::string> indices;
  for (const Axis& axis : array.axes)
    if (const auto& letters = other_key && axis.role == Role::key ? axis.other_index : axis.index; !letters.empty())
      indices.push_back(letters);
  return joined(indices);
}

}  // namespace

std::string mark(const std::string& id, const std::string& symbols) {
  return fmt::format("\\hl{{{}}}{{{}}}", id, symbols);
}

std::string written(const Array& array) {
  return mark(array.id, with_subscript(array.symbol, indices_of(array, false)));
}

std::string channel(const Array& array, const std::string& letter) {
  const std::string indices = indices_of(array, false);
  return mark(array.id, with_subscript(array.symbol, indices.empty() ? letter : indices + " " + letter));
}

std::string at_other_key(const Array& array) {
  return mark(array.id, with_subscript(array.symbol, indices_of(array, true)));
}

std::string raised(const Array& array, const std::string& letter) {
  return mark(array.id, with_subscript(array.symbol + "^" + letter, indices_of(array, false)));
}

std::string over_keys(const Array& map, bool other) {
  const Axis& keys = map.axis_at(-1);
  const std::string& letters = other ? keys.other_index : keys.index;
  return keys.window ? fmt::format("{} \\in N_k({})", letters, map.axis_at(-2).index) : letters;
}

std::string plus(const Array& bias) {
  return bias ? " + " + written(bias) : std::string();
}

}  // namespace notation

}  // namespace headlight
