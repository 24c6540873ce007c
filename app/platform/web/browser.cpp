#include "app/platform/web/browser.h"

#include <emscripten/em_js.h>
#include <emscripten/emscripten.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "app/platform/chooser.h"
#include "app/platform/letter_keys.h"
#include "engine/core/system/paths.h"

// clang-format off
EM_JS(void, headlight_js_title, (const char* text), { Module.page.title(UTF8ToString(text)); });
EM_JS(void, headlight_js_cursor, (int text), { Module.page.cursor(text != 0); });
EM_JS(void, headlight_js_clipboard, (const char* text), { Module.page.write(UTF8ToString(text)); });
EM_JS(char*, headlight_js_address, (), {
  const text = location.href.split(/[?#]/)[0];
  const size = lengthBytesUTF8(text) + 1;
  const at = _malloc(size);
  stringToUTF8(text, at, size);
  return at;
});
EM_JS(void, headlight_js_types, (int types), { Module.page.types(types != 0); });
EM_JS(void, headlight_js_fill, (int fills), { Module.page.fill(fills != 0); });
EM_JS(void, headlight_js_choose, (int folder), { Module.page.choose(folder != 0); });
EM_JS(int, headlight_js_can_pause, (), { return Module.page.canPause ? 1 : 0; });
// Replaced by one that waits where the browser can (page.js).
EM_JS(void, headlight_js_pause, (), {});
// clang-format on

namespace headlight::app {

namespace {

// By the place on the keyboard (KeyboardEvent.code).
constexpr std::pair<std::string_view, Key> places[] = {
    {"Tab", Key::tab},
    {"ArrowLeft", Key::left},
    {"ArrowRight", Key::right},
    {"ArrowUp", Key::up},
    {"ArrowDown", Key::down},
    {"PageUp", Key::page_up},
    {"PageDown", Key::page_down},
    {"Home", Key::home},
    {"End", Key::end},
    {"Delete", Key::erase},
    {"Backspace", Key::backspace},
    {"Space", Key::space},
    {"Enter", Key::enter},
    {"NumpadEnter", Key::keypad_enter},
    {"Escape", Key::escape},
    {"F1", Key::f1},
    {"F5", Key::f5},
    {"F6", Key::f6},
    {"F10", Key::f10},
    {"ContextMenu", Key::menu},
    {"Minus", Key::minus},
    {"Equal", Key::equal},
    {"Period", Key::period},
    {"BracketLeft", Key::left_bracket},
    {"BracketRight", Key::right_bracket},
    {"Digit0", Key::zero},
    {"Digit1", Key::one},
    {"Digit2", Key::two},
    {"Digit3", Key::three},
    {"Digit4", Key::four},
    {"Digit5", Key::five},
    {"Digit6", Key::six},
    {"Digit7", Key::seven},
    {"Digit8", Key::eight},
    {"Digit9", Key::nine},
    {"NumpadAdd", Key::equal},
    {"NumpadSubtract", Key::minus},
};

static_assert(all_can_be_pressed(places));

// `shown` is what the key gives on this layout, in lower case.
std::optional<Key> key_of(std::string_view shown, std::string_view code) {
  const bool latin = shown.size() == 1;
  char letter = latin ? shown[0] : '\0';
  if (!latin && code.size() == 4 && code.starts_with("Key")) letter = static_cast<char>(code[3] - 'A' + 'a');
  if (const auto key = key_of_letter(letter)) return key;
  const auto* by_place = std::ranges::find(places, code, &std::pair<std::string_view, Key>::first);
  return by_place == std::end(places) ? std::nullopt : std::optional(by_place->second);
}

Modifiers modifiers_of(int bits) {
  return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
}

std::string clipboard_of_page;

}  // namespace

BrowserEvents& browser_events() {
  static BrowserEvents events = [] {
    BrowserEvents made;
    made.input.read_clipboard = [] { return clipboard_of_page; };
    made.input.write_clipboard = [](const std::string& text) { page_clipboard(text); };
    made.input.push(PointerMove{-FLT_MAX, -FLT_MAX});
    return made;
  }();
  return events;
}

double next_frame_in() {
  const BrowserEvents& events = browser_events();
  if (events.owed > 0 || events.received || events.input.waiting()) return 0;
  if (std::isinf(events.due)) return -1;
  constexpr double milliseconds = 1000;
  return std::max(0.0, (events.due - events.input.clock()) * milliseconds);
}

void page_title(const std::string& title) {
  headlight_js_title(title.c_str());
}
void page_cursor(bool over_text) {
  headlight_js_cursor(over_text ? 1 : 0);
}
std::string page_address() {
  char* text = headlight_js_address();
  std::string address = text;
  std::free(text);
  return address;
}
void page_clipboard(const std::string& text) {
  clipboard_of_page = text;
  headlight_js_clipboard(text.c_str());
}
void page_types(bool types) {
  headlight_js_types(types ? 1 : 0);
}
void page_fills_screen(bool fills) {
  headlight_js_fill(fills ? 1 : 0);
}
bool has_chooser() {
  return true;
}
void choose_files(bool folder) {
  headlight_js_choose(folder ? 1 : 0);
}

bool page_can_pause() {
  return headlight_js_can_pause() != 0;
}
void page_pause() {
  headlight_js_pause();
}

}  // namespace headlight::app

// ---- What page.js calls

using headlight::app::browser_events;

extern "C" {

EMSCRIPTEN_KEEPALIVE int headlight_key(const char* shown, const char* code, int down, int repeat, int modifiers) {
  const auto key = headlight::app::key_of(shown, code);
  if (!key) return 0;
  browser_events().received = true;
  browser_events().input.push(
      headlight::app::KeyChange{*key, down != 0, repeat != 0, headlight::app::modifiers_of(modifiers)});
  return 1;
}

EMSCRIPTEN_KEEPALIVE void headlight_character(int code) {
  browser_events().received = true;
  browser_events().input.push(headlight::app::Character{static_cast<char32_t>(code)});
}

EMSCRIPTEN_KEEPALIVE void headlight_modifiers(int modifiers) {
  browser_events().received = true;
  browser_events().input.push(headlight::app::ModifierChange{headlight::app::modifiers_of(modifiers)});
}

EMSCRIPTEN_KEEPALIVE void headlight_pointer(double x, double y) {
  browser_events().received = true;
  browser_events().input.push(headlight::app::PointerMove{static_cast<float>(x), static_cast<float>(y)});
}

EMSCRIPTEN_KEEPALIVE void headlight_leave() {
  browser_events().received = true;
  browser_events().input.push(headlight::app::PointerMove{-FLT_MAX, -FLT_MAX});
}

EMSCRIPTEN_KEEPALIVE void headlight_button(int button, int down, int modifiers) {
  browser_events().received = true;
  browser_events().input.push(headlight::app::ButtonChange{button, down != 0, headlight::app::modifiers_of(modifiers)});
}

EMSCRIPTEN_KEEPALIVE void headlight_wheel(double lines) {
  browser_events().received = true;
  browser_events().input.push(headlight::app::WheelTurn{static_cast<float>(lines)});
}

EMSCRIPTEN_KEEPALIVE void headlight_canvas(int width, int height, double ratio) {
  auto& events = browser_events();
  events.received = true;
  events.width = width;
  events.height = height;
  events.ratio = static_cast<float>(ratio);
}

EMSCRIPTEN_KEEPALIVE void headlight_dropped(const char* path) {
  browser_events().received = true;
  browser_events().dropped.push_back(headlight::path_of_utf8(path));
}

EMSCRIPTEN_KEEPALIVE void headlight_clipboard(const char* text) {
  headlight::app::clipboard_of_page = text;
}

}  // extern "C"
