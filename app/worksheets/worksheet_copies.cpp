#include <algorithm>

#include "app/worksheets/worksheet_parts.h"
#include "engine/trace/rule.h"

namespace headlight::app {

namespace {

// Whether a single term that has a part is the number itself.
bool passes_on(const Explanation& e, double value) {
  if (e.scale != 1 || e.times != 1) return false;
  const Rule& rule = rule_of(e.combine);
  return rule.form == Rule::Form::largest ? e.terms.size() == 1 : rule.leaves(value);
}

void add_origins(const Place& place, const Trace& trace, std::vector<Place>& origins) {
  const Step* step = trace.find(place.first);
  if (!step || !step->explain) return;
  for (const Operand& operand : copied_in(step->explain(place.second), step->tensor()[place.second], trace)) {
    if (operand.array.empty()) continue;
    Place origin{operand.array, operand.cell};
    if (std::ranges::find(origins, origin) != origins.end()) continue;
    origins.push_back(origin);
    add_origins(origin, trace, origins);
  }
}

}  // namespace

std::vector<Operand> copied_in(const Explanation& e, double value, const Trace& trace) {
  if (!passes_on(e, value)) return {};
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

const Place* box_copied(const Place& place, const Copies& copies, const std::map<Place, Candidate>& boxes) {
  const auto found = copies.find(place);
  if (found == copies.end() || boxes.contains(place)) return nullptr;
  const auto origin = std::ranges::find_if(found->second, [&](const Place& of) { return boxes.contains(of); });
  return origin == found->second.end() ? nullptr : &*origin;
}

}  // namespace headlight::app
