// Everything below the top bar where a figure or a worksheet is exported. Both screens share their three columns, the
// command that makes the same files, where the files go, and the progress of writing them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/actions/exports.h"
#include "app/panels/common/async_value.h"
#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"
#include "app/session/previews.h"
#include "engine/picture/color_vision.h"

namespace headlight::app {

// A figure: its settings, itself on its page, its words and command.
void draw_figure_screen(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The same for a sheet of exercises and its key.
void draw_worksheet_screen(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

struct ExportMemory {
  std::shared_ptr<KeptFonts> fonts = std::make_shared<KeptFonts>();  // of the thread that draws previews
  AsyncValue<FigurePreview> figure;
  PlannedFiles files;          // that the export screen would write
  std::size_t shown_file = 0;  // of them, the figure that is shown
  bool figure_only = false;    // not on its page
  Vision vision = Vision::normal;
  AsyncValue<WorksheetPreview> sheet;
  SheetSide sheet_side = SheetSide::questions;
  std::string rows_typed;   // of a sheet of several rows
  std::vector<Index> rows;  // that it was read as last
  bool words_tab = false;   // in a narrow window the left column shows the words
};

struct ExportColumns {
  std::string words_title;              // of the tab
  std::function<float(Rect)> settings;  // these two return the height they take
  std::function<float(Rect)> words;
  std::function<void(Rect)> page;  // drawn first
};

// Finds the files again where something has changed, and looks for those that are there once a second.
void refresh_files(PanelMemory& memory, const Model& model);

// In a narrow window the words are a tab of the left column.
void draw_export_columns(Ui& ui, Rect box, PanelMemory& memory, const ExportColumns& columns);

// The left column with its title, and the choice of what is exported.
Form export_form(Ui& ui, Rect box, const Model& model, Actions& actions);

// The bar over the page. Returns the room inside it.
Rect draw_export_bar(Ui& ui, Rect bar);

// An image pixel for pixel; another revision is another image.
void draw_export_image(Ui& ui, const std::string& path, Point at, std::uint64_t revision, const Image& image);

// Why there is nothing to show.
void draw_export_error(Ui& ui, Rect box, const std::string& path, const std::string& error);

// The command, a flag a line, with a button that copies it. `note` says what it makes, where it is true.
void draw_export_command(Ui& ui, Rect& box, const Model& model, const std::string& id, const std::string& command,
                         const std::string& note, Actions& actions);

// Where the files go, what they would replace, how far they are, and the buttons.
struct Saving {
  std::string id;      // of the widgets: "figure", "sheet"
  std::string path;    // as it is
  std::string button;  // "Export PDF"
  Action save;
  std::function<Action(std::string)> set_path;
};
void draw_export_saving(Ui& ui, Rect& box, const Model& model, const PlannedFiles& planned, const Saving& saving,
                        Actions& actions);

// A setting of the figure, by its key in figure_request.h.
inline void push_setting(Actions& actions, std::string key, std::string text, bool going_on = false) {
  actions.push_back(SetFigure{std::move(key), std::move(text), going_on});
}

// The settings. Returns the height they take.
float draw_figure_settings(Ui& ui, Rect box, const Model& model, const FigurePreview& preview, Actions& actions);

// Caption, alternative text, checks, the command and where the file goes. Returns the height they take.
float draw_figure_words(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
