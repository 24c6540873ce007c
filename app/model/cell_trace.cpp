#include "app/model/cell_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/model/slice.h"

namespace headlight::app {

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "+∞";
  const double size = std::abs(value);
  if (size != 0 && (size < 0.5 * std::pow(10.0, -digits) || size >= 1e6)) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, digits);
}

namespace {

// One stop on the way back: a step's cell and what made it.
struct Link {
  const Step* step = nullptr;
  Index cell = -1;
  Explanation why;
  double value() const { return step->tensor()[cell]; }
};

// Factors that are recorded numbers; the rest are the rule's own constants.
std::size_t recorded_factors(const Term& term) {
  return static_cast<std::size_t>(
      std::ranges::count_if(term.factors, [](const Operand& factor) { return !factor.array.empty(); }));
}

// The one recorded number of a term, or null where it has none or several.
const Operand* only_recorded(const Term& term) {
  if (recorded_factors(term) != 1) return nullptr;
  return &*std::ranges::find_if(term.factors, [](const Operand& factor) { return !factor.array.empty(); });
}

bool is_sum_of_products(const Explanation& e) {
  const bool linear = e.combine == Combine::sum || e.combine == Combine::relu || e.combine == Combine::batch_norm;
  return linear && std::ranges::any_of(e.terms, [](const Term& term) { return recorded_factors(term) > 1; });
}

// The operand that the story goes on with, or null where it ends.
const Operand* main_operand(const Explanation& e, const Trace& trace) {
  if (is_sum_of_products(e) || e.terms.empty()) return nullptr;
  if (e.combine == Combine::softmax || e.combine == Combine::layer_norm)
    return &e.terms[static_cast<std::size_t>(e.self)].factors[0];
  const Operand* found = nullptr;
  int steps = 0;
  for (const auto& term : e.terms) {
    for (const auto& factor : term.factors) {
      const Step* step = factor.array.empty() ? nullptr : trace.find(factor.array);
      if (!step || !step->explain || step->info.kind == Kind::mask) continue;
      ++steps;
      if (!found) found = &factor;
    }
  }
  return steps == 1 ? found : nullptr;
}

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

std::string symbol_of(const Trace& trace, const std::string& id) {
  if (id == "weights" || id == "dropped_weights") return "α";
  const Step* step = trace.find(id);
  return step ? step->info.id : id;
}

OperandTable table_of(const Link& link, const Trace& trace) {
  OperandTable table;
  table.step = link.step->info.id;
  const Axis* axis = axis_summed(link.why, trace);
  table.index_heading = axis && axis->labels.empty() ? "c" : axis ? "key" : "";
  std::string product;
  for (const auto& factor : link.why.terms.front().factors) {
    const Step* step = trace.find(factor.array);
    table.headings.push_back(symbol_of(trace, factor.array));
    table.roles.push_back(step ? step->info.role : Role::none);
    product += (product.empty() ? "" : "·") + table.headings.back();
  }
  table.headings.push_back(product);
  table.roles.push_back(link.step->info.role);
  Index position = 0;
  for (const auto& term : link.why.terms) {
    OperandRow row;
    const bool regular = term.factors.size() == link.why.terms.front().factors.size();
    row.index = regular ? label_of(axis, position) : symbol_of(trace, term.factors.front().array);
    for (const auto& factor : term.factors) row.factors.push_back(value_of(factor, trace));
    row.product = value_of(term, trace);
    table.sum += row.product;
    table.rows.push_back(std::move(row));
    ++position;
  }
  return table;
}

// The steps that a sum adds up, each a sum of products over the same first factors (content and position, which both
// meet the query): told in one table. Null where they are not such.
std::optional<OperandTable> shared_table(const Link& link, const Trace& trace) {
  if (link.why.combine != Combine::sum || link.why.terms.size() != 2) return std::nullopt;
  std::vector<Link> parts;
  for (const auto& term : link.why.terms) {
    const Operand* own = only_recorded(term);
    const Step* step = own ? trace.find(own->array) : nullptr;
    if (!step || !step->explain) return std::nullopt;
    parts.push_back({step, own->cell, step->explain(own->cell)});
    if (!is_sum_of_products(parts.back().why)) return std::nullopt;
  }
  const auto &first = parts[0].why.terms, &second = parts[1].why.terms;
  if (first.size() != second.size()) return std::nullopt;
  OperandTable table = table_of(parts[0], trace);
  const OperandTable other = table_of(parts[1], trace);
  if (table.headings.size() != 3 || other.headings.size() != 3 || table.headings[0] != other.headings[0])
    return std::nullopt;
  const std::string meets =
      other.headings[1].ends_with("_embedding") || other.headings[1].ends_with("_table") ? "r" : other.headings[1];
  const std::string own =
      table.headings[1].ends_with("_embedding") || table.headings[1].ends_with("_table") ? "r" : table.headings[1];
  table.headings = {table.headings[0], own, meets, table.headings[0] + "·" + own, table.headings[0] + "·" + meets};
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

TraceLine line(const Link& link, std::string label, std::string expression, std::string value) {
  return {std::move(label),     std::move(expression), std::move(value),
          link.step->info.role, link.step->info.id,    link.cell};
}

void add_softmax_lines(const Link& link, const Trace& trace, std::vector<TraceLine>& lines) {
  double largest = -std::numeric_limits<double>::infinity();
  int visible = 0;
  for (const auto& term : link.why.terms) {
    const double value = value_of(term, trace);
    largest = std::max(largest, value);
    visible += !(std::isinf(value) && value < 0);
  }
  const double own = value_of(link.why.terms[static_cast<std::size_t>(link.why.self)], trace);
  if (visible == 0) {
    lines.push_back(line(link, "row", "no visible key", "0 by definition"));
    return;
  }
  double sum = 0;
  for (const auto& term : link.why.terms) sum += std::exp(value_of(term, trace) - largest);
  lines.push_back(line(link, "exp", fmt::format("exp({} − {})", number_text(own), number_text(largest)),
                       number_text(std::exp(own - largest))));
  lines.push_back(line(link, "row sum", fmt::format("{} visible keys", visible), number_text(sum)));
}

void add_norm_lines(const Link& link, const Trace& trace, std::vector<TraceLine>& lines) {
  const auto n = static_cast<double>(link.why.terms.size());
  double mean = 0;
  double variance = 0;
  for (const auto& term : link.why.terms) mean += value_of(term, trace) / n;
  for (const auto& term : link.why.terms) variance += std::pow(value_of(term, trace) - mean, 2) / n;
  const double own = value_of(link.why.terms[static_cast<std::size_t>(link.why.self)], trace);
  const double deviation = std::sqrt(variance + link.why.epsilon);
  const double gamma = value_of(link.why.parameters[0], trace);
  const double beta = value_of(link.why.parameters[1], trace);
  lines.push_back(line(link, "mean", fmt::format("of {} channels", link.why.terms.size()), number_text(mean)));
  lines.push_back(line(link, "deviation", fmt::format("√({} + {})", number_text(variance), link.why.epsilon),
                       number_text(deviation)));
  lines.push_back(line(link, "normalised",
                       fmt::format("({} − {}) / {}", number_text(own), number_text(mean), number_text(deviation)),
                       number_text((own - mean) / deviation)));
  lines.push_back(
      line(link, "γ, β", fmt::format("× {} + {}", number_text(gamma), number_text(beta)), number_text(link.value())));
}

std::string sum_expression(const Explanation& e, const Trace& trace) {
  std::string text;
  for (const auto& term : e.terms) {
    const double value = value_of(term, trace);
    text += (text.empty() ? "" : " + ") + number_text(value);
  }
  return text;
}

void add_sum_lines(const Link& link, const Trace& trace, std::vector<TraceLine>& lines) {
  const Explanation& e = link.why;
  if (is_sum_of_products(e)) {
    const bool dot = link.step->info.kind == Kind::score;
    lines.push_back(line(link, dot ? "dot product" : "sum", fmt::format("sum of {} products", e.terms.size()),
                         number_text(link.value())));
    return;
  }
  const bool masks = std::ranges::any_of(e.terms, [&](const Term& term) {
    const Operand* own = only_recorded(term);
    const Step* step = own ? trace.find(own->array) : nullptr;
    return recorded_factors(term) == 0 || (step && step->info.kind == Kind::mask);
  });
  if (masks && link.step->info.kind == Kind::score) {
    const bool hidden = std::isinf(link.value()) && link.value() < 0;
    const std::string shown = hidden                                                   ? "masked"
                              : e.terms.size() > 1 && value_of(e.terms[1], trace) != 0 ? number_text(link.value())
                                                                                       : "visible";
    lines.push_back(line(
        link, "mask",
        e.reason.empty() ? (shown == "visible" ? "no rule hides it" : sum_expression(e, trace)) : e.reason, shown));
    return;
  }
  if (e.scale != 1 && e.terms.size() == 1) {
    const double operand = value_of(e.terms[0], trace);
    const std::string by = std::abs(e.scale) < 1 && e.scale != 0 ? fmt::format(" / {}", number_text(1 / e.scale))
                                                                 : fmt::format(" × {}", number_text(e.scale));
    lines.push_back(line(link, "scaled", number_text(operand) + by, number_text(link.value())));
    return;
  }
  if (e.terms.size() == 1 && link.why.combine == Combine::sum) {
    lines.push_back(
        line(link, "taken from", e.reason.empty() ? e.terms[0].factors[0].array : e.reason, number_text(link.value())));
    return;
  }
  for (const auto& term : e.terms) {  // each recorded part by its name, with what it was made from
    const Operand* own = only_recorded(term);
    const Step* part = own ? trace.find(own->array) : nullptr;
    if (!part || !part->explain || e.terms.size() > 4) continue;
    const Explanation why = part->explain(own->cell);
    if (!is_sum_of_products(why)) continue;
    double sum = 0;
    for (const auto& product : why.terms) sum += value_of(product, trace);
    std::string label = part->info.title;
    for (char& c : label)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (label.ends_with(" scores")) label.resize(label.size() - 7);
    const std::string by = why.scale == 1 ? "" : fmt::format(" / {}", number_text(1 / why.scale));
    const double factor = value_of(*own, trace) == 0 ? 1 : value_of(term, trace) / value_of(*own, trace);
    const std::string weighed = std::abs(factor - 1) < 1e-9 ? "" : fmt::format(" × {}", number_text(factor, 2));
    lines.push_back({label, number_text(sum) + by + weighed, number_text(value_of(term, trace)), part->info.role,
                     part->info.id, own->cell});
  }
  lines.push_back(line(link, "sum", sum_expression(e, trace), number_text(link.value())));
}

void add_maximum_lines(const Link& link, const Trace& trace, std::vector<TraceLine>& lines) {
  const Explanation& e = link.why;
  std::string candidates;
  for (const auto& term : e.terms)
    candidates += (candidates.empty() ? "" : ", ") + number_text(value_of(term, trace), 2);
  lines.push_back(line(link, "largest of", candidates, number_text(link.value())));
}

void add_batch_norm_lines(const Link& link, const Trace& trace, std::vector<TraceLine>& lines) {
  const Explanation& e = link.why;
  double sum = 0;
  for (const auto& term : e.terms) sum += value_of(term, trace);
  sum *= e.scale;
  const double gamma = value_of(e.parameters[0], trace), beta = value_of(e.parameters[1], trace),
               mean = value_of(e.parameters[2], trace), variance = value_of(e.parameters[3], trace);
  const double deviation = std::sqrt(variance + e.epsilon);
  lines.push_back(line(link, "sum", fmt::format("sum of {} products", e.terms.size()), number_text(sum)));
  lines.push_back(line(link, "normalised",
                       fmt::format("({} − {}) / {}", number_text(sum), number_text(mean), number_text(deviation)),
                       number_text((sum - mean) / deviation)));
  lines.push_back(
      line(link, "γ, β", fmt::format("× {} + {}", number_text(gamma), number_text(beta)), number_text(link.value())));
}

void add_lines(const Link& link, const Trace& trace, std::vector<TraceLine>& lines) {
  switch (link.why.combine) {
    case Combine::softmax:
      add_softmax_lines(link, trace, lines);
      break;
    case Combine::layer_norm:
      add_norm_lines(link, trace, lines);
      break;
    case Combine::maximum:
      add_maximum_lines(link, trace, lines);
      break;
    case Combine::batch_norm:
      add_batch_norm_lines(link, trace, lines);
      break;
    default:
      add_sum_lines(link, trace, lines);
  }
}

std::string result_label(const Step& step) {
  if (step.info.kind == Kind::probability) return "weight";
  if (step.info.kind == Kind::score) return "score";
  std::string label = step.info.title;
  if (!label.empty() && static_cast<unsigned char>(label[0]) < 128)
    label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
  return label;
}

void add_check(CellTrace& result, const Trace& trace, const Step& step, const Explanation& why) {
  const double recomputed = evaluate(why, trace);
  result.difference = recomputed == result.value ? 0 : std::abs(recomputed - result.value);
  if (step.info.kind == Kind::probability && why.combine == Combine::softmax) {
    const Index columns = step.tensor().dim(-1);
    const Index row = result.cell / columns;
    double sum = 0;
    for (Index j = 0; j < columns; ++j) sum += step.tensor()[row * columns + j];
    const Axis* queries = step.axis("n_q");
    const Index query = queries && queries->only ? *queries->only : row % step.tensor().dim(-2);
    result.check = fmt::format("Row {} sums to {:.6f}", query, sum);
    result.check_ok = std::abs(sum - 1) < 1e-4 || sum == 0;
    return;
  }
  const bool both_broken = std::isnan(recomputed) && std::isnan(result.value);
  if (both_broken) result.difference = 0;
  result.check_ok = recomputed == result.value || both_broken ||
                    result.difference <= 1e-5 + 1e-4 * std::abs(std::isfinite(result.value) ? result.value : 0);
  result.check =
      result.difference == 0 ? "Recomputed: the same" : fmt::format("Recomputed: off by {:.1e}", result.difference);
}

}  // namespace

CellTrace trace_cell(const Trace& trace, const Step& step, Index cell) {
  CellTrace result;
  result.step = step.info.id;
  result.cell = cell;
  result.value = step.tensor()[cell];
  result.result_label = result_label(step);
  result.result_role = step.info.role;
  const bool masked = std::isinf(result.value) && result.value < 0 && step.info.minus_infinity_masks;
  result.result = masked ? "masked" : number_text(result.value, 4);
  const auto links = links_back(trace, step, cell);
  if (links.empty()) {
    result.check = "An input: its story begins here";
    return result;
  }
  result.table =
      is_sum_of_products(links.back().why) ? table_of(links.back(), trace) : shared_table(links.back(), trace);
  for (auto link = links.rbegin(); link != links.rend(); ++link) add_lines(*link, trace, result.lines);
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

}  // namespace headlight::app
