// Rows as arrows in a plane: the one that asks blue, the one that answers red, and how far the one reaches along the
// other. A tip that is dragged sets its two numbers.
#include <imgui.h>

#include <cmath>
#include <numbers>

#include "app/lessons/printing.h"
#include "app/panels/common/prepared.h"
#include "app/panels/views/parts.h"
#include "app/reading/printed.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_with_numbers = 8;  // arrows whose numbers all stand beside them

std::string number_of(double number) {
  return with_minus_signs(printed_value(number_value(number)).value_or(""));
}

struct ArrowPlane {
  Rect box;
  double left = 0, right = 1, low = 0, high = 1;  // numbers at its edges
  double every = 1;                               // between its lines
  float unit = 1;                                 // px
  Point at(double x, double y) const {
    return {box.x + static_cast<float>(x - left) * unit, box.bottom() - static_cast<float>(y - low) * unit};
  }
  double x_at(float px) const { return left + static_cast<double>((px - box.x) / unit); }
  double y_at(float px) const { return low + static_cast<double>((box.bottom() - px) / unit); }
};

// A tip on its way: the plane stays as it was when the drag began.
struct ArrowDrag {
  std::string path;  // of no arrow: none
  ArrowPlane plane;
  Edit set;  // last
};

// Equal units both ways, (0, 0) in it, and room for the tips.
ArrowPlane plane_for(Rect room, const std::vector<WordArrow>& arrows) {
  ArrowPlane plane;
  double right = 0, high = 0, left = 0, low = 0;
  bool whole = true;
  for (const auto& arrow : arrows) {
    right = std::max(right, arrow.x);
    high = std::max(high, arrow.y);
    left = std::min(left, arrow.x);
    low = std::min(low, arrow.y);
    whole = whole && arrow.x == std::round(arrow.x) && arrow.y == std::round(arrow.y);
  }
  const double span = std::max(right - left, high - low);
  plane.every = span > 0 ? round_number_from(span / 6) : 1;
  if (whole) plane.every = std::max(plane.every, 1.0);
  const auto end = [&](double number, auto round) { return round(number / plane.every) * plane.every; };
  constexpr double past = 0.4;  // of a step, beyond the farthest tip
  const auto up = [](double x) { return std::ceil(x); };
  const auto down = [](double x) { return std::floor(x); };
  plane.right = std::max(plane.every, end(right + past * plane.every, up));
  plane.high = std::max(plane.every, end(high + past * plane.every, up));
  plane.left = left < 0 ? end(left - past * plane.every, down) : 0;
  plane.low = low < 0 ? end(low - past * plane.every, down) : 0;
  plane.unit = std::min(room.w / static_cast<float>(plane.right - plane.left),
                        room.h / static_cast<float>(plane.high - plane.low));
  const float w = plane.unit * static_cast<float>(plane.right - plane.left),
              h = plane.unit * static_cast<float>(plane.high - plane.low);
  plane.box = {room.x + (room.w - w) / 2, room.y + (room.h - h) / 2, w, h};
  return plane;
}

void draw_grid(Ui& ui, const ArrowPlane& plane, Index channels) {
  const Theme& t = ui.theme();
  const auto first = [&](double edge) { return std::llround(edge / plane.every); };
  for (auto i = first(plane.left); i <= first(plane.right); ++i) {
    const double x = static_cast<double>(i) * plane.every;
    ui.line(plane.at(x, plane.low), plane.at(x, plane.high), i == 0 ? t.line_strong : t.line, i == 0 ? ui.px(1.5F) : 1);
    const Point at = plane.at(x, plane.low);
    ui.text_in(Type::number_note, {at.x - ui.px(24), at.y + ui.px(6), ui.px(48), ui.px(16)}, t.text_muted, number_of(x),
               Ui::Align::center);
  }
  for (auto i = first(plane.low); i <= first(plane.high); ++i) {
    const double y = static_cast<double>(i) * plane.every;
    ui.line(plane.at(plane.left, y), plane.at(plane.right, y), i == 0 ? t.line_strong : t.line,
            i == 0 ? ui.px(1.5F) : 1);
    const Point at = plane.at(plane.left, y);
    ui.text_in(Type::number_note, {at.x - ui.px(52), at.y - ui.px(8), ui.px(44), ui.px(16)}, t.text_muted, number_of(y),
               Ui::Align::right);
  }
  const std::string_view what = channels == 2 ? "number" : "direction";
  const float wide = ui.px(160);
  ui.text_in(Type::label, {plane.box.x - ui.px(30), plane.box.y - ui.px(26), wide, ui.px(18)}, t.text_muted,
             fmt::format("second {}", what));
  ui.text_in(Type::label, {plane.box.right() - wide, plane.box.bottom() + ui.px(24), wide, ui.px(18)}, t.text_muted,
             fmt::format("first {}", what), Ui::Align::right);
}

struct ArrowLook {
  Color32 color = 0;
  bool strong = false;
  bool numbers = false;  // stand beside it
};

void draw_shaft(Ui& ui, const ArrowPlane& plane, const WordArrow& arrow, const ArrowLook& look) {
  const Point from = plane.at(0, 0), to = plane.at(arrow.x, arrow.y);
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  const float width = ui.px(look.strong ? 3.5F : 2.5F), head = ui.px(look.strong ? 13 : 10);
  if (length <= head) return ui.fill({to.x - ui.px(4), to.y - ui.px(4), ui.px(8), ui.px(8)}, look.color, ui.px(4));
  const float ux = dx / length, uy = dy / length;
  const Point neck{to.x - ux * head, to.y - uy * head};
  ui.list().AddLine({from.x, from.y}, {neck.x, neck.y}, look.color, width);
  ui.list().AddTriangleFilled({to.x, to.y}, {neck.x - uy * head * 0.5F, neck.y + ux * head * 0.5F},
                              {neck.x + uy * head * 0.5F, neck.y - ux * head * 0.5F}, look.color);
}

// Its word and its numbers beside its tip, where no other's stand.
void draw_label(Ui& ui, const ArrowPlane& plane, const WordArrow& arrow, const ArrowLook& look,
                std::vector<Rect>& taken) {
  const Point to = plane.at(arrow.x, arrow.y);
  const std::string words = ui.fonts().display_text(arrow.label);
  const std::string numbers =
      look.numbers ? fmt::format("({}, {})", number_of(arrow.x), number_of(arrow.y)) : std::string();
  const Type type = look.strong ? Type::lesson_strong : Type::lesson_text;
  const float w = std::max(ui.width_of(type, words), ui.width_of(Type::number, numbers)),
              h = ui.px(numbers.empty() ? 24 : 44);
  Point at{to.x + ui.px(10), to.y - ui.px(14)};
  if (arrow.x < 0) at.x = to.x - w - ui.px(10);
  const double flat = 0.2 * plane.every;
  if (std::abs(arrow.y) < flat) at.y -= ui.px(32);
  if (at.x + w > plane.box.right() + ui.px(60)) at = {to.x - w - ui.px(10), to.y - ui.px(44)};
  const Rect place{at.x, at.y, w, h};
  if (!look.strong && std::ranges::any_of(taken, [&](Rect other) { return other.overlaps(place); })) return;
  taken.push_back(place);
  ui.text(type, at, look.color, words);
  if (!numbers.empty()) ui.text(Type::number, {at.x, at.y + ui.px(23)}, look.color, numbers);
  ui.log("arrows/word/" + arrow.label, place, numbers);
}

void draw_dashes(Ui& ui, Point from, Point to) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy), dash = ui.px(5);
  for (float at = 0; at < length; at += 2 * dash) {
    const float end = std::min(at + dash, length);
    ui.line({from.x + dx * at / length, from.y + dy * at / length},
            {from.x + dx * end / length, from.y + dy * end / length}, ui.theme().score.main, ui.px(1.5F));
  }
}

// The line at a right angle from the asker's tip on the answerer, and the angle between the two.
void draw_shadow(Ui& ui, const ArrowPlane& plane, const WordArrow& asks, const WordArrow& answers, Index channels) {
  const double square = answers.x * answers.x + answers.y * answers.y;
  if (square == 0) return;
  const double along = (asks.x * answers.x + asks.y * answers.y) / square;
  draw_dashes(ui, plane.at(asks.x, asks.y), plane.at(along * answers.x, along * answers.y));
  const Point zero = plane.at(0, 0);
  const auto turn = [](const WordArrow& a) { return static_cast<float>(std::atan2(-a.y, a.x)); };
  float from = turn(asks), to = turn(answers);
  constexpr auto half = std::numbers::pi_v<float>;
  if (to - from > half) from += 2 * half;
  if (from - to > half) to += 2 * half;
  if (std::abs(to - from) < 0.05F) return;
  ui.list().PathArcTo({zero.x, zero.y}, ui.px(34), std::min(from, to), std::max(from, to), 24);
  ui.list().PathStroke(ui.theme().text_muted, 0, ui.px(1));
  if (channels > 2) return;  // the plane's angle is not the arrows'
  const float middle = (from + to) / 2, away = ui.px(52);
  ui.text_in(
      Type::number_note,
      {zero.x + away * std::cos(middle) - ui.px(20), zero.y + away * std::sin(middle) - ui.px(8), ui.px(40), ui.px(16)},
      ui.theme().text_muted, fmt::format("{:.0f}°", std::abs(to - from) * 180 / half), Ui::Align::center);
}

// What the plane shows, in one or two sentences.
std::vector<std::string> words_below(const WordArrows& arrows) {
  std::vector<std::string> words;
  if (arrows.channels > 2)
    words.push_back(fmt::format("Of {} channels these two directions keep most: {:.0f} % of all squared lengths.",
                                arrows.channels, 100 * arrows.kept));
  if (!arrows.product) return words;
  const WordArrow &asks = arrows.all[static_cast<std::size_t>(arrows.asks)],
                  &answers = arrows.all[static_cast<std::size_t>(arrows.answers)];
  const double size = std::hypot(answers.x, answers.y), own = std::hypot(asks.x, asks.y);
  if (size == 0 || own == 0) return words;
  const double along = (asks.x * answers.x + asks.y * answers.y) / size;
  if (arrows.channels > 2) {
    words.push_back(fmt::format("{} · {} is {} in all channels, and {} in this plane.", asks.label, answers.label,
                                number_of(*arrows.product), number_of(along * size)));
    return words;
  }
  words.push_back(fmt::format("{} reaches {} along {}, which is {} long: {} · {} = {}", asks.label, number_of(along),
                              answers.label, number_of(size), number_of(along), number_of(size),
                              number_of(*arrows.product)));
  words.push_back(fmt::format("The angle between them is {:.0f}°.",
                              std::acos(std::clamp(along / own, -1.0, 1.0)) * 180 / std::numbers::pi));
  return words;
}

// A number that a drag comes to: a whole one where that is near.
double snapped(double number, double step, double unit) {
  constexpr double near = 6;  // px
  const double whole = std::round(number);
  if (std::abs(number - whole) * unit < near && step < 1) return whole;
  const double rounded = std::round(number / step) * step;
  return std::round(rounded * 1e6) / 1e6 + 0.0;
}

// Follows the pointer from the tip on; the plane of the drag stands for the current one meanwhile.
void drag_tip(Ui& ui, const WordArrow& arrow, const ArrowPlane& plane, double step, const Model& model, ArrowDrag& drag,
              Actions& actions) {
  const double unit = static_cast<double>(plane.unit);
  const double x = snapped(std::clamp(plane.x_at(ui.mouse().x), plane.left, plane.right), step, unit),
               y = snapped(std::clamp(plane.y_at(ui.mouse().y), plane.low, plane.high), step, unit);
  const auto edit = arrow_moved(*model.trace(), arrow, effective_focus(model), x, y);
  if (!edit || *edit == drag.set || (drag.set.array.empty() && x == arrow.x && y == arrow.y)) return;
  drag.set = *edit;
  actions.push_back(AddEdit{*edit, true});
}

void handle_tip(Ui& ui, const WordArrow& arrow, const ArrowPlane& plane, double step, bool selects, const Model& model,
                PanelMemory& memory, Actions& actions) {
  ArrowDrag& drag = memory.get<ArrowDrag>();
  const Point tip = plane.at(arrow.x, arrow.y);
  const float r = ui.px(12);
  const std::string path = fmt::format("arrows/{}/{}", arrow.along == AxisRole::query ? "query" : "key", arrow.row);
  const auto hit = ui.hit(path, {tip.x - r, tip.y - r, 2 * r, 2 * r}, false,
                          fmt::format("{} {}", number_of(arrow.x), number_of(arrow.y)));
  const Look& look = model.document.look;
  Selection here = look.selection;
  (arrow.along == AxisRole::query ? here.query : here.key) = arrow.position;
  if (hit.hovered && selects) memory.hover = Hover{arrow.of->info.id, look.head, here};
  const bool movable = step > 0;
  if (movable && (hit.hovered || drag.path == path)) {
    ui.list().AddCircle({tip.x, tip.y}, r, ui.theme().text_muted, 24, ui.px(1.5F));
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
  }
  if (movable && hit.held && drag.path.empty() && ui.mouse_moved()) drag = {path, plane, {}};
  if (drag.path == path) {
    drag_tip(ui, arrow, plane, step, model, drag, actions);
    if (hit.held) return;
    if (!drag.set.array.empty()) actions.push_back(EndEdit{});
    drag = {};
  } else if (hit.clicked && selects) {
    actions.push_back(Select{here, here.query && here.key});
  }
}

}  // namespace

void draw_arrow_plane(Ui& ui, Rect box, const WordArrows& arrows, const ArrowChoices& choices, const Model& model,
                      PanelMemory& memory, Actions& actions) {
  const Theme& t = ui.theme();
  std::vector<WordArrow> shown = arrows.all;
  const bool asker_hidden = choices.hides_mix && arrows.mixes && arrows.asks >= 0;
  if (asker_hidden) shown.erase(shown.begin() + arrows.asks);
  Rect room = box.inset(ui.px(64), ui.px(40));
  const Rect below = room.take_bottom(ui.px(60));
  const ArrowDrag& drag = memory.get<ArrowDrag>();
  const ArrowPlane plane = drag.path.empty() ? plane_for(room, shown) : drag.plane;
  draw_grid(ui, plane, arrows.channels);
  const auto look_of = [&](std::size_t i) {
    ArrowLook look{t.text_faint, false, arrows.channels == 2 && shown.size() <= most_with_numbers};
    if (!asker_hidden && static_cast<int>(i) == arrows.asks)
      look = {arrows.mixes ? t.output.main : t.query.main, true, arrows.channels == 2};
    else if (static_cast<int>(i) == arrows.answers)
      look = {t.key.main, true, arrows.channels == 2};
    return look;
  };
  for (const bool strong : {false, true})
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (look_of(i).strong == strong) draw_shaft(ui, plane, shown[i], look_of(i));
  if (arrows.product)
    draw_shadow(ui, plane, arrows.all[static_cast<std::size_t>(arrows.asks)],
                arrows.all[static_cast<std::size_t>(arrows.answers)], arrows.channels);
  std::vector<Rect> taken;
  for (const bool strong : {true, false})
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (look_of(i).strong == strong) draw_label(ui, plane, shown[i], look_of(i), taken);
  const bool movable = choices.drag_by > 0 && arrows.channels == 2 && !shown.empty() &&
                       arrow_moved(*model.trace(), shown[0], effective_focus(model), 0, 0);
  const double drag_by = movable ? choices.drag_by : 0;
  for (std::size_t i = shown.size(); i-- > 0;)
    handle_tip(ui, shown[i], plane, drag_by, choices.selects, model, memory, actions);
  if (asker_hidden) return;
  Rect line{box.x + ui.px(24), std::max(below.y, plane.box.bottom() + ui.px(46)), box.w - ui.px(48), ui.px(22)};
  std::string all;
  for (const std::string& words : words_below(arrows)) {
    ui.text_in(arrows.product && all.empty() && arrows.channels == 2 ? Type::body_strong : Type::label, line,
               all.empty() && arrows.channels == 2 ? t.score.main : t.text_muted, words);
    line.y += line.h;
    all += (all.empty() ? "" : " ") + words;
  }
  if (movable) {
    ui.text_in(Type::label, line, t.text_muted, "Drag a tip to change its two numbers.");
    line.y += line.h;
  }
  if (!all.empty()) ui.log("arrows/words", {line.x, below.y, line.w, line.y - below.y}, all);
}

void draw_arrows_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  draw_view_header(ui, box.take_top(ui.px(48)), model, "", "", actions, box.w < ui.px(700));
  const auto& arrows = memory.get<Prepared>().arrows(model, *model.step());
  if (!arrows) {
    const Point middle = box.middle();
    ui.text_in(Type::body, {box.x, middle.y - ui.px(40), box.w, ui.px(24)}, ui.theme().text_muted,
               "Arrows show words, each of two numbers or more; this step has no such rows.", Ui::Align::center);
    if (button(ui, "arrows/map", {middle.x - ui.px(90), middle.y, ui.px(180), ui.px(32)}, "Show the map"))
      actions.push_back(SetMode{ViewMode::map});
    return;
  }
  constexpr double tenth = 0.1;
  draw_arrow_plane(ui, box, *arrows, {.drag_by = tenth, .selects = true}, model, memory, actions);
}

}  // namespace headlight::app
