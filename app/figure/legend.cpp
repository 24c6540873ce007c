#include "app/figure/layout_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace headlight::layout_parts {

namespace {

constexpr double bar_height = 7;
constexpr double largest_bar_width = 150;
constexpr double bar_gap = 12;     // between the bar and the words beside it
constexpr double swatch_gap = 12;  // between one swatch's name and the next swatch

std::string spacing_text(const ValueRange& range) {
  const std::string ends = fmt::format("{} to {}", value_text(range.low), value_text(range.high));
  if (range.spacing == Spacing::linear) return "linear, " + ends;
  if (range.spacing == Spacing::logarithmic) return "logarithmic, " + ends;
  return range.is_signed() ? "as a part of the greatest magnitude in its row" : "as a part of the greatest in its row";
}

std::string_view spacing_name(Spacing spacing) {
  return spacing == Spacing::linear ? "linear" : spacing == Spacing::logarithmic ? "logarithmic" : "by row maximum";
}

// "linear", or "a linear, b logarithmic" where panels differ.
std::string spacings_text(const Figure& figure) {
  std::string all;
  bool same = true;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const Spacing spacing = range_of(figure, panel).spacing;
    same = same && spacing == range_of(figure, figure.panels[0]).spacing;
    all += fmt::format("{}{} {}", i == 0 ? "" : ", ", panel.mark.empty() ? std::to_string(i + 1) : panel.mark,
                       spacing_name(spacing));
  }
  return same ? std::string(spacing_name(range_of(figure, figure.panels[0]).spacing)) : all;
}

std::string scale_text(const Layout& layout) {
  const Figure& figure = layout.figure;
  const std::string text = figure.quantity.empty() ? "value" : figure.quantity;
  if (layout.plan.own_bars) return text + ", each panel on its own scale: " + spacings_text(figure);
  return text + ", " + spacing_text(range_of(figure, figure.panels[0])) +
         (figure.shared_by.empty() ? "" : ", " + figure.shared_by);
}

// One thing that shows besides numbers on the scale: a cell that looks like it, or none, and its name.
struct Swatch {
  std::optional<float> value;
  std::string name;
};

std::vector<Swatch> swatches(const Layout& layout) {
  Extent extent;
  for (const Panel& panel : layout.figure.panels) extent = united(extent, extent_of(panel.cells));
  std::vector<Swatch> all;
  if (extent.masked > 0) all.push_back({masked_value, layout.figure.masked});
  if (extent.broken > 0) all.push_back({std::numeric_limits<float>::quiet_NaN(), "not a number"});
  if (!layout.plan.block.single())
    all.push_back(
        {std::nullopt, pooling_text(layout.plan.block, pooling(range_of(layout.figure, layout.figure.panels[0])))});
  return all;
}

double swatch_cell_width(const Layout& layout, const Swatch& swatch) {
  return swatch.value ? snapped(layout, 1.6 * bar_height) + 4 : 0;
}

double width_of(const Layout& layout, const std::vector<Swatch>& all) {
  double width = 0;
  for (const Swatch& swatch : all) {
    const TextLine name = layout.fonts.set(Face::regular, layout.options.text_size, swatch.name);
    width += (width > 0 ? swatch_gap : 0) + swatch_cell_width(layout, swatch) + name.width;
  }
  return width;
}

// In a row from `at`, the middle of its left end; in further rows where `right` is reached. Gives the last row's
// middle.
double place_swatches(Layout& layout, const std::vector<Swatch>& all, Point at, double right) {
  const double size = layout.options.text_size;
  const double side = snapped(layout, bar_height);
  double x = at.x;
  for (const Swatch& swatch : all) {
    TextLine name = layout.fonts.set_within(right - at.x, Face::regular, size, swatch.name);
    const double cell_width = swatch_cell_width(layout, swatch);
    if (x > at.x && x + cell_width + name.width > right) {
      x = at.x;
      at.y += line_height * size;
    }
    if (swatch.value) {
      auto cell = std::make_shared<Tensor>(Shape{1, 1});
      (*cell)[0] = *swatch.value;
      const Box box{snapped(layout, x), snapped(layout, at.y - side / 2), cell_width - 4, side};
      layout.page.maps.push_back({box, matrix_at(*cell, {}), cell, {0, 1}, false});
      put_frame(layout, box);
    }
    const double name_x = x + cell_width;
    x = name_x + name.width + swatch_gap;
    put_text(layout, std::move(name), {name_x, at.y + middle_above_baseline * size}, text_2);
  }
  return at.y;
}

// Words and swatches from the middle of a line at `at` downward. Gives the last line's middle.
double place_words(Layout& layout, Point at, double right) {
  const double size = layout.options.text_size;
  TextLine words = layout.fonts.set_within(right - at.x, Face::regular, size, scale_text(layout));
  put_text(layout, std::move(words), {at.x, at.y + middle_above_baseline * size}, text_2);
  const std::vector<Swatch> all = swatches(layout);
  if (all.empty()) return at.y;
  return place_swatches(layout, all, {at.x, at.y + line_height * size}, right);
}

}  // namespace

void place_bar(Layout& layout, const Box& bar, const Panel& panel, double reach) {
  constexpr Index steps = 256;
  const ValueRange of = range_of(layout.figure, panel);
  const ValueRange range = spaced_range(of);
  auto ramp = std::make_shared<Tensor>(Tensor::uninitialized({1, steps}));
  for (Index i = 0; i < steps; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(steps - 1);
    (*ramp)[i] = range.low * (1 - t) + range.high * t;
  }
  layout.page.maps.push_back({bar, matrix_at(*ramp, {}), ramp, range, false, colormap_of(layout.figure, panel)});
  put_frame(layout, bar);
  const double width = snapped_down(layout, line_width);
  const double size = tick_size(layout);
  double taken = bar.x - bar.width - reach;
  for (const ScaleTick& tick : scale_ticks(of)) {
    TextLine number = layout.fonts.set(Face::mono, size, tick.text);
    const double x = bar.x + tick.part * bar.width;
    const double half = number.width / 2;
    if (half > bar.width / 2 + reach) continue;
    // Never beyond the page's margin, where a bar begins at it.
    const double least = std::max(bar.x - reach, std::min(bar.x, margin)) + half;
    const double middle = std::clamp(x, least, std::max(least, bar.x + bar.width + reach - half));
    layout.page.fills.push_back(
        {{snapped(layout, x - width / 2), bar.y + bar.height, width, snapped_down(layout, tick_length)}, text_2});
    if (middle - half < taken + tick_gap) continue;
    taken = middle + half;
    put_text(layout, std::move(number), {middle, bar.y + bar.height + tick_length + size}, text_2, Align::middle);
  }
}

double place_footer(Layout& layout, double top, double left, double right) {
  const double size = layout.options.text_size;
  if (layout.plan.own_bars || !layout.plan.colored)
    return place_words(layout, {left, top + size}, right) + 0.6 * size + margin;
  const Box bar{left, snapped(layout, top + footer_gap),
                snapped(layout, std::clamp(0.4 * (right - left), least_bar_width, largest_bar_width)),
                snapped(layout, bar_height)};
  place_bar(layout, bar, layout.figure.panels[0], bar.width);
  const double bar_bottom = bar.y + bar.height + tick_length + tick_size(layout);
  const double words_width = layout.fonts.set(Face::regular, size, scale_text(layout)).width;
  const double beside = bar.x + bar.width + bar_gap;
  if (beside + std::max(words_width, width_of(layout, swatches(layout))) <= right + 0.01) {
    const double last = place_words(layout, {beside, bar.y + bar.height / 2}, right);
    return std::max(bar_bottom, last + 0.6 * size) + margin;
  }
  return place_words(layout, {left, bar_bottom + size}, right) + 0.6 * size + margin;
}

double content_right(const Layout& layout, double left) {
  const Plan& plan = layout.plan;
  const TextLine words = layout.fonts.set(Face::regular, layout.options.text_size, scale_text(layout));
  double right = left + std::max({least_bar_width, words.width, width_of(layout, swatches(layout))});
  for (Index i = 0; i < static_cast<Index>(layout.figure.panels.size()); ++i) {
    const Box box = map_box(layout, i);
    right = std::max(right, box.x + box.width);
  }
  const double header = plan.title.width + (plan.subtitle_below ? 0 : title_gap + plan.subtitle.width);
  right = std::max({right, margin + header, margin + (plan.subtitle_below ? plan.subtitle.width : 0)});
  return std::min(right, layout.options.width - margin);
}

}  // namespace headlight::layout_parts
