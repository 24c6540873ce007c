// Rows of the table of actions: numbers that are set by hand. For action_table.cpp alone.
#pragma once

#include <algorithm>
#include <limits>

#include "app/actions/action_rows.h"
#include "app/reading/edit_moved.h"
#include "app/reading/edits_offered.h"

namespace headlight::app::rows {

inline constexpr Need an_edit{[](const Model& model) { return !model.document.experiment->edits.empty(); },
                              "No number of this experiment is set by hand"};

inline Row<SwitchEdits> row(Of<SwitchEdits>) {
  return {.basics = {in_input, {an_edit}},
          .undo_of = [](const SwitchEdits& a, const Model&) { return std::string(a.value ? "edits on" : "edits off"); },
          .why_not = [](const SwitchEdits& a, const Model& model) -> std::string {
            const auto is_so = [&](const Edit& edit) { return edit.on == a.value; };
            if (!std::ranges::all_of(model.document.experiment->edits, is_so)) return {};
            return fmt::format("All edits are {}", a.value ? "on" : "off");
          },
          .commands = {command("edits-off", "Switch edits off", {}, SwitchEdits{false}),
                       command("edits-on", "Switch edits on", {}, SwitchEdits{true})}};
}

inline std::vector<MenuOf> menus_of(const EditOffer& offer) {
  if (offer.of_head) return of_head;
  return offer.of_row ? of_pairs : of_cell;
}

inline std::vector<NumberOffer> offer_number_of_cell(const Model& model) {
  const Step* step = model.trace() ? model.step() : nullptr;
  const auto cell = step ? cell_looked_at(*step, focus_of(model.document.look)) : std::nullopt;
  if (!cell) return {};
  const auto with = [edit = edit_of_cell(*step, *cell, 0)](double number) -> std::optional<Action> {
    if (!(std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max()))) return std::nullopt;
    Edit set = edit;
    set.values = {number};
    return AddEdit{set};
  };
  return {
      {"Set this number by hand", fmt::format("{:.4g}", static_cast<double>(step->tensor()[*cell])), with, of_cell}};
}

inline Row<AddEdit> row(Of<AddEdit>) {
  return {.basics = {{Section::cell}, {a_result}, "edit by hand"},
          .offers =
              [](const Model& model) {
                if (!model.trace() || !model.step()) return std::vector<Offer>{};
                const auto& edits = model.document.experiment->edits;
                const auto offered = edits_offered(*model.trace(), *model.step(), focus_of(model.document.look));
                return offer_each(offered, [&](const EditOffer& offer) {
                  Offer made{fmt::format("Set by hand: {}", lower_first(offer.label)), AddEdit{offer.edit}};
                  made.now = std::ranges::find(edits, offer.edit) != edits.end();
                  made.about = offer.about;
                  made.menus = menus_of(offer);
                  return made;
                });
              },
          .numbers = offer_number_of_cell};
}

inline Row<PasteNumbers> row(Of<PasteNumbers>) {
  return {
      .basics = {in_cell, {a_cell}},
      .commands = {command(PasteNumbers{}, "Paste numbers from the selected cell on", {"Ctrl V"}, {.menus = of_cell})}};
}

// Whether the experiment has an edit of that number.
template <class T>
std::string has_edit(const T& a, const Model& model) {
  const Index count = std::ssize(model.document.experiment->edits);
  if (a.number >= 1 && a.number <= count) return {};
  return count == 0 ? an_edit.missing(model) : fmt::format("There are edits 1 to {}", count);
}

// One for each edit of the experiment, by its number from 1.
template <class Make>
std::vector<Offer> offer_edits(const Model& model, Make make) {
  const auto& edits = model.document.experiment->edits;
  return offer_indices(1, std::ssize(edits) + 1, [&](Index number) {
    const Edit& edit = edits[static_cast<std::size_t>(number - 1)];
    Offer offer = make(number, edit);
    offer.about = words_on(model.trace(), edit);
    return offer;
  });
}

inline Row<SwitchEdit> row(Of<SwitchEdit>) {
  return {.basics = {in_input},
          .undo_of = [](const SwitchEdit& a,
                        const Model&) { return fmt::format("edit {} {}", a.number, a.on ? "on" : "off"); },
          .why_not = has_edit,
          .offers =
              [](const Model& model) {
                return offer_edits(model, [](Index number, const Edit& edit) {
                  return Offer{fmt::format("Edit {}: switch {}", number, edit.on ? "off" : "on"),
                               SwitchEdit{number, !edit.on}};
                });
              }};
}

// The edit that holds the selected cell; 0 where none does that has somewhere to go.
inline Index edit_here(const Model& model) {
  if (!model.step()) return 0;
  return edit_to_move(*model.step(), focus_of(model.document.look), model.document.experiment->edits).value_or(0);
}

inline std::string about_edit_here(const Model& model) {
  const Index number = edit_here(model);
  return number == 0 ? "" : fmt::format("edit {}", number);
}

inline Command move_edit(std::string_view id, std::string_view label, std::string_view chord, int rows, int columns) {
  return command(
      id, label, {chord},
      [rows, columns](const Model& model) -> Action {
        return MoveEdit{edit_here(model), rows, columns};
      },
      {.repeats = true,
       .about = about_edit_here,
       .needs = {{[](const Model& model) { return edit_here(model) > 0; }, "The selected cell was not set by hand"}},
       .menus = of_cell});
}

inline Row<MoveEdit> row(Of<MoveEdit>) {
  return {.basics = {in_cell},
          .undo_of = [](const MoveEdit& a, const Model&) { return fmt::format("moving edit {}", a.number); },
          .why_not = [](const MoveEdit& a, const Model& model) -> std::string {
            if (const std::string none = has_edit(a, model); !none.empty()) return none;
            if (!model.step()) return "There is no result yet";
            const Edit& edit = model.document.experiment->edits[static_cast<std::size_t>(a.number - 1)];
            const auto moved = edit_moved(*model.step(), focus_of(model.document.look), edit, a.rows, a.columns);
            return moved ? "" : fmt::format("Edit {} stays: {}", a.number, moved.error().message);
          },
          .commands = {move_edit("edit-left", "Move this edit to the left", "Alt ←", 0, -1),
                       move_edit("edit-right", "Move this edit to the right", "Alt →", 0, 1),
                       move_edit("edit-up", "Move this edit up", "Alt ↑", -1, 0),
                       move_edit("edit-down", "Move this edit down", "Alt ↓", 1, 0)}};
}

inline Row<RemoveEdit> row(Of<RemoveEdit>) {
  return {.basics = {in_input},
          .undo_of = [](const RemoveEdit& a, const Model&) { return fmt::format("removing edit {}", a.number); },
          .why_not = has_edit,
          .offers =
              [](const Model& model) {
                return offer_edits(model, [](Index number, const Edit&) {
                  return Offer{fmt::format("Edit {}: remove", number), RemoveEdit{number}};
                });
              }};
}

inline Row<RemoveEdits> row(Of<RemoveEdits>) {
  return {.basics = {in_input, {an_edit}, "removing all edits"},
          .commands = {command(RemoveEdits{}, "Remove all edits")}};
}

}  // namespace headlight::app::rows
