#include "app/panels/common/menu.h"

#include "app/panels/common/shown.h"
#include "app/widgets/map_cells.h"

namespace headlight::app {

void note_menu_place(PanelMemory& memory, MenuOf of, Rect place) {
  memory.get<MenuMemory>().places[static_cast<std::size_t>(of)] = place;
}

void ask_for_menu(const Ui& ui, PanelMemory& memory, MenuOf of, Actions& actions) {
  memory.get<MenuMemory>().asked_at = Rect{ui.mouse().x, ui.mouse().y, 0, 0};
  actions.push_back(ShowMenu{of});
}

void ask_for_menu_of_map(Ui& ui, PanelMemory& memory, const HeatmapResult& drawn,
                         const std::function<Selection(CellAt)>& selected, const Selection& now, Actions& actions) {
  const MatrixView& cells = drawn.shown.map.cells;
  if (drawn.shown.row && *drawn.shown.row < cells.rows) {
    const Rect row = cell_rect(drawn.map, cells, *drawn.shown.row, 0);
    note_menu_place(memory, MenuOf::row, row);
    if (drawn.shown.column && *drawn.shown.column < cells.columns)
      note_menu_place(memory, MenuOf::cell, cell_rect(drawn.map, cells, *drawn.shown.row, *drawn.shown.column));
  }
  if (drawn.menu) {
    actions.push_back(Select{selected(*drawn.menu), true});
    ask_for_menu(ui, memory, MenuOf::cell, actions);
  } else if (drawn.menu_row) {
    const Selection there = selected({*drawn.menu_row, drawn.shown.first_column + drawn.shown.column.value_or(0)});
    Selection row = now;
    row.query = there.query;
    if (!there.query) row = there;
    actions.push_back(Select{row, row.query && row.key});
    ask_for_menu(ui, memory, MenuOf::row, actions);
  }
}

}  // namespace headlight::app
