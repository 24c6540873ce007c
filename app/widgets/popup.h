// A list of things to be done, over everything else: a menu.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/widgets/icons.h"
#include "app/widgets/ui.h"

namespace headlight::app {

struct PopupLine {
  std::string label;
  std::string about = {};  // a few words at the side, where there is room
  std::string chord = {};
  std::optional<Icon> icon = {};
  bool now = false;     // it is so already
  bool faint = false;   // what is not so any more
  bool parted = false;  // a line of the design stands before it
};

// Lasts between frames.
struct PopupMemory {
  int lit = -1;
  bool bring_lit = false;  // it was moved by keys: it scrolls into sight
};

struct PopupResult {
  int chosen = -1;
  bool left = false;  // it was clicked beside the list
};
// The list under `at`, or over it, and within the window. Arrows walk, Enter and Space choose.
PopupResult popup(Ui& ui, const std::string& path, Rect at, Rect window, const std::vector<PopupLine>& lines,
                  PopupMemory& memory);

}  // namespace headlight::app
