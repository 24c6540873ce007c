#include "app/widgets/text_rows.h"

#include <algorithm>
#include <cmath>

namespace headlight::app {

namespace {

using Letters = std::vector<TextLetter>;

TextCursor side_of(const TextLetter& letter, bool right) {
  const bool end = right != letter.right_to_left;
  return {end ? letter.last : letter.first, end};
}

// The letter that a cursor stands at, and at which of its sides.
struct Side {
  std::size_t letter = 0;
  bool right = false;
};

// Of a row that has letters.
Side side_at(const Letters& letters, TextCursor cursor) {
  const auto after = std::ranges::find(letters, cursor.at, &TextLetter::first);
  const auto before = std::ranges::find(letters, cursor.at, &TextLetter::last);
  const bool end = after == letters.end() || (cursor.behind && before != letters.end());
  auto at = after;
  if (end) at = before != letters.end() ? before : letters.end() - 1;
  return {static_cast<std::size_t>(at - letters.begin()), end != at->right_to_left};
}

void sort_as_seen(Letters& letters) {
  std::ranges::stable_sort(letters, {}, [](const TextLetter& letter) { return letter.left + letter.right; });
}

// A side of a letter whose cursor the row shows: at a row's end it may be the next row that does.
TextCursor side_in_row(const TextRows& rows, std::size_t row, const TextLetter& letter, bool right) {
  const TextCursor cursor = side_of(letter, right);
  return rows.row_of(cursor.at) == row ? cursor : side_of(letter, !right);
}

TextCursor end_of_row(const TextRows& rows, std::size_t row, bool right) {
  Letters letters = rows.letters(rows.rows[row]);
  if (letters.empty()) return {rows.rows[row].first, false};
  sort_as_seen(letters);
  return side_in_row(rows, row, right ? letters.back() : letters.front(), right);
}

}  // namespace

std::size_t TextRows::row_of(std::size_t at) const {
  std::size_t low = 0, high = rows.empty() ? 0 : rows.size() - 1;  // the last row that begins at it or before
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (rows[middle].first <= at)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

float TextRows::x_of(TextCursor cursor) const {
  const Letters row = letters(rows[row_of(cursor.at)]);
  if (row.empty()) return start;
  const Side side = side_at(row, cursor);
  return side.right ? row[side.letter].right : row[side.letter].left;
}

TextCursor TextRows::nearest(std::size_t row, float x) const {
  const Letters all = letters(rows[row]);
  if (all.empty()) return {rows[row].first, false};
  const auto& letter = *std::ranges::min_element(
      all, {}, [x](const TextLetter& l) { return std::abs(x - std::clamp(x, l.left, std::max(l.left, l.right))); });
  return side_in_row(*this, row, letter, x > (letter.left + letter.right) / 2);
}

std::optional<TextLetter> TextRows::next_letter(TextCursor cursor, bool to_the_right) const {
  Letters all = letters(rows[row_of(cursor.at)]);
  if (all.empty()) return {};
  sort_as_seen(all);
  const Side side = side_at(all, cursor);
  const std::size_t before = side.letter + (side.right ? 1 : 0);  // letters at the cursor's left
  if (to_the_right ? before == all.size() : before == 0) return {};
  return all[to_the_right ? before : before - 1];
}

TextCursor TextRows::beside(TextCursor cursor, bool to_the_right) const {
  const std::size_t row = row_of(cursor.at);
  if (const auto letter = next_letter(cursor, to_the_right)) {
    const TextCursor moved = side_of(*letter, to_the_right);
    if (row_of(moved.at) == row) return moved;
  }
  const bool onward = to_the_right != right_to_left;
  if (onward ? row + 1 == rows.size() : row == 0) return cursor;
  return end_of_row(*this, onward ? row + 1 : row - 1, !to_the_right);
}

TextRow TextRows::run_of(const TextLetter& letter) const {
  const Letters all = letters(rows[row_of(letter.first)]);
  const auto at = std::ranges::find(all, letter.first, &TextLetter::first);
  auto first = at, last = at;
  while (first != all.begin() && (first - 1)->right_to_left == letter.right_to_left) --first;
  while (last != all.end() && last->right_to_left == letter.right_to_left) ++last;
  // Rows begin and end in the direction of the whole text, so that a run of it may go on in others.
  const bool goes_on = letter.right_to_left == right_to_left;
  const std::size_t end = last == all.end() ? all.back().last : last->first;
  return {goes_on && first == all.begin() ? 0 : first->first, goes_on && last == all.end() ? rows.back().last : end};
}

}  // namespace headlight::app
