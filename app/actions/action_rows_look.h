// Rows of the table of actions: how the result is looked at. For action_table.cpp alone.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/actions/action_rows.h"
#include "app/model/network_run.h"
#include "app/reading/head_measures.h"
#include "app/reading/row_numbers.h"
#include "app/reading/step_words.h"
#include "engine/core/words.h"
#include "engine/variants/mechanism.h"

namespace headlight::app::rows {

// ---- The cell

// The positions along the axis of a role, by their labels: "Query 3: cat".
inline void offer_positions(std::vector<Offer>& offers, const Model& model, Role role, const char* word,
                            std::optional<Index> Selection::*part) {
  constexpr Index most = 64;
  const Step* step = model.step();
  if (!step) return;
  const Look& look = model.document.look;
  for (const Axis& axis : step->info.axes) {
    if (axis.role != role || axis.labels.empty()) continue;
    for (Index i = 0; i < std::min(axis.size, most); ++i) {
      Selection selection = look.selection;
      selection.*part = i;
      const bool now = look.selection.*part == i;
      offers.push_back({fmt::format("{} {}: {}", word, i, label_of(&axis, i)),
                        Select{selection, selection.query && selection.key}, now});
    }
    return;
  }
}

template <>
inline Row<Select> row() {
  return {.section = Section::cell,
          .screen = Screen::explore,
          .undo = "selection",
          .commands = {{.id = "pin",
                        .label = "Pin the selected cell",
                        .chords = {"Enter"},
                        .action = [](const Model& model) -> Action {
                          return Select{model.document.look.selection, true};
                        },
                        .why_not = [](const Model& model) -> std::string {
                          if (shows_pinned(model)) return "It is pinned";
                          return shows_cell(model) ? "" : "No cell is selected";
                        },
                        .menus = of_cell}},
          .offers = [](const Model& model) {
            std::vector<Offer> offers;
            offer_positions(offers, model, Role::query, "Query", &Selection::query);
            offer_positions(offers, model, Role::key, "Key", &Selection::key);
            return offers;
          }};
}

inline Command move_cell(std::string_view id, std::string_view label, std::string_view chord, int rows, int columns) {
  return {.id = id, .label = label, .chords = {chord}, .action = always(MoveSelection{rows, columns}), .repeats = true};
}

template <>
inline Row<MoveSelection> row() {
  return {.section = Section::cell,
          .screen = Screen::explore,
          .why_not = [](const MoveSelection& a, const Model& model) -> std::string {
            if (!model.step()) return "There is no result yet";
            const bool first = a.rows == 0 && a.columns == 0;
            if (first) return shows_cell(model) ? "A cell is selected" : "";
            return shows_pinned(model) ? "" : "No cell is pinned";
          },
          .commands = {{"pin-first", "Pin the first cell", {"Enter"}, always(MoveSelection{0, 0})},
                       move_cell("cell-left", "The pinned cell to the left", "←", 0, -1),
                       move_cell("cell-right", "The pinned cell to the right", "→", 0, 1),
                       move_cell("cell-up", "The pinned cell up", "↑", -1, 0),
                       move_cell("cell-down", "The pinned cell down", "↓", 1, 0)}};
}

// The second cell moved by so much, from the pinned one where there is none yet.
inline Command move_second(std::string_view id, std::string_view label, std::string_view chord, int rows, int columns) {
  return {.id = id,
          .label = label,
          .chords = {chord},
          .action = [rows, columns](const Model& model) -> Action {
            const Look& look = model.document.look;
            return PinSecond{model.step() ? moved_in(*model.step(), focus_of(look),
                                                     look.second.value_or(look.selection), rows, columns)
                                          : Selection{}};
          },
          .repeats = true};
}

template <>
inline Row<PinSecond> row() {
  return {.section = Section::cell,
          .screen = Screen::explore,
          .undo = "second cell",
          .why_not = [](const PinSecond&, const Model& model) -> std::string {
            return shows_pinned(model) ? "" : "No cell is pinned";
          },
          .commands = {{.id = "compare-cells",
                        .label = "Compare with the cell that was pinned before",
                        .chords = {},
                        .action = [](const Model& model) -> Action {
                          return PinSecond{model.pinned_before.value_or(Selection{})};
                        },
                        .why_not = [](const Model& model) -> std::string {
                          const Look& look = model.document.look;
                          if (!model.pinned_before || *model.pinned_before == look.selection)
                            return "No other cell was pinned";
                          return look.second == model.pinned_before ? "They are compared" : "";
                        },
                        .menus = of_cell},
                       {.id = "drop-second",
                        .label = "One cell alone",
                        .chords = {},
                        .action = always(PinSecond{}),
                        .why_not = [](const Model& model) -> std::string {
                          return model.document.look.second ? "" : "No second cell is pinned";
                        },
                        .menus = of_cell},
                       move_second("second-left", "The second cell to the left", "Shift ←", 0, -1),
                       move_second("second-right", "The second cell to the right", "Shift →", 0, 1),
                       move_second("second-up", "The second cell up", "Shift ↑", -1, 0),
                       move_second("second-down", "The second cell down", "Shift ↓", 1, 0)}};
}

template <>
inline Row<Release> row() {
  return {.section = Section::cell,
          .screen = Screen::explore,
          .undo = "selection",
          .why_not = [](const Release&, const Model& model) -> std::string {
            return model.document.look.pinned || model.sides.drawer ? "" : "No cell is pinned";
          },
          .commands = {{.id = "release",
                        .label = "Release the pinned cell",
                        .chords = {"Esc"},
                        .action = always(Release{}),
                        .menus = of_cell}}};
}

template <>
inline Row<CopyValue> row() {
  return {.section = Section::cell,
          .screen = Screen::explore,
          .why_not = [](const CopyValue&, const Model& model) -> std::string {
            return shows_cell(model) ? "" : "No cell is selected";
          },
          .commands = {{.id = "copy-value",
                        .label = "Copy the cell's number",
                        .chords = {},
                        .action = always(CopyValue{}),
                        .menus = of_cell}}};
}

template <>
inline Row<CopyTrace> row() {
  return {.section = Section::cell,
          .screen = Screen::explore,
          .why_not = [](const CopyTrace&, const Model& model) -> std::string {
            return shows_cell(model) ? "" : "No cell is selected";
          },
          .commands = {{.id = "copy-trace",
                        .label = "Copy the cell's trace as text",
                        .chords = {"Ctrl C"},
                        .action = always(CopyTrace{}),
                        .menus = of_cell}}};
}

template <>
inline Row<CopyRow> row() {
  return {.section = Section::cell,
          .screen = Screen::explore,
          .why_not = [](const CopyRow&, const Model& model) -> std::string {
            const Step* step = model.step();
            return step && row_looked_at(*step, focus_of(model.document.look)) ? "" : "No row is selected";
          },
          .commands = {{.id = "copy-row",
                        .label = "Copy the row's numbers for a spreadsheet",
                        .chords = {"Ctrl Shift C"},
                        .action = always(CopyRow{}),
                        .menus = of_pairs}}};
}

template <>
inline Row<SetHover> row() {
  return {};
}

template <>
inline Row<Light> row() {
  return {};
}

// ---- Steps

template <>
inline Row<ShowStep> row() {
  return {.section = Section::steps,
          .screen = Screen::explore,
          .undo = "step",
          .why_not = [](const ShowStep& a, const Model& model) -> std::string {
            if (!model.trace()) return "There is no result yet";
            if (model.trace()->find(a.id)) return {};
            std::vector<std::string> ids;
            for (const Step& step : model.trace()->steps) ids.push_back(step.info.id);
            return fmt::format("There is no step {}: there are {}", brief(a.id), fmt::join(ids, ", "));
          },
          .offers =
              [](const Model& model) {
                std::vector<Offer> offers;
                const Step* now = model.step();
                if (!model.trace()) return offers;
                for (const Step& step : model.trace()->steps) {
                  Offer offer{fmt::format("Step: {}", step.info.title), ShowStep{step.info.id}, &step == now};
                  const Stage* stage = model.trace()->stage_of(step.info.id);
                  if (stage) offer.finds = stage->title;
                  offers.push_back(std::move(offer));
                }
                for (const Step& source : model.trace()->sources)
                  offers.push_back({fmt::format("Array: {}", source.info.title), ShowStep{source.info.id},
                                    &source == now, source.info.id});
                return offers;
              }};
}

template <>
inline Row<GoStage> row() {
  return {.section = Section::steps,
          .screen = Screen::explore,
          .undo = "step",
          .why_not = [](const GoStage&, const Model& model) -> std::string {
            return model.stages() > 0 ? "" : "There is no result yet";
          },
          .commands = {{"first-step", "First step", {"Home"}, always(GoStage{0})},
                       {"last-step", "Last step", {"End"}, [](const Model& model) -> Action {
                          return GoStage{std::max(0, model.stages() - 1)};
                        }}}};
}

template <>
inline Row<MoveStage> row() {
  return {.section = Section::steps,
          .screen = Screen::explore,
          .why_not = [](const MoveStage& a, const Model& model) -> std::string {
            if (model.stages() == 0) return "There is no result yet";
            if (a.by < 0 && model.stage() == 0) return "This is the first step";
            const bool last = model.stage() + 1 == model.stages();
            return a.by > 0 && last ? "This is the last step" : "";
          },
          .commands = {{.id = "previous-step",
                        .label = "Previous step",
                        .chords = {"←", "PgUp"},
                        .action = always(MoveStage{-1}),
                        .repeats = true},
                       {.id = "next-step",
                        .label = "Next step",
                        .chords = {"→", "PgDn"},
                        .action = always(MoveStage{1}),
                        .repeats = true}}};
}

template <>
inline Row<Play> row() {
  return {.section = Section::steps,
          .screen = Screen::explore,
          .why_not = [](const Play& a, const Model& model) -> std::string {
            if (model.stages() == 0) return "There is no result yet";
            if (a.on == model.playing) return a.on ? "It plays" : "It does not play";
            return {};
          },
          .commands = {
              {.id = "pause", .label = "Pause", .chords = {"Space"}, .action = always(Play{false}), .icon = "pause"},
              {.id = "play",
               .label = "Play all steps",
               .chords = {"Space"},
               .action = always(Play{true}),
               .icon = "play",
               .useful = true}}};
}

// ---- Heads

inline std::string about_head(const Model& model, Index head) {
  if (!model.trace() || head >= model.extent(AxisRole::head)) return {};
  const std::string name = head_name(*model.trace(), head);
  return name.starts_with("Head ") ? "" : name;
}

inline std::vector<Command> nine_heads() {
  static constexpr std::string_view ids[] = {"head-1", "head-2", "head-3", "head-4", "head-5",
                                             "head-6", "head-7", "head-8", "head-9"};
  static constexpr std::string_view labels[] = {"Head 1", "Head 2", "Head 3", "Head 4", "Head 5",
                                                "Head 6", "Head 7", "Head 8", "Head 9"};
  std::vector<Command> list;
  for (std::size_t i = 0; i < std::size(ids); ++i) {
    const auto head = static_cast<Index>(i);
    list.push_back({.id = ids[i],
                    .label = labels[i],
                    .chords = {labels[i].substr(labels[i].size() - 1)},
                    .action = always(SetHead{head}),
                    .now = [head](const Model& model) { return model.document.look.head == head; },
                    .about = [head](const Model& model) { return about_head(model, head); }});
  }
  return list;
}

template <>
inline Row<SetHead> row() {
  return {.section = Section::heads,
          .screen = Screen::explore,
          .undo = "head",
          .why_not = [](const SetHead& a, const Model& model) -> std::string {
            if (!model.trace()) return "There is no result yet";
            const Index heads = model.extent(AxisRole::head);
            return a.head < heads ? "" : heads == 1 ? "There is one head" : fmt::format("There are {} heads", heads);
          },
          .commands = nine_heads(),
          .offers = [](const Model& model) {  // those that have no key
            std::vector<Offer> offers;
            constexpr Index most = 64;
            for (Index head = 9; head < std::min(model.extent(AxisRole::head), most); ++head)
              offers.push_back({fmt::format("Head {}", head + 1), SetHead{head}, false, about_head(model, head)});
            for (Offer& offer : offers) offer.now = offer.action.as<SetHead>()->head == model.document.look.head;
            return offers;
          }};
}

template <>
inline Row<MoveHead> row() {
  return {.section = Section::heads,
          .screen = Screen::explore,
          .why_not = [](const MoveHead&, const Model& model) -> std::string {
            return model.extent(AxisRole::head) > 1 ? "" : "There is one head";
          },
          .commands = {{.id = "previous-head",
                        .label = "Previous head",
                        .chords = {"↑", "["},
                        .action = always(MoveHead{-1}),
                        .repeats = true},
                       {.id = "next-head",
                        .label = "Next head",
                        .chords = {"↓", "]"},
                        .action = always(MoveHead{1}),
                        .repeats = true}}};
}

// ---- Views

template <>
inline Row<SetBatch> row() {
  return {.section = Section::views, .screen = Screen::explore, .undo = "batch", .offers = [](const Model& model) {
            std::vector<Offer> offers;
            const Index batches = model.extent(AxisRole::batch);
            constexpr Index most = 32;
            for (Index b = 0; batches > 1 && b < std::min(batches, most); ++b)
              offers.push_back({fmt::format("Batch {}", b), SetBatch{b}, b == model.document.look.batch});
            return offers;
          }};
}

template <>
inline Row<SetFrame> row() {
  const auto frame = [](int by) {
    return [by](const Model& model) -> Action { return SetFrame{std::max<Index>(0, model.document.look.frame) + by}; };
  };
  return {.section = Section::views,
          .screen = Screen::explore,
          .undo = "frame",
          .why_not = [](const SetFrame&, const Model& model) -> std::string {
            return model.step() && frames_of(*model.step()) > 1 ? "" : "This step is no video";
          },
          .commands = {
              {.id = "previous-frame",
               .label = "Previous frame",
               .chords = {"Shift ["},
               .action = frame(-1),
               .repeats = true},
              {.id = "next-frame", .label = "Next frame", .chords = {"Shift ]"}, .action = frame(1), .repeats = true}}};
}

inline Command view_as(std::string_view id, std::string_view label, std::string_view chord, ViewMode mode) {
  return {.id = id,
          .label = label,
          .chords = {chord},
          .action = always(SetMode{mode}),
          .useful = mode != ViewMode::matrix,
          .now = [mode](const Model& model) { return model.document.look.mode == mode; },
          .menus = mode == ViewMode::numbers || mode == ViewMode::lines ? of_pairs
                   : mode == ViewMode::heads                            ? of_head
                                                                        : std::vector<MenuOf>{}};
}

template <>
inline Row<SetMode> row() {
  return {.section = Section::views,
          .screen = Screen::explore,
          .undo = "view",
          .why_not = needs_result,
          .commands = {view_as("map", "Map", "H", ViewMode::map),
                       view_as("matrix", "Matrix of all queries and keys", "M", ViewMode::matrix),
                       view_as("lines", "Lines", "L", ViewMode::lines),
                       view_as("numbers", "Numbers of one row", "N", ViewMode::numbers),
                       view_as("mechanism", "Mechanism: what the choices do", "Shift M", ViewMode::mechanism),
                       view_as("report", "Report on all heads", "Shift H", ViewMode::heads),
                       {.id = "layers",
                        .label = "The heads of all layers",
                        .chords = {"Shift L"},
                        .action = always(SetMode{ViewMode::layers}),
                        .now = [](const Model& model) { return model.shows_layers(); },
                        .why_not = [](const Model& model) -> std::string {
                          return model.has_layers() ? "" : "There is one layer";
                        }}}};
}

// ---- The report on heads

inline std::string needs_report(const Model& model) {
  return model.head_report.measures ? "" : "The heads have not been measured: open the report on all heads";
}

template <>
inline Row<SortHeads> row() {
  return {.section = Section::heads, .screen = Screen::explore, .offers = [](const Model& model) {
            std::vector<Offer> offers;
            if (!model.head_report.measures) return offers;
            const HeadTable& table = model.head_table;
            offers.push_back({"Heads by number", SortHeads{std::nullopt, true}, !table.by});
            for (const Measure by : all_measures())
              offers.push_back(
                  {fmt::format("Heads by {}", lower_first(row_of(by).title)), SortHeads{by, false}, table.by == by});
            return offers;
          }};
}

template <>
inline Row<PlotHeads> row() {  // chosen beside the plot
  return {};
}

template <>
inline Row<FindHeads> row() {
  return {.section = Section::heads, .screen = Screen::explore, .offers = [](const Model& model) {
            std::vector<Offer> offers;
            if (!model.trace() || !model.trace()->map()) return offers;
            const bool shown = model.document.look.mode == ViewMode::heads;
            for (const Behaviour& behaviour : behaviours())
              offers.push_back(
                  {fmt::format("Find heads: {}", lower_first(behaviour.name)), FindHeads{behaviour.words.front()},
                   shown && model.head_table.find == behaviour.words.front(), "by its score, in the report"});
            return offers;
          }};
}

// Of a model of many layers: each of its heads.
inline std::string why_not_without(const AblateHeads& a, const Model& model) {
  if (!a.on) return model.net.without.going_on ? "" : "No head is being switched off";
  if (!model.net.run || model.busy) return "There is no result yet";
  if (!model.net.run->logits) return "The model says nothing that could change: its file has no weights for that";
  return model.net.without.going_on ? "Heads are being switched off" : "";
}

template <>
inline Row<AblateHeads> row() {
  return {.section = Section::heads,
          .screen = Screen::explore,
          .why_not = [](const AblateHeads& a, const Model& model) -> std::string {
            if (model.shows_network()) return why_not_without(a, model);
            if (!a.on) return model.head_report.ablating ? "" : "No head is being switched off";
            if (const std::string why = needs_report(model); !why.empty()) return why;
            if (model.head_report.ablating) return "Heads are being switched off";
            const Missing missing = (*model.head_report.measures)[Measure::ablation].missing;
            return missing == Missing::runs || missing == Missing::nothing ? "" : missing_in_words(missing);
          },
          .commands = {{.id = "stop-ablating",
                        .label = "Stop switching heads off",
                        .chords = {"Esc"},
                        .action = always(AblateHeads{false})},
                       {.id = "ablate-heads",
                        .label = "Switch off each head in turn: what is lost without it",
                        .chords = {},
                        .action = always(AblateHeads{true}),
                        .menus = of_head}}};
}

template <>
inline Row<CopyHeads> row() {
  return {.section = Section::heads,
          .screen = Screen::explore,
          .why_not = [](const CopyHeads&, const Model& model) { return needs_report(model); },
          .commands = {{.id = "copy-heads",
                        .label = "Copy the table of heads",
                        .chords = {},
                        .action = always(CopyHeads{}),
                        .menus = of_head}}};
}

template <>
inline Row<SaveHeads> row() {
  return {.section = Section::heads,
          .screen = Screen::explore,
          .why_not = [](const SaveHeads&, const Model& model) -> std::string {
            return model.exporting.busy ? "A file is being written" : needs_report(model);
          },
          .commands = {{"save-heads", "Save the table of heads as CSV", {}, always(SaveHeads{})}}};
}

template <>
inline Row<SetScaling> row() {
  return {.section = Section::views,
          .screen = Screen::explore,
          .undo = "scale of colours",
          .why_not = [](const SetScaling& a, const Model& model) -> std::string {
            if (!model.shows_network()) return needs_result(a, model);
            return model.net.run ? "" : "There is no result yet";
          },
          .offers =
              [](const Model& model) {
                std::vector<Offer> offers;
                const bool together = model.shows_network() || model.shows_layers();  // all heads are on one scale
                for (const ScalingChoice& choice : scaling_choices()) {
                  if (together && choice.scaling.per_head) continue;
                  const Scaling& now = scaling_of(model);
                  offers.push_back({fmt::format("Colours: {}", choice.title), SetScaling{choice.scaling},
                                    together ? choice.scaling.space == now.space : choice.scaling == now});
                }
                return offers;
              }};
}

template <>
inline Row<SetThreshold> row() {
  return {.section = Section::views, .screen = Screen::explore, .undo = "threshold", .numbers = [](const Model& model) {
            return std::vector<NumberOffer>{{"Lines: hide below, %",
                                             fmt::format("{:.4g}", model.document.look.threshold * 100),
                                             [](double percent) -> std::optional<Action> {
                                               if (!(percent >= 0 && percent <= 100)) return std::nullopt;
                                               return SetThreshold{percent / 100, false};
                                             }}};
          }};
}

template <>
inline Row<RollWindows> row() {
  return {.section = Section::views,
          .screen = Screen::explore,
          .undo = "roll",
          .why_not = [](const RollWindows& a, const Model& model) -> std::string {
            if (const std::string why = needs_result(a, model); !why.empty()) return why;
            return mechanism::shifts_windows(*model.shown.problem) ? "" : "No windows are shifted";
          },
          .offers = [](const Model& model) -> std::vector<Offer> {
            if (!model.shown.problem || !mechanism::shifts_windows(*model.shown.problem)) return {};
            const bool on = model.document.look.rolled;
            return {{"Windows: as they lie on the picture", RollWindows{false}, !on},
                    {"Windows: roll the picture until they are a grid", RollWindows{true}, on}};
          }};
}

// ---- The run as a script

template <>
inline Row<CopyCode> row() {
  return {.section = Section::run,
          .why_not = needs_result,
          .commands = {{"copy-numpy", "Copy the run as a NumPy script", {}, always(CopyCode{Language::numpy})},
                       {"copy-pytorch", "Copy the run as a PyTorch script", {}, always(CopyCode{Language::pytorch})}}};
}

template <>
inline Row<SaveArrays> row() {
  return {.section = Section::run,
          .why_not = needs_result,
          .commands = {{"save-arrays", "Save the arrays that such a script reads", {}, always(SaveArrays{})}}};
}

}  // namespace headlight::app::rows
