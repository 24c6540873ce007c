// Rows of the table of actions: how the result is looked at. For action_table.cpp alone.
#pragma once

#include <fmt/ranges.h>

#include <algorithm>

#include "app/actions/action_rows.h"
#include "app/model/network_run.h"
#include "app/reading/glossary.h"
#include "app/reading/head_measures.h"
#include "app/reading/step_words.h"
#include "engine/variants/mechanism/mechanism.h"

namespace headlight::app::rows {

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
      offers.push_back({fmt::format("{} {}: {}", word, i, label_of(&axis, i, look.batch)),
                        Select{selection, selection.query && selection.key}, now});
    }
    return;
  }
}

// The second cell moved by so much, from the pinned one where there is none yet.
inline Command move_second(std::string_view id, std::string_view label, std::string_view chord, int rows, int columns) {
  const auto moved = [rows, columns](const Model& model) -> Action {
    const Look& look = model.document.look;
    if (!model.step()) return PinSecond{};
    return PinSecond{
        moved_selection(*model.step(), focus_of(look), look.second.value_or(look.selection), rows, columns)};
  };
  return command(id, label, {chord}, moved, {.repeats = true});
}

inline std::string why_not_compared(const Model& model) {
  const Look& look = model.document.look;
  if (!model.pinned_before || *model.pinned_before == look.selection) return "No other cell was pinned";
  return look.second == model.pinned_before ? "They are compared" : "";
}

inline std::string about_head(const Model& model, Index head) {
  if (!model.trace() || head >= model.extent(AxisRole::head)) return {};
  const std::string name = head_name(*model.trace(), head);
  return name.starts_with("Head ") ? "" : name;
}

inline std::vector<Command> ten_heads() {
  static constexpr std::string_view ids[] = {"head-0", "head-1", "head-2", "head-3", "head-4",
                                             "head-5", "head-6", "head-7", "head-8", "head-9"};
  static constexpr std::string_view labels[] = {"Head 0", "Head 1", "Head 2", "Head 3", "Head 4",
                                                "Head 5", "Head 6", "Head 7", "Head 8", "Head 9"};
  std::vector<Command> list;
  for (std::size_t i = 0; i < std::size(ids); ++i) {
    const auto head = static_cast<Index>(i);
    list.push_back(command(ids[i], labels[i], {labels[i].substr(5)}, SetHead{head},
                           {.now = [head](const Model& model) { return model.document.look.head == head; },
                            .about = [head](const Model& model) { return about_head(model, head); }}));
  }
  return list;
}

inline Command view_command(std::string_view id, std::string_view label, std::string_view chord, ViewMode mode,
                            std::vector<MenuTarget> menus = {}) {
  return command(id, label, {chord}, SetMode{mode},
                 {.useful = mode != ViewMode::matrix,
                  .now = [mode](const Model& model) { return model.document.look.mode == mode; },
                  .menus = std::move(menus)});
}

inline bool has_layers(const Model& model) {
  return model.has_layers();
}

inline constexpr Need a_report{[](const Model& model) { return model.head_report.measures != nullptr; },
                               "The heads have not been measured: open the report on all heads"};

// Of a model of many layers: each of its heads.
inline std::string why_not_without(const AblateHeads& a, const Model& model) {
  if (!a.on) return model.net.without.running ? "" : "No head is being switched off";
  if (!model.net.run || model.busy) return "There is no result yet";
  if (!model.net.run->logits) return "The model says nothing that could change: its file has no weights for that";
  return model.net.without.running ? "Heads are being switched off" : "";
}

inline std::string why_not_ablated(const AblateHeads& a, const Model& model) {
  if (model.shows_network()) return why_not_without(a, model);
  if (!a.on) return model.head_report.ablating ? "" : "No head is being switched off";
  if (const std::string why = a_report.missing(model); !why.empty()) return why;
  if (model.head_report.ablating) return "Heads are being switched off";
  const Missing missing = (*model.head_report.measures)[Measure::ablation].missing;
  return missing == Missing::runs || missing == Missing::nothing ? "" : missing_in_words(missing);
}

inline bool shifts_windows(const Model& model) {
  return model.shown.problem && mechanism::shifts_windows(*model.shown.problem);
}

inline std::string why_not_played(const Play& a, const Model& model) {
  if (a.on != model.playing) return {};
  return a.on ? "It plays" : "It does not play";
}

inline std::string why_no_term(const ShowTerm& a, const Model& model) {
  const bool may_show = model.screen == Screen::explore || (model.screen == Screen::lessons && model.learner.played);
  const bool shown = !model.term.empty() && may_show && !model.settings.expert;
  if (a.value.empty()) return shown ? "" : "No word is explained";
  if (model.settings.expert) return "Explanations are hidden";
  return term_named(a.value) ? "" : fmt::format("“{}” is not in the glossary", brief(a.value));
}

inline std::string why_not_selected(const Select& a, const Model& model) {
  const Step* map = model.trace() ? model.trace()->map() : nullptr;
  const auto beyond = [&](AxisRole along, std::optional<Index> place) -> std::string {
    const Axis* axis = map && place ? map->axis(along) : nullptr;
    if (!axis || (*place >= 0 && *place < axis->size)) return {};
    return fmt::format("There is no {} {}: they are 0 to {}", along == AxisRole::query ? "query" : "key", *place,
                       axis->size - 1);
  };
  const std::string why = beyond(AxisRole::query, a.selection.query);
  return why.empty() ? beyond(AxisRole::key, a.selection.key) : why;
}

inline auto look_rows() {
  const auto frame = [](int by) {
    return [by](const Model& model) -> Action { return SetFrame{std::max<Index>(0, model.document.look.frame) + by}; };
  };
  return std::tuple{
      // ---- The cell
      Row<Select>{.basics = {in_cell, {}, "selection"},
                  .why_not = why_not_selected,
                  .commands = {command(
                      "pin", "Pin the selected cell", {"Enter"},
                      [](const Model& model) -> Action {
                        return Select{model.document.look.selection, true};
                      },
                      {.needs = {{[](const Model& model) { return !shows_pinned(model); }, "It is pinned"}, a_cell},
                       .menus = of_cell})},
                  .offers =
                      [](const Model& model) {
                        std::vector<Offer> offers;
                        offer_positions(offers, model, Role::query, "Query", &Selection::query);
                        offer_positions(offers, model, Role::key, "Key", &Selection::key);
                        return offers;
                      }},
      Row<MoveSelection>{
          .basics = {in_cell, {a_step}},
          .why_not = [](const MoveSelection& a, const Model& model) -> std::string {
            const bool first = a.rows == 0 && a.columns == 0;
            if (first) return shows_cell(model) ? "A cell is selected" : "";
            return a_pinned_cell.missing(model);
          },
          .commands = {command("pin-first", "Pin the first cell", {"Enter"}, MoveSelection{0, 0}),
                       command("cell-left", "The pinned cell to the left", {"←"}, MoveSelection{0, -1},
                               {.repeats = true}),
                       command("cell-right", "The pinned cell to the right", {"→"}, MoveSelection{0, 1},
                               {.repeats = true}),
                       command("cell-up", "The pinned cell up", {"↑"}, MoveSelection{-1, 0}, {.repeats = true}),
                       command("cell-down", "The pinned cell down", {"↓"}, MoveSelection{1, 0}, {.repeats = true})}},
      Row<PinSecond>{
          .basics = {in_cell, {a_pinned_cell}, "second cell"},
          .commands = {command("compare-cells", "Compare with the cell that was pinned before", {},
                               [](const Model& model) -> Action {
                                 return PinSecond{model.pinned_before.value_or(Selection{})};
                               },
                               {.needs = {why_not_compared}, .menus = of_cell}),
                       command("drop-second", "One cell alone", {}, PinSecond{},
                               {.needs = {{[](const Model& model) { return model.document.look.second.has_value(); },
                                           "No second cell is pinned"}},
                                .menus = of_cell}),
                       move_second("second-left", "The second cell to the left", "Shift ←", 0, -1),
                       move_second("second-right", "The second cell to the right", "Shift →", 0, 1),
                       move_second("second-up", "The second cell up", "Shift ↑", -1, 0),
                       move_second("second-down", "The second cell down", "Shift ↓", 1, 0)}},
      Row<ShowTerm>{.basics = {{Section::cell}},  // in lessons as well
                    .why_not = why_no_term,
                    .commands = {command("close-term", "Close the word that is explained", {"Esc"}, ShowTerm{})}},
      one_command<Release>(
          {in_cell,
           {{[](const Model& model) { return model.document.look.pinned || model.sides.drawer; }, "No cell is pinned"}},
           "selection"},
          "Release the pinned cell", {"Esc"}, {.menus = of_cell}),
      one_command<CopyValue>({in_cell, {a_cell}}, "Copy the cell's number", {}, {.menus = of_cell}),
      one_command<CopyTrace>({in_cell, {a_cell}}, "Copy the cell's trace as text", {"Ctrl C"}, {.menus = of_cell}),
      one_command<CopyDescription>(
          {in_steps,
           {{[](const Model& model) { return model.trace() != nullptr || model.net.run != nullptr; },
             "There is no result yet"}}},
          "Copy a description of what is shown", {}, {.menus = of_cell}),
      one_command<CopyRow>({in_cell, {a_row}}, "Copy the row's numbers for a spreadsheet", {"Ctrl Shift C"},
                           {.menus = of_pairs}),
      // ---- Steps
      Row<ShowStep>{.basics = {in_steps, {a_result}, "step"},
                    .why_not = [](const ShowStep& a, const Model& model) -> std::string {
                      if (model.trace()->find(a.value)) return {};
                      std::vector<std::string> ids;
                      for (const Step& step : model.trace()->steps) ids.push_back(step.info.id);
                      return fmt::format("There is no step {}: there are {}", brief(a.value), fmt::join(ids, ", "));
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
                        }},
      Row<GoStage>{
          .basics = {in_steps, {a_stage}, "step"},
          .commands = {command("first-step", "First step", {"Home"}, GoStage{0}),
                       command("last-step", "Last step", {"End"},
                               [](const Model& model) -> Action { return GoStage{std::max(0, model.stages() - 1)}; })}},
      Row<MoveStage>{.basics = {in_steps, {a_stage}},
                     .why_not = [](const MoveStage& a, const Model& model) -> std::string {
                       if (a.value < 0 && model.stage() == 0) return "This is the first step";
                       const bool last = model.stage() + 1 == model.stages();
                       return a.value > 0 && last ? "This is the last step" : "";
                     },
                     .commands = {command("previous-step", "Previous step", {"←", "PgUp"}, MoveStage{-1},
                                          {.repeats = true}),
                                  command("next-step", "Next step", {"→", "PgDn"}, MoveStage{1}, {.repeats = true})}},
      Row<Play>{.basics = {in_steps, {a_stage}},
                .why_not = why_not_played,
                .commands = {command(Play{false}, "Pause", {"Space"}, {.icon = "pause"}),
                             command(Play{true}, "Play all steps", {"Space"}, {.icon = "play", .useful = true})}},
      // ---- Heads
      Row<SetHead>{.basics = {in_heads, {a_result}, "head"},
                   .why_not = [](const SetHead& a, const Model& model) -> std::string {
                     const Index heads = model.extent(AxisRole::head);
                     if (a.value < heads) return {};
                     return heads == 1 ? "There is one head" : fmt::format("There are {} heads", heads);
                   },
                   .commands = ten_heads(),
                   .offers =
                       [](const Model& model) {  // those that have no key
                         return offer_indices(10, std::min<Index>(model.extent(AxisRole::head), 64), [&](Index head) {
                           return Offer{fmt::format("Head {}", head), SetHead{head}, head == model.document.look.head,
                                        about_head(model, head)};
                         });
                       }},
      Row<MoveHead>{.basics = {in_heads, {several_heads}},
                    .commands = {command("previous-head", "Previous head", {"↑", "["}, MoveHead{-1}, {.repeats = true}),
                                 command("next-head", "Next head", {"↓", "]"}, MoveHead{1}, {.repeats = true})}},
      // ---- Views
      Row<SetBatch>{.basics = {in_views, {}, "batch"},
                    .offers =
                        [](const Model& model) {
                          const ItemLookedAt now = item_looked_at(model);
                          return offer_indices(0, now.items > 1 ? std::min<Index>(now.items, 32) : 0, [&](Index b) {
                            return Offer{fmt::format("Batch {}", b), SetBatch{b}, b == now.item};
                          });
                        }},
      Row<SetFrame>{.basics = {in_views,
                               {{[](const Model& model) { return model.step() && frames_of(*model.step()) > 1; },
                                 "This step is no video"}},
                               "frame"},
                    .commands = {command("previous-frame", "Previous frame", {"Shift ["}, frame(-1), {.repeats = true}),
                                 command("next-frame", "Next frame", {"Shift ]"}, frame(1), {.repeats = true})}},
      Row<SetMode>{
          .basics = {in_views, {a_result}, "view"},
          .commands = {view_command("map", "Map", "H", ViewMode::map),
                       view_command("matrix", "Matrix of all queries and keys", "M", ViewMode::matrix),
                       view_command("lines", "Lines", "L", ViewMode::lines, of_pairs),
                       view_command("arrows", "Arrows in a plane", "Shift A", ViewMode::arrows),
                       view_command("numbers", "Numbers of one row", "N", ViewMode::numbers, of_pairs),
                       view_command("mechanism", "Mechanism: what the choices do", "Shift M", ViewMode::mechanism),
                       view_command("report", "Report on all heads", "Shift H", ViewMode::heads, of_head),
                       command("layers", "The heads of all layers", {"Shift L"}, SetMode{ViewMode::layers},
                               {.now = [](const Model& model) { return model.shows_layers(); },
                                .needs = {{has_layers, "There is one layer"}}})}},
      // ---- The report on heads
      Row<SortHeads>{.basics = {in_heads},
                     .offers =
                         [](const Model& model) {
                           std::vector<Offer> offers;
                           if (!model.head_report.measures) return offers;
                           const HeadTable& table = model.head_table;
                           offers.push_back({"Heads by number", SortHeads{std::nullopt, true}, !table.by});
                           for (const Measure by : all_measures())
                             offers.push_back({fmt::format("Heads by {}", lower_first(row_of(by).title)),
                                               SortHeads{by, false}, table.by == by});
                           return offers;
                         }},
      Row<FindHeads>{.basics = {in_heads},
                     .offers =
                         [](const Model& model) {
                           if (!model.trace() || !model.trace()->map()) return std::vector<Offer>{};
                           const bool shown = model.document.look.mode == ViewMode::heads;
                           return offer_each(behaviours(), [&](const Behaviour& behaviour) {
                             return Offer{fmt::format("Find heads: {}", lower_first(behaviour.name)),
                                          FindHeads{behaviour.words.front()},
                                          shown && model.head_table.find == behaviour.words.front(),
                                          "by its score, in the report"};
                           });
                         }},
      Row<AblateHeads>{.basics = {in_heads},
                       .why_not = why_not_ablated,
                       .commands = {command(AblateHeads{false}, "Stop switching heads off", {"Esc"}),
                                    command(AblateHeads{true}, "Switch off each head in turn: what is lost without it",
                                            {}, {.menus = of_head})}},
      one_command<CopyHeads>({in_heads, {a_report}}, "Copy the table of heads", {}, {.menus = of_head}),
      one_command<SaveHeads>(
          {in_heads, {{[](const Model& model) { return !model.exporting.busy; }, "A file is being written"}, a_report}},
          "Save the table of heads as CSV"),
      Row<SetScaling>{
          .basics = {in_views,
                     {{[](const Model& model) {
                         return model.shows_network() ? model.net.run != nullptr : model.trace() != nullptr;
                       },
                       "There is no result yet"}},
                     "scale of colours"},
          .offers =
              [](const Model& model) {
                std::vector<Offer> offers;
                const bool together = model.shows_network() || model.shows_layers();  // all heads are on one scale
                const Scaling& now = scaling_of(model);
                for (const ScalingChoice& choice : scaling_choices())
                  if (!together || !choice.scaling.per_head)
                    offers.push_back({fmt::format("Colours: {}", choice.title), SetScaling{choice.scaling},
                                      together ? choice.scaling.space == now.space : choice.scaling == now});
                return offers;
              }},
      Row<SetThreshold>{.basics = {in_views, {}, "threshold"},
                        .numbers =
                            [](const Model& model) {
                              return std::vector<NumberOffer>{
                                  {"Lines: hide below, %", fmt::format("{:.4g}", model.document.look.threshold * 100),
                                   [](double percent) -> std::optional<Action> {
                                     if (!(percent >= 0 && percent <= 100)) return std::nullopt;
                                     return SetThreshold{percent / 100};
                                   }}};
                            }},
      Row<RollWindows>{.basics = {in_views, {a_result, {shifts_windows, "No windows are shifted"}}, "roll"},
                       .offers =
                           [](const Model& model) {
                             if (!shifts_windows(model)) return std::vector<Offer>{};
                             return offer_off_and_on<RollWindows>(model.document.look.rolled,
                                                                  "Windows: as they lie on the picture",
                                                                  "Windows: roll the picture until they are a grid");
                           }},
      // ---- The run as a script
      Row<CopyCode>{
          .basics = {in_run, {a_result}},
          .commands = {command("copy-numpy", "Copy the run as a NumPy script", {}, CopyCode{Language::numpy}),
                       command("copy-pytorch", "Copy the run as a PyTorch script", {}, CopyCode{Language::pytorch})}},
      one_command<SaveArrays>({in_run, {a_result}}, "Save the arrays that such a script reads")};
}

}  // namespace headlight::app::rows
