#include "app/widgets/text_editor.h"

#include <utf8proc.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/platform/fonts.h"

namespace headlight::app {

namespace {

bool is_space(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return c == '\n' || category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

struct Snapshot {
  std::u32string text;
  std::size_t cursor = 0;
};

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

struct TextEditor::State {
  bool keeps_lines = false;
  std::u32string text;
  TextCursor cursor;
  std::size_t anchor = 0;         // where the selection began; at the cursor without one
  std::optional<float> wanted_x;  // while the cursor goes up and down
  std::vector<bool> starts;       // whether a cluster begins at a code point, and at the end
  std::vector<Snapshot> undo, redo;
  Edit open = Edit::none;  // what the newest step is still taking
  std::vector<std::u32string> steps;

  std::size_t size() const { return text.size(); }
  void find_clusters();
  std::size_t word_before(std::size_t at) const;
  std::size_t word_after(std::size_t at) const;
};

void TextEditor::State::find_clusters() {
  starts.assign(size() + 1, true);
  utf8proc_int32_t state = 0;
  for (std::size_t i = 1; i < size(); ++i)
    starts[i] = utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(text[i - 1]),
                                                 static_cast<utf8proc_int32_t>(text[i]), &state);
}

// Where the word before begins.
std::size_t TextEditor::State::word_before(std::size_t at) const {
  while (at > 0 && is_space(text[at - 1])) --at;
  while (at > 0 && !is_space(text[at - 1])) --at;
  return at;
}

// Where the next one begins.
std::size_t TextEditor::State::word_after(std::size_t at) const {
  while (at < size() && !is_space(text[at])) ++at;
  while (at < size() && is_space(text[at])) ++at;
  return at;
}

TextEditor::TextEditor(std::u32string text, bool keeps_lines) : state_(std::make_unique<State>()) {
  state_->keeps_lines = keeps_lines;
  state_->text = std::move(text);
  state_->find_clusters();
  place({state_->size(), true}, false);
}
TextEditor::TextEditor(TextEditor&&) noexcept = default;
TextEditor& TextEditor::operator=(TextEditor&&) noexcept = default;
TextEditor::~TextEditor() = default;

const std::u32string& TextEditor::text() const {
  return state_->text;
}

TextCursor TextEditor::place() const {
  return state_->cursor;
}

TextRow TextEditor::selection() const {
  const auto [first, last] = std::minmax(state_->anchor, state_->cursor.at);
  return {first, last};
}

std::u32string TextEditor::selected() const {
  const TextRow range = selection();
  return text().substr(range.first, range.last - range.first);
}

std::size_t TextEditor::cluster_at(std::size_t at) const {
  at = std::min(at, state_->size());
  while (at > 0 && !state_->starts[at]) --at;
  return at;
}

std::size_t TextEditor::next_cluster(std::size_t at) const {
  if (at >= state_->size()) return state_->size();
  do ++at;
  while (!state_->starts[at]);
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
  const std::size_t to = forward ? state_->word_after(letter->first) : state_->word_before(letter->last);
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
      const float x = state_->wanted_x ? *state_->wanted_x : rows.x_of(place());
      place(rows.nearest(move == Move::up ? row - 1 : row + 1, x), select);
      state_->wanted_x = x;
      return;
    }
    case Move::row_start:
      return place({rows.rows[row].first, false}, select);
    case Move::row_end: {
      const auto [first, last] = rows.rows[row];
      const bool wrapped = last > first && last < state_->size();  // its end is where the next one begins
      return place({wrapped ? last - 1 : last, true}, select);
    }
    case Move::text_start:
      return place({0, false}, select);
    case Move::text_end:
      return place({state_->size(), true}, select);
  }
}

void TextEditor::place(TextCursor to, bool select) {
  State& s = *state_;
  s.cursor = {cluster_at(to.at), to.behind};
  if (!select) s.anchor = s.cursor.at;
  s.wanted_x.reset();
  s.open = Edit::none;
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
  place({state_->size(), true}, true);
}

// A step goes on while the same is done; a word goes on from the space before it.
void TextEditor::begin(Edit edit) {
  State& s = *state_;
  const bool goes_on = edit == s.open || (edit == Edit::word && s.open == Edit::space);
  if (!goes_on || edit == Edit::other) {
    s.undo.push_back({s.text, s.cursor.at});
    if (s.undo.size() > most_steps) s.undo.erase(s.undo.begin());
    s.steps.push_back(s.text);
  }
  s.redo.clear();
  s.open = edit;
}

void TextEditor::insert(std::u32string_view added) {
  cut();
  State& s = *state_;
  const std::u32string_view fitting = added.substr(0, longest - std::min(longest, s.size()));
  s.text.insert(s.cursor.at, fitting);
  s.find_clusters();
  // What was typed may have joined what stands behind it.
  std::size_t to = s.cursor.at + fitting.size();
  if (!s.starts[to]) to = next_cluster(to);
  const Edit open = s.open;
  place({to, true}, false);
  s.open = open;
}

// Takes the selection away.
void TextEditor::cut() {
  State& s = *state_;
  const TextRow range = selection();
  if (range.first == range.last) return;
  s.text.erase(range.first, range.last - range.first);
  s.find_clusters();
  const std::size_t to = s.starts[range.first] ? range.first : next_cluster(range.first);
  const Edit open = s.open;
  place({to, true}, false);
  s.open = open;
}

void TextEditor::type(char32_t character) {
  const std::u32string clean = cleaned({&character, 1}, state_->keeps_lines);
  if (clean.empty()) return;
  const Edit edit = is_space(clean[0]) ? Edit::space : Edit::word;
  if (has_selection()) state_->open = Edit::none;
  begin(edit);
  insert(clean);
}

void TextEditor::paste(std::u32string_view added) {
  const std::u32string clean = cleaned(added, state_->keeps_lines);
  if (clean.empty() && !has_selection()) return;
  begin(Edit::other);
  insert(clean);
}

void TextEditor::erase(bool forward, bool word) {
  State& s = *state_;
  const std::size_t cursor_before = has_selection() ? s.anchor : cursor();
  if (has_selection()) {
    s.open = Edit::none;
  } else {
    std::size_t to = 0;
    if (word)
      to = forward ? s.word_after(cursor()) : s.word_before(cursor());
    else if (forward)
      to = next_cluster(cursor());
    else
      to = cursor() == 0 ? 0 : cluster_at(cursor() - 1);
    if (to == cursor()) return;
    s.anchor = cluster_at(to);
  }
  begin(Edit::erasing);
  if (!s.undo.empty() && s.undo.back().text == s.text) s.undo.back().cursor = cursor_before;
  cut();
}

void TextEditor::become(std::u32string text) {
  State& s = *state_;
  const std::u32string& old = s.text;
  std::size_t same = 0;  // at the end
  while (same < std::min(old.size(), text.size()) && old[old.size() - 1 - same] == text[text.size() - 1 - same]) ++same;
  s.text = std::move(text);
  s.find_clusters();
  place({s.size() - same, true}, false);
}

namespace {

// Goes to the last of `from`; what is there now joins `to`.
bool restore(TextEditor& editor, std::vector<Snapshot>& from, std::vector<Snapshot>& to) {
  if (from.empty()) return false;
  to.push_back({editor.text(), editor.cursor()});
  const Snapshot next = std::move(from.back());
  from.pop_back();
  editor.become(next.text);
  editor.place({next.cursor, true}, false);
  return true;
}

}  // namespace

bool TextEditor::undo() {
  state_->open = Edit::none;
  return restore(*this, state_->undo, state_->redo);
}

bool TextEditor::redo() {
  state_->open = Edit::none;
  return restore(*this, state_->redo, state_->undo);
}

std::vector<std::u32string> TextEditor::take_steps() {
  return std::exchange(state_->steps, {});
}

}  // namespace headlight::app
