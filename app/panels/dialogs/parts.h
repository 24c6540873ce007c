// The dialogs, each a file of its own, and what they share.
#pragma once

#include <filesystem>

#include "app/panels/common/form.h"
#include "app/panels/common/menu.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

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

// A card over the whole window with its title and a way to close it. Returns the room inside.
Rect draw_dialog_card(Ui& ui, Rect window, float width, float height, std::string_view title, Actions& actions);
// The same with a question under the title, as high as that needs and so much more, in px of the design.
Rect draw_question_card(Ui& ui, Rect window, float more, std::string_view title, std::string_view question,
                        Actions& actions);
// The label at the left of a row from the top; returns what is left over, which a gap follows.
Rect take_labelled_row(Ui& ui, Rect& inside, std::string_view label, float gap);
// "Open" and "Cancel", from the right of the row. Returns whether the first was pressed.
bool draw_open_or_cancel(Ui& ui, Rect row, bool possible, Actions& actions);

// When the dialog opens.
void begin_file_dialog(const Model& model, PanelMemory& memory);
void draw_file_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);
// The map of a recent file, where there is a picture of it.
void draw_thumbnail(Ui& ui, Rect place, const std::filesystem::path& of, const Model& model);

// What would go into the file, and how large that makes it. Takes the room from the top.
void draw_to_embed(Ui& ui, Rect& inside, const Model& model);

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

// ---- The menu of what is selected and the list of what was done, as the table of actions and the history have them.

void draw_menu(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);
void draw_history(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
