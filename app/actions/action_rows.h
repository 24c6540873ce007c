// What the rows of the table of actions are written with. For action_rows_*.h alone, which action_table.cpp includes.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/actions/action_table.h"
#include "engine/core/words.h"

namespace headlight::app::rows {

// The row of one kind of action, by its own type.
template <class T>
struct Row {
  Section section = Section::none;
  std::optional<Screen> screen = {};
  std::string_view undo = {};
  std::string (*undo_of)(const T&, const Model&) = nullptr;  // where one word does not do
  std::string (*why_not)(const T&, const Model&) = nullptr;
  std::vector<Command> commands = {};
  std::vector<Offer> (*offers)(const Model&) = nullptr;
  std::vector<NumberOffer> (*numbers)(const Model&) = nullptr;
};

template <class T>
Row<T> row() = delete;  // an action without one does not compile

inline std::function<Action(const Model&)> always(Action action) {
  return [action = std::move(action)](const Model&) { return action; };
}

// Of which things the menus have it.
inline const std::vector<MenuOf> of_cell{MenuOf::cell}, of_row{MenuOf::row}, of_head{MenuOf::head},
    of_token{MenuOf::token}, of_pairs{MenuOf::cell, MenuOf::row}, of_weights{MenuOf::cell, MenuOf::row, MenuOf::head},
    of_all{MenuOf::cell, MenuOf::row, MenuOf::head, MenuOf::token};

template <class T>
std::string needs_result(const T&, const Model& model) {
  return model.trace() ? "" : "There is no result yet";
}

inline const TextInput* primary_text(const Model& model) {
  const auto found = model.document.experiment->inputs.find(model.primary_input());
  return found == model.document.experiment->inputs.end() ? nullptr : std::get_if<TextInput>(&found->second);
}

inline std::optional<Index> whole_from(double number, double least, double most) {
  if (number != std::floor(number) || number < least || number > most) return std::nullopt;
  return static_cast<Index>(number);
}

}  // namespace headlight::app::rows
