#include <utf8proc.h>

#include <algorithm>
#include <utility>

#include "app/platform/fonts.h"
#include "app/widgets/text_editor.h"

namespace headlight::app {

namespace {

bool is_space(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return c == '\n' || category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

constexpr std::size_t most_steps = 1000;

// What a key or the clipboard gives, as the text takes it.
std::u32string cleaned(std::u32string_view text, bool keeps_lines) {
  std::u32string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool no_character = (c >= 0xD800 && c <= 0xDFFF) || c > 0x10FFFF;
    const bool breaks = c == '\n' || c == '\r' || c == 0x85;
    if (breaks || c == '\t')
      clean.push_back(breaks && keeps_lines ? '\n' : ' ');
    else if (!control && !no_character)
      clean.push_back(c);
  }
  return clean;
}

bool is_ideograph(char32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

// The end of what stays on one row: a word with what follows it up to the next, or one ideograph.
std::size_t end_of_piece(const TextEditor& editor, std::size_t from, std::size_t& end_of_ink) {
  const std::u32string& text = editor.text();
  std::size_t at = from;
  while (at < text.size() && text[at] != ' ' && text[at] != '\n') {
    const bool alone = is_ideograph(text[at]);
    at = editor.next_cluster(at);
    if (alone || (at < text.size() && is_ideograph(text[at]))) break;
  }
  end_of_ink = at;
  while (at < text.size() && text[at] == ' ') ++at;
  return at;
}

}  // namespace

std::u32string from_utf8(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    characters.push_back(step.character);
    text.remove_prefix(step.size);
  }
  return characters;
}

std::string to_utf8(std::u32string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (const char32_t c : text) append_utf8(bytes, c);
  return bytes;
}

void TextEditor::find_clusters() {
  starts_.assign(text_.size() + 1, true);
  utf8proc_int32_t state = 0;
  for (std::size_t i = 1; i < text_.size(); ++i)
    starts_[i] = utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(text_[i - 1]),
                                                  static_cast<utf8proc_int32_t>(text_[i]), &state);
}

std::size_t TextEditor::word_before(std::size_t at) const {
  while (at > 0 && is_space(text_[at - 1])) --at;
  while (at > 0 && !is_space(text_[at - 1])) --at;
  return at;
}

std::size_t TextEditor::word_after(std::size_t at) const {
  while (at < text_.size() && !is_space(text_[at])) ++at;
  while (at < text_.size() && is_space(text_[at])) ++at;
  return at;
}

TextEditor::TextEditor(std::u32string text, bool keeps_lines) : keeps_lines_(keeps_lines), text_(std::move(text)) {
  find_clusters();
  place({text_.size(), true}, false);
}
TextRow TextEditor::selection() const {
  const auto [first, last] = std::minmax(anchor_, cursor_.at);
  return {first, last};
}

std::u32string TextEditor::selected() const {
  const TextRow range = selection();
  return text().substr(range.first, range.last - range.first);
}

std::size_t TextEditor::cluster_at(std::size_t at) const {
  at = std::min(at, text_.size());
  while (at > 0 && !starts_[at]) --at;
  return at;
}

std::size_t TextEditor::next_cluster(std::size_t at) const {
  if (at >= text_.size()) return text_.size();
  do ++at;
  while (!starts_[at]);
  return at;
}

// Steps by words over a run of one direction, not on beyond where another one begins: so the cursor goes on to the side
// of its key.
TextCursor TextEditor::word_beside(bool to_the_right, const TextRows& rows) const {
  TextCursor from = place();
  auto letter = rows.next_letter(from, to_the_right);
  if (!letter) letter = rows.next_letter(from = rows.beside(from, to_the_right), to_the_right);
  if (!letter) return from;
  const bool forward = to_the_right != letter->right_to_left;
  const std::size_t to = forward ? word_after(letter->first) : word_before(letter->last);
  const TextRow run = rows.run_of(*letter);
  const TextCursor moved{std::clamp(to, run.first, run.last), forward};
  const std::size_t row = rows.row_of(from.at), then = rows.row_of(moved.at);
  const bool onward = to_the_right != rows.right_to_left;
  return then == row || (then > row) == onward ? moved : rows.beside(from, to_the_right);
}

void TextEditor::move(Move move, bool select, const TextRows& rows) {
  const std::size_t row = rows.row_of(cursor());
  switch (move) {
    case Move::left:
    case Move::right: {
      const bool to_the_right = move == Move::right;
      if (select || !has_selection()) return place(rows.beside(place(), to_the_right), select);
      const TextCursor first{selection().first, false}, last{selection().last, true};
      const bool one_row = rows.row_of(first.at) == rows.row_of(last.at);
      const bool last_is_right = one_row ? rows.x_of(last) > rows.x_of(first) : !rows.right_to_left;
      return place(last_is_right == to_the_right ? last : first, false);
    }
    case Move::word_left:
    case Move::word_right:
      return place(word_beside(move == Move::word_right, rows), select);
    case Move::up:
    case Move::down: {
      if (move == Move::up ? row == 0 : row + 1 >= rows.rows.size()) return place(place(), select);
      const float x = wanted_x_ ? *wanted_x_ : rows.x_of(place());
      place(rows.nearest(move == Move::up ? row - 1 : row + 1, x), select);
      wanted_x_ = x;
      return;
    }
    case Move::row_start:
      return place({rows.rows[row].first, false}, select);
    case Move::row_end: {
      const auto [first, last] = rows.rows[row];
      const bool wrapped = last > first && last < text_.size();  // its end is where the next one begins
      return place({wrapped ? last - 1 : last, true}, select);
    }
    case Move::text_start:
      return place({0, false}, select);
    case Move::text_end:
      return place({text_.size(), true}, select);
  }
}

void TextEditor::place(TextCursor to, bool select) {
  cursor_ = {cluster_at(to.at), to.behind};
  if (!select) anchor_ = cursor_.at;
  wanted_x_.reset();
  open_ = Edit::none;
}

void TextEditor::select_word(std::size_t at) {
  const std::u32string& all = text();
  if (all.empty()) return;
  at = std::min(at, all.size() - 1);
  const bool space = is_space(all[at]);
  std::size_t first = at, last = at;
  while (first > 0 && is_space(all[first - 1]) == space) --first;
  while (last < all.size() && is_space(all[last]) == space) ++last;
  place({first, false}, false);
  place({last, true}, true);
}

void TextEditor::select_all() {
  place({}, false);
  place({text_.size(), true}, true);
}

// A step goes on while the same is done; a word goes on from the space before it.
void TextEditor::begin(Edit edit) {
  const bool goes_on = edit == open_ || (edit == Edit::word && open_ == Edit::space);
  if (!goes_on || edit == Edit::other) {
    undo_.push_back({text_, cursor_.at});
    if (undo_.size() > most_steps) undo_.erase(undo_.begin());
    steps_.push_back(text_);
  }
  redo_.clear();
  open_ = edit;
}

void TextEditor::insert(std::u32string_view added) {
  cut();
  const std::u32string_view fitting = added.substr(0, longest - std::min(longest, text_.size()));
  text_.insert(cursor_.at, fitting);
  find_clusters();
  // What was typed may have joined what stands behind it.
  std::size_t to = cursor_.at + fitting.size();
  if (!starts_[to]) to = next_cluster(to);
  const Edit open = open_;
  place({to, true}, false);
  open_ = open;
}

// Takes the selection away.
void TextEditor::cut() {
  const TextRow range = selection();
  if (range.first == range.last) return;
  text_.erase(range.first, range.last - range.first);
  find_clusters();
  const std::size_t to = starts_[range.first] ? range.first : next_cluster(range.first);
  const Edit open = open_;
  place({to, true}, false);
  open_ = open;
}

void TextEditor::type(char32_t character) {
  const std::u32string clean = cleaned({&character, 1}, keeps_lines_);
  if (clean.empty()) return;
  const Edit edit = is_space(clean[0]) ? Edit::space : Edit::word;
  if (has_selection()) open_ = Edit::none;
  begin(edit);
  insert(clean);
}

void TextEditor::paste(std::u32string_view added) {
  const std::u32string clean = cleaned(added, keeps_lines_);
  if (clean.empty() && !has_selection()) return;
  begin(Edit::other);
  insert(clean);
}

void TextEditor::erase(bool forward, bool word) {
  const std::size_t cursor_before = has_selection() ? anchor_ : cursor();
  if (has_selection()) {
    open_ = Edit::none;
  } else {
    std::size_t to = 0;
    if (word)
      to = forward ? word_after(cursor()) : word_before(cursor());
    else if (forward)
      to = next_cluster(cursor());
    else
      to = cursor() == 0 ? 0 : cluster_at(cursor() - 1);
    if (to == cursor()) return;
    anchor_ = cluster_at(to);
  }
  begin(Edit::erasing);
  if (!undo_.empty() && undo_.back().text == text_) undo_.back().cursor = cursor_before;
  cut();
}

void TextEditor::set_text(std::u32string text) {
  const std::u32string& old = text_;
  std::size_t same = 0;  // at the end
  while (same < std::min(old.size(), text.size()) && old[old.size() - 1 - same] == text[text.size() - 1 - same]) ++same;
  text_ = std::move(text);
  find_clusters();
  place({text_.size() - same, true}, false);
}

// Goes to the last of `from`; what is there now joins `to`.
bool TextEditor::restore(std::vector<Snapshot>& from, std::vector<Snapshot>& to) {
  open_ = Edit::none;
  if (from.empty()) return false;
  to.push_back({text_, cursor_.at});
  const Snapshot next = std::move(from.back());
  from.pop_back();
  set_text(next.text);
  place({next.cursor, true}, false);
  return true;
}

bool TextEditor::undo() {
  return restore(undo_, redo_);
}

bool TextEditor::redo() {
  return restore(redo_, undo_);
}

std::vector<TextRow> wrapped_rows(const TextEditor& editor, float width,
                                  const std::function<float(std::u32string_view)>& width_of) {
  const std::u32string_view text = editor.text();
  std::vector<TextRow> rows;
  std::size_t first = 0, at = 0;
  float used = 0;  // of the row, up to `at`
  const auto end_row = [&](std::size_t last) {
    rows.push_back({first, last});
    first = last;
    used = 0;
  };
  while (at < text.size()) {
    if (text[at] == '\n') {
      end_row(++at);
      continue;
    }
    std::size_t ink = 0;
    const std::size_t end = end_of_piece(editor, at, ink);
    const float needed = width_of(text.substr(at, ink - at));
    if (used > 0 && used + needed > width) end_row(at);
    if (needed > width) {  // wider than any row
      for (std::size_t next = at; at < ink; at = next) {
        next = editor.next_cluster(at);
        const float one = width_of(text.substr(at, next - at));
        if (used > 0 && used + one > width) end_row(at);
        used += one;
      }
    } else {
      used += needed;
    }
    used += width_of(text.substr(ink, end - ink));
    at = end;
  }
  rows.push_back({first, text.size()});
  return rows;
}

}  // namespace headlight::app
