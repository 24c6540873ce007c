#include "app/platform/posix/window_input.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <cfloat>
#include <optional>
#include <string_view>
#include <utility>

#include "app/platform/letter_keys.h"

namespace headlight::app {

namespace {

// GLFW names keys by their place on an American keyboard.
constexpr std::pair<int, Key> keys[] = {
    {GLFW_KEY_TAB, Key::tab},
    {GLFW_KEY_LEFT, Key::left},
    {GLFW_KEY_RIGHT, Key::right},
    {GLFW_KEY_UP, Key::up},
    {GLFW_KEY_DOWN, Key::down},
    {GLFW_KEY_PAGE_UP, Key::page_up},
    {GLFW_KEY_PAGE_DOWN, Key::page_down},
    {GLFW_KEY_HOME, Key::home},
    {GLFW_KEY_END, Key::end},
    {GLFW_KEY_DELETE, Key::erase},
    {GLFW_KEY_BACKSPACE, Key::backspace},
    {GLFW_KEY_SPACE, Key::space},
    {GLFW_KEY_ENTER, Key::enter},
    {GLFW_KEY_KP_ENTER, Key::keypad_enter},
    {GLFW_KEY_ESCAPE, Key::escape},
    {GLFW_KEY_F1, Key::f1},
    {GLFW_KEY_F5, Key::f5},
    {GLFW_KEY_F6, Key::f6},
    {GLFW_KEY_F10, Key::f10},
    {GLFW_KEY_MENU, Key::menu},
    {GLFW_KEY_MINUS, Key::minus},
    {GLFW_KEY_EQUAL, Key::equal},
    {GLFW_KEY_PERIOD, Key::period},
    {GLFW_KEY_LEFT_BRACKET, Key::left_bracket},
    {GLFW_KEY_RIGHT_BRACKET, Key::right_bracket},
    {GLFW_KEY_0, Key::zero},
    {GLFW_KEY_1, Key::one},
    {GLFW_KEY_2, Key::two},
    {GLFW_KEY_3, Key::three},
    {GLFW_KEY_4, Key::four},
    {GLFW_KEY_5, Key::five},
    {GLFW_KEY_6, Key::six},
    {GLFW_KEY_7, Key::seven},
    {GLFW_KEY_8, Key::eight},
    {GLFW_KEY_9, Key::nine},
    {GLFW_KEY_KP_ADD, Key::equal},
    {GLFW_KEY_KP_SUBTRACT, Key::minus},
};

static_assert(all_can_be_pressed(keys));

std::optional<Key> key_of(int code, int scancode) {
  const char* name = glfwGetKeyName(code, scancode);
  const std::string_view shown = name ? name : "";
  // Where the layout has no Latin letters, the American places stand for them.
  const bool latin = shown.size() == 1;
  char letter = latin ? shown[0] : '\0';
  if (!latin && code >= GLFW_KEY_A && code <= GLFW_KEY_Z) letter = static_cast<char>('a' + (code - GLFW_KEY_A));
  if (const auto key = key_of_letter(letter)) return key;
  const auto* by_place = std::ranges::find(keys, code, &std::pair<int, Key>::first);
  return by_place == std::end(keys) ? std::nullopt : std::optional(by_place->second);
}

bool is_modifier(int code) {
  return code >= GLFW_KEY_LEFT_SHIFT && code <= GLFW_KEY_RIGHT_ALT;
}

Modifiers modifiers_of(int bits) {
  return {(bits & GLFW_MOD_CONTROL) != 0, (bits & GLFW_MOD_SHIFT) != 0, (bits & GLFW_MOD_ALT) != 0};
}

// For a modifier's own press GLFW reports the modifiers held before it.
Modifiers modifiers_down(GLFWwindow* window) {
  const auto either = [&](int left, int right) {
    return glfwGetKey(window, left) == GLFW_PRESS || glfwGetKey(window, right) == GLFW_PRESS;
  };
  return {either(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL), either(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT),
          either(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT)};
}

WindowEvents& events_of(GLFWwindow* window) {
  return *static_cast<WindowEvents*>(glfwGetWindowUserPointer(window));
}

// Whose events what happens in the window becomes.
WindowEvents& receiver(GLFWwindow* window) {
  WindowEvents& events = events_of(window);
  return events.counts_in ? *events.counts_in : events;
}

void on_key(GLFWwindow* window, int code, int scancode, int action, int bits) {
  Input& input = receiver(window).input;
  if (is_modifier(code))
    input.push(ModifierChange{modifiers_down(window)});
  else if (const auto key = key_of(code, scancode))
    input.push(KeyChange{*key, action != GLFW_RELEASE, action == GLFW_REPEAT, modifiers_of(bits)});
}

void on_character(GLFWwindow* window, unsigned int code) {
  receiver(window).input.push(Character{static_cast<char32_t>(code)});
}

// Window coordinates in px of the framebuffer.
void on_pointer(GLFWwindow* window, double x, double y) {
  int width = 0, height = 0, across = 0, down = 0;
  glfwGetWindowSize(window, &width, &height);
  glfwGetFramebufferSize(window, &across, &down);
  const double by_x = width > 0 ? static_cast<double>(across) / width : 1;
  const double by_y = height > 0 ? static_cast<double>(down) / height : 1;
  receiver(window).input.push(
      PointerMove{static_cast<float>(x * by_x) + events_of(window).from_left, static_cast<float>(y * by_y)});
}

bool any_button_down(GLFWwindow* window) {
  return glfwGetMouseButton(window, 0) == GLFW_PRESS || glfwGetMouseButton(window, 1) == GLFW_PRESS;
}

void leave(GLFWwindow* window) {
  receiver(window).input.push(PointerMove{-FLT_MAX, -FLT_MAX});
}

void on_enter(GLFWwindow* window, int entered) {
  events_of(window).pointer_outside = entered == GLFW_FALSE;
  if (entered == GLFW_FALSE && !any_button_down(window)) leave(window);  // a drag goes on outside
}

void on_button(GLFWwindow* window, int button, int action, int bits) {
  if (button < 0 || button > 2) return;
  receiver(window).input.push(ButtonChange{button, action == GLFW_PRESS, modifiers_of(bits)});
  if (action == GLFW_RELEASE && events_of(window).pointer_outside && !any_button_down(window)) leave(window);
}

void on_wheel(GLFWwindow* window, double, double lines) {
  receiver(window).input.push(WheelTurn{static_cast<float>(lines)});
}

void on_refresh(GLFWwindow* window) {
  events_of(window).exposed = true;
}

void on_drop(GLFWwindow* window, int count, const char** paths) {
  for (int i = 0; i < count; ++i) receiver(window).dropped.emplace_back(paths[i]);
}

}  // namespace

void connect_events(GLFWwindow* window, WindowEvents& events) {
  glfwSetWindowUserPointer(window, &events);
  glfwSetKeyCallback(window, on_key);
  glfwSetCharCallback(window, on_character);
  glfwSetCursorPosCallback(window, on_pointer);
  glfwSetCursorEnterCallback(window, on_enter);
  glfwSetMouseButtonCallback(window, on_button);
  glfwSetScrollCallback(window, on_wheel);
  glfwSetDropCallback(window, on_drop);
  glfwSetWindowRefreshCallback(window, on_refresh);
  if (events.counts_in) return;
  events.input.read_clipboard = [window] {
    const char* text = glfwGetClipboardString(window);  // null where there is none, or no text
    return std::string(text ? text : "");
  };
  events.input.write_clipboard = [window](const std::string& text) { glfwSetClipboardString(window, text.c_str()); };
  leave(window);
  double x = 0, y = 0;
  glfwGetCursorPos(window, &x, &y);
  if (glfwGetWindowAttrib(window, GLFW_HOVERED) == GLFW_TRUE) on_pointer(window, x, y);
}

}  // namespace headlight::app
