// The keyboard: which keys the chords of the table of actions (app/actions/action_table.h) are, and the actions of
// those that were pressed.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/actions/action_table.h"
#include "app/platform/input.h"

namespace headlight::app {

// "Ctrl Shift Z" as a key and what is held with it; a sign that stands elsewhere on each layout as the character typed.
struct Chord {
  std::optional<Key> key;
  Modifiers modifiers;
  char32_t character = 0;
};
// Nothing where it is no chord.
std::optional<Chord> chord_of_text(std::string_view text);

// The actions of the keys that were pressed in this frame and that no widget took: a text field keeps its own, and so
// does whatever else has the focus. Takes them. Where several commands share a key, it means the first that is possible
// and belongs to the screen that is shown; over a dialog, only what closes it.
std::vector<Action> pressed_actions(const Model& model);

}  // namespace headlight::app
