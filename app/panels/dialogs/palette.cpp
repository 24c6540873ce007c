// Lists of actions: the palette, the menu of what is selected, the history.
#include <cmath>

#include "app/model/browse.h"
#include "app/panels/dialogs/parts.h"
#include "app/platform/input.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

const std::string field_path = "palette/field", list_path = "palette/list";
constexpr float palette_row = 36, field_height = 44, foot_height = 30, pad = 8, chord_width = 116;  // px of the design

void begin(UiMemory& ui, PaletteMemory& palette) {
  palette.focus_before = ui.focus;
  palette.editing_before = ui.editing;
  palette.typed = std::exchange(palette.begin_with, {});
  if (!palette.typed.empty()) ui.text_at_end = field_path;
  palette.of = {};
  palette.lit = 0;
  ui.scroll[list_path] = 0;
  ui.focus = field_path;
}

void end(UiMemory& ui, PaletteMemory& palette, bool to_window) {
  if (ui.focus == field_path) ui.focus.clear();
  if (to_window && ui.focus.empty()) {
    ui.focus = palette.focus_before;
    ui.editing = std::move(palette.editing_before);
    if (ui.editing) ui.editing->drawn = true;
  }
  palette.editing_before.reset();
  palette.entries.clear();
  palette.found = {};
}

// Where something has changed, and then alone.
void refresh(const Model& model, PaletteMemory& palette) {
  const PaletteKey of{model.revision(),     model.shown.ticket,           model.busy,
                      model.exporting.busy, model.dialog == Dialog::help, model.listing,
                      model.notices.size()};
  const bool same = of == palette.of && !palette.entries.empty();
  if (same && palette.searched == palette.typed) return;
  if (!same) palette.entries = palette_entries(model);
  palette.of = of;
  palette.searched = palette.typed;
  palette.found = find_in_palette(palette.entries, palette.typed, palette.recent, of.help);
  ++palette.searches;
}

// ---- Keys

// The moves of this frame, in order. A letter changes the list, so that moves before it are void.
struct Moves {
  bool from_top = false;
  std::vector<Key> keys;
};

Moves take_moves() {
  Moves moves;
  for (Stroke& stroke : strokes()) {
    if (stroke.taken) continue;
    const KeyChange* key = stroke.key();
    const bool edits = !key || key->key == Key::backspace || key->key == Key::erase;
    if (edits) {
      moves = {true, {}};
      continue;
    }
    constexpr Key walking[] = {Key::up, Key::down, Key::page_up, Key::page_down, Key::home, Key::end};
    if (std::ranges::find(walking, key->key) == std::end(walking) || key->modifiers != Modifiers{}) continue;
    moves.keys.push_back(key->key);
    stroke.taken = true;
  }
  return moves;
}

int next_index(int lit, Key key, int count, int page) {
  if (key == Key::up) return lit > 0 ? lit - 1 : count - 1;
  if (key == Key::down) return lit + 1 < count ? lit + 1 : 0;
  if (key == Key::page_up) return lit - page;
  if (key == Key::page_down) return lit + page;
  return key == Key::home ? 0 : count - 1;
}

void walk(PaletteMemory& palette, const Moves& moves, bool typed, int page) {
  const auto count = static_cast<int>(palette.found.entries.size());
  if (typed) palette.lit = 0;
  for (const Key key : moves.keys)
    palette.lit = std::clamp(next_index(palette.lit, key, count, page), 0, std::max(0, count - 1));
  palette.lit = std::clamp(palette.lit, 0, std::max(0, count - 1));
  if (typed || !moves.keys.empty()) palette.scroll_to_lit = true;
}

// ---- What is chosen

void run(const PaletteEntry& entry, const Model& model, PaletteMemory& palette, std::vector<Action>& actions) {
  if (entry.with_number && !entry.action) {  // its name, and then the number
    palette.typed = entry.label + " ";
    return;
  }
  const auto asked = actions_of(entry, model);
  if (asked.empty()) return;
  std::erase(palette.recent, entry.key);
  palette.recent.insert(palette.recent.begin(), entry.key);
  if (palette.recent.size() > most_recent_actions) palette.recent.pop_back();
  if (entry.read) palette.begin_with = palette.typed;  // to go back to
  actions.push_back(ShowDialog{Dialog::none});
  actions.insert(actions.end(), asked.begin(), asked.end());
}

// ---- Drawing

void draw_row(Ui& ui, Rect row, const PaletteEntry& entry, bool lit) {
  const Theme& t = ui.theme();
  if (lit) {
    ui.fill(row, t.sunken, ui.px(6));
    ui.frame(row, t.line_strong, ui.px(6));
  }
  Rect inside = row.inset(ui.px(10), 0);
  const bool possible = entry.why_not.empty();
  const Color32 color = possible ? t.text : t.text_faint;
  const Point sign = inside.take_left(ui.px(26)).middle();
  if (entry.now)
    draw_icon(ui, Icon::check, {sign.x - ui.px(4), sign.y}, color);
  else if (const auto icon = icon_named(entry.icon))
    draw_icon(ui, *icon, {sign.x - ui.px(4), sign.y}, possible ? t.text_muted : t.text_faint);
  // The keys, then the section, then a few words, as far as the label leaves room.
  const float label = std::min(ui.width_of(Type::control, entry.label), inside.w);
  const auto room = [&] { return inside.w - label - ui.px(16); };
  if (room() > ui.px(chord_width)) {  // a column for the keys, so that sections stand below each other
    const Rect keys = inside.take_right(ui.px(chord_width));
    const float width = width_of_chord(ui, entry.chord);
    draw_chord(ui, {keys.right() - width, keys.y, width, keys.h}, entry.chord, t.text_muted);
  }
  const float section = ui.width_of(Type::note, entry.section);
  const float reason = possible ? 0 : ui.width_of(Type::note, entry.why_not) + ui.px(10);
  if (room() > section + reason + ui.px(8)) {
    ui.text_in(Type::note, inside.take_right(section), t.text_faint, entry.section, Ui::Align::right);
    inside.take_right(ui.px(12));
  }
  ui.text_in(Type::control, inside.take_left(label), color, entry.label);
  inside.take_left(ui.px(10));
  if (inside.w > ui.px(40)) ui.text_in(Type::note, inside, t.text_faint, possible ? entry.about : entry.why_not);
}

// Returns the row that was clicked, or −1.
int draw_list(Ui& ui, Rect box, PaletteMemory& palette) {
  const float height = ui.px(palette_row);
  const auto& entries = palette.found.entries;
  float& scroll = ui.memory().scroll[list_path];
  if (std::exchange(palette.scroll_to_lit, false)) {
    const float top = height * static_cast<float>(palette.lit);
    scroll = std::clamp(scroll, top + height - box.h, top);
  }
  int clicked = -1;
  scroll_rows(ui, list_path, box, entries.size(), height, [&](std::size_t i, Rect row) {
    const auto at = static_cast<int>(i);
    const char* state = at == palette.lit ? "focused" : "";
    if (!entries[i].why_not.empty()) state = "disabled";
    const auto hit = ui.hit(fmt::format("palette/{}", i), row, false, entries[i].label, state);
    if (hit.hovered && ui.mouse_moved()) palette.lit = at;
    if (hit.clicked) clicked = at;
    draw_row(ui, row, entries[i], at == palette.lit);
  });
  return clicked;
}

void draw_foot(Ui& ui, Rect line, const PaletteMemory& palette) {
  const std::string more =
      palette.found.left_out == 0 ? "" : fmt::format("and {} more: type on", palette.found.left_out);
  words_at_right(ui, Type::note, line, ui.theme().text_faint, more);
  ui.log("palette/more", line, more);
  const std::string words = "↑ ↓ choose   Enter does it   Esc closes";
  if (ui.width_of(Type::note, words) <= line.w) ui.text_in(Type::note, line, ui.theme().text_faint, words);
}

Rect place_card(const Ui& ui, Rect window) {
  const float w = std::min(ui.px(660), window.w - ui.px(32));
  const float around = ui.px(field_height + foot_height + 2 * pad);
  const float most = std::min(ui.px(palette_row) * 11, window.h - ui.px(32) - around);
  // As high while the list gets shorter, so that nothing jumps under the eyes; and no row is cut.
  const float row = ui.px(palette_row);
  const float h = around + std::max(row, std::floor(most / row) * row);
  const float y = std::min(ui.px(72), (window.h - h) / 2);
  return {std::round(window.middle().x - w / 2), std::round(window.y + y), w, h};
}

void run_entry(const PaletteEntry& entry, const Model& model, PanelMemory& memory, Actions& actions) {
  if (entry.with_number && !entry.action) {  // its name is typed already, the number is not
    memory.get<PaletteMemory>().begin_with = entry.label + " ";
    actions.push_back(ShowDialog{Dialog::palette});
    return;
  }
  actions.push_back(ShowDialog{Dialog::none});
  for (const Action& action : actions_of(entry, model)) actions.push_back(action);
}

}  // namespace

void update_palette_focus(UiMemory& ui, PanelMemory& memory, const Model& model) {
  PaletteMemory& palette = memory.get<PaletteMemory>();
  const bool help = model.dialog == Dialog::help && model.topic.empty(), is = help || model.dialog == Dialog::palette;
  const bool was = std::exchange(memory.get<DialogsMemory>().listed, is);
  if (is && !was) begin(ui, palette);
  if (was && !is) end(ui, palette, model.dialog == Dialog::none);
  if (model.dialog == Dialog::none) palette.begin_with.clear();  // there is no page to go back from
}

void draw_palette(Ui& ui, Rect window, const Model& model, PaletteMemory& palette, std::vector<Action>& actions) {
  const Theme& t = ui.theme();
  if (palette.entries.empty() && !model.examples.empty() && (!model.listing || model.listing->folder != model.examples))
    actions.push_back(Browse{model.examples});
  const Rect card = place_card(ui, window);
  draw_backdrop(ui, window, card);
  Rect inside = card.inset(ui.px(pad), ui.px(pad));
  Rect field = inside.take_top(ui.px(field_height));
  const Rect foot = inside.take_bottom(ui.px(foot_height)).inset(ui.px(10), 0);
  draw_icon(ui, Icon::search, {field.take_left(ui.px(30)).middle().x + ui.px(4), field.middle().y}, t.text_muted);
  const Moves moves = take_moves();
  const char* hint =
      model.dialog == Dialog::help ? "Find in the guide, the glossary and all actions" : "Type what you want to do";
  const FieldResult typed =
      text_field(ui, field_path, field, palette.typed, false, hint,
                 {.own_undo = true, .passes_escape = true, .keeps_on_enter = true, .framed = false});
  ui.line({card.x, inside.y - 1}, {card.right(), inside.y - 1}, t.line);
  refresh(model, palette);
  const int page = std::max(1, static_cast<int>(inside.h / ui.px(palette_row)) - 1);
  walk(palette, moves, typed.changed, page);
  const auto& entries = palette.found.entries;
  if (entries.empty())
    ui.text_in(Type::label, inside.inset(ui.px(10), 0).take_top(ui.px(palette_row)), t.text_muted,
               "Nothing is called that: try a step, a head, a parameter or a file");
  int chosen = draw_list(ui, inside, palette);
  draw_foot(ui, foot, palette);
  if (typed.entered && !entries.empty()) chosen = palette.lit;
  if (chosen >= 0) return run(PaletteEntry(entries[static_cast<std::size_t>(chosen)]), model, palette, actions);
  if (clicks() > 0 && !card.contains(ui.mouse())) actions.push_back(ShowDialog{Dialog::none});
}

void draw_menu(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  MenuMemory& menu = memory.get<MenuMemory>();
  if (!menu.open) {
    menu.entries = menu_entries(model);
    menu.popup = {};
    ui.memory().scroll["menu"] = 0;
    // By keys, the first is lit at once.
    if (!menu.opened_at) menu.popup.lit = 0;
    menu.open = true;
  }
  const Rect at = menu.opened_at.value_or(menu.places[static_cast<std::size_t>(model.menu_of)]);
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
    run_entry(menu.entries[static_cast<std::size_t>(result.chosen)], model, memory, actions);
  else if (result.left || lines.empty())
    actions.push_back(ShowDialog{Dialog::none});
}

void draw_history(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  MenuMemory& menu = memory.get<MenuMemory>();
  const History& history = model.history;
  const auto undone = static_cast<int>(history.redo.size()), done = static_cast<int>(history.undo.size());
  std::vector<PopupLine> lines;  // the newest first; each leads to the state right after it
  for (const HistoryEntry& entry : history.redo) lines.push_back({.label = entry.name, .faint = true});
  for (auto entry = history.undo.rbegin(); entry != history.undo.rend(); ++entry)
    lines.push_back({.label = entry->name, .now = entry == history.undo.rbegin()});
  lines.push_back({.label = "as it was opened", .now = done == 0, .parted = true});
  for (PopupLine& line : lines) line.label = capitalized(line.label);
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
