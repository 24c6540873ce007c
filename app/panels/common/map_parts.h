// What maps of steps have in common wherever they are drawn: labels, what is selected and its menu, and that a run is
// under way.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "app/actions/palette.h"
#include "app/panels/common/shown.h"
#include "app/widgets/controls.h"
#include "app/widgets/views.h"

namespace headlight::app {

// Lasts between frames.
struct MenuMemory {
  std::array<Rect, 4> places = {};  // by MenuTarget: where its target was last drawn
  std::optional<Rect> opened_at;    // where the pointer asked for it
  Rect undo;                        // the button that goes back
  bool open = false;
  std::vector<PaletteEntry> entries;  // of the menu that is open
  PopupMemory popup;
};

// What is selected is drawn there: a menu that is asked for by keys lies beside it.
void set_menu_anchor(PanelMemory& memory, MenuTarget of, Rect place);
// The menu of what the actions select, where the pointer is.
void open_menu(const Ui& ui, PanelMemory& memory, MenuTarget of, std::vector<Action>& actions);
// The same of a map: of the cell that was asked of, which is pinned then, or of the row whose label it was. `selected`
// is the selection that a cell stands for, `now` the one that there is.
void open_map_menu(Ui& ui, PanelMemory& memory, const HeatmapResult& drawn,
                   const std::function<Selection(CellAt)>& selected, const Selection& now,
                   std::vector<Action>& actions);

// The large map of a slice with its labels and what is selected, without what is pointed at.
HeatmapData labelled_map(PanelMemory& memory, const Trace& trace, const Slice& slice, const Selection& selection,
                         MapData map);
// A query and the key that it asks as chips, from the left; returns how wide they are.
float draw_pair_of_tokens(Ui& ui, Rect line, const Trace& trace, const Step& map, Index query, Index key, Index item);
// Where a position lies, in a box of its role.
void draw_place(Ui& ui, Rect box, const RoleColors& role, std::string_view words);
// The colour bar of a map, which has a key of its own.
ColorBarData map_scale(const MapData& map, std::string key, std::string words);
// A button that does what the table of actions has under that name. Says its keys, or why it cannot be pressed.
void draw_command(Ui& ui, const std::string& path, Rect place, std::string_view id, const std::string& label,
                  const Model& model, Actions& actions, ButtonLook look = ButtonLook::secondary,
                  std::optional<Icon> icon = {});
// The same with an icon alone: the table's own, unless another is given.
void draw_icon_command(Ui& ui, const std::string& path, Rect place, std::string_view id, const Model& model,
                       Actions& actions, std::optional<Icon> icon = {}, ButtonLook look = ButtonLook::ghost);
// What the bar of steps was asked for; `last` is its last step.
void push_steps(const StepperResult& asked, int last, const Model& model, Actions& actions);
// One line in the middle of what has nothing to show.
void draw_centered_note(Ui& ui, Rect box, std::string_view words);
// A thin bar that moves while a run takes longer than a blink; old values dim.
void draw_busy(Ui& ui, Rect box, const Model& model);
// Where there is nothing to show: the two ways to begin, side by side, below that point.
void draw_start_buttons(Ui& ui, Point middle, Actions& actions);

}  // namespace headlight::app
