// What the inspector is put together from.
#pragma once

#include "app/panels/common/shown.h"
#include "app/reading/pair_table.h"

namespace headlight::app {

// Where the next line goes.
struct Column {
  Ui& ui;
  Rect box;
  float y;

  Rect line(float height) {
    const Rect r{box.x, y, box.w, ui.px(height)};
    y += r.h;
    return r;
  }
  void divider(Rect full) {
    ui.line({full.x, y}, {full.right(), y}, ui.theme().line);
    y += ui.px(16);
  }
};

// "Q [9 cat] asks K [3 sat]", "Q [7, 3] asks K [−2, +1 · pixel 5, 4]": the cell's place along every axis but batch and
// head, on as many lines as that takes.
void draw_who(Column& column, const Trace& trace, const Step& step, Index cell, Index head);

// A dot product pair by pair, where channels were turned.
void draw_pairs(Column& column, const PairTable& table);

// The pinned cell beside that other cell of the step: their operands and their lines, and where they part.
void draw_two_cells(Column& column, const Model& model, PanelMemory& memory, Index second);

}  // namespace headlight::app
