#include <imgui.h>

#include <cmath>

#include "app/platform/input.h"
#include "app/widgets/controls.h"

namespace headlight::app {

namespace {

// Where the open list lies: under its box, or over it, and never beyond the screen.
struct ListPlace {
  Rect card;
  float row = 0;
  float down = 0;  // scrolled, where the screen is lower than the list

  Rect line(std::size_t i) const {
    return {card.x + 4, card.y + 4 + row * static_cast<float>(i) - down, card.w - 8, row};
  }
};

ListPlace place_list(Ui& ui, const std::string& path, Rect box, const std::vector<std::string>& options,
                     const std::vector<std::string>& notes) {
  ListPlace place;
  place.row = ui.px(32);
  float width = box.w;
  // Beside the longest name there is room for the tick.
  for (std::size_t i = 0; i < options.size(); ++i)
    width = std::max(width, ui.width_of(Type::control, options[i]) + ui.px(52) +
                                (i < notes.size() ? ui.width_of(Type::note, notes[i]) + ui.px(20) : 0));
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float all = place.row * static_cast<float>(options.size()) + 8;
  const float height = std::min(all, screen.y - ui.px(16));
  const float below = box.bottom() + ui.px(4), above = box.y - height - ui.px(4);
  float y = above >= 0 ? above : (screen.y - height) / 2;
  if (below + height <= screen.y) y = below;
  place.card = {std::max(0.0F, std::min(box.x, screen.x - width)), std::round(y), width, height};
  float& scroll = ui.memory().scroll[path + "/list"];
  scroll = std::clamp(scroll - ui.take_wheel(place.card) * place.row, 0.0F, all - height);
  place.down = std::round(scroll);
  return place;
}

// Arrow keys walk through the open list; the one that is lit is seen.
void walk(Ui& ui, const std::string& path, const ListPlace& place, int count) {
  int& lit = ui.memory().highlighted;
  const int before = lit;
  if (take_key(Key::down)) lit = std::min(lit + 1, count - 1);
  if (take_key(Key::up)) lit = std::max(lit - 1, 0);
  if (take_key(Key::home)) lit = 0;
  if (take_key(Key::end)) lit = count - 1;
  if (lit == before || lit < 0) return;
  float& scroll = ui.memory().scroll[path + "/list"];
  const float top = place.row * static_cast<float>(lit), seen = place.card.h - 8;
  scroll = std::clamp(scroll, top + place.row - seen, top);
  ui.redraw_at(ui.now());
}

// The list, over everything else. Returns what is chosen in this frame, or −1.
int open_list(Ui& ui, const std::string& path, Rect box, const std::vector<std::string>& options, int selected,
              const std::vector<std::string>& notes) {
  const ListPlace place = place_list(ui, path, box, options, notes);
  ui.cover_by_list(place.card);
  walk(ui, path, place, static_cast<int>(options.size()));
  int& lit = ui.memory().highlighted;
  int chosen = -1;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const Rect line = place.line(i);
    const bool over = place.card.contains(ui.mouse()) && line.contains(ui.mouse());
    const char* state = static_cast<int>(i) == lit ? "focused" : "";
    if (static_cast<int>(i) == selected) state = "selected";
    ui.log(path + "/" + options[i], line, options[i], state);
    if (over && ui.mouse_moved()) lit = static_cast<int>(i);
    if (over && clicks() > 0) chosen = static_cast<int>(i);
  }
  if (lit >= 0 && (take_key(Key::enter) || take_key(Key::keypad_enter) || take_key(Key::space))) chosen = lit;
  ui.on_top([&ui, place, options, notes, selected, lit = lit] {
    const Theme& t = ui.theme();
    draw_sheet(ui, place.card);
    ui.clip(place.card.inset(1, 3));
    for (std::size_t i = 0; i < options.size(); ++i) {
      Rect line = place.line(i);
      if (static_cast<int>(i) == lit) ui.fill(line, t.sunken, ui.px(4));
      Rect words = line.inset(ui.px(8), 0);
      const Rect tick = words.take_right(ui.px(20));
      if (static_cast<int>(i) == selected)
        draw_icon(ui, Icon::check, {tick.right() - ui.px(4), tick.middle().y}, t.text);
      ui.text_in(Type::control, words, t.text, options[i]);
      if (i < notes.size()) ui.text_in(Type::note, words.inset(ui.px(8), 0), t.text_faint, notes[i], Ui::Align::right);
    }
    ui.unclip();
  });
  return chosen;
}

}  // namespace

int drop_down(Ui& ui, const std::string& path, Rect box, const std::vector<std::string>& options, int selected,
              bool quiet, const std::vector<std::string>& notes) {
  const Theme& t = ui.theme();
  const std::string label =
      selected >= 0 && selected < static_cast<int>(options.size()) ? options[static_cast<std::size_t>(selected)] : "";
  const bool is_open = ui.is_open(path);
  const bool closing = is_open && (take_key(Key::escape) || key_pressed(Key::tab));
  int chosen = is_open ? open_list(ui, path, box, options, selected, notes) : -1;
  const auto hit = ui.hit(path, box, true, label);
  ui.log_choice(path);
  const float radius = ui.px(control_radius);
  if (!quiet) {
    ui.fill(box, control_ground(ui, hit, t.canvas), radius);
    ui.frame(box, is_open ? t.text : t.line_strong, radius);
  }
  const Color32 color = quiet && !hit.hovered ? t.text_muted : t.text;
  Rect inside = quiet ? box : box.inset(ui.px(12), 0);
  draw_icon(ui, Icon::chevron_down, inside.take_right(ui.px(16)).middle(), color);
  const bool narrow = ui.width_of(Type::control, label) > inside.w;
  ui.text_in(quiet || narrow ? Type::note : Type::control, inside, color, label,
             quiet ? Ui::Align::right : Ui::Align::left);
  if (hit.focused) ui.focus_ring(box, radius);
  if (is_open) {
    if (chosen >= 0 || clicks() > 0 || closing) ui.close_list();
  } else if (hit.clicked) {
    ui.memory().highlighted = selected;
    ui.open_list(path);
  } else if (hit.focused && selected >= 0) {
    if (take_key(Key::down)) chosen = std::min(selected + 1, static_cast<int>(options.size()) - 1);
    if (take_key(Key::up)) chosen = std::max(selected - 1, 0);
  }
  return chosen == selected ? -1 : chosen;
}

}  // namespace headlight::app
