#include "app/platform/input.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <array>

namespace headlight::app {

namespace {

#if IMGUI_VERSION_NUM < 18700

// ImGui before 1.87 knows keys by the window system's own codes.
constexpr std::array<int, key_count> codes{GLFW_KEY_TAB,
                                           GLFW_KEY_LEFT,
                                           GLFW_KEY_RIGHT,
                                           GLFW_KEY_UP,
                                           GLFW_KEY_DOWN,
                                           GLFW_KEY_PAGE_UP,
                                           GLFW_KEY_PAGE_DOWN,
                                           GLFW_KEY_HOME,
                                           GLFW_KEY_END,
                                           GLFW_KEY_DELETE,
                                           GLFW_KEY_BACKSPACE,
                                           GLFW_KEY_SPACE,
                                           GLFW_KEY_ENTER,
                                           GLFW_KEY_KP_ENTER,
                                           GLFW_KEY_ESCAPE,
                                           GLFW_KEY_F1,
                                           GLFW_KEY_F5,
                                           GLFW_KEY_F6,
                                           GLFW_KEY_MINUS,
                                           GLFW_KEY_EQUAL,
                                           GLFW_KEY_PERIOD,
                                           GLFW_KEY_LEFT_BRACKET,
                                           GLFW_KEY_RIGHT_BRACKET,
                                           GLFW_KEY_0,
                                           GLFW_KEY_1,
                                           GLFW_KEY_2,
                                           GLFW_KEY_3,
                                           GLFW_KEY_4,
                                           GLFW_KEY_5,
                                           GLFW_KEY_6,
                                           GLFW_KEY_7,
                                           GLFW_KEY_8,
                                           GLFW_KEY_9,
                                           GLFW_KEY_A,
                                           GLFW_KEY_B,
                                           GLFW_KEY_C,
                                           GLFW_KEY_E,
                                           GLFW_KEY_H,
                                           GLFW_KEY_I,
                                           GLFW_KEY_L,
                                           GLFW_KEY_M,
                                           GLFW_KEY_N,
                                           GLFW_KEY_O,
                                           GLFW_KEY_R,
                                           GLFW_KEY_S,
                                           GLFW_KEY_V,
                                           GLFW_KEY_X,
                                           GLFW_KEY_Y,
                                           GLFW_KEY_Z};

int code(Key key) {
  return codes[static_cast<std::size_t>(key)];
}

#else

constexpr std::array<ImGuiKey, key_count> codes{ImGuiKey_Tab,
                                                ImGuiKey_LeftArrow,
                                                ImGuiKey_RightArrow,
                                                ImGuiKey_UpArrow,
                                                ImGuiKey_DownArrow,
                                                ImGuiKey_PageUp,
                                                ImGuiKey_PageDown,
                                                ImGuiKey_Home,
                                                ImGuiKey_End,
                                                ImGuiKey_Delete,
                                                ImGuiKey_Backspace,
                                                ImGuiKey_Space,
                                                ImGuiKey_Enter,
                                                ImGuiKey_KeypadEnter,
                                                ImGuiKey_Escape,
                                                ImGuiKey_F1,
                                                ImGuiKey_F5,
                                                ImGuiKey_F6,
                                                ImGuiKey_Minus,
                                                ImGuiKey_Equal,
                                                ImGuiKey_Period,
                                                ImGuiKey_LeftBracket,
                                                ImGuiKey_RightBracket,
                                                ImGuiKey_0,
                                                ImGuiKey_1,
                                                ImGuiKey_2,
                                                ImGuiKey_3,
                                                ImGuiKey_4,
                                                ImGuiKey_5,
                                                ImGuiKey_6,
                                                ImGuiKey_7,
                                                ImGuiKey_8,
                                                ImGuiKey_9,
                                                ImGuiKey_A,
                                                ImGuiKey_B,
                                                ImGuiKey_C,
                                                ImGuiKey_E,
                                                ImGuiKey_H,
                                                ImGuiKey_I,
                                                ImGuiKey_L,
                                                ImGuiKey_M,
                                                ImGuiKey_N,
                                                ImGuiKey_O,
                                                ImGuiKey_R,
                                                ImGuiKey_S,
                                                ImGuiKey_V,
                                                ImGuiKey_X,
                                                ImGuiKey_Y,
                                                ImGuiKey_Z};

ImGuiKey code(Key key) {
  return codes[static_cast<std::size_t>(key)];
}

#endif

}  // namespace

bool key_down(Key key) {
  return ImGui::IsKeyDown(code(key));
}

bool key_pressed(Key key, bool repeat) {
  return ImGui::IsKeyPressed(code(key), repeat);
}

Modifiers modifiers() {
  const ImGuiIO& io = ImGui::GetIO();
  return {io.KeyCtrl, io.KeyShift, io.KeyAlt};
}

std::u32string typed() {
  std::u32string characters;
  for (const ImWchar c : ImGui::GetIO().InputQueueCharacters) characters.push_back(c);
  return characters;
}

void send_text(std::string_view utf8) {
  ImGui::GetIO().AddInputCharactersUTF8(std::string(utf8).c_str());
}

#if IMGUI_VERSION_NUM < 18700

void send_mouse(float x, float y) {
  ImGui::GetIO().MousePos = ImVec2(x, y);
}
void send_mouse_button(int button, bool down) {
  ImGui::GetIO().MouseDown[button] = down;
}
void send_wheel(float lines) {
  ImGui::GetIO().MouseWheel += lines;
}
void send_key(Key key, bool down) {
  ImGui::GetIO().KeysDown[code(key)] = down;
}

void send_modifiers(Modifiers modifiers) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyCtrl = modifiers.ctrl;
  io.KeyShift = modifiers.shift;
  io.KeyAlt = modifiers.alt;
}

void prepare_sent_input() {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Tab] = GLFW_KEY_TAB;
  io.KeyMap[ImGuiKey_Escape] = GLFW_KEY_ESCAPE;
}

#else

void send_mouse(float x, float y) {
  ImGui::GetIO().AddMousePosEvent(x, y);
}
void send_mouse_button(int button, bool down) {
  ImGui::GetIO().AddMouseButtonEvent(button, down);
}
void send_wheel(float lines) {
  ImGui::GetIO().AddMouseWheelEvent(0, lines);
}
void send_key(Key key, bool down) {
  ImGui::GetIO().AddKeyEvent(code(key), down);
}

void send_modifiers(Modifiers modifiers) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18900
  io.AddKeyEvent(ImGuiMod_Ctrl, modifiers.ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, modifiers.shift);
  io.AddKeyEvent(ImGuiMod_Alt, modifiers.alt);
#else
  io.AddKeyEvent(ImGuiKey_ModCtrl, modifiers.ctrl);
  io.AddKeyEvent(ImGuiKey_ModShift, modifiers.shift);
  io.AddKeyEvent(ImGuiKey_ModAlt, modifiers.alt);
#endif
}

void prepare_sent_input() {
  ImGui::GetIO().ConfigInputTrickleEventQueue = false;
}

#endif

}  // namespace headlight::app
