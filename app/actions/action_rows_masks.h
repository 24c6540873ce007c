// Rows of the table of actions: the mask laboratory. For action_table.cpp alone.
#pragma once

#include <algorithm>

#include "app/actions/action_rows_tokens.h"
#include "app/model/masks.h"
#include "app/reading/masks/mask_paint.h"

namespace headlight::app::rows {

// Why the rule cannot be switched.
inline std::string why_not_rule(std::string_view id, const Model& model) {
  const MaskOption* option = mask_rule(model, id);
  return option ? why_not_switched(model, *option) : "This mechanism has no such rule";
}

inline constexpr Need painted_cells{
    [](const Model& model) { return std::ranges::any_of(model.document.experiment->edits, is_paint); },
    "No cell is painted"};

inline Row<SwitchLayer> row(Of<SwitchLayer>) {
  return {.basics = {in_masks},
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
              }};
}

inline Row<PadKeys> row(Of<PadKeys>) {
  return {.basics = {in_masks, {[](const Model& model) { return why_not_rule("padding", model); }}, "padding"}};
}

inline Row<SetValidLength> row(Of<SetValidLength>) {
  return {.basics = {in_masks, {[](const Model& model) { return why_not_rule("lengths", model); }}, "valid length"}};
}

inline Row<StartDocument> row(Of<StartDocument>) {
  return {.basics = {in_masks, {[](const Model& model) { return why_not_rule("documents", model); }}, "documents"}};
}

// Hides the cell that is pinned, or shows it.
inline Action paint_pinned(const Model& model) {
  const Selection& at = model.document.look.selection;
  if (!why_not_paint(model).empty() || !at.query || !at.key) return PaintMask{};
  const MaskReading mask = mask_of(model);
  const Index query = asked_in(model, at).query.value_or(0), row = query - (queries_of_mask(model) - mask.queries);
  const bool inside = row >= 0 && row < mask.queries && *at.key < mask.keys;
  return PaintMask{!(inside && mask.hidden(row, *at.key)), query, query, *at.key, *at.key};
}

inline bool selects_pair(const Model& model) {
  return model.document.look.selection.query && model.document.look.selection.key;
}

inline Row<PaintMask> row(Of<PaintMask>) {
  return {.basics = {in_masks, {why_not_paint}},
          .undo_of = [](const PaintMask& a,
                        const Model&) { return std::string(a.hide ? "hiding cells" : "showing cells"); },
          .commands = {command("paint-cell", "Hide the pinned cell, or show it", {"X"}, paint_pinned,
                               {.key_if = [](const Model& model) { return model.screen == Screen::masks; },
                                .needs = {{selects_pair, "Select a cell of the mask"}},
                                .menus = of_cell}),
                       command("mask-token", "Hide the token from every query, or show it", {}, mask_token,
                               {.about = about_token, .needs = {why_not_mask_token}, .menus = of_token})}};
}

inline Row<InvertMask> row(Of<InvertMask>) {
  return {.basics = {in_masks, {why_not_paint}, "inverting the mask"},
          .commands = {command(InvertMask{}, "Invert the mask by paint")}};
}

inline Row<ClearPaint> row(Of<ClearPaint>) {
  return {.basics = {in_masks, {painted_cells}, "clearing paint"},
          .commands = {command(ClearPaint{}, "Clear what was painted on the mask")}};
}

inline Row<ShowThemselves> row(Of<ShowThemselves>) {
  return {.basics = {in_masks,
                     {why_not_paint,
                      {[](const Model& model) { return has_empty_rows(*model.trace()); }, "Every query sees a key"}},
                     "letting queries see themselves"},
          .commands = {command(ShowThemselves{}, "Let queries without a key see themselves")}};
}

inline Row<CopyMask> row(Of<CopyMask>) {
  return {.basics = {in_masks,
                     {a_result,
                      {[](const Model& model) { return !mask_rules(model).empty(); }, "This mechanism has no mask"}}},
          .commands = {
              command("copy-mask-hidden", "Copy the mask as PyTorch, true hides", {}, CopyMask{MaskForm::hidden}),
              command("copy-mask-visible", "Copy the mask as PyTorch, true may look", {}, CopyMask{MaskForm::visible}),
              command("copy-mask-added", "Copy the mask as PyTorch, added to scores", {}, CopyMask{MaskForm::added})}};
}

}  // namespace headlight::app::rows
