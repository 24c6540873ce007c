// A column of lines and labelled rows, as the panels at the left and at the right are made of.
#pragma once

#include <string_view>

#include "app/widgets/controls.h"

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
  Rect row(std::string_view label, float height = 36) {
    Rect place = line(height);
    const Rect name = place.take_left(ui.px(108));
    const bool fits = ui.width_of(Type::label, label) <= name.w - ui.px(2);
    ui.text_in(fits ? Type::label : Type::note, name, ui.theme().text_muted, label);
    return place.inset(0, (place.h - ui.px(32)) / 2);
  }
  // As many lines as the words need.
  void words(Color32 color, std::string_view text, Type type = Type::note, float gap = 0) {
    y += paragraph(ui, {column.x, y}, column.w, color, text, true, type) + ui.px(gap);
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

}  // namespace headlight::app
