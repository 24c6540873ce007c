#include "app/widgets/text_keys.h"

#include <algorithm>
#include <iterator>

namespace headlight::app {

namespace {

using Move = TextEditor::Move;

// Where a key leads, and where it does with Ctrl.
struct KeyMove {
  Key key;
  Move near, far;
};
constexpr KeyMove key_moves[] = {
    {Key::left, Move::left, Move::word_left},
    {Key::right, Move::right, Move::word_right},
    {Key::up, Move::up, Move::text_start},
    {Key::down, Move::down, Move::text_end},
    {Key::home, Move::row_start, Move::text_start},
    {Key::end, Move::row_end, Move::text_end},
    {Key::page_up, Move::text_start, Move::text_start},
    {Key::page_down, Move::text_end, Move::text_end},
};

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
  const auto* move = std::ranges::find(key_moves, key.key, &KeyMove::key);
  if (move != std::end(key_moves)) {
    editor.move(key.modifiers.ctrl ? move->far : move->near, key.modifiers.shift, rows);
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
