// Rows of the table of actions: the document, its files, figures and worksheets, the window. For action_table.cpp
// alone.
#pragma once

#include <cmath>

#include "app/actions/action_rows.h"
#include "app/actions/tokens.h"
#include "app/actions/update.h"
#include "app/figures/figure_texts.h"
#include "app/model/browse.h"
#include "app/reading/mask_layers.h"
#include "app/reading/row_numbers.h"
#include "engine/core/system/paths.h"

namespace headlight::app::rows {

// ---- The document

template <>
inline Row<Undo> row() {
  return {.section = Section::edit,
          .why_not = [](const Undo&, const Model& model) -> std::string {
            return model.history.undo.empty() ? "There is nothing to undo" : "";
          },
          .commands = {{.id = "undo",
                        .label = "Undo",
                        .chords = {"Ctrl Z"},
                        .action = always(Undo{}),
                        .icon = "undo",
                        .repeats = true,
                        .useful = true,
                        .about = [](const Model& model) { return undo_name(model.history); }}}};
}

template <>
inline Row<Redo> row() {
  return {.section = Section::edit,
          .why_not = [](const Redo&, const Model& model) -> std::string {
            return model.history.redo.empty() ? "There is nothing to redo" : "";
          },
          .commands = {{.id = "redo",
                        .label = "Redo",
                        .chords = {"Ctrl Shift Z", "Ctrl Y"},
                        .action = always(Redo{}),
                        .icon = "redo",
                        .repeats = true,
                        .about = [](const Model& model) { return redo_name(model.history); }}}};
}

template <>
inline Row<GoInHistory> row() {
  return {.section = Section::edit,
          .why_not = [](const GoInHistory& a, const Model& model) -> std::string {
            const bool back = a.by <= 0;
            if (back && model.history.undo.empty()) return "There is nothing to undo";
            return !back && model.history.redo.empty() ? "There is nothing to redo" : "";
          },
          .offers =
              [](const Model& model) {
                constexpr int most = 30;
                std::vector<Offer> offers;
                const auto& done = model.history.undo;
                for (int back = 2; back <= std::min(most, static_cast<int>(done.size())); ++back)
                  offers.push_back(
                      {fmt::format("Back to before: {}", done[done.size() - static_cast<std::size_t>(back)].name),
                       GoInHistory{-back}, false, fmt::format("{} steps", back)});
                return offers;
              }};
}

template <>
inline Row<New> row() {
  return {.section = Section::file, .commands = {{"new", "New: the sentence to begin with", {}, always(New{})}}};
}

template <>
inline Row<Open> row() {
  return {.section = Section::file, .offers = [](const Model& model) {
            std::vector<Offer> offers;
            for (const auto& path : model.recent)
              offers.push_back({fmt::format("Open {}", utf8(path.filename())), Open{path}, path == model.path,
                                utf8(path.parent_path())});
            if (!model.listing || model.listing->folder != model.examples) return offers;
            for (const Listed& file : model.listing->files)
              if (file.kind == FileKind::experiment)
                offers.push_back({fmt::format("Open example {}", utf8(path_of_utf8(file.name).stem())),
                                  Open{model.examples / file.name}, false, file.about});
            return offers;
          }};
}

template <>
inline Row<Save> row() {
  return {.section = Section::file,
          .commands = {{.id = "save",
                        .label = "Save the experiment",
                        .chords = {"Ctrl S"},
                        .action = always(Save{}),
                        .useful = true}}};
}

template <>
inline Row<SaveWithInputs> row() {
  return {.section = Section::file,
          .why_not = [](const SaveWithInputs&, const Model& model) -> std::string {
            return model.shows_network() ? "A model stays in its folder: its experiment names that" : "";
          },
          .commands = {{.id = "save-with-inputs",
                        .label = "Save with its inputs, as one file that travels",
                        .chords = {},
                        .action = always(SaveWithInputs{})}}};
}

template <>
inline Row<Decide> row() {
  return {};
}

inline std::vector<Offer> recovered(const Model& model, std::string_view verb, auto action) {
  std::vector<Offer> offers;
  for (std::size_t i = 0; i < model.recoverable.size(); ++i) {
    action.index = i;
    offers.push_back({fmt::format("{} {}", verb, model.recoverable[i].name), action, false, model.recoverable[i].time});
  }
  return offers;
}

template <>
inline Row<Recover> row() {
  return {.section = Section::file,
          .offers = [](const Model& model) { return recovered(model, "Recover", Recover{}); }};
}

template <>
inline Row<DiscardRecovered> row() {
  return {.section = Section::file,
          .offers = [](const Model& model) { return recovered(model, "Discard", DiscardRecovered{}); }};
}

template <>
inline Row<Browse> row() {
  return {};
}

template <>
inline Row<Peek> row() {
  return {};
}

// ---- Figures and worksheets

template <class T>
std::string needs_figure(const T&, const Model& model) {
  if (model.shows_network() && !model.net.not_figured.empty()) return model.net.not_figured;
  return model.figured().trace ? "" : model.why_no_figure();
}

template <>
inline Row<SaveFigure> row() {
  return {.section = Section::figure,
          .screen = Screen::figure,
          .why_not = needs_figure,
          .commands = {{.id = "save-figure",
                        .label = "Save the figure",
                        .chords = {"Ctrl E"},
                        .action = always(SaveFigure{}),
                        .icon = "save_picture"}}};
}

// The texts of one of a figure's settings.
inline void offer_texts(std::vector<Offer>& offers, const Model& model, std::string_view title, std::string_view key,
                        const auto& texts) {
  const std::string now = setting_of(model.document.figure, key);
  for (const auto& text : texts)
    offers.push_back({fmt::format("{}: {}", title, text.first),
                      SetFigure{std::string(key), std::string(text.first), false}, text.first == now});
}

template <>
inline Row<SetFigure> row() {
  return {.section = Section::figure,
          .screen = Screen::figure,
          .undo = "figure",
          .why_not = needs_figure,
          .offers = [](const Model& model) {
            using namespace figure_texts;
            std::vector<Offer> offers;
            std::vector<std::pair<std::string_view, Colormap>> colors;
            for (const Colormap map : all_colormaps) colors.emplace_back(to_string(map), map);
            offer_texts(offers, model, "Colour map", "colors", std::array{std::pair{std::string_view("auto"), 0}});
            offer_texts(offers, model, "Colour map", "colors", colors);
            offer_texts(offers, model, "Figure as", "as", kind_texts);
            offer_texts(offers, model, "Numbers in cells", "numbers", numbers_texts);
            offer_texts(offers, model, "Marks before titles", "marks", marks_texts);
            offer_texts(offers, model, "Colour bar", "bar", bar_texts);
            offer_texts(offers, model, "Spacing of colours", "spacing", spacing_texts);
            return offers;
          }};
}

template <>
inline Row<SetFigurePath> row() {
  return {};
}

template <>
inline Row<SetFigureFormat> row() {
  return {
      .section = Section::figure, .screen = Screen::figure, .why_not = needs_figure, .offers = [](const Model& model) {
        std::vector<Offer> offers;
        for (const FigureFormat format : all_figure_formats)
          offers.push_back({fmt::format("Figure format: {}", extension_of(format).substr(1)), SetFigureFormat{format},
                            format == model.figure_files.format});
        return offers;
      }};
}

template <>
inline Row<SetFigureEach> row() {
  return {};
}

template <>
inline Row<SetFigureExtra> row() {
  return {
      .section = Section::figure, .screen = Screen::figure, .why_not = needs_figure, .offers = [](const Model& model) {
        const FigureExtras& extras = model.figure_files.extras;
        std::vector<Offer> offers;
        for (const auto& [title, id, on] : {std::tuple{"numbers as CSV", "csv", extras.csv},
                                            {"numbers as NPY", "npy", extras.npy},
                                            {"caption and text", "words", extras.words}})
          offers.push_back({fmt::format("Beside the figure: {}", title), SetFigureExtra{id, !on}, on});
        return offers;
      }};
}

template <>
inline Row<SaveSheet> row() {
  return {.section = Section::worksheet,
          .screen = Screen::worksheet,
          .why_not = needs_result,
          .commands = {{.id = "save-sheet",
                        .label = "Save the worksheet",
                        .chords = {"Ctrl E"},
                        .action = always(SaveSheet{}),
                        .icon = "save_picture"}}};
}

template <>
inline Row<SetSheet> row() {
  return {.section = Section::worksheet,
          .screen = Screen::worksheet,
          .why_not = needs_result,
          .offers = [](const Model& model) {
            const SheetSettings& sheet = model.sheet;
            return std::vector<Offer>{{"Worksheet paper: A4", SetSheet{"paper", "a4"}, !sheet.letter},
                                      {"Worksheet paper: US Letter", SetSheet{"paper", "letter"}, sheet.letter},
                                      {"Worksheet with its key", SetSheet{"key", "on"}, sheet.with_key},
                                      {"Worksheet without its key", SetSheet{"key", "off"}, !sheet.with_key}};
          }};
}

template <>
inline Row<CopyCommand> row() {
  return {.section = Section::figure,
          .why_not = [](const CopyCommand&, const Model& model) -> std::string {
            return belongs_to(Screen::explore, model.screen) ? "The figure or the worksheet must be shown" : "";
          },
          .commands = {{"copy-command", "Copy the command that makes the file", {}, always(CopyCommand{})}}};
}

// ---- The window

template <>
inline Row<ShowScreen> row() {
  return {
      .section = Section::window,
      .why_not = [](const ShowScreen& a, const Model& model) -> std::string {
        if (a.screen == model.screen) return "It is shown";
        const bool made = model.figured().trace || (model.shows_network() && model.net.run);  // or once it is asked for
        const bool is_there = a.screen == Screen::figure ? made : model.trace() != nullptr;
        return a.screen == Screen::explore || is_there ? ""
               : a.screen == Screen::figure            ? model.why_no_figure()
                                                       : "There is no result yet";
      },
      .commands = {{.id = "figure",
                    .label = "Export a figure",
                    .chords = {"Ctrl E"},
                    .action = always(ShowScreen{Screen::figure}),
                    .icon = "save_picture",
                    .useful = true,
                    .section = Section::file},
                   {.id = "worksheet",
                    .label = "Make a worksheet",
                    .chords = {},
                    .action = always(ShowScreen{Screen::worksheet}),
                    .useful = true,
                    .section = Section::file},
                   {.id = "compare",
                    .label = "Compare with A",
                    .chords = {},
                    .action = always(ShowScreen{Screen::compare}),
                    .useful = true,
                    .section = Section::compare},
                   {.id = "masks",
                    .label = "Masks: rules in layers",
                    .chords = {},
                    .action = always(ShowScreen{Screen::masks}),
                    .useful = true,
                    .section = Section::masks,
                    .menus = {MenuOf::cell, MenuOf::row, MenuOf::token}},
                   {.id = "why-this-row",
                    .label = "Why is this row empty?",
                    .chords = {},
                    .action = always(ShowScreen{Screen::masks}),
                    .section = Section::cell,
                    .why_not = [](const Model& model) -> std::string {
                      const bool empty = model.trace() && is_empty_row(*model.trace(), focus_of(model.document.look));
                      return empty ? "" : "The selected row sees a key";
                    },
                    .menus = {MenuOf::cell, MenuOf::row}},
                   {.id = "why-empty",
                    .label = "Why do rows have no visible key?",
                    .chords = {},
                    .action = always(ShowScreen{Screen::masks}),
                    .section = Section::masks,
                    .why_not = [](const Model& model) -> std::string {
                      return model.trace() && has_empty_rows(*model.trace()) ? "" : "Every query sees a key";
                    }},
                   {"explore", "Back to the result", {"Esc"}, always(ShowScreen{Screen::explore})}}};
}

inline Command dialog(std::string_view id, std::string_view label, std::vector<std::string_view> chords, Dialog which,
                      std::string_view icon, Section section, bool useful,
                      std::string (*why_not)(const Model&) = nullptr) {
  return {.id = id,
          .label = label,
          .chords = std::move(chords),
          .action = always(ShowDialog{which}),
          .icon = icon,
          .useful = useful,
          .section = section,
          .why_not = why_not};
}

template <>
inline Row<ShowDialog> row() {
  return {
      .section = Section::window,
      .why_not = [](const ShowDialog& a, const Model& model) -> std::string {
        return a.dialog == Dialog::none && model.dialog == Dialog::none ? "No dialog is open" : "";
      },
      .commands = {
          dialog("open", "Open an experiment or an input", {"Ctrl O"}, Dialog::open, "folder", Section::file, true),
          dialog("save-as", "Save under another name", {"Ctrl Shift S"}, Dialog::save, {}, Section::file, false),
          dialog("appearance", "Appearance: theme, size, motion", {}, Dialog::appearance, "sun", Section::window, true),
          dialog("keys", "All keys", {"F1", "?"}, Dialog::keys, "keyboard", Section::window, true),
          dialog("notes", "Notes for whoever presents it", {}, Dialog::notes, {}, Section::file, false,
                 [](const Model& model) -> std::string {
                   return model.shows_network() ? "Notes are of an experiment: open a layer" : "";
                 }),
          {.id = "history",
           .label = "What was done, as a list to go back in",
           .chords = {"Ctrl H"},
           .action = always(ShowDialog{Dialog::history}),
           .section = Section::edit},
          {.id = "palette",
           .label = "All actions",
           .chords = {"Ctrl K"},
           .action = [](const Model& model) -> Action {
             return ShowDialog{model.dialog == Dialog::palette ? Dialog::none : Dialog::palette};
           },
           .icon = "search"},
          {.id = "close", .label = "Close the dialog", .chords = {"Esc"}, .action = always(ShowDialog{Dialog::none})}}};
}

// Of what is selected: the cell, else the row, else the head.
inline MenuOf menu_meant(const Model& model) {
  if (model.document.look.mode == ViewMode::heads) return MenuOf::head;
  if (shows_cell(model)) return MenuOf::cell;
  const Step* step = model.step();
  return step && row_looked_at(*step, focus_of(model.document.look)) ? MenuOf::row : MenuOf::head;
}

inline Command menu_of(std::string_view id, std::string_view label, MenuOf of) {
  return {.id = id, .label = label, .chords = {}, .action = always(ShowMenu{of})};
}

template <>
inline Row<ShowMenu> row() {
  return {.section = Section::window,
          .screen = Screen::explore,
          .why_not = [](const ShowMenu& a, const Model& model) -> std::string {
            if (!model.step()) return "There is no result yet";
            if (a.of == MenuOf::cell) return shows_cell(model) ? "" : "No cell is selected";
            if (a.of == MenuOf::token) return token_meant(model) ? "" : "No token is selected";
            if (a.of == MenuOf::head) return model.extent(AxisRole::head) > 1 ? "" : "There is one head";
            return row_looked_at(*model.step(), focus_of(model.document.look)) ? "" : "No row is selected";
          },
          .commands = {{.id = "menu",
                        .label = "What can be done with what is selected",
                        .chords = {"Menu", "Shift F10"},
                        .action = [](const Model& model) -> Action { return ShowMenu{menu_meant(model)}; }},
                       menu_of("menu-of-row", "What can be done with the row", MenuOf::row),
                       menu_of("menu-of-head", "What can be done with the head", MenuOf::head),
                       menu_of("menu-of-token", "What can be done with the token", MenuOf::token)}};
}

// Folding follows from what is there in a window of its size: panels/screen.cpp turns it round where it is away.
template <>
inline Row<Fold> row() {
  return {.section = Section::window,
          .screen = Screen::explore,
          .commands = {
              {"left-panel", "Fold the left panel away, or bring it back", {"Ctrl B"}, always(Fold{Side::setup})},
              {"inspector", "Fold the inspector away, or bring it back", {"Ctrl I"}, always(Fold{Side::inspector})}}};
}

template <>
inline Row<SetTheme> row() {
  return {.section = Section::window, .offers = [](const Model& model) {
            std::vector<Offer> offers;
            for (const auto& [theme, name] : {std::pair{ThemeName::light, "light"},
                                              {ThemeName::dark, "dark"},
                                              {ThemeName::high_contrast, "high contrast"}})
              offers.push_back({fmt::format("Theme: {}", name), SetTheme{theme}, theme == model.settings.theme});
            return offers;
          }};
}

template <>
inline Row<SetScale> row() {
  const auto zoom = [](float by) {
    return [by](const Model& model) -> Action { return SetScale{model.settings.scale + by}; };
  };
  return {
      .section = Section::window,
      .why_not = [](const SetScale& a, const Model& model) -> std::string {
        if (a.scale > most_scale && model.settings.scale >= most_scale) return "It is as large as it gets";
        if (a.scale < least_scale && model.settings.scale <= least_scale) return "It is as small as it gets";
        return {};
      },
      .commands = {{.id = "larger",
                    .label = "Larger",
                    .chords = {"Ctrl +"},
                    .action = zoom(0.25F),
                    .about = [](const Model& model) { return fmt::format("{:.0f} %", model.settings.scale * 100); }},
                   {"smaller", "Smaller", {"Ctrl −"}, zoom(-0.25F)},
                   {"usual-size", "100 %", {"Ctrl 0"}, always(SetScale{1})}},
      .offers =
          [](const Model& model) {
            std::vector<Offer> offers;
            for (int percent = 75; percent <= 300; percent += 25) {
              const float scale = static_cast<float>(percent) / 100;
              offers.push_back({fmt::format("Size: {} %", percent), SetScale{scale}, scale == model.settings.scale});
            }
            return offers;
          }};
}

template <>
inline Row<SetExpert> row() {
  return {.section = Section::window, .offers = [](const Model& model) {
            const bool now = model.settings.expert;
            return std::vector<Offer>{{"Explanations: shown", SetExpert{false}, !now},
                                      {"Explanations: hidden", SetExpert{true}, now}};
          }};
}

template <>
inline Row<SetReduceMotion> row() {
  return {.section = Section::window, .offers = [](const Model& model) {
            const bool now = model.settings.reduce_motion;
            return std::vector<Offer>{{"Motion: usual", SetReduceMotion{false}, !now},
                                      {"Motion: reduced", SetReduceMotion{true}, now}};
          }};
}

template <>
inline Row<Dismiss> row() {
  return {.section = Section::window, .offers = [](const Model& model) {
            std::vector<Offer> offers;
            for (std::size_t i = 0; i < model.notices.size(); ++i)
              offers.push_back({fmt::format("Dismiss note {}", i + 1), Dismiss{i}, false, model.notices[i].text});
            return offers;
          }};
}

template <>
inline Row<Quit> row() {
  return {.section = Section::window, .commands = {{"quit", "Close the window", {}, always(Quit{})}}};
}

}  // namespace headlight::app::rows
