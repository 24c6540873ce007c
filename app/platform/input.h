// Keys, mouse and text as the window's code sees them, the same under every version of Dear ImGui; and the way a test
// or a script presses them.
//
// Not for what a key means: that is the application's table of actions.
#pragma once

#include <string>
#include <string_view>

namespace headlight::app {

enum class Key {
  tab,
  left,
  right,
  up,
  down,
  page_up,
  page_down,
  home,
  end,
  erase,
  backspace,
  space,
  enter,
  keypad_enter,
  escape,
  f1,
  f5,
  f6,
  minus,
  equal,
  period,
  left_bracket,
  right_bracket,
  zero,
  one,
  two,
  three,
  four,
  five,
  six,
  seven,
  eight,
  nine,
  a,
  b,
  c,
  e,
  h,
  i,
  l,
  m,
  n,
  o,
  r,
  s,
  v,
  x,
  y,
  z,
};
inline constexpr int key_count = static_cast<int>(Key::z) + 1;

struct Modifiers {
  bool ctrl = false;
  bool shift = false;
  bool alt = false;

  bool operator==(const Modifiers&) const = default;
};

// All of these need a current ImGui context and, but for send_…, a frame that has begun.
bool key_down(Key key);
// In this frame; `repeat` also while it is held.
bool key_pressed(Key key, bool repeat = true);
Modifiers modifiers();
// Characters typed in this frame, after the keyboard layout: "?" and "+" are found here, on every layout.
std::u32string typed();

// Before the frame that shall see it. Not for use beside a window's own events.
void send_mouse(float x, float y);
void send_mouse_button(int button, bool down);
void send_wheel(float lines);
void send_key(Key key, bool down);
void send_modifiers(Modifiers modifiers);
void send_text(std::string_view utf8);

// Sets up key codes for a context that no window feeds.
void prepare_sent_input();

}  // namespace headlight::app
