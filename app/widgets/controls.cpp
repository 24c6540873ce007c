#include "app/widgets/controls.h"

#include <imgui.h>
#if __has_include(<imgui_stdlib.h>)
#include <imgui_stdlib.h>
#else
#include <misc/cpp/imgui_stdlib.h>
#endif

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/platform/input.h"

namespace headlight::app {

namespace {

constexpr float control_radius = 6;

Color32 role_color(const Theme& theme, std::string_view name) {
  if (name == "query") return theme.query.main;
  if (name == "key") return theme.key.main;
  if (name == "value") return theme.value.main;
  if (name == "score") return theme.score.main;
  if (name == "weight") return theme.weight.main;
  if (name == "output") return theme.output.main;
  return theme.mask.main;
}

// The ground of something that can be pressed.
Color32 ground(const Ui& ui, const Ui::Hit& hit, Color32 plain) {
  if (hit.held && hit.hovered) return mix(plain, ui.theme().text, 0.10F);
  return hit.hovered ? mix(plain, ui.theme().text, 0.05F) : plain;
}

}  // namespace

bool button(Ui& ui, const std::string& path, Rect box, std::string_view label, ButtonLook look,
            std::optional<Icon> icon, bool enabled) {
  const auto hit = ui.hit(path, box, enabled, std::string(label), enabled ? "" : "disabled");
  const Theme& t = ui.theme();
  const float radius = ui.px(control_radius);
  Color32 color = look == ButtonLook::primary ? t.on_ink : t.text;
  if (look == ButtonLook::primary) {
    ui.fill(box, hit.hovered && enabled ? mix(t.ink, t.on_ink, 0.15F) : t.ink, radius);
  } else if (look == ButtonLook::secondary) {
    ui.fill(box, ground(ui, hit, t.canvas), radius);
    ui.frame(box, t.line_strong, radius);
  } else if (hit.hovered && enabled) {
    ui.fill(box, ground(ui, hit, t.panel), radius);
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
  const Theme& t = ui.theme();
  const float radius = ui.px(look == ButtonLook::primary ? 8 : control_radius);
  if (look == ButtonLook::primary)
    ui.fill(box, hit.hovered ? mix(t.ink, t.on_ink, 0.15F) : t.ink, radius);
  else if (hit.hovered && enabled)
    ui.fill(box, ground(ui, hit, t.panel), radius);
  const Color32 color = look == ButtonLook::primary      ? t.on_ink
                        : enabled                        ? t.text
                        : t.id == ThemeId::high_contrast ? hex(0xA8A8A8)
                                                         : t.line_strong;
  draw_icon(ui, icon, box.middle(), color);
  if (hit.focused) ui.focus_ring(box, radius);
  ui.tooltip(path, box, help);
  return enabled && hit.clicked;
}

int segments(Ui& ui, const std::string& path, Rect box, const std::vector<Segment>& list, int selected) {
  const Theme& t = ui.theme();
  ui.fill(box, t.sunken, ui.px(8));
  const Rect inside = box.inset(ui.px(2));
  const float width = inside.w / static_cast<float>(list.size());
  int chosen = -1;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const float left = std::round(inside.x + width * static_cast<float>(i));
    const Rect part{left, inside.y, std::round(inside.x + width * static_cast<float>(i + 1)) - left, inside.h};
    const bool current = static_cast<int>(i) == selected, enabled = list[i].disabled_because.empty();
    const std::string part_path = path + "/" + list[i].id;
    const auto hit = ui.hit(part_path, part, enabled, list[i].label, current ? "selected" : enabled ? "" : "disabled");
    if (current) {
      ui.fill(part, t.dark ? t.panel : t.canvas, ui.px(6));
      ui.frame(part, t.line_strong, ui.px(6));
    }
    const Color32 color = current       ? t.text
                          : !enabled    ? mix(t.text_faint, t.sunken, 0.25F)
                          : hit.hovered ? t.text
                                        : t.text_muted;
    ui.text_in(Type::control, part.inset(ui.px(2), 0), color, list[i].label, Ui::Align::center);
    if (hit.focused) ui.focus_ring(part, ui.px(6));
    ui.tooltip(part_path, part, list[i].disabled_because);
    if (hit.clicked && enabled && !current) chosen = static_cast<int>(i);
  }
  return chosen;
}

namespace {

// The open list of a drop-down, over everything else. Returns through `memory.open` and the result stored for the next
// frame.
int open_list(Ui& ui, const std::string& path, Rect box, const std::vector<std::string>& options, int selected) {
  const Theme& t = ui.theme();
  const float row = ui.px(32);
  float width = box.w;
  for (const auto& option : options) width = std::max(width, ui.width_of(Type::control, option) + ui.px(24));
  const float height = row * static_cast<float>(options.size()) + ui.px(8);
  const float screen = ImGui::GetIO().DisplaySize.y;
  const float below = box.bottom() + ui.px(4);
  const Rect card{box.x, below + height <= screen ? below : box.y - height - ui.px(4), width, height};
  ui.cover(card);
  int chosen = -1;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const Rect line{card.x + ui.px(4), card.y + ui.px(4) + row * static_cast<float>(i), card.w - ui.px(8), row};
    const bool over = line.contains(ui.mouse());
    ui.log(path + "/" + options[i], line, options[i], static_cast<int>(i) == selected ? "selected" : "");
    if (over && ImGui::IsMouseClicked(0)) chosen = static_cast<int>(i);
  }
  ui.on_top([&ui, &t, card, options, selected, row] {
    ui.fill(card, t.canvas, ui.px(8));
    ui.frame(card, t.line_strong, ui.px(8));
    for (std::size_t i = 0; i < options.size(); ++i) {
      Rect line{card.x + ui.px(4), card.y + ui.px(4) + row * static_cast<float>(i), card.w - ui.px(8), row};
      if (line.contains(ui.mouse())) ui.fill(line, t.sunken, ui.px(4));
      if (static_cast<int>(i) == selected)
        draw_icon(ui, Icon::check, {line.right() - ui.px(12), line.middle().y}, t.text);
      ui.text_in(Type::control, line.inset(ui.px(8), 0), t.text, options[i]);
    }
  });
  return chosen;
}

}  // namespace

int drop_down(Ui& ui, const std::string& path, Rect box, const std::vector<std::string>& options, int selected,
              bool quiet) {
  const Theme& t = ui.theme();
  const std::string label =
      selected >= 0 && selected < static_cast<int>(options.size()) ? options[static_cast<std::size_t>(selected)] : "";
  const auto hit = ui.hit(path, box, true, label);
  const bool is_open = ui.memory().open == path;
  const float radius = ui.px(control_radius);
  if (!quiet) {
    ui.fill(box, ground(ui, hit, t.canvas), radius);
    ui.frame(box, is_open ? t.text : t.line_strong, radius);
  }
  const Color32 color = quiet ? (hit.hovered ? t.text : t.text_muted) : t.text;
  Rect inside = quiet ? box : box.inset(ui.px(12), 0);
  const Rect arrow = inside.take_right(ui.px(16));
  draw_icon(ui, Icon::chevron_down, arrow.middle(), color);
  ui.text_in(quiet ? Type::note : Type::control, inside, color, label, quiet ? Ui::Align::right : Ui::Align::left);
  if (hit.focused) ui.focus_ring(box, radius);
  int chosen = -1;
  if (hit.focused && !is_open && selected >= 0) {
    if (key_pressed(Key::down)) chosen = std::min(selected + 1, static_cast<int>(options.size()) - 1);
    if (key_pressed(Key::up)) chosen = std::max(selected - 1, 0);
  }
  if (is_open) {
    chosen = open_list(ui, path, box, options, selected);
    if (chosen >= 0 || ImGui::IsMouseClicked(0) || key_pressed(Key::escape)) ui.memory().open.clear();
  } else if (hit.clicked) {
    ui.memory().open = path;
    ui.change_at(ui.now());
  }
  return chosen == selected ? -1 : chosen;
}

std::optional<long long> number_stepper(Ui& ui, const std::string& path, Rect box, long long value, long long least,
                                        long long most, long long step, std::string_view shown) {
  const Theme& t = ui.theme();
  const float radius = ui.px(control_radius);
  ui.fill(box, t.canvas, radius);
  Rect rest = box;
  const std::string text = shown.empty() ? std::to_string(value) : std::string(shown);
  const Rect minus = rest.take_left(ui.px(28)), plus = rest.take_right(ui.px(28));
  const auto down = ui.hit(path + "/-", minus, value > least, std::to_string(value), value > least ? "" : "disabled");
  const auto up = ui.hit(path + "/+", plus, value < most, std::to_string(value), value < most ? "" : "disabled");
  if (down.hovered && value > least) ui.fill(minus.inset(1), ground(ui, down, t.canvas), radius);
  if (up.hovered && value < most) ui.fill(plus.inset(1), ground(ui, up, t.canvas), radius);
  ui.frame(box, t.line_strong, radius);
  ui.line({minus.right(), box.y + 1}, {minus.right(), box.bottom() - 1}, t.line);
  ui.line({plus.x, box.y + 1}, {plus.x, box.bottom() - 1}, t.line);
  ui.text_in(Type::control, minus, value > least ? t.text_muted : t.line_strong, "−", Ui::Align::center);
  ui.text_in(Type::control, plus, value < most ? t.text_muted : t.line_strong, "+", Ui::Align::center);
  ui.text_in(shown.empty() ? Type::number : Type::label, rest, t.text, text, Ui::Align::center);
  if (down.focused) ui.focus_ring(minus, radius);
  if (up.focused) ui.focus_ring(plus, radius);
  ui.log(path, box, text);
  const float wheel = ui.take_wheel(rest);
  long long next = value + step * ((up.clicked ? 1 : 0) - (down.clicked ? 1 : 0) +
                                   (wheel > 0   ? 1
                                    : wheel < 0 ? -1
                                                : 0));
  if (next != value) next = std::clamp(next, least, most);
  return next == value ? std::nullopt : std::optional(next);
}

std::optional<bool> toggle(Ui& ui, const std::string& path, Rect box, bool on) {
  const Theme& t = ui.theme();
  const Rect track{box.x, box.y + (box.h - ui.px(18)) / 2, ui.px(32), ui.px(18)};
  const auto hit = ui.hit(path, track.inset(-ui.px(4)), true, on ? "on" : "off");
  ui.fill(track, on ? t.ink : hit.hovered ? t.text_faint : t.line_strong, track.h / 2);
  const float r = track.h / 2 - ui.px(2);
  const float x = on ? track.right() - ui.px(2) - r : track.x + ui.px(2) + r;
  ui.list().AddCircleFilled({x, track.middle().y}, r, on ? t.on_ink : t.canvas, 32);
  if (hit.focused) ui.focus_ring(track, track.h / 2);
  return hit.clicked ? std::optional(!on) : std::nullopt;
}

Slid slider(Ui& ui, const std::string& path, Rect box, double value, double least, double most, double usual,
            bool logarithmic) {
  const Theme& t = ui.theme();
  const auto to_part = [&](double v) {
    return logarithmic ? std::log(v / least) / std::log(most / least) : (v - least) / (most - least);
  };
  const auto to_value = [&](double p) {
    return logarithmic ? least * std::pow(most / least, p) : least + p * (most - least);
  };
  const auto hit = ui.hit(path, box, true, std::to_string(value));
  const float r = ui.px(7), left = box.x + r, width = box.w - 2 * r, y = std::round(box.middle().y);
  const float x = left + width * static_cast<float>(std::clamp(to_part(value), 0.0, 1.0));
  ui.line({left, y}, {left + width, y}, t.line_strong, ui.px(2));
  ui.line({left, y}, {x, y}, t.ink, ui.px(2));
  ui.list().AddCircleFilled({x, y}, r, hit.hovered || hit.held ? t.sunken : t.canvas, 32);
  ui.list().AddCircle({x, y}, r, t.ink, 32, std::max(1.0F, ui.px(2)));
  if (hit.focused) ui.focus_ring({x - r, y - r, 2 * r, 2 * r}, r);
  Slid result;
  if (ui.double_clicked(box)) {
    ui.memory().pressed.clear();
    return {usual, true};
  }
  if (hit.held) {
    // Two significant steps of a hundredth: numbers that people can say again.
    const double raw = to_value(std::clamp(static_cast<double>((ui.mouse().x - left) / width), 0.0, 1.0));
    const double unit = std::pow(10.0, std::floor(std::log10(std::max(std::abs(raw), 1e-9))) - 1);
    const double rounded = std::clamp(std::round(raw / unit) * unit, least, most);
    if (rounded != value) result.value = rounded;
  }
  result.ended = hit.held && ui.mouse_released();
  if (hit.focused && (key_pressed(Key::left) || key_pressed(Key::right))) {
    const double part = std::clamp(to_part(value) + (key_pressed(Key::right) ? 0.02 : -0.02), 0.0, 1.0);
    result = {to_value(part), true};
  }
  return result;
}

bool radio_row(Ui& ui, const std::string& path, Rect box, std::string_view label, std::string_view note, bool selected,
               bool enabled, std::string_view why_not) {
  const Theme& t = ui.theme();
  const auto hit = ui.hit(path, box, enabled, std::string(label), selected ? "selected" : enabled ? "" : "disabled");
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

float chip_width(const Ui& ui, std::size_t index, const Chip& chip) {
  const float words = std::min(ui.width_of(Type::control, chip.text), ui.px(160));
  return std::ceil(ui.px(9) + ui.width_of(Type::number_small, std::to_string(index)) + ui.px(7) + words + ui.px(9));
}

void draw_chip(Ui& ui, Rect box, std::size_t index, const Chip& chip, bool hovered) {
  const Theme& t = ui.theme();
  const float radius = ui.px(control_radius);
  const RoleColors* role = chip.as == ChipRole::query ? &t.query : chip.as == ChipRole::key ? &t.key : nullptr;
  ui.fill(box, role ? role->soft : hovered ? mix(t.canvas, t.text, 0.05F) : t.canvas, radius);
  if (chip.masked) ui.hatch(box.inset(1));
  ui.frame(box, role ? role->main : t.line_strong, radius, role ? ui.px(2) : 1);
  Rect inside = box.inset(ui.px(9), 0);
  const std::string number = std::to_string(index);
  ui.text_in(Type::number_small, inside.take_left(ui.width_of(Type::number_small, number) + ui.px(7)),
             role ? role->main : t.text_faint, number);
  ui.text_in(Type::control, inside, t.text, chip.text);
}

ChipsResult chips(Ui& ui, const std::string& path, Rect box, const std::vector<Chip>& list) {
  ChipsResult result;
  const float height = ui.px(28), gap = ui.px(6);
  float x = box.x, y = box.y;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const float width = std::min(chip_width(ui, i, list[i]), box.w);
    if (x > box.x && x + width > box.right()) {
      x = box.x;
      y += height + gap;
    }
    const Rect chip{x, y, width, height};
    const auto hit = ui.hit(path + "/" + std::to_string(i), chip, false, list[i].text,
                            list[i].as == ChipRole::none ? "" : "selected");
    draw_chip(ui, chip, i, list[i], hit.hovered);
    if (hit.clicked) result.clicked = static_cast<int>(i);
    if (hit.hovered) result.hovered = static_cast<int>(i);
    x += width + gap;
  }
  result.height = list.empty() ? 0 : y + height - box.y;
  return result;
}

namespace {

// Dear ImGui's field of several lines does not wrap. Spaces at the ends of lines are turned into line breaks while it
// is shown, and back: nothing moves, so the cursor stays where it was.
struct Wrapping {
  const Ui* ui;
  float width;
};

// Returns the number of lines. Takes time in proportion to the text.
int wrap(char* text, std::size_t size, const Wrapping& wrapping) {
  const auto width_of = [&](std::size_t from, std::size_t to) {
    return wrapping.ui->width_of(Type::body, std::string_view(text + from, to - from));
  };
  std::replace(text, text + size, '\n', ' ');
  int lines = 1;
  float line = 0;  // width so far
  std::size_t word = 0;
  for (std::size_t i = 0; i <= size; ++i) {
    if (i < size && text[i] != ' ') continue;
    const float width = width_of(word, i);
    if (line > 0 && line + width > wrapping.width) {
      text[word - 1] = '\n';
      line = 0;
      ++lines;
    }
    line += width + width_of(i, std::min(i + 1, size));
    word = i + 1;
  }
  return lines;
}

int wrap_while_editing(ImGuiInputTextCallbackData* data) {
  wrap(data->Buf, static_cast<std::size_t>(data->BufTextLen), *static_cast<const Wrapping*>(data->UserData));
  data->BufDirty = true;
  return 0;
}

// The text as it is shown, wrapped again only when it or the field has changed.
WrappedText& wrapped_text(Ui& ui, const std::string& path, const std::string& text, const Wrapping& wrapping) {
  WrappedText& kept = ui.memory().wrapped[path];
  if (kept.text != text || kept.width != wrapping.width) {
    kept = {text, text, wrapping.width, 1};
    kept.lines = wrap(kept.shown.data(), kept.shown.size(), wrapping);
    ui.change_at(ui.now());  // its field was made for the lines before
  }
  return kept;
}

bool multiline_input(Ui& ui, const std::string& path, std::string& text, Rect box) {
  Wrapping wrapping{&ui, box.w - ui.px(32)};
  WrappedText& kept = wrapped_text(ui, path, text, wrapping);
  if (!ImGui::InputTextMultiline(("##" + path).c_str(), &kept.shown, {box.w - 2, box.h - 2},
                                 ImGuiInputTextFlags_CallbackEdit, wrap_while_editing, &wrapping))
    return false;
  text = kept.shown;
  std::ranges::replace(text, '\n', ' ');
  kept.text = text;
  kept.lines = wrap(kept.shown.data(), kept.shown.size(), wrapping);
  return true;
}

// The text alone, while a dialog lies over the window: Dear ImGui's field would be drawn over the dialog.
void draw_resting_text(Ui& ui, const std::string& path, Rect box, const std::string& text) {
  const std::string& shown = wrapped_text(ui, path, text, {&ui, box.w - ui.px(32)}).shown;
  const float line = std::ceil(ui.fonts().face(Type::body).pixels);
  const float lead = (ui.line_height(Type::body) - line) / 2;
  ui.clip(box);
  float y = box.y + 1 + ui.px(10) - lead;
  for (std::size_t at = 0; at <= shown.size() && y < box.bottom(); y += line) {
    const std::size_t end = std::min(shown.find('\n', at), shown.size());
    ui.text(Type::body, {box.x + 1 + ui.px(11), y}, ui.theme().text, std::string_view(shown).substr(at, end - at));
    at = end + 1;
  }
  ui.unclip();
}

}  // namespace

float text_field_height(const Ui& ui, const std::string& path, int least, int most) {
  const auto kept = ui.memory().wrapped.find(path);
  const int lines = kept == ui.memory().wrapped.end() ? least : kept->second.lines;
  // A text that is longer ends with a whole line, not in the middle of one.
  return std::ceil(ui.fonts().face(Type::body).pixels) * static_cast<float>(std::clamp(lines, least, most)) +
         ui.px(lines > most ? 12 : 24);
}

Typed text_field(Ui& ui, const std::string& path, Rect box, std::string& text, bool multiline, const char* hint) {
  const Theme& t = ui.theme();
  const float radius = ui.px(control_radius);
  ui.fill(box, t.canvas, radius);
  if (multiline && ui.covers(box)) {
    draw_resting_text(ui, path, box, text);
    ui.frame(box, t.line_strong, radius);
    ui.log(path, box, text, "disabled");
    return {};
  }
  const FontFace face = ui.fonts().face(multiline ? Type::body : Type::control);
  ui.fonts().want(text);
  ImGui::SetCursorScreenPos({std::round(box.x) + 1, std::round(box.y) + 1});
  ImGui::PushFont(face.font);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      {ui.px(11), multiline ? ui.px(10) : std::round((box.h - 2 - face.pixels) / 2)});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarRounding, ui.px(4));
  const std::pair<ImGuiCol, Color32> colors[] = {{ImGuiCol_FrameBg, 0},
                                                 {ImGuiCol_ChildBg, 0},
                                                 {ImGuiCol_ScrollbarBg, 0},
                                                 {ImGuiCol_ScrollbarGrab, t.line_strong},
                                                 {ImGuiCol_ScrollbarGrabHovered, t.text_faint},
                                                 {ImGuiCol_ScrollbarGrabActive, t.text_faint},
                                                 {ImGuiCol_Text, t.text},
                                                 {ImGuiCol_TextDisabled, t.text_faint},
                                                 {ImGuiCol_TextSelectedBg, with_alpha(t.query.main, 0.25F)}};
  for (const auto& [which, color] : colors) ImGui::PushStyleColor(which, color);
  Typed typed;
  if (multiline) {
    typed.changed = multiline_input(ui, path, text, box);
  } else {
    ImGui::SetNextItemWidth(box.w - 2);
    typed.changed = ImGui::InputTextWithHint(("##" + path).c_str(), hint, &text);
  }
  typed.ended = ImGui::IsItemDeactivatedAfterEdit();
  const bool active = ImGui::IsItemActive();
  ImGui::PopStyleColor(std::size(colors));
  ImGui::PopStyleVar(4);
  ImGui::PopFont();
  if (active) ui.memory().text_has_focus = true;
  if (multiline && text.empty() && !active)
    ui.text(Type::body, {box.x + ui.px(12), box.y + ui.px(8)}, t.text_faint, hint);
  ui.frame(box, active ? t.text : t.line_strong, radius, active ? ui.px(2) : 1);
  ui.log(path, box, text, active ? "focused" : "");
  return typed;
}

void badge(Ui& ui, Point at, Role role) {
  const RoleColors colors = role_colors(ui.theme(), role);
  const Rect box{at.x, at.y, ui.px(badge_size), ui.px(badge_size)};
  ui.fill(box, colors.main, ui.px(4));
  ui.text_in(Type::heading, box, ui.theme().canvas, std::string(1, colors.badge), Ui::Align::center);
}

void scroll_area(Ui& ui, const std::string& path, Rect box, const std::function<float(Rect)>& content) {
  float& scroll = ui.memory().scroll[path];
  ui.clip(box);
  const float height = content({box.x, box.y - std::round(scroll), box.w, box.h});
  ui.unclip();
  const float most = std::max(0.0F, height - box.h);
  const float before = scroll;
  if (ui.memory().open.empty() && most > 0) scroll -= ui.take_wheel(box) * ui.px(48);
  scroll = std::clamp(scroll, 0.0F, most);
  if (before != scroll) ui.change_at(ui.now());
  if (most <= 0) return;
  const Rect track{box.right() - ui.px(6), box.y, ui.px(6), box.h};
  const float thumb = std::max(ui.px(24), box.h * box.h / height);
  const Rect handle{track.x + ui.px(1), box.y + (box.h - thumb) * scroll / most, ui.px(4), thumb};
  const auto hit = ui.hit(path + "/scrollbar", track, false);
  if (hit.held)
    scroll = std::clamp((ui.mouse().y - box.y - thumb / 2) / std::max(1.0F, box.h - thumb) * most, 0.0F, most);
  ui.fill(handle, hit.hovered || hit.held ? ui.theme().text_faint : ui.theme().line_strong, ui.px(2));
}

namespace {

struct Word {
  std::string text;
  std::string role;    // empty: plain
  bool glued = false;  // no space before it
};

// The role of a mark that the text begins with, "{query:"; empty where it begins with none. Other braces are text, and
// so is the place of a file's name that is given a width, "{query:02}".
std::string_view role_at(std::string_view text) {
  for (const std::string_view role : {"query", "key", "value", "score", "weight", "output", "mask"}) {
    if (!text.substr(1).starts_with(role) || !text.substr(1 + role.size()).starts_with(":")) continue;
    const std::string_view inside = text.substr(role.size() + 2);
    const auto end = inside.find_first_not_of("0123456789");
    return end > 0 && end < inside.size() && inside[end] == '}' ? std::string_view() : role;
  }
  return {};
}

// "{query:queries} ask." → words with roles, punctuation glued to what it follows.
std::vector<Word> words_of(std::string_view marked) {
  std::vector<Word> words;
  std::string role;
  bool space = true, open = false;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const char c = marked[i];
    const std::string_view begun = c == '{' ? role_at(marked.substr(i)) : std::string_view();
    if (!begun.empty()) {
      role = std::string(begun);
      i += role.size() + 1;
      open = false;
    } else if (c == '}' && !role.empty()) {
      role.clear();
      open = false;
    } else if (c == ' ' || c == '\n') {
      space = true;
      open = false;
    } else {
      if (!open) words.push_back({{}, role, !space});
      open = true;
      space = false;
      words.back().text += c;
    }
  }
  return words;
}

}  // namespace

float paragraph(Ui& ui, Point at, float width, Color32 color, std::string_view marked, bool draw, Type type) {
  const float line = ui.line_height(type), space = ui.width_of(type, " ");
  const auto words = words_of(marked);
  float x = 0, y = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    const Type style = word.role.empty() || type != Type::body ? type : Type::body_strong;
    const float length = ui.width_of(style, word.text);
    float glued = length;  // what must stay on one line with it
    for (std::size_t j = i + 1; j < words.size() && words[j].glued; ++j) glued += ui.width_of(type, words[j].text);
    if (x > 0 && !word.glued) x += space;
    if (x > 0 && !word.glued && x + glued > width) {
      x = 0;
      y += line;
    }
    if (draw)
      ui.text(style, {at.x + x, at.y + y}, word.role.empty() ? color : role_color(ui.theme(), word.role), word.text);
    x += length;
  }
  return words.empty() ? 0 : y + line;
}

}  // namespace headlight::app
