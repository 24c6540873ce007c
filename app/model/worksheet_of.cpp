#include "app/model/worksheet_of.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "app/model/figure_of.h"
#include "app/model/slice.h"
#include "engine/core/random.h"

namespace headlight::app {

namespace {

std::string_view raised(char c) {
  constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  return c == '-' ? "⁻" : digits[static_cast<std::size_t>(c - '0')];
}

}  // namespace

std::string sheet_number(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "+∞";
  if (value == 0) return "0";
  std::string text = fmt::format("{:#.{}g}", std::abs(value), digits);
  std::string power;
  if (const auto e = text.find('e'); e != std::string::npos) {
    power = "·10";
    for (const char c : std::to_string(std::stoi(text.substr(e + 1)))) power += raised(c);
    text.resize(e);
  }
  const auto point = text.find('.');
  if (static_cast<int>(point) == digits) text.resize(point);  // "113.": some libraries add a 0
  return (value < 0 ? "−" : "") + text + power;
}

namespace {

constexpr int usual_blanks = 12;
constexpr int fewest_digits = 3;
constexpr int usual_digits = 5;        // a number that needs more is left out only where others are too few
constexpr int most_digits = 9;         // all that a float has
constexpr std::size_t terms_told = 4;  // of a sum, in an answer
constexpr Index most_columns = static_cast<Index>(most_sheet_columns);

constexpr std::string_view plus = " + ";
constexpr std::string_view minus = "−";

using Place = std::pair<std::string, Index>;  // step and flat cell

// ---- which keys ---------------------------------------------------------------------------------------------------

// The columns of keys, where there are more than fit: those of the query's largest weights, in their order. Where that
// leaves keys of some weight out, only one of each weight as long as there are others.
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
                       !of_keys                    ? "the first"
                       : keys.others_weigh_nothing ? "those of the largest weights"
                                                   : "those of the largest different weights");
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
  std::string scale_label;        // of the step's explanations; empty where they have none
  double scale = 1;
  int digits = fewest_digits;       // of its cells
  int told_digits = fewest_digits;  // of the sum and the scale
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
      line.cells.emplace_back();
    }
    made.table.rows.push_back(std::move(line));
  }
  if (made.table.cut && !rows && !keys.others_weigh_nothing)
    made.exp_sum = exp_sum_of(step, made.places[0][0].second, trace);
  if (!step.explain) return made;
  const Explanation first = step.explain(made.places[0][0].second);
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
      table.rows[r].cells[c].text = sheet_number(trace.find(id)->tensor()[cell], numbers.digits);
    }
  if (numbers.exp_sum)
    table.note += fmt::format("; Σ exp of the whole row is {}", sheet_number(*numbers.exp_sum, numbers.told_digits));
  if (!numbers.scale_label.empty())
    table.formula += fmt::format("   ({} = {})", numbers.scale_label, sheet_number(numbers.scale, numbers.told_digits));
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
  // Of many pixels alike, one is enough.
  std::set<std::string> weights_shown;
  if (kept < order.size() && !keys.others_weigh_nothing)
    std::ranges::stable_partition(order, [&](Index key) {
      return weights_shown.insert(sheet_number(row[static_cast<std::size_t>(key)])).second;
    });
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
                         "weights", "dropout_mask", "dropped_weights", "v", "head_outputs"}) {
    const Step* step = trace.find(id);
    auto cut = step ? cut_of(*step, request) : Result<Cut>(fail("absent"));
    if (cut && is_worth(*step, *cut)) cuts.push_back(std::move(*cut));
  }
  if (cuts.empty()) return fail("this run has none of the usual steps of attention: choose some with --step");
  return cuts;
}

// ---- what a number is made of ------------------------------------------------------------------------------------

// A number that the rest of the sheet gives, and what it is made of.
struct Candidate {
  std::size_t table = 0, row = 0, column = 0;
  std::vector<Place> operands;
  int digits = fewest_digits;  // that all of them need
  std::string answer;          // as it is printed with the fewest
  bool copied = false;         // it is one number again, or 0 of zeros
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

// ---- digits -------------------------------------------------------------------------------------------------------

using Tables = std::map<std::string, Numbers*, std::less<>>;  // by their step

double printed(double value, int digits) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr) : value;
}

// What the printed numbers give. `digits_of` says how many an array's numbers have.
template <typename DigitsOf>
double recomputed(Explanation e, const Trace& trace, const Numbers& numbers, int told_digits, DigitsOf digits_of) {
  e = told_part(std::move(e), numbers);
  const auto round = [&](Operand& operand) {
    if (!operand.array.empty())
      operand = Operand::constant(printed(value_of(operand, trace), digits_of(operand.array)), {});
  };
  for (Operand& parameter : e.parameters) round(parameter);
  for (Term& term : e.terms)
    for (Operand& factor : term.factors) round(factor);
  e.scale = printed(e.scale, told_digits);
  if (e.combine != Combine::softmax || !numbers.exp_sum) return evaluate(e, trace);
  return std::exp(value_of(e.terms[0], trace)) / printed(*numbers.exp_sum, told_digits);
}

// To within one in the last digit that is printed; with the fewest digits half a percent will do.
bool gives(double found, double value, int digits) {
  const double answer = printed(value, digits);
  if (answer == 0) return std::abs(found) < 1e-12;
  const double last_digit = std::pow(10, std::floor(std::log10(std::abs(answer))) - digits + 1);
  const double rough = digits == fewest_digits ? 0.005 * std::abs(answer) : 0;
  return std::abs(found - answer) <= 1.000001 * std::max(last_digit, rough);
}

int digits_needed(const Explanation& e, double value, const Trace& trace, const Numbers& numbers) {
  int digits = fewest_digits;
  while (digits < most_digits &&
         !gives(recomputed(e, trace, numbers, digits, [&](std::string_view) { return digits; }), value, fewest_digits))
    ++digits;
  return digits;
}

// Gives the tables that a box is computed from more digits, those with the fewest first. Whether there was need to.
bool add_digits(const Candidate& box, std::vector<Numbers>& all, const Tables& tables, const Trace& trace) {
  Numbers& own = all[box.table];
  const auto& [id, cell] = own.places[box.row][box.column];
  const Step& step = *trace.find(id);
  const auto digits_of = [&](const std::string& array) {
    const auto table = tables.find(array);
    return table == tables.end() ? most_digits : table->second->digits;  // those not shown have no part
  };
  const Explanation e = step.explain(cell);
  if (gives(recomputed(e, trace, own, own.told_digits, digits_of), step.tensor()[cell], own.digits)) return false;
  int fewest = own.told_digits;
  for (const Place& operand : box.operands) fewest = std::min(fewest, digits_of(operand.first));
  if (fewest == most_digits) return false;
  own.told_digits = std::max(own.told_digits, fewest + 1);
  for (const Place& operand : box.operands)
    if (const auto table = tables.find(operand.first); table != tables.end())
      table->second->digits = std::max(table->second->digits, fewest + 1);
  return true;
}

Tables tables_of(std::vector<Numbers>& all) {
  Tables tables;
  for (Numbers& numbers : all) tables[numbers.places[0][0].first] = &numbers;
  return tables;
}

void choose_digits(const std::map<Place, Candidate>& boxes, std::vector<Numbers>& all, const Trace& trace) {
  const Tables tables = tables_of(all);
  bool added = true;
  while (added) {
    added = false;
    for (const auto& [place, box] : boxes) added = add_digits(box, all, tables, trace) || added;
  }
}

// ---- which numbers are left out -----------------------------------------------------------------------------------

// Whether nothing but one number has a part: a score that no mask hides.
bool is_copy(const Explanation& e, const Trace& trace) {
  if (e.combine != Combine::sum || e.scale != 1) return false;
  const auto has_part = [&](const Term& term) { return value_of(term, trace) != 0; };
  const auto first = std::ranges::find_if(e.terms, has_part);
  if (first == e.terms.end() || std::any_of(first + 1, e.terms.end(), has_part)) return false;
  return std::ranges::count_if(first->factors, [&](const Operand& factor) { return value_of(factor, trace) != 1; }) < 2;
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
        const double value = step->tensor()[cell];
        if (!std::isfinite(value)) continue;
        const Explanation e = step->explain(cell);
        auto operands = operands_of(told_part(e, all[t]), trace, keys, shown);
        if (!operands.empty())
          here.push_back({t, r, c, std::move(operands), digits_needed(e, value, trace, all[t]), sheet_number(value),
                          value == 0 || is_copy(e, trace)});
      }
    if (!here.empty()) found.push_back(std::move(here));
  }
  return found;
}

void shuffle(std::vector<Candidate>& candidates, Random& random) {
  for (std::size_t i = candidates.size(); i > 1; --i)
    std::swap(candidates[i - 1], candidates[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
}

// Boxes are taken one by one. A number stays where a box would be left with nothing but boxes to compute it from.
class Choice {
 public:
  explicit Choice(const std::vector<Numbers>& all) : all_(all) {}

  const std::map<Place, Candidate>& chosen() const { return chosen_; }
  int count() const { return static_cast<int>(chosen_.size()); }

  // The best of a table; with `fresh` only one with an answer of its own. What cannot be taken is dropped from it.
  bool take_one(std::vector<Candidate>& table, bool fresh) {
    while (!table.empty()) {
      const auto best = std::ranges::min_element(table, {}, [&](const Candidate& of) { return demerits(of); });
      if (fresh && demerits(*best) != Demerits{}) return false;
      const Candidate next = std::move(*best);
      table.erase(best);
      const Place place = all_[next.table].places[next.row][next.column];
      chosen_.emplace(place, next);
      if (std::ranges::none_of(chosen_, [&](const auto& entry) { return all_in_boxes(entry.second); })) {
        ++answers_[next.answer];
        return true;
      }
      chosen_.erase(place);
    }
    return false;
  }

 private:
  // Digits too many, nothing to compute, and how many boxes have that answer.
  using Demerits = std::tuple<int, bool, int>;

  Demerits demerits(const Candidate& of) const {
    const auto same = answers_.find(of.answer);
    return {std::max(0, of.digits - usual_digits), of.copied, same == answers_.end() ? 0 : same->second};
  }
  bool all_in_boxes(const Candidate& of) const {
    return std::ranges::all_of(of.operands, [&](const Place& place) { return chosen_.contains(place); });
  }

  const std::vector<Numbers>& all_;
  std::map<Place, Candidate> chosen_;
  std::map<std::string, int, std::less<>> answers_;
};

// One of each table in turn, first those with answers of their own.
std::map<Place, Candidate> chosen_of(std::vector<std::vector<Candidate>> tables, const std::vector<Numbers>& all,
                                     int wanted, std::uint64_t seed) {
  Random random(seed, "worksheet");
  for (auto& table : tables) shuffle(table, random);
  Choice choice(all);
  for (const bool fresh : {true, false}) {
    bool taken = true;
    while (taken) {
      taken = false;
      for (auto& table : tables) {
        if (choice.count() == wanted) return choice.chosen();
        taken = choice.take_one(table, fresh) || taken;
      }
    }
  }
  return choice.chosen();
}

// ---- how a box comes about ----------------------------------------------------------------------------------------

// Numbers as the sheet has them.
struct Printer {
  const Trace& trace;
  const Tables& tables;
  const Numbers& own;  // the box's

  std::string text(const Operand& operand) const {
    const auto table = tables.find(operand.array);
    return sheet_number(value_of(operand, trace), table == tables.end() ? fewest_digits : table->second->digits);
  }
  std::string told(double number) const { return sheet_number(number, own.told_digits); }
};

// In brackets where a sign or a power of ten would run into what stands round it.
std::string factor_text(const std::string& number) {
  return number.starts_with(minus) || number.find("·") != std::string::npos ? "(" + number + ")" : number;
}

std::string product_text(const Term& term, const Printer& printer) {
  if (term.factors.size() == 1) return printer.text(term.factors[0]);
  std::string text;
  for (const Operand& factor : term.factors) {
    const std::string number = printer.text(factor);
    const bool leads = text.empty() && number.find("·") == std::string::npos;
    text += (text.empty() ? "" : "·") + (leads ? number : factor_text(number));
  }
  return text;
}

// Those that have a part; all where none has.
std::vector<const Term*> telling_terms(const Explanation& e, const Trace& trace) {
  std::vector<const Term*> all;
  std::vector<const Term*> telling;
  const bool zeros_tell = e.combine == Combine::softmax || e.combine == Combine::maximum;
  for (const Term& term : e.terms) {
    const double value = value_of(term, trace);
    all.push_back(&term);
    if ((value != 0 || zeros_tell) && value != -std::numeric_limits<double>::infinity()) telling.push_back(&term);
  }
  return telling.empty() ? all : telling;
}

// At most four terms, then "…".
std::string terms_text(const Explanation& e, const Printer& printer, std::string_view between) {
  std::vector<std::string> told;
  for (const Term* term : telling_terms(e, printer.trace)) {
    if (told.size() == terms_told) {
      told.emplace_back("…");
      break;
    }
    const std::string text = product_text(*term, printer);
    told.push_back(e.combine == Combine::softmax ? "exp(" + text + ")" : text);
  }
  std::string line;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const bool taken_off = i > 0 && between == plus && told[i].starts_with(minus);
    line += taken_off ? " − " + told[i].substr(minus.size()) : (i > 0 ? std::string(between) : "") + told[i];
  }
  return line;
}

std::string scaled_text(const Explanation& e, const Printer& printer) {
  const std::string sum = terms_text(e, printer, plus);
  if (e.scale == 1) return sum;
  const std::string by = e.scale_label.empty() ? factor_text(printer.told(e.scale)) : e.scale_label;
  return (e.terms.size() > 1 ? "(" + sum + ")" : sum) + " × " + by;
}

std::string normalised_text(const Explanation& e, const Printer& printer) {
  const auto parameter = [&](std::size_t i) { return factor_text(printer.text(e.parameters[i])); };
  if (e.combine == Combine::batch_norm)
    return fmt::format("({} − {}) / √({} + {}) · {} + {}", scaled_text(e, printer), parameter(2), parameter(3),
                       sheet_number(e.epsilon), parameter(0), parameter(1));
  return fmt::format("({} − mean) / √(variance + {}) · {} + {}, over {}",
                     product_text(e.terms[static_cast<std::size_t>(e.self)], printer), sheet_number(e.epsilon),
                     parameter(0), parameter(1), terms_text(e, printer, ", "));
}

std::string way_of(const Explanation& e, const Printer& printer) {
  switch (e.combine) {
    case Combine::sum:
      return scaled_text(e, printer);
    case Combine::relu:
      return "max(0, " + scaled_text(e, printer) + ")";
    case Combine::tanh:
      return "tanh(" + scaled_text(e, printer) + ")";
    case Combine::maximum:
      return "the largest of " + terms_text(e, printer, ", ");
    case Combine::softmax:
      return fmt::format("exp({}) / {}", product_text(e.terms[static_cast<std::size_t>(e.self)], printer),
                         printer.own.exp_sum ? factor_text(printer.told(*printer.own.exp_sum))
                                             : "(" + terms_text(e, printer, plus) + ")");
    case Combine::layer_norm:
    case Combine::batch_norm:
      return normalised_text(e, printer);
  }
  return {};
}

std::string answer_of(int number, const Place& place, const Printer& printer) {
  const Step& step = *printer.trace.find(place.first);
  const Explanation e = step.explain(place.second);
  const std::string reason = e.reason.empty() ? "" : "   (" + e.reason + ")";
  return fmt::format("{}: {} = {}{}", number, way_of(e, printer),
                     sheet_number(step.tensor()[place.second], printer.own.digits), reason);
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
                          : fmt::format("query “{}”, token {}", label_of(&axis, query), query));
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
  choose_digits(chosen, all, trace);
  const Tables tables = tables_of(all);
  MadeWorksheet made{{request.title, subject_of(trace, cuts.front(), request), {}, {}, {}}, {}, {}};
  for (Numbers& numbers : all) {
    write_numbers(numbers, trace);
    for (std::size_t r = 0; r < numbers.places.size(); ++r)
      for (std::size_t c = 0; c < numbers.places[r].size(); ++c) {
        const Place& place = numbers.places[r][c];
        made.numbers.push_back({place.first, place.second});
        if (!chosen.contains(place)) continue;
        made.blanks.push_back({place.first, place.second});
        const int number = static_cast<int>(made.blanks.size());
        numbers.table.rows[r].cells[c].blank = number;
        made.sheet.answers.push_back(answer_of(number, place, {trace, tables, numbers}));
      }
    made.sheet.tables.push_back(std::move(numbers.table));
  }
  if (!made.blanks.empty())
    made.sheet.task = {"Fill in the boxes. A box needs only numbers on this sheet.",
                       "Numbers are rounded: yours may differ from the key by a little."};
  return made;
}

}  // namespace headlight::app
