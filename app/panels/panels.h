// The panels of the window. Each draws the model into a box and adds what was asked for to `actions`; there is no other
// output.
#pragma once

#include "app/panels/form.h"
#include "app/panels/shown.h"

namespace headlight::app {

// Everything: lays the panels out for the size of the window and answers to the keyboard. `notes` is the window beside
// it, where there is one.
Actions draw_screen(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Rect notes = {});

// Input, mechanism, parameters, weights. Return the height they take.
float draw_settings(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// What sets one of the parameters, in a line of the left panel.
void draw_param_control(Ui& ui, Rect line, const ParamSpec& spec, const Model& model, Actions& actions);
// What is attended to: a sentence with its tokens, a picture, a video, a signal. Moves the form on.
void draw_input(Form& form, const Model& model, PanelMemory& memory, Actions& actions);
// Formula, explanation, the history of the selected cell. Returns the height it takes.
float draw_inspector(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The strip of stages.
void draw_pipeline(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The middle of the window: notices, then the view that is chosen.
void draw_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The step's large map with its bars, and all heads beside it.
void draw_heatmap_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Where the selected query looks, on the picture that was given; for steps of pairs whose keys lie on a grid.
void draw_picture_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Lines from queries to keys, as wide as their weights.
void draw_lines(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The selected row, number by number, and what would change it.
void draw_numbers(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Every head measured: a table, a plot of two measures, and what the measures are.
void draw_heads_report(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The title and controls over a view. Where `title` is empty it is the step's. Returns the room left between them.
// With `choose_head` a list of the heads stands in place of the title.
Rect draw_view_header(Ui& ui, Rect header, const Model& model, const std::string& title, const std::string& what,
                      Actions& actions, bool choose_head = false);
// The middle of the window where two results are compared, and what stands at its left. The latter returns its height.
void draw_compare_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
float draw_compare_side(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Errors, warnings and notes, as cards. Returns the height they take.
float draw_notices(Ui& ui, Rect box, const Model& model, Actions& actions);
// Everything below the top bar where a figure is made: its settings, itself on its page, its words and command.
void draw_figure_screen(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The same for a sheet of exercises and its key.
void draw_worksheet_screen(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// What lies over the window: open, save, all keys.
void draw_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
