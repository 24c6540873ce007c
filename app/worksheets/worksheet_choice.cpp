#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <tuple>

#include "app/reading/cell_trace.h"
#include "app/worksheets/worksheet_of.h"
#include "app/worksheets/worksheet_parts.h"
#include "engine/core/random.h"
#include "engine/trace/rule.h"

namespace headlight::app {

namespace {

constexpr int usual_digits = 5;  // a number that needs more is left out only where others are too few
constexpr int most_digits = 9;   // all that a float has

// ---- what a number is made of ------------------------------------------------------------------------------------

// A term of a key that is not shown because it has no part: masked before the softmax, or of weight 0 after it.
bool has_no_part(const Explanation& e, const Term& term, const Trace& trace, const Keys& keys) {
  if (!keys.others_weigh_nothing) return false;
  const Rule& rule = rule_of(e.combine);
  if (rule.is_weight()) return value_of(term, trace) == -std::numeric_limits<double>::infinity();
  return rule.is_plain_sum() && std::ranges::any_of(term.factors, [&](const Operand& factor) {
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

bool is_share_of_given_sum(const Explanation& e, const Numbers& numbers) {
  return rule_of(e.combine).form == Rule::Form::share && numbers.exp_sum;
}

// Of a softmax whose sum is told, only the cell's own term has to stand on the sheet.
Explanation needed_part(Explanation e, const Numbers& numbers) {
  if (!is_share_of_given_sum(e, numbers)) return e;
  e.parameters.clear();
  e.terms = {e.terms[static_cast<std::size_t>(e.self)]};
  e.self = 0;
  return e;
}

// ---- digits -------------------------------------------------------------------------------------------------------

double round_to_digits(double value, int digits) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr) : value;
}

// What the printed numbers give. `digits_of` says how many the one at a place has.
template <typename DigitsOf>
double recomputed(Explanation e, const Trace& trace, const Numbers& numbers, int given_digits, DigitsOf digits_of) {
  e = needed_part(std::move(e), numbers);
  const auto round = [&](Operand& operand) {
    if (!operand.array.empty())
      operand =
          Operand::constant(round_to_digits(value_of(operand, trace), digits_of({operand.array, operand.cell})), {});
  };
  for (Operand& parameter : e.parameters) round(parameter);
  for (Term& term : e.terms)
    for (Operand& factor : term.factors) round(factor);
  e.scale = round_to_digits(e.scale, given_digits);
  if (!is_share_of_given_sum(e, numbers)) return evaluate(e, trace);
  return std::exp(value_of(e.terms[0], trace)) / round_to_digits(*numbers.exp_sum, given_digits);
}

// Decimal places before the point: 1 of 37.
double magnitude(double value) {
  return std::floor(std::log10(std::abs(value)));
}

// To within one in the last digit that is printed.
bool gives(double found, double value, int digits) {
  const double answer = round_to_digits(value, digits);
  if (answer == 0) return std::abs(found) < 1e-12;
  const double last_digit = std::pow(10, magnitude(answer) - digits + 1);
  return std::abs(found - answer) <= 1.000001 * last_digit;
}

int digits_needed(const Explanation& e, double value, const Trace& trace, const Numbers& numbers) {
  int digits = fewest_digits;
  while (digits < most_digits &&
         !gives(recomputed(e, trace, numbers, digits, [&](const Place&) { return digits; }), value, fewest_digits))
    ++digits;
  return digits;
}

using Boxes = std::map<Place, Candidate>;

// The tables that a number is read from: its own, and for a copy of a box the box's.
std::vector<Numbers*> read_from(const Place& place, const Tables& tables, const Copies& copies, const Boxes& boxes) {
  std::vector<Numbers*> found;
  const auto add = [&](const Place& of) {
    if (const auto table = tables.find(of.first); table != tables.end()) found.push_back(table->second);
  };
  add(place);
  if (const Place* box = revealed_box(place, copies, boxes)) add(*box);
  return found;
}

// Gives the tables that a box is computed from more digits, those with the fewest first. Whether there was need to.
// `tables_with` says which ones a number is read from.
template <typename TablesWith>
bool add_digits(const Candidate& box, std::vector<Numbers>& all, const Trace& trace, TablesWith tables_with) {
  Numbers& own = all[box.table];
  const auto& [id, cell] = own.places[box.row][box.column];
  const Step& step = *trace.find(id);
  const auto fewest_of = [&](const Place& place, const auto& digits_in) {
    int digits = most_digits;  // those not shown have no part
    for (const Numbers* table : tables_with(place)) digits = std::min(digits, digits_in(*table));
    return digits;
  };
  const auto digits_of = [&](const Place& place) {
    const auto* array = trace.find(place.first);
    return fewest_of(place, [&](const Numbers& table) {
      return array ? digits_at(table, array->tensor()[place.second]) : table.digits;
    });
  };
  const Explanation e = step.explain(cell);
  const double value = step.tensor()[cell];
  if (gives(recomputed(e, trace, own, own.given_digits, digits_of), value, digits_at(own, value))) return false;
  int fewest = own.given_digits;
  for (const Place& operand : box.operands)
    fewest = std::min(fewest, fewest_of(operand, [](const Numbers& table) { return table.digits; }));
  if (fewest == most_digits) return false;
  own.given_digits = std::max(own.given_digits, fewest + 1);
  for (const Place& operand : box.operands)
    for (Numbers* table : tables_with(operand)) table->digits = std::max(table->digits, fewest + 1);
  return true;
}

// ---- which numbers are left out -----------------------------------------------------------------------------------

void shuffle(std::vector<Candidate>& candidates, Random& random) {
  for (std::size_t i = candidates.size(); i > 1; --i)
    std::swap(candidates[i - 1], candidates[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
}

// Boxes are taken one by one. A number stays where a box would be left with nothing but boxes to compute it from.
class Choice {
 public:
  Choice(const std::vector<Numbers>& all, const Copies& copies) : all_(all), copies_(copies) {}

  const Boxes& chosen() const { return chosen_; }
  int count() const { return static_cast<int>(chosen_.size()); }

  // The best of a table; with `fresh` only one with an answer of its own. What cannot be taken is dropped from it.
  bool pick_one(std::vector<Candidate>& table, bool fresh) {
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
    return std::ranges::all_of(of.operands, [&](const Place& place) {
      return chosen_.contains(place) || revealed_box(place, copies_, chosen_) != nullptr;
    });
  }

  const std::vector<Numbers>& all_;
  const Copies& copies_;
  Boxes chosen_;
  std::map<std::string, int, std::less<>> answers_;
};

}  // namespace

int digits_at(const Numbers& numbers, double value) {
  if (numbers.largest == 0 || value == 0 || !std::isfinite(value)) return numbers.digits;
  const auto below = static_cast<int>(magnitude(numbers.largest) - magnitude(value));
  return std::clamp(numbers.digits - below, std::min(numbers.digits, fewest_digits + 1), numbers.digits);
}

Tables tables_of(std::vector<Numbers>& all) {
  Tables tables;
  for (Numbers& numbers : all) tables[numbers.places[0][0].first] = &numbers;
  return tables;
}

std::string printed_in(const Numbers& numbers, double value) {
  if (!numbers.whole || !std::isfinite(value)) return sheet_number(value, digits_at(numbers, value));
  return fmt::format("{}{:.0f}", value < 0 ? "−" : "", std::abs(value));
}

Candidates candidates_of(const std::vector<Numbers>& all, const Trace& trace, const Keys& keys) {
  std::set<Place> shown;
  for (const Numbers& numbers : all)
    for (const auto& row : numbers.places) shown.insert(row.begin(), row.end());
  Candidates found;
  for (std::size_t t = 0; t < all.size(); ++t) {
    const Step* step = trace.find(all[t].places[0][0].first);
    std::vector<Candidate> here;
    for (std::size_t r = 0; step->explain && r < all[t].places.size(); ++r)
      for (std::size_t c = 0; c < all[t].places[r].size(); ++c) {
        const Index cell = all[t].places[r][c].second;
        const double value = step->tensor()[cell];
        const bool by_hand = step->edited && step->edited->edit_of(cell) != 0;
        if (by_hand || !std::isfinite(value) || !why_masked(trace, *step, cell).empty()) continue;
        const Explanation e = step->explain(cell);
        auto operands = operands_of(needed_part(e, all[t]), trace, keys, shown);
        if (operands.empty()) continue;
        if (value != 0 && std::abs(value) < smallest_blank)
          ++found.too_small;
        else
          here.push_back({t, r, c, std::move(operands), digits_needed(e, value, trace, all[t]), sheet_number(value),
                          value == 0 || !copied_operands(e, value, trace).empty()});
      }
    if (!here.empty()) found.tables.push_back(std::move(here));
  }
  return found;
}

void choose_digits(const std::map<Place, Candidate>& boxes, std::vector<Numbers>& all, const Copies& copies,
                   const Trace& trace) {
  const Tables tables = tables_of(all);
  const auto tables_with = [&](const Place& place) { return read_from(place, tables, copies, boxes); };
  bool added = true;
  while (added) {
    added = false;
    for (const auto& [place, box] : boxes) added = add_digits(box, all, trace, tables_with) || added;
  }
}

std::map<Place, Candidate> choose_boxes(std::vector<std::vector<Candidate>> tables, const std::vector<Numbers>& all,
                                        const Copies& copies, int wanted, std::uint64_t seed) {
  Random random(seed, "worksheet");
  for (auto& table : tables) shuffle(table, random);
  Choice choice(all, copies);
  for (const bool fresh : {true, false}) {
    bool taken = true;
    while (taken) {
      taken = false;
      for (auto& table : tables) {
        if (choice.count() == wanted) return choice.chosen();
        taken = choice.pick_one(table, fresh) || taken;
      }
    }
  }
  return choice.chosen();
}

namespace {

// Whether a single term that has a part is the number itself.
bool is_copy(const Explanation& e, double value) {
  if (e.scale != 1 || e.times != 1) return false;
  const Rule& rule = rule_of(e.combine);
  return rule.form == Rule::Form::largest ? e.terms.size() == 1 : rule.is_unchanged(value);
}

void add_origins(const Place& place, const Trace& trace, std::vector<Place>& origins) {
  const Step* step = trace.find(place.first);
  if (!step || !step->explain) return;
  for (const Operand& operand : copied_operands(step->explain(place.second), step->tensor()[place.second], trace)) {
    if (operand.array.empty()) continue;
    Place origin{operand.array, operand.cell};
    if (std::ranges::find(origins, origin) != origins.end()) continue;
    origins.push_back(origin);
    add_origins(origin, trace, origins);
  }
}

}  // namespace

std::vector<Operand> copied_operands(const Explanation& e, double value, const Trace& trace) {
  if (!is_copy(e, value)) return {};
  std::vector<Operand> copied;
  const auto parts = std::ranges::count_if(e.terms, [&](const Term& term) { return value_of(term, trace) != 0; });
  for (const Term& term : e.terms) {
    if (parts > (value_of(term, trace) != 0 ? 1 : 0)) continue;  // another has a part
    const auto others =
        std::ranges::count_if(term.factors, [&](const Operand& of) { return value_of(of, trace) != 1; });
    for (const Operand& factor : term.factors)
      if (others == (value_of(factor, trace) != 1 ? 1 : 0)) copied.push_back(factor);
  }
  return copied;
}

Copies copies_of(const std::vector<Numbers>& all, const Trace& trace) {
  Copies copies;
  for (const Numbers& numbers : all)
    for (const auto& row : numbers.places)
      for (const Place& place : row) {
        std::vector<Place> origins;
        add_origins(place, trace, origins);
        if (!origins.empty()) copies.emplace(place, std::move(origins));
      }
  return copies;
}

const Place* revealed_box(const Place& place, const Copies& copies, const std::map<Place, Candidate>& boxes) {
  const auto found = copies.find(place);
  if (found == copies.end() || boxes.contains(place)) return nullptr;
  const auto origin = std::ranges::find_if(found->second, [&](const Place& of) { return boxes.contains(of); });
  return origin == found->second.end() ? nullptr : &*origin;
}

}  // namespace headlight::app
