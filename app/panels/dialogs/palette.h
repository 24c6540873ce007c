// The palette: every action by name, found by typing a part of it. What there is, is app/actions/palette.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/actions/palette.h"
#include "app/widgets/text_field.h"

namespace headlight::app {

class PanelMemory;

// All that the palette's list depends on.
struct PaletteOf {
  std::uint64_t revision = 0, run = 0;
  bool busy = false, exporting = false;
  std::shared_ptr<const Listing> listing;
  std::size_t notices = 0;
  bool operator==(const PaletteOf&) const = default;
};

// Lasts between frames, and what was used from one opening to the next.
struct PaletteMemory {
  std::string begin_with;  // what is typed already when it opens
  std::string typed;
  std::string searched;  // what `found` was found by
  PaletteOf of;
  std::vector<PaletteEntry> entries;
  PaletteFound found;
  std::size_t searches = 0;         // so far
  int lit = 0;                      // of those found
  bool bring_lit = false;           // it was moved by keys: it scrolls into sight
  std::vector<std::string> recent;  // keys of entries, the newest first
  std::string focus_before;         // who had the keyboard, and where its cursor was
  std::shared_ptr<TextEditing> editing_before;
};

// At the beginning of a frame: takes the keyboard where the palette was opened, and gives it back where it was closed.
void hand_over_keyboard(UiMemory& ui, PanelMemory& memory, const Model& model);

void draw_palette(Ui& ui, Rect window, const Model& model, PaletteMemory& memory, std::vector<Action>& actions);

}  // namespace headlight::app
