// What a figure, its panels and its rows are called, written from the data.
//
// Not for captions: figure_of.h.
#pragma once

#include <string>

#include "app/figures/figure_plan.h"

namespace headlight::app {

std::string layer_name(const FigurePlan& plan, Index layer);
std::string title_of_step(const FigurePlan& plan, const Step& step);
// "Layer 3, Head 5", as far as panels differ.
std::string panel_title(const FigurePlan& plan, const PanelPlan& panel);
// Whose row or keys are drawn, where that are not those of all queries; else empty.
std::string query_in_words(const Looked& looked, const FigureRequest& request);
// "Attention weights, head 3: Induction", and less what.
std::string title_of(const FigurePlan& plan, const FigureRequest& request);

}  // namespace headlight::app
