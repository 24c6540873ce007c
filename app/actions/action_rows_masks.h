// Rows of the table of actions: the mask laboratory. For action_table.cpp alone.
#pragma once

#include <algorithm>

#include "app/actions/action_rows_tokens.h"
#include "app/model/masks.h"
#include "app/reading/mask_paint.h"

namespace headlight::app::rows {

template <class T>
std::string needs_paintable(const T&, const Model& model) {
  return why_not_paint(model);
}

// The rule, and whether it is there to be switched.
template <class T>
std::string needs_rule(std::string_view id, const Model& model) {
  const MaskOption* option = mask_rule(model, id);
  if (!option) return "This mechanism has no such rule";
  return why_not_switched(model, *option);
}

inline bool has_paint(const Model& model) {
  return std::ranges::any_of(model.document.experiment->edits, is_paint);
}

template <>
inline Row<SwitchLayer> row() {
  return {.section = Section::masks,
          .undo_of =
              [](const SwitchLayer& a, const Model& model) {
                const MaskOption* option = mask_rule(model, a.rule);
                const std::string name = option ? lower_first(option->layer().title) : "painted cells";
                return fmt::format("{} {}", name, a.on ? "on" : "off");
              },
          .why_not = [](const SwitchLayer& a, const Model& model) -> std::string {
            if (a.rule == painted_layer) return has_paint(model) ? "" : "No cell is painted";
            return needs_rule<SwitchLayer>(a.rule, model);
          },
          .offers =
              [](const Model& model) {
                std::vector<Offer> offers;
                for (const MaskOption* option : mask_rules(model)) {
                  const bool on = is_switched_on(model, *option);
                  offers.push_back({fmt::format("Mask rule {}: switch {}", option->layer().title, on ? "off" : "on"),
                                    SwitchLayer{option->layer().id, !on}, false, option->layer().about});
                }
                return offers;
              }};
}

template <>
inline Row<PadKeys> row() {
  return {.section = Section::masks, .undo = "padding", .why_not = [](const PadKeys&, const Model& model) {
            return needs_rule<PadKeys>("padding", model);
          }};
}

template <>
inline Row<SetValidLength> row() {
  return {.section = Section::masks, .undo = "valid length", .why_not = [](const SetValidLength&, const Model& model) {
            return needs_rule<SetValidLength>("lengths", model);
          }};
}

template <>
inline Row<StartDocument> row() {
  return {.section = Section::masks, .undo = "documents", .why_not = [](const StartDocument&, const Model& model) {
            return needs_rule<StartDocument>("documents", model);
          }};
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

template <>
inline Row<PaintMask> row() {
  return {.section = Section::masks,
          .undo_of = [](const PaintMask& a,
                        const Model&) { return std::string(a.hide ? "hiding cells" : "showing cells"); },
          .why_not = needs_paintable,
          .commands = {{.id = "paint-cell",
                        .label = "Hide the pinned cell, or show it",
                        .chords = {"X"},
                        .action = paint_pinned,
                        .key_if = [](const Model& model) { return model.screen == Screen::masks; },
                        .why_not = [](const Model& model) -> std::string {
                          const Selection& at = model.document.look.selection;
                          return at.query && at.key ? "" : "Select a cell of the mask";
                        },
                        .menus = of_cell},
                       {.id = "mask-token",
                        .label = "Hide the token from every query, or show it",
                        .chords = {},
                        .action = mask_token,
                        .about = about_token,
                        .why_not = why_not_mask_token,
                        .menus = of_token}}};
}

template <>
inline Row<InvertMask> row() {
  return {.section = Section::masks,
          .undo = "inverting the mask",
          .why_not = needs_paintable,
          .commands = {{"invert-mask", "Invert the mask by paint", {}, always(InvertMask{})}}};
}

template <>
inline Row<ClearPaint> row() {
  return {.section = Section::masks,
          .undo = "clearing paint",
          .why_not = [](const ClearPaint&, const Model& model) -> std::string {
            return has_paint(model) ? "" : "No cell is painted";
          },
          .commands = {{"clear-paint", "Clear what was painted on the mask", {}, always(ClearPaint{})}}};
}

template <>
inline Row<ShowThemselves> row() {
  return {
      .section = Section::masks,
      .undo = "letting queries see themselves",
      .why_not = [](const ShowThemselves&, const Model& model) -> std::string {
        if (const std::string why = why_not_paint(model); !why.empty()) return why;
        return has_empty_rows(*model.trace()) ? "" : "Every query sees a key";
      },
      .commands = {{"let-see-themselves", "Let queries without a key see themselves", {}, always(ShowThemselves{})}}};
}

inline Command copy_mask(std::string_view id, std::string_view label, MaskForm as) {
  return {.id = id, .label = label, .chords = {}, .action = always(CopyMask{as})};
}

template <>
inline Row<CopyMask> row() {
  return {.section = Section::masks,
          .why_not = [](const CopyMask&, const Model& model) -> std::string {
            if (!model.trace()) return "There is no result yet";
            return mask_rules(model).empty() ? "This mechanism has no mask" : "";
          },
          .commands = {copy_mask("copy-mask-hidden", "Copy the mask as PyTorch, true hides", MaskForm::hidden),
                       copy_mask("copy-mask-visible", "Copy the mask as PyTorch, true may look", MaskForm::visible),
                       copy_mask("copy-mask-added", "Copy the mask as PyTorch, added to scores", MaskForm::added)}};
}

}  // namespace headlight::app::rows
