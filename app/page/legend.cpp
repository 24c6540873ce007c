#include "app/page/layout_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace headlight::layout_parts {

namespace {

constexpr double bar_thickness = 7;
constexpr double largest_bar_width = 150;
constexpr double bar_gap = 12;     // between the bar and the words beside it
constexpr double swatch_gap = 12;  // between one swatch's name and the next swatch
constexpr double swatch_name_gap = tick_length + 1.5;
constexpr double side_number_gap = 1.5;  // between the ticks of a bar beside the maps and their numbers
constexpr double side_words_gap = 4;     // between those and its words
constexpr double side_line_height = 1.25;

std::string spacing_text(const ValueRange& range, bool brief) {
  // As the bar's own numbers are written, where it begins with one.
  const auto numbers = scale_ticks(range);
  const bool written = range.spacing == Spacing::logarithmic && !numbers.empty() && numbers.front().part < 1e-6;
  const std::string ends =
      fmt::format("{} to {}", written ? numbers.front().text : value_text(range.low), value_text(range.high));
  if (range.spacing == Spacing::linear) return "linear, " + ends;
  if (range.spacing == Spacing::logarithmic) return (brief ? "log, " : "logarithmic, ") + ends;
  if (brief) return "by row maximum";
  return range.is_signed() ? "as a part of the greatest magnitude in its row" : "as a part of the greatest in its row";
}

std::string_view spacing_name(Spacing spacing) {
  if (spacing == Spacing::linear) return "linear";
  return spacing == Spacing::logarithmic ? "logarithmic" : "by row maximum";
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

// "weight, linear, 0 to 1, shared by all heads", or in brief "weight, linear, 0 to 1, all heads".
std::string scale_text(const Layout& layout, bool brief = false) {
  constexpr std::string_view sharing = "shared by ";
  const Figure& figure = layout.figure;
  if (!figure.bar_label.empty()) return figure.bar_label;
  const std::string text = figure.quantity.empty() ? "value" : figure.quantity;
  if (layout.plan.own_bars) return text + ", each panel by its own bar: " + spacings_text(figure);
  std::string shared = figure.shared_by;
  if (brief && shared.starts_with(sharing)) shared.erase(0, sharing.size());
  return text + ", " + spacing_text(range_of(figure, figure.panels[0]), brief) +
         (is_clipped(figure) ? ", beyond it clipped" : "") + (shared.empty() ? "" : ", " + shared);
}

// Of the words of the scale below the maps: no larger than the titles of panels that had to shrink.
double words_size(const Layout& layout) {
  const Plan& plan = layout.plan;
  return plan.title_height > 0 ? std::min(layout.options.text_size, plan.title_text) : layout.options.text_size;
}

// One thing that shows besides numbers on the scale: a cell that looks like it, or a line of that strength, or none,
// and its name.
struct Swatch {
  std::optional<float> value;
  std::string name;
  double strength = 0;
  bool negative = false;

  bool is_line() const { return strength > 0; }
};

// How strong lines of a scale's numbers are, where all panels have lines on one scale.
void add_lines_of_scale(const Layout& layout, std::vector<Swatch>& all) {
  const Figure& figure = layout.figure;
  const auto has_lines = [](const Panel& panel) { return panel.kind == PanelKind::lines; };
  if (layout.plan.own_bars || layout.plan.bar == BarPlace::none || !std::ranges::all_of(figure.panels, has_lines))
    return;
  constexpr double least = 0.02;  // weaker ones are not drawn
  const ValueRange range = range_of(figure, figure.panels[0]);
  for (const ScaleTick& tick : scale_ticks(range)) {
    const double strength = range.is_signed() ? std::abs(2 * tick.part - 1) : tick.part;
    if (strength >= least) all.push_back({std::nullopt, tick.text, strength, range.is_signed() && tick.part < 0.5});
  }
}

std::vector<Swatch> swatches(const Layout& layout) {
  const Extent& extent = layout.plan.extent;
  std::vector<Swatch> all;
  add_lines_of_scale(layout, all);
  // A caption says what hatching is.
  if (extent.masked > 0 && layout.plan.bar != BarPlace::none && !layout.figure.blank_masked)
    all.push_back({masked_value, layout.figure.masked});
  if (extent.broken > 0) all.push_back({std::numeric_limits<float>::quiet_NaN(), "not a number"});
  if (!layout.plan.block.single() && layout.plan.extent.finite > 0)
    all.push_back(
        {std::nullopt, pooling_text(layout.plan.block, pooling(range_of(layout.figure, layout.figure.panels[0])))});
  return all;
}

// Below a bar beside the maps they stand as its numbers do.
bool swatches_at_side(const Plan& plan) {
  return plan.bar == BarPlace::beside && !has_scale_below(plan);
}

double swatch_size(const Layout& layout) {
  return swatches_at_side(layout.plan) ? tick_size(layout) : words_size(layout);
}

double swatch_cell_width(const Layout& layout, const Swatch& swatch) {
  if (!swatch.value && !swatch.is_line()) return 0;
  return snapped(layout, (swatches_at_side(layout.plan) ? 1 : 1.6) * bar_thickness) + swatch_name_gap;
}

double width_of(const Layout& layout, const Swatch& swatch) {
  return swatch_cell_width(layout, swatch) + layout.fonts.set(Face::regular, swatch_size(layout), swatch.name).width;
}

double width_of(const Layout& layout, const std::vector<Swatch>& all) {
  double width = 0;
  for (const Swatch& swatch : all) width += (width > 0 ? swatch_gap : 0) + width_of(layout, swatch);
  return width;
}

// In a row from `at`, the middle of its left end; in further rows where `right` is reached. Gives the last row's
// middle.
double place_swatches(Layout& layout, const std::vector<Swatch>& all, Point at, double right) {
  const double size = swatch_size(layout);
  const double side = snapped(layout, bar_thickness);
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
      const Box box{snapped(layout, x), snapped(layout, at.y - side / 2), cell_width - swatch_name_gap, side};
      layout.page.maps.push_back({box, matrix_at(*cell, {}), cell, {0, 1}, false});
      add_frame(layout, box);
    }
    if (swatch.is_line())
      layout.page.lines.push_back(line_between(layout, layout.figure.panels[0], {x, at.y},
                                               {x + cell_width - swatch_name_gap, at.y}, swatch.strength,
                                               swatch.negative));
    const double name_x = x + cell_width;
    x = name_x + name.width + swatch_gap;
    add_text(layout, std::move(name), {name_x, at.y + middle_above_baseline * size}, text_2);
  }
  return at.y;
}

// Words and swatches from the middle of a line at `at` downward. Gives the last line's middle.
double place_words(Layout& layout, Point at, double right) {
  const double size = words_size(layout);
  TextLine words = layout.fonts.set_within(right - at.x, Face::regular, size, scale_text(layout));
  add_text(layout, std::move(words), {at.x, at.y + middle_above_baseline * size}, text_2);
  const std::vector<Swatch> all = swatches(layout);
  if (all.empty()) return at.y;
  return place_swatches(layout, all, {at.x, at.y + line_height * size}, right);
}

// The colours of a range from the left to the right, or from the bottom to the top.
void add_ramp(Layout& layout, const Box& bar, const Panel& panel, bool upward) {
  constexpr Index steps = 256;
  const ValueRange range = spacing_range(range_of(layout.figure, panel));
  auto ramp = std::make_shared<Tensor>(Tensor::uninitialized(upward ? Shape{steps, 1} : Shape{1, steps}));
  for (Index i = 0; i < steps; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(steps - 1);
    (*ramp)[upward ? steps - 1 - i : i] = range.low * (1 - t) + range.high * t;
  }
  layout.page.maps.push_back({bar, matrix_at(*ramp, {}), ramp, range, false, colormap_of(layout.figure, panel)});
  add_frame(layout, bar);
}

// The text in two lines as even as can be, parted after a comma where those fit, else after a word.
std::vector<TextLine> in_two_lines(const Layout& layout, const std::string& text, double length) {
  std::vector<TextLine> best;
  for (const std::string_view part : {", ", " "}) {
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      const std::size_t end = at + part.size();
      TextLine first = layout.fonts.set(Face::regular, tick_size(layout), text.substr(0, end - 1));
      TextLine second = layout.fonts.set(Face::regular, tick_size(layout), text.substr(end));
      const double longer = std::max(first.width, second.width);
      if (longer > length || (!best.empty() && longer >= std::max(best[0].width, best[1].width))) continue;
      best = {std::move(first), std::move(second)};
    }
    if (!best.empty()) break;
  }
  return best;
}

// How far the numbers of a bar beside the maps reach to its right.
double side_numbers_width(const Layout& layout) {
  double widest = 0;
  for (const ScaleTick& tick : scale_ticks(range_of(layout.figure, layout.figure.panels[0])))
    widest = std::max(widest, layout.fonts.set(Face::mono, tick_size(layout), tick.text).width);
  return tick_length + side_number_gap + widest;
}

// Upward from the bar's foot; a number that would touch the one before is left out.
void place_side_ticks(Layout& layout, const Box& bar) {
  const double size = tick_size(layout);
  const double width = snapped_down(layout, line_width);
  double taken = std::numeric_limits<double>::max();
  for (const ScaleTick& tick : scale_ticks(range_of(layout.figure, layout.figure.panels[0]))) {
    const double y = bar.y + (1 - tick.part) * bar.height;
    layout.page.fills.push_back(
        {{bar.x + bar.width, snapped(layout, y - width / 2), snapped_down(layout, tick_length), width}, text_2});
    // Digits are 0.73 of their size high. Never beyond the page's margin, where a bar begins at it.
    const double baseline = std::max(y + 0.365 * size, margin + 0.75 * size);
    if (baseline > taken - size) continue;
    taken = baseline;
    add_text(layout, layout.fonts.set(Face::mono, size, tick.text),
             {bar.x + bar.width + tick_length + side_number_gap, baseline}, text_2);
  }
}

// The swatches below a bar beside the maps: under the bar where each fits, else so that they end where its words do.
double place_side_swatches(Layout& layout, double top, double left, double right) {
  const std::vector<Swatch> all = swatches(layout);
  const double below_numbers = top + 0.5 * tick_size(layout);
  if (all.empty()) return below_numbers + margin;
  const Box block = panel_block(layout);
  const double bar = snapped(layout, block.x + block.width + side_bar_gap);
  const bool fit =
      std::ranges::all_of(all, [&](const Swatch& one) { return bar + width_of(layout, one) <= right + 0.01; });
  const double x = fit ? bar : std::max(left, right - width_of(layout, all));
  const double size = swatch_size(layout);
  return place_swatches(layout, all, {x, below_numbers + 0.85 * size}, right) + 0.6 * size + margin;
}

}  // namespace

double side_bar_width(const Layout& layout, int lines) {
  const double size = tick_size(layout);
  double width = side_numbers_width(layout);
  if (lines > 0) width += side_words_gap + (1 + side_line_height * (lines - 1)) * size;
  if (lines > 0 && layout.plan.extent.masked > 0)
    width = std::max(width, swatch_name_gap + layout.fonts.set(Face::regular, size, layout.figure.masked).width);
  return side_bar_gap + snapped(layout, bar_thickness) + width;
}

std::vector<TextLine> side_bar_words(const Layout& layout, double length, int lines) {
  for (const bool brief : {false, true}) {
    const std::string text = scale_text(layout, brief);
    TextLine line = layout.fonts.set(Face::regular, tick_size(layout), text);
    if (lines == 1 && line.width <= length) return {std::move(line)};
    std::vector<TextLine> two = lines == 2 ? in_two_lines(layout, text, length) : std::vector<TextLine>();
    if (!two.empty()) return two;
  }
  return {};
}

void place_side_bar(Layout& layout) {
  const Box block = panel_block(layout);
  const Box bar{snapped(layout, block.x + block.width + side_bar_gap), block.y, snapped(layout, bar_thickness),
                block.height};
  add_ramp(layout, bar, layout.figure.panels[0], true);
  place_side_ticks(layout, bar);
  const double size = tick_size(layout);
  double baseline = bar.x + bar.width + side_numbers_width(layout) + side_words_gap + 0.75 * size;
  for (const TextLine& line : layout.plan.bar_words) {
    const double foot = bar.y + (bar.height + line.width) / 2;
    layout.page.texts.push_back({{baseline, foot}, line, text_2, true, Align::middle, {}});
    baseline += side_line_height * size;
  }
}

void place_bar(Layout& layout, const Box& bar, const Panel& panel, double reach) {
  add_ramp(layout, bar, panel, false);
  const double width = snapped_down(layout, line_width);
  const double size = std::min(tick_size(layout), words_size(layout));
  double taken = bar.x - bar.width - reach;
  for (const ScaleTick& tick : scale_ticks(range_of(layout.figure, panel))) {
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
    add_text(layout, std::move(number), {middle, bar.y + bar.height + tick_length + size}, text_2, Align::middle);
  }
}

double place_footer(Layout& layout, double top, double left, double right) {
  const double size = words_size(layout);
  const Plan& plan = layout.plan;
  if (plan.bar == BarPlace::beside && !plan.bar_words.empty()) return place_side_swatches(layout, top, left, right);
  if (plan.bar == BarPlace::none) {
    const std::vector<Swatch> all = swatches(layout);
    return (all.empty() ? top : place_swatches(layout, all, {left, top + size}, right) + 0.6 * size) + margin;
  }
  if (plan.own_bars || !plan.colored || plan.bar == BarPlace::beside)
    return place_words(layout, {left, top + size}, right) + 0.6 * size + margin;
  const Box bar{left, snapped(layout, top + footer_gap),
                snapped(layout, std::clamp(0.4 * (right - left), least_bar_width, largest_bar_width)),
                snapped(layout, bar_thickness)};
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
  const TextLine words = layout.fonts.set(Face::regular, words_size(layout), scale_text(layout));
  const Box block = panel_block(layout);
  double right = std::max(block.x + block.width + plan.bar_column, left + width_of(layout, swatches(layout)));
  if (has_scale_below(plan)) right = std::max({right, left + least_bar_width, left + words.width});
  const double header = plan.title.width + (plan.subtitle_below ? 0 : title_gap + plan.subtitle.width);
  for (Index i = 0; i < static_cast<Index>(layout.figure.panels.size()); ++i)
    right =
        std::max(right, map_box(layout, i).x + std::min(title_width(layout, i), title_room(plan, i % plan.columns)));
  right = std::max({right, margin + header, margin + (plan.subtitle_below ? plan.subtitle.width : 0)});
  return std::min(right, layout.options.width - margin);
}

}  // namespace headlight::layout_parts
