// Every head measured: the report on heads, its table, and beneath it the measure in words and the plot of two.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/panels/common/shown.h"
#include "app/reading/head_measures.h"

namespace headlight::app {

// A table, a plot of two measures, and what the measures are.
void draw_heads_report(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

// The rows of the report on heads, kept until something of it changes.
struct HeadRows {
  std::uint64_t ticket = 0;
  std::shared_ptr<const HeadMeasures> measures;
  HeadTable table;
  std::vector<Index> order;    // those that are shown
  std::optional<Found> found;  // by what was typed
  Index scrolled_to = -1;      // the head
};

// Brings what is kept up to what the model has; does nothing where it has not changed.
void refresh(HeadRows& rows, const Model& model);

// The measure that the table is in the order of, else the one that heads were found by, else entropy: its formula, what
// it is, where it comes from.
Measure chosen_measure(const Model& model, const HeadRows& rows);
// Returns the height it takes.
float draw_measure_card(Ui& ui, Rect box, const Model& model, const HeadRows& rows, Actions& actions);
void draw_head_plot(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
