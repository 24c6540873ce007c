#include "app/reading/pixel_partners.h"

#include <algorithm>

namespace headlight::app {

std::optional<Index> PixelPartners::in_row(Index row, Index key) const {
  const Index cell = row * keys + key;
  if (row < 0 || key < 0 || key >= keys || cell >= static_cast<Index>(at.size())) return std::nullopt;
  const Index partner = at[static_cast<std::size_t>(cell)];
  return partner < 0 ? std::nullopt : std::optional(partner);
}

bool are_places_of_windows(const Axis* queries, const Axis* keys) {
  return queries && keys && keys->position_of && queries->grid && role_along(*queries) == AxisRole::query;
}

PixelPartners partners_by_pixel(const Axis& queries, const Axis& from, const Axis& to) {
  PixelPartners partners{queries.only.value_or(0), from.size, {}};
  partners.at.reserve(static_cast<std::size_t>(queries.size * from.size));
  const Grid& grid = *queries.grid;
  std::vector<std::int32_t> at_pixel(static_cast<std::size_t>(grid.frames * grid.rows * grid.columns), -1);
  const auto mark = [&](Index query, bool on) {
    for (Index j = 0; j < to.size; ++j)
      at_pixel[static_cast<std::size_t>(to.position_of(query, j))] = on ? static_cast<std::int32_t>(j) : -1;
  };
  for (Index row = 0; row < queries.size; ++row) {
    const Index query = partners.first_query + row;
    mark(query, true);
    for (Index j = 0; j < from.size; ++j)
      partners.at.push_back(at_pixel[static_cast<std::size_t>(from.position_of(query, j))]);
    mark(query, false);
  }
  return partners;
}

MovedCells moved_to(const Axis& queries, const Axis& from, const Axis& to, const MatrixView& cells) {
  const PixelPartners partners = partners_by_pixel(queries, from, to);
  MovedCells moved{Tensor({cells.rows, to.size}), 0};
  std::ranges::fill(moved.cells.values(), masked_value);
  for (Index row = 0; row < cells.rows; ++row)
    for (Index j = 0; j < cells.columns; ++j) {
      const auto partner = partners.in_row(row, j);
      if (partner) moved.cells[row * to.size + *partner] = cells.at(row, j);
      moved.left_out += !partner && !is_masked(cells.at(row, j)) && cells.at(row, j) != 0;
    }
  return moved;
}

}  // namespace headlight::app
