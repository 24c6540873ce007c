#include "app/panels/dialogs/palette.h"
#include "app/panels/dialogs/parts.h"

namespace headlight::app {

namespace {

void do_entry(const PaletteEntry& entry, const Model& model, PanelMemory& memory, Actions& actions) {
  if (entry.with_number && !entry.action) {  // its name is typed already, the number is not
    memory.get<PaletteMemory>().begin_with = entry.label + " ";
    actions.push_back(ShowDialog{Dialog::palette});
    return;
  }
  actions.push_back(ShowDialog{Dialog::none});
  for (const Action& action : actions_of(entry, model)) actions.push_back(action);
}

}  // namespace

void draw_menu(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  MenuMemory& menu = memory.get<MenuMemory>();
  if (!menu.open) {
    menu.entries = menu_entries(model);
    menu.popup = {};
    ui.memory().scroll["menu"] = 0;
    // By keys, the first is lit at once.
    if (!menu.asked_at) menu.popup.lit = 0;
    menu.open = true;
  }
  const Rect at = menu.asked_at.value_or(menu.places[static_cast<std::size_t>(model.menu_of)]);
  std::vector<PopupLine> lines;
  for (const PaletteEntry& entry : menu.entries)
    lines.push_back({.label = entry.label,
                     .about = entry.about,
                     .chord = entry.chord,
                     .icon = icon_named(entry.icon),
                     .now = entry.now,
                     .parted = !lines.empty() && entry.section != menu.entries[lines.size() - 1].section});
  const PopupResult result = popup(ui, "menu", at, window, lines, menu.popup);
  if (result.chosen >= 0)
    do_entry(menu.entries[static_cast<std::size_t>(result.chosen)], model, memory, actions);
  else if (result.left || lines.empty())
    actions.push_back(ShowDialog{Dialog::none});
}

void draw_history(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  MenuMemory& menu = memory.get<MenuMemory>();
  const History& history = model.history;
  const auto undone = static_cast<int>(history.redo.size()), done = static_cast<int>(history.undo.size());
  std::vector<PopupLine> lines;  // the newest first; each is what was done last in the state that it leads to
  for (const HistoryEntry& entry : history.redo) lines.push_back({.label = entry.name, .faint = true});
  for (auto entry = history.undo.rbegin(); entry != history.undo.rend(); ++entry)
    lines.push_back({.label = entry->name, .now = entry == history.undo.rbegin()});
  lines.push_back({.label = "as it was opened", .now = done == 0, .parted = true});
  for (PopupLine& line : lines)
    if (!line.label.empty() && line.label[0] >= 'a' && line.label[0] <= 'z')
      line.label[0] = static_cast<char>(line.label[0] - 'a' + 'A');
  if (!menu.open) {
    menu.popup = {undone, true};
    ui.memory().scroll["history"] = 0;
    menu.open = true;
  }
  const PopupResult result = popup(ui, "history", menu.undo, window, lines, menu.popup);
  if (result.chosen < 0 && !result.left) return;
  actions.push_back(ShowDialog{Dialog::none});
  if (result.chosen >= 0 && result.chosen != undone) actions.push_back(GoInHistory{undone - result.chosen});
}

}  // namespace headlight::app
