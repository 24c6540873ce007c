#include <fmt/core.h>
#include <imgui.h>

#include <cmath>

#include "app/platform/input.h"
#include "app/widgets/controls.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// "−0,5" as the program reads it: "-0.5".
std::string plain_number(std::string_view typed) {
  std::string plain;
  for (std::size_t at = 0; at < typed.size();) {
    const Utf8Step step = utf8_step(typed.substr(at));
    if (step.character == U'−')
      plain += '-';
    else if (step.character == U',')
      plain += '.';
    else if (step.character != U' ' && step.character != U'+')
      append_utf8(plain, step.character);
    at += step.size;
  }
  return plain;
}

template <class Number>
std::optional<Number> typed_number(std::string_view typed) {
  return parse_number<Number>(plain_number(typed));
}

bool begins_a_number(const std::u32string& typed) {
  return !typed.empty() && (std::u32string_view(U"0123456789.,-−").find(typed[0]) != std::u32string_view::npos);
}

void stop_typing(Ui& ui, const std::string& path, bool keep_focus) {
  UiMemory& memory = ui.memory();
  memory.number.clear();
  memory.number_error.clear();
  if (memory.editing && memory.editing->path == path) memory.editing.reset();
  if (keep_focus)
    memory.focus = path;
  else if (memory.focus == path)
    memory.focus.clear();
  ui.redraw_at(ui.now());
}

using Check = std::function<std::string(std::string_view)>;

// The number while it is typed. Returns the text once it is entered and says what it should.
std::optional<std::string> type_number(Ui& ui, const std::string& path, Rect box, Type type, Ui::Align align,
                                       const Check& check) {
  UiMemory& memory = ui.memory();
  FieldOptions options{.own_undo = true, .keeps_on_enter = true, .type = type, .align = align, .framed = false};
  options.padding = 4;
  const FieldResult typed = text_field(ui, path, box, memory.number_typed, false, nullptr, options);
  if (typed.changed) memory.number_error.clear();
  const bool by_keys = memory.number_by_keys;
  const std::string text = memory.number_typed;
  if (typed.given_up) {
    stop_typing(ui, path, by_keys);
  } else if (typed.entered || typed.ended) {
    const std::string wrong = check(text);
    if (wrong.empty()) {
      stop_typing(ui, path, typed.entered && by_keys);
      return text;
    }
    if (typed.ended)
      stop_typing(ui, path, false);
    else
      memory.number_error = wrong;
  } else if (memory.focus != path) {
    stop_typing(ui, path, false);
  }
  ui.frame(box.inset(1), memory.number_error.empty() ? ui.theme().text : ui.theme().error, ui.px(control_radius),
           ui.px(2));
  if (!memory.number_error.empty()) {
    ui.message(box, memory.number_error, Ui::Side::right);
    ui.log(path + "/error", box, memory.number_error);
  }
  return {};
}

// A number that shows itself and can be typed: by a click on it, by Enter, or by its first digit. Returns the text once
// `check`, which says what is wrong with it, finds nothing.
std::optional<std::string> number_box(Ui& ui, const std::string& path, Rect box, const std::string& shown, Type type,
                                      Ui::Align align, const Check& check) {
  UiMemory& memory = ui.memory();
  if (memory.number == path) return type_number(ui, path, box, type, align, check);
  const auto hit = ui.hit(path, box, true, shown);
  if (hit.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    ui.fill(box.inset(2), ui.theme().sunken, ui.px(4));
  }
  ui.text_in(type, box.inset(ui.px(align == Ui::Align::center ? 1 : 4), 0), ui.theme().text, shown, align);
  if (hit.focused) ui.focus_ring(box, ui.px(control_radius));
  const bool digits = hit.focused && begins_a_number(typed());
  if (!hit.clicked && !digits) return {};
  memory.number = path;
  memory.number_error.clear();
  memory.number_by_keys = hit.focused;
  memory.number_typed = digits ? to_utf8(take_typed()) : shown;
  focus_text_field(ui, path);
  if (digits) memory.text_at_end = path;  // what is typed next goes on
  return {};
}

// "3, 5, 7 …": the numbers that a step leads to.
std::string words_of_steps(long long least, long long step) {
  return fmt::format("{}, {}, {} …", least, least + step, least + 2 * step);
}

std::string check_whole(const WholeNumber& whole, std::string_view typed) {
  if (!whole.automatic.empty() && typed == whole.automatic) return {};
  const std::string range = whole.most > 1000000000000LL ? fmt::format("from {} up", whole.least)
                                                         : fmt::format("from {} to {}", whole.least, whole.most);
  const std::string or_automatic = whole.automatic.empty() ? "" : fmt::format(", or {}", whole.automatic);
  const auto number = typed_number<long long>(typed);
  if (!number) return fmt::format("A whole number {}{}", range, or_automatic);
  if (*number < whole.least || *number > whole.most)
    return fmt::format("{} is not allowed: {}{}", *number, range, or_automatic);
  if ((*number - whole.least) % whole.step != 0)
    return fmt::format("{} is not allowed: {}", *number, words_of_steps(whole.least, whole.step));
  return {};
}

// The number that a step leads to, or none. Before the first step there is only "automatic".
std::optional<StepperValue> stepped(const WholeNumber& whole, int by) {
  const long long first = std::max(whole.least, whole.first.value_or(whole.least));
  if (whole.is_automatic && !whole.known) {
    if (by < 0) return {};
    return StepperValue{false, std::clamp(first, whole.least, whole.most)};
  }
  if (by > 0) {
    if (whole.value >= whole.most) return {};
    return StepperValue{false, std::min(std::max(whole.value + whole.step, first), whole.most)};
  }
  if (whole.value > first) return StepperValue{false, std::max(whole.value - whole.step, first)};
  if (!whole.automatic.empty() && !whole.is_automatic) return StepperValue{true, 0};
  return {};
}

// ↑ and ↓ while a number is typed: from the number that stands there, which then has the focus. Where it is none that
// may be, they do nothing.
std::optional<StepperValue> step_typed(Ui& ui, const std::string& path, WholeNumber whole) {
  const std::string typed = ui.memory().number_typed;
  if (ui.memory().number != path || !check_whole(whole, typed).empty()) return {};
  const int by = static_cast<int>(take_key(Key::up)) - static_cast<int>(take_key(Key::down));
  if (by == 0) return {};
  stop_typing(ui, path, true);
  const auto number = typed_number<long long>(typed);
  const StepperValue here = number ? StepperValue{false, *number} : StepperValue{true, 0};
  if (here.automatic && !whole.is_automatic) whole.known = false;
  whole.is_automatic = here.automatic;
  if (number) whole.value = *number;
  return stepped(whole, by).value_or(here);
}

void draw_step(Ui& ui, const std::string& path, Rect part, const char* sign, const std::string& value, bool enabled,
               bool& pressed) {
  const Theme& t = ui.theme();
  const auto hit = ui.hit(path, part, false, value, enabled ? "" : "disabled");
  if (hit.hovered && enabled) ui.fill(part.inset(1), control_ground(ui, hit, t.canvas), ui.px(control_radius));
  ui.text_in(Type::control, part, enabled ? t.text_muted : t.line_strong, sign, Ui::Align::center);
  pressed = hit.clicked && enabled;
}

// Two significant digits: numbers that people can say again.
double rounded_number(double value, double least, double most) {
  const double unit = std::pow(10.0, std::floor(std::log10(std::max(std::abs(value), 1e-9))) - 1);
  return std::clamp(std::round(value / unit) * unit, least, most);
}

}  // namespace

std::optional<StepperValue> whole_stepper(Ui& ui, const std::string& path, Rect box, const WholeNumber& whole) {
  const Theme& t = ui.theme();
  const float radius = ui.px(control_radius);
  ui.fill(box, t.canvas, radius);
  Rect rest = box;
  const bool named = !whole.shown.empty() || (whole.is_automatic && !whole.known);
  std::string text = named ? std::string(whole.automatic) : std::to_string(whole.value);
  if (!whole.shown.empty()) text = whole.shown;
  const Rect minus = rest.take_left(ui.px(28)), plus = rest.take_right(ui.px(28));
  const auto less = stepped(whole, -1), more = stepped(whole, 1);
  bool down = false, up = false;
  const auto typed_on = step_typed(ui, path, whole);
  draw_step(ui, path + "/-", minus, "−", text, less.has_value(), down);
  const auto typed = number_box(ui, path, rest, text, named ? Type::label : Type::number, Ui::Align::center,
                                [&](std::string_view words) { return check_whole(whole, words); });
  draw_step(ui, path + "/+", plus, "+", text, more.has_value(), up);
  ui.frame(box, t.line_strong, radius);
  ui.line({minus.right(), box.y + 1}, {minus.right(), box.bottom() - 1}, t.line);
  ui.line({plus.x, box.y + 1}, {plus.x, box.bottom() - 1}, t.line);
  if (typed_on) return typed_on;
  if (typed) {
    const auto number = typed_number<long long>(*typed);
    const StepperValue next = number ? StepperValue{false, *number} : StepperValue{true, 0};
    const bool same = next.automatic ? whole.is_automatic : !whole.is_automatic && next.value == whole.value;
    return same ? std::nullopt : std::optional(next);
  }
  if (ui.memory().focus == path && ui.memory().number != path) {
    if (less && take_key(Key::down)) down = true;
    if (more && take_key(Key::up)) up = true;
  }
  if (down) return less;
  return up ? more : std::nullopt;
}

std::optional<long long> number_stepper(Ui& ui, const std::string& path, Rect box, long long value, long long least,
                                        long long most, long long step, std::string_view shown) {
  WholeNumber whole;
  whole.value = value;
  whole.least = least;
  whole.most = most;
  whole.step = step;
  whole.shown = shown;
  const auto next = whole_stepper(ui, path, box, whole);
  return next ? std::optional(next->value) : std::nullopt;
}

std::string short_number(double value) {
  const std::string two = fmt::format("{:.2f}", value);
  return parse_number<double>(two) == value && two.size() <= 6 ? two : fmt::format("{:.6g}", value);
}

std::optional<double> number_field(Ui& ui, const std::string& path, Rect box, double value, double least, double most,
                                   std::string_view unit) {
  const auto without_unit = [&](std::string_view text) {
    while (!unit.empty() && text.ends_with(unit)) text.remove_suffix(unit.size());
    return text;
  };
  const auto check = [&](std::string_view text) -> std::string {
    const auto number = typed_number<double>(without_unit(text));
    if (!number || !std::isfinite(*number))
      return fmt::format("A number from {:g}{} to {:g}{}", least, unit, most, unit);
    if (*number < least || *number > most)
      return fmt::format("{:g}{} is not allowed: from {:g}{} to {:g}{}", *number, unit, least, unit, most, unit);
    return {};
  };
  const std::string shown = unit.empty() ? short_number(value) : fmt::format("{:.6g}{}", value, unit);
  const auto text = number_box(ui, path, box, shown, Type::number, Ui::Align::right, check);
  if (!text) return {};
  const double number = *typed_number<double>(without_unit(*text));
  // What is shown may be rounded: leaving it as it is changes nothing.
  return number == value || *text == shown ? std::nullopt : std::optional(number);
}

SliderChange slider(Ui& ui, const std::string& path, Rect box, double value, double least, double most, double usual,
                    bool logarithmic) {
  const Theme& t = ui.theme();
  const auto to_part = [&](double v) {
    return logarithmic ? std::log(v / least) / std::log(most / least) : (v - least) / (most - least);
  };
  const auto to_value = [&](double p) {
    return logarithmic ? least * std::pow(most / least, p) : least + p * (most - least);
  };
  const auto hit = ui.hit(path, box, true, short_number(value));
  const float r = ui.px(7), left = box.x + r, width = box.w - 2 * r, y = std::round(box.middle().y);
  const float x = left + width * static_cast<float>(std::clamp(to_part(value), 0.0, 1.0));
  ui.line({left, y}, {left + width, y}, t.line_strong, ui.px(2));
  ui.line({left, y}, {x, y}, t.ink, ui.px(2));
  ui.list().AddCircleFilled({x, y}, r, hit.hovered || hit.held ? t.sunken : t.canvas, 32);
  ui.list().AddCircle({x, y}, r, t.ink, 32, std::max(1.0F, ui.px(2)));
  if (hit.focused) ui.focus_ring({x - r, y - r, 2 * r, 2 * r}, r);
  SliderChange result;
  if (ui.double_clicked(box)) {
    ui.memory().pressed.clear();
    return {usual, true};
  }
  if (hit.held) {
    const double raw = to_value(std::clamp(static_cast<double>((ui.mouse().x - left) / width), 0.0, 1.0));
    const double rounded = rounded_number(raw, least, most);
    if (rounded != value) result.value = rounded;
  }
  result.ended = hit.held && ui.mouse_released();
  const bool less = hit.focused && take_key(Key::left), more = hit.focused && take_key(Key::right);
  if (less || more) {
    const double part = std::clamp(to_part(value) + (more ? 0.02 : -0.02), 0.0, 1.0);
    result = {rounded_number(to_value(part), least, most), true};
  }
  return result;
}

}  // namespace headlight::app
