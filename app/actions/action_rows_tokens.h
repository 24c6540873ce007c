// Rows of the table of actions: the tokens of a text. For action_table.cpp alone.
#pragma once

#include "app/actions/action_rows.h"
#include "app/actions/tokens.h"
#include "app/model/masks.h"

namespace headlight::app::rows {

// The token that is meant; where there is none, a place before the first.
inline TokenAt token_or_none(const Model& model) {
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

template <class T>
std::string no_token(const T& a, const Model& model) {
  if (!text_at(model, a.token.input)) return "There is no sentence";
  return a.token.at < 0 ? "No token is selected" : why_not_token(model, a.token);
}

inline Command move_token(std::string_view id, std::string_view label, std::string_view chord, Index by) {
  const auto moved = [by](const Model& model) -> Action {
    const TokenAt token = token_or_none(model);
    return MoveToken{token, token.at + by};
  };
  return command(id, label, {chord}, moved, {.repeats = true, .about = about_token, .menus = of_token});
}

inline Row<MoveToken> row(Of<MoveToken>) {
  return {.basics = {in_tokens, {}, "moving a token"},
          .why_not = [](const MoveToken& a, const Model& model) -> std::string {
            if (std::string why = no_token(a, model); !why.empty()) return why;
            const Index first = start_tokens(*text_at(model, a.token.input));
            if (a.to < first) return "It is the first";
            return a.to >= token_count(model, a.token.input) ? "It is the last" : "";
          },
          .commands = {move_token("token-left", "Move the token to the left", "Ctrl ←", -1),
                       move_token("token-right", "Move the token to the right", "Ctrl →", 1)}};
}

template <OneAction T>
Command of_the_token(std::string_view label, Chords chords) {
  return command(form_of<T>.id, label, std::move(chords),
                 [](const Model& model) -> Action { return T{token_or_none(model)}; },
                 {.about = about_token, .menus = of_token});
}

inline Row<DuplicateToken> row(Of<DuplicateToken>) {
  return {.basics = {in_tokens, {}, "doubling a token"},
          .why_not = no_token,
          .commands = {of_the_token<DuplicateToken>("Duplicate the token", {"Ctrl Shift D"})}};
}

inline Row<RemoveToken> row(Of<RemoveToken>) {
  return {.basics = {in_tokens, {}, "taking a token out"},
          .why_not = no_token,
          .commands = {of_the_token<RemoveToken>("Take the token out", {})}};
}

// What is inserted is typed beside the token.
inline Row<InsertToken> row(Of<InsertToken>) {
  return {.basics = {in_tokens, {}, "putting a token in"},
          .why_not = [](const InsertToken& a, const Model& model) { return why_not_tokens(model, a.token.input); }};
}

inline Action mask_token(const Model& model) {
  return mask_or_show(model, token_or_none(model));
}

inline std::string why_not_mask_token(const Model& model) {
  const auto token = token_meant(model);
  if (!token) return "No token is selected";
  if (model.has_second_input() && axis_of_tokens(model, token->input) == AxisRole::query)
    return "Tokens of the first text ask, and none of them is looked at";
  return {};
}

}  // namespace headlight::app::rows
