#include "app/reading/made_of.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "app/reading/key_place.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

constexpr double least_named = 0.01;
constexpr std::size_t most_named = 3;

// A weighted sum, the map of its weights and what it adds up.
struct Sum {
  const Step* sum = nullptr;
  const Step* map = nullptr;
  const Step* values = nullptr;
};

bool is_among(const std::vector<const Step*>& steps, const Step* step) {
  return std::ranges::find(steps, step) != steps.end();
}

bool has_rows(const Step& step) {
  return step.axis(AxisRole::query) && step.axis(AxisRole::channel) && !step.axis(AxisRole::key);
}

// Behind a step that only such sums and weights lead to; what an input was added to is made of more.
std::optional<Sum> sum_behind(const Trace& trace, const Step& step, int deepest = 4) {
  if (deepest == 0 || !has_rows(step)) return std::nullopt;
  const std::vector<const Step*> maps = trace.maps();
  std::optional<Sum> found;
  for (const Step* read : trace.inputs_of(step)) {
    if (read->info.kind == Kind::weight || is_among(maps, read) || read->axis(AxisRole::key)) continue;
    const auto behind = sum_behind(trace, *read, deepest - 1);
    if (!behind || (found && found->sum != behind->sum)) return std::nullopt;
    found = behind;
  }
  if (found) return found;
  Sum sum{.sum = &step};
  for (const Step* read : trace.inputs_of(step))
    if (is_among(maps, read))
      sum.map = read;
    else if (read->axis(AxisRole::key) && read->axis(AxisRole::channel))
      sum.values = read;
  return sum.map ? std::optional(sum) : std::nullopt;
}

// The numbers of a row of a step: of that item, head and position along the axis.
std::span<const float> row_of(const Step& step, Index item, Index head, AxisRole along, Index position) {
  const Tensor& tensor = step.tensor();
  Index at = 0;
  for (std::size_t i = 0; i + 1 < step.info.axes.size(); ++i) {
    const Axis& axis = step.info.axes[i];
    Index place = 0;
    if (axis.along == AxisRole::batch) place = std::min(item, axis.size - 1);
    if (axis.along == AxisRole::head) place = place_of_head(axis, head);
    if (axis.along == along) place = position;
    at = at * tensor.dim(static_cast<Index>(i)) + place;
  }
  const Index width = tensor.dim(tensor.rank() - 1);
  return tensor.values().subspan(static_cast<std::size_t>(at * width), static_cast<std::size_t>(width));
}

std::optional<TakenShares> shares_of(const Trace& trace, const Step& map, Index item, Index head, Index query) {
  const auto weights = row_of(map, item, head, AxisRole::query, query);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  constexpr double slack = 1e-3;
  if (!(std::abs(sum - 1) < slack) || std::ranges::any_of(weights, [](float w) { return w < 0; })) return std::nullopt;
  std::vector<Index> order(weights.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto weight = [&](Index key) { return static_cast<double>(weights[static_cast<std::size_t>(key)]); };
  std::ranges::stable_sort(order, std::greater<>(), weight);
  TakenShares shares;
  shares.head = head;
  const Axis* keys = map.axis(AxisRole::key);
  for (const Index key : order) {
    if (weight(key) <= 0) break;
    if (shares.parts.size() < most_named && weight(key) >= least_named) {
      shares.parts.push_back({key, name_along(trace, map, keys, key, query, item), weight(key)});
    } else {
      ++shares.others;
      shares.rest += weight(key);
    }
  }
  const auto named_alike = [&](const std::string& name) {
    return std::ranges::count(shares.parts, name, &TakenShares::Part::name) > 1;
  };
  std::vector<bool> twins;
  for (const auto& part : shares.parts) twins.push_back(named_alike(part.name));
  for (std::size_t i = 0; i < twins.size(); ++i)
    if (twins[i]) shares.parts[i].name += fmt::format(" ({})", shares.parts[i].key);
  return shares;
}

std::optional<MadeOf::Nearest> nearest_among(const Step& rows, AxisRole along, const char* of, Index item, Index head,
                                             std::span<const float> row) {
  const Axis* axis = rows.axis(along);
  if (!axis || rows.info.axes.back().size != static_cast<Index>(row.size())) return std::nullopt;
  const auto length = [](std::span<const float> x) {
    return std::sqrt(std::transform_reduce(x.begin(), x.end(), x.begin(), 0.0));
  };
  std::optional<MadeOf::Nearest> best;
  for (Index i = 0; i < axis->size; ++i) {
    const auto other = row_of(rows, item, head, along, i);
    const double lengths = length(row) * length(other);
    if (!(lengths > 0)) continue;
    const double cosine = std::transform_reduce(row.begin(), row.end(), other.begin(), 0.0) / lengths;
    if (!best || cosine > best->cosine) best = {of, label_of(axis, i, item), cosine};
  }
  return best;
}

}  // namespace

std::optional<MadeOf> made_of(const Trace& trace, const Step& step, const Focus& focus, Index query) {
  const auto behind = sum_behind(trace, step);
  const Axis* keys = behind ? behind->map->axis(AxisRole::key) : nullptr;
  if (!keys || !has_names(*keys)) return std::nullopt;
  const Axis* queries = behind->map->axis(AxisRole::query);
  if (!queries || query < 0 || query >= queries->size || query >= step.extent(AxisRole::query)) return std::nullopt;
  MadeOf made{.query = query, .asker = label_of(queries, query, focus.batch), .heads = {}};
  const bool one_head = has_heads(step);
  const Index heads = heads_of(*behind->map);
  for (Index head = 0; head < heads; ++head) {
    if (one_head && head != std::min(focus.head, heads - 1)) continue;
    auto shares = shares_of(trace, *behind->map, focus.batch, head, query);
    if (!shares) return std::nullopt;
    const auto mixed = row_of(*behind->sum, focus.batch, head, AxisRole::query, query);
    shares->nothing = has_heads(*behind->sum) && std::ranges::all_of(mixed, [](float x) { return x == 0; });
    made.heads.push_back(*std::move(shares));
  }
  const auto row = row_of(step, focus.batch, focus.head, AxisRole::query, query);
  if (behind->values && behind->sum == &step)
    made.nearest = nearest_among(*behind->values, AxisRole::key, "value", focus.batch, focus.head, row);
  else if (!trace.sources.empty() && step.info.role == Role::output)
    made.nearest = nearest_among(trace.sources.front(), AxisRole::query, "input", focus.batch, 0, row);
  return made;
}

std::string in_words(const TakenShares& shares) {
  const auto percent = [](double share) {
    constexpr double nearly_all = 0.995, all = 0.9995;
    return share > nearly_all && share < all ? fmt::format("{:.1f} %", 100 * share)
                                             : fmt::format("{:.0f} %", 100 * share);
  };
  std::vector<std::string> words;
  for (const auto& part : shares.parts) words.push_back(fmt::format("{} {}", percent(part.share), part.name));
  if (shares.rest >= least_named / 2)
    words.push_back(
        fmt::format("{} of {} other{}", percent(shares.rest), shares.others, shares.others == 1 ? "" : "s"));
  return fmt::format("{}{}", fmt::join(words, ", "), shares.nothing ? ": all that it takes is 0" : "");
}

}  // namespace headlight::app
