#include "app/reading/row_numbers.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/page/notes.h"
#include "app/reading/cell_trace.h"
#include "app/reading/key_place.h"
#include "engine/trace/rule.h"

namespace headlight::app {

namespace {

std::vector<NumberRow> labelled(const Trace& trace, const Slice& slice, Index row) {
  const Axis* axis = slice.columns;
  const auto query = query_of(*slice.step, slice.cell_at(row, 0));
  std::vector<NumberRow> rows(static_cast<std::size_t>(slice.matrix.columns));
  for (Index j = 0; j < slice.matrix.columns; ++j) {
    const bool key = axis && axis->role == Role::key;
    rows[static_cast<std::size_t>(j)].label =
        key ? key_place(trace, *slice.step, j, query, slice.item).in_full() : label_of(axis, j, slice.item);
  }
  return rows;
}

// Bars start at 0, on the side where there are numbers.
void reach(NumberColumn& column, const std::vector<NumberRow>& rows, std::size_t at) {
  double least = 0, most = 0;
  for (const auto& row : rows)
    if (row.masked.empty() && at < row.values.size() && std::isfinite(row.values[at])) {
      least = std::min(least, row.values[at]);
      most = std::max(most, row.values[at]);
    }
  column.least = least;
  column.most = most > least ? most : least + 1;
}

RowNumbers plain(const Trace& trace, const Slice& slice, Index row) {
  RowNumbers numbers;
  numbers.what = "one row, number by number";
  numbers.index_name = slice.columns ? slice.columns->name : "";
  numbers.index_role = slice.columns ? slice.columns->role : Role::none;
  numbers.rows = labelled(trace, slice, row);
  numbers.places = slice.columns && slice.columns->grid && slice.columns->labels.empty();
  for (Index j = 0; j < slice.matrix.columns; ++j) {
    const float value = slice.matrix.at(row, j);
    auto& line = numbers.rows[static_cast<std::size_t>(j)];
    line.values = {value};
    if (slice.step->info.minus_infinity_masks && std::isinf(value) && value < 0) line.masked = "masked";
  }
  NumberColumn column{.heading = slice.step->info.title, .role = slice.step->info.role};
  reach(column, numbers.rows, 0);
  numbers.columns.push_back(std::move(column));
  return numbers;
}

// Why the score at a cell takes no part. The hatch says that it is masked.
std::string reason_masked(const Trace& trace, const Operand& score) {
  const Step* step = trace.find(score.array);
  const std::string reason = step ? why_masked(trace, *step, score.cell) : "";
  constexpr std::string_view said = "masked by ";
  if (reason.empty()) return "masked";
  return reason.starts_with(said) ? reason.substr(said.size()) : reason;
}

void show_softmax(RowNumbers& numbers, const Trace& trace, const Explanation& of, const std::string& score_name) {
  double top = -HUGE_VAL, sum = 0, entropy = 0, total = 0;
  Index visible = 0;
  const bool has_sink = rule_of(of.combine).has_sink;
  if (has_sink) top = value_of(of.parameters[0], trace);
  for (const Term& term : of.terms) top = std::max(top, value_of(term, trace));
  if (has_sink) sum = std::exp(value_of(of.parameters[0], trace) - top);
  for (std::size_t j = 0; j < of.terms.size(); ++j) {
    auto& line = numbers.rows[j];
    const double score = value_of(of.terms[j], trace), weight = line.values.front();
    const double raised = std::isinf(top) ? 0 : std::exp(score - top);
    if (std::isinf(score) && score < 0) line.masked = reason_masked(trace, of.terms[j].factors.front());
    line.values = {score, raised, weight};
    sum += raised;
    total += weight;
    if (line.masked.empty()) ++visible;
    if (weight > 0) entropy -= weight * std::log(weight);
  }
  numbers.columns = {
      {.heading = score_name, .note = fmt::format("m = max = {}", number_text(top)), .role = Role::score},
      {.heading = "exp(s − m)",
       .note = fmt::format("sum {} = {}", has_sink ? "with the sink" : "of visible", number_text(sum, 4)),
       .role = Role::none,
       .digits = 4,
       .total = fmt::format("{:.4f}", sum)},
      {.heading = "weight α",
       .note = fmt::format("exp / {}", number_text(sum, 4)),
       .role = Role::weight,
       .digits = 4,
       .total = fmt::format("{:.4f}", total)}};
  numbers.what = "scores to weights, key by key";
  numbers.remark = visible == 0 ? "no key is visible: the row is 0 by definition"
                                : fmt::format("entropy {:.2f} nats of {:.2f} possible", std::max(0.0, entropy),
                                              std::log(static_cast<double>(visible)));
}

// Weights that are no softmax, of a score each: times a factor or by a function, so that rows need not sum to 1, or
// what of them is above a threshold.
void show_scaled(RowNumbers& numbers, const Trace& trace, const Step& weights, const Slice& slice, Index row) {
  double total = 0;
  Explanation first;
  for (std::size_t j = 0; j < numbers.rows.size(); ++j) {
    const Explanation e = weights.explain(slice.cell_at(row, static_cast<Index>(j)));
    if (j == 0) first = e;
    const double weight = numbers.rows[j].values.front();
    const Rule& rule = rule_of(e.combine);
    const Term& own = e.terms[rule.is_weight() ? static_cast<std::size_t>(e.self) : 0];
    numbers.rows[j].values = {value_of(own, trace), weight};
    if (const double score = value_of(own, trace); std::isinf(score) && score < 0)
      numbers.rows[j].masked = reason_masked(trace, own.factors.front());
    total += weight;
  }
  const Rule& rule = rule_of(first.combine);
  std::string note = rule.is_plain_sum() ? "" : rule.name;
  if (!first.scale_label.empty()) note = fmt::format("score × {}", first.scale_label);
  numbers.columns = {{.heading = "score s", .role = Role::score},
                     {.heading = "weight",
                      .note = std::move(note),
                      .role = Role::weight,
                      .digits = 4,
                      .total = fmt::format("{:.4f}", total)}};
  numbers.what = "scores to weights, key by key";
  numbers.remark = rule.sums_to_one() ? "these weights are not a softmax: many are exactly 0"
                                      : "these weights are not a softmax: the row need not sum to 1";
}

bool made_of(const Trace& trace, const Step& map, const Step& scores) {
  for (const Step* at = trace.scores_before(map); at; at = trace.scores_before(*at))
    if (at == &scores) return true;
  return false;
}

// The map that a step's numbers are shown with: itself, or the first that was made of these scores, else of such as
// have its shape. Null for what is neither score nor weight.
const Step* map_shown_with(const Trace& trace, const Step& step) {
  if (step.info.kind != Kind::score && step.info.kind != Kind::probability && step.info.role != Role::weight)
    return nullptr;
  const Step* found = nullptr;
  for (const Step* map : trace.maps()) {
    if (map == &step) return map;
    if (map->tensor().shape() != step.tensor().shape()) continue;
    if (made_of(trace, *map, step)) return map;
    if (!found) found = map;
  }
  return found;
}

// Made of one score alone, or by a rule that takes a threshold off.
bool is_scaled_score(const Trace& trace, const Explanation& e) {
  const Rule& rule = rule_of(e.combine);
  if (rule.form == Rule::Form::above) return true;
  if (rule.form != Rule::Form::of_sum || e.terms.empty() || e.terms[0].factors.size() != 1) return false;
  if (rule.is_plain_sum() && e.terms.size() != 1) return false;
  const Step* from = trace.find(e.terms[0].factors[0].array);
  return from && from->info.role == Role::score;
}

}  // namespace

RowNumbers row_numbers(const Trace& trace, const Step& step, const Focus& focus, Index row) {
  const Step* weights = map_shown_with(trace, step);
  const Slice slice = slice_of(weights ? *weights : step, focus);
  RowNumbers numbers = plain(trace, slice, row);
  if (!weights || !weights->explain) return numbers;
  const Explanation e = weights->explain(slice.cell_at(row, 0));
  const Rule& rule = rule_of(e.combine);
  if (rule.form == Rule::Form::share) {
    const Step* scores = e.terms.empty() ? nullptr : trace.find(e.terms.front().factors.front().array);
    show_softmax(numbers, trace, e, scores ? scores->info.title : "score");
  } else if (is_scaled_score(trace, e)) {
    show_scaled(numbers, trace, *weights, slice, row);
  }
  for (std::size_t i = 0; i < numbers.columns.size(); ++i) reach(numbers.columns[i], numbers.rows, i);
  return numbers;
}

std::optional<Index> row_looked_at(const Step& step, const Focus& focus) {
  Focus flat = focus;
  flat.flat = true;
  const Slice slice = slice_of(step, flat);
  return slice.rows ? selected_row(slice, focus.selection) : std::optional<Index>(0);
}

std::string to_tsv(const RowNumbers& numbers) {
  std::string text = tsv_field(numbers.index_name.empty() ? "place" : numbers.index_name) + "\tlabel";
  for (const NumberColumn& column : numbers.columns) text += "\t" + tsv_field(column.heading);
  for (std::size_t i = 0; i < numbers.rows.size(); ++i) {
    const NumberRow& row = numbers.rows[i];
    text += fmt::format("\n{}\t{}", i, tsv_field(row.label));
    for (std::size_t c = 0; c < numbers.columns.size(); ++c)
      text += row.masked.empty() ? fmt::format("\t{:.9g}", row.values[c]) : "\tmasked";
  }
  return text + "\n";
}

std::optional<ResponseWidth> response_width(const Trace& trace, const Step& weights, Index cell) {
  if (weights.info.kind != Kind::probability || !weights.explain || weights.info.axes.empty()) return {};
  if (weights.info.axes.back().role != Role::key) return {};
  const Explanation why = weights.explain(cell);
  if (!rule_of(why.combine).sums_to_one()) return {};
  const Step* scores = trace.find(why.terms.front().factors.front().array);
  const Index count = weights.tensor().dim(-1), first = cell / count * count;
  ResponseWidth width;
  std::vector<float> row;
  for (Index j = first; j < first + count; ++j) {
    const bool masked = scores && scores->info.minus_infinity_masks && scores->tensor().size() > j &&
                        std::isinf(scores->tensor()[j]) && scores->tensor()[j] < 0;
    width.keys += !masked;
    const float weight = weights.tensor()[j];
    if (!std::isfinite(weight)) return {};
    if (weight > 0) row.push_back(weight);
  }
  if (row.empty()) return {};
  std::ranges::sort(row, std::greater<>());
  double sum = 0, entropy = 0;
  for (const float weight : row) {
    width.half += sum < 0.5;
    width.most += sum < 0.9;
    sum += weight;
    entropy -= weight * std::log(static_cast<double>(weight));
  }
  width.effective = std::exp(std::max(0.0, entropy));
  return width;
}

}  // namespace headlight::app
