#include <imgui.h>

#include <cmath>
#include <vector>

#include "app/widgets/controls.h"

namespace headlight::app {

namespace {

constexpr float between_keys = 4;  // px of the design

float width_of_key(const Ui& ui, std::string_view key) {
  return std::max(ui.px(20), ui.width_of(Type::number_small, key) + ui.px(10));
}

// Takes the first key off.
std::string_view take_key(std::string_view& chord) {
  const auto space = std::min(chord.find(' '), chord.size());
  const std::string_view key = chord.substr(0, space);
  chord.remove_prefix(std::min(space + 1, chord.size()));
  return key;
}

Color32 primary_ground(const Ui& ui, bool hovered) {
  return hovered ? mix(ui.theme().ink, ui.theme().on_ink, 0.15F) : ui.theme().ink;
}

// As the widgets' log has it.
const char* state(bool selected, bool enabled) {
  if (selected) return "selected";
  return enabled ? "" : "disabled";
}

Color32 icon_color(const Theme& t, bool primary, bool enabled) {
  if (primary) return t.on_ink;
  if (enabled) return t.text;
  return t.id == ThemeId::high_contrast ? hex(0xA8A8A8) : t.line_strong;
}

// What has come to the focus is moved into the box, with a little room round it.
void scroll_into_sight(Ui& ui, Rect box, Rect focused, float& scroll) {
  const float room = std::min(ui.px(12), std::max(0.0F, (box.h - focused.h) / 2));
  const float below = focused.bottom() + room - box.bottom(), above = box.y - (focused.y - room);
  const float by = above > 0 ? -above : std::max(0.0F, below);
  if (std::abs(by) < 1) return;
  scroll += by;
  ui.reveal_again();
}

}  // namespace

float width_of_chord(const Ui& ui, std::string_view chord) {
  float width = 0;
  while (!chord.empty()) width += width_of_key(ui, take_key(chord)) + (chord.empty() ? 0 : ui.px(between_keys));
  return width;
}

void draw_chord(Ui& ui, Rect row, std::string_view chord, Color32 color) {
  while (!chord.empty()) {
    const std::string_view key = take_key(chord);
    const Rect box = row.take_left(width_of_key(ui, key)).inset(0, (row.h - ui.px(20)) / 2);
    if (key != "–") ui.frame(box, ui.theme().line_strong, ui.px(4));  // "1 – 9"
    ui.text_in(Type::number_small, box, color, key, Ui::Align::center);
    row.take_left(ui.px(between_keys));
  }
}

Color32 control_ground(const Ui& ui, const Ui::Hit& hit, Color32 plain) {
  if (hit.held && hit.hovered) return mix(plain, ui.theme().text, 0.10F);
  return hit.hovered ? mix(plain, ui.theme().text, 0.05F) : plain;
}

void fill_card(Ui& ui, Rect box, bool current, bool hovered) {
  const Theme& t = ui.theme();
  if (current || hovered) ui.fill(box, current ? t.brand_soft : mix(t.canvas, t.text, 0.04F), ui.px(8));
}

void draw_sheet(Ui& ui, Rect card, float radius) {
  ui.fill(card, ui.theme().canvas, ui.px(radius));
  ui.frame(card, ui.theme().line_strong, ui.px(radius));
}

void words_at_left(Ui& ui, Type type, Rect& line, Color32 color, std::string_view words, float gap) {
  ui.text_in(type, line.take_left(ui.width_of(type, words)), color, words);
  line.take_left(ui.px(gap));
}

void words_at_right(Ui& ui, Type type, Rect& line, Color32 color, std::string_view words, float gap) {
  ui.text_in(type, line.take_right(ui.width_of(type, words)), color, words, Ui::Align::right);
  line.take_right(ui.px(gap));
}

bool button(Ui& ui, const std::string& path, Rect box, std::string_view label, ButtonLook look,
            std::optional<Icon> icon, bool enabled) {
  const auto hit = ui.hit(path, box, enabled, std::string(label), enabled ? "" : "disabled");
  const Theme& t = ui.theme();
  const float radius = ui.px(control_radius);
  Color32 color = look == ButtonLook::primary ? t.on_ink : t.text;
  if (look == ButtonLook::primary) {
    ui.fill(box, enabled ? primary_ground(ui, hit.hovered) : t.sunken, radius);
    if (!enabled) ui.frame(box, t.line, radius);
  } else if (look == ButtonLook::secondary) {
    ui.fill(box, control_ground(ui, hit, t.canvas), radius);
    ui.frame(box, t.line_strong, radius);
  } else if (hit.hovered && enabled) {
    ui.fill(box, control_ground(ui, hit, t.panel), radius);
  }
  if (!enabled) color = t.text_faint;
  const float width = ui.width_of(Type::control, label) + (icon ? ui.px(24) : 0);
  Rect inside{box.x + (box.w - std::min(width, box.w - ui.px(8))) / 2, box.y, std::min(width, box.w - ui.px(8)), box.h};
  if (icon) draw_icon(ui, *icon, {inside.take_left(ui.px(24)).x + ui.px(8), box.middle().y}, color);
  ui.text_in(Type::control, inside, color, label);
  if (hit.focused) ui.focus_ring(box, radius);
  return enabled && hit.clicked;
}

bool icon_button(Ui& ui, const std::string& path, Rect box, Icon icon, std::string_view help, bool enabled,
                 ButtonLook look) {
  const auto hit = ui.hit(path, box, enabled, std::string(help), enabled ? "" : "disabled");
  const float radius = ui.px(look == ButtonLook::primary ? 8 : control_radius);
  if (look == ButtonLook::primary)
    ui.fill(box, primary_ground(ui, hit.hovered), radius);
  else if (hit.hovered && enabled)
    ui.fill(box, control_ground(ui, hit, ui.theme().panel), radius);
  draw_icon(ui, icon, box.middle(), icon_color(ui.theme(), look == ButtonLook::primary, enabled));
  if (hit.focused) ui.focus_ring(box, radius);
  ui.tooltip(path, box, help);
  return enabled && hit.clicked;
}

namespace {

// Where segments begin, and where the last one ends: all alike, or where a label would touch its frame then, each with
// an equal share of what the labels leave.
std::vector<float> segment_edges(Ui& ui, Rect inside, const std::vector<Segment>& list) {
  const auto count = static_cast<float>(list.size());
  const auto needs = [&](const Segment& segment) { return ui.width_of(Type::control, segment.label) + ui.px(4); };
  std::vector<float> alike(1, std::round(inside.x)), shared(1, std::round(inside.x));
  float rest = inside.w, end = inside.x;
  bool fits = true;
  for (const Segment& segment : list) rest -= needs(segment);
  for (const Segment& segment : list) {
    shared.push_back(std::round(end += needs(segment) + rest / count));
    alike.push_back(std::round(inside.x + inside.w / count * static_cast<float>(alike.size())));
    const float width = alike.back() - *(alike.end() - 2) - ui.px(12);
    fits = fits && ui.fitted(Type::control, segment.label, width) == segment.label;
  }
  return fits ? alike : shared;
}

}  // namespace

int segments(Ui& ui, const std::string& path, Rect box, const std::vector<Segment>& list, int selected) {
  const Theme& t = ui.theme();
  ui.fill(box, t.sunken, ui.px(8));
  const Rect inside = box.inset(ui.px(2));
  const std::vector<float> edges = segment_edges(ui, inside, list);
  int chosen = -1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Rect part{edges[i], inside.y, edges[i + 1] - edges[i], inside.h};
    const bool current = static_cast<int>(i) == selected, enabled = list[i].disabled_because.empty();
    const std::string part_path = path + "/" + list[i].id;
    const auto hit = ui.hit(part_path, part, enabled, list[i].label, state(current, enabled));
    if (current) {
      ui.fill(part, t.dark ? t.panel : t.canvas, ui.px(6));
      ui.frame(part, t.line_strong, ui.px(6));
    }
    Color32 color = current || hit.hovered ? t.text : t.text_muted;
    if (!current && !enabled) color = mix(t.text_faint, t.sunken, 0.25F);
    ui.text_in(Type::control, part.inset(ui.px(2), 0), color, list[i].label, Ui::Align::center);
    if (hit.focused) ui.focus_ring(part, ui.px(6));
    ui.tooltip(part_path, box, list[i].disabled_because, Ui::Side::right);
    if (hit.clicked && enabled && !current) chosen = static_cast<int>(i);
  }
  return chosen;
}

std::optional<bool> toggle(Ui& ui, const std::string& path, Rect box, bool on) {
  const Theme& t = ui.theme();
  const Rect track{box.x, box.y + (box.h - ui.px(18)) / 2, ui.px(32), ui.px(18)};
  const auto hit = ui.hit(path, track.inset(-ui.px(4)), true, on ? "on" : "off");
  ui.log_toggle(path);
  // In high contrast lines are as black as ink: there what is off is an outline.
  const bool outlined = !on && t.id == ThemeId::high_contrast;
  Color32 ground = hit.hovered ? t.text_faint : t.line_strong;
  if (outlined) ground = hit.hovered ? t.sunken : t.canvas;
  ui.fill(track, on ? t.ink : ground, track.h / 2);
  if (outlined) ui.frame(track, t.line_strong, track.h / 2);
  const Color32 knob = outlined ? t.ink : t.canvas;
  const float r = track.h / 2 - ui.px(outlined ? 4 : 2);
  const float x = on ? track.right() - track.h / 2 : track.x + track.h / 2;
  ui.list().AddCircleFilled({x, track.middle().y}, r, on ? t.on_ink : knob, 32);
  if (hit.focused) ui.focus_ring(track, track.h / 2);
  return hit.clicked ? std::optional(!on) : std::nullopt;
}

bool radio_row(Ui& ui, const std::string& path, Rect box, std::string_view label, std::string_view note, bool selected,
               bool enabled, std::string_view why_not) {
  const Theme& t = ui.theme();
  const auto hit = ui.hit(path, box, enabled, std::string(label), state(selected, enabled));
  const float radius = ui.px(control_radius);
  if (selected) {
    ui.fill(box, t.canvas, radius);
    ui.frame(box, t.line_strong, radius);
  } else if (hit.hovered && enabled) {
    ui.fill(box, mix(t.panel, t.text, 0.04F), radius);
  }
  const Point dot{box.x + ui.px(18), std::round(box.middle().y)};
  if (selected) {
    const float r = ui.px(7);
    ui.fill({dot.x - r, dot.y - r, 2 * r, 2 * r}, t.ink, ui.px(4));
    ui.list().AddCircleFilled({dot.x, dot.y}, ui.px(3), t.canvas, 24);
  } else {
    ui.list().AddCircle({dot.x, dot.y}, ui.px(6), t.line_strong, 32, std::max(1.0F, ui.scale()));
  }
  Rect words{box.x + ui.px(34), box.y, box.w - ui.px(46), box.h};
  const float note_width = std::min(ui.width_of(Type::note, note), words.w * 0.5F);
  ui.text_in(Type::note, words.take_right(note_width), t.text_faint, note, Ui::Align::right);
  ui.text_in(Type::control, words, enabled ? t.text : t.text_faint, label);
  if (hit.focused) ui.focus_ring(box, radius);
  ui.tooltip(path, box, why_not);
  return enabled && hit.clicked && !selected;
}

void badge(Ui& ui, Point at, Role role) {
  const RoleColors colors = role_colors(ui.theme(), role);
  const Rect box{at.x, at.y, ui.px(badge_size), ui.px(badge_size)};
  ui.fill(box, colors.main, ui.px(4));
  ui.text_in(Type::heading, box, ui.theme().canvas, std::string(1, colors.badge), Ui::Align::center);
}

void scroll_area(Ui& ui, const std::string& path, Rect box, const std::function<float(Rect)>& content) {
  float& scroll = ui.memory().scroll[path];
  const bool seen_before = ui.to_reveal().has_value();
  ui.clip(box);
  const float height = content({box.x, box.y - std::round(scroll), box.w, box.h});
  ui.unclip();
  const float most = std::max(0.0F, height - box.h);
  const float before = scroll;
  if (ui.memory().open.empty() && most > 0) scroll -= ui.take_wheel(box) * ui.px(48);
  if (const auto focused = ui.to_reveal(); focused && !seen_before && most > 0)
    scroll_into_sight(ui, box, *focused, scroll);
  scroll = std::clamp(scroll, 0.0F, most);
  if (before != scroll) ui.redraw_at(ui.now());
  if (most <= 0) return;
  const Rect track{box.right() - ui.px(6), box.y, ui.px(6), box.h};
  const float thumb = std::max(ui.px(24), box.h * box.h / height);
  const Rect handle{track.x + ui.px(1), box.y + (box.h - thumb) * scroll / most, ui.px(4), thumb};
  const auto hit = ui.hit(path + "/scrollbar", track, false);
  if (hit.held)
    scroll = std::clamp((ui.mouse().y - box.y - thumb / 2) / std::max(1.0F, box.h - thumb) * most, 0.0F, most);
  ui.fill(handle, hit.hovered || hit.held ? ui.theme().text_faint : ui.theme().line_strong, ui.px(2));
}

void scroll_rows(Ui& ui, const std::string& path, Rect box, std::size_t count, float height,
                 const std::function<void(std::size_t, Rect)>& draw) {
  scroll_area(ui, path, box, [&](Rect area) {
    for (std::size_t i = 0; i < count; ++i) {
      const Rect row{area.x, area.y + height * static_cast<float>(i), area.w - ui.px(8), height};
      if (row.bottom() > box.y && row.y < box.bottom()) draw(i, row);
    }
    return height * static_cast<float>(count);
  });
}

}  // namespace headlight::app
