// Where a figure is made: settings at the left, the figure on its page, its words and its command at the right.
#include "app/panels/export/export.h"
#include "app/panels/export/figure_parts.h"
#include "app/panels/export/parts.h"

namespace headlight::app {

void draw_figure_screen(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  draw_export_columns(ui, box, memory,
                      {"Words",
                       [&](Rect area) {
                         return draw_figure_settings(ui, area, model, memory.get<ExportMemory>().figure.value(),
                                                     actions);
                       },
                       [&](Rect area) { return draw_figure_words(ui, area, model, memory, actions); },
                       [&](Rect area) { draw_figure_page(ui, area, model, memory, actions); }});
}

}  // namespace headlight::app
