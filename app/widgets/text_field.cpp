#include "app/widgets/text_field.h"

#include <imgui.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "app/platform/input.h"

namespace headlight::app {

namespace {

// ---- What a key does to the text of a field

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

// One key; false where it is none of the field's.
bool edit_by_key(TextEditor& editor, const KeyChange& key, const TextRows& rows, const FieldOptions& options) {
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
  if (key.modifiers.ctrl) return edit_by_letter(editor, key, options.own_undo);
  // The rest are letters, whose characters follow; what leads elsewhere is not the field's.
  return key.key != Key::tab && key.key != Key::f1 && key.key != Key::f5 && key.key != Key::f6;
}

// Where a field's text lies. Made anew in each frame, from rows that are kept while nothing changes.
struct Place {
  Ui& ui;
  Rect inside;  // of the padding
  Type type;
  float line;        // from row to row, px
  float lead;        // from a row's top up to the line box that ui.text() draws
  float across = 0;  // scrolled, one line
  float down = 0;    // scrolled, several lines
  const std::u32string* text = nullptr;
  TextRows rows = {};
  Direction direction = Direction::left_to_right;
  float room = 0;  // in which rows from right to left end at the right

  float width_of(std::u32string_view part) const { return ui.width_of(type, to_utf8(part)); }
  float top_of(std::size_t row) const { return inside.y - down + line * static_cast<float>(row); }
  Point at(TextCursor cursor) const { return {inside.x - across + rows.x_of(cursor), top_of(rows.row_of(cursor.at))}; }
  TextCursor cursor_at(Point p) const {
    const float row = std::floor((p.y - inside.y + down) / line);
    const float last = static_cast<float>(rows.rows.size() - 1);
    return rows.nearest(static_cast<std::size_t>(std::clamp(row, 0.0F, last)), p.x - inside.x + across);
  }
};

std::string text_of(const std::u32string& text, TextRow row) {
  return to_utf8(std::u32string_view(text).substr(row.first, row.last - row.first));
}

// The row without the break that ends it, which is not drawn.
TextRow without_break(const std::u32string& text, TextRow row) {
  const bool broken = row.last > row.first && text[row.last - 1] == '\n';
  return {row.first, broken ? row.last - 1 : row.last};
}

// Lines from right to left end at the right of a field of several; `width` is its room.
float indent_of(Ui& ui, Type type, const std::string& line, Direction direction, float width) {
  return direction == Direction::right_to_left ? width - ui.width_of(type, line) : 0;
}

std::vector<TextLetter> letters_of(Ui& ui, Type type, const std::u32string& text, TextRow row, Direction direction,
                                   float width) {
  const std::string line = text_of(text, without_break(text, row));
  const std::vector<Caret> carets = ui.carets(type, line, direction);
  const float indent = indent_of(ui, type, line, direction, width);
  std::vector<TextLetter> letters;
  std::size_t at = row.first;
  for (std::size_t i = 0; i + 1 < carets.size(); ++i) {
    const std::string_view bytes = std::string_view(line).substr(carets[i].byte, carets[i + 1].byte - carets[i].byte);
    const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    const std::size_t next = at + static_cast<std::size_t>(std::ranges::count_if(bytes, starts));
    const auto [left, right] = std::minmax(carets[i].x, carets[i].end);
    letters.push_back({at, next, indent + left, indent + right, carets[i].right_to_left});
    at = next;
  }
  if (at < row.last) {  // the break, of no width
    const float end = indent + (carets.empty() ? 0 : carets.back().end);
    letters.push_back({at, row.last, end, end, direction == Direction::right_to_left});
  }
  return letters;
}

WrappedText& wrapped(Ui& ui, const std::string& path, const TextEditor& editor, const Place& place) {
  WrappedText& kept = ui.memory().wrapped[path];
  const float pixels = ui.fonts().face(place.type).pixels;
  const bool fonts_changed = ui.fonts().stale();
  if (kept.settled && kept.text == editor.text() && kept.width == place.inside.w && kept.pixels == pixels) return kept;
  const std::size_t lines = kept.rows.size();
  kept.rows = wrapped_rows(editor, place.inside.w, [&](std::u32string_view part) { return place.width_of(part); });
  kept.text = editor.text();
  kept.width = place.inside.w;
  kept.pixels = pixels;
  kept.settled = !fonts_changed && !ui.fonts().stale();  // letters that come with the next frame have other widths
  if (kept.rows.size() != lines || !kept.settled) ui.redraw_at(ui.now());  // its field was made for the lines before
  return kept;
}

Place place_of(Ui& ui, const std::string& path, Rect box, const TextEditor& editor, bool multiline,
               const FieldOptions& options) {
  const Type type = multiline ? Type::body : options.type;
  Place place{ui, box.inset(ui.px(options.padding), 0), type, std::ceil(ui.fonts().face(type).pixels), 0};
  place.lead = std::round((ui.line_height(type) - place.line) / 2);
  place.text = &editor.text();
  place.direction = direction_of(editor.text());
  place.rows.right_to_left = place.direction == Direction::right_to_left;
  if (multiline) {
    place.inside = box.inset(ui.px(options.padding - 1) + 1, ui.px(10) + 1);
    place.rows.rows = wrapped(ui, path, editor, place).rows;
    place.down = ui.memory().scroll[path];
  } else {
    place.inside.y = std::round(box.y + (box.h - place.line) / 2);
    place.inside.h = place.line;
    place.rows.rows = {{0, editor.text().size()}};
    const float free = place.inside.w - place.width_of(editor.text());
    if (free > 0 && options.align != Ui::Align::left)
      place.inside.x += options.align == Ui::Align::right ? free : free / 2;
    place.across = ui.memory().scroll[path];
  }
  place.room = multiline ? place.inside.w : place.width_of(editor.text());
  place.rows.start = place.rows.right_to_left ? place.room : 0;
  place.rows.letters = [&ui, type, text = place.text, direction = place.direction, room = place.room](TextRow row) {
    return letters_of(ui, type, *text, row, direction, room);
  };
  return place;
}

// ---- Keys ---------------------------------------------------------------------------------------------------------

FieldResult read_keys(Ui& ui, TextEditing& editing, const FieldOptions& options,
                      const std::function<TextRows()>& rows_now) {
  FieldResult typed;
  for (Stroke& stroke : strokes()) {
    if (stroke.taken) continue;
    editing.reveal = true;
    if (const Character* character = stroke.character()) {
      editing.editor.type(character->code);
      stroke.taken = true;
      continue;
    }
    const KeyChange& key = *stroke.key();
    if (options.keeps_lines && (key.key == Key::enter || key.key == Key::keypad_enter)) {
      editing.editor.type(U'\n');
      stroke.taken = true;
      continue;
    }
    if (key.key == Key::enter || key.key == Key::keypad_enter || key.key == Key::escape) {
      (key.key == Key::escape ? typed.given_up : typed.entered) = true;
      stroke.taken = key.key != Key::escape || !options.passes_escape;
      if (key.key == Key::escape || !options.keeps_on_enter) ui.memory().focus.clear();
      break;  // what follows belongs to whoever has the keyboard then
    }
    stroke.taken = edit_by_key(editing.editor, key, rows_now(), options);
  }
  return typed;
}

// ---- Pointer ------------------------------------------------------------------------------------------------------

void read_pointer(Ui& ui, TextEditing& editing, const Ui::Hit& hit, const Place& place) {
  const int count = hit.hovered ? clicks() : 0;
  if (count > 0) {
    const TextCursor to = place.cursor_at(ui.mouse());
    if (count == 1)
      editing.editor.place(to, modifiers().shift);
    else if (count == 2)
      editing.editor.select_word(to.at);
    else
      editing.editor.select_all();
    editing.dragging = count == 1;
    editing.reveal = true;
  } else if (hit.held && editing.dragging) {
    const TextCursor to = place.cursor_at(ui.mouse());
    if (to == editing.editor.place()) return;
    editing.editor.place(to, true);
    editing.reveal = true;
  }
  if (!hit.held) editing.dragging = false;
}

// ---- Drawing ------------------------------------------------------------------------------------------------------

// The letters of one row that are selected, in as many stretches as the row's directions part them into.
void draw_selected(Ui& ui, const Place& place, std::size_t row, TextRow range) {
  std::vector<TextLetter> letters = place.rows.letters(place.rows.rows[row]);
  std::erase_if(letters, [&](const TextLetter& l) { return l.first < range.first || l.last > range.last; });
  std::ranges::sort(letters, {}, &TextLetter::left);
  constexpr float gap = 0.5F;  // px; less is one stretch
  for (std::size_t i = 0; i < letters.size();) {
    const float left = letters[i].left;
    float right = letters[i].right;
    while (++i < letters.size() && letters[i].left < right + gap) right = std::max(right, letters[i].right);
    ui.fill({place.inside.x - place.across + left, place.top_of(row), right - left, place.line},
            with_alpha(ui.theme().query.main, 0.25F));
  }
}

void draw_selection(Ui& ui, const Place& place, TextRow range, Rect box) {
  for (std::size_t row = place.rows.row_of(range.first); row < place.rows.rows.size(); ++row) {
    if (place.rows.rows[row].first >= range.last || place.top_of(row) > box.bottom()) break;
    if (place.top_of(row) + place.line >= box.y) draw_selected(ui, place, row, range);
  }
}

void draw_text_rows(Ui& ui, const Place& place, Rect box) {
  for (std::size_t row = 0; row < place.rows.rows.size(); ++row) {
    const TextRow r = without_break(*place.text, place.rows.rows[row]);
    const float y = place.top_of(row);
    if (y + place.line < box.y || y > box.bottom() || r.first == r.last) continue;
    const std::string line = text_of(*place.text, r);
    const float indent = indent_of(ui, place.type, line, place.direction, place.room);
    ui.text(place.type, {place.inside.x - place.across + indent, y - place.lead}, ui.theme().text, line,
            place.direction);
  }
}

void draw_cursor(Ui& ui, const std::string& path, const Place& place, const TextEditor& editor, Rect box) {
  const Point at = place.at(editor.place());
  const float thick = std::max(1.0F, ui.px(1.5F));
  const Rect bar{std::clamp(std::round(at.x), box.x + 1, box.right() - thick - 1), at.y, thick, place.line};
  ui.fill(bar, ui.theme().text);
  ui.log(path + "/cursor", bar, std::to_string(editor.cursor()));
}

// How far the text can be moved out of its box, px.
float overhang(const Place& place, bool multiline) {
  if (multiline) return std::max(0.0F, place.line * static_cast<float>(place.rows.rows.size()) - place.inside.h);
  return std::max(0.0F, place.width_of(*place.text) + place.ui.px(2) - place.inside.w);
}

void scroll_to_cursor(Ui& ui, float& scroll, const Place& place, const TextEditor& editor, bool multiline) {
  const Point at = place.at(editor.place());
  const float before = scroll;
  if (multiline) {
    scroll = std::max(scroll, at.y + place.down + place.line - place.inside.bottom());
    scroll = std::min(scroll, at.y + place.down - place.inside.y);
  } else {
    const float x = at.x + place.across - place.inside.x;
    scroll = std::max(scroll, x + ui.px(2) - place.inside.w);
    scroll = std::min(scroll, x);
  }
  scroll = std::clamp(scroll, 0.0F, overhang(place, multiline));
  if (before != scroll) ui.redraw_at(ui.now());
}

void draw_scrollbar(Ui& ui, const std::string& path, Rect box, float& scroll, const Place& place) {
  const float most = overhang(place, true);
  const float before = scroll;
  if (most > 0) scroll -= ui.take_wheel(box) * place.line * 2;
  scroll = std::clamp(scroll, 0.0F, most);
  if (before != scroll) ui.redraw_at(ui.now());
  if (most <= 0) return;
  const Rect track{box.right() - ui.px(7), box.y + ui.px(3), ui.px(6), box.h - ui.px(6)};
  const float thumb = std::max(ui.px(16), track.h * place.inside.h / (place.inside.h + most));
  const auto hit = ui.hit(path + "/scrollbar", track, false);
  if (hit.held)
    scroll = std::clamp((ui.mouse().y - track.y - thumb / 2) / std::max(1.0F, track.h - thumb) * most, 0.0F, most);
  ui.fill({track.x + ui.px(1), track.y + (track.h - thumb) * scroll / most, ui.px(4), thumb},
          hit.hovered || hit.held ? ui.theme().text_faint : ui.theme().line_strong, ui.px(2));
}

// ---- Who has the keyboard -----------------------------------------------------------------------------------------

// The field's state while it has the keyboard; null otherwise.
TextEditing* editing_of(Ui& ui, const std::string& path, const std::string& text, bool multiline, bool keeps_lines,
                        FieldResult& typed) {
  UiMemory& memory = ui.memory();
  auto& editing = memory.editing;
  const bool has_it = memory.focus == path;
  if (editing && editing->path == path && !has_it) {
    typed.ended = editing->edited;
    editing.reset();
  }
  if (memory.left_edited == path) {
    typed.ended = true;
    memory.left_edited.clear();
  }
  if (!has_it) return nullptr;
  if (!editing || editing->path != path) {
    if (editing && editing->edited) memory.left_edited = editing->path;
    editing = std::make_shared<TextEditing>(TextEditing{path, TextEditor(from_utf8(text), keeps_lines), text});
    if (!multiline && memory.text_at_end != path) editing->editor.select_all();
    memory.text_at_end.clear();
  }
  if (text != editing->outside && !editing->just_changed) {
    editing->editor.set_text(from_utf8(text));
    editing->reveal = true;
  }
  editing->outside = text;
  editing->just_changed = false;
  editing->drawn = true;
  return editing.get();
}

// Keys and pointer, and what became of the text.
void edit(Ui& ui, const std::string& path, Rect box, std::string& text, bool multiline, const FieldOptions& options,
          TextEditing& editing, const Ui::Hit& hit, FieldResult& typed) {
  read_pointer(ui, editing, hit, place_of(ui, path, box, editing.editor, multiline, options));
  const FieldResult keys =
      read_keys(ui, editing, options, [&] { return place_of(ui, path, box, editing.editor, multiline, options).rows; });
  typed.entered = keys.entered;
  typed.given_up = keys.given_up;
  for (const auto& before : editing.editor.take_steps()) typed.before.push_back(to_utf8(before));
  std::string now = to_utf8(editing.editor.text());
  if (now == text) return;
  text = std::move(now);
  typed.changed = editing.edited = editing.just_changed = true;
}

}  // namespace

FieldResult text_field(Ui& ui, const std::string& path, Rect box, std::string& text, bool multiline, const char* hint,
                       const FieldOptions& options) {
  const Ui::ExplainScope none(ui, false);  // what is typed means what its writer means
  const Theme& t = ui.theme();
  const float radius = ui.px(6);
  const bool covered = ui.covers(box);
  if (covered && ui.memory().focus == path) ui.memory().focus.clear();
  const auto hit = ui.hit(path, box, !covered, text, covered ? "disabled" : "");
  if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  if (hit.hovered && clicks() > 0) ui.memory().focus = path;
  FieldResult typed;
  TextEditing* editing = editing_of(ui, path, text, multiline, options.keeps_lines, typed);
  if (editing) edit(ui, path, box, text, multiline, options, *editing, hit, typed);
  const TextEditor resting(editing ? std::u32string() : from_utf8(text));
  const TextEditor& editor = editing ? editing->editor : resting;
  Place place = place_of(ui, path, box, editor, multiline, options);
  float& scroll = ui.memory().scroll[path];
  if (!editing && !multiline) scroll = 0;
  if (editing && std::exchange(editing->reveal, false)) scroll_to_cursor(ui, scroll, place, editor, multiline);
  if (options.framed) ui.fill(box, t.canvas, radius);
  if (multiline) draw_scrollbar(ui, path, box, scroll, place);
  (multiline ? place.down : place.across) = std::round(scroll);
  const Rect seen = multiline ? Rect{box.x + 1, place.inside.y - 1, box.w - 2, place.inside.h + 2}
                              : box.inset(std::min(ui.px(options.padding), ui.px(4)), 1);
  ui.clip(seen);
  if (editing) draw_selection(ui, place, editor.selection(), box);
  draw_text_rows(ui, place, box);
  if (editing) draw_cursor(ui, path, place, editor, box);
  if (editor.text().empty() && hint && (!editing || !multiline))
    ui.text(place.type, {place.inside.x + (editing ? ui.px(3) : 0), place.inside.y - place.lead}, t.text_faint, hint);
  ui.unclip();
  if (options.framed) ui.frame(box, editing ? t.text : t.line_strong, radius, editing ? ui.px(2) : 1);
  const char* state = editing ? "focused" : "";
  ui.log(path, box, text, covered ? "disabled" : state);
  return typed;
}

float text_field_height(const Ui& ui, const std::string& path, int least, int most) {
  const auto kept = ui.memory().wrapped.find(path);
  const int lines = kept == ui.memory().wrapped.end() ? least : static_cast<int>(kept->second.rows.size());
  // A text that is longer ends with a whole line, not in the middle of one.
  return std::ceil(ui.fonts().face(Type::body).pixels) * static_cast<float>(std::clamp(lines, least, most)) + ui.px(24);
}

void focus_text_field(Ui& ui, const std::string& path) {
  ui.memory().focus = path;
  ui.redraw_at(ui.now());
}

}  // namespace headlight::app
