// Rows of the table of actions: comparing with A, and what the newest change did. For action_table.cpp alone.
#pragma once

#include <algorithm>

#include "app/actions/action_rows.h"
#include "app/actions/what_if.h"
#include "app/model/mechanism_report.h"

namespace headlight::app::rows {

template <class T>
std::string needs_a(const T&, const Model& model) {
  return model.document.held ? "" : "Nothing is held as A";
}

template <>
inline Row<HoldA> row() {
  return {.section = Section::compare,
          .undo = "holding A",
          .why_not = [](const HoldA&, const Model& model) -> std::string {
            if (!model.trace()) return "There is no result yet";
            return model.document.held == model.shown.experiment ? "It is held as A" : "";
          },
          .commands = {{.id = "hold-a",
                        .label = "Hold this as A, to compare with",
                        .chords = {"Ctrl D"},
                        .action = always(HoldA{}),
                        .useful = true,
                        .menus = of_weights}}};
}

template <>
inline Row<SwapHeld> row() {
  return {.section = Section::compare,
          .undo = "swapping A and B",
          .why_not = needs_a,
          .commands = {{.id = "swap-ab",
                        .label = "Swap A and B",
                        .chords = {"X"},
                        .action = always(SwapHeld{}),
                        .icon = "swap",
                        .key_if = [](const Model& model) { return model.screen == Screen::compare; }}}};
}

template <>
inline Row<DropA> row() {
  return {.section = Section::compare,
          .undo = "dropping A",
          .why_not = needs_a,
          .commands = {{"drop-a", "Drop A", {}, always(DropA{})}}};
}

template <>
inline Row<Settle> row() {
  return {
      .section = Section::compare,
      .undo_of = [](const Settle& a, const Model&) { return std::string(a.on_a ? "settling on A" : "settling on B"); },
      .why_not = needs_a,
      .commands = {{"settle-on-a", "Settle on A: go on with it alone", {}, always(Settle{true})},
                   {"settle-on-b", "Settle on B: go on with it alone", {}, always(Settle{false})}}};
}

inline std::optional<WhatIf> what_if_named(const std::string& id, const Model& model) {
  const auto list = what_ifs(model);
  const auto found = std::ranges::find(list, id, &WhatIf::id);
  return found == list.end() ? std::nullopt : std::optional(*found);
}

template <>
inline Row<TryWhatIf> row() {
  return {.section = Section::compare,
          .undo_of =
              [](const TryWhatIf& a, const Model& model) {
                const auto found = what_if_named(a.id, model);
                return fmt::format("what if: {}", found ? lower_first(found->label) : a.id);
              },
          .why_not = [](const TryWhatIf& a, const Model& model) -> std::string {
            return what_if_named(a.id, model) ? "" : "It changes nothing here";
          },
          .offers =
              [](const Model& model) {
                std::vector<Offer> offers;
                for (const WhatIf& what : what_ifs(model)) {
                  const bool off = what.id == "head-off";
                  Offer offer{fmt::format("What if: {}", what.label), TryWhatIf{what.id}};
                  offer.about = off ? "what is lost without it, beside how it is" : "beside how it is";
                  if (off) offer.finds = offer.about;
                  if (off || what.id.ends_with("-off") || what.id == "no-mask") offer.finds += " remove without";
                  if (off || what.id == "head-on") offer.menus = of_head;
                  offers.push_back(std::move(offer));
                }
                return offers;
              }};
}

template <>
inline Row<AgainstPlain> row() {
  return {.section = Section::compare,
          .undo = "comparing with plain",
          .why_not = [](const AgainstPlain&, const Model& model) -> std::string {
            if (!model.trace()) return "There is no result yet";
            return differs_in_map(*model.shown.experiment) ? "" : "No choice differs from plain in the map";
          },
          .commands = {{.id = "against-plain",
                        .label = "Against plain attention: plain is A",
                        .chords = {},
                        .action = always(AgainstPlain{}),
                        .useful = true}}};
}

inline Command contrast_as(std::string_view id, std::string_view label, ContrastView view) {
  return {
      .id = id, .label = label, .chords = {}, .action = always(SetContrast{view}), .now = [view](const Model& model) {
        return model.document.contrast.view == view;
      }};
}

template <>
inline Row<SetContrast> row() {
  return {.section = Section::compare,
          .screen = Screen::compare,
          .undo = "view of A and B",
          .why_not = needs_a,
          .commands = {contrast_as("contrast-difference", "Difference: B − A", ContrastView::difference),
                       contrast_as("contrast-ratio", "Ratio: B / A", ContrastView::ratio),
                       contrast_as("contrast-blink", "A and B in one place, in turn", ContrastView::blink)}};
}

template <>
inline Row<SortChanges> row() {
  return {.section = Section::compare,
          .screen = Screen::compare,
          .undo = "order of heads",
          .why_not = needs_a,
          .commands = {{.id = "heads-by-change",
                        .label = "Sort heads by how much they changed",
                        .chords = {},
                        .action = always(SortChanges{true}),
                        .now = [](const Model& model) { return model.document.contrast.by_size; }},
                       {.id = "heads-in-order",
                        .label = "Sort heads by their numbers",
                        .chords = {},
                        .action = always(SortChanges{false}),
                        .now = [](const Model& model) { return !model.document.contrast.by_size; }}}};
}

template <>
inline Row<ShowChange> row() {
  return {.section = Section::compare,
          .screen = Screen::explore,
          .why_not = [](const ShowChange& a, const Model& model) -> std::string {
            if (!model.comparison.before.experiment) return "Nothing was changed yet";
            if (a.on == model.comparison.change_shown) return a.on ? "It is shown" : "It is not shown";
            return {};
          },
          .commands = {{"hide-change", "Back to the result as it is", {"D"}, always(ShowChange{false})},
                       {.id = "show-change",
                        .label = "What changed: minus the result before",
                        .chords = {"D"},
                        .action = always(ShowChange{true}),
                        .useful = true}}};
}

}  // namespace headlight::app::rows
