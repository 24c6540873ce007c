// The dialogs that open and save: a list that the keyboard goes through, a field for a name or a path, a look into the
// file that is lit.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

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

// When the dialog opens.
void begin_file_dialog(const Model& model, PanelMemory& memory);
void draw_file_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
