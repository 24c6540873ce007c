#include "app/widgets/text_keys.h"

#include <optional>

namespace headlight::app {

namespace {

using Move = TextEditor::Move;

std::optional<Move> move_of(const KeyChange& key) {
  const bool far = key.modifiers.ctrl;
  switch (key.key) {
    case Key::left:
      return far ? Move::word_left : Move::left;
    case Key::right:
      return far ? Move::word_right : Move::right;
    case Key::up:
      return far ? Move::text_start : Move::up;
    case Key::down:
      return far ? Move::text_end : Move::down;
    case Key::home:
      return far ? Move::text_start : Move::row_start;
    case Key::end:
      return far ? Move::text_end : Move::row_end;
    case Key::page_up:
      return Move::text_start;
    case Key::page_down:
      return Move::text_end;
    default:
      return {};
  }
}

// Ctrl and a letter; false where it is none of the field's.
bool edit_by_letter(TextEditor& editor, const KeyChange& key, bool own_undo) {
  switch (key.key) {
    case Key::a:
      editor.select_all();
      return true;
    case Key::c:
      if (editor.has_selection()) set_clipboard(to_utf8(editor.selected()));
      return true;
    case Key::x:
      if (!editor.has_selection()) return true;
      set_clipboard(to_utf8(editor.selected()));
      editor.erase(true, false);
      return true;
    case Key::v:
      editor.paste(from_utf8(clipboard()));
      return true;
    case Key::z:
      if (own_undo) key.modifiers.shift ? editor.redo() : editor.undo();
      return own_undo;
    case Key::y:
      if (own_undo) editor.redo();
      return own_undo;
    default:
      return false;
  }
}

}  // namespace

bool edit_by_key(TextEditor& editor, const KeyChange& key, const TextRows& rows, const TextUse& use) {
  if (key.modifiers.alt) return false;
  if (const auto move = move_of(key)) {
    editor.move(*move, key.modifiers.shift, rows);
    return true;
  }
  if (key.key == Key::backspace || key.key == Key::erase) {
    editor.erase(key.key == Key::erase, key.modifiers.ctrl);
    return true;
  }
  if (key.modifiers.ctrl) return edit_by_letter(editor, key, use.own_undo);
  // The rest are letters, whose characters follow; what leads elsewhere is not the field's.
  return key.key != Key::tab && key.key != Key::f1 && key.key != Key::f5 && key.key != Key::f6;
}

}  // namespace headlight::app
