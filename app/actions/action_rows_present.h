// Rows of the table of actions: what is presented to a class. For action_table.cpp alone.
#pragma once

#include "app/actions/action_rows.h"

namespace headlight::app::rows {

template <class T>
std::string needs_presenter(const T&, const Model& model) {
  if (!model.present.on) return "Nothing is presented";
  return model.present.frozen ? "The picture is frozen" : "";
}

// The same of what is not asked any more where it is so already.
template <class T>
std::string needs_presenter_unless(bool so, const T& action, const Model& model) {
  const std::string why = needs_presenter(action, model);
  return why.empty() && so ? "It is so already" : why;
}

// Of what the class sees or the presenter has, frozen or not.
inline std::string presents_unless(bool so, const Model& model) {
  return !model.present.on ? "Nothing is presented" : so ? "It is so already" : "";
}

template <>
inline Row<Present> row() {
  return {.section = Section::present,
          .why_not = [](const Present& a, const Model& model) -> std::string {
            if (a.on != model.present.on) return a.on && !model.trace() ? "There is no result yet" : "";
            return a.on ? "It is presented" : "Nothing is presented";
          },
          .commands = {{.id = "present",
                        .label = "Present to a class",
                        .chords = {"F5"},
                        .action = always(Present{true}),
                        .icon = "present",
                        .useful = true,
                        .section = Section::window,
                        .menus = of_weights},
                       {"present-leave", "Leave the presentation", {"Esc"}, always(Present{false})}}};
}

template <>
inline Row<Reveal> row() {
  return {.section = Section::present,
          .why_not = [](const Reveal& a, const Model& model) -> std::string {
            const std::string why = needs_presenter(a, model);
            if (!why.empty()) return why;
            if (slide_of(model).revealed == a.on) return a.on ? "The answer is shown" : "The answer is hidden";
            return a.on && question_of_slide(model).choices.empty() ? "Nothing is asked" : "";
          },
          .commands = {{"reveal", "Reveal the answer", {"PgDn", "→", "Space", "Enter"}, always(Reveal{true})},
                       {"hide-answer", "Hide the answer", {"PgUp", "←"}, always(Reveal{false})}}};
}

template <>
inline Row<MoveExperiment> row() {
  return {.section = Section::present,
          .why_not = [](const MoveExperiment& a, const Model& model) -> std::string {
            const std::string why = needs_presenter(a, model);
            if (!why.empty()) return why;
            const bool end = a.by > 0 ? model.present.at + 1 >= model.present.slides.size() : model.present.at == 0;
            return end ? "There is no other in that direction" : "";
          },
          .commands = {
              {"next-experiment", "Next experiment", {"PgDn", "→", "Space", "Enter", "N"}, always(MoveExperiment{1})},
              {"previous-experiment", "Previous experiment", {"PgUp", "←", "P"}, always(MoveExperiment{-1})}}};
}

inline Command answer(std::string_view id, std::string_view label, std::string_view letter, std::string_view digit,
                      int choice) {
  return {.id = id, .label = label, .chords = {letter, digit}, .action = always(app::Answer{choice})};
}

template <>
inline Row<app::Answer> row() {
  return {.section = Section::present,
          .why_not = [](const app::Answer& a, const Model& model) -> std::string {
            const std::string why = needs_presenter(a, model);
            if (!why.empty()) return why;
            if (slide_of(model).revealed) return "The answer is shown";
            return a.choice <= static_cast<int>(question_of_slide(model).choices.size()) ? ""
                                                                                         : "There is no such choice";
          },
          .commands = {answer("answer-a", "Answer A", "A", "1", 1), answer("answer-b", "Answer B", "B", "2", 2),
                       answer("answer-c", "Answer C", "C", "3", 3), answer("answer-d", "Answer D", "D", "4", 4)}};
}

inline Command ask_beside(std::string_view id, std::string_view label, std::string_view chord, Index by) {
  return {.id = id, .label = label, .chords = {chord}, .action = [by](const Model& model) -> Action {
            const Index now = model.present.on ? slide_of(model).query.value_or(0) : 0;
            return Ask{std::max<Index>(0, now + by)};
          }};
}

template <>
inline Row<Ask> row() {
  return {.section = Section::present,
          .why_not = needs_presenter,
          .commands = {ask_beside("ask-above", "Ask about the row above", "↑", -1),
                       ask_beside("ask-below", "Ask about the row below", "↓", 1)}};
}

inline Command head_beside(std::string_view id, std::string_view label, std::string_view chord, Index by) {
  return {.id = id, .label = label, .chords = {chord}, .action = [by](const Model& model) -> Action {
            const Index now = model.present.on ? slide_of(model).head.value_or(0) : 0;
            return PresentHead{std::max<Index>(0, now + by)};
          }};
}

template <>
inline Row<PresentHead> row() {
  return {.section = Section::present,
          .why_not = needs_presenter,
          .commands = {head_beside("present-head-before", "Previous head", "[", -1),
                       head_beside("present-head-after", "Next head", "]", 1)}};
}

inline Command cover(std::string_view id, std::string_view label, std::string_view chord, Covered what) {
  return {.id = id, .label = label, .chords = {chord}, .action = [what](const Model& model) -> Action {
            return app::Cover{!model.present.covers(what), what};
          }};
}

template <>
inline Row<app::Cover> row() {
  return {.section = Section::present,
          .why_not =
              [](const app::Cover& a, const Model& model) {
                return needs_presenter_unless(model.present.covers(a.what) == a.on, a, model);
              },
          .commands = {cover("cover-numbers", "Hide the numbers, or show them", "H", Covered::numbers),
                       cover("cover-rows", "Hide the rows below, or show them", "R", Covered::rows),
                       cover("cover-head", "Hide the head's name, or show it", "M", Covered::head)}};
}

template <>
inline Row<app::Spotlight> row() {
  return {.section = Section::present,
          .why_not = needs_presenter,
          .commands = {{.id = "spotlight",
                        .label = "Spotlight on the row that asks, or off",
                        .chords = {"S"},
                        .action = [](const Model& model) -> Action {
                          if (!model.present.on || model.present.spotlight.query) return app::Spotlight{};
                          return app::Spotlight{{.query = slide_of(model).query}};
                        }}}};
}

inline Command present_zoom(std::string_view id, std::string_view label, std::string_view chord, double factor) {
  return {.id = id,
          .label = label,
          .chords = {chord},
          .action = [factor](const Model& model) -> Action {
            return PresentZoom{factor == 0 ? 1 : model.present.zoom * factor};
          },
          .repeats = true};
}

template <>
inline Row<PresentZoom> row() {
  return {.section = Section::present,
          .why_not = needs_presenter,
          .commands = {present_zoom("present-zoom-in", "Closer to the row that asks", "+", 1.25),
                       present_zoom("present-zoom-out", "Further from it", "−", 0.8),
                       present_zoom("present-zoom-off", "All of the map", "0", 0)}};
}

template <>
inline Row<Blank> row() {
  return {
      .section = Section::present,
      .why_not = [](const Blank& a, const Model& model) { return presents_unless(model.present.blank == a.on, model); },
      .commands = {{"blank", "Blank the screen", {"."}, always(Blank{true})},
                   {"unblank", "Show it again", {"."}, always(Blank{false})}}};
}

template <>
inline Row<ShowPresentKeys> row() {
  return {.section = Section::present,
          .why_not = [](const ShowPresentKeys& a,
                        const Model& model) { return presents_unless(model.present.keys == a.on, model); },
          .commands = {{"present-keys", "All keys", {"?"}, always(ShowPresentKeys{true})},
                       {"hide-present-keys", "Put the keys away", {"?"}, always(ShowPresentKeys{false})}}};
}

template <>
inline Row<Freeze> row() {
  return {.section = Section::present,
          .why_not = [](const Freeze& a,
                        const Model& model) { return presents_unless(model.present.frozen == a.on, model); },
          .commands = {{"freeze", "Freeze the picture", {"F"}, always(Freeze{true})},
                       {"unfreeze", "Go on", {"F"}, always(Freeze{false})}}};
}

template <>
inline Row<SetTimer> row() {
  return {.section = Section::present,
          .why_not = needs_presenter,
          .commands = {{.id = "timer",
                        .label = "Timer of a minute, or none",
                        .chords = {"T"},
                        .action = [](const Model& model) -> Action {
                          return SetTimer{model.present.timer > 0 ? 0 : 60.0};
                        }}},
          .numbers = [](const Model& model) {
            return std::vector<NumberOffer>{{"Timer, seconds", fmt::format("{:g}", model.present.timer),
                                             [](double seconds) -> std::optional<Action> {
                                               if (seconds < 0 || seconds > most_timer) return std::nullopt;
                                               return SetTimer{seconds};
                                             }}};
          }};
}

template <>
inline Row<PresentTheme> row() {
  return {.section = Section::present, .why_not = needs_presenter, .offers = [](const Model& model) {
            std::vector<Offer> offers;
            for (std::size_t i = 0; i < theme_names.size(); ++i) {
              const auto theme = static_cast<ThemeName>(i);
              offers.push_back({fmt::format("Present in the theme: {}", theme_names[i]), PresentTheme{theme},
                                model.present.theme == theme});
            }
            return offers;
          }};
}

template <>
inline Row<ShowNotes> row() {
  return {.section = Section::present,
          .why_not = [](const ShowNotes& a,
                        const Model& model) { return presents_unless(model.settings.notes == a.on, model); },
          .commands = {{"show-notes", "Notes in a window of their own", {"I"}, always(ShowNotes{true})},
                       {"hide-notes", "No notes", {"I"}, always(ShowNotes{false})}}};
}

template <>
inline Row<SetNotes> row() {
  return {.undo = "notes"};
}

}  // namespace headlight::app::rows
