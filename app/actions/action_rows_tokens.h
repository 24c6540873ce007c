// Rows of the table of actions: the tokens of a text. For action_table.cpp alone.
#pragma once

#include "app/actions/action_rows.h"
#include "app/actions/tokens.h"
#include "app/model/masks.h"

namespace headlight::app::rows {

// Of the token that is meant; where there is none, one that there is not.
inline TokenAt meant_or_none(const Model& model) {
  return token_meant(model).value_or(TokenAt{model.primary_input(), -1});
}

// "3 sat"
inline std::string about_token(const Model& model) {
  const auto token = token_meant(model);
  if (!token) return {};
  const auto& labels = model.shown.problem->labels;
  const auto found = labels.find(std::string(symbol_of(axis_of_tokens(model, token->input))));
  const auto at = static_cast<std::size_t>(token->at);
  return found == labels.end() || at >= found->second.size() ? "" : fmt::format("{} {}", token->at, found->second[at]);
}

inline std::string no_token(const TokenAt& token, const Model& model) {
  if (!text_at(model, token.input)) return "There is no sentence";
  return token.at < 0 ? "No token is selected" : why_not_token(model, token);
}

template <>
inline Row<PickToken> row() {
  return {};  // from where the pointer is
}

inline Command move_token(std::string_view id, std::string_view label, std::string_view chord, Index by) {
  return {.id = id,
          .label = label,
          .chords = {chord},
          .action = [by](const Model& model) -> Action {
            const TokenAt token = meant_or_none(model);
            return MoveToken{token, token.at + by};
          },
          .repeats = true,
          .about = about_token,
          .menus = of_token};
}

template <>
inline Row<MoveToken> row() {
  return {.section = Section::input,
          .screen = Screen::explore,
          .undo = "moving a token",
          .why_not = [](const MoveToken& a, const Model& model) -> std::string {
            if (std::string why = no_token(a.token, model); !why.empty()) return why;
            const Index first = start_tokens(*text_at(model, a.token.input));
            if (a.to < first) return "It is the first";
            return a.to >= token_count(model, a.token.input) ? "It is the last" : "";
          },
          .commands = {move_token("token-left", "Move the token to the left", "Ctrl ←", -1),
                       move_token("token-right", "Move the token to the right", "Ctrl →", 1)}};
}

inline Command of_the_token(std::string_view id, std::string_view label, std::string_view chord, auto action) {
  return {.id = id,
          .label = label,
          .chords = chord.empty() ? std::vector<std::string_view>{} : std::vector{chord},
          .action = [action](const Model& model) -> Action {
            auto of = action;
            of.token = meant_or_none(model);
            return of;
          },
          .about = about_token,
          .menus = of_token};
}

template <>
inline Row<DuplicateToken> row() {
  return {.section = Section::input,
          .screen = Screen::explore,
          .undo = "doubling a token",
          .why_not = [](const DuplicateToken& a, const Model& model) { return no_token(a.token, model); },
          .commands = {of_the_token("duplicate-token", "Duplicate the token", "Ctrl Shift D", DuplicateToken{})}};
}

template <>
inline Row<RemoveToken> row() {
  return {.section = Section::input,
          .screen = Screen::explore,
          .undo = "taking a token out",
          .why_not = [](const RemoveToken& a, const Model& model) { return no_token(a.token, model); },
          .commands = {of_the_token("remove-token", "Take the token out", "", RemoveToken{})}};
}

// What is put in is typed beside the token.
template <>
inline Row<InsertToken> row() {
  return {.section = Section::input,
          .screen = Screen::explore,
          .undo = "putting a token in",
          .why_not = [](const InsertToken& a, const Model& model) -> std::string {
            return why_not_tokens(model, a.token.input);
          }};
}

inline Action mask_token(const Model& model) {
  return masking(model, meant_or_none(model));
}

inline std::string why_not_mask_token(const Model& model) {
  const auto token = token_meant(model);
  if (!token) return "No token is selected";
  if (model.has_second_input() && axis_of_tokens(model, token->input) == AxisRole::query)
    return "Tokens of the first text ask, and none of them is looked at";
  return {};
}

}  // namespace headlight::app::rows
