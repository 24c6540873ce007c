#include <imgui.h>

#include <cmath>

#include "app/panels/common/map_parts.h"
#include "app/panels/views/parts.h"
#include "app/reading/key_place.h"
#include "app/reading/pixel_partners.h"
#include "app/reading/printed.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_lines = 3000;  // drawn; the strongest where there are more
constexpr std::size_t many_lines = 400;   // from which on their curves are drawn in fewer pieces

struct Line {
  Index query = 0;
  Index key = 0;
  float strength = 0;  // |value| as a share of the largest
  float value = 0;
};

// The lines that are drawn, kept until the numbers or what is left out of them change.
struct LinesCache {
  NumbersOf of;
  double threshold = -1;
  std::vector<Line> lines;  // the strongest of those that are not left out, weakest first
  std::size_t all = 0;      // pairs that no mask hides
  float largest = 0;
};

// The line of a pair; nothing where a mask hides it or it is left out.
std::optional<Line> line_at(const MatrixView& cells, Index query, Index key, float full, double threshold) {
  const float value = cells.at(query, key);
  const float strength = std::abs(value) / full;
  if (!std::isfinite(value) || static_cast<double>(strength) < threshold) return std::nullopt;
  return Line{query, key, strength, value};
}

// What a line of full strength is worth.
float full_strength(bool weights, float largest) {
  return weights ? 1 : std::max(largest, 1e-30F);
}

const LinesCache& cached_lines(PanelMemory& memory, const MapData& map, double threshold, bool weights) {
  LinesCache& cache = memory.get<LinesCache>();
  if (cache.of == map.numbers && cache.threshold == threshold) return cache;
  cache = {};
  cache.of = map.numbers;
  cache.threshold = threshold;
  const MatrixView& cells = map.cells;
  for (Index i = 0; i < cells.rows; ++i)
    for (Index j = 0; j < cells.columns; ++j)
      if (const float v = cells.at(i, j); std::isfinite(v)) {
        cache.largest = std::max(cache.largest, std::abs(v));
        ++cache.all;
      }
  const float full = full_strength(weights, cache.largest);
  for (Index i = 0; i < cells.rows; ++i)
    for (Index j = 0; j < cells.columns; ++j)
      if (const auto line = line_at(cells, i, j, full, threshold)) cache.lines.push_back(*line);
  const auto stronger = [](const Line& a, const Line& b) { return a.strength > b.strength; };
  if (cache.lines.size() > most_lines) {
    std::ranges::nth_element(cache.lines, cache.lines.begin() + most_lines, stronger);
    cache.lines.resize(most_lines);
  }
  std::ranges::sort(cache.lines, [](const Line& a, const Line& b) { return a.strength < b.strength; });
  return cache;
}

struct Lines {
  const std::vector<Line>& drawn;  // pale ones, those of the selected query among them
  std::vector<Line> selected;      // of that query
  std::size_t shown = 0, all = 0;
};

Lines with_row(const LinesCache& cache, const MatrixView& cells, std::optional<Index> row, bool weights) {
  Lines lines{cache.lines, {}, 0, cache.all};
  for (Index j = 0; row && *row < cells.rows && j < cells.columns; ++j)
    if (const auto line = line_at(cells, *row, j, full_strength(weights, cache.largest), cache.threshold))
      lines.selected.push_back(*line);
  const auto of_row = std::ranges::count_if(cache.lines, [&](const Line& line) { return row == line.query; });
  lines.shown = cache.lines.size() - static_cast<std::size_t>(of_row) + lines.selected.size();
  return lines;
}

// In so many pieces; 0: as many as it takes to look round.
void curve(Ui& ui, Point from, Point to, Color32 color, float thickness, int pieces) {
  const float bend = (to.x - from.x) * 0.45F;
  ui.list().AddBezierCubic({from.x, from.y}, {from.x + bend, from.y}, {to.x - bend, to.y}, {to.x, to.y}, color,
                           thickness, pieces);
}

struct Column {
  const Trace& trace;
  const Step& step;
  const Axis* axis;
  Index item;  // of the batch
  float x, width;
  bool queries;  // the index stands at the left, as the lines leave at the right
};

std::string label_at_end(const Ui& ui, const Column& side, Index at) {
  const std::string label = label_of(side.axis, at, side.item);
  if (!side.axis->labels.empty()) return ui.fonts().display_text(label);
  if (!side.axis->grid) return {};
  return side.queries ? label : key_place(side.trace, side.step, at, {}, side.item).at;
}

// A token at one end of the lines.
Ui::Hit draw_end(Ui& ui, const Column& side, Index at, float y, float pitch, bool selected, bool masked) {
  const Theme& t = ui.theme();
  const RoleColors role = role_colors(t, side.queries ? Role::query : Role::key);
  const float height = std::min(ui.px(34), std::floor(pitch * 0.82F));
  const Rect box{side.x, std::round(y - height / 2), side.width, height};
  const auto hit = ui.hit(fmt::format("lines/{}/{}", side.queries ? "query" : "key", at), box, false,
                          label_of(side.axis, at, side.item), selected ? "selected" : "");
  const bool framed = height >= ui.px(22);
  if (masked) ui.hatch(box);
  if (selected) ui.fill(box, role.soft, ui.px(6));
  if (hit.hovered && !selected) ui.fill(box, mix(t.canvas, t.text, 0.05F), ui.px(6));
  if (framed || selected) ui.frame(box, selected ? role.main : t.line_strong, ui.px(6), selected ? ui.px(2) : 1);
  Rect inside = box.inset(ui.px(9), 0);
  const std::string index = fmt::format("{}", at);
  const float room = ui.width_of(Type::number_note, index) + ui.px(8);
  const Rect number = side.queries ? inside.take_left(room) : inside.take_right(room);
  ui.text_in(Type::number_note, number, t.text_faint, index, side.queries ? Ui::Align::left : Ui::Align::right);
  const Color32 color = selected ? role.main : t.text;
  ui.text_in(selected ? Type::label_strong : Type::label, inside, masked ? t.text_faint : color,
             label_at_end(ui, side, at), side.queries ? Ui::Align::right : Ui::Align::left);
  return hit;
}

// The selected row's value beside its key.
void draw_value(Ui& ui, Rect box, float value, float full, std::string_view masked_for) {
  const Theme& t = ui.theme();
  if (!std::isfinite(value)) {
    ui.text_in(Type::note, box, t.text_faint, is_masked(value) ? masked_for : "not a number");
    return;
  }
  const float bar = std::max(ui.px(2), std::min(ui.px(64), box.w - ui.px(60)) * std::abs(value) / full);
  const float tall = std::min(ui.px(18), box.h * 0.6F);
  ui.fill({box.x, box.middle().y - tall / 2, bar, tall}, value < 0 ? t.bar_negative : t.weight.main);
  ui.text_in(Type::number_note, {box.x + bar + ui.px(8), box.y, box.w - bar - ui.px(8), box.h}, t.text,
             std::abs(value) < 1e5F ? with_minus_signs(fmt::format("{:.3f}", value)) : number_text(value));
}

constexpr float threshold_room = 270;  // px of the design, before the count

std::string count_of(const Lines& lines) {
  return fmt::format("{} of {} lines", lines.shown, lines.all);
}

// "Hide below" and its slider, at the right of the header's line.
void draw_threshold(Ui& ui, Rect line, const Model& model, const Lines& lines, bool weights, Actions& actions) {
  Rect rest = line.inset(0, (line.h - ui.px(32)) / 2);
  ui.text_in(Type::label, rest.take_left(ui.px(78)), ui.theme().text_muted, "Hide below");
  const double threshold = model.document.look.threshold;
  const SliderChange slid = slider(ui, "lines/threshold", rest.take_left(ui.px(110)), threshold, 0, 1, 0.05, false);
  if (slid.value) actions.push_back(SetThreshold{*slid.value});
  if (slid.ended) actions.push_back(EndEdit{});
  rest.take_left(ui.px(10));
  const Rect number = rest.take_left(ui.px(56)).inset(0, ui.px(2));
  const double unit = weights ? 1 : 100;
  if (const auto typed =
          number_field(ui, "lines/threshold/number", number, threshold * unit, 0, unit, weights ? "" : " %"))
    actions.push_back(SetThreshold{*typed / unit});
  rest.take_left(ui.px(8));
  ui.text_in(Type::note, rest, ui.theme().text_faint, count_of(lines));
  ui.log("lines/count", rest, fmt::format("{} of {}", lines.shown, lines.all));
}

// What was chosen comes into view once, where it is not; after that the wheel decides.
void show_once(float& scroll, float at, float height, float room, float whole) {
  if (at >= scroll && at + height <= scroll + room) return;
  scroll = std::clamp(at + height / 2 - room / 2, 0.0F, std::max(0.0F, whole - room));
}

void draw_no_lines(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const Point middle = box.middle();
  const bool picture = is_seen_on_picture(*model.step());
  ui.text_in(Type::body, {box.x, middle.y - ui.px(40), box.w, ui.px(24)}, ui.theme().text_muted,
             picture ? "Between pixels lines would be a solid mass: the picture shows where each looks."
                     : "Lines join queries and keys; this step has no such pairs.",
             Ui::Align::center);
  if (picture &&
      button(ui, "lines/picture", {middle.x - ui.px(90), middle.y, ui.px(180), ui.px(32)}, "Show the picture"))
    actions.push_back(SetMode{ViewMode::map});
  const Step* map = model.trace()->map();
  if (!picture && map &&
      button(ui, "lines/weights", {middle.x - ui.px(90), middle.y, ui.px(180), ui.px(32)}, "Show the weights"))
    actions.push_back(ShowStep{map->info.id});
}

// What of the lines stands where.
struct LinesPlan {
  const Slice& slice;
  const Lines& lines;
  const MatrixView& cells;
  float full;  // what a line of full strength is worth
  bool weights;
  std::optional<Index> row, column;  // selected
  Column queries, keys;
  float values;  // px, the room of what stands beside a key
  float pitch;
  Rect box;       // through which they are seen
  float top = 0;  // of the first token, as it is scrolled

  float y_of(Index at) const { return top + pitch * (static_cast<float>(at) + 0.5F); }
  bool is_visible(Index at) const { return y_of(at) + pitch > box.y && y_of(at) - pitch < box.bottom(); }
  float values_x(const Ui& ui) const { return keys.x + keys.width + ui.px(14); }
};

void draw_side_headings(Ui& ui, Rect line, const LinesPlan& plan) {
  const Theme& t = ui.theme();
  const Column &queries = plan.queries, &keys = plan.keys;
  ui.text_in(Type::heading, {queries.x, line.y, queries.width, line.h}, t.query.main, "query i asks", Ui::Align::right);
  ui.text_in(Type::heading, {keys.x, line.y, keys.width, line.h}, t.key.main, "key j");
  if (plan.row)
    ui.text_in(Type::heading, {plan.values_x(ui), line.y, plan.values, line.h},
               plan.weights ? t.weight.main : t.score.main,
               fmt::format("{} in row {}", plan.weights ? "weight" : "score", *plan.row));
}

void draw_curves(Ui& ui, const LinesPlan& plan) {
  const Theme& t = ui.theme();
  const float left = plan.queries.x + plan.queries.width + ui.px(4), right = plan.keys.x - ui.px(4);
  const Color32 ink = plan.weights ? t.weight.main : t.score.main;
  // Whole pixels where there are many: such lines are drawn from a texture, with half the corners.
  const bool many = plan.lines.drawn.size() > many_lines;
  const auto thickness = [&](float strength) {
    const float exact = ui.px(1) + strength * std::min(ui.px(9), plan.pitch * 0.3F);
    return many ? std::round(exact) : exact;
  };
  const int pieces = many ? 18 : 0;
  for (const Line& line : plan.lines.drawn)
    if (plan.row != line.query && (plan.is_visible(line.query) || plan.is_visible(line.key)))
      curve(ui, {left, plan.y_of(line.query)}, {right, plan.y_of(line.key)},
            mix(t.canvas, line.value < 0 ? t.bar_negative : ink, 0.12F + 0.22F * std::min(1.0F, line.strength)),
            thickness(line.strength), pieces);
  for (const Line& line : plan.lines.selected)
    curve(ui, {left, plan.y_of(line.query)}, {right, plan.y_of(line.key)}, line.value < 0 ? t.bar_negative : ink,
          thickness(line.strength), 0);
}

void draw_query_ends(Ui& ui, const LinesPlan& plan, const Look& look, PanelMemory& memory, Actions& actions) {
  for (Index i = 0; i < plan.slice.matrix.rows; ++i) {
    if (!plan.is_visible(i)) continue;
    const auto hit = draw_end(ui, plan.queries, i, plan.y_of(i), plan.pitch, plan.row == i, false);
    Selection here = look.selection;
    here.query = i;
    if (hit.hovered) memory.hover = Hover{plan.queries.step.info.id, look.head, here};
    if (hit.clicked || hit.menu) actions.push_back(Select{here, here.key.has_value()});
    if (hit.menu) open_menu(ui, memory, MenuTarget::row, actions);
  }
}

void draw_key_ends(Ui& ui, const LinesPlan& plan, const Look& look, PanelMemory& memory, Actions& actions) {
  const auto& row = plan.row;
  for (Index j = 0; j < plan.slice.matrix.columns; ++j) {
    if (!plan.is_visible(j)) continue;
    const float y = plan.y_of(j), value = row && *row < plan.cells.rows ? plan.cells.at(*row, j) : 0;
    const auto hit = draw_end(ui, plan.keys, j, y, plan.pitch, plan.column == j, row && is_masked(value));
    Selection here = look.selection;
    here.key = j;
    if (hit.hovered) memory.hover = Hover{plan.keys.step.info.id, look.head, here};
    if (hit.clicked || hit.menu) actions.push_back(Select{here, here.query.has_value()});
    if (hit.menu) open_menu(ui, memory, here.query ? MenuTarget::cell : MenuTarget::token, actions);
    if (row)
      draw_value(ui, {plan.values_x(ui), y - plan.pitch / 2, plan.values, plan.pitch}, value, plan.full,
                 fmt::format("masked for query {}", *row));
  }
}

}  // namespace

void draw_lines(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Step& step = *model.step();
  const Look& look = model.document.look;
  const Slice slice = slice_of(step, effective_focus(model));
  const Rect between = draw_view_header(ui, box.take_top(ui.px(48)), model, "", "", actions, box.w < ui.px(700));
  if (is_seen_on_picture(step) || !slice.rows || !slice.columns || slice.rows->role != Role::query ||
      slice.columns->role != Role::key)
    return draw_no_lines(ui, box, model, actions);
  const Selection selection = effective_selection(model);
  const auto row = selected_along(slice.rows, selection), column = selected_along(slice.columns, selection);
  const MapData map = memory.cells.map(ui, model, step, look.head);
  const bool weights = step.info.kind == Kind::probability;
  const LinesCache& cache = cached_lines(memory, map, look.threshold, weights);
  const Lines lines = with_row(cache, map.cells, row, weights);
  const float wanted = ui.px(threshold_room) + ui.width_of(Type::note, count_of(lines));
  const bool fits = between.w >= wanted;
  draw_threshold(ui, fits ? Rect{between.right() - wanted, between.y, wanted, between.h} : box.take_top(ui.px(36)),
                 model, lines, weights, actions);
  box.take_top(ui.px(6));
  const Rect headings = box.take_top(ui.px(26));
  box.take_bottom(ui.px(8));
  const float chip = std::clamp(box.w * 0.19F, ui.px(60), ui.px(106));
  const float values = std::clamp(box.w * 0.25F, ui.px(80), ui.px(150));
  const Column queries{*model.trace(), step, slice.rows, slice.item, box.x + ui.px(box.w > ui.px(640) ? 40 : 0),
                       chip,           true};
  const Column keys{*model.trace(), step, slice.columns, slice.item, box.right() - values - chip - ui.px(16),
                    chip,           false};
  const auto count = static_cast<float>(std::max(slice.matrix.rows, slice.matrix.columns));
  const float pitch = std::clamp(std::floor(box.h / count), ui.px(20), ui.px(54));
  LinesPlan plan{slice,  lines, map.cells, full_strength(weights, cache.largest), weights, row, column, queries, keys,
                 values, pitch, box};
  draw_side_headings(ui, headings, plan);
  const Index selected = selected_along(slice.rows, look.selection).value_or(-1);
  if (selected >= 0 && memory.get<LinesMemory>().scrolled_to != selected)
    show_once(ui.memory().scroll["lines"], pitch * static_cast<float>(selected), pitch, box.h, pitch * count);
  memory.get<LinesMemory>().scrolled_to = selected;
  scroll_area(ui, "lines", box, [&](Rect area) {
    plan.top = area.y;
    draw_curves(ui, plan);
    draw_query_ends(ui, plan, look, memory, actions);
    draw_key_ends(ui, plan, look, memory, actions);
    return pitch * count;
  });
}

}  // namespace headlight::app
