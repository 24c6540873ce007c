// Rows of the table of actions: what is computed. For action_table.cpp alone.
#pragma once

#include <algorithm>

#include "app/actions/action_rows.h"
#include "app/model/mechanism_report.h"
#include "app/reading/choices_offered.h"
#include "app/reading/edit_moved.h"
#include "app/reading/edits_offered.h"
#include "app/reading/inputs.h"
#include "engine/core/words.h"
#include "engine/run/hints.h"
#include "engine/run/inputs.h"

namespace headlight::app::rows {

// ---- Input

template <>
inline Row<SetText> row() {
  return {.undo = "text"};
}

template <>
inline Row<SetInput> row() {
  return {.undo = "input"};
}

template <>
inline Row<UseExample> row() {
  return {.section = Section::input, .undo = "input", .offers = [](const Model& model) {
            std::vector<Offer> offers;
            const InputSpec* now = model.input(model.primary_input());
            for (const auto& [kind, name] : {std::pair{InputKind::text, "a sentence"},
                                             {InputKind::image, "a picture"},
                                             {InputKind::frames, "a video"},
                                             {InputKind::signal, "a signal"}})
              offers.push_back({fmt::format("Example: {}", name), UseExample{kind}, now && kind_of(*now) == kind});
            return offers;
          }};
}

template <>
inline Row<SetGrid> row() {
  return {.section = Section::input, .undo = "grid", .offers = [](const Model& model) {
            std::vector<Offer> offers;
            const std::string id = model.primary_input();
            const InputSpec* input = model.input(id);
            const auto* image = input ? std::get_if<ImageInput>(input) : nullptr;
            const auto* frames = input ? std::get_if<FramesInput>(input) : nullptr;
            if (!image && !frames) return offers;
            const auto now = image ? image->size : frames->size;
            for (const Index side : {8, 16, 24, 32}) {
              const GridSize size{side, side};
              offers.push_back({fmt::format("Grid: {} × {}", side, side), SetGrid{id, size}, now == size});
            }
            return offers;
          }};
}

template <>
inline Row<SetTokenizer> row() {
  return {.section = Section::input, .undo = "tokenizer", .offers = [](const Model& model) {
            std::vector<Offer> offers;
            const TextInput* text = primary_text(model);
            for (const auto& name : tokenizers())
              if (text)
                offers.push_back({fmt::format("Tokens: {}", name), SetTokenizer{model.primary_input(), name},
                                  text->tokenizer == name});
            return offers;
          }};
}

template <>
inline Row<SetStartToken> row() {
  return {.section = Section::input, .undo = "start token", .offers = [](const Model& model) {
            std::vector<Offer> offers;
            const TextInput* text = primary_text(model);
            for (const bool on : {true, false})
              if (text)
                offers.push_back({fmt::format("Start token: {}", on ? "on" : "off"),
                                  SetStartToken{model.primary_input(), on}, text->start_token == on});
            return offers;
          }};
}

template <>
inline Row<SetModelWidth> row() {
  return {.section = Section::parameters, .undo = "model width", .numbers = [](const Model& model) {
            std::vector<NumberOffer> offers;
            const TextInput* text = primary_text(model);
            if (text)
              offers.push_back({"Model width", fmt::format("{}", text->d_model), [](double number) {
                                  const auto width = whole_from(number, 1, widest_embedding);
                                  return width ? std::optional<Action>(SetModelWidth{*width}) : std::nullopt;
                                }});
            return offers;
          }};
}

template <>
inline Row<SetCross> row() {
  return {.section = Section::mechanism,
          .undo_of = [](const SetCross& a,
                        const Model&) { return std::string(a.on ? "cross-attention" : "self-attention"); },
          .why_not = [](const SetCross& a, const Model& model) -> std::string {
            if (!a.on && model.has_second_input()) return {};  // whatever the mechanism
            const Variant* variant = find_variant(model.document.experiment->variant);
            if (!variant || variant->info().across.empty() || !primary_text(model))
              return "A second text needs scaled dot-product and a sentence";
            return {};
          },
          .offers =
              [](const Model& model) {
                const bool on = model.has_second_input();
                return std::vector<Offer>{{"Cross-attention", SetCross{true}, on, "keys and values of a second text"},
                                          {"Self-attention", SetCross{false}, !on, "one text asks itself"}};
              }};
}

template <>
inline Row<Arrange> row() {
  return {.section = Section::input,
          .undo_of = [](const Arrange& a, const Model&) -> std::string {
            if (!a.arrangement) return "put back";
            return std::holds_alternative<Shuffle>(*a.arrangement) ? "shuffle" : "shift";
          },
          .why_not = [](const Arrange& a, const Model& model) -> std::string {
            if (a.arrangement || model.document.experiment->arrange) return {};
            return "Every position is at its own place";
          },
          .commands = {{"shuffle",
                        "Shuffle the positions",
                        {},
                        [](const Model& model) -> Action {
                          const auto& now = model.document.experiment->arrange;
                          const auto* shuffle = now ? std::get_if<Shuffle>(&*now) : nullptr;
                          return Arrange{Shuffle{shuffle ? (shuffle->seed + 1) % INT64_MAX : 1}};
                        }},
                       {"put-back", "Put the positions back", {}, always(Arrange{})}}};
}

template <>
inline Row<SwitchEdits> row() {
  return {.section = Section::input,
          .undo_of = [](const SwitchEdits& a, const Model&) { return std::string(a.on ? "edits on" : "edits off"); },
          .why_not = [](const SwitchEdits& a, const Model& model) -> std::string {
            const auto& edits = model.document.experiment->edits;
            if (edits.empty()) return "No number of this experiment is set by hand";
            const auto is_so = [&](const Edit& edit) { return edit.on == a.on; };
            return std::ranges::all_of(edits, is_so) ? fmt::format("All edits are {}", a.on ? "on" : "off") : "";
          },
          .commands = {{"edits-off", "Switch edits off", {}, always(SwitchEdits{false})},
                       {"edits-on", "Switch edits on", {}, always(SwitchEdits{true})}}};
}

template <>
inline Row<AddEdit> row() {
  return {.section = Section::cell,
          .undo = "edit by hand",
          .why_not = needs_result<AddEdit>,
          .offers =
              [](const Model& model) {
                std::vector<Offer> offers;
                if (!model.trace() || !model.step()) return offers;
                const auto& edits = model.document.experiment->edits;
                for (EditOffer& offer : edits_offered(*model.trace(), *model.step(), focus_of(model.document.look)))
                  offers.push_back({fmt::format("Set by hand: {}", lower_first(offer.label)),
                                    AddEdit{offer.edit},
                                    std::ranges::find(edits, offer.edit) != edits.end(),
                                    offer.about,
                                    {},
                                    {},
                                    offer.of_head  ? of_head
                                    : offer.of_row ? of_pairs
                                                   : of_cell});
                return offers;
              },
          .numbers =
              [](const Model& model) {
                const auto cell = model.trace() && model.step()
                                      ? cell_looked_at(*model.step(), focus_of(model.document.look))
                                      : std::nullopt;
                if (!cell) return std::vector<NumberOffer>{};
                const Edit edit = edit_of_cell(*model.step(), *cell, 0);
                const double now = static_cast<double>(model.step()->tensor()[*cell]);
                return std::vector<NumberOffer>{
                    {"Set this number by hand", fmt::format("{:.4g}", now),
                     [edit](double number) -> std::optional<Action> {
                       if (!(std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max())))
                         return std::nullopt;
                       Edit set = edit;
                       set.values = {number};
                       return AddEdit{set};
                     },
                     of_cell}};
              }};
}

template <>
inline Row<PasteNumbers> row() {
  return {.section = Section::cell,
          .screen = Screen::explore,
          .why_not = [](const PasteNumbers&, const Model& model) -> std::string {
            return shows_cell(model) ? "" : "No cell is selected";
          },
          .commands = {{.id = "paste",
                        .label = "Paste numbers from the selected cell on",
                        .chords = {"Ctrl V"},
                        .action = always(PasteNumbers{}),
                        .menus = of_cell}}};
}

// Whether the experiment has an edit of that number.
inline std::string has_edit(Index number, const Model& model) {
  const std::size_t count = model.document.experiment->edits.size();
  if (number >= 1 && static_cast<std::size_t>(number) <= count) return {};
  return count == 0 ? "No number of this experiment is set by hand" : fmt::format("There are edits 1 to {}", count);
}

// One for each edit of the experiment, by its number from 1.
template <class Make>
std::vector<Offer> offer_edits(const Model& model, Make make) {
  std::vector<Offer> offers;
  Index number = 0;
  for (const Edit& edit : model.document.experiment->edits) {
    offers.push_back(make(++number, edit));
    offers.back().about = words_on(model.trace(), edit);
  }
  return offers;
}

template <>
inline Row<SwitchEdit> row() {
  return {.section = Section::input,
          .undo_of = [](const SwitchEdit& a,
                        const Model&) { return fmt::format("edit {} {}", a.number, a.on ? "on" : "off"); },
          .why_not = [](const SwitchEdit& a, const Model& model) { return has_edit(a.number, model); },
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

inline Command move_edit(std::string_view id, std::string_view label, std::string_view chord, int rows, int columns) {
  return {.id = id,
          .label = label,
          .chords = {chord},
          .action = [rows, columns](const Model& model) -> Action {
            return MoveEdit{edit_here(model), rows, columns};
          },
          .repeats = true,
          .about = [](const Model& model) -> std::string {
            const Index number = edit_here(model);
            return number == 0 ? "" : fmt::format("edit {}", number);
          },
          .why_not = [](const Model& model) -> std::string {
            return edit_here(model) > 0 ? "" : "The selected cell was not set by hand";
          },
          .menus = of_cell};
}

template <>
inline Row<MoveEdit> row() {
  return {.section = Section::cell,
          .screen = Screen::explore,
          .undo_of = [](const MoveEdit& a, const Model&) { return fmt::format("moving edit {}", a.number); },
          .why_not = [](const MoveEdit& a, const Model& model) -> std::string {
            if (const std::string none = has_edit(a.number, model); !none.empty()) return none;
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

template <>
inline Row<RemoveEdit> row() {
  return {.section = Section::input,
          .undo_of = [](const RemoveEdit& a, const Model&) { return fmt::format("removing edit {}", a.number); },
          .why_not = [](const RemoveEdit& a, const Model& model) { return has_edit(a.number, model); },
          .offers =
              [](const Model& model) {
                return offer_edits(model, [](Index number, const Edit&) {
                  return Offer{fmt::format("Edit {}: remove", number), RemoveEdit{number}};
                });
              }};
}

template <>
inline Row<RemoveEdits> row() {
  return {.section = Section::input,
          .undo = "removing all edits",
          .why_not = [](const RemoveEdits&, const Model& model) { return has_edit(1, model); },
          .commands = {{"remove-edits", "Remove all edits", {}, always(RemoveEdits{})}}};
}

template <>
inline Row<EndEdit> row() {
  return {};
}

// ---- Mechanism, parameters, weights

template <>
inline Row<SetVariant> row() {
  return {.section = Section::mechanism,
          .undo = "mechanism",
          .why_not = [](const SetVariant& a, const Model&) -> std::string {
            return find_variant(a.id) ? "" : fmt::format("There is no mechanism {}: see headlight list", brief(a.id));
          },
          .offers =
              [](const Model& model) {
                std::vector<Offer> offers;
                for (const Variant* variant : all_variants()) {
                  const VariantInfo& info = variant->info();
                  offers.push_back({fmt::format("Mechanism: {}", info.title), SetVariant{info.id},
                                    info.id == model.document.experiment->variant, info.shorthand});
                }
                return offers;
              }};
}

inline void offer_values(std::vector<Offer>& offers, const ParamSpec& spec, const ParamValue& now) {
  const auto add = [&](const std::string& value, ParamValue set, const std::string& help = {}) {
    const bool is = set == now;
    offers.push_back({fmt::format("{}: {}", spec.title, value), SetParam{spec.id, std::move(set), false}, is, help});
  };
  if (spec.automatic) add("automatic", std::monostate{});
  for (const auto& choice : spec.choices) add(choice.title, choice.id, choice.help);
  if (spec.type != ParamType::flag) return;
  add("on", true);
  add("off", false);
}

inline NumberOffer number_of(const ParamSpec& spec, const ParamValue& now) {
  return {spec.title, headlight::to_string(now), [spec](double number) -> std::optional<Action> {
            ParamValue value = number;
            if (spec.type == ParamType::integer) {
              const auto whole = whole_from(number, spec.least, spec.most);
              if (!whole) return std::nullopt;
              value = *whole;
            }
            if (!check_param(spec, value)) return std::nullopt;
            return SetParam{spec.id, std::move(value), false};
          }};
}

inline std::string why_not_set(const SetParam& a, const Model& model) {
  const Variant* variant = find_variant(model.document.experiment->variant);
  if (!variant) return "The mechanism is not known";
  const auto spec = std::ranges::find(variant->params(), a.id, &ParamSpec::id);
  if (spec == variant->params().end())
    return fmt::format("{} is not a parameter of {}: {}", brief(a.id), variant->info().id,
                       hint_for_param(a.id, *variant));
  const auto value = check_param(*spec, a.value);
  return value ? "" : value.error().message;
}

template <>
inline Row<SetParam> row() {
  return {.section = Section::parameters,
          .undo_of = [](const SetParam& a, const Model& model) -> std::string {
            const Variant* variant = find_variant(model.document.experiment->variant);
            if (!variant) return a.id;
            const auto spec = std::ranges::find(variant->params(), a.id, &ParamSpec::id);
            if (spec == variant->params().end()) return a.id;
            std::string title = spec->title;
            for (char& c : title)
              if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
            return title;
          },
          .why_not = why_not_set,
          .offers =
              [](const Model& model) {
                std::vector<Offer> offers;
                const ParamValues params = model.params();
                if (const Variant* variant = find_variant(model.document.experiment->variant))
                  for (const auto& spec : variant->params()) offer_values(offers, spec, params.get(spec.id));
                return offers;
              },
          .numbers =
              [](const Model& model) {
                std::vector<NumberOffer> offers;
                const ParamValues params = model.params();
                if (const Variant* variant = find_variant(model.document.experiment->variant))
                  for (const auto& spec : variant->params())
                    if (spec.type == ParamType::integer || spec.type == ParamType::real)
                      offers.push_back(number_of(spec, params.get(spec.id)));
                return offers;
              }};
}

inline std::span<const Preset> presets_of(const Model& model) {
  const Variant* variant = find_variant(model.document.experiment->variant);
  return variant ? variant->presets() : std::span<const Preset>{};
}

template <>
inline Row<UsePreset> row() {
  return {.section = Section::mechanism,
          .undo_of = [](const UsePreset& a, const Model& model) -> std::string {
            const auto all = presets_of(model);
            const auto found = std::ranges::find(all, a.id, &Preset::id);
            return found == all.end() ? a.id : fmt::format("layer like {}", found->title);
          },
          .why_not = [](const UsePreset& a, const Model& model) -> std::string {
            const auto all = presets_of(model);
            return std::ranges::count(all, a.id, &Preset::id) != 0 ? "" : "This mechanism has no such layer";
          },
          .offers =
              [](const Model& model) {
                std::vector<Offer> offers;
                const Preset* now = model.preset();
                for (const Preset& preset : presets_of(model))
                  offers.push_back({fmt::format("Layer like: {}", preset.title), UsePreset{preset.id}, &preset == now,
                                    preset.source});
                return offers;
              }};
}

template <>
inline Row<ChooseNone> row() {
  return {.section = Section::mechanism,
          .undo_of = [](const ChooseNone& a, const Model&) -> std::string {
            return fmt::format("{} {}", in_words(a.question), a.question == ParamQuestion::visible ? "all" : "none");
          },
          .why_not = [](const ChooseNone& a, const Model& model) -> std::string {
            const Variant* variant = find_variant(model.document.experiment->variant);
            const ParamValues params = model.params();
            return variant && without_choices(variant->params(), a.question, params) != params
                       ? ""
                       : "Nothing is chosen there";
          }};
}

template <>
inline Row<BackToPlain> row() {
  return {.section = Section::mechanism,
          .undo = "back to plain",
          .why_not = [](const BackToPlain&, const Model& model) -> std::string {
            return choices_not_plain(model).empty() ? "Every choice is plain" : "";
          },
          .commands = {{"back-to-plain", "Back to plain attention", {}, always(BackToPlain{})}}};
}

template <>
inline Row<SetWeights> row() {
  return {.section = Section::weights,
          .undo = "weights",
          .offers =
              [](const Model& model) {
                std::vector<Offer> offers;
                const Experiment& experiment = *model.document.experiment;
                const WeightsSpec now = experiment.weights.value_or(WeightsSpec{});
                for (const auto& init : weight_inits())
                  offers.push_back({fmt::format("Weights: {}", init), SetWeights{init, now.seed},
                                    experiment.arrays.empty() && init == now.init});
                return offers;
              },
          .numbers =
              [](const Model& model) {
                const WeightsSpec now = model.document.experiment->weights.value_or(WeightsSpec{});
                const std::string init = now.init;
                return std::vector<NumberOffer>{
                    {"Weights: seed", fmt::format("{}", now.seed), [init](double number) -> std::optional<Action> {
                       const auto seed = whole_from(number, 0, 1e15);
                       if (!seed) return std::nullopt;
                       return SetWeights{init, static_cast<std::uint64_t>(*seed)};
                     }}};
              }};
}

template <>
inline Row<SetArrays> row() {
  return {.undo = "arrays"};
}

template <>
inline Row<SetStateDict> row() {
  return {.undo = "a layer of a state dict"};
}

// ---- The work that is under way

template <>
inline Row<CancelExport> row() {
  return {.section = Section::run,
          .why_not = [](const CancelExport&, const Model& model) -> std::string {
            return model.exporting.busy ? "" : "No file is being written";
          },
          .commands = {{.id = "cancel-export",
                        .label = "Stop writing files",
                        .chords = {"Esc"},
                        .action = always(CancelExport{}),
                        .key_if = [](const Model& model) { return model.screen != Screen::explore; }}}};
}

template <>
inline Row<Cancel> row() {
  return {.section = Section::run,
          .why_not = [](const Cancel&, const Model& model) -> std::string {
            return model.busy ? "" : "Nothing is being computed";
          },
          .commands = {{"cancel", "Cancel the run", {"Esc"}, always(Cancel{})}}};
}

template <>
inline Row<Run> row() {
  return {.section = Section::run,
          .why_not = [](const Run& a, const Model& model) -> std::string {
            return a.whole && !model.too_large ? "Nothing was refused for its size" : "";
          },
          .commands = {{"run", "Run again", {}, always(Run{})},
                       {"run-whole", "Run it though it is large", {}, always(Run{.whole = true})}}};
}

template <>
inline Row<RunBeside> row() {  // asked for where what comes of it is drawn
  return {};
}

}  // namespace headlight::app::rows
