// The whole window: where its panels stand for its size, the middle and what stands beside it, and the keyboard.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/actions/action_table.h"
#include "app/model/model.h"
#include "app/panels/common/shown.h"
#include "app/platform/input.h"

namespace headlight::app {

struct ScreenPlan {
  float top = 48, stepper = 56;
  float strip = 128;                            // 0: gone
  float hints = 36;                             // the keys that work here; 0: beside the stepper
  float left = 304;                             // 0: folded away
  float inspector = 352;                        // at the right; 0: folded away, or a tab of the left panel
  bool tab = false;                             // the inspector is a tab of the left panel
  bool in_drawer = false;                       // which opens over the map
  bool has_setup = true, has_inspector = true;  // the experiment does not hide it

  // Whether there is a panel at the left, be it folded away.
  bool has_left() const { return has_setup || (tab && has_inspector); }
};

ScreenPlan plan_screen(float width, float height, const Sides& sides);

// The same where two results are compared: neither strip nor inspector.
ScreenPlan plan_comparison(float width, float height, const Sides& sides);

// Takes away what the experiment hides.
ScreenPlan without_hidden(ScreenPlan plan, const Model& model);

// Which side a key that folds `asked` means in a window of that plan.
Side side_to_fold(const ScreenPlan& plan, Side asked);

// `notes` is the window beside it, where there is one. Returns what was asked for; there is no other output.
Actions draw_screen(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Rect notes = {});

// Notices, then the view that is chosen, or the ways to begin.
void draw_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

// Takes the sides' room from `rest` and draws them. A drawer takes none: draw_drawer() draws it over the map.
void draw_sides(Ui& ui, Rect& rest, const ScreenPlan& plan, const Model& model, PanelMemory& memory, Actions& actions);
// The tabs on their edges.
void draw_handles(Ui& ui, Rect rest, const ScreenPlan& plan, Actions& actions);
// Before what it may lie over is drawn, and after.
void cover_by_drawer(Ui& ui, Rect rest, const ScreenPlan& plan);
void draw_drawer(Ui& ui, Rect rest, const ScreenPlan& plan, const Model& model, PanelMemory& memory, Actions& actions);

// A cell was clicked: wherever the inspector is, its story comes into view.
void show_story(const ScreenPlan& plan, PanelMemory& memory, Actions& actions);

// "Ctrl Shift Z" as a key and what is held with it; a sign that stands elsewhere on each layout as the character typed.
struct Chord {
  std::optional<Key> key;
  Modifiers modifiers;
  char32_t character = 0;
};
// Nothing where it is no chord.
std::optional<Chord> chord_of_text(std::string_view text);

// What that key does here: the first command of it that is possible; null where there is none.
const CommandOf* command_for(std::string_view chord, const Model& model);

// A line at the foot of the view: two to four keys that work here and now, and what they do.
struct KeyHint {
  std::vector<std::string> chords;
  std::string_view words;  // "next step"
};
std::vector<KeyHint> key_hints(const Model& model);
void draw_hints(Ui& ui, Rect line, const Model& model);

// The actions of the keys that were pressed in this frame and that no widget took: a text field keeps its own, and so
// does whatever else has the focus. Takes them. Where several commands share a key, it means the first that is possible
// and belongs to the screen that is shown; over a dialog, only what closes it.
std::vector<Action> pressed_actions(const Model& model);

}  // namespace headlight::app
