// A field that text is typed into, of one line or of several that are wrapped at words: any character of Unicode, a
// cursor that moves by what a reader sees as one letter, selection, clipboard, undo.
//
// The text is the caller's: the field hands it back after each change, and takes over what undo makes of it. While it
// has the keyboard it shows what was typed even where the caller makes something else of it.
#pragma once

#include <string>
#include <vector>

#include "app/widgets/text_editor.h"
#include "app/widgets/ui.h"

namespace headlight::app {

struct FieldResult {
  bool changed = false;
  bool ended = false;               // it lost the keyboard after a change
  bool entered = false;             // Enter was pressed in it
  bool given_up = false;            // Escape was: the text stays all the same
  std::vector<std::string> before;  // the texts that undo goes back to: one for each step that has begun
};

struct FieldOptions {
  bool own_undo = false;        // Ctrl Z is answered here: for a text that the document's undo knows nothing of
  bool passes_escape = false;   // Escape also does what it does elsewhere, such as closing the dialog
  bool keeps_on_enter = false;  // Enter leaves the keyboard here
  bool keeps_lines = false;     // of several lines: Enter breaks one
  Type type = Type::control;    // of one line
  Ui::Align align = Ui::Align::left;
  bool framed = true;
  float padding = 12;  // px of the design, at both sides
};
FieldResult text_field(Ui& ui, const std::string& path, Rect box, std::string& text, bool multiline, const char* hint,
                       const FieldOptions& options = {});

// The height of a field of several lines for what it showed last.
float text_field_height(const Ui& ui, const std::string& path, int least, int most);

// The field has the keyboard from the next frame on, with all of its text selected.
void focus_text_field(Ui& ui, const std::string& path);

// The field that has the keyboard; lasts between frames.
struct TextEditing {
  std::string path;
  TextEditor editor;
  std::string outside;        // the text as the caller gave it last
  bool just_changed = false;  // in the last frame: the caller may have made something else of it
  bool edited = false;        // since it has the keyboard
  bool dragging = false;      // the pointer draws out a selection
  bool reveal = true;         // scroll to the cursor
  bool drawn = true;          // in this frame
};

}  // namespace headlight::app
