// The menu of what is selected: where it is asked for. dialogs/menus.h draws it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "app/actions/palette.h"
#include "app/widgets/popup.h"
#include "app/widgets/views.h"

namespace headlight::app {

class PanelMemory;

// Lasts between frames.
struct MenuMemory {
  std::array<Rect, 4> places = {};  // where what a menu may be of was drawn last, by MenuOf
  std::optional<Rect> asked_at;     // where the pointer asked for it
  Rect undo;                        // the button that goes back
  bool open = false;
  std::vector<PaletteEntry> entries;  // of the menu that is open
  PopupMemory popup;
};

// What is selected is drawn there: a menu that is asked for by keys lies beside it.
void note_menu_place(PanelMemory& memory, MenuOf of, Rect place);
// The menu of what the actions select, where the pointer is.
void ask_for_menu(const Ui& ui, PanelMemory& memory, MenuOf of, std::vector<Action>& actions);
// The same of a map: of the cell that was asked of, which is pinned then, or of the row whose label it was. `selected`
// is the selection that a cell stands for, `now` the one that there is.
void ask_for_menu_of_map(Ui& ui, PanelMemory& memory, const HeatmapResult& drawn,
                         const std::function<Selection(CellAt)>& selected, const Selection& now,
                         std::vector<Action>& actions);

}  // namespace headlight::app
