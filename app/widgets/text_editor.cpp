#include "app/widgets/text_editor.h"

#include <utf8proc.h>

#include <algorithm>
#include <utility>

#include "app/platform/fonts.h"

namespace headlight::app {

namespace {

// What stb_textedit edits.
struct Buffer {
  std::u32string text;
  const TextRows* rows = nullptr;  // while a key moves the cursor between rows
};

bool is_space(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return c == '\n' || category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

bool insert_characters(Buffer* buffer, int at, const char32_t* text, int count) {
  buffer->text.insert(static_cast<std::size_t>(at), text, static_cast<std::size_t>(count));
  return true;
}

void delete_characters(Buffer* buffer, int at, int count) {
  buffer->text.erase(static_cast<std::size_t>(at), static_cast<std::size_t>(count));
}

float width_of_character(Buffer* buffer, int first, int at) {
  const TextRows& rows = *buffer->rows;
  const TextRow row = rows.rows[rows.row_of(static_cast<std::size_t>(first))];
  const auto place = static_cast<std::size_t>(first + at);
  return rows.width_to(row, place + 1) - rows.width_to(row, place);
}

}  // namespace

}  // namespace headlight::app

#define STB_TEXTEDIT_CHARTYPE char32_t
#define STB_TEXTEDIT_STRING headlight::app::Buffer
#define STB_TEXTEDIT_UNDOSTATECOUNT 4  // the editor keeps its own steps
#define STB_TEXTEDIT_UNDOCHARCOUNT 4
#include <stb_textedit.h>

namespace headlight::app {

namespace {

void lay_out_row(StbTexteditRow* out, Buffer* buffer, int first) {
  const TextRows& rows = *buffer->rows;
  const TextRow row = rows.rows[rows.row_of(static_cast<std::size_t>(first))];
  *out = {0, rows.width_to(row, row.last), 1, 0, 1, static_cast<int>(row.last) - first};
}

// Keys as stb_textedit is told them; beyond any character.
enum : int {
  key_left = 0x200000,
  key_right,
  key_up,
  key_down,
  key_row_start,
  key_row_end,
  key_text_start,
  key_text_end,
  key_erase,
  key_backspace,
  key_undo,
  key_redo,
  key_word_left,
  key_word_right,
  key_page_up,
  key_page_down,
  key_with_shift = 0x400000,
};

}  // namespace

}  // namespace headlight::app

#define STB_TEXTEDIT_STRINGLEN(buffer) static_cast<int>((buffer)->text.size())
#define STB_TEXTEDIT_LAYOUTROW(row, buffer, first) headlight::app::lay_out_row(row, buffer, first)
#define STB_TEXTEDIT_GETWIDTH(buffer, first, at) headlight::app::width_of_character(buffer, first, at)
#define STB_TEXTEDIT_KEYTOTEXT(key) (-1)
#define STB_TEXTEDIT_GETCHAR(buffer, at) ((buffer)->text[static_cast<std::size_t>(at)])
#define STB_TEXTEDIT_NEWLINE U'\n'
#define STB_TEXTEDIT_DELETECHARS(buffer, at, count) headlight::app::delete_characters(buffer, at, count)
#define STB_TEXTEDIT_INSERTCHARS(buffer, at, text, count) headlight::app::insert_characters(buffer, at, text, count)
#define STB_TEXTEDIT_IS_SPACE(character) headlight::app::is_space(character)
#define STB_TEXTEDIT_K_SHIFT headlight::app::key_with_shift
#define STB_TEXTEDIT_K_LEFT headlight::app::key_left
#define STB_TEXTEDIT_K_RIGHT headlight::app::key_right
#define STB_TEXTEDIT_K_UP headlight::app::key_up
#define STB_TEXTEDIT_K_DOWN headlight::app::key_down
#define STB_TEXTEDIT_K_PGUP headlight::app::key_page_up
#define STB_TEXTEDIT_K_PGDOWN headlight::app::key_page_down
#define STB_TEXTEDIT_K_LINESTART headlight::app::key_row_start
#define STB_TEXTEDIT_K_LINEEND headlight::app::key_row_end
#define STB_TEXTEDIT_K_TEXTSTART headlight::app::key_text_start
#define STB_TEXTEDIT_K_TEXTEND headlight::app::key_text_end
#define STB_TEXTEDIT_K_DELETE headlight::app::key_erase
#define STB_TEXTEDIT_K_BACKSPACE headlight::app::key_backspace
#define STB_TEXTEDIT_K_UNDO headlight::app::key_undo
#define STB_TEXTEDIT_K_REDO headlight::app::key_redo
#define STB_TEXTEDIT_K_WORDLEFT headlight::app::key_word_left
#define STB_TEXTEDIT_K_WORDRIGHT headlight::app::key_word_right
#define STB_TEXTEDIT_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include <stb_textedit.h>
#pragma GCC diagnostic pop

namespace headlight::app {

namespace {

struct Snapshot {
  std::u32string text;
  int cursor = 0;
};

constexpr std::size_t most_steps = 1000;

// What a key or the clipboard gives, as the text takes it.
std::u32string cleaned(std::u32string_view text) {
  std::u32string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool no_character = (c >= 0xD800 && c <= 0xDFFF) || c > 0x10FFFF;
    if (c == '\n' || c == '\r' || c == '\t' || c == 0x85)
      clean.push_back(' ');
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

struct TextEditor::State {
  Buffer buffer;
  STB_TexteditState stb{};
  std::vector<bool> starts;  // whether a cluster begins at a code point, and at the end
  std::vector<Snapshot> undo, redo;
  Edit open = Edit::none;  // what the newest step is still taking
  std::vector<std::u32string> steps;

  std::size_t size() const { return buffer.text.size(); }
  void find_clusters();
};

void TextEditor::State::find_clusters() {
  starts.assign(size() + 1, true);
  utf8proc_int32_t state = 0;
  for (std::size_t i = 1; i < size(); ++i)
    starts[i] = utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(buffer.text[i - 1]),
                                                 static_cast<utf8proc_int32_t>(buffer.text[i]), &state);
}

TextEditor::TextEditor(std::u32string text) : state_(std::make_unique<State>()) {
  stb_textedit_initialize_state(&state_->stb, 0);
  state_->buffer.text = std::move(text);
  state_->find_clusters();
  place(state_->size(), false);
}
TextEditor::TextEditor(TextEditor&&) noexcept = default;
TextEditor& TextEditor::operator=(TextEditor&&) noexcept = default;
TextEditor::~TextEditor() = default;

const std::u32string& TextEditor::text() const {
  return state_->buffer.text;
}

std::size_t TextEditor::cursor() const {
  return static_cast<std::size_t>(state_->stb.cursor);
}

TextRow TextEditor::selection() const {
  const auto [first, last] = std::minmax(state_->stb.select_start, state_->stb.select_end);
  if (first == last) return {cursor(), cursor()};
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
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

// Off the inside of clusters.
void TextEditor::snap(bool forward) {
  const auto to_edge = [&](int& at) {
    const auto place = static_cast<std::size_t>(std::clamp(at, 0, static_cast<int>(state_->size())));
    const std::size_t edge = state_->starts[place] ? place : forward ? next_cluster(place) : cluster_at(place);
    at = static_cast<int>(edge);
  };
  STB_TexteditState& stb = state_->stb;
  to_edge(stb.cursor);
  to_edge(stb.select_start);
  to_edge(stb.select_end);
  if (stb.select_start != stb.select_end) stb.cursor = stb.select_end;
}

void TextEditor::move(Move move, bool select, const TextRows& rows) {
  state_->open = Edit::none;
  if (move == Move::row_start || move == Move::row_end) {
    const TextRow row = rows.rows[rows.row_of(cursor())];
    const bool wrapped = row.last > row.first && row.last < state_->size();  // its end is where the next one begins
    place(move == Move::row_start ? row.first : wrapped ? row.last - 1 : row.last, select);
    if (wrapped && move == Move::row_end) snap(false);
    return;
  }
  constexpr int keys[] = {key_left, key_right, key_word_left,  key_word_right, key_up, key_down,
                          0,        0,         key_text_start, key_text_end};
  state_->buffer.rows = &rows;
  stb_textedit_key(&state_->buffer, &state_->stb,
                   keys[static_cast<std::size_t>(move)] | (select ? static_cast<int>(key_with_shift) : 0));
  state_->buffer.rows = nullptr;
  snap(move == Move::right || move == Move::word_right);
}

void TextEditor::place(std::size_t at, bool select) {
  STB_TexteditState& stb = state_->stb;
  const int to = static_cast<int>(cluster_at(at));
  if (!select)
    stb.select_start = to;
  else if (stb.select_start == stb.select_end)
    stb.select_start = stb.cursor;
  stb.select_end = stb.cursor = to;
  stb.has_preferred_x = 0;
  state_->open = Edit::none;
}

void TextEditor::select_word(std::size_t at) {
  const std::u32string& all = text();
  if (all.empty()) return;
  at = std::min(at, all.size() - 1);
  const bool space = is_space(all[at]);
  std::size_t first = at, last = at;
  while (first > 0 && is_space(all[first - 1]) == space) --first;
  while (last < all.size() && is_space(all[last]) == space) ++last;
  place(first, false);
  place(last, true);
}

void TextEditor::select_all() {
  place(0, false);
  place(state_->size(), true);
}

// A step goes on while the same is done; a word goes on from the space before it.
void TextEditor::begin(Edit edit) {
  State& s = *state_;
  const bool goes_on = edit == s.open || (edit == Edit::word && s.open == Edit::space);
  if (!goes_on || edit == Edit::other) {
    s.undo.push_back({s.buffer.text, s.stb.cursor});
    if (s.undo.size() > most_steps) s.undo.erase(s.undo.begin());
    s.steps.push_back(s.buffer.text);
  }
  s.redo.clear();
  s.open = edit;
}

void TextEditor::after_change() {
  state_->find_clusters();
  snap(true);
}

void TextEditor::insert(std::u32string_view added) {
  std::u32string clean(added);
  const TextRow range = selection();
  const std::size_t room = longest - std::min(longest, state_->size() - (range.last - range.first));
  clean.resize(std::min(clean.size(), room));
  stb_textedit_paste(&state_->buffer, &state_->stb, clean.data(), static_cast<int>(clean.size()));
  state_->stb.select_start = state_->stb.select_end = state_->stb.cursor;
  after_change();
}

void TextEditor::type(char32_t character) {
  const std::u32string clean = cleaned({&character, 1});
  if (clean.empty()) return;
  const Edit edit = is_space(clean[0]) ? Edit::space : Edit::word;
  if (has_selection()) state_->open = Edit::none;
  begin(edit);
  insert(clean);
}

void TextEditor::paste(std::u32string_view added) {
  const std::u32string clean = cleaned(added);
  if (clean.empty() && !has_selection()) return;
  begin(Edit::other);
  insert(clean);
}

void TextEditor::erase(bool forward, bool word) {
  State& s = *state_;
  if (!has_selection()) {
    std::size_t to = 0;
    if (word)
      to = static_cast<std::size_t>(forward ? stb_textedit_move_to_word_next(&s.buffer, s.stb.cursor)
                                            : stb_textedit_move_to_word_previous(&s.buffer, s.stb.cursor));
    else if (forward)
      to = next_cluster(cursor());
    else
      to = cursor() == 0 ? 0 : cluster_at(cursor() - 1);
    if (to == cursor()) return;
    s.stb.select_start = s.stb.cursor;
    s.stb.select_end = s.stb.cursor = static_cast<int>(to);
    snap(forward);
  } else {
    s.open = Edit::none;
  }
  const int cursor_before = s.stb.select_start;
  begin(Edit::erasing);
  if (!s.undo.empty() && s.undo.back().text == s.buffer.text) s.undo.back().cursor = cursor_before;
  stb_textedit_cut(&s.buffer, &s.stb);
  after_change();
}

void TextEditor::become(std::u32string text) {
  State& s = *state_;
  const std::u32string& old = s.buffer.text;
  std::size_t same = 0;  // at the end
  while (same < std::min(old.size(), text.size()) && old[old.size() - 1 - same] == text[text.size() - 1 - same]) ++same;
  s.buffer.text = std::move(text);
  s.find_clusters();
  place(s.size() - same, false);
}

bool TextEditor::undo() {
  State& s = *state_;
  s.open = Edit::none;
  if (s.undo.empty()) return false;
  s.redo.push_back({s.buffer.text, s.stb.cursor});
  const Snapshot before = std::move(s.undo.back());
  s.undo.pop_back();
  become(before.text);
  place(static_cast<std::size_t>(before.cursor), false);
  return true;
}

bool TextEditor::redo() {
  State& s = *state_;
  s.open = Edit::none;
  if (s.redo.empty()) return false;
  s.undo.push_back({s.buffer.text, s.stb.cursor});
  const Snapshot after = std::move(s.redo.back());
  s.redo.pop_back();
  become(after.text);
  place(static_cast<std::size_t>(after.cursor), false);
  return true;
}

std::vector<std::u32string> TextEditor::take_steps() {
  return std::exchange(state_->steps, {});
}

}  // namespace headlight::app
