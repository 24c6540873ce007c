// What lies over the window: open, save, all keys, the palette, menus. Each dialog is a file of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/actions/palette.h"
#include "app/panels/common/form.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/common/shown.h"
#include "app/platform/input.h"
#include "app/widgets/text_field.h"

namespace headlight::app {

struct DialogsMemory {
  Dialog drawn_last = Dialog::none;
  bool listed = false;  // the palette's list was drawn, or that of the help
  std::string topic;    // of the help, whose page was drawn last
};

void draw_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

// The files that were open last, side by side at the top of the room: each opens by a click. Nothing where the room is
// too low, or nothing was open.
void draw_recent_files(Ui& ui, Rect room, const Model& model, Actions& actions);

// ---- Open and save: a list that the keyboard goes through, a field for a name or a path, a look into the file that is
// lit.

// What the dialogs that open and save remember.
struct FileDialog {
  enum class Source { folder, recent, examples };
  Source source = Source::folder;
  std::string folder;           // that is shown
  std::string asked;            // of the session last: a folder
  std::string peeked;           // a file, of the session last
  std::string typed;            // in the field
  std::string chosen;           // path of the row that is lit; empty: none
  bool takes_keyboard = false;  // the field, in the next frame
};

// A card in the window, whose rest steps back.
void draw_backdrop(Ui& ui, Rect window, Rect card);
// The same with its title and a way to close it. Returns the room inside.
Rect draw_dialog_card(Ui& ui, Rect window, float width, float height, std::string_view title, Actions& actions);
// The same with a question under the title, as high as that needs and so much more, in px of the design.
Rect draw_question_card(Ui& ui, Rect window, float more, std::string_view title, std::string_view question,
                        Actions& actions);
// The label at the left of a row from the top; returns what is left over, which a gap follows.
Rect take_labelled_row(Ui& ui, Rect& inside, std::string_view label, float gap);
inline bool take_enter() {
  return take_key(Key::enter, {}, false) || take_key(Key::keypad_enter, {}, false);
}
// "Open" and "Cancel", from the right of the row. Returns whether the first was pressed.
bool draw_open_or_cancel(Ui& ui, Rect row, bool possible, Actions& actions);

// When the dialog opens.
void begin_file_dialog(const Model& model, PanelMemory& memory);
void draw_file_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);
// The map of a recent file, where there is a picture of it.
void draw_thumbnail(Ui& ui, Rect place, const std::filesystem::path& of, const Model& model);

// What would go into the file, and how large that makes it. Takes the room from the top.
void draw_embed_summary(Ui& ui, Rect& inside, const Model& model);

// ---- Which array of a file is the input, and what its axes mean: the file does not say.

// Which array of a file is to be the input, while it is asked.
struct ArrayChoice {
  std::size_t index = 0;
  std::string axes;
};

// When the dialog opens: the first array that can be an input, with the likeliest meaning.
void begin_array_dialog(const Model& model, PanelMemory& memory);
void draw_array_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

// ---- Which layer of a state dict is opened, of how many heads. What its names mean is engine/layouts.

// When the dialog opens: the layout that fits best, and the heads that a config beside the file says.
void begin_layer_dialog(const Model& model, PanelMemory& memory);
void draw_layer_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

// The same of a layer whose arrays somebody names. What is guessed is engine/layouts/proposal.h.
bool asks_for_names(const Model& model, PanelMemory& memory);
void begin_names_dialog(const Model& model, PanelMemory& memory);
void draw_names_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);
// Which of these layers, in the place of a row; `chosen` counts from 0.
void draw_layer_row(Ui& ui, Rect& inside, const std::vector<Index>& layers, Index& chosen);
// How many heads, and what follows for them, in the place of a row; `words` stand below it.
void draw_heads_row(Ui& ui, Rect& inside, Index& heads, const std::string& words);
// "64 channels: 4 heads of 16", or why not.
std::string heads_in_words(Index width, Index heads, bool said);

// A page of the guide or a word of the glossary.
void draw_help_page(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

// ---- The menu of what is selected and the list of what was done, as the table of actions and the history have them.

void draw_menu(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);
void draw_history(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

// All that the palette's list depends on.
struct PaletteKey {
  std::uint64_t revision = 0, run = 0;
  bool busy = false, exporting = false, help = false;
  std::shared_ptr<const Listing> listing;
  std::size_t notices = 0;
  bool operator==(const PaletteKey&) const = default;
};

// Lasts between frames, and what was used from one opening to the next.
struct PaletteMemory {
  std::string begin_with;  // what is typed already when it opens
  std::string typed;
  std::string searched;  // what `found` was found by
  PaletteKey of;
  std::vector<PaletteEntry> entries;
  PaletteFound found;
  std::size_t searches = 0;         // so far
  int lit = 0;                      // of those found
  bool scroll_to_lit = false;       // it was moved by keys: it scrolls into sight
  std::vector<std::string> recent;  // keys of entries, the newest first
  std::string focus_before;         // who had the keyboard, and where its cursor was
  std::shared_ptr<TextEditing> editing_before;
};

// At the beginning of a frame: takes the keyboard where the palette was opened, and gives it back where it was closed.
void update_palette_focus(UiMemory& ui, PanelMemory& memory, const Model& model);

void draw_palette(Ui& ui, Rect window, const Model& model, PaletteMemory& memory, std::vector<Action>& actions);

}  // namespace headlight::app
