#include "app/reading/head_measures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "app/page/notes.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"
#include "engine/inputs/text.h"

namespace headlight::app {

const char* const measures_caution =
    "A measure says what a map looks like, not what a head is for (Jain and Wallace 2019).";

namespace {

double greatest_of(const HeadValues& of) {
  double greatest = 0;
  for (const double value : of.values)
    if (std::isfinite(value)) greatest = std::max(greatest, std::abs(value));
  return greatest;
}

double value_at(const HeadMeasures& measures, Measure measure, Index head) {
  const auto& values = measures[measure].values;
  const auto at = static_cast<std::size_t>(head);
  return at < values.size() ? values[at] : std::nan("");
}

std::string counted(Index count, Index of, const char* what) {
  return fmt::format("{} of {} {}{}", count, of, what, of == 1 ? "" : "s");
}

// Fields of a table, a row a head; the first row has their names.
std::vector<std::vector<std::string>> fields(const HeadMeasures& measures, const Trace& trace,
                                             const std::vector<Index>& order) {
  std::vector<std::vector<std::string>> rows{{"head", "name"}};
  for (const Measure measure : all_measures()) {
    rows[0].emplace_back(id_of(measure));
    if (measure == Measure::entropy) rows[0].emplace_back("ln_n_k");
  }
  for (const Index head : order) {
    auto& row = rows.emplace_back();
    row = {fmt::format("{}", head), head_number(trace, head).empty() ? "" : head_name(trace, head)};
    for (const Measure measure : all_measures()) {
      const double value = value_at(measures, measure, head);
      row.push_back(std::isnan(value) ? "" : fmt::format("{:.7g}", value));
      if (measure == Measure::entropy)
        row.push_back(fmt::format("{:.7g}", std::log(static_cast<double>(std::max<Index>(1, measures.keys)))));
    }
  }
  return rows;
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

double bound_of(const HeadMeasures& measures, const Behaviour& behaviour) {
  return behaviour.bound * (behaviour.of_most ? most_of(measures, behaviour.measure) : 1);
}

Found heads_showing(const HeadMeasures& measures, const Behaviour& behaviour) {
  Found found{behaviour.name, behaviour.measure, {}, {}};
  const HeadValues& of = measures[behaviour.measure];
  if (of.missing != Missing::nothing) {
    found.words = missing_in_words(of.missing);
    return found;
  }
  const double bound = bound_of(measures, behaviour);
  const auto order = sorted_heads(measures, behaviour.measure, behaviour.low);
  for (const Index head : order) {
    const double value = value_at(measures, behaviour.measure, head);
    if (!std::isnan(value) && (behaviour.low ? value <= bound : value >= bound)) found.heads.push_back(head);
  }
  const std::string test = fmt::format("{} at {} {:.3g}", behaviour.of, behaviour.low ? "most" : "least", bound);
  found.words = fmt::format("{}: {}", counted(static_cast<Index>(found.heads.size()), measures.heads, "head"), test);
  if (found.heads.empty() && !order.empty() && !std::isnan(value_at(measures, behaviour.measure, order.front())))
    found.words += fmt::format("; the nearest is head {} with {}", order.front(),
                               measure_text(value_at(measures, behaviour.measure, order.front())));
  return found;
}

// The behaviour that has all of the words, by the first of its names that begins so, else one that holds them.
const Behaviour* behaviour_of(const std::string& words) {
  for (const bool at_start : {true, false})
    for (const Behaviour& behaviour : behaviours())
      for (const char* name : behaviour.words)
        if (at_start ? std::string_view(name).starts_with(words) : holds(name, words)) return &behaviour;
  return nullptr;
}

}  // namespace

std::string missing_in_words(Missing missing) {
  // In the order of Missing.
  static constexpr std::array words{"",
                                    "There are not as many queries as keys, so no key is a query's own place",
                                    "Keys are places round each query, not places of their own",
                                    "Keys are those of the query's window, which need not hold that place",
                                    "These positions have no tokens",
                                    "No query has such a key: nothing that is read comes twice",
                                    "No position is known to be a token without text, as a start token is",
                                    "There is one query alone",
                                    "No row has a weight",
                                    "No step shows what heads hand on",
                                    "Each head needs a run without it"};
  return words[static_cast<std::size_t>(missing)];
}

std::string measure_text(double value) {
  if (std::isnan(value)) return "–";
  const double size = std::abs(value);
  if (size > 1e-6 && size < 0.0005) return with_minus_signs(fmt::format("{:.0e}", value));
  const int after_point = size >= 10 ? 1 : 3;
  return with_minus_signs(fmt::format("{:.{}f}", value, size >= 1000 ? 0 : after_point));
}

double most_of(const HeadMeasures& measures, Measure measure) {
  const auto keys = static_cast<double>(std::max<Index>(1, measures.keys));
  const double greatest = greatest_of(measures[measure]);
  switch (row_of(measure).max) {
    case MeasureMax::ln_keys:
      return std::log(std::max(2.0, keys));
    case MeasureMax::keys:
      return keys;
    case MeasureMax::one:  // weights that are no shares may be beyond 1
      return std::max(1.0, greatest);
    case MeasureMax::anything:
      break;
  }
  return std::max(greatest, 1e-9);
}

std::string value_in_words(const HeadMeasures& measures, Measure measure, Index head) {
  const double value = value_at(measures, measure, head);
  const MeasureRow& row = row_of(measure);
  const bool by_keys = row.max == MeasureMax::ln_keys || row.max == MeasureMax::keys;
  if (std::isnan(value))
    return measures[measure].missing == Missing::nothing ? "No query counts"
                                                         : missing_in_words(measures[measure].missing);
  if (by_keys)
    return fmt::format("{} of at most {} {}", measure_text(value), measure_text(most_of(measures, measure)), row.unit);
  return *row.unit ? fmt::format("{} {}", measure_text(value), row.unit) : measure_text(value);
}

std::string remarks_on(const HeadMeasures& measures) {
  std::string remarks;
  const auto add = [&](std::string sentence) { remarks += (remarks.empty() ? "" : " ") + std::move(sentence); };
  if (measures.rows_of_padding > 0)
    add(fmt::format("{} are of padding and are left out.", counted(measures.rows_of_padding, measures.rows, "row")));
  if (measures.rows_without_key > 0)
    add(fmt::format("{} see no key and are left out.", counted(measures.rows_without_key, measures.rows, "row")));
  if (measures.unnormalized_rows > 0)
    add(
        fmt::format("{} do not add up to 1, or hold negative weights: entropy, effective keys and distance are of the "
                    "weights' magnitudes, divided by their sum.",
                    counted(measures.unnormalized_rows, measures.rows, "row")));
  return remarks;
}

std::vector<Index> sorted_heads(const HeadMeasures& measures, std::optional<Measure> measure, bool ascending) {
  std::vector<Index> order(static_cast<std::size_t>(measures.heads));
  std::iota(order.begin(), order.end(), Index{0});
  if (!measure) {
    if (!ascending) std::ranges::reverse(order);
    return order;
  }
  std::ranges::stable_sort(order, [&](Index a, Index b) {
    const double x = value_at(measures, *measure, a), y = value_at(measures, *measure, b);
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return ascending ? x < y : x > y;
  });
  return order;
}

const std::vector<Behaviour>& behaviours() {
  static const std::vector<Behaviour> list{
      {"Previous token", {"previous token", "before"}, Measure::previous, "weight on the previous place", 0.3},
      {"First token", {"first token", "sink", "beginning"}, Measure::first, "weight on the first place", 0.3},
      {"Induction",
       {"induction", "prefix matching", "copying"},
       Measure::induction,
       "weight on what came after the same token",
       0.3},
      {"Same token",
       {"same token", "duplicate", "repeated token"},
       Measure::same,
       "weight on other places of the token",
       0.3},
      {"Self",
       {"self", "diagonal", "own place", "current token"},
       Measure::self,
       "weight on the query's own place",
       0.3},
      {"Special tokens",
       {"special tokens", "start token"},
       Measure::special,
       "weight on tokens that stand for no text",
       0.3},
      {"Sharp", {"sharp", "confident", "narrow", "peaked"}, Measure::confidence, "largest weight", 0.7},
      {"Broad", {"broad", "uniform", "diffuse", "spread out"}, Measure::entropy, "entropy", 0.6, true},
      {"Local", {"local", "near", "close"}, Measure::distance, "distance", 1.5, false, true},
      {"Far", {"far", "distant", "long range"}, Measure::distance, "distance", 0.7, true},
      {"Large output", {"large output", "loud", "share"}, Measure::share, "share of the output", 0.7, true},
      {"Important",
       {"important", "needed", "ablation", "if off"},
       Measure::ablation,
       "change in the output when off",
       0.7,
       true},
  };
  return list;
}

std::optional<Found> find_heads(const HeadMeasures& measures, const Trace& trace, std::string_view words) {
  const std::string asked(trimmed(word_folded(words)));
  if (asked.empty()) return std::nullopt;
  if (const Behaviour* behaviour = behaviour_of(asked)) return heads_showing(measures, *behaviour);
  Found found;
  for (Index head = 0; head < measures.heads; ++head)
    if (holds(word_folded(head_name(trace, head)), asked)) found.heads.push_back(head);
  found.words =
      found.heads.empty()
          ? "No behaviour and no head is called so: try previous, first, induction, same, self, sharp, far"
          : fmt::format("{} called so", counted(static_cast<Index>(found.heads.size()), measures.heads, "head"));
  return found;
}

namespace {

std::string in_lines(std::vector<std::vector<std::string>> rows, Separator separator) {
  const bool tabs = separator == Separator::tab;
  std::string text;
  for (auto& row : rows) {
    std::ranges::transform(row, row.begin(), tabs ? tsv_field : csv_field);
    text += fmt::format("{}\n", fmt::join(row, tabs ? "\t" : ","));
  }
  return text;
}

}  // namespace

std::string heads_as_fields(const HeadMeasures& measures, const Trace& trace, const std::vector<Index>& order,
                            Separator separator) {
  return in_lines(fields(measures, trace, order), separator);
}

std::string items_as_fields(const std::vector<std::shared_ptr<const HeadMeasures>>& items, const Trace& trace,
                            std::optional<Measure> by, bool ascending) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t item = 0; item < items.size(); ++item) {
    auto of_item = fields(*items[item], trace, sorted_heads(*items[item], by, ascending));
    for (std::size_t row = 0; row < of_item.size(); ++row) {
      if (items.size() > 1) of_item[row].insert(of_item[row].begin(), row == 0 ? "batch" : fmt::format("{}", item));
      if (row > 0 || item == 0) rows.push_back(std::move(of_item[row]));
    }
  }
  return in_lines(std::move(rows), Separator::comma);
}

std::string heads_as_text(const HeadMeasures& measures, const Trace& trace, const std::vector<Index>& order) {
  std::vector<Measure> shown;
  for (const Measure measure : all_measures())
    if (measures[measure].missing == Missing::nothing) shown.push_back(measure);
  std::size_t widest = 4;
  for (const Index head : order)
    if (!head_number(trace, head).empty()) widest = std::max(widest, head_name(trace, head).size());
  std::string text = fmt::format("head  {:<{}}", "name", widest);
  for (const Measure measure : shown)
    text += fmt::format("  {:>10}", measure == Measure::effective_keys ? "eff_keys" : id_of(measure));
  text += "\n";
  for (const Index head : order) {
    const std::string name = head_number(trace, head).empty() ? "" : head_name(trace, head);
    text += fmt::format("{:>4}  {:<{}}", head, name, widest);
    for (const Measure measure : shown) {
      const double value = value_at(measures, measure, head);
      text += fmt::format("  {:>10}", std::isnan(value) ? "-" : fmt::format("{:.4g}", value));
    }
    text += "\n";
  }
  text += fmt::format("entropy in nats, at most ln {} = {:.4g}\n", measures.keys,
                      std::log(static_cast<double>(std::max<Index>(1, measures.keys))));
  for (const Measure measure : all_measures())
    if (const Missing missing = measures[measure].missing; missing != Missing::nothing)
      text += fmt::format("{}: {}\n", id_of(measure), missing_in_words(missing));
  if (const std::string remarks = remarks_on(measures); !remarks.empty()) text += remarks + "\n";
  return text + measures_caution + "\n";
}

namespace {

struct HeadOfLayer {
  const MeasuredLayer* layer = nullptr;
  Index head = 0;
};

std::vector<HeadOfLayer> heads_of_all(const std::vector<MeasuredLayer>& layers, std::optional<Measure> by,
                                      bool ascending) {
  std::vector<HeadOfLayer> heads;
  for (const MeasuredLayer& layer : layers)
    for (Index head = 0; head < layer.measures.heads; ++head) heads.push_back({&layer, head});
  if (!by) return heads;
  std::ranges::stable_sort(heads, [&](const HeadOfLayer& a, const HeadOfLayer& b) {
    const double x = value_at(a.layer->measures, *by, a.head), y = value_at(b.layer->measures, *by, b.head);
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return ascending ? x < y : x > y;
  });
  return heads;
}

bool have_parts(const std::vector<MeasuredLayer>& layers) {
  return std::ranges::any_of(layers, [](const MeasuredLayer& layer) { return !layer.part.empty(); });
}

}  // namespace

std::string layers_as_fields(const std::vector<MeasuredLayer>& layers, std::optional<Measure> by, bool ascending) {
  const bool parts = have_parts(layers);
  std::vector<std::string> row{"layer", "head"};
  if (parts) row.insert(row.begin(), "part");
  for (const Measure measure : all_measures()) {
    row.emplace_back(id_of(measure));
    if (measure == Measure::entropy) row.emplace_back("ln_n_k");
  }
  std::string text = fmt::format("{}\n", fmt::join(row, ","));
  for (const auto& [layer, head] : heads_of_all(layers, by, ascending)) {
    row = {fmt::format("{}", layer->layer), fmt::format("{}", head)};
    if (parts) row.insert(row.begin(), layer->part);
    for (const Measure measure : all_measures()) {
      const double value = value_at(layer->measures, measure, head);
      row.push_back(std::isnan(value) ? "" : fmt::format("{:.7g}", value));
      if (measure == Measure::entropy)
        row.push_back(fmt::format("{:.7g}", std::log(static_cast<double>(std::max<Index>(1, layer->measures.keys)))));
    }
    text += fmt::format("{}\n", fmt::join(row, ","));
  }
  return text;
}

std::string layers_as_text(const std::vector<MeasuredLayer>& layers, std::optional<Measure> by, bool ascending) {
  const bool parts = have_parts(layers);
  std::vector<Measure> shown;
  for (const Measure measure : all_measures())
    if (std::ranges::any_of(
            layers, [&](const MeasuredLayer& layer) { return layer.measures[measure].missing == Missing::nothing; }))
      shown.push_back(measure);
  std::string text = fmt::format("{}layer  head", parts ? "part     " : "");
  for (const Measure measure : shown)
    text += fmt::format("  {:>10}", measure == Measure::effective_keys ? "eff_keys" : id_of(measure));
  text += "\n";
  for (const auto& [layer, head] : heads_of_all(layers, by, ascending)) {
    if (parts) text += fmt::format("{:<7}  ", layer->part);
    text += fmt::format("{:>5}  {:>4}", layer->layer, head);
    for (const Measure measure : shown) {
      const double value = value_at(layer->measures, measure, head);
      text += fmt::format("  {:>10}", std::isnan(value) ? "-" : fmt::format("{:.4g}", value));
    }
    text += "\n";
  }
  const HeadMeasures& first = layers.front().measures;
  text += fmt::format("entropy in nats, at most ln {} = {:.4g}\n", first.keys,
                      std::log(static_cast<double>(std::max<Index>(1, first.keys))));
  for (const Measure measure : all_measures())
    if (std::ranges::count(shown, measure) == 0 && first[measure].missing != Missing::runs)
      text += fmt::format("{}: {}\n", id_of(measure), missing_in_words(first[measure].missing));
  if (const std::string remarks = remarks_on(first); !remarks.empty())
    text += fmt::format("layer {}: {}\n", layers.front().layer, remarks);
  return text + measures_caution + "\n";
}

}  // namespace headlight::app
