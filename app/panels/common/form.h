// A column of lines and labelled rows, as the panels at the left and at the right are made of.
#pragma once

#include <string_view>

#include "app/actions/action.h"
#include "app/widgets/controls.h"
#include "app/widgets/text_field.h"

namespace headlight::app {

// Words at the top of the box, which take their height and a gap (px of the design) from it.
inline void take_paragraph(Ui& ui, Rect& box, Color32 color, std::string_view words, Type type = Type::note,
                           float gap = 0) {
  box.take_top(paragraph(ui, {box.x, box.y}, box.w, color, words, true, type) + ui.px(gap));
}

// Heights and gaps are in px of the design.
struct Form {
  Ui& ui;
  Rect column;
  float y;  // of the next line

  // A line as wide as the column.
  Rect line(float height, float gap = 0) {
    const Rect place{column.x, y, column.w, ui.px(height)};
    y += place.h + ui.px(gap);
    return place;
  }
  // A label at the left; returns what is left over at the right.
  Rect row(std::string_view label, float height = 36, float label_width = 108) {
    Rect place = line(height);
    const Rect name = place.take_left(ui.px(label_width));
    const bool fits = ui.width_of(Type::label, label) <= name.w - ui.px(4);
    ui.text_in(fits ? Type::label : Type::note, name, ui.theme().text_muted, label);
    return place.inset(0, (place.h - ui.px(32)) / 2);
  }
  // As many lines as the words need.
  void words(Color32 color, std::string_view text, Type type = Type::note, float gap = 0) {
    y += paragraph(ui, {column.x, y}, column.w, color, text, true, type) + ui.px(gap);
  }
  // Draws the words and logs their rectangle under `path`.
  void log_words(const std::string& path, Color32 color, const std::string& text, Type type = Type::note,
                 float gap = 0) {
    const float top = y;
    words(color, text, type, gap);
    ui.log(path, {column.x, top, column.w, y - top}, text);
  }
  void heading(std::string_view title) {
    ui.text(Type::heading, {column.x, y}, ui.theme().text_muted, title);
    y += ui.px(26);
  }
  void divider(float full_left, float full_width) {
    y += ui.px(14);
    ui.line({full_left, y}, {full_left + full_width, y}, ui.theme().line);
    y += ui.px(15);
  }
};

// What was typed into a field whose undo is the document's. `set(text)` is the action that sets the text, going on.
// Each step of the typing is one entry of undo. `given` is the text as the field got it: setting it again
// would turn a default text into one of the user's own.
template <class Set>
void push_typed(std::vector<Action>& actions, const FieldResult& typed, const std::string& given,
                const std::string& now, const Set& set) {
  for (const auto& before : typed.before) {
    if (before != given) actions.push_back(set(before));
    actions.push_back(EndEdit{});
  }
  if (typed.changed) actions.push_back(set(now));
  if (typed.ended) actions.push_back(EndEdit{});
}

// A field of several lines for such a text. Moves the form on.
template <class Set>
void draw_text(Form& form, const std::string& path, const std::string& given, const char* hint, bool passes_escape,
               std::vector<Action>& actions, const Set& set) {
  std::string edited = given;
  const Rect field{form.column.x, form.y, form.column.w, text_field_height(form.ui, path, 2, 6)};
  push_typed(actions, text_field(form.ui, path, field, edited, true, hint, {.passes_escape = passes_escape}), given,
             edited, set);
  form.y += field.h + form.ui.px(8);
}

}  // namespace headlight::app
