#include "app/reading/scaling.h"

#include <algorithm>
#include <cmath>

#include "app/reading/printed.h"

namespace headlight::app {

namespace {

constexpr Index many_keys = 100;

// Of all heads of the batch item, or of one.
Extent extent_of_heads(const Step& step, Index batch, std::optional<Index> head) {
  if (!head || !has_heads(step)) return extent_of_item(step, batch);
  // (…, M, …): the cells of one head of one item lie together.
  Index before = 1, cells = 1;
  bool after = false;
  for (const Axis& axis : step.info.axes)
    if (role_along(axis) == AxisRole::head)
      after = true;
    else
      (after ? cells : before) *= axis.size;
  const Index heads = heads_of(step);
  const Index item = std::clamp<Index>(batch, 0, before - 1), m = place_of_head(step, *head);
  return extent_of(step.tensor().values().subspan(static_cast<std::size_t>((item * heads + m) * cells),
                                                  static_cast<std::size_t>(cells)));
}

}  // namespace

Extent extent_of_rows(const Step& step, Index batch, std::optional<Index> head, Index query) {
  const std::vector<Axis>& axes = step.info.axes;
  const Axis *queries = step.axis(AxisRole::query), *keys = step.axis(AxisRole::key);
  if (axes.size() < 2 || !queries || queries != &axes[axes.size() - 2] || keys != &axes.back())
    return extent_of_heads(step, batch, head);
  const Index rows = queries->size, items = batches_of(step), heads = has_heads(step) ? heads_of(step) : 1;
  const Index item = std::clamp<Index>(batch, 0, items - 1), row = rows > 1 ? std::clamp<Index>(query, 0, rows - 1) : 0;
  Extent all;
  for (Index m = 0; m < heads; ++m) {
    if (head && has_heads(step) && m != place_of_head(step, *head)) continue;
    const Index first = ((item * heads + m) * rows + row) * keys->size;
    all = united(all, extent_of(step.tensor().values().subspan(static_cast<std::size_t>(first),
                                                               static_cast<std::size_t>(keys->size))));
  }
  return all;
}

namespace {

// One power of ten below a uniform weight.
float floor_of(Index keys) {
  return static_cast<float>(std::pow(10.0, std::floor(-std::log10(static_cast<double>(keys)) + 1e-9) - 1));
}

// The nearest of 1, 2 and 5 times a power of ten that is not below, or not above, a number.
float rounded_up(float number) {
  return static_cast<float>(round_number_from(number * (1 - 1e-6)));
}
// The end of a bar from 0: the next of its five or so ticks, which are 1, 2 or 5 times a power of ten apart.
float next_tick(float number) {
  const double step = round_number_from(number / 5 * (1 - 1e-6));
  return static_cast<float>(std::ceil(number / step - 1e-6) * step);
}
float rounded_down(float number) {
  const double power = std::pow(10.0, std::floor(std::log10(static_cast<double>(number)) + 1e-6));
  for (const double first : {5.0, 2.0})
    if (number >= first * power * (1 - 1e-6)) return static_cast<float>(first * power);
  return static_cast<float>(power);
}

// From the least number, but no further down than `floor`.
ValueRange logarithmic_range(const Extent& extent, float floor) {
  const float high = rounded_up(extent.greatest), least = extent.least > 0 ? rounded_down(extent.least) : 0.0F;
  const float low = std::max(floor, least);
  return {low < high ? low : high * 0.1F, high, Spacing::logarithmic};
}

}  // namespace

const std::vector<ScalingChoice>& scaling_choices() {
  using Space = Scaling::Space;
  static const std::vector<ScalingChoice> all{
      {"Automatic scale", {Space::automatic, false}}, {"Linear", {Space::linear, false}},
      {"Powers of ten", {Space::logarithmic, false}}, {"Automatic, each head", {Space::automatic, true}},
      {"Linear, each head", {Space::linear, true}},   {"Powers of ten, each head", {Space::logarithmic, true}}};
  return all;
}

Scaled scaled_by(const Step& step) {
  for (const Axis& axis : step.info.axes)
    if (axis.role == Role::key) return {step.info.kind, std::max<Index>(1, axis.size)};
  return {step.info.kind, 1};
}

bool can_be_logarithmic(const Step& step, Index batch) {
  const Extent extent = extent_of_heads(step, batch, {});
  return extent.finite > 0 && extent.least >= 0 && extent.greatest > 0;
}

ValueRange shown_range(const Scaled& of, const Extent& extent, const Scaling& scaling) {
  using Space = Scaling::Space;
  ValueRange range = value_range(of.kind, extent);
  if (range.is_signed() || extent.finite == 0 || extent.greatest <= 0) return range;
  const bool weights = of.kind == Kind::probability, many = weights && of.keys >= many_keys;
  if (scaling.space == Space::logarithmic || (scaling.space == Space::automatic && many))
    return logarithmic_range(extent, weights ? floor_of(of.keys) : extent.greatest * 1e-4F);
  if (weights) range.high = next_tick(extent.greatest);
  return range;
}

ValueRange shown_range(const Step& step, Index batch, Index head, const Scaling& scaling, std::optional<Index> query) {
  const auto alone = scaling.per_head ? std::optional(head) : std::nullopt;
  return shown_range(scaled_by(step),
                     query ? extent_of_rows(step, batch, alone, *query) : extent_of_heads(step, batch, alone), scaling);
}

std::optional<Index> query_alone(const Step& step, const Focus& focus) {
  if (!step.axis(AxisRole::query) || slice_of(step, focus).positions != Role::key) return std::nullopt;
  return focus.selection.query.value_or(0);
}

std::string scaling_in_words(const Step& step, const Scaling& scaling, const ValueRange& range) {
  const std::string spacing = range.spacing == Spacing::logarithmic ? "log" : "linear";
  if (!has_heads(step) || heads_of(step) < 2) return spacing;
  const Axis* heads = step.axis(AxisRole::head);
  const std::string unit = heads && heads->shared_by == 1 && !heads->name.empty() ? heads->name : "head";
  return scaling.per_head ? fmt::format("{}, each {} by itself", spacing, unit)
                          : fmt::format("{}, shared by all {}s", spacing, unit);
}

}  // namespace headlight::app
