#include "app/platform/input.h"

#include <imgui.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headlight::app {

namespace {

// Two presses of a button are a double click within this time and distance. Events are told once a frame, so on slow
// ones the time is coarse.
constexpr double double_click_seconds = 0.4;
constexpr float double_click_px = 6;

// Whether a text field that has the keyboard keeps it after this key.
bool is_for_text(const KeyChange& change) {
  if (change.modifiers.ctrl || change.modifiers.alt) return false;
  constexpr Key others[] = {Key::tab, Key::enter, Key::keypad_enter, Key::escape, Key::f1,
                            Key::f5,  Key::f6,    Key::f10,          Key::menu};
  return std::ranges::find(others, change.key) == std::end(others);
}

#if IMGUI_VERSION_NUM < 18700
void send_to_imgui(const PointerMove& pointer) {
  ImGui::GetIO().MousePos = ImVec2(pointer.x, pointer.y);
}
void send_to_imgui(const ButtonChange& change) {
  ImGui::GetIO().MouseDown[change.button] = change.down;
}
void send_to_imgui(const WheelTurn& turn) {
  ImGui::GetIO().MouseWheel += turn.lines;
}
#else
void send_to_imgui(const PointerMove& pointer) {
  ImGui::GetIO().AddMousePosEvent(pointer.x, pointer.y);
}
void send_to_imgui(const ButtonChange& change) {
  ImGui::GetIO().AddMouseButtonEvent(change.button, change.down);
}
void send_to_imgui(const WheelTurn& turn) {
  ImGui::GetIO().AddMouseWheelEvent(0, turn.lines);
}
#endif

Input& input() {
  auto* attached = static_cast<Input*>(ImGui::GetIO().UserData);
  assert(attached && "Input::attach() comes first");
  return *attached;
}

}  // namespace

// What the frame has taken so far.
struct Input::Taken {
  bool any = false, press = false, character = false, button = false, wheel = false;
  bool alone = false;  // a key after which nothing more belongs to a text field
};

void Input::attach() {
  ImGuiIO& io = ImGui::GetIO();
  io.UserData = this;
#if IMGUI_VERSION_NUM >= 18700
  io.ConfigInputTrickleEventQueue = false;  // one change a frame is what this queue is for
#endif
}

void Input::push(const InputEvent& event) {
  InputEvent* last = queue_.empty() ? nullptr : &queue_.back();
  if (std::holds_alternative<PointerMove>(event)) {
    if (last && std::holds_alternative<PointerMove>(*last)) queue_.pop_back();
  } else if (const auto* turn = std::get_if<WheelTurn>(&event)) {
    if (auto* before = last ? std::get_if<WheelTurn>(last) : nullptr) {
      before->lines += turn->lines;
      return;
    }
  } else if (const auto* change = std::get_if<KeyChange>(&event)) {
    modifiers_at_end_ = change->modifiers;
    // A key that is held faster than frames are drawn must not go on after it is let go.
    if (change->repeat && std::ranges::any_of(queue_, [&](const InputEvent& waiting) {
          const auto* other = std::get_if<KeyChange>(&waiting);
          return other && other->repeat && other->key == change->key;
        }))
      return;
  } else if (const auto* button = std::get_if<ButtonChange>(&event)) {
    modifiers_at_end_ = button->modifiers;
  } else if (const auto* held = std::get_if<ModifierChange>(&event)) {
    if (held->modifiers == modifiers_at_end_) return;
    modifiers_at_end_ = held->modifiers;
  }
  queue_.push_back(event);
}

bool Input::fits(const InputEvent& event, const Taken& taken) const {
  const bool pointer = taken.button || taken.wheel;
  if (std::holds_alternative<PointerMove>(event)) return !pointer;
  if (std::holds_alternative<ButtonChange>(event)) return !pointer && !taken.press && !taken.character;
  if (std::holds_alternative<WheelTurn>(event)) return !taken.button && !taken.press && !taken.character;
  if (pointer || taken.alone) return false;
  if (std::holds_alternative<ModifierChange>(event)) return !taken.press || text_has_focus;
  const auto* change = std::get_if<KeyChange>(&event);
  if (!change) return true;  // a character belongs to the press before it
  if (!change->down)
    return text_has_focus || std::ranges::none_of(strokes, [&](const Stroke& stroke) {
             return stroke.key() && stroke.key()->key == change->key;
           });
  if (text_has_focus) return is_for_text(*change) || (!taken.press && !taken.character);
  return !taken.press;
}

void Input::take(const InputEvent& event, Taken& taken) {
  taken.any = true;
  if (const auto* change = std::get_if<KeyChange>(&event)) {
    down.set(static_cast<std::size_t>(change->key), change->down);
    modifiers = change->modifiers;
    if (!change->down) return;
    KeyChange press = *change;
    if (press.key == Key::equal) press.modifiers.shift = false;  // + is Shift = on many keyboards
    strokes.push_back({press});
    taken.press = true;
    taken.alone = text_has_focus && !is_for_text(*change);
  } else if (const auto* character = std::get_if<Character>(&event)) {
    strokes.push_back({*character});
    taken.character = true;
  } else if (const auto* move = std::get_if<PointerMove>(&event)) {
    pointer_ = *move;
    send_to_imgui(*move);
  } else if (const auto* button = std::get_if<ButtonChange>(&event)) {
    modifiers = button->modifiers;
    taken.button = true;
    if (button->down && button->button == 0) clicks = count_click(button->button);
    send_to_imgui(*button);
  } else if (const auto* turn = std::get_if<WheelTurn>(&event)) {
    taken.wheel = true;
    send_to_imgui(*turn);
  } else {
    modifiers = std::get<ModifierChange>(event).modifiers;
  }
}

int Input::count_click(int button) {
  const double now = clock ? clock() : 0;
  const bool again = button == clicked_button_ && now - clicked_since_ < double_click_seconds &&
                     std::abs(pointer_.x - clicked_at_.x) < double_click_px &&
                     std::abs(pointer_.y - clicked_at_.y) < double_click_px;
  clicks_in_a_row_ = again ? clicks_in_a_row_ + 1 : 1;
  clicked_button_ = button;
  clicked_since_ = now;
  clicked_at_ = pointer_;
  return clicks_in_a_row_;
}

bool Input::begin_frame() {
  strokes.clear();
  clicks = 0;
  Taken taken;
  while (!queue_.empty() && fits(queue_.front(), taken)) {
    take(queue_.front(), taken);
    queue_.pop_front();
  }
  return taken.any;
}

bool key_down(Key key) {
  return input().down.test(static_cast<std::size_t>(key));
}

bool key_pressed(Key key, bool repeat) {
  return std::ranges::any_of(input().strokes, [&](const Stroke& stroke) {
    return !stroke.taken && stroke.key() && stroke.key()->key == key && (repeat || !stroke.key()->repeat);
  });
}

bool take_key(Key key, Modifiers held, bool repeat) {
  for (Stroke& stroke : input().strokes) {
    const KeyChange* change = stroke.key();
    if (stroke.taken || !change || change->key != key || change->modifiers != held || (change->repeat && !repeat))
      continue;
    return stroke.taken = true;
  }
  return false;
}

Modifiers modifiers() {
  return input().modifiers;
}

std::u32string typed() {
  std::u32string characters;
  for (const Stroke& stroke : input().strokes)
    if (!stroke.taken && stroke.character()) characters.push_back(stroke.character()->code);
  return characters;
}

std::u32string take_typed() {
  const std::u32string characters = typed();
  if (characters.empty()) return characters;
  for (Stroke& stroke : input().strokes) stroke.taken = true;
  return characters;
}

std::vector<Stroke>& strokes() {
  return input().strokes;
}

int clicks() {
  return input().clicks;
}

void set_text_focus(bool has_focus) {
  input().text_has_focus = has_focus;
}

std::string clipboard() {
  Input& in = input();
  return in.read_clipboard ? in.read_clipboard() : in.own_clipboard_;
}

void set_clipboard(const std::string& text) {
  Input& in = input();
  if (in.write_clipboard)
    in.write_clipboard(text);
  else
    in.own_clipboard_ = text;
}

}  // namespace headlight::app
