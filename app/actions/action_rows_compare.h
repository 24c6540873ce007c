// Rows of the table of actions: comparing with A, tokens of a text, masks. For action_table.cpp alone.
#pragma once

#include <algorithm>

#include "app/actions/action_rows.h"
#include "app/actions/tokens.h"
#include "app/actions/what_if.h"
#include "app/model/masks.h"
#include "app/model/mechanism_report.h"
#include "app/reading/masks/mask_layers.h"

namespace headlight::app::rows {

inline constexpr Need an_a{[](const Model& model) { return model.document.held != nullptr; }, "Nothing is held as A"};

inline std::optional<WhatIf> what_if_named(const std::string& id, const Model& model) {
  const auto list = what_ifs(model);
  const auto found = std::ranges::find(list, id, &WhatIf::id);
  return found == list.end() ? std::nullopt : std::optional(*found);
}

inline Offer offer_what_if(const WhatIf& what) {
  const bool off = what.id == "head-off";
  Offer offer{fmt::format("What if: {}", what.label), TryWhatIf{what.id}};
  offer.about = off ? "what is lost without it, beside how it is" : "beside how it is";
  if (off) offer.finds = offer.about;
  if (off || what.id.ends_with("-off") || what.id == "no-mask") offer.finds += " remove without";
  if (off || what.id == "head-on") offer.menus = of_head;
  return offer;
}

inline Command contrast_command(std::string_view id, std::string_view label, ContrastView view) {
  return command(id, label, {}, SetContrast{view},
                 {.now = [view](const Model& model) { return model.document.contrast.view == view; }});
}

inline auto compare_rows() {
  return std::tuple{
      one_command<HoldA>(
          {in_compare,
           {a_result,
            {[](const Model& model) { return model.document.held != model.shown.experiment; }, "It is held as A"}},
           "holding A"},
          "Hold this as A, to compare with", {"Ctrl D"}, {.useful = true, .menus = of_weights}),
      one_command<SwapHeld>(
          {in_compare, {an_a}, "swapping A and B"}, "Swap A and B", {"X"},
          {.icon = "swap", .key_if = [](const Model& model) { return model.screen == Screen::compare; }}),
      one_command<DropA>({in_compare, {an_a}, "dropping A"}, "Drop A"),
      Row<KeepOneOfBoth>{.basics = {in_compare, {an_a}},
                         .undo_of = [](const KeepOneOfBoth& a,
                                       const Model&) { return std::string(a.on ? "settling on A" : "settling on B"); },
                         .commands = {command(KeepOneOfBoth{true}, "Settle on A: go on with it alone"),
                                      command(KeepOneOfBoth{false}, "Settle on B: go on with it alone")}},
      Row<TryWhatIf>{.basics = {in_compare},
                     .undo_of =
                         [](const TryWhatIf& a, const Model& model) {
                           const auto found = what_if_named(a.value, model);
                           return fmt::format("what if: {}", found ? lower_first(found->label) : a.value);
                         },
                     .why_not = [](const TryWhatIf& a, const Model& model) -> std::string {
                       return what_if_named(a.value, model) ? "" : "It changes nothing here";
                     },
                     .offers = [](const Model& model) { return offer_each(what_ifs(model), offer_what_if); }},
      one_command<CompareWithPlain>({in_compare,
                                     {a_result,
                                      {[](const Model& model) { return differs_in_map(*model.shown.experiment); },
                                       "No choice differs from plain in the map"}},
                                     "comparing with plain"},
                                    "Against plain attention: plain is A", {}, {.useful = true}),
      Row<SetContrast>{
          .basics = {in_comparison, {an_a}, "view of A and B"},
          .commands = {contrast_command("contrast-difference", "Difference: B − A", ContrastView::difference),
                       contrast_command("contrast-ratio", "Ratio: B / A", ContrastView::ratio),
                       contrast_command("contrast-blink", "A and B in one place, in turn", ContrastView::blink)}},
      Row<SortChanges>{
          .basics = {in_comparison, {an_a}, "order of heads"},
          .commands = {command("heads-by-change", "Sort heads by how much they changed", {}, SortChanges{true},
                               {.now = [](const Model& model) { return model.document.contrast.by_size; }}),
                       command("heads-in-order", "Sort heads by their numbers", {}, SortChanges{false},
                               {.now = [](const Model& model) { return !model.document.contrast.by_size; }})}},
      Row<ShowChange>{
          .basics = {{Section::compare, Screen::explore},
                     {{[](const Model& model) { return model.comparison.before.experiment != nullptr; },
                       "Nothing was changed yet"}}},
          .why_not = [](const ShowChange& a, const Model& model) -> std::string {
            if (a.on != model.comparison.change_shown) return {};
            return a.on ? "It is shown" : "It is not shown";
          },
          .commands = {command(ShowChange{false}, "Back to the result as it is", {"D"}),
                       command(ShowChange{true}, "What changed: minus the result before", {"D"}, {.useful = true})}}};
}

// Rows of the table of actions: the tokens of a text. For action_table.cpp alone.

// The token that is meant; where there is none, a place before the first.
inline TokenAt token_or_none(const Model& model) {
  return target_token(model).value_or(TokenAt{model.primary_input(), -1});
}

// "3 sat"
inline std::string about_token(const Model& model) {
  const auto token = target_token(model);
  if (!token) return {};
  const auto* labels = labels_along(model, axis_of_tokens(model, token->input));
  const auto at = static_cast<std::size_t>(token->at);
  return !labels || at >= labels->size() ? "" : fmt::format("{} {}", token->at, (*labels)[at]);
}

inline std::string why_no_token(const TokenAt& token, const Model& model) {
  if (!text_at(model, token.input)) return "There is no sentence";
  return token.at < 0 ? "No token is selected" : why_not_token(model, token);
}
template <class T>
std::string no_token(const T& a, const Model& model) {
  return why_no_token(a.value, model);
}

inline Command move_token(std::string_view id, std::string_view label, std::string_view chord, Index by) {
  const auto moved = [by](const Model& model) -> Action {
    const TokenAt token = token_or_none(model);
    return MoveToken{token, token.at + by};
  };
  return command(id, label, {chord}, moved, {.repeats = true, .about = about_token, .menus = of_token});
}

template <OneAction T>
Command token_command(std::string_view label, Chords chords) {
  return command(form_of<T>.id, label, std::move(chords),
                 [](const Model& model) -> Action { return T{token_or_none(model)}; },
                 {.about = about_token, .menus = of_token});
}

inline Action mask_token(const Model& model) {
  return mask_or_show(model, token_or_none(model));
}

inline std::string why_not_mask_token(const Model& model) {
  const auto token = target_token(model);
  if (!token) return "No token is selected";
  if (model.has_second_input() && axis_of_tokens(model, token->input) == AxisRole::query)
    return "Tokens of the first text ask, and none of them is looked at";
  return {};
}

inline auto tokens_rows() {
  return std::tuple{
      Row<MoveToken>{.basics = {in_tokens, {}, "moving a token"},
                     .why_not = [](const MoveToken& a, const Model& model) -> std::string {
                       if (std::string why = why_no_token(a.token, model); !why.empty()) return why;
                       const Index first = start_tokens(*text_at(model, a.token.input));
                       if (a.to < first) return "It is the first";
                       return a.to >= token_count(model, a.token.input) ? "It is the last" : "";
                     },
                     .commands = {move_token("token-left", "Move the token to the left", "Ctrl ←", -1),
                                  move_token("token-right", "Move the token to the right", "Ctrl →", 1)}},
      Row<DuplicateToken>{.basics = {in_tokens, {}, "doubling a token"},
                          .why_not = no_token,
                          .commands = {token_command<DuplicateToken>("Duplicate the token", {"Ctrl Shift D"})}},
      Row<RemoveToken>{.basics = {in_tokens, {}, "taking a token out"},
                       .why_not = no_token,
                       .commands = {token_command<RemoveToken>("Take the token out", {})}},
      // What is inserted is typed beside the token.
      Row<InsertToken>{
          .basics = {in_tokens, {}, "putting a token in"},
          .why_not = [](const InsertToken& a, const Model& model) { return why_not_tokens(model, a.token.input); }}};
}

// Rows of the table of actions: the mask laboratory. For action_table.cpp alone.

// Why the rule cannot be switched.
inline std::string why_not_rule(std::string_view id, const Model& model) {
  const MaskOption* option = mask_rule(model, id);
  return option ? why_not_switched(model, *option) : "This mechanism has no such rule";
}

inline constexpr Need painted_cells{
    [](const Model& model) { return std::ranges::any_of(model.document.experiment->edits, is_paint); },
    "No cell is painted"};

// Hides the cell that is pinned, or shows it.
inline Action paint_pinned(const Model& model) {
  const Selection& at = model.document.look.selection;
  if (!why_not_paint(model).empty() || !at.query || !at.key) return PaintMask{};
  const MaskReading mask = mask_of(model);
  const Index query = with_only_query(model, at).query.value_or(0),
              row = query - (queries_of_mask(model) - mask.queries);
  const bool inside = row >= 0 && row < mask.queries && *at.key < mask.keys;
  return PaintMask{!(inside && mask.hidden(row, *at.key)), query, query, *at.key, *at.key};
}

inline bool selects_pair(const Model& model) {
  return model.document.look.selection.query && model.document.look.selection.key;
}

inline auto masks_rows() {
  return std::tuple{
      Row<SwitchLayer>{
          .basics = {in_masks},
          .undo_of =
              [](const SwitchLayer& a, const Model& model) {
                const MaskOption* option = mask_rule(model, a.rule);
                const std::string name = option ? lower_first(option->layer().title) : "painted cells";
                return fmt::format("{} {}", name, a.on ? "on" : "off");
              },
          .why_not =
              [](const SwitchLayer& a, const Model& model) {
                return a.rule == painted_layer ? painted_cells.missing(model) : why_not_rule(a.rule, model);
              },
          .offers =
              [](const Model& model) {
                return offer_each(mask_rules(model), [&](const MaskOption* option) {
                  const bool on = is_switched_on(model, *option);
                  return Offer{fmt::format("Mask rule {}: switch {}", option->layer().title, on ? "off" : "on"),
                               SwitchLayer{option->layer().id, !on}, false, option->layer().about};
                });
              }},
      Row<PadKeys>{
          .basics = {in_masks, {[](const Model& model) { return why_not_rule("padding", model); }}, "padding"}},
      Row<SetValidLength>{
          .basics = {in_masks, {[](const Model& model) { return why_not_rule("lengths", model); }}, "valid length"}},
      Row<StartDocument>{
          .basics = {in_masks, {[](const Model& model) { return why_not_rule("documents", model); }}, "documents"}},
      Row<PaintMask>{.basics = {in_masks, {why_not_paint}},
                     .undo_of = [](const PaintMask& a,
                                   const Model&) { return std::string(a.hide ? "hiding cells" : "showing cells"); },
                     .commands = {command("paint-cell", "Hide the pinned cell, or show it", {"X"}, paint_pinned,
                                          {.key_if = [](const Model& model) { return model.screen == Screen::masks; },
                                           .needs = {{selects_pair, "Select a cell of the mask"}},
                                           .menus = of_cell}),
                                  command("mask-token", "Hide the token from every query, or show it", {}, mask_token,
                                          {.about = about_token, .needs = {why_not_mask_token}, .menus = of_token})}},
      one_command<InvertMask>({in_masks, {why_not_paint}, "inverting the mask"}, "Invert the mask by paint"),
      one_command<ClearPaint>({in_masks, {painted_cells}, "clearing paint"}, "Clear what was painted on the mask"),
      one_command<ShowThemselves>(
          {in_masks,
           {why_not_paint,
            {[](const Model& model) { return has_empty_rows(*model.trace()); }, "Every query sees a key"}},
           "letting queries see themselves"},
          "Let queries without a key see themselves"),
      Row<CopyMask>{
          .basics = {in_masks,
                     {a_result,
                      {[](const Model& model) { return !mask_rules(model).empty(); }, "This mechanism has no mask"}}},
          .commands = {
              command("copy-mask-hidden", "Copy the mask as PyTorch, true hides", {}, CopyMask{MaskForm::hidden}),
              command("copy-mask-visible", "Copy the mask as PyTorch, true may look", {}, CopyMask{MaskForm::visible}),
              command("copy-mask-added", "Copy the mask as PyTorch, added to scores", {}, CopyMask{MaskForm::added})}}};
}

}  // namespace headlight::app::rows
