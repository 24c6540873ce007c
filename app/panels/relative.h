// What is learned about relative positions in two dimensions: the tables of row and column offsets with the entries
// that the selected pair picks, and the position score of every offset that the query can reach.
#pragma once

#include "app/panels/shown.h"

namespace headlight::app {

// Whether the shown trace has them, over a whole picture.
bool has_relative_tables(const Model& model);

void draw_relative_tables(Ui& ui, Rect box, const Model& model);
void draw_offset_map(Ui& ui, Rect box, const Model& model, PanelMemory& memory);

}  // namespace headlight::app
