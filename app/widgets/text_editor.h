// The text behind a field, as Unicode code points, with its cursor, its selection and its undo: what keys do to it.
// Moves go by grapheme clusters, so that no key stops inside a flag, a family of emoji or a letter with its accents.
//
// It says where its lines are broken, too, by widths that whoever draws it gives.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

  static constexpr std::size_t longest = 200000;  // code points; what is typed or pasted beyond is left out

  const std::u32string& text() const { return text_; }
  std::size_t cursor() const { return cursor_.at; }
  TextCursor place() const { return cursor_; }
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
  void set_text(std::u32string text);

  // A word that is typed with the space before it, a run of deletions, a paste: each is one step.
  bool undo();
  bool redo();
  // The texts before each step that has begun since the last call.
  std::vector<std::u32string> take_steps() { return std::exchange(steps_, {}); }

 private:
  enum class Edit { none, word, space, erasing, other };
  struct Snapshot {
    std::u32string text;
    std::size_t cursor = 0;
  };
  void begin(Edit edit);
  TextCursor word_beside(bool to_the_right, const TextRows& rows) const;
  void insert(std::u32string_view text);
  void cut();
  void find_clusters();
  std::size_t word_before(std::size_t at) const;  // where it begins
  std::size_t word_after(std::size_t at) const;   // where the next one begins
  bool restore(std::vector<Snapshot>& from, std::vector<Snapshot>& to);

  bool keeps_lines_ = false;
  std::u32string text_;
  TextCursor cursor_;
  std::size_t anchor_ = 0;         // where the selection began; at the cursor without one
  std::optional<float> wanted_x_;  // while the cursor goes up and down
  std::vector<bool> starts_;       // whether a cluster begins at a code point, and at the end
  std::vector<Snapshot> undo_, redo_;
  Edit open_ = Edit::none;  // what the newest step is still taking
  std::vector<std::u32string> steps_;
};

// Rows no wider than `width`, broken after spaces, between ideographs, and, where a word is wider than a row, between
// its grapheme clusters. The space at a row's end hangs over it. At least one row; a line break always ends one.
std::vector<TextRow> wrapped_rows(const TextEditor& editor, float width,
                                  const std::function<float(std::u32string_view)>& width_of);

}  // namespace headlight::app
