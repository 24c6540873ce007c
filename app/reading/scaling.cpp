#include "app/reading/scaling.h"

#include <algorithm>
#include <cmath>

namespace headlight::app {

namespace {

constexpr Index many_keys = 100;
constexpr float small_weight = 0.2F;

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

// One power of ten below a uniform weight.
float floor_of(Index keys) {
  return static_cast<float>(std::pow(10.0, std::floor(-std::log10(static_cast<double>(keys)) + 1e-9) - 1));
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
  const Axis* keys = nullptr;
  bool on_grid = false;
  for (const Axis& axis : step.info.axes) {
    if (axis.role != Role::key) continue;
    if (!keys) keys = &axis;
    on_grid = on_grid || axis.grid || axis.position_of;
  }
  return {step.info.kind, keys ? std::max<Index>(1, keys->size) : 1, on_grid};
}

bool can_be_logarithmic(const Step& step, Index batch) {
  const Extent extent = extent_of_heads(step, batch, {});
  return extent.finite > 0 && extent.least >= 0 && extent.greatest > 0;
}

ValueRange shown_range(const Scaled& of, const Extent& extent, const Scaling& scaling) {
  using Space = Scaling::Space;
  ValueRange range = value_range(of.kind, extent);
  if (range.is_signed() || extent.finite == 0 || extent.greatest <= 0) return range;
  const bool weights = of.kind == Kind::probability;
  const bool small = weights && (of.on_grid || of.keys >= many_keys || extent.greatest <= small_weight);
  if (scaling.space == Space::logarithmic || (scaling.space == Space::automatic && small)) {
    const float high = scaling.per_head ? extent.greatest : std::max(1.0F, extent.greatest);
    const float low = weights ? floor_of(of.keys) : extent.greatest * 1e-4F;
    return {std::min(low, high * 0.1F), high, Spacing::logarithmic};
  }
  if (weights && (scaling.space == Space::linear || scaling.per_head)) range.high = extent.greatest;
  return range;
}

ValueRange shown_range(const Step& step, Index batch, Index head, const Scaling& scaling) {
  return shown_range(scaled_by(step),
                     extent_of_heads(step, batch, scaling.per_head ? std::optional(head) : std::nullopt), scaling);
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
