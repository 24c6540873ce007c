// Rows of the table of actions: what is computed, and numbers that are set by hand. For action_table.cpp alone.
#pragma once

#include <algorithm>
#include <limits>

#include "app/actions/action_rows.h"
#include "app/model/mechanism_report.h"
#include "app/reading/choices_offered.h"
#include "app/reading/edits_offered.h"
#include "app/reading/inputs.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"
#include "engine/run/hints.h"
#include "engine/run/inputs.h"
#include "engine/run/trained.h"

namespace headlight::app::rows {

inline Action shuffle_again(const Model& model) {
  const auto& now = model.document.experiment->arrange;
  const auto* shuffle = now ? std::get_if<Shuffle>(&*now) : nullptr;
  return Arrange{Shuffle{shuffle ? (shuffle->seed + 1) % INT64_MAX : 1}};
}

inline const Variant* variant_of(const Model& model) {
  return find_variant(model.document.experiment->variant);
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

inline NumberOffer offer_number(const ParamSpec& spec, const ParamValue& now) {
  return {spec.title, headlight::to_string(now), [spec](double number) -> std::optional<Action> {
            ParamValue value = number;
            if (spec.type == ParamType::integer) {
              const auto whole = whole_in_range(number, spec.least, spec.most);
              if (!whole) return std::nullopt;
              value = *whole;
            }
            if (!check_param(spec, value)) return std::nullopt;
            return SetParam{spec.id, std::move(value), false};
          }};
}

// Null where the mechanism has no such parameter.
inline const ParamSpec* spec_of(const std::string& id, const Model& model) {
  const Variant* variant = variant_of(model);
  return variant ? find_param(variant->params(), id) : nullptr;
}

inline std::string why_not_set(const SetParam& a, const Model& model) {
  const Variant* variant = variant_of(model);
  if (!variant) return "The mechanism is not known";
  const ParamSpec* spec = spec_of(a.id, model);
  if (!spec)
    return fmt::format("{} is not a parameter of {}: {}", brief(a.id), variant->info().id,
                       hint_for_param(a.id, *variant));
  const auto value = check_param(*spec, a.value);
  return value ? "" : value.error().message;
}

inline std::span<const Preset> presets_of(const Model& model) {
  const Variant* variant = variant_of(model);
  return variant ? variant->presets() : std::span<const Preset>{};
}

inline auto input_rows() {
  return std::tuple{
      Row<SetText>{.basics = {nowhere, {}, "text"}}, Row<SetMeanings>{.basics = {nowhere, {}, "means"}},
      Row<SetInput>{.basics = {nowhere, {}, "input"}},
      Row<UseExample>{
          .basics = {in_input, {}, "input"},
          .offers =
              [](const Model& model) {
                const InputSpec* now = model.input(model.primary_input());
                const auto example = [&](const char* name, InputKind kind) {
                  return Offer{fmt::format("Example: {}", name), UseExample{kind}, now && kind_of(*now) == kind};
                };
                return std::vector<Offer>{example("a sentence", InputKind::text),
                                          example("a picture", InputKind::image), example("a video", InputKind::frames),
                                          example("a signal", InputKind::signal)};
              }},
      Row<SetGrid>{.basics = {in_input, {}, "grid"},
                   .offers =
                       [](const Model& model) {
                         const std::string id = model.primary_input();
                         const InputSpec* input = model.input(id);
                         const auto* image = input ? std::get_if<ImageInput>(input) : nullptr;
                         const auto* frames = input ? std::get_if<FramesInput>(input) : nullptr;
                         if (!image && !frames) return std::vector<Offer>{};
                         const auto now = image ? image->size : frames->size;
                         return offer_each(std::array<Index, 4>{8, 16, 24, 32}, [&](Index side) {
                           const GridSize size{side, side};
                           return Offer{fmt::format("Grid: {} × {}", side, side), SetGrid{id, size}, now == size};
                         });
                       }},
      Row<SetTokenizer>{.basics = {in_input, {}, "tokenizer"},
                        .offers =
                            [](const Model& model) {
                              const TextInput* text = primary_text(model);
                              if (!text) return std::vector<Offer>{};
                              return offer_each(tokenizers(), [&](const std::string& name) {
                                return Offer{fmt::format("Tokens: {}", name), SetTokenizer{model.primary_input(), name},
                                             text->tokenizer == name};
                              });
                            }},
      Row<SetStartToken>{.basics = {in_input, {}, "start token"},
                         .offers =
                             [](const Model& model) {
                               const TextInput* text = primary_text(model);
                               if (!text) return std::vector<Offer>{};
                               const std::string input = model.primary_input();
                               return std::vector<Offer>{
                                   {"Start token: on", SetStartToken{input, true}, text->start_token},
                                   {"Start token: off", SetStartToken{input, false}, !text->start_token}};
                             }},
      Row<SetModelWidth>{.basics = {in_parameters, {}, "model width"},
                         .numbers =
                             [](const Model& model) {
                               const TextInput* text = primary_text(model);
                               if (!text) return std::vector<NumberOffer>{};
                               return offer_number_from_1<SetModelWidth>("Model width", text->d_model,
                                                                         widest_embedding);
                             }},
      Row<SetCross>{.basics = {in_mechanism},
                    .undo_of = [](const SetCross& a,
                                  const Model&) { return std::string(a.value ? "cross-attention" : "self-attention"); },
                    .why_not = [](const SetCross& a, const Model& model) -> std::string {
                      if (!a.value && model.has_second_input()) return {};  // whatever the mechanism
                      const Variant* variant = find_variant(model.document.experiment->variant);
                      const bool takes_two = variant && !variant->info().cross_title.empty() && primary_text(model);
                      return takes_two ? "" : "A second text needs scaled dot-product and a sentence";
                    },
                    .offers =
                        [](const Model& model) {
                          const bool on = model.has_second_input();
                          return std::vector<Offer>{
                              {"Cross-attention", SetCross{true}, on, "keys and values of a second text"},
                              {"Self-attention", SetCross{false}, !on, "one text asks itself"}};
                        }},
      Row<Arrange>{.basics = {in_input},
                   .undo_of = [](const Arrange& a, const Model&) -> std::string {
                     if (!a.value) return "put back";
                     return std::holds_alternative<Shuffle>(*a.value) ? "shuffle" : "shift";
                   },
                   .why_not = [](const Arrange& a, const Model& model) -> std::string {
                     if (a.value || model.document.experiment->arrange) return {};
                     return "Every position is at its own place";
                   },
                   .commands = {command("shuffle", "Shuffle the positions", {}, shuffle_again),
                                command("put-back", "Put the positions back", {}, Arrange{})}},
      // ---- Mechanism, parameters, weights
      Row<SetVariant>{.basics = {in_mechanism, {}, "mechanism"},
                      .why_not = [](const SetVariant& a, const Model&) -> std::string {
                        return find_variant(a.value)
                                   ? ""
                                   : fmt::format("There is no mechanism {}: see headlight list", brief(a.value));
                      },
                      .offers =
                          [](const Model& model) {
                            return offer_each(all_variants(), [&](const Variant* variant) {
                              const VariantInfo& info = variant->info();
                              return Offer{fmt::format("Mechanism: {}", info.title), SetVariant{info.id},
                                           info.id == model.document.experiment->variant, info.shorthand};
                            });
                          }},
      Row<SetParam>{.basics = {in_parameters},
                    .undo_of = [](const SetParam& a, const Model& model) -> std::string {
                      const ParamSpec* spec = spec_of(a.id, model);
                      return spec ? lower_case(spec->title) : a.id;
                    },
                    .why_not = why_not_set,
                    .offers =
                        [](const Model& model) {
                          std::vector<Offer> offers;
                          const ParamValues params = model.params();
                          if (const Variant* variant = variant_of(model))
                            for (const auto& spec : variant->params()) offer_values(offers, spec, params.get(spec.id));
                          return offers;
                        },
                    .numbers =
                        [](const Model& model) {
                          std::vector<NumberOffer> offers;
                          const ParamValues params = model.params();
                          if (const Variant* variant = variant_of(model))
                            for (const auto& spec : variant->params())
                              if (spec.type == ParamType::integer || spec.type == ParamType::real)
                                offers.push_back(offer_number(spec, params.get(spec.id)));
                          return offers;
                        }},
      Row<UsePreset>{.basics = {in_mechanism},
                     .undo_of = [](const UsePreset& a, const Model& model) -> std::string {
                       const auto all = presets_of(model);
                       const auto found = std::ranges::find(all, a.value, &Preset::id);
                       return found == all.end() ? a.value : fmt::format("layer like {}", found->title);
                     },
                     .why_not = [](const UsePreset& a, const Model& model) -> std::string {
                       const auto all = presets_of(model);
                       return std::ranges::count(all, a.value, &Preset::id) != 0 ? ""
                                                                                 : "This mechanism has no such layer";
                     },
                     .offers =
                         [](const Model& model) {
                           const Preset* now = model.preset();
                           return offer_each(presets_of(model), [&](const Preset& preset) {
                             return Offer{fmt::format("Layer like: {}", preset.title), UsePreset{preset.id},
                                          &preset == now, preset.source};
                           });
                         }},
      Row<ChooseNone>{.basics = {in_mechanism},
                      .undo_of = [](const ChooseNone& a, const Model&) -> std::string {
                        return fmt::format("{} {}", in_words(a.value),
                                           a.value == ParamQuestion::visible ? "all" : "none");
                      },
                      .why_not = [](const ChooseNone& a, const Model& model) -> std::string {
                        const Variant* variant = variant_of(model);
                        const ParamValues params = model.params();
                        const bool changes = variant && without_choices(variant->params(), a.value, params) != params;
                        return changes ? "" : "Nothing is chosen there";
                      }},
      one_command<BackToPlain>(
          {in_mechanism,
           {{[](const Model& model) { return !non_plain_choices(model).empty(); }, "Every choice is plain"}},
           "back to plain"},
          "Back to plain attention"),
      Row<SetWeights>{
          .basics = {in_weights, {}, "weights"},
          .why_not = [](const SetWeights& a, const Model& model) -> std::string {
            if (a.init != "trained") return "";
            return model.shown.problem ? why_no_trained_set(*model.shown.problem) : "There is no result yet";
          },
          .offers =
              [](const Model& model) {
                const Experiment& experiment = *model.document.experiment;
                const WeightsSpec now = experiment.weights.value_or(WeightsSpec{});
                return offer_each(weight_inits(), [&](const std::string& init) {
                  return Offer{fmt::format("Weights: {}", init), SetWeights{init, now.seed},
                               experiment.arrays.empty() && init == now.init};
                });
              },
          .numbers =
              [](const Model& model) {
                const WeightsSpec now = model.document.experiment->weights.value_or(WeightsSpec{});
                const std::string init = now.init;
                return std::vector<NumberOffer>{
                    {"Weights: seed", fmt::format("{}", now.seed), [init](double number) -> std::optional<Action> {
                       const auto seed = whole_in_range(number, 0, 1e15);
                       if (!seed) return std::nullopt;
                       return SetWeights{init, static_cast<std::uint64_t>(*seed)};
                     }}};
              }},
      Row<SetArrays>{.basics = {nowhere, {}, "arrays"}},
      Row<SetStateDict>{.basics = {nowhere, {}, "a layer of a state dict"}},
      // ---- The work that is under way
      one_command<CancelExport>(
          {in_run, {{[](const Model& model) { return model.exporting.busy; }, "No file is being written"}}},
          "Stop writing files", {"Esc"},
          {.key_if = [](const Model& model) { return model.screen != Screen::explore; }}),
      one_command<Cancel>({in_run, {something_that_takes_time}}, "Cancel the run", {"Esc"}),
      Row<Run>{.basics = {in_run},
               .why_not = [](const Run& a, const Model& model) -> std::string {
                 return a.whole && !model.too_large ? "Nothing was refused for its size" : "";
               },
               .commands = {command(Run{}, "Run again"),
                            command("run-whole", "Run it though it is large", {}, Run{.whole = true})}}};
}

// Rows of the table of actions: numbers that are set by hand. For action_table.cpp alone.

inline constexpr Need an_edit{[](const Model& model) { return !model.document.experiment->edits.empty(); },
                              "No number of this experiment is set by hand"};

inline std::vector<MenuTarget> menus_of(const EditOffer& offer) {
  if (offer.of_head) return of_head;
  return offer.of_row ? of_pairs : of_cell;
}

inline std::vector<NumberOffer> offer_number_of_cell(const Model& model) {
  const Step* step = model.trace() ? model.step() : nullptr;
  const auto cell = step && can_be_set(*step) ? cell_looked_at(*step, focus_of(model.document.look)) : std::nullopt;
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
    offer.about = edit_in_words(model.trace(), edit);
    return offer;
  });
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

inline std::string why_no_gradient(const AskGradient& a, const Model& model) {
  if (!a.on) return model.document.experiment->gradient ? "" : "No gradients were asked for";
  if (model.shows_network()) return "A layer has gradients where it is opened with every step";
  const Step* step = model.step();
  if (!step || !cell_looked_at(*step, focus_of(model.document.look))) return "No cell is selected";
  if (forward_id(step->info.id) != step->info.id) return "This is a gradient already: pick a number of the run itself";
  const Status can = model.shown.problem->variant->check_gradients();
  return can ? std::string() : capitalized(can.error().message);
}

inline std::string why_no_other_gradient(const Model& model) {
  const std::string id = model.step()->info.id;
  if (forward_id(id) != id || model.trace()->find(gradient_id(id))) return {};
  return model.document.experiment->gradient ? "The number that gradients are of does not depend on this step"
                                             : "No gradients were asked for: pick a number and press Alt D";
}

inline auto edits_rows() {
  return std::tuple{
      Row<SwitchEdits>{
          .basics = {in_input, {an_edit}},
          .undo_of = [](const SwitchEdits& a, const Model&) { return std::string(a.value ? "edits on" : "edits off"); },
          .why_not = [](const SwitchEdits& a, const Model& model) -> std::string {
            const auto is_so = [&](const Edit& edit) { return edit.on == a.value; };
            if (!std::ranges::all_of(model.document.experiment->edits, is_so)) return {};
            return fmt::format("All edits are {}", a.value ? "on" : "off");
          },
          .commands = {command("edits-off", "Switch edits off", {}, SwitchEdits{false}),
                       command("edits-on", "Switch edits on", {}, SwitchEdits{true})}},
      Row<AddEdit>{.basics = {{Section::cell}, {a_result}, "edit by hand"},
                   .offers =
                       [](const Model& model) {
                         if (!model.trace() || !model.step()) return std::vector<Offer>{};
                         const auto& edits = model.document.experiment->edits;
                         const auto offered =
                             edits_offered(*model.trace(), *model.step(), focus_of(model.document.look));
                         return offer_each(offered, [&](const EditOffer& offer) {
                           Offer made{fmt::format("Set by hand: {}", lower_first(offer.label)), AddEdit{offer.edit}};
                           made.now = std::ranges::find(edits, offer.edit) != edits.end();
                           made.about = offer.about;
                           made.menus = menus_of(offer);
                           return made;
                         });
                       },
                   .numbers = offer_number_of_cell},
      one_command<PasteNumbers>({in_cell,
                                 {a_cell,
                                  {[](const Model& model) { return !model.step() || can_be_set(*model.step()); },
                                   "A gradient follows from the run: paste over a number of the run itself"}}},
                                "Paste numbers from the selected cell on", {"Ctrl V"}, {.menus = of_cell}),
      Row<SwitchEdit>{.basics = {in_input},
                      .undo_of = [](const SwitchEdit& a,
                                    const Model&) { return fmt::format("edit {} {}", a.number, a.on ? "on" : "off"); },
                      .why_not = has_edit,
                      .offers =
                          [](const Model& model) {
                            return offer_edits(model, [](Index number, const Edit& edit) {
                              return Offer{fmt::format("Edit {}: switch {}", number, edit.on ? "off" : "on"),
                                           SwitchEdit{number, !edit.on}};
                            });
                          }},
      Row<MoveEdit>{.basics = {in_cell},
                    .undo_of = [](const MoveEdit& a, const Model&) { return fmt::format("moving edit {}", a.number); },
                    .why_not = [](const MoveEdit& a, const Model& model) -> std::string {
                      if (const std::string none = has_edit(a, model); !none.empty()) return none;
                      if (!model.step()) return "There is no result yet";
                      const Edit& edit = model.document.experiment->edits[static_cast<std::size_t>(a.number - 1)];
                      const auto moved =
                          edit_moved(*model.step(), focus_of(model.document.look), edit, a.rows, a.columns);
                      return moved ? "" : fmt::format("Edit {} stays: {}", a.number, moved.error().message);
                    },
                    .commands = {move_edit("edit-left", "Move this edit to the left", "Alt ←", 0, -1),
                                 move_edit("edit-right", "Move this edit to the right", "Alt →", 0, 1),
                                 move_edit("edit-up", "Move this edit up", "Alt ↑", -1, 0),
                                 move_edit("edit-down", "Move this edit down", "Alt ↓", 1, 0)}},
      Row<RemoveEdit>{
          .basics = {in_input},
          .undo_of = [](const RemoveEdit& a, const Model&) { return fmt::format("removing edit {}", a.number); },
          .why_not = has_edit,
          .offers =
              [](const Model& model) {
                return offer_edits(model, [](Index number, const Edit&) {
                  return Offer{fmt::format("Edit {}: remove", number), RemoveEdit{number}};
                });
              }},
      one_command<RemoveEdits>({in_input, {an_edit}, "removing all edits"}, "Remove all edits"),
      Row<AskGradient>{.basics = {in_cell, {a_result}},
                       .undo_of = [](const AskGradient& a,
                                     const Model&) { return std::string(a.on ? "gradients" : "no gradients"); },
                       .why_not = why_no_gradient,
                       .commands = {command("gradient", "Gradients of this number", {"Alt D"}, AskGradient{true},
                                            {.menus = of_cell}),
                                    command("no-gradient", "Without gradients", {}, AskGradient{false})}},
      one_command<ShowGradient>({in_steps, {a_result, why_no_other_gradient}}, "Gradient of this step, and back",
                                {"Shift D"})};
}

}  // namespace headlight::app::rows
