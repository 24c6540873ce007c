#include "app/reading/cell_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/reading/cell_story.h"
#include "app/reading/key_place.h"
#include "app/reading/slice.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"
#include "engine/trace/rule.h"

namespace headlight::app {

namespace {

std::vector<Link> links_back(const Trace& trace, const Step& step, Index cell) {
  std::vector<Link> links;
  const Step* at = &step;
  while (at && at->explain && links.size() < 16) {  // a story longer than any variant's is a cycle
    links.push_back({at, cell, at->explain(cell)});
    const Operand* next = main_operand(links.back().why, trace);
    if (!next) break;
    cell = next->cell;
    at = trace.find(next->array);
  }
  return links;
}

// Which axis the terms of a sum run along, told by how the first factor's cell moves between terms.
const Axis* axis_summed(const Explanation& e, const Trace& trace) {
  if (e.terms.size() < 2 || e.terms[0].factors.empty() || e.terms[1].factors.empty()) return nullptr;
  const Operand& a = e.terms[0].factors[0];
  const Operand& b = e.terms[1].factors[0];
  const Step* step = a.array.empty() || a.array != b.array ? nullptr : trace.find(a.array);
  if (!step) return nullptr;
  const auto first = index_at_flat(step->tensor().shape(), a.cell);
  const auto second = index_at_flat(step->tensor().shape(), b.cell);
  for (std::size_t i = 0; i < first.size(); ++i)
    if (first[i] != second[i]) return &step->info.axes[i];
  return nullptr;
}

// A letter of the formulas or a short word, for a column of numbers; the title of what has neither.
std::string letter_of(const Trace& trace, const std::string& id) {
  const Step* step = trace.find(id);
  if (step && !step->info.letter.empty()) return step->info.letter;
  return step && id.size() > 3 ? step->info.title : id;
}

// "r·s": of those factors that are recorded.
std::string names_of(const Trace& trace, const std::vector<Operand>& factors) {
  std::vector<std::string> names;
  for (const Operand& factor : factors)
    if (!factor.array.empty()) names.push_back(letter_of(trace, factor.array));
  return fmt::format("{}", fmt::join(names, "·"));
}

// Where along its axis a term's first factor lies; nothing where the terms run along none.
std::optional<Index> position_of(const Term& term, const Axis* axis, const Trace& trace) {
  const Step* step = term.factors.empty() ? nullptr : trace.find(term.factors[0].array);
  if (!axis || !step) return std::nullopt;
  const auto at = index_at_flat(step->tensor().shape(), term.factors[0].cell);
  for (std::size_t i = 0; i < at.size(); ++i)
    if (&step->info.axes[i] == axis) return at[i];
  return std::nullopt;
}

// The arrays that a factor is read from, term after term: none where it lies outside the picture.
std::vector<std::string> symbols_of_factor(const Explanation& why, std::size_t at, const Trace& trace) {
  std::vector<std::string> symbols;
  std::string_view before;
  for (const Term& term : why.terms) {
    if (term.factors.size() != why.terms.front().factors.size()) continue;
    const std::string& array = term.factors[at].array;
    if (array.empty() || array == before) continue;
    before = array;
    std::string symbol = letter_of(trace, array);
    if (std::ranges::find(symbols, symbol) == symbols.end()) symbols.push_back(std::move(symbol));
  }
  return symbols;
}

// `mixed` where the last factors are read from several arrays, each with channels of its own.
std::string row_index(const Term& term, const Axis* axis, const Link& link, const Trace& trace, std::size_t position,
                      bool mixed) {
  const auto at = position_of(term, axis, trace);
  const Index item = item_of(*link.step, link.cell);
  std::string index = fmt::format("{}", position);
  if (at && axis->role == Role::key)
    index = key_place(trace, *trace.find(term.factors[0].array), *at, query_of(*link.step, link.cell), item).at;
  else if (at)
    index = label_of(axis, *at, item);
  // Positions meet the query by two tables, a half of the channels each.
  for (const Operand& factor : term.factors) {
    const Step* step = trace.find(factor.array);
    if (const std::string side = step ? side_of(trace, *step) : ""; !side.empty()) index = side + " " + index;
  }
  if (const Step* own = mixed ? trace.find(term.factors.back().array) : nullptr) {
    const std::string letter = letter_of(trace, own->info.id);
    index = fmt::format("{} {}", letter.substr(0, letter.find(' ')), term.factors.back().cell % own->tensor().dim(-1));
  }
  return index;
}

// "[θ; φ pooled]"; only the first of more than a column has room for.
std::string all_or_first(const std::vector<std::string>& symbols) {
  constexpr std::size_t room = 16;  // bytes
  const std::string all = fmt::format("[{}]", fmt::join(symbols, "; "));
  return all.size() <= room ? all : fmt::format("[{}; …]", symbols.front());
}

// "v", "[θ; φ pooled]" of what stands below each other.
void name_columns(OperandTable& table, const Link& link, const Trace& trace) {
  std::string product;
  const auto& first = link.why.terms.front().factors;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto symbols = symbols_of_factor(link.why, i, trace);
    const bool several = symbols.size() > 1;
    const Step* step = nullptr;
    for (const Term& term : link.why.terms)
      if (!step && i < term.factors.size()) step = trace.find(term.factors[i].array);
    std::string heading;
    if (!symbols.empty()) heading = several ? all_or_first(symbols) : symbols[0];
    table.headings.push_back(std::move(heading));
    table.roles.push_back(step && !several ? step->info.role : Role::none);
    const std::string& factor = table.headings.back();
    const bool sum = factor.find(" + ") != std::string::npos && first.size() > 1;
    product += (product.empty() ? "" : "·") + (sum ? "(" + factor + ")" : factor);
  }
  constexpr std::string_view pooled = " pooled";  // said once, above the keys
  for (std::size_t at; (at = product.find(pooled)) != std::string::npos;) product.erase(at, pooled.size());
  table.headings.push_back(product);
  table.roles.push_back(link.step->info.role);
}

OperandTable table_of(const Link& link, const Trace& trace) {
  OperandTable table;
  table.step = link.step->info.id;
  const Axis* axis = axis_summed(link.why, trace);
  if (axis) table.index_heading = axis->role == Role::key ? "key" : "c";
  name_columns(table, link, trace);
  const std::size_t factors = table.headings.size() - 1;
  const bool mixed = factors > 1 && table.headings[factors - 1].starts_with('[');
  for (const auto& term : link.why.terms) {
    OperandRow row;
    const bool regular = term.factors.size() == link.why.terms.front().factors.size();
    row.index = regular ? row_index(term, axis, link, trace, table.rows.size(), mixed)
                        : letter_of(trace, term.factors.front().array);
    for (const auto& factor : term.factors) {
      row.factors.push_back(value_of(factor, trace));
      const Step* step = trace.find(factor.array);
      if (step && row.masked.empty()) row.masked = why_masked(trace, *step, factor.cell);
    }
    if (factors == 2 && row.factors.size() == 3) {  // its first two are one number, and named
      row.factors = {row.factors[0] * row.factors[1], row.factors[2]};
      row.index = names_of(trace, {term.factors[0], term.factors[1]});
    }
    row.product = value_of(term, trace);
    table.sum += row.product;
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The steps that a sum adds up, each a sum of products over the same first factors (content and position, which both
// meet the query): told in one table. Null where they are not such.
std::optional<OperandTable> shared_table(const Link& link, const Trace& trace) {
  if (!rule_of(link.why.combine).is_plain_sum() || link.why.terms.size() != 2) return std::nullopt;
  std::vector<Link> parts;
  for (const auto& term : link.why.terms) {
    const Operand* own = only_recorded(term);
    const Step* step = own ? trace.find(own->array) : nullptr;
    if (!step || !step->explain) return std::nullopt;
    parts.push_back({step, own->cell, step->explain(own->cell)});
    if (!is_sum_of_products(parts.back().why, trace)) return std::nullopt;
  }
  const auto &first = parts[0].why.terms, &second = parts[1].why.terms;
  if (first.size() != second.size()) return std::nullopt;
  OperandTable table = table_of(parts[0], trace);
  const OperandTable other = table_of(parts[1], trace);
  if (table.headings.size() != 3 || other.headings.size() != 3 || table.headings[0] != other.headings[0])
    return std::nullopt;
  table.headings = {table.headings[0], table.headings[1], other.headings[1], table.headings[2], other.headings[2]};
  table.roles = {table.roles[0], table.roles[1], other.roles[1], table.roles[2], other.roles[2]};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (first[i].factors.empty() || second[i].factors.empty() || table.rows[i].factors.size() != 2 ||
        other.rows[i].factors.size() != 2 || first[i].factors[0].cell != second[i].factors[0].cell)
      return std::nullopt;
    table.rows[i].factors.push_back(other.rows[i].factors[1]);
    table.rows[i].second = other.rows[i].product;
  }
  return table;
}

std::string result_label(const Step& step) {
  if (step.info.kind == Kind::probability || step.info.kind == Kind::score) return quantity_of(step);
  return lower_first(step.info.title);
}

double row_sum(const Step& step, Index cell) {
  const Index columns = step.tensor().dim(-1), row = cell / columns;
  double sum = 0;
  for (Index j = 0; j < columns; ++j) sum += step.tensor()[row * columns + j];
  return sum;
}

// "agrees to 7 digits", "off by 3.1e-02"; of numbers without digits to compare, how much they differ.
std::string deviation(const CellTrace& found, double recomputed) {
  if (!std::isfinite(found.difference)) {
    const bool overflow = std::isinf(found.value) && std::abs(recomputed) > std::numeric_limits<float>::max();
    return fmt::format("{}{}", with_minus_signs(fmt::format("{:.4g}", recomputed)),
                       overflow ? ", beyond float32" : " in double precision");
  }
  if (!found.check_ok) return fmt::format("off by {:.1e}", found.difference);
  const double digits = std::floor(-std::log10(found.difference / std::abs(found.value)));
  if (digits >= 1 && std::isfinite(digits)) return fmt::format("agrees to {} digits", static_cast<int>(digits));
  return fmt::format("agrees within {:.1e}", found.difference);
}

// The cell carried out again in double, and of a rule whose rows add up to 1 the row's sum besides: a weight that was
// exchanged with another leaves the sum as it is.
void add_check(CellTrace& result, const Trace& trace, const Step& step, const Explanation& why) {
  const double recomputed = evaluate(why, trace);
  const bool both_broken = std::isnan(recomputed) && std::isnan(result.value);
  result.difference = recomputed == result.value || both_broken ? 0 : std::abs(recomputed - result.value);
  result.check_ok = result.difference == 0 ||
                    result.difference <= 1e-5 + 1e-4 * std::abs(std::isfinite(result.value) ? result.value : 0);
  const std::string off = deviation(result, recomputed);
  if (!rule_of(why.combine).sums_to_one()) {
    result.check = result.difference == 0 ? "Recomputed: the same" : "Recomputed: " + off;
    return;
  }
  const double sum = row_sum(step, result.cell);
  const bool empty =
      std::ranges::all_of(why.terms, [&](const Term& t) { return is_minus_infinity(value_of(t, trace)); });
  const std::string again = result.check_ok ? "Recomputed" : "Recomputed: " + off, row = query_text(step, result.cell);
  result.check = std::isfinite(sum) ? fmt::format("{}; row {} sums to {:.4f}", again, row, sum)
                                    : fmt::format("Row {} has numbers that are not finite", row);
  result.check_ok = result.check_ok && std::abs(sum - (empty ? 0 : 1)) < 1e-4;
}

// The score that a weight is made of; null where it is made otherwise.
const Term* own_score(const Explanation& e) {
  const Rule& rule = rule_of(e.combine);
  if (rule.is_weight()) return &e.terms[static_cast<std::size_t>(e.self)];
  return rule.function && !e.terms.empty() ? &e.terms.front() : nullptr;
}

// Of a sum whose every term is a weight that was masked before it was dropped, mixed with others or taken off one.
std::string why_all_masked(const Trace& trace, const Explanation& e) {
  std::string first;
  for (const Term& term : e.terms) {
    std::string reason;
    for (const Operand& factor : term.factors) {
      const Step* from = trace.find(factor.array);
      if (reason.empty() && from && from->explain) reason = why_masked(trace, *from, factor.cell);
    }
    if (reason.empty()) return {};
    if (first.empty()) first = reason;
  }
  return first;
}

// Whether a number is nothing, instead of made of anything, because the step reads a mask.
bool is_masked_out(const Trace& trace, const Step& step, Index cell, const Explanation& e) {
  if (e.terms.size() != 1 || e.terms[0].factors.size() != 1 || !e.terms[0].factors[0].array.empty()) return false;
  const Step* by = masking_step(trace, step);
  return by && by->info.kind == Kind::mask && !(step.edited && step.edited->edit_of(cell) > 0);
}

// The score that a masked one was made of, where that is −∞ by itself: it was cut by hand, whatever the mask says.
std::pair<const Step*, Index> hidden_before(const Trace& trace, const Explanation& e) {
  for (const Term& term : e.terms)
    for (const Operand& operand : term.factors) {
      const Step* from = trace.find(operand.array);
      if (from && from->info.role == Role::score && from->info.minus_infinity_masks &&
          is_minus_infinity(from->tensor()[operand.cell]))
        return {from, operand.cell};
    }
  return {nullptr, -1};
}

}  // namespace

std::string why_masked(const Trace& trace, const Step& step, Index cell) {
  const double value = step.tensor()[cell];
  const auto said = [](const Explanation& e) { return e.reason.empty() ? std::string("masked") : e.reason; };
  if (is_minus_infinity(value) && step.info.minus_infinity_masks) {
    if (!step.explain) return "masked";
    const Explanation e = step.explain(cell);
    const auto [score, at] = hidden_before(trace, e);
    return score ? why_masked(trace, *score, at) : said(e);
  }
  if (value != 0 || !step.explain || !is_weight(step)) return {};
  const Explanation e = step.explain(cell);
  const Rule& rule = rule_of(e.combine);
  if (const Term* own = own_score(e)) {
    const Operand& operand = own->factors.front();
    const Step* score = trace.find(operand.array);
    return score && score->info.minus_infinity_masks && is_minus_infinity(score->tensor()[operand.cell]) ? said(e) : "";
  }
  if (!rule.is_plain_sum()) return {};
  return is_masked_out(trace, step, cell, e) ? said(e) : why_all_masked(trace, e);
}

ShownRows shown_rows(const OperandTable& table) {
  constexpr std::size_t few = 12;
  ShownRows shown;
  shown.order.resize(table.rows.size());
  std::iota(shown.order.begin(), shown.order.end(), std::size_t{0});
  if (table.rows.size() <= few) return shown;
  const auto size = [&](std::size_t i) {
    const OperandRow& row = table.rows[i];
    const double larger = std::max(std::abs(row.product), std::abs(row.second.value_or(0)));
    return std::isnan(row.product) ? std::numeric_limits<double>::infinity() : larger;
  };
  for (const OperandRow& row : table.rows) shown.masked += !row.masked.empty();
  std::erase_if(shown.order, [&](std::size_t i) { return !table.rows[i].masked.empty() || size(i) == 0; });
  shown.zero = table.rows.size() - shown.masked - shown.order.size();
  std::ranges::stable_sort(shown.order, [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  return shown;
}

CellTrace trace_cell(const Trace& trace, const Step& step, Index cell) {
  CellTrace result;
  result.step = step.info.id;
  result.cell = cell;
  result.value = step.tensor()[cell];
  result.result_label = result_label(step);
  result.result_role = step.info.role;
  result.result = why_masked(trace, step, cell).empty() ? number_text(result.value, 4) : "masked";
  const auto links = links_back(trace, step, cell);
  if (links.empty()) {
    result.check = "An input: it is not computed";
    return result;
  }
  result.table =
      is_sum_of_products(links.back().why, trace) ? table_of(links.back(), trace) : shared_table(links.back(), trace);
  for (auto link = links.rbegin(); link != links.rend(); ++link) add_story(*link, trace, result.lines);
  add_check(result, trace, step, links.front().why);
  return result;
}

std::string to_text(const CellTrace& cell_trace, const Trace& trace) {
  const Step* step = trace.find(cell_trace.step);
  const auto index = index_at_flat(step->tensor().shape(), cell_trace.cell);
  std::string text = fmt::format("{}[{}]\n", cell_trace.step, fmt::join(index, ", "));
  if (cell_trace.table) {
    const auto& table = *cell_trace.table;
    text += fmt::format("{:>12}  {:>10}\n", table.index_heading, fmt::join(table.headings, "  "));
    for (const auto& row : table.rows) {
      text += fmt::format("{:>12}", row.index);
      if (!row.masked.empty()) {
        text += fmt::format("  {}\n", row.masked);
        continue;
      }
      for (const double factor : row.factors) text += fmt::format("  {:>10}", number_text(factor, 4));
      text += fmt::format("  {:>10}", number_text(row.product, 4));
      if (row.second) text += fmt::format("  {:>10}", number_text(*row.second, 4));
      text += "\n";
    }
  }
  for (const auto& line : cell_trace.lines)
    text += fmt::format("{:>12}  {}  =  {}\n", line.label, line.expression, line.value);
  text += fmt::format("{:>12}  {}\n", cell_trace.result_label, cell_trace.result);
  if (!cell_trace.check.empty()) text += cell_trace.check + "\n";
  return text;
}

std::optional<PairTable> pair_table(const Problem& problem, const Trace& trace, const CellTrace& story) {
  if (!story.table) return std::nullopt;
  const auto line = std::ranges::find(story.lines, story.table->step, &TraceLine::step);
  const Step* scores = trace.find(story.table->step);
  if (line == story.lines.end() || !scores || scores->tensor().rank() != 4) return std::nullopt;
  const auto turned = mechanism::rotation(problem, trace);
  if (!turned || static_cast<Index>(story.table->rows.size()) != turned->q->tensor().dim(3)) return std::nullopt;
  const auto at = index_at_flat(scores->tensor().shape(), line->cell);
  const mechanism::PairIndex of{at[0], at[1], at[2], at[3]};
  PairTable table;
  table.query_place = turned->first_query + of.query;
  table.key_place = turned->first_key + of.key;
  table.still = table.sum = mechanism::unrotated_product(*turned, of);
  for (Index pair = 0; pair < turned->pairs(); ++pair) {
    const auto [first, second] = turned->channels(pair);
    table.rows.push_back(
        {first, second, turned->frequencies[static_cast<std::size_t>(pair)], mechanism::dial(*turned, of, pair)});
    table.sum += table.rows.back().dial.product;
  }
  return table;
}

}  // namespace headlight::app
