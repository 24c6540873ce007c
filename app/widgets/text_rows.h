// How a field's text lies on the screen: its rows, the letters in them, and where a cursor stands and goes as it is
// seen, in text of either direction.
//
// Not for what keys do to the text, nor for where its lines are broken (text_editor.h).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace headlight::app {

// The code points [first, last) that stand on one line.
struct TextRow {
  std::size_t first = 0;
  std::size_t last = 0;
};

// A grapheme cluster of a row, px from the left end of the text.
struct TextLetter {
  std::size_t first = 0;
  std::size_t last = 0;
  float left = 0;
  float right = 0;
  bool right_to_left = false;
};

// Between two letters: at the end of the one before, or else at the start of the one after. Where the direction of the
// text changes between them, these lie apart.
struct TextCursor {
  std::size_t at = 0;
  bool behind = false;

  bool operator==(const TextCursor&) const = default;
};

struct TextRows {
  std::vector<TextRow> rows;                                     // they follow each other without a gap
  std::function<std::vector<TextLetter>(TextRow)> letters = {};  // in the order in which they are read
  bool right_to_left = false;                                    // the text as a whole: rows begin at the right
  float start = 0;                                               // where the cursor of an empty row stands

  std::size_t row_of(std::size_t at) const;
  float x_of(TextCursor cursor) const;
  // The side of a letter of the row that is nearest to x.
  TextCursor nearest(std::size_t row, float x) const;
  // The letter that the cursor would step over; none at that end of its row.
  std::optional<TextLetter> next_letter(TextCursor cursor, bool to_the_right) const;
  // One letter further, and from the end of a row on to the row that is read before or after it.
  TextCursor beside(TextCursor cursor, bool to_the_right) const;
  // The code points round a letter that run in its direction without a break, as far as the row shows.
  TextRow run_of(const TextLetter& letter) const;
};

}  // namespace headlight::app
