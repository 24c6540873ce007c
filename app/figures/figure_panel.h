// One panel of a figure: its cells, what is taken away from them, and how they are shown.
//
// Not for what panels share, scales, titles and axes: figure_of.h.
#pragma once

#include <utility>

#include "app/figures/figure_of.h"
#include "app/figures/figure_plan.h"

namespace headlight::app {

// The cells of a panel, less what is taken away. Weights that are drawn masked are saved as the trace has them.
// Errors: what is taken away is of another size.
Status add_cells(OwnedFigure& owned, Panel& panel, const PanelPlan& plan);

// How the panel shows its cells, as asked for and as they allow. Errors: a picture or offsets where there are none.
Status shape_panel(OwnedFigure& owned, Panel& panel, const StepView& view, const FigureRequest& request);

// What its rows and columns are called.
std::pair<AxisName, AxisName> panel_axes(const StepView& view, const FigureRequest& request);

}  // namespace headlight::app
