// Rows of the table of actions: the document, its files, figures and worksheets, the window. For action_table.cpp
// alone.
#pragma once

#include <fmt/ranges.h>

#include "app/actions/action_rows.h"
#include "app/actions/tokens.h"
#include "app/actions/update.h"
#include "app/figures/figure_texts.h"
#include "app/model/browse.h"
#include "app/model/relevance.h"
#include "app/reading/guide.h"
#include "app/reading/masks/mask_layers.h"
#include "app/reading/row_numbers.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment.h"

namespace headlight::app::rows {

// An action on each of the work that can be recovered.
template <OneAction T>
std::vector<Offer> offer_recovered(const Model& model, std::string_view verb) {
  return offer_indices(0, std::ssize(model.recoverable), [&](Index i) {
    const auto index = static_cast<std::size_t>(i);
    const Recoverable& work = model.recoverable[index];
    return Offer{fmt::format("{} {}", verb, work.name), T{index}, false, work.time};
  });
}

inline std::string needs_figure(const Model& model) {
  if (std::string why = why_not_figured(model); !why.empty()) return why;
  return model.figure_source().trace ? "" : model.why_no_figure();
}

// The texts of one of a figure's settings.
inline void offer_texts(std::vector<Offer>& offers, const Model& model, std::string_view title, std::string_view key,
                        const auto& texts) {
  const std::string now = setting_of(model.document.figure, key);
  for (const auto& text : texts)
    offers.push_back({fmt::format("{}: {}", title, text.first),
                      SetFigure{std::string(key), std::string(text.first), false}, text.first == now});
}

inline bool is_row_empty(const Model& model) {
  return model.trace() && is_empty_row(*model.trace(), focus_of(model.document.look));
}

inline bool are_rows_empty(const Model& model) {
  return model.trace() && has_empty_rows(*model.trace());
}

inline constexpr Need a_token{[](const Model& model) { return target_token(model).has_value(); },
                              "No token is selected"};

// Of what is selected: the cell, else the row, else the head.
inline Action menu_of_selected(const Model& model) {
  if (model.document.look.mode == ViewMode::heads) return ShowMenu{MenuTarget::head};
  if (shows_cell(model)) return ShowMenu{MenuTarget::cell};
  return ShowMenu{shows_row(model) ? MenuTarget::row : MenuTarget::head};
}

inline std::string why_not_shown(const ShowScreen& a, const Model& model) {
  if (a.value == model.screen) return "It is shown";
  if (a.value == Screen::explore || a.value == Screen::train || a.value == Screen::lessons) return {};
  if (a.value != Screen::figure) return a_result.missing(model);
  const bool made = model.figure_source().trace || (model.shows_network() && model.net.run);  // or once it is asked for
  return made ? "" : model.why_no_figure();
}

inline std::string why_no_dialog(const ShowDialog& a, const Model& model) {
  return a.value == Dialog::none && model.dialog == Dialog::none ? "No dialog is open" : "";
}

inline std::string why_no_part(const HidePart& a, const Model&) {
  if (std::ranges::find(parts_of_window, a.value) != parts_of_window.end()) return {};
  return fmt::format("The window has no part \"{}\": {}", brief(a.value), fmt::join(parts_of_window, ", "));
}

inline auto files_rows() {
  const auto zoom = [](float by) {
    return [by](const Model& model) -> Action { return SetScale{model.settings.scale + by}; };
  };
  return std::tuple{
      // ---- The document
      one_command<Undo>({in_edit, {something_to_undo}}, "Undo", {"Ctrl Z"},
                        {.icon = "undo",
                         .repeats = true,
                         .useful = true,
                         .about = [](const Model& model) { return undo_name(model.history); }}),
      one_command<Redo>(
          {in_edit, {something_to_redo}}, "Redo", {"Ctrl Shift Z", "Ctrl Y"},
          {.icon = "redo", .repeats = true, .about = [](const Model& model) { return redo_name(model.history); }}),
      Row<GoInHistory>{.basics = {in_edit},
                       .why_not =
                           [](const GoInHistory& a, const Model& model) {
                             return (a.value <= 0 ? something_to_undo : something_to_redo).missing(model);
                           },
                       .offers =
                           [](const Model& model) {
                             const auto& done = model.history.undo;
                             return offer_indices(2, std::min<Index>(30, std::ssize(done)) + 1, [&](Index back) {
                               return Offer{fmt::format("Back to before: {}",
                                                        done[done.size() - static_cast<std::size_t>(back)].name),
                                            GoInHistory{-static_cast<int>(back)}, false, fmt::format("{} steps", back)};
                             });
                           }},
      one_command<New>({in_file}, "New: the sentence to begin with"),
      Row<Open>{.basics = {in_file},
                .offers =
                    [](const Model& model) {
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
                    }},
      Row<OpenMember>{.basics = {in_file}},
      one_command<Save>({in_file}, "Save the experiment", {"Ctrl S"}, {.useful = true}),
      one_command<SaveWithInputs>({in_file,
                                   {{[](const Model& model) { return !model.shows_network(); },
                                     "A model stays in its folder: its experiment names that"}}},
                                  "Save with its inputs, as one file that travels"),
      one_command<CopyLink>(
          {in_file,
           {{[](const Model& model) { return model.has_links; }, "Links are of the program as a page, in a browser"},
            {[](const Model& model) { return !model.shows_network(); },
             "A model is too large for a link: save its experiment"}}},
          "Copy a link to what is shown"),
      Row<Recover>{.basics = {in_file},
                   .offers = [](const Model& model) { return offer_recovered<Recover>(model, "Recover"); }},
      Row<DiscardRecovered>{
          .basics = {in_file},
          .offers = [](const Model& model) { return offer_recovered<DiscardRecovered>(model, "Discard"); }},
      // ---- Figures and worksheets
      one_command<SaveFigure>({in_figure, {needs_figure}}, "Save the figure", {"Ctrl E"}, {.icon = "save_picture"}),
      Row<SetFigure>{
          .basics = {in_figure, {needs_figure}, "figure"},
          .offers =
              [](const Model& model) {
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
              }},
      Row<SetFigureFormat>{.basics = {in_figure, {needs_figure}},
                           .offers =
                               [](const Model& model) {
                                 return offer_each(all_figure_formats, [&](FigureFormat format) {
                                   return Offer{fmt::format("Figure format: {}", extension_of(format).substr(1)),
                                                SetFigureFormat{format}, format == model.figure_files.format};
                                 });
                               }},
      Row<SetFigureExtra>{
          .basics = {in_figure, {needs_figure}},
          .offers =
              [](const Model& model) {
                const FigureExtras& extras = model.figure_files.extras;
                const auto extra = [](const char* title, const char* id, bool on) {
                  return Offer{fmt::format("Beside the figure: {}", title), SetFigureExtra{id, !on}, on};
                };
                return std::vector<Offer>{extra("numbers as CSV", "csv", extras.csv),
                                          extra("numbers as NPY", "npy", extras.npy),
                                          extra("caption and text", "words", extras.words)};
              }},
      one_command<SaveSheet>({in_worksheet, {a_result}}, "Save the worksheet", {"Ctrl E"}, {.icon = "save_picture"}),
      Row<SetSheet>{.basics = {in_worksheet, {a_result}},
                    .offers =
                        [](const Model& model) {
                          const SheetSettings& sheet = model.sheet;
                          return std::vector<Offer>{
                              {"Worksheet paper: A4", SetSheet{"paper", "a4"}, !sheet.letter},
                              {"Worksheet paper: US Letter", SetSheet{"paper", "letter"}, sheet.letter},
                              {"Worksheet: a run by hand", SetSheet{"by-hand", "on"}, sheet.by_hand},
                              {"Worksheet: the run that is shown", SetSheet{"by-hand", "off"}, !sheet.by_hand},
                              {"Worksheet with its key", SetSheet{"key", "on"}, sheet.with_key},
                              {"Worksheet without its key", SetSheet{"key", "off"}, !sheet.with_key}};
                        }},
      one_command<CopyCommand>({{Section::figure},
                                {{[](const Model& model) { return !belongs_to(Screen::explore, model.screen); },
                                  "The figure or the worksheet must be shown"}}},
                               "Copy the command that makes the file"),
      // ---- The window
      Row<ShowScreen>{
          .basics = {in_window},
          .why_not = why_not_shown,
          .commands = {command("figure", "Export a figure", {"Ctrl E"}, ShowScreen{Screen::figure},
                               {.icon = "save_picture", .useful = true, .section = Section::file}),
                       command("train-screen", "Train a network, and watch its attention learn", {},
                               ShowScreen{Screen::train}, {.useful = true, .section = Section::learn}),
                       command("worksheet", "Make a worksheet", {}, ShowScreen{Screen::worksheet},
                               {.useful = true, .section = Section::file}),
                       command("compare", "Compare with A", {}, ShowScreen{Screen::compare},
                               {.useful = true, .section = Section::compare}),
                       command("masks", "Masks: rules in layers", {}, ShowScreen{Screen::masks},
                               {.useful = true,
                                .section = Section::masks,
                                .menus = {MenuTarget::cell, MenuTarget::row, MenuTarget::token}}),
                       command("why-this-row", "Why is this row empty?", {}, ShowScreen{Screen::masks},
                               {.section = Section::cell,
                                .needs = {{is_row_empty, "The selected row sees a key"}},
                                .menus = of_pairs}),
                       command("why-empty", "Why do rows have no visible key?", {}, ShowScreen{Screen::masks},
                               {.section = Section::masks, .needs = {{are_rows_empty, "Every query sees a key"}}}),
                       command("explore", "Back to the result", {"Esc"}, ShowScreen{Screen::explore})}},
      Row<ShowHelp>{.basics = {in_help},
                    .why_not = [](const ShowHelp& a, const Model&) -> std::string { return why_no_topic(a.value); },
                    .commands = {command("help", "Help: guide, glossary and all actions", {"F1"}, ShowHelp{},
                                         {.icon = "search", .useful = true})},
                    .offers =
                        [](const Model&) {
                          std::vector<Offer> offers;
                          for (const Topic& topic : all_topics())
                            offers.push_back({.label = topic.title,
                                              .action = ShowHelp{topic.id},
                                              .about = topic.about,
                                              .finds = topic.finds,
                                              .useful = topic.whole});
                          return offers;
                        }},
      Row<ShowDialog>{
          .basics = {in_window},
          .why_not = why_no_dialog,
          .commands = {command("open", "Open an experiment or an input", {"Ctrl O"}, ShowDialog{Dialog::open},
                               {.icon = "folder", .useful = true, .section = Section::file}),
                       command("save-as", "Save under another name", {"Ctrl Shift S"}, ShowDialog{Dialog::save},
                               {.section = Section::file}),
                       command("appearance", "Appearance: theme, size, motion", {}, ShowDialog{Dialog::appearance},
                               {.icon = "sun", .useful = true}),
                       command("keys", "All keys", {"?"}, ShowDialog{Dialog::keys},
                               {.icon = "keyboard", .useful = true}),
                       command("notes", "Notes for whoever presents it", {}, ShowDialog{Dialog::notes},
                               {.section = Section::file,
                                .needs = {{[](const Model& model) { return !model.shows_network(); },
                                           "Notes are of an experiment: open a layer"}}}),
                       command("history", "What was done, as a list to go back in", {"Ctrl H"},
                               ShowDialog{Dialog::history}, {.section = Section::edit}),
                       command("palette", "All actions", {"Ctrl K"},
                               [](const Model& model) -> Action {
                                 return ShowDialog{model.dialog == Dialog::palette ? Dialog::none : Dialog::palette};
                               },
                               {.icon = "search"}),
                       command("close", "Close the dialog", {"Esc"}, ShowDialog{Dialog::none})}},
      Row<ShowMenu>{
          .basics = {{Section::window, Screen::explore}, {a_step}},
          .why_not =
              [](const ShowMenu& a, const Model& model) {
                static constexpr Need needs[] = {a_cell, a_row, several_heads, a_token};  // in the order of MenuTarget
                return needs[static_cast<std::size_t>(a.value)].missing(model);
              },
          .commands = {command("menu", "What can be done with what is selected", {"Menu", "Shift F10"},
                               menu_of_selected),
                       command("menu-of-row", "What can be done with the row", {}, ShowMenu{MenuTarget::row}),
                       command("menu-of-head", "What can be done with the head", {}, ShowMenu{MenuTarget::head}),
                       command("menu-of-token", "What can be done with the token", {}, ShowMenu{MenuTarget::token})}},
      // What folds depends on what a window of its size shows: panels/screen/screen.cpp brings back a panel that is
      // hidden.
      Row<Fold>{.basics = {{Section::window, Screen::explore}},
                .commands = {command("left-panel", "Fold the left panel away, or bring it back", {"Ctrl B"},
                                     Fold{Side::setup}),
                             command("inspector", "Fold the inspector away, or bring it back", {"Ctrl I"},
                                     Fold{Side::inspector})}},
      Row<HidePart>{.basics = {in_window}, .why_not = why_no_part},
      one_command<ShowAllParts>({in_window,
                                 {{[](const Model& model) { return !model.document.look.hide.empty(); },
                                   "The experiment hides no part of the window"}}},
                                "Show the parts of the window that the experiment hides"),
      Row<SetTheme>{.basics = {in_window},
                    .offers =
                        [](const Model& model) {
                          const auto theme = [&](const char* name, ThemeName one) {
                            return Offer{fmt::format("Theme: {}", name), SetTheme{one}, one == model.settings.theme};
                          };
                          return std::vector<Offer>{theme("light", ThemeName::light), theme("dark", ThemeName::dark),
                                                    theme("high contrast", ThemeName::high_contrast)};
                        }},
      Row<SetScale>{.basics = {in_window},
                    .why_not = [](const SetScale& a, const Model& model) -> std::string {
                      if (a.value > most_scale && model.settings.scale >= most_scale)
                        return "It is as large as it gets";
                      if (a.value < least_scale && model.settings.scale <= least_scale)
                        return "It is as small as it gets";
                      return {};
                    },
                    .commands = {command("larger", "Larger", {"Ctrl +"}, zoom(0.25F),
                                         {.about =
                                              [](const Model& model) {
                                                return fmt::format("{:.0f} %", model.settings.scale * 100);
                                              }}),
                                 command("smaller", "Smaller", {"Ctrl −"}, zoom(-0.25F)),
                                 command("usual-size", "100 %", {"Ctrl 0"}, SetScale{1})},
                    .offers =
                        [](const Model& model) {
                          return offer_indices(3, 13, [&](Index quarters) {
                            const float scale = static_cast<float>(quarters) / 4;
                            return Offer{fmt::format("Size: {} %", quarters * 25), SetScale{scale},
                                         scale == model.settings.scale};
                          });
                        }},
      Row<SetExpert>{.basics = {in_window},
                     .offers =
                         [](const Model& model) {
                           return offer_off_and_on<SetExpert>(model.settings.expert, "Explanations: shown",
                                                              "Explanations: hidden");
                         }},
      Row<SetReduceMotion>{.basics = {in_window},
                           .offers =
                               [](const Model& model) {
                                 return offer_off_and_on<SetReduceMotion>(model.settings.reduce_motion, "Motion: usual",
                                                                          "Motion: reduced");
                               }},
      Row<SetStart>{.basics = {in_window},
                    .offers =
                        [](const Model& model) {
                          return offer_indices(0, std::ssize(start_titles), [&](Index i) {
                            const auto start = static_cast<StartWith>(i);
                            return Offer{fmt::format("Start with: {}", start_titles[static_cast<std::size_t>(i)]),
                                         SetStart{start}, start == model.settings.start};
                          });
                        }},
      Row<Dismiss>{.basics = {in_window},
                   .offers =
                       [](const Model& model) {
                         return offer_indices(0, std::ssize(model.notices), [&](Index i) {
                           const auto notice = static_cast<std::size_t>(i);
                           return Offer{fmt::format("Dismiss note {}", i + 1), Dismiss{notice}, false,
                                        model.notices[notice].text};
                         });
                       }},
      one_command<Quit>({in_window}, "Close the window")};
}

}  // namespace headlight::app::rows
