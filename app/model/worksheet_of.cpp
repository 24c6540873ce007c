#include "app/model/worksheet_of.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "app/model/figure_of.h"
#include "app/model/slice.h"
#include "engine/core/random.h"

namespace headlight::app {

std::string sheet_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "+∞";
  if (value == 0) return "0";
  std::string digits = fmt::format("{:#.3g}", std::abs(value));
  if (const auto point = digits.find('.'); point == 3) digits.resize(point);  // "113.": some libraries add a 0
  if (const auto minus = digits.find('-'); minus != std::string::npos) digits.replace(minus, 1, "−");
  return (value < 0 ? "−" : "") + digits;
}

namespace {

constexpr int usual_blanks = 12;
constexpr std::size_t terms_told = 4;  // of a sum, in an answer
constexpr Index most_columns = static_cast<Index>(most_sheet_columns);

constexpr std::string_view plus = " + ";
constexpr std::string_view minus = "−";

using Place = std::pair<std::string, Index>;  // step and flat cell

// ---- which keys ---------------------------------------------------------------------------------------------------

// The columns of keys, where there are more than fit: those of the query's largest weights, in their order.
struct Keys {
  Index of = 0;  // all there are
  std::vector<Index> shown;
  bool others_weigh_nothing = false;
};

// ---- the tables ---------------------------------------------------------------------------------------------------

// What of a step is on the sheet: the axes that its table runs along, the rest being at one position.
struct Cut {
  const Step* step = nullptr;
  std::vector<Index> at;
  std::optional<std::size_t> rows, columns;
};

bool is_key(const Axis& axis) {
  return axis.role == Role::key || axis.symbol == "n_k";
}
bool is_query(const Axis& axis) {
  return !is_key(axis) && (axis.role == Role::query || axis.symbol == "n_q");
}

Status within(const char* what, Index asked, Index count) {
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
    if (axis.symbol == "B")
      cut.at[i] = std::min(request.batch, axis.size - 1);
    else if (axis.symbol == "M")
      cut.at[i] = std::min(request.head, axis.size - 1);
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
    note = fmt::format("{} of {} columns, {}", most_columns, columns->size,
                       of_keys ? "those of the largest weights" : "the first");
    if (of_keys && keys.others_weigh_nothing) note += "; the others weigh 0";
  }
  if (rows && rows->size > most_columns)
    note += fmt::format("{}{} of {} rows, the first", note.empty() ? "" : "; ", most_columns, rows->size);
  return note;
}

// A table and, row by row, where its numbers are in the trace.
struct Numbers {
  SheetTable table;
  std::vector<std::vector<Place>> places;
  std::optional<double> exp_sum;  // of a softmax's whole row, told where the row is cut
};

std::string row_label(const Step& step, const WorksheetRequest& request) {
  for (const Axis& axis : step.info.axes)
    if (is_query(axis)) return label_of(&axis, query_on(axis, request));
  return step.info.id;
}

// Σ exp of the row that a cell's softmax runs over; nothing for other steps, and where it is too large or small to
// tell.
std::optional<double> exp_sum_of(const Step& step, Index cell, const Trace& trace) {
  if (!step.explain) return std::nullopt;
  const Explanation e = step.explain(cell);
  if (e.combine != Combine::softmax) return std::nullopt;
  double sum = 0;
  for (const Term& term : e.terms) sum += std::exp(value_of(term, trace));
  return std::isnormal(sum) ? std::optional(sum) : std::nullopt;
}

Numbers numbers_of(const Trace& trace, Cut cut, const Keys& keys, const WorksheetRequest& request) {
  const Step& step = *cut.step;
  const Axis* rows = cut.rows ? &step.info.axes[*cut.rows] : nullptr;
  const Axis* columns = cut.columns ? &step.info.axes[*cut.columns] : nullptr;
  const auto across = positions_of(columns, keys);
  Numbers made;
  made.table = {step.info.title,
                request.plain_formula ? request.plain_formula(step.info.formula) : "",
                note_of(rows, columns, keys),
                columns ? columns->name : "",
                {},
                columns && columns->size > most_columns,
                {}};
  for (const Index column : across) made.table.column_labels.push_back(columns ? label_of(columns, column) : "");
  for (const Index row : positions_of(rows, keys)) {
    SheetRow line{rows ? label_of(rows, row) : row_label(step, request), {}};
    if (rows && rows->labels.empty()) line.label = fmt::format("{} {}", rows->name, line.label);
    made.places.emplace_back();
    for (const Index column : across) {
      if (cut.rows) cut.at[*cut.rows] = row;
      if (cut.columns) cut.at[*cut.columns] = column;
      const Index cell = flat_at_index(step.tensor().shape(), cut.at);
      made.places.back().emplace_back(step.info.id, cell);
      line.cells.push_back({sheet_number(step.tensor()[cell]), 0});
    }
    made.table.rows.push_back(std::move(line));
  }
  if (made.table.cut && !rows && !keys.others_weigh_nothing)
    made.exp_sum = exp_sum_of(step, made.places[0][0].second, trace);
  if (made.exp_sum) made.table.note += fmt::format("; Σ exp of the whole row is {}", sheet_number(*made.exp_sum));
  if (step.explain)
    if (const auto label = step.explain(made.places[0][0].second).scale_label; !label.empty())
      made.table.formula +=
          fmt::format("   ({} = {})", label, sheet_number(step.explain(made.places[0][0].second).scale));
  return made;
}

Keys keys_of(const Trace& trace, const WorksheetRequest& request) {
  Keys keys;
  const Step* weights = trace.find("weights");
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
  order.resize(kept);
  std::ranges::sort(order);
  keys.shown = std::move(order);
  return keys;
}

// Keys and values are worth their room only where all their channels fit: else nothing can be computed from them.
bool is_worth(const Step& step, const Cut& cut) {
  return (step.info.id != "k" && step.info.id != "v") || (cut.rows && step.info.axes[*cut.rows].size <= most_columns);
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
  for (const char* id : {"q", "k", "scores", "content_scores", "position_scores", "scaled_scores", "masked_scores",
                         "weights", "v", "head_outputs"}) {
    const Step* step = trace.find(id);
    auto cut = step ? cut_of(*step, request) : Result<Cut>(fail("absent"));
    if (cut && is_worth(*step, *cut)) cuts.push_back(std::move(*cut));
  }
  if (cuts.empty()) return fail("this run has none of the usual steps of attention: choose some with --step");
  return cuts;
}

// ---- which numbers are left out -----------------------------------------------------------------------------------

// A number that the rest of the sheet gives, and what it is made of.
struct Candidate {
  std::size_t table = 0, row = 0, column = 0;
  std::vector<Place> operands;
};

// A term of a key that is not shown because it has no part: masked before the softmax, or of weight 0 after it.
bool has_no_part(const Explanation& e, const Term& term, const Trace& trace, const Keys& keys) {
  if (!keys.others_weigh_nothing) return false;
  if (e.combine == Combine::softmax) return value_of(term, trace) == -std::numeric_limits<double>::infinity();
  return e.combine == Combine::sum && std::ranges::any_of(term.factors, [&](const Operand& factor) {
           const Step* step = trace.find(factor.array);
           return step && step->info.kind == Kind::probability && value_of(factor, trace) == 0;
         });
}

// What a cell's number is made of; nothing where some of it is not on the sheet.
std::vector<Place> operands_of(const Explanation& e, const Trace& trace, const Keys& keys,
                               const std::set<Place>& shown) {
  std::vector<Place> operands;
  const auto add = [&](const Operand& operand) {
    if (operand.array.empty()) return true;
    operands.emplace_back(operand.array, operand.cell);
    return shown.contains(operands.back());
  };
  for (const Operand& parameter : e.parameters)
    if (!add(parameter)) return {};
  for (const Term& term : e.terms)
    for (const Operand& factor : term.factors)
      if (!add(factor)) {
        if (!has_no_part(e, term, trace, keys)) return {};
        operands.pop_back();
      }
  return operands;
}

// Of a softmax whose sum is told, only the cell's own term has to stand on the sheet.
Explanation told_part(Explanation e, const Numbers& numbers) {
  if (e.combine != Combine::softmax || !numbers.exp_sum) return e;
  e.terms = {e.terms[static_cast<std::size_t>(e.self)]};
  e.self = 0;
  return e;
}

std::vector<std::vector<Candidate>> candidates_of(const std::vector<Numbers>& all, const Trace& trace,
                                                  const Keys& keys) {
  std::set<Place> shown;
  for (const Numbers& numbers : all)
    for (const auto& row : numbers.places) shown.insert(row.begin(), row.end());
  std::vector<std::vector<Candidate>> found;
  for (std::size_t t = 0; t < all.size(); ++t) {
    const Step* step = trace.find(all[t].places[0][0].first);
    std::vector<Candidate> here;
    for (std::size_t r = 0; step->explain && r < all[t].places.size(); ++r)
      for (std::size_t c = 0; c < all[t].places[r].size(); ++c) {
        const Index cell = all[t].places[r][c].second;
        if (!std::isfinite(step->tensor()[cell])) continue;
        auto operands = operands_of(told_part(step->explain(cell), all[t]), trace, keys, shown);
        if (!operands.empty()) here.push_back({t, r, c, std::move(operands)});
      }
    if (!here.empty()) found.push_back(std::move(here));
  }
  return found;
}

void shuffle(std::vector<Candidate>& candidates, Random& random) {
  for (std::size_t i = candidates.size(); i > 1; --i)
    std::swap(candidates[i - 1], candidates[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
}

// One of each table in turn. A number stays where a box would be left with nothing but boxes to compute it from.
std::map<Place, Candidate> chosen_of(std::vector<std::vector<Candidate>> tables, const std::vector<Numbers>& all,
                                     int wanted, std::uint64_t seed) {
  Random random(seed, "worksheet");
  for (auto& table : tables) shuffle(table, random);
  std::map<Place, Candidate> chosen;
  const auto all_in_boxes = [&](const Candidate& of) {
    return std::ranges::all_of(of.operands, [&](const Place& place) { return chosen.contains(place); });
  };
  const auto take_one = [&](std::vector<Candidate>& table) {
    while (!table.empty()) {
      const Candidate next = std::move(table.back());
      table.pop_back();
      const Place place = all[next.table].places[next.row][next.column];
      chosen.emplace(place, next);
      if (std::ranges::none_of(chosen, [&](const auto& entry) { return all_in_boxes(entry.second); })) return;
      chosen.erase(place);
    }
  };
  const auto left = [&] { return std::ranges::any_of(tables, [](const auto& table) { return !table.empty(); }); };
  while (left())
    for (auto& table : tables) {
      if (static_cast<int>(chosen.size()) == wanted) return chosen;
      take_one(table);
    }
  return chosen;
}

// ---- how a box comes about ----------------------------------------------------------------------------------------

std::string product_text(const Term& term, const Trace& trace) {
  std::string text;
  for (const Operand& factor : term.factors) {
    const std::string number = sheet_number(value_of(factor, trace));
    text += text.empty() ? number : number.starts_with("−") ? "·(" + number + ")" : "·" + number;
  }
  return text;
}

// The terms that have a part, at most four, then "…".
std::string terms_text(const Explanation& e, const Trace& trace, std::string_view between) {
  std::vector<std::string> told;
  for (const Term& term : e.terms) {
    const double value = value_of(term, trace);
    if (value == 0 && e.combine != Combine::softmax && e.combine != Combine::maximum) continue;
    if (std::isinf(value) && value < 0) continue;
    const std::string text = product_text(term, trace);
    told.push_back(e.combine == Combine::softmax ? "exp(" + text + ")" : text);
  }
  if (told.empty()) return "0";
  if (told.size() > terms_told) {
    told.resize(terms_told);
    told.emplace_back("…");
  }
  std::string line = told.front();
  for (std::size_t i = 1; i < told.size(); ++i) {
    const bool taken_off = between == plus && told[i].starts_with(minus);
    line += taken_off ? " − " + told[i].substr(minus.size()) : std::string(between) + told[i];
  }
  return line;
}

std::string scaled_text(const Explanation& e, const Trace& trace) {
  const std::string sum = terms_text(e, trace, plus);
  if (e.scale == 1) return sum;
  const std::string by = e.scale_label.empty() ? sheet_number(e.scale) : e.scale_label;
  return (e.terms.size() > 1 ? "(" + sum + ")" : sum) + " × " + by;
}

std::string normalised_text(const Explanation& e, const Trace& trace) {
  const auto parameter = [&](std::size_t i) { return sheet_number(value_of(e.parameters[i], trace)); };
  if (e.combine == Combine::batch_norm)
    return fmt::format("({} − {}) / √({} + {}) · {} + {}", scaled_text(e, trace), parameter(2), parameter(3), e.epsilon,
                       parameter(0), parameter(1));
  return fmt::format("({} − mean) / √(variance + {}) · {} + {}, over {}",
                     product_text(e.terms[static_cast<std::size_t>(e.self)], trace), e.epsilon, parameter(0),
                     parameter(1), terms_text(e, trace, ", "));
}

std::string way_of(const Explanation& e, const Trace& trace, std::optional<double> exp_sum) {
  switch (e.combine) {
    case Combine::sum:
      return scaled_text(e, trace);
    case Combine::relu:
      return "max(0, " + scaled_text(e, trace) + ")";
    case Combine::tanh:
      return "tanh(" + scaled_text(e, trace) + ")";
    case Combine::maximum:
      return "the largest of " + terms_text(e, trace, ", ");
    case Combine::softmax:
      return fmt::format("exp({}) / {}", product_text(e.terms[static_cast<std::size_t>(e.self)], trace),
                         exp_sum ? sheet_number(*exp_sum) : "(" + terms_text(e, trace, plus) + ")");
    case Combine::layer_norm:
    case Combine::batch_norm:
      return normalised_text(e, trace);
  }
  return {};
}

std::string answer_of(int number, const Place& place, const Numbers& numbers, const Trace& trace) {
  const Step& step = *trace.find(place.first);
  const Explanation e = step.explain(place.second);
  const std::string reason = e.reason.empty() ? "" : "   (" + e.reason + ")";
  return fmt::format("{}: {} = {}{}", number, way_of(e, trace, numbers.exp_sum),
                     sheet_number(step.tensor()[place.second]), reason);
}

// ---- the sheet ----------------------------------------------------------------------------------------------------

Status check(const Trace& trace, const WorksheetRequest& request) {
  for (const Step& step : trace.steps) {
    const Axis* queries = step.axis("n_q");
    if (!queries || !has_heads(step)) continue;
    HL_CHECK(within("batch", request.batch, batches_of(step)));
    HL_CHECK(within("head", request.head, heads_of(step)));
    if (!request.query) return {};
    if (!queries->only) return within("query", *request.query, queries->size);
    if (*queries->only != *request.query)
      return fail("--query is {}: this experiment computes query {} alone", *request.query, *queries->only);
    return {};
  }
  return {};
}

std::string subject_of(const Trace& trace, const Cut& cut, const WorksheetRequest& request) {
  std::vector<std::string> parts;
  if (trace.heads.size() > 1 || has_heads(*cut.step)) {
    const std::string name = head_name(trace, request.head), counted = fmt::format("Head {}", request.head + 1);
    parts.push_back(name == counted ? counted : counted + ": " + name);
  }
  for (const Axis& axis : cut.step->info.axes)
    if (is_query(axis)) {
      const Index query = query_on(axis, request);
      parts.push_back(axis.labels.empty() || axis.grid
                          ? fmt::format("query {}", label_of(&axis, query))
                          : fmt::format("query “{}”, token {}", label_of(&axis, query), query + 1));
    }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Result<MadeWorksheet> worksheet_of(const Trace& trace, const WorksheetRequest& request) {
  HL_CHECK(check(trace, request));
  HL_TRY(const auto cuts, cuts_of(trace, request));
  const Keys keys = keys_of(trace, request);
  std::vector<Numbers> all;
  for (const Cut& cut : cuts) all.push_back(numbers_of(trace, cut, keys, request));
  const auto chosen =
      chosen_of(candidates_of(all, trace, keys), all, request.blanks.value_or(usual_blanks), request.seed);
  if (request.blanks && static_cast<int>(chosen.size()) < *request.blanks)
    return fail(
        "--blanks is {}: the rest of this sheet gives only {} of its numbers: ask for no more, or show more "
        "steps with --step",
        *request.blanks, chosen.size());
  if (!request.blanks && chosen.empty())
    return fail(
        "no number on this sheet follows from others on it: name the steps they come from with --step too, or "
        "ask for --blanks 0");
  MadeWorksheet made{{request.title, subject_of(trace, cuts.front(), request), {}, {}, {}}, {}};
  for (Numbers& numbers : all) {
    for (std::size_t r = 0; r < numbers.places.size(); ++r)
      for (std::size_t c = 0; c < numbers.places[r].size(); ++c) {
        const Place& place = numbers.places[r][c];
        if (!chosen.contains(place)) continue;
        made.blanks.push_back({place.first, place.second});
        const int number = static_cast<int>(made.blanks.size());
        numbers.table.rows[r].cells[c].blank = number;
        made.sheet.answers.push_back(answer_of(number, place, numbers, trace));
      }
    made.sheet.tables.push_back(std::move(numbers.table));
  }
  if (!made.blanks.empty())
    made.sheet.task = {"Fill in the boxes. A box needs only numbers on this sheet.",
                       "Numbers are rounded to three significant digits: yours may differ a little."};
  return made;
}

}  // namespace headlight::app
