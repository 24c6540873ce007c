#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>

#include "app/worksheets/worksheet_of.h"
#include "app/worksheets/worksheet_parts.h"
#include "engine/trace/rule.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_terms = 4;  // of a sum, in an answer
constexpr std::string_view plus = " + ";
constexpr std::string_view minus = "−";

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
  return fmt::format("{}{}{}", value < 0 ? minus : "", text, power);
}

namespace {

// Numbers as the sheet has them.
struct Printer {
  const Trace& trace;
  const Tables& tables;
  const Numbers& own;  // the box's

  std::string text(const Operand& operand) const {
    const auto table = tables.find(operand.array);
    const double value = value_of(operand, trace);
    return table == tables.end() ? sheet_number(value) : printed_in(*table->second, value);
  }
  std::string told(double number) const { return sheet_number(number, own.given_digits); }
};

// In brackets where a sign or a power of ten would run into what stands round it.
std::string factor_text(const std::string& number) {
  return number.starts_with(minus) || number.find("·") != std::string::npos ? fmt::format("({})", number) : number;
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
std::vector<const Term*> relevant_terms(const Explanation& e, const Trace& trace) {
  std::vector<const Term*> all;
  std::vector<const Term*> telling;
  const bool zeros_tell = rule_of(e.combine).zero_counts;
  for (const Term& term : e.terms) {
    const double value = value_of(term, trace);
    all.push_back(&term);
    if ((value != 0 || zeros_tell) && value != -std::numeric_limits<double>::infinity()) telling.push_back(&term);
  }
  return telling.empty() ? all : telling;
}

// Those that tell most of the sum, in their order: the largest of products, and what exp is of.
std::vector<const Term*> largest_terms(const Explanation& e, const Trace& trace) {
  std::vector<const Term*> terms = relevant_terms(e, trace);
  const Rule& rule = rule_of(e.combine);
  if (terms.size() <= most_terms || rule.is_normalised()) return terms;
  const auto part = [&](const Term* term) {
    const double value = value_of(*term, trace);
    return rule.zero_counts ? value : std::abs(value);
  };
  std::vector<const Term*> largest = terms;
  std::ranges::stable_sort(largest, std::greater<>(), part);
  largest.resize(most_terms);
  std::vector<const Term*> kept;
  for (const Term* term : terms)
    if (std::ranges::find(largest, term) != largest.end()) kept.push_back(term);
  return kept;
}

// At most four terms, then "…".
std::string terms_text(const Explanation& e, const Printer& printer, std::string_view between) {
  const Rule& rule = rule_of(e.combine);
  std::vector<std::string> told;
  const std::vector<const Term*> terms = largest_terms(e, printer.trace);
  for (const Term* term : terms) {
    if (told.size() == most_terms) break;  // of a norm
    const std::string text = product_text(*term, printer);
    told.push_back(rule.form == Rule::Form::share ? rule.opening + text + rule.closing : text);
  }
  if (told.size() < relevant_terms(e, printer.trace).size()) told.emplace_back("…");
  std::string line;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const bool taken_off = i > 0 && between == plus && told[i].starts_with(minus);
    if (i > 0 && !taken_off) line += between;
    line += taken_off ? " − " + told[i].substr(minus.size()) : told[i];
  }
  return line;
}

// What is made of the terms, times the scale.
std::string scaled(const std::string& text, const Explanation& e, const Printer& printer) {
  if (e.scale == 1) return text;
  const std::string by = e.scale_label.empty() ? factor_text(printer.told(e.scale)) : e.scale_label;
  return fmt::format("{} × {}", e.terms.size() > 1 ? fmt::format("({})", text) : text, by);
}

std::string scaled_text(const Explanation& e, const Printer& printer) {
  return scaled(terms_text(e, printer, plus), e, printer);
}

// What stands for a length has no number of its own on the sheet.
std::string by_length_text(const Explanation& e, const Printer& printer) {
  const Rule& rule = rule_of(e.combine);
  return fmt::format("{} / {}{}{}{}{}, over {}", product_text(e.terms[static_cast<std::size_t>(e.self)], printer),
                     rule.opening, sheet_number(e.epsilon), rule.closing,
                     e.parameters.empty() ? "" : " · " + factor_text(printer.text(e.parameters[0])),
                     e.times == 1 ? "" : " · " + sheet_number(e.times), terms_text(e, printer, ", "));
}

std::string normalised_text(const Explanation& e, const Printer& printer) {
  const auto parameter = [&](std::size_t i) { return factor_text(printer.text(e.parameters[i])); };
  if (!rule_of(e.combine).has_own_term())
    return fmt::format("({} − {}) / √({} + {}) · {} + {}", scaled_text(e, printer), parameter(2), parameter(3),
                       sheet_number(e.epsilon), parameter(0), parameter(1));
  return fmt::format("({} − mean) / √(variance + {}) · {} + {}, over {}",
                     product_text(e.terms[static_cast<std::size_t>(e.self)], printer), sheet_number(e.epsilon),
                     parameter(0), parameter(1), terms_text(e, printer, ", "));
}

// exp of the own term, over the sum of all of them and of the sink.
std::string share_text(const Explanation& e, const Printer& printer) {
  const Rule& rule = rule_of(e.combine);
  const std::string own = product_text(e.terms[static_cast<std::size_t>(e.self)], printer);
  const std::string sink =
      rule.has_sink ? fmt::format("{}{}{}{}", plus, rule.opening, printer.text(e.parameters[0]), rule.closing) : "";
  return fmt::format("{}{}{} / {}", rule.opening, own, rule.closing,
                     printer.own.exp_sum ? factor_text(printer.told(*printer.own.exp_sum))
                                         : fmt::format("({}{})", terms_text(e, printer, plus), sink));
}

// The threshold has no number of its own on the sheet.
std::string above_text(const Explanation& e, const Printer& printer) {
  const bool squared = rule_of(e.combine).halved_and_squared;
  return fmt::format("max(0, {}{} − τ){}, where τ makes the row add up to 1, over {}",
                     product_text(e.terms[static_cast<std::size_t>(e.self)], printer), squared ? " / 2" : "",
                     squared ? "²" : "", terms_text(e, printer, ", "));
}

std::string derivation(const Explanation& e, const Printer& printer) {
  const Rule& rule = rule_of(e.combine);
  switch (rule.form) {  // no default: a new form does not compile until it is told
    case Rule::Form::of_sum:
      return (e.times == 1 ? "" : fmt::format("{} × ", sheet_number(e.times))) + rule.opening +
             scaled_text(e, printer) + rule.closing;
    case Rule::Form::largest:
      return scaled(fmt::format("the {}{}{}", rule.opening, terms_text(e, printer, ", "), rule.closing), e, printer);
    case Rule::Form::share:
      return share_text(e, printer);
    case Rule::Form::above:
      return above_text(e, printer);
    case Rule::Form::by_length:
      return by_length_text(e, printer);
    case Rule::Form::quotient:
      return fmt::format("({}) / {}", scaled_text(e, printer), printer.text(e.parameters[0]));
    case Rule::Form::normalised:
    case Rule::Form::normalised_by:
      return normalised_text(e, printer);
  }
  return {};
}

}  // namespace

std::string answer_of(int number, const Place& place, const Trace& trace, const Tables& tables, const Numbers& own) {
  const Printer printer{trace, tables, own};
  const Step& step = *trace.find(place.first);
  const Explanation e = step.explain(place.second);
  const double value = step.tensor()[place.second];
  const std::string reason = e.reason.empty() ? "" : fmt::format("   ({})", e.reason);
  return fmt::format("{}: {} = {}{}", number, derivation(e, printer), printed_in(own, value), reason);
}

}  // namespace headlight::app
