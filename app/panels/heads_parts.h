// The parts of the report on heads: its table, and beneath it the measure in words and the plot of two. For heads_*.cpp
// alone.
#pragma once

#include "app/panels/panels.h"
#include "app/reading/head_measures.h"

namespace headlight::app {

// Brings what is kept up to what the model has; does nothing where it has not changed.
void refresh(HeadRows& rows, const Model& model);

void draw_head_table(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

// The measure that the table is in the order of, else the one that heads were found by, else entropy: its formula, what
// it is, where it comes from.
Measure chosen_measure(const Model& model, const HeadRows& rows);
// Returns the height it takes.
float draw_measure_card(Ui& ui, Rect box, const Model& model, const HeadRows& rows, Actions& actions);
void draw_head_plot(Ui& ui, Rect box, const Model& model, const PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
