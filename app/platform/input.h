// Keys, mouse and text: what the window system tells is queued in its order and handed over one change of a key or
// button a frame, so that a press which begins and ends between two frames is seen like any other. And the way a test
// or a script presses them.
//
// Not for what a key means: that is the application's table of actions.
#pragma once

#include <bitset>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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
  f10,
  menu,
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
  d,
  e,
  f,
  g,
  h,
  i,
  k,
  l,
  m,
  n,
  o,
  p,
  q,
  r,
  s,
  t,
  v,
  x,
  y,
  z,
};
inline constexpr int key_count = static_cast<int>(Key::z) + 1;

struct Modifiers {
  bool ctrl = false, shift = false, alt = false;

  bool operator==(const Modifiers&) const = default;
};

// What the window system tells, one thing at a time.
struct KeyChange {
  Key key{};
  bool down = true;
  bool repeat = false;  // it is held
  Modifiers modifiers;  // that were held at that moment
};
struct Character {
  char32_t code = 0;  // after the keyboard layout, of any plane
};
struct PointerMove {
  float x = 0, y = 0;  // px of the framebuffer
};
struct ButtonChange {
  int button = 0;
  bool down = true;
  Modifiers modifiers;
};
struct WheelTurn {
  float lines = 0;
};
struct ModifierChange {
  Modifiers modifiers;
};
using InputEvent = std::variant<KeyChange, Character, PointerMove, ButtonChange, WheelTurn, ModifierChange>;

// A press or a character of this frame, in their order. What one reader took, the next does not find.
struct Stroke {
  std::variant<KeyChange, Character> what;
  bool taken = false;

  const KeyChange* key() const { return std::get_if<KeyChange>(&what); }
  const Character* character() const { return std::get_if<Character>(&what); }
};

// The events of one window and what of them belongs to the frame that is drawn.
class Input {
 public:
  // The functions below read it in the current ImGui context from now on.
  void attach();
  void push(const InputEvent& event);
  // Before ImGui::NewFrame(): takes from the queue what one frame may hold. That is one press of a key with the
  // characters it gave, or one change of a button; while a text field has the keyboard, everything up to the next key
  // that may take it away. False where nothing was waiting.
  bool begin_frame();
  // There is more than the last frame took: another is due.
  bool waiting() const { return !queue_.empty(); }
  // Those held after everything that is queued.
  Modifiers modifiers_at_end() const { return modifiers_at_end_; }

  std::function<double()> clock;  // seconds, for double clicks; empty: they are told by place alone
  std::function<std::string()> read_clipboard;
  std::function<void(const std::string&)> write_clipboard;

  // What this frame holds.
  std::vector<Stroke> strokes;
  std::bitset<key_count> down;
  Modifiers modifiers;
  int clicks = 0;               // of a button that went down: 2 on the second of a double click
  bool text_has_focus = false;  // a text field has the keyboard: it takes many strokes a frame, each with its modifiers

 private:
  struct Taken;
  bool fits(const InputEvent& event, const Taken& taken) const;
  void take(const InputEvent& event, Taken& taken);
  int count_click(int button);

  std::deque<InputEvent> queue_;
  Modifiers modifiers_at_end_;
  PointerMove pointer_{-1e9F, -1e9F};
  PointerMove clicked_at_;
  int clicked_button_ = -1, clicks_in_a_row_ = 0;
  double clicked_since_ = -1e9;
  std::string own_clipboard_;

  friend std::string clipboard();
  friend void set_clipboard(const std::string& text);
};

// All of these need a current ImGui context with an input, and a frame that has begun.
bool key_down(Key key);
// In this frame, and nobody took it; `repeat` also while it is held.
bool key_pressed(Key key, bool repeat = true);
// The same with these modifiers and no others, and takes it.
bool take_key(Key key, Modifiers held = {}, bool repeat = true);
// Those of the frame's press, else those held.
Modifiers modifiers();
// Characters typed in this frame that nobody took, after the keyboard layout: "?" and "+" are found here, on every
// layout.
std::u32string typed();
// Takes them, and the keys that gave them.
std::u32string take_typed();
// The presses and characters of this frame, to be taken one by one.
std::vector<Stroke>& strokes();
// How often a mouse button went down in a row, at one place, with the press of this frame; 0 without one.
int clicks();
// For the next frames: a text field has the keyboard.
void set_text_focus(bool has_focus);

// UTF-8, of the window system.
std::string clipboard();
void set_clipboard(const std::string& text);

}  // namespace headlight::app
