// What is learned about relative positions in two dimensions: the tables of row and column offsets with the entries
// that the selected pair picks, and the position score of every offset that the query can reach.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// Position scores laid out by offset, for the query that they are of.
struct OffsetScores {
  NumbersOf of;
  Tensor cells;
};

// Whether the shown trace has them.
bool has_relative_tables(const Model& model);

// Both tables with the entries that the selected pair picks, one below the other.
float relative_tables_height(const Ui& ui);
void draw_relative_tables(Ui& ui, Rect box, const Model& model, PanelMemory& memory);
// The position scores of the selected query by how far a key lies from it. Returns the height it takes.
float draw_offset_map(Ui& ui, Rect box, const Model& model, PanelMemory& memory);

}  // namespace headlight::app
