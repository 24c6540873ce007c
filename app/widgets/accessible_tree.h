// What is on the screen, in words, for who does not see it: each control with its name, its kind and its state, from
// what the widgets told of themselves in a frame, and what the view shows.
#pragma once

#include <string>
#include <vector>

#include "app/widgets/ui.h"

namespace headlight::app {

struct AccessiblePart {
  std::string path;  // the same from frame to frame
  std::string role;  // of WAI-ARIA 1.2: button, switch, textbox, scrollbar; text
  std::string name;
  std::string state;  // "", "selected", "disabled"
  bool focused = false;
  Rect rect;  // px of the screen; what no panel cuts off
};

// In the order in which they are read: from the top, then from the left. Where a dialog is open, what is in it alone.
std::vector<AccessiblePart> accessible_parts(const WidgetLog& log, const UiMemory& memory);

// Where what is typed goes; empty where nothing is typed.
Rect caret_of(const WidgetLog& log, const UiMemory& memory);

// The same as JSON: {"view": description, "caret": [x, y, w, h],
// "parts": [[path, role, name, state, focused, x, y, w, h], …]}.
std::string accessible_json(const std::vector<AccessiblePart>& parts, Rect caret, const std::string& description);

}  // namespace headlight::app
