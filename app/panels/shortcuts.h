// The keyboard, listed once: what a key does in the window, and what the table of keys says of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/model/action.h"
#include "app/platform/input.h"

namespace headlight::app {

struct Shortcut {
  Key key;
  Modifiers modifiers;
  std::string shown;    // "Ctrl Shift Z"
  std::string does;     // "Redo"
  std::string section;  // of the table of keys
  std::function<Action(const Model&)> action;
  bool repeats = false;  // while the key is held
};

// In the order of the table of keys.
const std::vector<Shortcut>& shortcuts();

// The actions of the keys that were pressed in this frame and that no widget took: a text field keeps its own, and so
// does whatever else has the focus. Takes them.
std::vector<Action> pressed_actions(const Model& model);

}  // namespace headlight::app
