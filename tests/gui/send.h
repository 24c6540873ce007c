// What a person does, as events of the current ImGui context's input: for the next frame to see.
#pragma once

#include <imgui.h>

#include <string_view>

#include "app/platform/input.h"
#include "engine/core/utf8.h"

namespace headlight::app {

inline Input& current_input() {
  return *static_cast<Input*>(ImGui::GetIO().UserData);
}

inline void send_mouse(float x, float y) {
  current_input().push(PointerMove{x, y});
}
inline void send_mouse_button(int button, bool down) {
  current_input().push(ButtonChange{button, down, current_input().modifiers_at_end()});
}
inline void send_wheel(float lines) {
  current_input().push(WheelTurn{lines});
}
inline void send_key(Key key, bool down) {
  current_input().push(KeyChange{key, down, false, current_input().modifiers_at_end()});
}
inline void send_modifiers(Modifiers modifiers) {
  current_input().push(ModifierChange{modifiers});
}
inline void send_text(std::string_view utf8) {
  for (std::size_t at = 0; at < utf8.size();) {
    const Utf8Step step = utf8_step(utf8.substr(at));
    current_input().push(Character{step.character});
    at += step.size;
  }
}

}  // namespace headlight::app
