// Rows of the table of actions: comparing with A, and what the newest change did. For action_table.cpp alone.
#pragma once

#include <algorithm>

#include "app/actions/action_rows.h"
#include "app/actions/what_if.h"
#include "app/model/mechanism_report.h"

namespace headlight::app::rows {

inline constexpr Need an_a{[](const Model& model) { return model.document.held != nullptr; }, "Nothing is held as A"};

inline Row<HoldA> row(Of<HoldA>) {
  return {.basics = {in_compare,
                     {a_result,
                      {[](const Model& model) { return model.document.held != model.shown.experiment; },
                       "It is held as A"}},
                     "holding A"},
          .commands = {
              command(HoldA{}, "Hold this as A, to compare with", {"Ctrl D"}, {.useful = true, .menus = of_weights})}};
}

inline Row<SwapHeld> row(Of<SwapHeld>) {
  return {.basics = {in_compare, {an_a}, "swapping A and B"},
          .commands = {command(SwapHeld{}, "Swap A and B", {"X"}, {.icon = "swap", .key_if = [](const Model& model) {
                                                                     return model.screen == Screen::compare;
                                                                   }})}};
}

inline Row<DropA> row(Of<DropA>) {
  return {.basics = {in_compare, {an_a}, "dropping A"}, .commands = {command(DropA{}, "Drop A")}};
}

inline Row<Settle> row(Of<Settle>) {
  return {
      .basics = {in_compare, {an_a}},
      .undo_of = [](const Settle& a, const Model&) { return std::string(a.on ? "settling on A" : "settling on B"); },
      .commands = {command(Settle{true}, "Settle on A: go on with it alone"),
                   command(Settle{false}, "Settle on B: go on with it alone")}};
}

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

inline Row<TryWhatIf> row(Of<TryWhatIf>) {
  return {.basics = {in_compare},
          .undo_of =
              [](const TryWhatIf& a, const Model& model) {
                const auto found = what_if_named(a.value, model);
                return fmt::format("what if: {}", found ? lower_first(found->label) : a.value);
              },
          .why_not = [](const TryWhatIf& a, const Model& model) -> std::string {
            return what_if_named(a.value, model) ? "" : "It changes nothing here";
          },
          .offers = [](const Model& model) { return offer_each(what_ifs(model), offer_what_if); }};
}

inline Row<AgainstPlain> row(Of<AgainstPlain>) {
  return {.basics = {in_compare,
                     {a_result,
                      {[](const Model& model) { return differs_in_map(*model.shown.experiment); },
                       "No choice differs from plain in the map"}},
                     "comparing with plain"},
          .commands = {command(AgainstPlain{}, "Against plain attention: plain is A", {}, {.useful = true})}};
}

inline Command contrast_as(std::string_view id, std::string_view label, ContrastView view) {
  return command(id, label, {}, SetContrast{view},
                 {.now = [view](const Model& model) { return model.document.contrast.view == view; }});
}

inline Row<SetContrast> row(Of<SetContrast>) {
  return {.basics = {in_comparison, {an_a}, "view of A and B"},
          .commands = {contrast_as("contrast-difference", "Difference: B − A", ContrastView::difference),
                       contrast_as("contrast-ratio", "Ratio: B / A", ContrastView::ratio),
                       contrast_as("contrast-blink", "A and B in one place, in turn", ContrastView::blink)}};
}

inline Row<SortChanges> row(Of<SortChanges>) {
  return {.basics = {in_comparison, {an_a}, "order of heads"},
          .commands = {command("heads-by-change", "Sort heads by how much they changed", {}, SortChanges{true},
                               {.now = [](const Model& model) { return model.document.contrast.by_size; }}),
                       command("heads-in-order", "Sort heads by their numbers", {}, SortChanges{false},
                               {.now = [](const Model& model) { return !model.document.contrast.by_size; }})}};
}

inline Row<ShowChange> row(Of<ShowChange>) {
  return {.basics = {{Section::compare, Screen::explore},
                     {{[](const Model& model) { return model.comparison.before.experiment != nullptr; },
                       "Nothing was changed yet"}}},
          .why_not = [](const ShowChange& a, const Model& model) -> std::string {
            if (a.on != model.comparison.change_shown) return {};
            return a.on ? "It is shown" : "It is not shown";
          },
          .commands = {command(ShowChange{false}, "Back to the result as it is", {"D"}),
                       command(ShowChange{true}, "What changed: minus the result before", {"D"}, {.useful = true})}};
}

}  // namespace headlight::app::rows
