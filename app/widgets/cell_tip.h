// What a cell under the pointer is, said beside it once the pointer rests there: two chips, its value and a line.
#pragma once

#include <string>
#include <vector>

#include "app/widgets/controls.h"

namespace headlight::app {

struct CellTip {
  struct Place {
    std::size_t index = 0;
    std::string label;  // as shown; empty: the number says it
    Role role = Role::none;
  };
  std::vector<Place> places;
  std::string value;  // "0.9666", "masked"
  Role role = Role::none;
  std::string line;  // "attention weights, head 3"
};

// Never over the cell's own row or column.
void cell_tip(Ui& ui, Rect cell, const CellTip& tip);

}  // namespace headlight::app
