// What the palette has: every action that can be asked for by name, with the values that the model has, and the search
// among them.
//
// Not for drawing it: panels/dialogs/palette.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/actions/action_table.h"

namespace headlight::app {

struct PaletteEntry {
  std::string key;      // the same for the same thing whenever it is asked for: of what was used last
  std::string label;    // "Mask: Causal"
  std::string section;  // "Parameters"
  std::string chord;
  std::string icon;
  std::string about;
  std::string why_not;  // empty: it can be done
  bool now = false;     // it is so already
  bool useful = false;
  bool read = false;              // a page of the help: it is read, nothing is done
  std::optional<Screen> screen;   // that is shown first
  std::vector<MenuTarget> menus;  // that it stands in
  std::optional<Action> action;   // nothing: it waits for a number
  std::function<std::optional<Action>(double)> with_number;

  // What it is found by: the words of the label, then those of section and id, folded.
  std::string words;
  std::size_t label_size = 0;  // of the words, bytes
};

// In the order of the sections.
std::vector<PaletteEntry> palette_entries(const Model& model);

// Those that can be done and stand in the menu that is open.
std::vector<PaletteEntry> menu_entries(const Model& model);

struct PaletteFound {
  std::vector<PaletteEntry> entries;
  std::size_t left_out = 0;  // that were found too
};
inline constexpr std::size_t most_found = 60, most_recent_actions = 6;

// The best matches first: each word of what is typed, in any order, is found whole, as the beginning of a word, within
// one, or letter by letter. A number in it is the value of what takes one; where nothing is found, a line that reads as
// an action's text form is that action. With nothing typed: what was used last, by `recent` with the newest first, and
// what is of most use.
// What is read comes after what is done, and where help is asked for, before it; there it is what stands in the list
// while nothing is typed.
PaletteFound find_in_palette(const std::vector<PaletteEntry>& entries, std::string_view typed,
                             const std::vector<std::string>& recent, bool help = false);

// The actions that carry an entry out; none where it cannot be done.
std::vector<Action> actions_of(const PaletteEntry& entry, const Model& model);

}  // namespace headlight::app
