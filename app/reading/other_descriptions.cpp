#include "app/reading/other_descriptions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/reading/difference.h"
#include "app/reading/head_measures.h"
#include "app/reading/key_place.h"
#include "app/reading/printed.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// A head's number, by what the head is called in a sentence.
struct Measured {
  std::string head;
  double value = 0;
};

// "Induction (nats): the most in head 2, Induction, 0.93; the least in head 5, Two back, 0.01."
std::string spread_in_words(const MeasureRow& row, const std::vector<Measured>& all) {
  const auto [least, most] = std::ranges::minmax_element(all, {}, &Measured::value);
  const std::string unit = std::string_view(row.unit).empty() ? "" : fmt::format(" {}", row.unit);
  if (all.size() == 1) return fmt::format("{}: {}{}.", row.title, measure_text(most->value), unit);
  if (measure_text(most->value) == measure_text(least->value))
    return fmt::format("{}: {}{} in all of them.", row.title, measure_text(most->value), unit);
  return fmt::format("{}: the most in {}, {}{}; the least in {}, {}.", row.title, most->head, measure_text(most->value),
                     unit, least->head, measure_text(least->value));
}

std::string joined_lines(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string named(const Trace& trace, Index head) {
  const std::string name = head_name(trace, head), number = fmt::format("head {}", head);
  return name.empty() || lower_first(name) == number ? number : fmt::format("{}, {}", number, name);
}

}  // namespace

std::string describe_heads(const Trace& trace, const HeadMeasures& measures) {
  std::vector<std::string> lines{fmt::format("{} head{}, measured.", measures.heads, measures.heads == 1 ? "" : "s")};
  const auto rows = measure_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<Measured> all;
    const HeadValues& of = measures[Measure(i)];
    for (std::size_t head = 0; head < of.values.size(); ++head)
      if (std::isfinite(of.values[head])) all.push_back({named(trace, static_cast<Index>(head)), of.values[head]});
    if (!all.empty()) lines.push_back(spread_in_words(rows[i], all));
  }
  return joined_lines(lines);
}

std::string describe_layers(const std::vector<MeasuredLayer>& layers) {
  Index heads = 0;
  for (const auto& layer : layers) heads += layer.measures.heads;
  std::vector<std::string> lines{fmt::format("{} heads in {} layers, measured.", heads, layers.size())};
  const auto rows = measure_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<Measured> all;
    for (const auto& layer : layers) {
      const auto& values = layer.measures[Measure(i)].values;
      const std::string part = layer.part.empty() ? "" : layer.part + " ";
      for (std::size_t head = 0; head < values.size(); ++head)
        if (std::isfinite(values[head]))
          all.push_back({fmt::format("{}layer {} head {}", part, layer.layer, head), values[head]});
    }
    if (!all.empty()) lines.push_back(spread_in_words(rows[i], all));
  }
  return joined_lines(lines);
}

std::string describe_difference(const Trace& a, const Focus& focus_a, const Trace& b, const Step& step_b,
                                const Focus& focus_b) {
  const Step* step_a = counterpart(a, b, step_b);
  const std::string title = capitalized(step_b.info.title);
  if (!step_a) return fmt::format("{}: A has no such step.\n", title);
  const auto found = difference_of(a, *step_a, focus_a, b, step_b, focus_b, Contrast::difference);
  if (!found) return fmt::format("{} cannot be compared: {}.\n", title, found.error().message);
  std::vector<std::string> lines;
  const Slice slice_b = slice_of(step_b, focus_b), slice_a = slice_of(*step_a, focus_a);
  if (found->greatest == 0) {
    lines.push_back(fmt::format("{}: A and B have the same numbers.", title));
  } else {
    const Index row_b = found->rows.b[static_cast<std::size_t>(found->row)],
                row_a = found->rows.a[static_cast<std::size_t>(found->row)],
                column_b = found->columns.b[static_cast<std::size_t>(found->column)];
    const auto column_a = found->column_in_a(found->row, found->column);
    const std::string at = cell_in_words(b, slice_b, row_b, column_b, focus_b.selection, " and ");
    const float in_b = slice_b.matrix.at(row_b, column_b);
    lines.push_back(column_a ? fmt::format("{}: A and B differ most at {}: {} in A, {} in B.", title, at,
                                           number_text(slice_a.matrix.at(row_a, *column_a)), number_text(in_b))
                             : fmt::format("{}: A and B differ most at {}: {} in B.", title, at, number_text(in_b)));
  }
  if (found->masked_in_a > 0)
    lines.push_back(fmt::format("{} of its cells are masked in A alone.", found->masked_in_a));
  if (found->masked_in_b > 0)
    lines.push_back(fmt::format("{} of its cells are masked in B alone.", found->masked_in_b));
  if (!a.steps.empty() && !b.steps.empty())
    if (const auto change = relative_change(a.steps.back(), b.steps.back(), focus_a.batch, focus_b.batch))
      lines.push_back(*change == 0 ? "The output is the same."
                                   : fmt::format("The output changes by {:.3g} % of its size.", 100 * *change));
  return joined_lines(lines);
}

}  // namespace headlight::app
