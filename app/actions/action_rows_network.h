// Rows of the table of actions: a model of many layers. For action_table.cpp alone.
#pragma once

#include "app/actions/action_rows.h"
#include "app/actions/generation.h"
#include "app/model/network_run.h"
#include "app/reading/head_measures.h"

namespace headlight::app::rows {

// Why there is nothing to look at yet.
template <class T>
std::string needs_layers(const T&, const Model& model) {
  if (!model.shows_network()) return "A layer is open: go back to the model first";
  return model.net.run ? "" : "There is no result yet";
}

// The same of what a result of several layers has as well.
template <class T>
std::string needs_heads_of_layers(const T& action, const Model& model) {
  return model.has_layers() ? "" : needs_layers(action, model);
}

// Whether the heads of all layers are what the keys move among.
inline bool heads_of_layers_are_shown(const Model& model) {
  return model.shows_network() || model.shows_layers();
}

// The head that is looked at.
inline ModelHead head_of(const Model& model) {
  const NetworkLook look = look_of_layers(model);
  return {look.layer, look.head, look.part};
}

// Of what is shown: layers, and heads of each; 0 before there is a result.
inline std::pair<Index, Index> layers_and_heads(const Model& model) {
  if (model.has_layers())
    return {model.layers_of_result(), maps_of_layers(*model.trace()).front()->extent(AxisRole::head)};
  if (!model.shows_network() || !model.net.run) return {0, 0};
  const ModelPlan& plan = model.net.run->plan();
  return {plan.layers_of(head_of(model).part), plan.heads};
}

inline bool is_off(const Model& model, ModelHead head) {
  if (!model.document.network) return false;
  const auto& off = model.document.network->asked.ablate;
  return std::ranges::find(off, head) != off.end();
}

template <>
inline Row<GiveModel> row() {
  return {.section = Section::model,
          .undo_of = [](const GiveModel& a, const Model&) -> std::string {
            return a.what == ModelReads::picture   ? "picture"
                   : a.what == ModelReads::ids     ? "token numbers"
                   : a.what == ModelReads::decoder ? "what the decoder has said"
                                                   : "text";
          },
          .why_not = [](const GiveModel&, const Model& model) -> std::string {
            return model.shows_network() ? "" : "A layer is open: go back to the model first";
          }};
}

template <>
inline Row<ChoosePart> row() {
  const auto part = [](std::string_view id, std::string_view label, ModelPart which) {
    return Command{.id = id,
                   .label = label,
                   .chords = {},
                   .action = always(ChoosePart{which}),
                   .now = [which](const Model& model) { return look_of_layers(model).part == which; }};
  };
  return {.section = Section::model,
          .screen = Screen::explore,
          .undo = "part of the model",
          .why_not = [](const ChoosePart& a, const Model& model) -> std::string {
            if (std::string why = needs_layers(a, model); !why.empty()) return why;
            return model.net.run->plan().has_decoder() ? "" : "The model has no decoder";
          },
          .commands = {part("part-encoder", "The heads of the encoder", ModelPart::first),
                       part("part-decoder", "The heads of the decoder, among its own tokens", ModelPart::decoder),
                       part("part-cross", "The heads of the decoder that ask the encoder", ModelPart::cross)}};
}

template <>
inline Row<ChooseHead> row() {
  return {.section = Section::model,
          .screen = Screen::explore,
          .undo = "head",
          .why_not = needs_heads_of_layers,
          .offers = [](const Model& model) {
            constexpr Index most = 400;
            std::vector<Offer> offers;
            const auto [layers, heads] = layers_and_heads(model);
            const ModelHead chosen = head_of(model);
            for (Index l = 0; l < layers; ++l)
              for (Index m = 0; m < heads && static_cast<Index>(offers.size()) < most; ++m)
                offers.push_back(
                    {fmt::format("Layer {}, head {}", l, m), ChooseHead{l, m}, chosen == ModelHead{l, m, chosen.part}});
            return offers;
          }};
}

inline Command move_head(std::string_view id, std::string_view label, std::string_view chord, int layers, int heads) {
  return {.id = id,
          .label = label,
          .chords = {chord},
          .action = always(MoveAmongHeads{layers, heads}),
          .repeats = true,
          .key_if = [](const Model& model) { return heads_of_layers_are_shown(model); }};
}

template <>
inline Row<MoveAmongHeads> row() {
  return {.section = Section::model,
          .screen = Screen::explore,
          .undo = "head",
          .why_not = needs_heads_of_layers,
          .commands = {move_head("head-left", "The head to the left", "←", 0, -1),
                       move_head("head-right", "The head to the right", "→", 0, 1),
                       move_head("head-up", "The head above", "↑", -1, 0),
                       move_head("head-down", "The head below", "↓", 1, 0)}};
}

template <>
inline Row<ChoosePair> row() {
  return {.section = Section::model,
          .screen = Screen::explore,
          .undo = "selection",
          .why_not = needs_heads_of_layers,
          .commands = {{.id = "release-pair",
                        .label = "Choose no query and no key",
                        .chords = {"Esc"},
                        .action = always(ChoosePair{}),
                        .key_if = [](const Model& model) {
                          const NetworkLook look = look_of_layers(model);
                          return heads_of_layers_are_shown(model) && !model.busy && (look.query || look.key);
                        }}}};
}

inline Command move_pair(std::string_view id, std::string_view label, std::string_view chord, int queries, int keys) {
  return {.id = id,
          .label = label,
          .chords = {chord},
          .action = always(MovePair{queries, keys}),
          .repeats = true,
          .key_if = [](const Model& model) { return heads_of_layers_are_shown(model); }};
}

template <>
inline Row<MovePair> row() {
  return {.section = Section::model,
          .screen = Screen::explore,
          .undo = "selection",
          .why_not = needs_heads_of_layers,
          .commands = {move_pair("key-before", "The key before, in every head", "Shift ←", 0, -1),
                       move_pair("key-after", "The key after, in every head", "Shift →", 0, 1),
                       move_pair("query-before", "The query before, in every head", "Shift ↑", -1, 0),
                       move_pair("query-after", "The query after, in every head", "Shift ↓", 1, 0)}};
}

template <>
inline Row<MarkBy> row() {
  return {.section = Section::model,
          .screen = Screen::explore,
          .undo = "measure of heads",
          .why_not = needs_heads_of_layers,
          .offers = [](const Model& model) {
            std::vector<Offer> offers;
            if (layers_and_heads(model).first == 0) return offers;
            for (const Measure measure : all_measures())
              offers.push_back({fmt::format("Mark heads by: {}", row_of(measure).title), MarkBy{measure},
                                look_of_layers(model).measure == measure});
            return offers;
          }};
}

inline Command mark_as(std::string_view id, std::string_view label, HeadMarks marks) {
  return {
      .id = id, .label = label, .chords = {}, .action = always(MarkHeads{marks}), .now = [marks](const Model& model) {
        return look_of_layers(model).marks == marks;
      }};
}

template <>
inline Row<MarkHeads> row() {
  return {.section = Section::model,
          .screen = Screen::explore,
          .undo = "marks of heads",
          .why_not = needs_heads_of_layers,
          .commands = {mark_as("ring-heads", "Ring heads whose measure reaches a bound", HeadMarks::ring),
                       mark_as("sort-heads", "List all heads in the order of the measure", HeadMarks::sort),
                       mark_as("no-marks", "No marks on heads", HeadMarks::off)}};
}

template <>
inline Row<RingFrom> row() {
  return {.section = Section::model,
          .screen = Screen::explore,
          .undo = "bound of the measure",
          .why_not = needs_heads_of_layers,
          .numbers = [](const Model& model) {
            std::vector<NumberOffer> offers;
            if (layers_and_heads(model).first > 0)
              offers.push_back({"Ring heads from", fmt::format("{}", look_of_layers(model).from),
                                [](double value) -> std::optional<Action> { return RingFrom{value}; }});
            return offers;
          }};
}

inline Command view_as(std::string_view id, std::string_view label, LayersView view) {
  return {
      .id = id, .label = label, .chords = {}, .action = always(ViewLayers{view}), .now = [view](const Model& model) {
        return look_of_layers(model).view == view;
      }};
}

template <>
inline Row<ViewLayers> row() {
  return {.section = Section::model,
          .screen = Screen::explore,
          .undo = "view of the layers",
          .why_not = needs_heads_of_layers,
          .commands = {view_as("all-maps", "Every head's map", LayersView::maps),
                       view_as("one-token", "The row of one token in every head", LayersView::token),
                       view_as("rollout", "Rollout: what reaches each place, layer by layer", LayersView::rollout),
                       view_as("average", "The mean of the heads, layer by layer", LayersView::average),
                       view_as("by-measure", "Every head in the colour of its measure", LayersView::measure)}};
}

template <>
inline Row<OpenLayer> row() {
  return {.section = Section::model,
          .why_not = [](const OpenLayer& a, const Model& model) -> std::string {
            if (std::string why = needs_heads_of_layers(a, model); !why.empty()) return why;
            const Index layers = layers_and_heads(model).first;
            return a.layer >= 0 && a.layer < layers ? "" : fmt::format("There are layers 0 to {}", layers - 1);
          },
          .commands = {{.id = "open-layer",
                        .label = "Open the layer",
                        .chords = {"Enter"},
                        .action = [](const Model& model) -> Action { return OpenLayer{head_of(model).layer}; },
                        .about = [](const Model& model) { return fmt::format("{}", head_of(model).layer); },
                        .key_if = heads_of_layers_are_shown}}};
}

template <>
inline Row<CloseLayer> row() {
  return {.section = Section::model,
          .why_not = [](const CloseLayer&, const Model& model) -> std::string {
            return model.document.layer_open ? "" : "No layer is open";
          },
          .commands = {{.id = "close-layer",
                        .label = "Back to the model",
                        .chords = {"B"},
                        .action = always(CloseLayer{}),
                        .key_if = [](const Model& model) { return model.document.layer_open; }}}};
}

template <>
inline Row<SwitchHead> row() {
  return {.section = Section::model,
          .undo_of = [](const SwitchHead& a, const Model&) -> std::string {
            return fmt::format("layer {} head {} {}", a.layer, a.head, a.on ? "on" : "off");
          },
          .why_not = [](const SwitchHead& a, const Model& model) -> std::string {
            if (std::string why = needs_layers(a, model); !why.empty()) return why;
            const ModelPart part = head_of(model).part;
            const Index layers = model.net.run->plan().layers_of(part), heads = model.net.run->plan().heads;
            if (a.layer < 0 || a.layer >= layers || a.head < 0 || a.head >= heads)
              return fmt::format("The model has layers 0 to {} and heads 0 to {}", layers - 1, heads - 1);
            const bool off = is_off(model, {a.layer, a.head, part});
            return a.on == off ? "" : off ? "The head is off" : "The head is on";
          },
          .commands = {{.id = "head-off",
                        .label = "Switch this head off, or on again",
                        .chords = {"O"},
                        .action = [](const Model& model) -> Action {
                          const ModelHead head = head_of(model);
                          return SwitchHead{head.layer, head.head, is_off(model, head)};
                        },
                        .key_if = [](const Model& model) { return model.shows_network(); }}}};
}

template <>
inline Row<AppendToken> row() {
  return {.section = Section::model,
          .undo_of = [](const AppendToken& a, const Model& model) -> std::string {
            const auto id = token_to_append(a, model);
            return id ? fmt::format("token {}", model.net.run->token(*id)) : "token";
          },
          .why_not = why_nothing_is_appended,
          .commands = {{.id = "append-token",
                        .label = "Append the likeliest next token",
                        .chords = {"A"},
                        .action = always(AppendToken{}),
                        .repeats = true,
                        .about = [](const Model& model) -> std::string {
                          const auto id = token_to_append(AppendToken{}, model);
                          return id ? model.net.run->token(*id) : "";
                        },
                        .key_if = [](const Model& model) { return model.shows_network(); }}}};
}

template <>
inline Row<ListLikeliest> row() {
  return {.section = Section::model,
          .undo = "number of likeliest tokens",
          .why_not = needs_layers,
          .numbers = [](const Model& model) {
            std::vector<NumberOffer> offers;
            if (model.shows_network())
              offers.push_back({"Likeliest tokens", fmt::format("{}", model.document.network->asked.top),
                                [](double value) -> std::optional<Action> {
                                  const auto top = whole_from(value, 1, 100);
                                  if (!top) return std::nullopt;
                                  return ListLikeliest{*top};
                                }});
            return offers;
          }};
}

}  // namespace headlight::app::rows
