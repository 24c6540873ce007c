#include "engine/io/axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engine/base/words.h"

#include "engine/io/file.h"

namespace headlight {

namespace {

constexpr std::string_view letters = "bcnthw";

bool has(std::string_view axes, char letter) {
  return axes.find(letter) != std::string_view::npos;
}

Index extent(std::string_view axes, const Shape& shape, char letter) {
  const auto at = axes.find(letter);
  return at == std::string_view::npos ? 1 : shape[at];
}

// Steps from one element to the next along an axis; 0 where there is no such axis, which has one element then.
Index stride(std::string_view axes, const Shape& shape, char letter) {
  const auto at = axes.find(letter);
  if (at == std::string_view::npos) return 0;
  Index step = 1;
  for (std::size_t i = at + 1; i < shape.size(); ++i) step *= shape[i];
  return step;
}

// All six axes in that order.
Tensor in_order(const Tensor& given, std::string_view axes, std::string_view order, Shape shape) {
  std::array<Index, letters.size()> count{}, step{};
  for (std::size_t i = 0; i < order.size(); ++i) {
    count[i] = extent(axes, given.shape(), order[i]);
    step[i] = stride(axes, given.shape(), order[i]);
  }
  Tensor result = Tensor::uninitialized(std::move(shape));
  std::array<Index, letters.size()> at{};
  Index from = 0;
  for (Index to = 0; to < result.size(); ++to) {
    result[to] = given[from];
    for (std::size_t i = letters.size(); i-- > 0;) {
      from += step[i];
      if (++at[i] < count[i]) break;
      from -= step[i] * count[i];
      at[i] = 0;
    }
  }
  return result;
}

}  // namespace

Status check_axes(std::string_view axes) {
  constexpr const char* meaning =
      "b items, c channels, and n positions, or h rows and w columns, or t frames, h rows and w columns";
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (!has(letters, axes[i]) || has(axes.substr(0, i), axes[i]))
      return fail("\"{}\" must be a letter for each axis, each once: {}", brief(axes), meaning);
  if (has(axes, 'n') && has(axes, 'h') && has(axes, 'w'))
    return fail("\"{}\" has n, positions in a row, beside rows and columns: items of a batch are b", axes);
  const bool rows = has(axes, 'h') && has(axes, 'w'), either = has(axes, 'h') || has(axes, 'w');
  if (either != rows || has(axes, 'n') == rows || (has(axes, 't') && !rows))
    return fail("\"{}\" must say where the positions are: {}", brief(axes), meaning);
  return {};
}

Status check_map_axes(std::string_view axes) {
  for (const char letter : axes)
    if (std::string_view("lbhqkwyxYX").find(letter) == std::string_view::npos || std::ranges::count(axes, letter) > 1)
      return fail(
          "\"{}\" must name axes by l (layers), b (batch), h (heads), q (queries) and k (keys), once each; y and x are "
          "rows and columns of the queries' picture, Y and X of the keys', and w is in place of k where keys are those "
          "of a "
          "window round their query",
          one_line(axes));
  const auto places = [&](char one, char row, char column) {
    const bool rows = has(axes, row), columns = has(axes, column);
    return rows == columns && rows != has(axes, one);
  };
  const bool windows = has(axes, 'w');
  if (windows && (has(axes, 'k') || has(axes, 'y') || has(axes, 'x')))
    return fail("\"{}\": w, the keys of a window round each query, stands beside q and without k", one_line(axes));
  if (!places('q', 'y', 'x') || !places(windows ? 'w' : 'k', 'Y', 'X'))
    return fail("\"{}\" must have q (queries), or y and x, and k (keys), or Y and X", one_line(axes));
  return {};
}

bool are_map_axes(std::string_view axes) {
  return axes.find_first_of("lqkYX") != std::string_view::npos;
}

Status check_axes(std::string_view axes, const Shape& shape) {
  HL_CHECK(check_axes(axes));
  if (axes.size() == shape.size()) return {};
  return fail("\"{}\" names {} axes, but the array has {}, {}", axes, axes.size(), shape.size(), to_string(shape));
}

const std::vector<std::string>& axes_of_rank(std::size_t rank) {
  static const std::array<std::vector<std::string>, 6> known{{{},
                                                              {"n"},
                                                              {"nc", "cn", "hw"},
                                                              {"bnc", "chw", "hwc", "bcn", "thw"},
                                                              {"bchw", "bhwc", "tchw", "thwc", "cthw"},
                                                              {"bcthw", "btchw", "bthwc"}}};
  return known[rank < known.size() ? rank : 0];
}

std::string axes_in_words(std::string_view axes, const Shape& shape) {
  constexpr std::array<std::array<std::string_view, 2>, letters.size()> words{{{"item", "items"},
                                                                               {"channel", "channels"},
                                                                               {"position", "positions"},
                                                                               {"frame", "frames"},
                                                                               {"row", "rows"},
                                                                               {"column", "columns"}}};
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < axes.size(); ++i)
    parts.push_back(fmt::format("{} {}", shape[i], words[letters.find(axes[i])][shape[i] == 1 ? 0 : 1]));
  return fmt::format("{}", fmt::join(parts, " · "));
}

InputKind kind_of_axes(std::string_view axes) {
  if (has(axes, 't')) return InputKind::frames;
  return has(axes, 'h') ? InputKind::image : InputKind::signal;
}

Grid grid_of_axes(std::string_view axes, const Shape& shape) {
  return {extent(axes, shape, 't'), extent(axes, shape, 'h'),
          has(axes, 'n') ? extent(axes, shape, 'n') : extent(axes, shape, 'w')};
}

Tensor laid_out(const Tensor& given, std::string_view axes, const ArraySpec& spec) {
  const Shape& shape = given.shape();
  const Index items = extent(axes, shape, 'b'), channels = extent(axes, shape, 'c');
  const auto [frames, rows, columns] = grid_of_axes(axes, shape);
  if (spec.layout == Layout::rows) return in_order(given, axes, "bthwnc", {items, frames * rows * columns, channels});
  const std::size_t rank = spec.shapes.front().size();
  if (rank == 3) return in_order(given, axes, "bcthwn", {items, channels, frames * rows * columns});
  if (rank == 4) return in_order(given, axes, "btchwn", {items * frames, channels, rows, columns});
  return in_order(given, axes, "bcthwn", {items, channels, frames, rows, columns});
}

}  // namespace headlight
