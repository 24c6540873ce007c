#include "app/reading/pixel_partners.h"

#include <algorithm>

#include "app/reading/step_words.h"

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

bool has_places_of_windows(const Step& map) {
  return are_places_of_windows(map.axis(AxisRole::query), map.axis(AxisRole::key));
}

bool is_seen_on_picture(const Step& step) {
  return slice_of(step, {}).is_picture() || has_places_of_windows(step);
}

std::optional<Index> key_at_place(const Step& map, Index query, Index place) {
  const Axis& keys = *map.axis(AxisRole::key);
  for (Index j = 0; j < keys.size; ++j)
    if (keys.position_of(query, j) == place) return j;
  return std::nullopt;
}

Step keys_on_grid(const Trace& trace, const Step& map, std::optional<Index> query) {
  const Axis &queries = *map.axis(AxisRole::query), &keys = *map.axis(AxisRole::key);
  const Index places = queries.grid->rows * queries.grid->columns,
              maps = map.tensor().size() / (queries.size * keys.size);
  const Index first = query ? *query - queries.only.value_or(0) : 0, kept = query ? 1 : queries.size;
  Step whole;
  whole.info = map.info;
  whole.info.code = {};
  whole.info.minus_infinity_masks = true;
  whole.extents = map.extents;
  auto& axes = whole.info.axes;
  Axis &asking = axes[axes.size() - 2], &at = axes.back();
  if (query) asking.only = query;
  asking.size = kept;
  at.size = places;
  at.grid = queries.grid;
  at.position_of = {};
  at.labels.clear();
  at.given_labels.clear();
  Shape shape = map.tensor().shape();
  shape[shape.size() - 2] = kept;
  shape.back() = places;
  Tensor values(std::move(shape));
  std::ranges::fill(values.values(), masked_value);
  const auto shown = with_hidden(trace, map);
  for (Index m = 0; m < maps; ++m)
    for (Index row = 0; row < kept; ++row)
      for (Index j = 0; j < keys.size; ++j)
        values[(m * kept + row) * places + keys.position_of(queries.only.value_or(first + row), j)] =
            (*shown)[(m * queries.size + first + row) * keys.size + j];
  whole.values = std::make_shared<const Tensor>(std::move(values));
  return whole;
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
