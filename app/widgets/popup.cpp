#include <cmath>
#include <utility>

#include "app/platform/input.h"
#include "app/widgets/controls.h"

namespace headlight::app {

namespace {

constexpr float row_height = 30, part_height = 9, edge = 5, side = 10, sign_width = 24, gap = 24;  // px of the design

struct Placed {
  Rect card;
  std::vector<float> tops;  // of the lines, from the list's top
  float height = 0;         // of all of them
};

float width_of_line(const Ui& ui, const PopupLine& line) {
  const float chord = line.chord.empty() ? 0 : width_of_chord(ui, line.chord) + ui.px(gap);
  const float about = line.about.empty() ? 0 : ui.width_of(Type::note, line.about) + ui.px(gap);
  return ui.width_of(Type::control, line.label) + about + chord + ui.px(sign_width + 2 * side);
}

Placed place(const Ui& ui, Rect at, Rect window, const std::vector<PopupLine>& lines) {
  Placed placed;
  float widest = ui.px(180);
  for (const PopupLine& line : lines) {
    if (line.parted) placed.height += ui.px(part_height);
    placed.tops.push_back(placed.height);
    placed.height += ui.px(row_height);
    widest = std::max(widest, width_of_line(ui, line));
  }
  const float margin = ui.px(8);
  const float w = std::min({widest + 2 * ui.px(edge), ui.px(460), window.w - 2 * margin});
  const float h = std::min(placed.height + 2 * ui.px(edge), window.h - 2 * margin);
  const float below = at.bottom() + ui.px(2), above = at.y - h - ui.px(2);
  float y = above >= window.y + margin ? above : window.bottom() - margin - h;
  if (below + h <= window.bottom() - margin) y = below;
  const float x = std::clamp(at.x, window.x + margin, window.right() - margin - w);
  placed.card = {std::round(x), std::round(y), std::round(w), std::round(h)};
  return placed;
}

void walk(Ui& ui, int count, PopupMemory& memory) {
  const int before = memory.lit;
  if (take_key(Key::down)) memory.lit = memory.lit + 1 < count ? memory.lit + 1 : 0;
  if (take_key(Key::up)) memory.lit = memory.lit > 0 ? memory.lit - 1 : count - 1;
  if (take_key(Key::home)) memory.lit = 0;
  if (take_key(Key::end)) memory.lit = count - 1;
  if (memory.lit == before) return;
  memory.scroll_to_lit = true;
  ui.redraw_at(ui.now());
}

void draw_line(Ui& ui, Rect row, const PopupLine& line, bool lit) {
  const Theme& t = ui.theme();
  if (lit) {
    ui.fill(row, t.sunken, ui.px(5));
    ui.frame(row, t.line_strong, ui.px(5));
  }
  Rect inside = row.inset(ui.px(side), 0);
  const Color32 color = line.faint ? t.text_faint : t.text;
  const Point sign = inside.take_left(ui.px(sign_width)).middle();
  if (line.now)
    draw_icon(ui, Icon::check, {sign.x - ui.px(4), sign.y}, color);
  else if (line.icon)
    draw_icon(ui, *line.icon, {sign.x - ui.px(4), sign.y}, t.text_muted);
  if (!line.chord.empty()) {
    draw_chord(ui, inside.take_right(width_of_chord(ui, line.chord)), line.chord, t.text_muted);
    inside.take_right(ui.px(gap / 2));
  }
  const float label = std::min(ui.width_of(Type::control, line.label), inside.w);
  ui.text_in(Type::control, inside.take_left(label), color, line.label);
  inside.take_left(ui.px(gap / 2));
  if (ui.width_of(Type::note, line.about) <= inside.w)
    ui.text_in(Type::note, inside, t.text_faint, line.about, Ui::Align::right);
}

}  // namespace

PopupResult popup(Ui& ui, const std::string& path, Rect at, Rect window, const std::vector<PopupLine>& lines,
                  PopupMemory& memory) {
  PopupResult result;
  const Placed placed = place(ui, at, window, lines);
  const auto count = static_cast<int>(lines.size());
  memory.lit = std::min(memory.lit, count - 1);
  walk(ui, count, memory);
  draw_sheet(ui, placed.card);
  const Rect list = placed.card.inset(ui.px(edge));
  float& scroll = ui.memory().scroll[path];
  if (std::exchange(memory.scroll_to_lit, false) && memory.lit >= 0) {
    const float top = placed.tops[static_cast<std::size_t>(memory.lit)];
    scroll = std::clamp(scroll, top + ui.px(row_height) - list.h, top);
  }
  ui.log(path, placed.card, fmt::format("{}", count));
  scroll_area(ui, path, list, [&](Rect area) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const float y = area.y + placed.tops[i];
      const Rect row{area.x, y, area.w, ui.px(row_height)};
      if (row.bottom() <= list.y || row.y >= list.bottom()) continue;
      if (lines[i].parted) ui.line({placed.card.x, y - ui.px(5)}, {placed.card.right(), y - ui.px(5)}, ui.theme().line);
      const bool lit = static_cast<int>(i) == memory.lit;
      const char* state = lines[i].now ? "selected" : "";
      const auto hit = ui.hit(fmt::format("{}/{}", path, i), row, false, lines[i].label, lit ? "focused" : state);
      if (hit.hovered && ui.mouse_moved()) memory.lit = static_cast<int>(i);
      if (hit.clicked) result.chosen = static_cast<int>(i);
      draw_line(ui, row, lines[i], lit);
    }
    return placed.height;
  });
  if (memory.lit >= 0 &&
      (take_key(Key::enter, {}, false) || take_key(Key::keypad_enter, {}, false) || take_key(Key::space, {}, false)))
    result.chosen = memory.lit;
  result.left = clicks() > 0 && !placed.card.contains(ui.mouse());
  return result;
}

}  // namespace headlight::app
