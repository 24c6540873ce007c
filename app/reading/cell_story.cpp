#include "app/reading/cell_story.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/reading/key_place.h"
#include "app/reading/slice.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// Factors that are recorded numbers; the rest are the rule's own constants.
std::size_t recorded_factors(const Term& term) {
  return static_cast<std::size_t>(
      std::ranges::count_if(term.factors, [](const Operand& factor) { return !factor.array.empty(); }));
}

// The factor that a step of the run made, masks aside; null where there is none or several.
const Operand* only_made(const Explanation& e, const Trace& trace) {
  const Operand* found = nullptr;
  int steps = 0;
  for (const auto& term : e.terms)
    for (const auto& factor : term.factors) {
      const Step* step = factor.array.empty() ? nullptr : trace.find(factor.array);
      if (!step || !step->explain || step->info.kind == Kind::mask) continue;
      ++steps;
      if (!found) found = &factor;
    }
  return steps == 1 ? found : nullptr;
}

}  // namespace

const Operand* only_recorded(const Term& term) {
  if (recorded_factors(term) != 1) return nullptr;
  return &*std::ranges::find_if(term.factors, [](const Operand& factor) { return !factor.array.empty(); });
}

bool is_sum_of_products(const Explanation& e, const Trace& trace) {
  if (!rule_of(e.combine).of_sum()) return false;
  if (e.terms.size() == 1 && only_made(e, trace)) return false;  // one product, and the story goes on
  return std::ranges::any_of(e.terms, [](const Term& term) { return recorded_factors(term) > 1; });
}

const Operand* main_operand(const Explanation& e, const Trace& trace) {
  if (is_sum_of_products(e, trace) || e.terms.empty()) return nullptr;
  if (rule_of(e.combine).has_own_term()) return &e.terms[static_cast<std::size_t>(e.self)].factors[0];
  return only_made(e, trace);
}

namespace {

using Numbers = std::vector<double>;

double sum(const Numbers& n) {
  return std::accumulate(n.begin(), n.end(), 0.0);
}
double product(const Numbers& n) {
  return n[0] * n[1];
}
double quotient(const Numbers& n) {
  return n[0] / n[1];
}

class Story {
 public:
  Story(const Link& link, const Trace& trace, std::vector<TraceLine>& lines)
      : link_(link), e_(link.why), rule_(rule_of(link.why.combine)), trace_(trace), lines_(lines) {}

  void write() {
    switch (rule_.form) {  // no default: a new form does not compile until it has lines
      case Rule::Form::of_sum:
        return add_linear();
      case Rule::Form::largest:
        return add_maximum();
      case Rule::Form::share:
        return add_softmax();
      case Rule::Form::above:
        return add_above();
      case Rule::Form::by_length:
        return add_length();
      case Rule::Form::quotient:
        return add_quotient();
      case Rule::Form::normalised:
        return add_layer_norm();
      case Rule::Form::normalised_by:
        return add_batch_norm();
    }
  }

 private:
  TraceLine& add(std::string label, std::string expression, Printed result) {
    TraceLine line;
    line.label = std::move(label);
    line.expression = std::move(expression);
    line.value = result.text;
    line.result = std::move(result);
    line.role = link_.step->info.role;
    line.step = link_.step->info.id;
    line.cell = link_.cell;
    lines_.push_back(std::move(line));
    return lines_.back();
  }
  // A line of numbers: `pattern` has a {} for each.
  TraceLine& add(std::string label, const std::string& pattern, std::vector<Printed> numbers, Printed result,
                 Evaluator evaluate, int digits = 3) {
    choose_digits(numbers, result, evaluate, digits);
    TraceLine& line = add(std::move(label), fill_in_numbers(pattern, numbers), std::move(result));
    line.numbers = std::move(numbers);
    return line;
  }
  // Words for the value where it is no number: "masked".
  void add_words(std::string label, std::string expression, std::string value) {
    add(std::move(label), std::move(expression), link_result()).value = std::move(value);
  }

  Printed link_result() const { return printed_cell(link_.operand(), trace_); }
  Printed cell(const Operand& operand) const { return printed_cell(operand, trace_); }
  Printed number_of(const Term& term) const {
    return term.factors.size() == 1 ? cell(term.factors.front()) : printed_rule(value_of(term, trace_), "product");
  }
  const Term& own_term() const { return e_.terms[static_cast<std::size_t>(e_.self)]; }
  double sum_of_terms() const {
    double total = 0;
    for (const Term& term : e_.terms) total += value_of(term, trace_);
    return total;
  }
  // The number that a rule's last line ends with is the cell's own.
  Printed ends(bool here, double value, const char* rule) const {
    return here ? link_result() : printed_rule(value, rule);
  }

  // ---- scale · Σ terms, and what is made of it

  void add_linear() {
    if (add_constants() || add_mask()) return;
    Printed total = scaled_sum(rule_.is_plain_sum());
    if (rule_.is_plain_sum()) return;
    const double made = rule_.function(e_.scale * sum_of_terms());
    add_factor(add(rule_.name, fmt::format("{}{{}}{}", rule_.opening, rule_.closing), {std::move(total)},
                   ends(e_.times == 1, made, rule_.name),
                   [function = rule_.function](const Numbers& n) { return function(n[0]); })
                   .result);
  }

  // The factor that a rule ends with, where it has one.
  void add_factor(const Printed& of) {
    if (e_.times == 1) return;
    add(fmt::format("· {:g}", e_.times), "{} × {}", {of, printed_rule(e_.times, "factor")}, link_result(), product);
  }

  // A person decided, or a rule does alone: nothing that was recorded goes in.
  bool add_constants() {
    if (std::ranges::any_of(e_.terms, [](const Term& term) { return recorded_factors(term) > 0; })) return false;
    std::string words = e_.reason;
    for (const Term& term : e_.terms)
      if (words.empty() && !term.factors.empty()) words = term.factors.front().label;
    if (link_.step->edited && link_.step->edited->edit_of(link_.cell) > 0)
      add("by hand", words, link_result());
    else if (add_masked("mask"))
      return true;
    else if (link_.step->info.kind == Kind::mask)
      add_words("mask", "no rule hides it", "visible");
    else
      add("by rule", words, link_result());
    return true;
  }

  // Why the cell is masked, where it is.
  bool add_masked(const char* label) {
    const std::string masked = why_masked(trace_, *link_.step, link_.cell);
    if (!masked.empty()) add_words(label, masked, "masked");
    return !masked.empty();
  }

  // A score and what a mask adds to it.
  bool add_mask() {
    const Operand* added = nullptr;
    for (const Term& term : e_.terms) {
      const Operand* own = only_recorded(term);
      const Step* step = own ? trace_.find(own->array) : nullptr;
      if (step && step->info.kind == Kind::mask) added = own;
    }
    if (add_masked("mask")) return true;
    if (!added || link_.step->info.kind != Kind::score) return false;
    if (value_of(*added, trace_) == 0)
      add_words("mask", e_.reason.empty() ? "no rule hides it" : e_.reason, "visible");
    else
      add_terms("mask", true);
    return true;
  }

  // scale · Σ terms, as the number that the next line goes on with.
  Printed scaled_sum(bool ends_here) {
    Printed total = add_sum(ends_here && e_.scale == 1);
    return e_.scale == 1 ? total : add_scale(std::move(total), e_.scale * sum_of_terms(), ends_here);
  }

  // Σ terms, as the number that the next line goes on with.
  Printed add_sum(bool ends_here) {
    if (is_sum_of_products(e_, trace_)) {
      const bool dot = link_.step->info.kind == Kind::score && e_.terms.size() > 2;  // not a product and what is added
      return add(dot ? "dot product" : "sum", products_in_words(), ends(ends_here, sum_of_terms(), "sum of products"))
          .result;
    }
    if (e_.terms.size() != 1) {
      add_parts();
      return add_terms("sum", ends_here);
    }
    const Term& term = e_.terms.front();
    if (term.factors.size() == 2)
      return add("product", "{} × {}", {cell(term.factors[0]), cell(term.factors[1])},
                 ends(ends_here, value_of(term, trace_), "product"), product)
          .result;
    const Operand& only = term.factors.front();
    const std::string from = operand_in_words(only, trace_, item_of(*link_.step, link_.cell));
    if (ends_here) add("copied from", e_.reason.empty() ? from : e_.reason, link_result());
    return cell(only);
  }

  // "8 products", "8 products and a bias": the table has them.
  std::string products_in_words() const {
    std::size_t products = 0, alone = 0;
    for (const Term& term : e_.terms) (term.factors.size() > 1 ? products : alone) += 1;
    std::string words = fmt::format("sum of {} product{}", products, products == 1 ? "" : "s");
    if (alone == 1) words += " and the bias";
    if (alone > 1) words += fmt::format(" and {} numbers", alone);
    return words;
  }

  Printed add_scale(Printed total, double scaled, bool ends_here) {
    const bool divides = std::abs(e_.scale) < 1 && e_.scale != 0;
    const double by = divides ? 1 / e_.scale : e_.scale;
    std::string name = e_.scale_label, label = "scaled";
    if (divides && name.starts_with("1/")) name = name.substr(2);
    constexpr std::size_t short_enough = 12;  // bytes of a label; longer ones have no room
    if (divides && !name.empty() && name.size() <= short_enough) label = "÷ " + name;
    return add(label, divides ? "{} / {}" : "{} × {}",
               {std::move(total), printed_rule(by, name.empty() ? "scale" : name)},
               ends(ends_here, scaled, "scaled sum"), divides ? quotient : product)
        .result;
  }

  // Each part of a sum that is a sum of products itself, with what makes its share: "31.198 / 3.464 × 0.021".
  void add_parts() {
    constexpr std::size_t most = 4;
    if (e_.terms.size() > most) return;
    for (const Term& term : e_.terms) {
      const Operand* own = only_recorded(term);
      const Step* part = own ? trace_.find(own->array) : nullptr;
      if (!part || !part->explain || is_listed(part->info.id, own->cell)) continue;
      const Explanation why = part->explain(own->cell);
      if (!is_sum_of_products(why, trace_) || !rule_of(why.combine).is_plain_sum()) continue;
      add_part({part, own->cell, why}, term);
    }
  }

  // Where the cell's numbers come from one cell alone, the story begins with that one.
  bool is_listed(const std::string& step, Index cell) const {
    return std::ranges::any_of(lines_, [&](const TraceLine& line) { return line.step == step && line.cell == cell; });
  }

  void add_part(const Link& part, const Term& term) {
    Story of{part, trace_, lines_};
    std::vector<Printed> numbers{printed_rule(of.sum_of_terms(), "sum of products")};
    std::string pattern = "{}";
    const bool divided = part.why.scale != 1;
    if (divided) {
      numbers.push_back(printed_rule(1 / part.why.scale, part.why.scale_label));
      pattern += " / {}";
    }
    const auto constant =
        std::ranges::find_if(term.factors, [](const Operand& factor) { return factor.array.empty(); });
    const bool weighed = constant != term.factors.end();
    if (weighed) {
      numbers.push_back(printed_rule(constant->value, constant->label));
      pattern += " × {}";
    }
    const Printed result =
        weighed ? printed_rule(value_of(term, trace_), "weighed part") : printed_cell(part.operand(), trace_);
    if (numbers.size() == 1)
      of.add(part_label(*part.step), of.products_in_words(), result);
    else
      of.add(part_label(*part.step), pattern, std::move(numbers), result,
             [divided, weighed](const Numbers& n) { return n[0] / (divided ? n[1] : 1) * (weighed ? n.back() : 1); });
  }

  static std::string part_label(const Step& part) {
    std::string label = part.info.title;
    if (label.size() > 1 && static_cast<unsigned char>(label[1]) < 128) label = lower_first(std::move(label));
    if (label.ends_with(" scores")) label.resize(label.size() - 7);
    return label;
  }

  // The terms as a sum. Many of them are only counted.
  Printed add_terms(const char* label, bool ends_here) {
    constexpr std::size_t most = 6;
    Printed total = ends(ends_here, sum_of_terms(), "sum");
    if (e_.terms.size() > most || e_.terms.empty()) {
      add(label, fmt::format("sum of {} numbers", e_.terms.size()), total);
      return total;
    }
    std::vector<Printed> numbers;
    for (const Term& term : e_.terms) {
      const Operand* own = only_recorded(term);
      numbers.push_back(own && term.factors.size() == 1 ? cell(*own)
                                                        : printed_rule(value_of(term, trace_), "weighed part"));
    }
    choose_digits(numbers, total, sum);
    TraceLine& line = add(label, sum_text(numbers), std::move(total));
    line.numbers = std::move(numbers);
    return line.result;
  }

  // ---- the other rules

  void add_maximum() {
    std::vector<Printed> numbers;
    std::string pattern = rule_.opening;
    for (const Term& term : e_.terms) {
      if (term.factors.empty()) continue;
      pattern += numbers.empty() ? "{}" : ", {}";
      numbers.push_back(number_of(term));
    }
    const bool ends_here = e_.scale == 1;
    double largest = -std::numeric_limits<double>::infinity();
    for (const Printed& number : numbers) largest = std::max(largest, number.value);
    const TraceLine& line = add("pooled", pattern, std::move(numbers), ends(ends_here, largest, "largest"),
                                [](const Numbers& n) { return *std::ranges::max_element(n); });
    if (!ends_here) add_scale(line.result, e_.scale * largest, true);
  }

  void add_softmax() {
    if (add_masked("weight")) return;
    std::vector<Term> terms = e_.terms;
    if (rule_.has_sink) terms.push_back({{e_.parameters[0]}});
    const Term* largest = &own_term();
    for (const Term& term : terms)
      if (value_of(term, trace_) > value_of(*largest, trace_)) largest = &term;
    double total = 0;
    for (const Term& term : terms) total += std::exp(value_of(term, trace_) - value_of(*largest, trace_));
    const double raised = std::exp(value_of(own_term(), trace_) - value_of(*largest, trace_));
    const char* beside = rule_.has_sink ? " and the sink" : "";
    add("row's largest", fmt::format("of {}{}", visible_in_words("score"), beside), number_of(*largest));
    add(
        "exp", "exp({} − {})", {number_of(own_term()), number_of(*largest)},
        printed_rule(raised, "exp(score − largest)"), [](const Numbers& n) { return std::exp(n[0] - n[1]); }, 4);
    add("row sum", fmt::format("of exp over {}{}", visible_in_words("key"), beside), printed_rule(total, "row sum"))
        .value = number_text(total, 4);
    lines_.back().result.text = lines_.back().value;
    add("share", "{} / {}", {printed_rule(raised, "exp(score − largest)"), printed_rule(total, "row sum")},
        link_result(), quotient, 4);
  }

  // "3 visible keys": terms that are not −∞.
  std::string visible_in_words(const char* what) const {
    const auto count =
        std::ranges::count_if(e_.terms, [&](const Term& term) { return !is_minus_infinity(value_of(term, trace_)); });
    return fmt::format("{} visible {}{}", count, what, count == 1 ? "" : "s");
  }

  // What of the own term, or of half of it, is above the row's threshold, perhaps squared.
  void add_above() {
    if (add_masked("weight")) return;
    std::vector<double> values;
    for (const Term& term : e_.terms) values.push_back(value_of(term, trace_));
    const double threshold = rule_.threshold(values), own = values[static_cast<std::size_t>(e_.self)];
    const bool squared = rule_.halved_and_squared;
    Printed from = number_of(own_term());
    if (squared)
      from = add("half", "{} / {}", {from, printed_rule(2, "two")}, printed_rule(own / 2, "half"), quotient).result;
    add("threshold", fmt::format("over {}", visible_in_words("score")), printed_rule(threshold, "threshold"));
    const double above = std::max(0.0, from.value - threshold);
    const TraceLine& line = add(
        "above it", "max(0, {} − {})", {from, printed_rule(threshold, "threshold")}, ends(!squared, above, "above it"),
        [](const Numbers& n) { return std::max(0.0, n[0] - n[1]); }, 4);
    if (!squared) return;
    add("squared", "{} × {}", {line.result, line.result}, link_result(), product, 4);
  }

  // Divided by a length, and stretched by γ where there is one.
  void add_length() {
    double squares = 0;
    for (const Term& term : e_.terms) squares += std::pow(value_of(term, trace_), 2);
    const double length = rule_.length(squares, static_cast<double>(e_.terms.size()), e_.epsilon);
    add(rule_.name, fmt::format("of {} channels", e_.terms.size()), printed_rule(length, rule_.name));
    const bool stretched = !e_.parameters.empty();
    const double normalised = value_of(own_term(), trace_) / length;
    const TraceLine& line = add("normalised", "{} / {}", {number_of(own_term()), printed_rule(length, rule_.name)},
                                ends(!stretched, normalised, "normalised"), quotient);
    if (!stretched) return;
    const Printed by = cell(e_.parameters[0]);
    add_factor(
        add("· γ", "{} × {}", {line.result, by}, ends(e_.times == 1, normalised * by.value, "stretched"), product)
            .result);
  }

  // A sum over a number of the row.
  void add_quotient() {
    if (add_constants()) return;
    const Printed divisor = cell(e_.parameters[0]);
    if (divisor.value == 0)
      add(rule_.name, "0 where there is nothing to divide by", link_result());
    else
      add(rule_.name, "{} / {}", {scaled_sum(false), divisor}, link_result(), quotient);
  }

  void add_layer_norm() {
    double mean = 0, variance = 0;
    const auto n = static_cast<double>(e_.terms.size());
    for (const Term& term : e_.terms) mean += value_of(term, trace_) / n;
    for (const Term& term : e_.terms) variance += std::pow(value_of(term, trace_) - mean, 2) / n;
    add("mean", fmt::format("of {} channels", e_.terms.size()), printed_rule(mean, "mean"));
    add("variance", fmt::format("of {} channels", e_.terms.size()), printed_rule(variance, "variance"));
    add_normalised(number_of(own_term()), printed_rule(mean, "mean"), printed_rule(variance, "variance"));
  }

  void add_batch_norm() { add_normalised(scaled_sum(false), cell(e_.parameters[2]), cell(e_.parameters[3])); }

  // (x − mean) / √(variance + ε), stretched by γ and shifted by β.
  void add_normalised(const Printed& x, const Printed& mean, const Printed& variance) {
    const double deviation = std::sqrt(variance.value + e_.epsilon);
    const double normalised = (x.value - mean.value) / deviation;
    add("deviation", "√({} + {})", {variance, printed_rule(e_.epsilon, "ε")}, printed_rule(deviation, "deviation"),
        [](const Numbers& n) { return std::sqrt(n[0] + n[1]); });
    add("normalised", "({} − {}) / {}", {x, mean, printed_rule(deviation, "deviation")},
        printed_rule(normalised, "normalised"), [](const Numbers& n) { return (n[0] - n[1]) / n[2]; });
    add("· γ + β", "{} × {} + {}",
        {printed_rule(normalised, "normalised"), cell(e_.parameters[0]), cell(e_.parameters[1])}, link_result(),
        [](const Numbers& n) { return n[0] * n[1] + n[2]; });
  }

  const Link& link_;
  const Explanation& e_;
  const Rule& rule_;
  const Trace& trace_;
  std::vector<TraceLine>& lines_;
};

}  // namespace

void add_story(const Link& link, const Trace& trace, std::vector<TraceLine>& lines) {
  Story(link, trace, lines).write();
}

}  // namespace headlight::app
