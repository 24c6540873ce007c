#include "app/reading/edits_offered.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/reading/cell_trace.h"
#include "app/reading/key_place.h"
#include "app/reading/pixel_partners.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"
#include "engine/measures/head_outputs.h"

namespace headlight::app {

namespace {

using At = std::vector<std::optional<Span>>;

std::optional<Span> single_span(Index place) {
  return Span{place, place};
}

// Places along the axes of pairs of query and key: an axis without a place is taken whole.
struct Place {
  std::optional<Index> batch, head, query, key;
};

At spans_at(const Step& step, const Place& place) {
  At at;
  for (const Axis& axis : step.info.axes) {
    const AxisRole role = role_along(axis);
    std::optional<Index> index;
    if (role == AxisRole::batch) index = place.batch;
    if (role == AxisRole::head && place.head) index = place_of_head(axis, *place.head);
    if (role == AxisRole::query) index = axis.only ? axis.only : place.query;
    if (role == AxisRole::key) index = place.key;
    const bool inside = index && (axis.only || *index < axis.size);
    at.push_back(inside ? single_span(*index) : std::nullopt);
  }
  return at;
}

// Whether the run takes it; −∞ hides a key in what a softmax is made of. Of one query that was computed, places are
// those among all.
bool fits(const Edit& edit, const Step& step, bool hides) {
  StepInfo info = step.info;
  info.minus_infinity_masks = info.minus_infinity_masks || hides;
  for (Axis& axis : info.axes)
    if (axis.only) axis.size = std::max(axis.size, *axis.only + 1);
  return check_edit(edit, 1, info).has_value();
}

struct Offering {
  std::vector<EditOffer> offers;

  void add(const Step& step, EditOffer offer, bool hides = false) {
    offer.edit.array = step.info.id;
    if (fits(offer.edit, step, hides)) offers.push_back(std::move(offer));
  }
};

Edit making(Edit::Make make, At at) {
  Edit edit;
  edit.make = make;
  edit.at = std::move(at);
  return edit;
}

// Of the whole head.
void offer_head(Offering& offering, const Trace& trace, const Step& map, const Focus& focus) {
  const bool many = has_heads(map) && heads_of(map) > 1;
  const Place place{std::nullopt, many ? std::optional(focus.head) : std::nullopt, std::nullopt, std::nullopt};
  if (auto off = many ? edit_switching_off(trace, focus.head) : std::nullopt)
    offering.add(*head_outputs(trace), {"head-off", fmt::format("Switch head {} off", focus.head),
                                        "what it gives is set to 0", std::move(*off), true});
  const std::string whose = many ? fmt::format("Head {}: ", focus.head) : "";
  offering.add(map, {"uniform", whose + (many ? "uniform weights" : "Uniform weights"), "1/n over the visible keys",
                     making(Edit::Make::uniform, spans_at(map, place)), true});
  offering.add(map, {"permuted", whose + (many ? "permuted weights" : "Permuted weights"), "keys change places",
                     making(Edit::Make::permuted, spans_at(map, place)), true});
}

// Of the pair of query and key.
void offer_pair(Offering& offering, const Trace& trace, const Step& map, const Focus& focus) {
  const Axis* queries = map.axis(AxisRole::query);
  const Axis* keys = map.axis(AxisRole::key);
  const auto& chosen = focus.selection;
  if (!queries || !keys || !chosen.query || !chosen.key || *chosen.key >= keys->size) return;
  if (!queries->only && *chosen.query >= queries->size) return;
  const Index query = queries->only.value_or(*chosen.query), key = *chosen.key;
  const auto cell = cell_looked_at(map, focus);
  if (cell && !why_masked(trace, map, *cell).empty()) return;  // what is offered would change nothing
  const bool place = keys->grid || keys->position_of;
  const std::string asks = cell && is_on_picture(*queries) ? query_text(map, *cell) : fmt::format("{}", query),
                    asked = place ? key_place(trace, map, key, query, focus.batch).in_full() : fmt::format("{}", key);
  Place row{focus.batch, focus.head, query, std::nullopt};
  Edit one_hot = making(Edit::Make::one_hot, spans_at(map, row));
  one_hot.key = key;
  offering.add(map, {"one-hot", fmt::format("Query {}: all weight on key {}", asks, asked), "1 there, 0 elsewhere",
                     std::move(one_hot), false, true});
  const Step* scores = scores_to_cut(trace, map);
  if (!scores) return;
  row.key = key;
  Edit cut = making(Edit::Make::set, spans_at(*scores, row));
  cut.values = {-INFINITY};
  offering.add(*scores,
               {"cut", fmt::format("Query {}: cut key {}", asks, asked), "its score is set to −∞", std::move(cut)},
               true);
}

}  // namespace

const Step* scores_to_cut(const Trace& trace, const Step& map) {
  const Step* scores = map.info.kind == Kind::probability ? trace.scores_before(map) : nullptr;
  const Step* under =
      scores && masking_step(trace, map) == scores && masked_step(trace) ? trace.scores_before(*scores) : nullptr;
  return under ? under : scores;
}

std::vector<EditOffer> edits_offered(const Trace& trace, const Step& step, const Focus& focus) {
  Offering offering;
  const auto maps = trace.maps();
  const Step* map = std::ranges::find(maps, &step) != maps.end() ? &step : trace.map();
  // One that nothing is taken by: what it is changes nothing.
  const auto takes = [&](const Step& other) {
    const auto read = trace.inputs_of(other);
    return &other != map && std::ranges::find(read, map) != read.end();
  };
  if (!map || std::ranges::none_of(trace.steps, takes)) return {};
  offer_head(offering, trace, *map, focus);
  offer_pair(offering, trace, *map, focus);
  return std::move(offering.offers);
}

bool can_be_set(const Step& step) {
  return forward_id(step.info.id) == step.info.id;
}

std::optional<Index> cell_looked_at(const Step& step, const Focus& focus) {
  const Slice slice = slice_of(step, focus);
  const auto row = slice.rows ? selected_row(slice, focus.selection) : std::optional<Index>(0);
  const auto column = selected_column(slice, focus.selection);
  if (!row || !column) return std::nullopt;
  return slice.cell_at(*row, *column);
}

Selection moved_selection(const Step& step, const Focus& focus, const Selection& from, int rows, int columns) {
  const auto moved = [](std::optional<Index> at, int by, Index count) {
    return std::clamp<Index>(at.value_or(0) + by, 0, count - 1);
  };
  if (!focus.flat && has_places_of_windows(step) && from.query && from.key) {
    const Grid& grid = *step.axis(AxisRole::query)->grid;
    const Index place = step.axis(AxisRole::key)->position_of(*from.query, *from.key);
    const Index row = moved(place / grid.columns, rows, grid.rows),
                column = moved(place % grid.columns, columns, grid.columns);
    Selection to = from;
    to.key = key_at_place(step, *from.query, row * grid.columns + column).value_or(*from.key);
    return to;
  }
  const Slice slice = slice_of(step, focus);
  return selection_at(slice, moved(selected_row(slice, from), rows, slice.matrix.rows),
                      moved(selected_column(slice, from), columns, slice.matrix.columns), from);
}

Edit edit_of_cell(const Step& step, Index cell, double value) {
  Edit edit;
  edit.array = step.info.id;
  edit.values = {value};
  const auto places = index_at_flat(step.tensor().shape(), cell);
  for (std::size_t i = 0; i < places.size(); ++i)
    edit.at.push_back(single_span(step.info.axes[i].only.value_or(places[i])));
  return edit;
}

Edit edit_of_cells(const Step& step, Index first, Index last, double value) {
  Edit edit = edit_of_cell(step, first, value);
  const Edit other = edit_of_cell(step, last, value);
  for (std::size_t i = 0; i < edit.at.size(); ++i)
    edit.at[i] = Span{std::min(edit.at[i]->first, other.at[i]->first), std::max(edit.at[i]->last, other.at[i]->last)};
  return edit;
}

namespace {

std::optional<double> number_in(std::string text, bool decimal_commas) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\r' || c == '"'; });
  if (decimal_commas) std::ranges::replace(text, ',', '.');
  if (text.starts_with("\u2212")) text.replace(0, std::string_view("\u2212").size(), "-");
  if (text.starts_with('+')) text.erase(0, 1);
  const auto number = parse_number<double>(text);
  const bool fits = number && std::abs(*number) <= static_cast<double>(std::numeric_limits<float>::max());
  return fits ? number : std::nullopt;
}

// What a single comma in each line is, of figures without a point: between two numbers, or in one.
enum class Comma { between, decimal, either };
Comma comma_in(std::string_view text) {
  if (text.find('.') != std::string_view::npos || text.find(", ") != std::string_view::npos) return Comma::between;
  std::size_t lines = 0, with_one = 0;
  for (const std::string_view line : split(text, "\n")) {
    const auto commas = std::ranges::count(line, ',');
    if (commas > 1) return Comma::between;
    ++lines;
    with_one += commas == 1;
  }
  return with_one == lines ? Comma::either : Comma::decimal;
}

// Which of its axes that is; past them all for none, and for those of a picture.
std::size_t axis_at(const Step& step, const Axis* axis) {
  for (std::size_t i = 0; i < step.info.axes.size(); ++i)
    if (&step.info.axes[i] == axis) return i;
  return step.info.axes.size();
}

struct PastedBlock {
  Index rows = 0, columns = 0;
  std::vector<double> numbers;  // row after row
};

Result<PastedBlock> block_in(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return fail("the clipboard holds no numbers");
  std::string_view between = " ";
  for (const std::string_view separator : {",", ";", "\t"})
    if (text.find(separator) != std::string_view::npos) between = separator;
  if (between == ",") {
    const Comma comma = comma_in(text);
    if (comma == Comma::either)
      return fail("\"{}\" is one number or two: write a point in numbers, or a tab or ; between them",
                  brief(split(text, "\n").front()));
    if (comma == Comma::decimal) between = ";";  // a column of numbers with decimal commas
  }
  PastedBlock block;
  for (const std::string_view line : split(text, "\n")) {
    auto cells = split(line, between);
    if (between == " ") std::erase(cells, "");
    const auto columns = static_cast<Index>(cells.size());
    if (block.rows > 0 && columns != block.columns)
      return fail("line {} of the clipboard has {} number{}, and line 1 has {}", block.rows + 1, columns,
                  columns == 1 ? "" : "s", block.columns);
    block.columns = columns;
    ++block.rows;
    for (const std::string_view cell : cells) {
      const auto number = number_in(std::string(cell), between != "," && between != " ");
      if (!number) return fail("\"{}\" in line {} of the clipboard is not a number", brief(cell), block.rows);
      block.numbers.push_back(*number);
    }
  }
  return block;
}

}  // namespace

Result<Edit> edit_of_block(const Step& step, const Focus& focus, std::string_view text) {
  const Slice slice = slice_of(step, focus);
  const auto cell = cell_looked_at(step, focus);
  if (!cell) return fail("select the cell that the numbers begin at");
  HL_TRY(PastedBlock block, block_in(text));
  const std::size_t rows = axis_at(step, slice.rows), columns = axis_at(step, slice.columns);
  const bool in_rows = rows < step.info.axes.size(), in_columns = columns < step.info.axes.size();
  if (slice.is_picture() || !in_columns || (block.rows > 1 && !in_rows))
    return fail("numbers are laid over rows and columns of {}: show it as a matrix", step.info.title);
  Edit edit = edit_of_cell(step, *cell, 0);
  const auto widen = [&](std::size_t at, Index by) {
    auto& span = edit.at[at];
    const Axis& axis = step.info.axes[at];
    span->last = span->first + by - 1;
    return by == 1 || (!axis.only && span->last < axis.size);
  };
  if (!widen(columns, block.columns) || (in_rows && !widen(rows, block.rows)))
    return fail("{} × {} numbers do not fit from this cell on: {} has {} × {}", block.rows, block.columns,
                step.info.title, slice.matrix.rows, slice.matrix.columns);
  if (in_rows && rows > columns)
    return fail("{} is shown with its axes exchanged: paste into it one row at a time", step.info.title);
  edit.values = std::move(block.numbers);
  return edit;
}

std::string edit_in_words(const Trace* trace, const Edit& edit) {
  const Step* step = trace ? trace->find(edit.array) : nullptr;
  if (!step || !fits(edit, *step, true)) return edit.array;
  return words_of(edit, step->info.axes);
}

namespace {

// How many places there are along an axis; of one query that was computed, all.
Index places_of(const Axis& axis) {
  return axis.only ? std::max(axis.size, *axis.only + 1) : axis.size;
}

// The axes of an edit that are shown as rows and as columns: a picture's are none of them.
struct ShownAxes {
  std::size_t rows, columns;
};

std::optional<ShownAxes> shown_axes(const Step& step, const Focus& focus) {
  const Slice slice = slice_of(step, focus);
  if (slice.is_picture()) return std::nullopt;
  return ShownAxes{axis_at(step, slice.rows), axis_at(step, slice.columns)};
}

bool moves_key(const Edit& edit) {
  return edit.make == Edit::Make::one_hot;
}

bool holds(const Edit& edit, const Step& step, Index cell) {
  const Edit place = edit_of_cell(step, cell, 0);
  for (std::size_t i = 0; i < edit.at.size() && i < place.at.size(); ++i)
    if (edit.at[i] && (place.at[i]->first < edit.at[i]->first || place.at[i]->first > edit.at[i]->last)) return false;
  return true;
}

// Whether it stands at some places of that axis alone.
bool is_part(const Edit& edit, std::size_t axis) {
  return axis < edit.at.size() && edit.at[axis];
}

Result<std::optional<Span>> shifted_span(const Axis& axis, const std::optional<Span>& at, Index by) {
  if (by == 0) return at;
  if (!at) return fail("it is of all places along {}", axis.name);
  if (by < -at->first || by > places_of(axis) - 1 - at->last)
    return fail("it would leave the map, which has {} 0 to {}", axis.name, places_of(axis) - 1);
  return Span{at->first + by, at->last + by};
}

}  // namespace

std::optional<Index> edit_to_move(const Step& step, const Focus& focus, std::span<const Edit> edits) {
  const auto shown = shown_axes(step, focus);
  const auto cell = cell_looked_at(step, focus);
  if (!shown || !cell) return std::nullopt;
  for (std::size_t i = edits.size(); i-- > 0;) {
    const Edit& edit = edits[i];
    if (edit.array != step.info.id || !holds(edit, step, *cell)) continue;
    if (is_part(edit, shown->rows) || is_part(edit, shown->columns) || moves_key(edit))
      return static_cast<Index>(i + 1);
  }
  return std::nullopt;
}

Result<Edit> edit_moved(const Step& step, const Focus& focus, const Edit& edit, Index rows, Index columns) {
  if (edit.array != step.info.id) return fail("it is of {}, another step than the one that is shown", edit.array);
  const auto shown = shown_axes(step, focus);
  if (!shown) return fail("{} is shown as a picture: show it as a matrix", step.info.title);
  Edit moved = edit;
  moved.at.resize(step.info.axes.size());
  const auto& axes = step.info.axes;
  if (shown->rows < axes.size()) {
    HL_TRY(moved.at[shown->rows], shifted_span(axes[shown->rows], moved.at[shown->rows], rows));
  }
  if (shown->columns >= axes.size()) return moved;
  if (moves_key(edit)) {
    const Index last = places_of(axes[shown->columns]) - 1;
    if (columns < -edit.key || columns > last - edit.key)
      return fail("it would leave the map, which has key 0 to {}", last);
    moved.key += columns;
    return moved;
  }
  HL_TRY(moved.at[shown->columns], shifted_span(axes[shown->columns], moved.at[shown->columns], columns));
  return moved;
}

}  // namespace headlight::app
