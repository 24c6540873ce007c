// The text behind a field, as Unicode code points, with its cursor, its selection and its undo: what keys do to it.
// Moves go by grapheme clusters, so that no key stops inside a flag, a family of emoji or a letter with its accents.
//
// Not for drawing, nor for where lines are broken: whoever draws it says that.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/widgets/text_rows.h"

namespace headlight::app {

// Bytes that are not UTF-8 become U+FFFD.
std::u32string from_utf8(std::string_view text);
std::string to_utf8(std::u32string_view text);

class TextEditor {
 public:
  // Line breaks that are typed or pasted become spaces, unless they are kept.
  explicit TextEditor(std::u32string text = {}, bool keeps_lines = false);
  TextEditor(TextEditor&&) noexcept;
  TextEditor& operator=(TextEditor&&) noexcept;
  ~TextEditor();

  static constexpr std::size_t longest = 200000;  // code points; what is typed or pasted beyond is left out

  const std::u32string& text() const;
  std::size_t cursor() const { return place().at; }
  TextCursor place() const;
  // First and last, in order; equal without a selection.
  TextRow selection() const;
  bool has_selection() const { return selection().first != selection().last; }
  std::u32string selected() const;
  // The start of the cluster that holds this code point.
  std::size_t cluster_at(std::size_t at) const;
  std::size_t next_cluster(std::size_t at) const;

  enum class Move { left, right, word_left, word_right, up, down, row_start, row_end, text_start, text_end };
  // Left and right are those of the screen, whichever way the text runs.
  void move(Move move, bool select, const TextRows& rows);
  // To a code point: with `select`, the selection is drawn out to it.
  void place(TextCursor to, bool select);
  void select_word(std::size_t at);
  void select_all();

  // Replaces the selection. Tabs become spaces; other control characters are left out.
  void type(char32_t character);
  void paste(std::u32string_view text);
  void erase(bool forward, bool word);
  // The text was changed from outside, by undo for example: the cursor goes to the end of what became another.
  void become(std::u32string text);

  // A word that is typed with the space before it, a run of deletions, a paste: each is one step.
  bool undo();
  bool redo();
  // The texts before each step that has begun since the last call.
  std::vector<std::u32string> take_steps();

 private:
  struct State;
  enum class Edit { none, word, space, erasing, other };
  void begin(Edit edit);
  TextCursor word_beside(bool to_the_right, const TextRows& rows) const;
  void insert(std::u32string_view text);
  void cut();
  std::unique_ptr<State> state_;
};

}  // namespace headlight::app
