// Rows of the table of actions: what is presented to a class. For action_table.cpp alone.
#pragma once

#include <fmt/ranges.h>

#include "app/actions/action_rows.h"
#include "app/actions/slide_questions.h"

namespace headlight::app::rows {

inline constexpr Need presenting{[](const Model& model) { return model.present.on; }, "Nothing is presented"};
inline constexpr Need not_frozen{[](const Model& model) { return !model.present.frozen; }, "The picture is frozen"};

inline constexpr Need not_revealed{[](const Model& model) { return !slide_of(model).revealed; }, "The answer is shown"};

inline std::string why_no_choice(int choice, const Model& model) {
  const bool is_there = choice <= static_cast<int>(question_of_slide(model).choices.size());
  return is_there ? "" : "There is no such choice";
}

inline std::string reason_if_current(bool so) {
  return so ? "It is so already" : "";
}

// A query or a head that is so far from the one that the slide has.
template <class T>
Command move_on_slide(std::string_view id, std::string_view label, std::string_view chord,
                      std::optional<Index> Slide::*part, Index by) {
  return command(id, label, {chord}, [part, by](const Model& model) -> Action {
    const Index now = model.present.on ? (slide_of(model).*part).value_or(0) : 0;
    return T{std::max<Index>(0, now + by)};
  });
}

inline Command cover(std::string_view id, std::string_view label, std::string_view chord, Covered what) {
  return command(id, label, {chord}, [what](const Model& model) -> Action {
    return app::Cover{!model.present.covers(what), what};
  });
}

inline Action toggled_spotlight(const Model& model) {
  if (!model.present.on || model.present.spotlight.query) return app::Spotlight{};
  return app::Spotlight{{.query = slide_of(model).query}};
}

inline Command zoom_by(std::string_view id, std::string_view label, std::string_view chord, double factor) {
  const auto zoomed = [factor](const Model& model) -> Action { return PresentZoom{model.present.zoom * factor}; };
  return command(id, label, {chord}, zoomed, {.repeats = true});
}

// The question so many places after the one that is asked, round and round.
inline Command cycle_question(std::string_view id, std::string_view label, std::string_view chord, std::ptrdiff_t by) {
  return command(id, label, {chord}, [by](const Model& model) -> Action {
    if (!model.present.on) return AskAboutSlide{"winner"};
    const auto all = slide_question_ids(model);
    if (all.empty()) return AskAboutSlide{"winner"};
    const std::ptrdiff_t now = std::ranges::find(all, slide_question_id(model)) - all.begin(), count = std::ssize(all);
    return AskAboutSlide{all[static_cast<std::size_t>((now + by + count) % count)]};
  });
}

inline auto present_rows() {
  return std::tuple{
      Row<Present>{
          .basics = {in_present},
          .why_not = [](const Present& a, const Model& model) -> std::string {
            const bool on = model.present.on || presents_lesson(model);
            if (a.on != on) return a.on ? a_result.missing(model) : "";
            return a.on ? "It is presented" : "Nothing is presented";
          },
          .commands = {command(Present{true}, "Present to a class", {"F5"},
                               {.icon = "present", .useful = true, .section = Section::window, .menus = of_weights}),
                       command(Present{false}, "Leave the presentation", {"Esc"})}},
      Row<Reveal>{.basics = {in_present, {presenting, not_frozen}},
                  .why_not = [](const Reveal& a, const Model& model) -> std::string {
                    if (slide_of(model).revealed == a.on) return a.on ? "The answer is shown" : "The answer is hidden";
                    return a.on && question_of_slide(model).choices.empty() ? "Nothing is asked" : "";
                  },
                  .commands = {command(Reveal{true}, "Reveal the answer", {"PgDn", "→", "Space", "Enter"}),
                               command(Reveal{false}, "Hide the answer", {"PgUp", "←"})}},
      Row<MoveExperiment>{
          .basics = {in_present, {presenting, not_frozen}},
          .why_not = [](const MoveExperiment& a, const Model& model) -> std::string {
            const bool end = a.value > 0 ? model.present.at + 1 >= model.present.slides.size() : model.present.at == 0;
            return end ? "There is no other in that direction" : "";
          },
          .commands = {command("next-experiment", "Next experiment", {"PgDn", "→", "Space", "Enter", "N"},
                               MoveExperiment{1}),
                       command("previous-experiment", "Previous experiment", {"PgUp", "←", "P"}, MoveExperiment{-1})}},
      Row<app::Answer>{
          .basics = {in_present, {presenting, not_frozen, not_revealed}},
          .why_not = [](const app::Answer& a, const Model& model) { return why_no_choice(a.value, model); },
          .commands = {command("answer-a", "Answer A", {"A", "1"}, app::Answer{1}),
                       command("answer-b", "Answer B", {"B", "2"}, app::Answer{2}),
                       command("answer-c", "Answer C", {"C", "3"}, app::Answer{3}),
                       command("answer-d", "Answer D", {"D", "4"}, app::Answer{4})}},
      Row<CountHand>{.basics = {in_present, {presenting, not_frozen, not_revealed}},
                     .why_not = [](const CountHand& a, const Model& model) -> std::string {
                       if (a.value == 0) return slide_of(model).hands.empty() ? "No hand is counted" : "";
                       return why_no_choice(a.value, model);
                     },
                     .commands = {command("hand-a", "Count a hand for A", {"Shift A"}, CountHand{1}),
                                  command("hand-b", "Count a hand for B", {"Shift B"}, CountHand{2}),
                                  command("hand-c", "Count a hand for C", {"Shift C"}, CountHand{3}),
                                  command("hand-d", "Count a hand for D", {"Shift D"}, CountHand{4}),
                                  command("hand-back", "Take the last hand back", {"Backspace"}, CountHand{0})}},
      Row<Ask>{.basics = {in_present, {presenting, not_frozen}},
               .commands = {move_on_slide<Ask>("ask-above", "Ask about the row above", "↑", &Slide::query, -1),
                            move_on_slide<Ask>("ask-below", "Ask about the row below", "↓", &Slide::query, 1)}},
      Row<AskAboutSlide>{
          .basics = {in_present, {presenting, not_frozen}},
          .why_not = [](const AskAboutSlide& a, const Model& model) -> std::string {
            const auto all = slide_question_ids(model);
            if (std::ranges::find(all, a.value) == all.end())
              return all.empty() ? "Nothing can be asked" : fmt::format("Here can be asked: {}", fmt::join(all, ", "));
            return reason_if_current(slide_question_id(model) == a.value);
          },
          .commands = {cycle_question("ask-next", "Ask something else", "Q", 1),
                       cycle_question("ask-before", "Ask what was asked before", "Shift Q", -1)},
          .offers =
              [](const Model& model) {
                std::vector<Offer> offers;
                if (!model.present.on) return offers;
                const std::string now = slide_question_id(model);
                for (const std::string& id : slide_question_ids(model))
                  offers.push_back({fmt::format("Ask: {}", label_of_ask(id)), AskAboutSlide{id}, id == now});
                return offers;
              }},
      Row<PresentHead>{
          .basics = {in_present, {presenting, not_frozen}},
          .commands = {move_on_slide<PresentHead>("present-head-before", "Previous head", "[", &Slide::head, -1),
                       move_on_slide<PresentHead>("present-head-after", "Next head", "]", &Slide::head, 1)}},
      Row<app::Cover>{
          .basics = {in_present, {presenting, not_frozen}},
          .why_not = [](const app::Cover& a,
                        const Model& model) { return reason_if_current(model.present.covers(a.what) == a.on); },
          .commands = {cover("cover-numbers", "Hide the numbers, or show them", "H", Covered::numbers),
                       cover("cover-rows", "Hide the rows below, or show them", "R", Covered::rows),
                       cover("cover-head", "Hide the head's name, or show it", "M", Covered::head)}},
      Row<app::Spotlight>{
          .basics = {in_present, {presenting, not_frozen}},
          .commands = {command("spotlight", "Spotlight on the row that asks, or off", {"S"}, toggled_spotlight)}},
      Row<PresentZoom>{
          .basics = {in_present, {presenting, not_frozen}},
          .commands = {zoom_by("present-zoom-in", "Closer to the row that asks", "+", 1.25),
                       zoom_by("present-zoom-out", "Further from it", "−", 0.8),
                       command("present-zoom-off", "All of the map", {"0"}, PresentZoom{1}, {.repeats = true})}},
      Row<Blank>{
          .basics = {in_present, {presenting}},
          .why_not = [](const Blank& a, const Model& model) { return reason_if_current(model.present.blank == a.on); },
          .commands = {command(Blank{true}, "Blank the screen", {"."}), command(Blank{false}, "Show it again", {"."})}},
      Row<ShowPresentKeys>{.basics = {in_present, {presenting}},
                           .why_not = [](const ShowPresentKeys& a,
                                         const Model& model) { return reason_if_current(model.present.keys == a.on); },
                           .commands = {command(ShowPresentKeys{true}, "All keys", {"?"}),
                                        command(ShowPresentKeys{false}, "Put the keys away", {"?"})}},
      Row<Freeze>{
          .basics = {in_present, {presenting}},
          .why_not = [](const Freeze& a,
                        const Model& model) { return reason_if_current(model.present.frozen == a.on); },
          .commands = {command(Freeze{true}, "Freeze the picture", {"F"}), command(Freeze{false}, "Go on", {"F"})}},
      Row<SetTimer>{.basics = {in_present, {presenting, not_frozen}},
                    .commands = {command(
                        "timer", "Timer of a minute, or none", {"T"},
                        [](const Model& model) -> Action { return SetTimer{model.present.timer > 0 ? 0 : 60.0}; })},
                    .numbers =
                        [](const Model& model) {
                          return std::vector<NumberOffer>{{"Timer, seconds", fmt::format("{:g}", model.present.timer),
                                                           [](double seconds) -> std::optional<Action> {
                                                             if (seconds < 0 || seconds > most_timer)
                                                               return std::nullopt;
                                                             return SetTimer{seconds};
                                                           }}};
                        }},
      Row<PresentTheme>{.basics = {in_present, {presenting, not_frozen}},
                        .offers =
                            [](const Model& model) {
                              return offer_indices(0, std::ssize(theme_names), [&](Index i) {
                                const auto theme = static_cast<ThemeName>(i);
                                return Offer{
                                    fmt::format("Present in the theme: {}", theme_names[static_cast<std::size_t>(i)]),
                                    PresentTheme{theme}, model.present.theme == theme};
                              });
                            }},
      Row<ShowNotes>{.basics = {in_present,
                                {{[](const Model& model) { return model.present.on || presents_lesson(model); },
                                  "Nothing is presented"}}},
                     .why_not = [](const ShowNotes& a,
                                   const Model& model) { return reason_if_current(model.settings.notes == a.on); },
                     .commands = {command(ShowNotes{true}, "Notes in a window of their own", {"I"}),
                                  command(ShowNotes{false}, "No notes", {"I"})}},
      Row<SetNotes>{.basics = {nowhere, {}, "notes"}}};
}

}  // namespace headlight::app::rows
