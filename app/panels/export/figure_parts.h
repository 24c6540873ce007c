// The columns of the screen on which a figure is made. figure_screen.cpp puts them together.
#pragma once

#include "app/panels/export/parts.h"

namespace headlight::app {

// A setting of the figure, by its key in figure_request.h.
inline void set(Actions& actions, std::string key, std::string text, bool going_on = false) {
  actions.push_back(SetFigure{std::move(key), std::move(text), going_on});
}

// The settings. Returns the height they take.
float draw_figure_settings(Ui& ui, Rect box, const Model& model, const FigurePreview& preview, Actions& actions);

// The figure on its page or alone, as the memory has it, with the bar above it; draws the memory's preview anew.
void draw_figure_page(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

// Caption, alternative text, checks, the command and where the file goes. Returns the height they take.
float draw_figure_words(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
