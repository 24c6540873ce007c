// What the rows of the table of actions are written with. For action_rows_*.h alone, which action_table.cpp includes.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/actions/action_table.h"
#include "app/reading/row_numbers.h"
#include "engine/base/words.h"

namespace headlight::app::rows {

// Where an action stands in the table of keys, and the screen where alone it means something.
struct Place {
  Section section = Section::none;
  std::optional<Screen> screen = {};
};
inline constexpr Place nowhere{}, in_steps{Section::steps, Screen::explore}, in_heads{Section::heads, Screen::explore},
    in_views{Section::views, Screen::explore}, in_cell{Section::cell, Screen::explore},
    in_layers{Section::model, Screen::explore}, in_model{Section::model}, in_input{Section::input},
    in_tokens{Section::input, Screen::explore}, in_mechanism{Section::mechanism}, in_parameters{Section::parameters},
    in_weights{Section::weights}, in_run{Section::run}, in_compare{Section::compare},
    in_comparison{Section::compare, Screen::compare}, in_masks{Section::masks},
    in_figure{Section::figure, Screen::figure}, in_worksheet{Section::worksheet, Screen::worksheet},
    in_present{Section::present}, in_edit{Section::edit}, in_file{Section::file}, in_window{Section::window},
    in_help{Section::help};

// What most rows say.
struct Basics {
  Place place = {};
  std::vector<Need> needs = {};
  std::string_view undo = {};  // what undo calls it
};

// The row of one kind of action, by its own type.
template <class T>
struct Row {
  Basics basics = {};
  std::string (*undo_of)(const T&, const Model&) = nullptr;  // where one word does not do
  std::string (*why_not)(const T&, const Model&) = nullptr;  // asked where all needs are met
  std::vector<Command> commands = {};
  std::vector<Offer> (*offers)(const Model&) = nullptr;
  std::vector<NumberOffer> (*numbers)(const Model&) = nullptr;
};

// Nobody asks for these by name: they follow from where the pointer is, or from an answer that is given.
using Unnamed = ListOf<PickToken, SetHover, Light, Decide, Browse, Peek, SetFigurePath, SetFigureEach, PlotHeads,
                       EndEdit, RunBeside>;

// ---- What is needed

inline constexpr Need something_that_takes_time{[](const Model& model) { return model.busy || model.learner.opening; },
                                                "Nothing is being computed"};
inline constexpr Need a_result{[](const Model& model) { return model.trace() != nullptr; }, "There is no result yet"};
inline constexpr Need a_step{[](const Model& model) { return model.step() != nullptr; }, "There is no result yet"};
inline constexpr Need a_stage{[](const Model& model) { return model.stages() > 0; }, "There is no result yet"};
inline constexpr Need a_cell{shows_cell, "No cell is selected"};
inline constexpr Need a_pinned_cell{shows_pinned, "No cell is pinned"};
inline bool shows_row(const Model& model) {
  const Step* step = model.step();
  return step && row_looked_at(*step, focus_of(model.document.look));
}
inline constexpr Need a_row{shows_row, "No row is selected"};
inline constexpr Need several_heads{[](const Model& model) { return model.extent(AxisRole::head) > 1; },
                                    "There is one head"};
inline constexpr Need something_to_undo{[](const Model& model) { return !model.history.undo.empty(); },
                                        "There is nothing to undo"};
inline constexpr Need something_to_redo{[](const Model& model) { return !model.history.redo.empty(); },
                                        "There is nothing to redo"};

// ---- Commands

using Chords = std::vector<std::string_view>;

template <class T>
concept OneAction = AllActions::has<T>();

// One whose action follows from the model.
inline Command command(std::string_view id, std::string_view label, Chords chords,
                       std::function<Action(const Model&)> action, CommandTraits traits = {}) {
  return {std::move(traits), id, label, std::move(chords), std::move(action)};
}
// One that always means the same action.
inline Command command(std::string_view id, std::string_view label, Chords chords, const Action& action,
                       CommandTraits traits = {}) {
  return command(
      id, label, std::move(chords), [action](const Model&) { return action; }, std::move(traits));
}
// The same, with the first word of the action's text form for its id.
template <OneAction T>
Command command(const T& action, std::string_view label, Chords chords = {}, CommandTraits traits = {}) {
  return command(first_word(action), label, std::move(chords), Action(action), std::move(traits));
}

// The row of an action without values: it has one command, and offers nothing.
template <OneAction T>
Row<T> one_command(Basics basics, std::string_view label, Chords chords = {}, CommandTraits traits = {}) {
  return {.basics = std::move(basics), .commands = {command(T{}, label, std::move(chords), std::move(traits))}};
}

// Of which things the menus have it.
inline const std::vector<MenuTarget> of_cell{MenuTarget::cell}, of_row{MenuTarget::row}, of_head{MenuTarget::head},
    of_token{MenuTarget::token}, of_pairs{MenuTarget::cell, MenuTarget::row},
    of_weights{MenuTarget::cell, MenuTarget::row, MenuTarget::head};

// ---- Offers

// Both values of a switch.
template <OneAction T>
std::vector<Offer> offer_off_and_on(bool now, std::string off, std::string on) {
  return {{std::move(off), T{false}, !now}, {std::move(on), T{true}, now}};
}

// What `make` offers of each element.
template <class Range>
std::vector<Offer> offer_each(const Range& range, auto make) {
  std::vector<Offer> offers;
  for (const auto& one : range) offers.push_back(make(one));
  return offers;
}

// What `make` offers of 0, 1, 2 …
inline std::vector<Offer> offer_indices(Index first, Index end, auto make) {
  std::vector<Offer> offers;
  for (Index i = first; i < end; ++i) offers.push_back(make(i));
  return offers;
}

inline std::optional<Index> whole_in_range(double number, double least, double most) {
  if (number != std::floor(number) || number < least || number > most) return std::nullopt;
  return static_cast<Index>(number);
}

// A whole number from 1 that an action takes.
template <OneAction T>
std::vector<NumberOffer> offer_number_from_1(std::string label, Index now, Index most) {
  return {{std::move(label), fmt::format("{}", now), [most](double number) -> std::optional<Action> {
             const auto whole = whole_in_range(number, 1, static_cast<double>(most));
             return whole ? std::optional<Action>(T{*whole}) : std::nullopt;
           }}};
}

inline const TextInput* primary_text(const Model& model) {
  const auto found = model.document.experiment->inputs.find(model.primary_input());
  return found == model.document.experiment->inputs.end() ? nullptr : std::get_if<TextInput>(&found->second);
}

}  // namespace headlight::app::rows
