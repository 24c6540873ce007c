// A column of labelled rows, as the left panel is made of.
#pragma once

#include <string_view>

#include "app/widgets/ui.h"

namespace headlight::app {

// One row of a form: the label at the left, what is left over at the right.
struct Form {
  Ui& ui;
  Rect column;  // the y of the next row
  float y;

  Rect row(std::string_view label, float height = 36) {
    Rect line{column.x, y, column.w, ui.px(height)};
    y += line.h;
    const Rect name = line.take_left(ui.px(108));
    const bool fits = ui.width_of(Type::label, label) <= name.w - ui.px(2);
    ui.text_in(fits ? Type::label : Type::note, name, ui.theme().text_muted, label);
    return line.inset(0, (line.h - ui.px(32)) / 2);
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
