#include "app/reading/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/reading/cell_trace.h"
#include "app/reading/greatest.h"
#include "app/reading/key_place.h"
#include "app/reading/made_of.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

std::string counted(Index count, const Axis& axis) {
  return fmt::format("{} {}", count, count == 1 ? axis.name : plural(axis.name));
}

// As it can stand in a sentence: what is blank, or could be taken for one of the sentence's own words, is in quotes.
std::string quoted(const std::string& name) {
  constexpr std::array own{"to", "and", "for", "from", "of", "at", "is", "gives", "has", "the"};
  const bool blank = name.find_first_not_of(' ') == std::string::npos;
  return blank || std::ranges::find(own, name) != own.end() ? fmt::format("“{}”", name) : name;
}

// "cat (9)"; a place that has no name of its own is its number, "key 3", or its place in a picture, "key (2, 5)".
std::string place_in_words(const Trace& trace, const Step& step, const Axis* axis, Index position,
                           std::optional<Index> query, Index item) {
  const bool in_window = axis && axis->window && query;
  const std::string name = in_window ? key_place(trace, step, position, query, item).at
                                     : name_along(trace, step, axis, position, query, item);
  if (axis && has_names(*axis)) return fmt::format("{} ({})", quoted(name), position);
  const bool pair = name.find(", ") != std::string::npos;
  return fmt::format("{} {}", axis ? axis->name : "cell", pair ? "(" + name + ")" : name);
}

// What is described: the step's numbers as one matrix.
struct View {
  const Trace& trace;
  const Step& step;
  const Focus& focus;
  Slice slice;
  MatrixView cells;

  bool is_map() const { return step.axis(AxisRole::query) && step.axis(AxisRole::key); }
  bool of_weights() const { return is_map() && is_weight(step); }
  std::string row_name(Index row) const {
    return place_in_words(trace, step, slice.rows, row, std::nullopt, slice.item);
  }
  std::string column_name(Index row, Index column) const {
    const auto query = is_map() ? std::optional(row) : std::nullopt;
    return place_in_words(trace, step, slice.columns, column, query, slice.item);
  }
};

std::string subject_sentence(const View& view) {
  const Step& step = view.step;
  std::string words = capitalized(step.info.title);
  if (has_heads(step)) {
    const std::string name = head_name(view.trace, step, view.focus.head),
                      number = head_number(view.trace, step, view.focus.head);
    words += number.empty() ? fmt::format(" of {}", counted_head(view.trace, step, view.focus.head))
                            : fmt::format(" of head {}, {}", number, name);
  }
  const MatrixView& cells = view.slice.matrix;
  words += view.slice.rows ? fmt::format(": {} by {}.", counted(cells.rows, *view.slice.rows),
                                         counted(cells.columns, *view.slice.columns))
                           : fmt::format(": {}.", counted(cells.columns, *view.slice.columns));
  const Index visible = visible_cells(view.cells);
  if (const Index hidden = cells.rows * cells.columns - visible; view.is_map() && hidden > 0)
    words += fmt::format(" A mask hides {} of the {} cells.", hidden, cells.rows * cells.columns);
  return words;
}

// The words of the rows, where they are a short text.
std::string text_of(const View& view) {
  constexpr Index longest = 40;
  const Axis* rows = view.slice.rows;
  if (!rows || rows->size > longest || rows->along == AxisRole::channel || !has_names(*rows)) return "";
  const auto& labels = labels_of_item(*rows, view.slice.item);
  std::string words = fmt::format("Its {} are: {}.", plural(rows->name), fmt::join(labels, " "));
  const Axis* keys = view.is_map() ? view.slice.columns : nullptr;
  if (!keys || keys->size > longest || !has_names(*keys)) return words;
  const auto& others = labels_of_item(*keys, view.slice.item);
  if (others != labels) words += fmt::format(" Its {} are: {}.", plural(keys->name), fmt::join(others, " "));
  return words;
}

// The cell that is largest, or furthest from 0 where there are negative ones.
std::string peak_sentence(const View& view) {
  const Greatest greatest = greatest_of(view.cells, false);
  if (!greatest.found) return "No number is left in it.";
  if (greatest.value == 0) return "All of its numbers are 0.";
  bool negative = false;
  for (Index row = 0; row < view.cells.rows; ++row)
    for (Index column = 0; column < view.cells.columns; ++column) {
      const float value = view.cells.at(row, column);
      negative = negative || (std::isfinite(value) && value < 0);
    }
  const char *before = view.is_map() ? "from " : "at ", *between = view.is_map() ? " to " : ", ";
  const std::string where = view.slice.rows ? view.row_name(greatest.row) + between : "";
  return fmt::format("{} is {}, {}{}{}.", negative ? "Furthest from 0" : "The largest", number_text(greatest.value),
                     before, where + view.column_name(greatest.row, greatest.column),
                     greatest.cells > 1 ? fmt::format(", and {} more", greatest.cells - 1) : "");
}

// "cat (9) gives 0.952 to sat (3), 0.048 to ⟨s⟩ (0), and 0.000 to the other 8."
std::string row_in_words(const View& view, Index row) {
  constexpr std::size_t most = 3;
  std::vector<std::pair<double, Index>> values;
  std::array<Index, 2> unseen{};  // numbers that are none, and hidden keys
  for (Index column = 0; column < view.cells.columns; ++column) {
    const float value = view.cells.at(row, column);
    if (std::isfinite(value))
      values.emplace_back(value, column);
    else
      ++unseen[is_masked(value)];
  }
  const Index hidden = unseen[true], broken = unseen[false];
  const std::string asker = view.row_name(row);
  const std::string of_broken = fmt::format("{} of its numbers {} not finite", broken, broken == 1 ? "is" : "are");
  if (values.empty() && broken > 0) return fmt::format("{}: {}.", capitalized(asker), of_broken);
  if (values.empty()) return fmt::format("{} sees no key.", capitalized(asker));
  std::ranges::stable_sort(values, std::greater<>(), &std::pair<double, Index>::first);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(most, values.size()); ++i)
    parts.push_back(fmt::format("{} {} {}", number_text(values[i].first), view.of_weights() ? "to" : "for",
                                view.column_name(row, values[i].second)));
  std::string words = fmt::format("{} {} {}", asker, view.of_weights() ? "gives" : "has", fmt::join(parts, ", "));
  if (values.size() > most) {
    double rest = 0;
    for (std::size_t i = most; i < values.size(); ++i) rest += values[i].first;
    const auto others = values.size() - most;
    const std::string which = others == 1 ? "one" : std::to_string(others);
    words += view.of_weights() ? fmt::format(", and {} to the other {}", number_text(rest), which)
                               : fmt::format(", and less for the other {}", which);
  }
  if (broken > 0) words += "; " + of_broken;
  if (hidden > 0) words += fmt::format("; {} {} hidden from it", hidden, hidden == 1 ? "key is" : "keys are");
  return words + ".";
}

// "At cat (9) and sat (3) the weight is 0.9520: dot product 22.596; ÷ √8 7.989; … Recomputed; row 9 sums to 1.0000."
std::string cell_in_words(const View& view, Index row, Index column) {
  const Index cell = view.slice.cell_at(row, column);
  if (const std::string why = why_masked(view.trace, view.step, cell); !why.empty())
    return fmt::format("{} does not see {}: {}.", capitalized(view.row_name(row)), view.column_name(row, column), why);
  const CellTrace story = trace_cell(view.trace, view.step, cell);
  std::vector<std::string> steps;
  for (const TraceLine& line : story.lines)
    steps.push_back(fmt::format("{} {}", line.label == "exp" ? line.expression : line.label, line.value));
  std::string words = fmt::format("At {} and {} the {} is {}", view.row_name(row), view.column_name(row, column),
                                  quantity_of(view.step), story.result);
  if (!steps.empty()) words += fmt::format(": {}", fmt::join(steps, "; "));
  return story.check.empty() ? words + "." : fmt::format("{}. {}.", words, story.check);
}

}  // namespace

std::string describe(const Trace& trace, const Step& step, const Focus& focus) {
  Focus flat = focus;
  flat.flat = true;
  std::shared_ptr<const Tensor> owner;
  const Slice slice = slice_of(step, flat);
  const View view{trace, step, flat, slice, cells_of(trace, slice, flat, owner)};
  std::vector<std::string> lines{subject_sentence(view)};
  const auto add = [&](std::string words) {
    if (!words.empty()) lines.push_back(std::move(words));
  };
  add(text_of(view));
  add(head_sentence(trace, step, flat.head));
  const auto row = slice.rows ? selected_row(slice, flat.selection) : std::nullopt;
  const auto column = selected_column(slice, flat.selection);
  add(row && flat.selection.query ? row_in_words(view, *row) : peak_sentence(view));
  if (row && flat.selection.query) {
    add(why_head_finds_nothing(trace, step, flat));
    if (const auto made = made_of(trace, step, flat, *flat.selection.query))
      for (const TakenShares& taken : made->heads)
        add(fmt::format("{}: {} is made of {}.", head_name(trace, taken.head), made->asker, in_words(taken)));
  }
  if (row && column && (view.is_map() ? flat.selection.key : flat.selection.channel))
    add(cell_in_words(view, *row, *column));
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace headlight::app
