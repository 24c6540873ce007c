#include "app/worksheets/worksheet_of.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>

#include "app/formula/formula_tree.h"
#include "app/reading/cell_trace.h"
#include "app/reading/key_place.h"
#include "app/reading/slice.h"
#include "app/reading/step_words.h"
#include "app/worksheets/worksheet_parts.h"
#include "engine/trace/rule.h"

namespace headlight::app {

namespace {

constexpr int usual_blanks = 12;
constexpr double largest_whole = 1000;  // that is printed without decimals
constexpr Index most_columns = static_cast<Index>(most_sheet_columns);

// ---- the tables ---------------------------------------------------------------------------------------------------

// What of a step is on the sheet: the axes that its table runs along, the rest being at one position.
struct Cut {
  const Step* step = nullptr;
  std::vector<Index> at;
  std::optional<std::size_t> rows, columns;
};

bool is_key(const Axis& axis) {
  return role_along(axis) == AxisRole::key;
}
bool is_query(const Axis& axis) {
  return !is_key(axis) && (axis.role == Role::query || role_along(axis) == AxisRole::query);
}

Status check_index(const char* what, Index asked, Index count) {
  if (asked >= 0 && asked < count) return {};
  return fail("--{} is {}: it must be from 0 to {}", what, asked, count - 1);
}

Index query_on(const Axis& axis, const WorksheetRequest& request) {
  return axis.only ? 0 : std::min(request.query.value_or(axis.size / 2), axis.size - 1);
}

Result<Cut> cut_of(const Step& step, const WorksheetRequest& request) {
  Cut cut{&step, std::vector<Index>(step.info.axes.size(), 0), {}, {}};
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < step.info.axes.size(); ++i) {
    const Axis& axis = step.info.axes[i];
    if (role_along(axis) == AxisRole::batch)
      cut.at[i] = std::min(request.batch, axis.size - 1);
    else if (role_along(axis) == AxisRole::head)
      cut.at[i] = place_of_head(axis, request.head);
    else if (is_query(axis))
      cut.at[i] = query_on(axis, request);
    else if (axis.size > 1 || is_key(axis))
      open.push_back(i);
  }
  if (open.size() > 2 || step.tensor().size() == 0)
    return fail("--step {}: its numbers for one query make no table: choose another step", step.info.id);
  if (open.empty()) return cut;
  const auto key = std::ranges::find_if(open, [&](std::size_t i) { return is_key(step.info.axes[i]); });
  cut.columns = key != open.end() ? *key : open.back();
  for (const std::size_t i : open)
    if (i != *cut.columns) cut.rows = i;
  return cut;
}

// The first positions of an axis, as many as fit, or the keys that are shown.
std::vector<Index> positions_of(const Axis* axis, const Keys& keys) {
  if (!axis) return {0};
  if (is_key(*axis) && axis->size == keys.of) return keys.shown;
  std::vector<Index> positions(static_cast<std::size_t>(std::min(axis->size, most_columns)));
  std::iota(positions.begin(), positions.end(), Index{0});
  return positions;
}

std::string note_of(const Axis* rows, const Axis* columns, const Keys& keys) {
  std::string note;
  if (columns && columns->size > most_columns) {
    const bool of_keys = is_key(*columns) && columns->size == keys.of;
    const char* kept = keys.others_weigh_nothing ? "largest weights" : "largest different weights";
    note = fmt::format("{} of {} columns, {}", most_columns, columns->size,
                       of_keys ? fmt::format("those of the {}", kept) : "the first");
    if (of_keys && keys.others_weigh_nothing) note += "; the others " + keys.why_nothing;
  }
  if (rows && rows->size > most_columns)
    note += fmt::format("{}{} of {} rows, the first", note.empty() ? "" : "; ", most_columns, rows->size);
  return note;
}

std::string row_label(const Step& step, const WorksheetRequest& request) {
  for (const Axis& axis : step.info.axes)
    if (is_query(axis)) return label_of(&axis, query_on(axis, request), request.batch);
  return step.info.id;
}

// Σ exp of the row that a cell's softmax runs over; nothing for other steps, and where it is too large or small to
// tell.
std::optional<double> exp_sum_of(const Step& step, Index cell, const Trace& trace) {
  const Explanation e = step.explain(cell);
  const Rule& rule = rule_of(e.combine);
  if (rule.form != Rule::Form::share) return std::nullopt;
  double sum = rule.has_sink ? std::exp(value_of(e.parameters[0], trace)) : 0;
  for (const Term& term : e.terms) sum += std::exp(value_of(term, trace));
  return std::isnormal(sum) ? std::optional(sum) : std::nullopt;
}

bool set_by_hand(const Step& step, Index cell) {
  return step.edited && step.edited->edit_of(cell) != 0;
}

// Those of a table: "red, fox set by hand", "red of channel 1 set by hand"; empty where there are none.
std::string set_by_hand_note(const Step& step, const Numbers& numbers) {
  constexpr std::size_t most_named = 4;
  std::vector<std::string> names;
  std::size_t all = 0;
  for (std::size_t r = 0; r < numbers.places.size(); ++r)
    for (std::size_t c = 0; c < numbers.places[r].size(); ++c, ++all) {
      if (!set_by_hand(step, numbers.places[r][c].second)) continue;
      const std::string& column = numbers.table.column_labels[c];
      names.push_back(numbers.places.size() > 1 ? fmt::format("{} of {}", column, numbers.table.rows[r].label)
                                                : column);
    }
  if (names.empty()) return "";
  if (names.size() == all) return all == 1 ? "set by hand" : "all set by hand";
  if (names.size() > most_named) return fmt::format("{} of {} numbers set by hand", names.size(), all);
  return fmt::format("set by hand: {}", fmt::join(names, ", "));
}

// The first cell that the step's rule made; none where all were set by hand.
std::optional<Index> first_computed(const Step& step, const Numbers& numbers) {
  if (!step.explain) return std::nullopt;
  for (const auto& row : numbers.places)
    for (const auto& [id, cell] : row)
      if (!set_by_hand(step, cell)) return cell;
  return std::nullopt;
}

Numbers numbers_of(const Trace& trace, Cut cut, const Keys& keys, const WorksheetRequest& request) {
  const Step& step = *cut.step;
  const Axis* rows = cut.rows ? &step.info.axes[*cut.rows] : nullptr;
  const Axis* columns = cut.columns ? &step.info.axes[*cut.columns] : nullptr;
  const auto across = positions_of(columns, keys);
  const bool window = columns && columns->window;
  Numbers made;
  made.table = {step.info.title,
                plain_formula(step.info.formula),
                note_of(rows, columns, keys),
                columns ? columns->name : "",
                {},
                columns && columns->size > most_columns,
                {}};
  if (window) made.table.corner += ", from query";
  for (const Index column : across) {
    std::string& label = made.table.column_labels.emplace_back();
    if (columns)
      label = is_key(*columns) ? key_place(trace, step, column, {}, request.batch).at
                               : label_of(columns, column, request.batch);
  }
  for (const Index row : positions_of(rows, keys)) {
    SheetRow line{rows ? label_of(rows, row, request.batch) : row_label(step, request), {}};
    if (rows && rows->labels.empty()) line.label = fmt::format("{} {}", rows->name, line.label);
    made.places.emplace_back();
    for (const Index column : across) {
      if (cut.rows) cut.at[*cut.rows] = row;
      if (cut.columns) cut.at[*cut.columns] = column;
      const Index cell = flat_at_index(step.tensor().shape(), cut.at);
      made.places.back().emplace_back(step.info.id, cell);
      line.cells.emplace_back();
    }
    made.table.rows.push_back(std::move(line));
  }
  const std::optional<Index> by_rule = first_computed(step, made);
  if (const std::string note = set_by_hand_note(step, made); !note.empty())
    made.table.note += (made.table.note.empty() ? "" : "; ") + note;
  if (by_rule && made.table.cut && !rows && !keys.others_weigh_nothing)
    made.exp_sum = exp_sum_of(step, *by_rule, trace);
  made.whole = true;
  for (const auto& row : made.places)
    for (const auto& [id, cell] : row) {
      const double value = std::abs(step.tensor()[cell]);
      if (!std::isfinite(value)) continue;
      made.whole = made.whole && value == std::floor(value) && value < largest_whole;
      if (step.info.kind != Kind::probability) made.largest = std::max(made.largest, value);
    }
  if (!by_rule) return made;
  const Explanation first = step.explain(*by_rule);
  made.scale_label = first.scale_label;
  made.scale = first.scale;
  return made;
}

// Its numbers, as they are printed.
void write_numbers(Numbers& numbers, const Trace& trace) {
  SheetTable& table = numbers.table;
  for (std::size_t r = 0; r < numbers.places.size(); ++r)
    for (std::size_t c = 0; c < numbers.places[r].size(); ++c) {
      const auto& [id, cell] = numbers.places[r][c];
      const Step& step = *trace.find(id);
      const bool masked = step.info.kind == Kind::probability && !why_masked(trace, step, cell).empty();
      table.rows[r].cells[c].text = masked ? "masked" : printed_in(numbers, step.tensor()[cell]);
    }
  if (numbers.exp_sum)
    table.note += fmt::format("; Σ exp of the whole row is {}", sheet_number(*numbers.exp_sum, numbers.given_digits));
  if (!numbers.scale_label.empty())
    table.formula +=
        fmt::format("   ({} = {})", numbers.scale_label, sheet_number(numbers.scale, numbers.given_digits));
}

// Of keys that all weigh 0: a masked one does so by its mask.
std::string why_nothing(const Trace& trace, const Step& weights, Cut cut, std::span<const Index> keys) {
  const auto masked = std::ranges::count_if(keys, [&](Index key) {
    cut.at[*cut.columns] = key;
    return !why_masked(trace, weights, flat_at_index(weights.tensor().shape(), cut.at)).empty();
  });
  if (masked == 0) return "weigh 0";
  return masked == std::ssize(keys) ? "are masked" : "weigh 0 or are masked";
}

Keys keys_of(const Trace& trace, const WorksheetRequest& request) {
  Keys keys;
  const Step* weights = trace.map();
  if (!weights) return keys;
  auto cut = cut_of(*weights, request);
  if (!cut || !cut->columns || cut->rows) return keys;
  keys.of = weights->info.axes[*cut->columns].size;
  std::vector<float> row;
  for (Index& at = cut->at[*cut->columns]; at < keys.of; ++at)
    row.push_back(weights->tensor()[flat_at_index(weights->tensor().shape(), cut->at)]);
  std::vector<Index> order(row.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(
      order, [&](Index a, Index b) { return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)]; });
  const std::size_t kept = std::min(order.size(), most_sheet_columns);
  keys.others_weigh_nothing = std::all_of(order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                                          [&](Index key) { return row[static_cast<std::size_t>(key)] == 0; });
  if (keys.others_weigh_nothing) keys.why_nothing = why_nothing(trace, *weights, *cut, std::span(order).subspan(kept));
  // Of many pixels alike, one is enough.
  std::set<std::string> weights_shown;
  if (kept < order.size() && !keys.others_weigh_nothing)
    std::stable_partition(order.begin(), order.end(), [&](Index key) {
      return weights_shown.insert(sheet_number(row[static_cast<std::size_t>(key)])).second;
    });
  order.resize(kept);
  std::ranges::sort(order);
  keys.shown = std::move(order);
  return keys;
}

// Channels of every key are worth their room only where all of them fit: else nothing can be computed from them.
bool channels_fit(const Step& step, const Cut& cut) {
  return !cut.rows || step.info.axes[*cut.rows].size <= most_columns;
}

// What one head computes, or all of it where there are no heads. Masks show in the scores.
bool belongs_on_sheet(const Trace& trace, const Step& step, bool heads) {
  const bool given = !step.explain && step.info.role != Role::mask;
  const bool hides = step.info.kind == Kind::mask && step.info.minus_infinity_masks;
  return !given && !hides && has_heads(step) == heads && !is_replaced(trace, step);
}

// What a step was computed from, then the step.
void add_after_inputs(const Trace& trace, const Step& step, bool heads, std::vector<const Step*>& list) {
  if (!belongs_on_sheet(trace, step, heads) || std::ranges::count(list, &step) > 0) return;
  auto read = trace.inputs_of(step);
  std::stable_partition(read.begin(), read.end(), [](const Step* from) { return from->explain != nullptr; });
  for (const Step* from : read) add_after_inputs(trace, *from, heads, list);
  list.push_back(&step);
}

// The steps of a sheet for which nobody chose any, each after those that it is computed from.
std::vector<const Step*> usual_steps(const Trace& trace) {
  const bool heads = std::ranges::any_of(trace.steps, has_heads);
  std::vector<const Step*> list;
  const auto goes_forward = [](const Step& step) { return forward_id(step.info.id) == step.info.id; };
  for (auto step = trace.steps.rbegin(); step != trace.steps.rend() && list.empty(); ++step)
    if (goes_forward(*step)) add_after_inputs(trace, *step, heads, list);
  for (const Step& step : trace.steps)
    if (goes_forward(step)) add_after_inputs(trace, step, heads, list);
  return list;
}

Result<std::vector<Cut>> cuts_of(const Trace& trace, const WorksheetRequest& request) {
  std::vector<Cut> cuts;
  for (const auto& id : request.steps) {
    const Step* step = trace.find(id);
    std::vector<std::string> known;
    for (const auto& recorded : trace.steps) known.push_back(recorded.info.id);
    if (!step) return fail("--step {}: there is no such step in this run: it has {}", id, fmt::join(known, ", "));
    HL_TRY(Cut cut, cut_of(*step, request));
    cuts.push_back(std::move(cut));
  }
  if (!cuts.empty()) return cuts;
  for (const Step* step : usual_steps(trace)) {
    auto cut = cut_of(*step, request);
    if (cut && channels_fit(*step, *cut)) cuts.push_back(std::move(*cut));
  }
  if (cuts.empty()) return fail("this run has none of the usual steps of attention: choose some with --step");
  return cuts;
}

// ---- the sheet ----------------------------------------------------------------------------------------------------

Status check(const Trace& trace, const WorksheetRequest& request) {
  for (const Step& step : trace.steps) {
    const Axis* queries = step.axis(AxisRole::query);
    if (!queries || !has_heads(step)) continue;
    HL_CHECK(check_index("batch", request.batch, batches_of(step)));
    HL_CHECK(check_index("head", request.head, heads_served(step)));
    if (!request.query) return {};
    if (!queries->only) return check_index("query", *request.query, queries->size);
    if (*queries->only != *request.query)
      return fail("--query is {}: this experiment computes query {} alone", *request.query, *queries->only);
    return {};
  }
  return {};
}

std::string subject_of(const Trace& trace, const Cut& cut, const WorksheetRequest& request) {
  std::vector<std::string> parts;
  if (trace.heads.size() > 1 || has_heads(*cut.step)) {
    const std::string name = head_name(trace, request.head), counted = fmt::format("Head {}", request.head);
    parts.push_back(name == counted ? counted : counted + ": " + name);
  }
  for (const Axis& axis : cut.step->info.axes)
    if (is_query(axis)) {
      const Index query = query_on(axis, request);
      parts.push_back(axis.labels.empty() || axis.grid || labels_are_numbers(axis)
                          ? fmt::format("query {}", label_of(&axis, query, request.batch))
                          : fmt::format("query “{}”, token {}", label_of(&axis, query, request.batch), query));
    }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Table by table and row by row, from 1.
std::map<Place, int> box_numbers(const std::vector<Numbers>& all, const std::map<Place, Candidate>& chosen) {
  std::map<Place, int> numbers;
  for (const Numbers& table : all)
    for (const auto& row : table.places)
      for (const Place& place : row)
        if (chosen.contains(place)) numbers.emplace(place, static_cast<int>(numbers.size()) + 1);
  return numbers;
}

std::vector<std::string> task_of(const Worksheet& sheet) {
  std::vector<std::string> task{"Fill in the boxes. A box needs only numbers on this sheet.",
                                "Numbers are rounded: yours may differ from the key by a little."};
  for (const SheetTable& table : sheet.tables)
    for (const SheetRow& row : table.rows)
      for (const SheetCell& cell : row.cells)
        if (cell.copied > 0) {
          task.push_back(fmt::format("({0}) is the number of box {0} once more.", cell.copied));
          return task;
        }
  return task;
}

// The tables with their numbers and boxes, the answers and the task.
MadeWorksheet filled(const Trace& trace, std::vector<Numbers> all, const std::map<Place, Candidate>& chosen,
                     const Copies& copies) {
  const Tables tables = tables_of(all);
  const std::map<Place, int> boxes = box_numbers(all, chosen);
  MadeWorksheet made;
  for (Numbers& numbers : all) {
    write_numbers(numbers, trace);
    for (std::size_t r = 0; r < numbers.places.size(); ++r)
      for (std::size_t c = 0; c < numbers.places[r].size(); ++c) {
        const Place& place = numbers.places[r][c];
        made.numbers.push_back({place.first, place.second});
        SheetCell& shown = numbers.table.rows[r].cells[c];
        if (const Place* box = revealed_box(place, copies, chosen)) shown.copied = boxes.at(*box);
        if (!chosen.contains(place)) continue;
        made.blanks.push_back({place.first, place.second});
        const int number = boxes.at(place);
        shown.blank = number;
        made.sheet.answers.push_back(answer_of(number, place, trace, tables, numbers));
      }
    made.sheet.tables.push_back(std::move(numbers.table));
  }
  if (!made.blanks.empty()) made.sheet.task = task_of(made.sheet);
  return made;
}

}  // namespace

Result<MadeWorksheet> make_worksheet(const Trace& trace, const WorksheetRequest& request) {
  HL_CHECK(check(trace, request));
  HL_TRY(const auto cuts, cuts_of(trace, request));
  const Keys keys = keys_of(trace, request);
  std::vector<Numbers> all;
  for (const Cut& cut : cuts) all.push_back(numbers_of(trace, cut, keys, request));
  const Copies copies = copies_of(all, trace);
  const Candidates candidates = candidates_of(all, trace, keys);
  const auto chosen = choose_boxes(candidates.tables, all, copies, request.blanks.value_or(usual_blanks), request.seed);
  const auto count = static_cast<int>(chosen.size());
  if (request.blanks && count < *request.blanks)
    return fail(
        "--blanks is {}: the rest of this sheet gives only {} of its numbers{}: ask for no more, or show more "
        "steps with --step",
        *request.blanks, count, candidates.too_small > 0 ? fmt::format(" that are not below {}", smallest_blank) : "");
  if (!request.blanks && chosen.empty())
    return candidates.too_small > 0
               ? fail(
                     "all numbers that follow from others on this sheet are below {} in size: choose another query "
                     "or head, or ask for --blanks 0",
                     smallest_blank)
               : fail(
                     "no number on this sheet follows from others on it: name the steps they come from with --step "
                     "too, or ask for --blanks 0");
  choose_digits(chosen, all, copies, trace);
  MadeWorksheet made = filled(trace, std::move(all), chosen, copies);
  if (!request.blanks && count < usual_blanks && candidates.too_small > 0)
    made.note = fmt::format("Only {} {} left out: {} more would be below {} in size, too small to ask for.", count,
                            count == 1 ? "number is" : "numbers are", candidates.too_small, smallest_blank);
  made.sheet.title = request.title;
  made.sheet.subject = subject_of(trace, cuts.front(), request);
  return made;
}

}  // namespace headlight::app
