#include "engine/variants/edits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/core/random.h"
#include "engine/picture/value_range.h"
#include "engine/trace/code_names.h"

namespace headlight {

namespace {

using Make = Edit::Make;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

bool is_map(const StepInfo& info) {
  return info.role == Role::weight && !info.axes.empty() && role_along(info.axes.back()) == AxisRole::key;
}

// Where one query of many was kept, its position among all becomes row 0; nothing for another query.
std::optional<Span> span_on(const Axis& axis, const std::optional<Span>& asked) {
  if (!asked) return Span{0, axis.size - 1};
  if (!axis.only) return asked;
  if (asked->first > *axis.only || asked->last < *axis.only) return std::nullopt;
  return Span{0, 0};
}

// An entry an axis; nothing where the edit is of queries that are not computed.
std::optional<std::vector<Span>> spans_on(const std::vector<Axis>& axes, const Edit& edit) {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto span = span_on(axes[i], edit.at.empty() ? std::nullopt : edit.at[i]);
    if (!span) return std::nullopt;
    spans.push_back(*span);
  }
  return spans;
}

// Calls act(cell, count) for each cell of the block in C order.
template <class Act>
void each_cell(const std::vector<Axis>& axes, const std::vector<Span>& spans, const Act& act) {
  std::vector<Index> at;
  for (const Span& span : spans) at.push_back(span.first);
  for (std::size_t count = 0;; ++count) {
    Index cell = 0;
    for (std::size_t i = 0; i < at.size(); ++i) cell = cell * axes[i].size + at[i];
    act(cell, count);
    std::size_t axis = at.size();
    while (axis > 0 && at[axis - 1] == spans[axis - 1].last) {
      --axis;
      at[axis] = spans[axis].first;
    }
    if (axis == 0) return;
    ++at[axis - 1];
  }
}

// ---- In words ------------------------------------------------------------------------------------------------------

std::string name_of(const Axis& axis, bool many) {
  const std::string name = axis.name.empty() ? axis.symbol : axis.name;
  if (!many) return name;
  if (name.ends_with("y") && !name.ends_with("ey")) return name.substr(0, name.size() - 1) + "ies";
  return name + (name.ends_with("ch") || name.ends_with("s") || name.ends_with("x") ? "es" : "s");
}

// "5"; "0, 5" on the queries' own picture; "at offset −1, 2" in a window round each.
std::string position_words(const std::vector<Axis>& axes, const Axis& axis, Index position) {
  const auto asking = std::ranges::find(axes, AxisRole::query, role_along);
  const bool on_picture = axis.grid && axis.grid->rows * axis.grid->frames > 1;
  if (!on_picture) return fmt::format("{}", position);
  const Grid& grid = *axis.grid;
  if (axis.window) {
    const auto signed_words = [](Index number) { return fmt::format("{}{}", number < 0 ? "−" : "", std::abs(number)); };
    return fmt::format("at offset {}, {}", signed_words(position / grid.columns - grid.rows / 2),
                       signed_words(position % grid.columns - grid.columns / 2));
  }
  const bool own = asking != axes.end() && asking->grid && asking->grid->rows == grid.rows &&
                   asking->grid->columns == grid.columns && asking->grid->frames == grid.frames;
  return own ? place_of(grid, position) : fmt::format("{}", position);
}

std::string place_words(const std::vector<Axis>& axes, const Axis& axis, const Span& span) {
  const std::string first = position_words(axes, axis, span.first);
  if (span.first == span.last) return fmt::format(", {} {}", name_of(axis, false), first);
  return fmt::format(", {} {} to {}", name_of(axis, true), first, position_words(axes, axis, span.last));
}

std::string change_text(const std::vector<Axis>& axes, const Edit& edit) {
  switch (edit.make) {
    case Make::set:
      return edit.values.size() == 1 ? "set to " + value_text(edit.values[0])
                                     : fmt::format("set to {} numbers", edit.values.size());
    case Make::zero:
      return "set to 0";
    case Make::uniform:
      return "made uniform";
    case Make::one_hot:
      return fmt::format("made one-hot at key {}", position_words(axes, axes.back(), edit.key));
    case Make::permuted:
      return fmt::format("permuted over the keys by seed {}", edit.seed);
  }
  return {};
}

// ---- In Python -----------------------------------------------------------------------------------------------------

// "[0, 2:4, :, 1]".
std::string place_in_code(const std::vector<Axis>& axes, const std::vector<Span>& spans) {
  std::vector<std::string> places;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (spans[i] == Span{0, axes[i].size - 1})
      places.emplace_back(":");
    else if (spans[i].first == spans[i].last)
      places.push_back(fmt::format("{}", spans[i].first));
    else
      places.push_back(fmt::format("{}:{}", spans[i].first, spans[i].last + 1));
  }
  return fmt::format("[{}]", fmt::join(places, ", "));
}

std::string number_in(bool numpy, double value) {
  if (std::isinf(value)) return numpy ? "-np.inf" : "float(\"-inf\")";
  return fmt::format("{}", value);
}

std::string values_in(bool numpy, const Edit& edit, const std::string& cells) {
  if (edit.values.size() == 1) return number_in(numpy, edit.values[0]);
  std::vector<std::string> numbers;
  for (const double value : edit.values) numbers.push_back(number_in(numpy, value));
  return fmt::format("{}([{}]).reshape({}.shape)", numpy ? "np.array" : "torch.tensor", fmt::join(numbers, ", "),
                     cells);
}

// What is written into `cells`, "weights[0, 2]", of a map whose keys −∞ hides in `scores`.
std::string new_values_code(bool numpy, const Edit& edit, const std::string& cells, const std::string& scores,
                            const std::vector<Index>& order) {
  switch (edit.make) {
    case Make::set:
      return values_in(numpy, edit, cells);
    case Make::zero:
      return "0.0";
    case Make::uniform:
      return fmt::format("uniform({})", scores);
    case Make::one_hot:
      return fmt::format("one_hot({}, {}, {})", cells, scores, edit.key);
    case Make::permuted:
      return fmt::format("permuted({}, {}, [{}])", cells, scores, fmt::join(order, ", "));
  }
  return {};
}

void add_code(const Edit& edit, const StepInfo& info, const std::vector<Span>& spans, const Step* scores,
              const std::vector<Index>& order, Code& code) {
  const std::string place = place_in_code(info.axes, spans), cells = python_name(info.id) + place;
  const std::string keys = python_name(scores ? scores->info.id : info.id) + place;
  code.numpy += fmt::format("\n{} = {}", cells, new_values_code(true, edit, cells, keys, order));
  code.torch += fmt::format("\n{} = {}", cells, new_values_code(false, edit, cells, keys, order));
}

// ---- In numbers ----------------------------------------------------------------------------------------------------

// An array that is being edited, and by which edit each cell was written last, from 1.
struct Editing {
  const StepInfo& info;
  Tensor& values;
  Tensor by;
  const Tensor* scores;

  void write(Index cell, double value, std::size_t number) {
    values[cell] = static_cast<float>(value);
    by[cell] = static_cast<float>(number);
  }
  bool is_visible(Index cell) const { return !scores || static_cast<double>((*scores)[cell]) != minus_infinity; }
};

// The visible keys of the row that begins at a cell, in the order given.
std::vector<Index> visible_in(const Editing& editing, Index row, const std::vector<Index>& order) {
  std::vector<Index> visible;
  for (const Index key : order)
    if (editing.is_visible(row + key)) visible.push_back(key);
  return visible;
}

std::vector<Index> keys_in_order(Index count) {
  std::vector<Index> order;
  for (Index key = 0; key < count; ++key) order.push_back(key);
  return order;
}

// Whether the row was changed.
bool edit_row(Editing& editing, const Edit& edit, std::size_t number, Index row, const std::vector<Index>& order) {
  const auto visible = visible_in(editing, row, keys_in_order(static_cast<Index>(order.size())));
  if (edit.make == Make::one_hot && !editing.is_visible(row + edit.key)) return false;
  if (edit.make == Make::permuted) {
    const auto from = visible_in(editing, row, order);
    std::vector<float> old;
    for (const Index key : from) old.push_back(editing.values[row + key]);
    for (std::size_t i = 0; i < visible.size(); ++i) editing.write(row + visible[i], old[i], number);
  } else if (edit.make == Make::one_hot) {
    for (const Index key : keys_in_order(static_cast<Index>(order.size())))
      editing.write(row + key, key == edit.key ? 1 : 0, number);
  } else {
    for (const Index key : keys_in_order(static_cast<Index>(order.size())))
      if (editing.values[row + key] != 0) editing.write(row + key, 0, number);
    for (const Index key : visible) editing.write(row + key, 1 / static_cast<double>(visible.size()), number);
  }
  return true;
}

std::string edit_rows(Editing& editing, const Edit& edit, std::size_t number, std::vector<Span> spans,
                      const std::vector<Index>& order) {
  spans.back() = {0, 0};
  Index left = 0;
  each_cell(editing.info.axes, spans, [&](Index row, std::size_t) {
    if (!edit_row(editing, edit, number, row, order)) ++left;
  });
  if (left == 0) return {};
  return fmt::format("edit {}: key {} is hidden from {}, which stay as they are", number, edit.key,
                     left == 1 ? "1 row" : fmt::format("{} rows", left));
}

void edit_cells(Editing& editing, const Edit& edit, std::size_t number, const std::vector<Span>& spans) {
  const bool one = edit.values.size() == 1;
  each_cell(editing.info.axes, spans, [&](Index cell, std::size_t count) {
    const std::size_t which = one ? 0 : count;
    editing.write(cell, edit.make == Make::zero ? 0 : edit.values[which], number);
  });
}

std::vector<Index> order_of(const Edit& edit, Index keys) {
  if (edit.make != Make::permuted) return keys_in_order(keys);
  Random random(edit.seed, "permuted");
  return shuffled(keys, random);
}

// Of a list of numbers, those of the row that was kept.
Edit edit_of_row(Edit edit, const std::vector<Axis>& axes) {
  if (edit.make != Make::set || edit.values.size() == 1 || edit.at.empty()) return edit;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i].only || !edit.at[i]) continue;
    std::size_t inner = 1;
    for (std::size_t k = i + 1; k < axes.size(); ++k)
      inner *= static_cast<std::size_t>(edit.at[k] ? edit.at[k]->last - edit.at[k]->first + 1 : axes[k].size);
    const auto rows = static_cast<std::size_t>(edit.at[i]->last - edit.at[i]->first + 1),
               row = static_cast<std::size_t>(*axes[i].only - edit.at[i]->first);
    std::vector<double> kept;
    for (std::size_t n = 0; n < edit.values.size(); ++n)
      if (n / inner % rows == row) kept.push_back(edit.values[n]);
    edit.values = std::move(kept);
  }
  return edit;
}

}  // namespace

bool sets_whole_rows(Make make) {
  return make == Make::uniform || make == Make::one_hot || make == Make::permuted;
}

std::string words_of(const Edit& edit, const std::vector<Axis>& axes) {
  std::string words = edit.array;
  for (std::size_t i = 0; i < edit.at.size() && i < axes.size(); ++i)
    if (edit.at[i] && !(role_along(axes[i]) == AxisRole::batch && axes[i].size == 1))
      words += place_words(axes, axes[i], *edit.at[i]);
  return fmt::format("{} {}", words, change_text(axes, edit));
}

namespace {

Status check_place(const Edit& edit, std::size_t number, const StepInfo& info) {
  std::vector<std::string> symbols;
  Shape shape;
  for (const Axis& axis : info.axes) {
    symbols.push_back(axis.symbol);
    shape.push_back(axis.size);
  }
  if (!edit.at.empty() && edit.at.size() != shape.size())
    return fail("edit {}: at has {}: {} is ({}) = {}, give an entry an axis (null for the whole of one)", number,
                edit.at.size() == 1 ? "1 entry" : fmt::format("{} entries", edit.at.size()), info.id,
                fmt::join(symbols, ", "), to_string(shape));
  for (std::size_t i = 0; i < edit.at.size(); ++i)
    if (edit.at[i] && edit.at[i]->last >= shape[i])
      return fail("edit {}: at[{}] is {}: {} of {} go from 0 to {}", number, i, edit.at[i]->last,
                  name_of(info.axes[i], true), info.id, shape[i] - 1);
  return {};
}

Status check_rows(const Edit& edit, std::size_t number, const StepInfo& info) {
  if (!is_map(info))
    return fail(
        "edit {}: {} is no map of weights: \"uniform\", \"one_hot\" and \"permuted\" are made of rows of weights",
        number, info.id);
  const Index keys = info.axes.back().size;
  if (!edit.at.empty() && edit.at.back() && *edit.at.back() != Span{0, keys - 1})
    return fail("edit {}: at[{}] must be null: \"make\" is done to whole rows of {}", number, edit.at.size() - 1,
                info.id);
  if (edit.make == Make::one_hot && edit.key >= keys)
    return fail("edit {}: key is {}: keys of {} go from 0 to {}", number, edit.key, info.id, keys - 1);
  return {};
}

}  // namespace

Status check_edit(const Edit& edit, std::size_t number, const StepInfo& info) {
  HL_CHECK(check_place(edit, number, info));
  if (sets_whole_rows(edit.make)) return check_rows(edit, number, info);
  if (edit.make != Make::set) return {};
  std::size_t cells = 1;
  for (std::size_t i = 0; i < info.axes.size(); ++i)
    cells *= static_cast<std::size_t>(!edit.at.empty() && edit.at[i] ? edit.at[i]->last - edit.at[i]->first + 1
                                                                     : info.axes[i].size);
  if (edit.values.size() != 1 && edit.values.size() != cells)
    return fail("edit {}: set has {} numbers for {} cells of {}: give one number, or one a cell", number,
                edit.values.size(), cells, info.id);
  if (!info.minus_infinity_masks && std::ranges::count(edit.values, minus_infinity) > 0)
    return fail("edit {}: \"-inf\" hides a key in masks and masked scores; {} is none: set a number", number, info.id);
  return {};
}

EditsDone carry_out(std::span<const Edit> edits, const StepInfo& info, Tensor& values, const Step* scores) {
  EditsDone done;
  std::shared_ptr<EditedCells> cells;
  Editing editing{info, values, {}, scores ? &scores->tensor() : nullptr};
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (!edits[i].on || edits[i].array != info.id) continue;
    const auto spans = spans_on(info.axes, edits[i]);
    if (!spans || values.size() == 0) continue;
    if (!cells) {
      cells = std::make_shared<EditedCells>(EditedCells{std::make_shared<const Tensor>(values), {}, {}});
      editing.by = Tensor(values.shape());
      done.code = {fmt::format("\n{0} = np.array({0})", python_name(info.id)),
                   fmt::format("\n{0} = {0}.clone()", python_name(info.id))};
    }
    const Edit edit = edit_of_row(edits[i], info.axes);
    const auto order = order_of(edit, sets_whole_rows(edit.make) ? info.axes.back().size : 0);
    if (!sets_whole_rows(edit.make))
      edit_cells(editing, edit, i + 1, *spans);
    else if (auto warning = edit_rows(editing, edit, i + 1, *spans, order); !warning.empty())
      done.warnings.push_back(std::move(warning));
    add_code(edit, info, *spans, scores, order, done.code);
    done.applied.push_back({static_cast<Index>(i + 1), info.id, words_of(edits[i], info.axes)});
  }
  if (cells) cells->by = std::make_shared<const Tensor>(std::move(editing.by));
  done.cells = std::move(cells);
  return done;
}

Explain explain_edited(Explain made, std::shared_ptr<const EditedCells> cells, std::shared_ptr<const Tensor> values,
                       const std::vector<AppliedEdit>& applied) {
  return [made = std::move(made), cells = std::move(cells), values = std::move(values), applied](Index cell) {
    const Index number = cells->edit_of(cell);
    const auto found = std::ranges::find(applied, number, &AppliedEdit::number);
    if (found == applied.end()) return made(cell);
    Explanation e;
    const std::string before = value_text(static_cast<double>((*cells->before)[cell]));
    e.terms = {{{Operand::constant((*values)[cell], fmt::format("edit {}", number))}}};
    e.reason = fmt::format("set by edit {} ({}); it was {} before", number, found->words, before);
    return e;
  };
}

}  // namespace headlight
