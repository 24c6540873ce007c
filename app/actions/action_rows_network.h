// Rows of the table of actions: a model of many layers. For action_table.cpp alone.
#pragma once

#include <array>

#include "app/actions/action_rows.h"
#include "app/actions/tokens.h"
#include "app/model/relevance.h"
#include "app/reading/head_measures.h"

namespace headlight::app::rows {

inline bool shows_network(const Model& model) {
  return model.shows_network();
}
inline constexpr Need the_model{shows_network, "A layer is open: go back to the model first"};

inline std::string needs_layers(const Model& model) {
  if (!model.shows_network()) return the_model.missing(model);
  return model.net.run ? "" : "There is no result yet";
}

// Of what a result of several layers has as well.
inline std::string needs_heads_of_layers(const Model& model) {
  return model.has_layers() ? "" : needs_layers(model);
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
  const PartRun& part = model.net.run->of(head_of(model).part);
  return {part.layers(), part.heads_of(std::clamp<Index>(head_of(model).layer, 0, part.layers() - 1))};
}

// Of a layer that is shown with others.
inline Index heads_of_layer(const Model& model, Index layer) {
  return model.has_layers() ? layers_and_heads(model).second : model.net.run->of(head_of(model).part).heads_of(layer);
}

inline bool is_off(const Model& model, ModelHead head) {
  if (!model.document.network) return false;
  const auto& off = model.document.network->asked.ablate;
  return std::ranges::find(off, head) != off.end();
}

// A choice of how the layers are looked at, which is made already where `member` is that value.
template <class Value, class T>
Command layers_command(std::string_view id, std::string_view label, Value NetworkLook::*member, const T& action,
                       Value value) {
  return command(id, label, {}, action,
                 {.now = [member, value](const Model& model) { return look_of_layers(model).*member == value; }});
}

// A key that moves among the heads of all layers, or among their queries and keys.
template <class T>
Command move_in_layers(std::string_view id, std::string_view label, std::string_view chord, const T& action) {
  return command(id, label, {chord}, action, {.repeats = true, .key_if = heads_of_layers_are_shown});
}

inline bool releases_pair(const Model& model) {
  const NetworkLook look = look_of_layers(model);
  return heads_of_layers_are_shown(model) && !model.busy && (look.query || look.key);
}

// Whether a view is made of the maps of all layers together, which are of several sizes.
inline bool mixes_several_sizes(LayersView view, const Model& model) {
  const bool mixes = view == LayersView::rollout || view == LayersView::rollout_row || view == LayersView::average;
  return mixes && model.shows_network() && model.net.run && model.net.run->of(head_of(model).part).staged;
}

inline bool is_layer_open(const Model& model) {
  return model.document.layer_open;
}

inline std::string undo_of_appended(const AppendToken& a, const Model& model) {
  const auto id = token_to_append(a, model);
  return id ? fmt::format("token {}", model.net.run->token(*id)) : "token";
}

inline std::string likeliest_token(const Model& model) {
  const auto id = token_to_append(AppendToken{}, model);
  return id ? model.net.run->token(*id) : "";
}

// In the order of ModelReads.
inline constexpr std::array undo_of_reading{"text", "text", "token numbers", "picture", "what the decoder has said"};

inline auto network_rows() {
  const auto part_as = [](std::string_view id, std::string_view label, ModelPart which) {
    return layers_command(id, label, &NetworkLook::part, ChoosePart{which}, which);
  };
  const auto mark_as = [](std::string_view id, std::string_view label, HeadMarks marks) {
    return layers_command<HeadMarks>(id, label, &NetworkLook::marks, MarkHeads{marks}, marks);
  };
  const auto view_as_layers = [](std::string_view id, std::string_view label, LayersView which) {
    return layers_command<LayersView>(id, label, &NetworkLook::view, ViewLayers{which}, which);
  };
  return std::tuple{
      Row<SetModelInput>{.basics = {in_model, {the_model}},
                         .undo_of = [](const SetModelInput& a, const Model&) -> std::string {
                           return undo_of_reading[static_cast<std::size_t>(a.what)];
                         }},
      Row<ChoosePart>{
          .basics = {in_layers,
                     {needs_layers,
                      {[](const Model& model) { return model.net.run->parts.size() > 1; }, "The model has one part"}},
                     "part of the model"},
          .why_not = [](const ChoosePart& a, const Model& model) -> std::string {
            return model.net.run->has(a.value) ? "" : fmt::format("This run has no {}", name_of(a.value));
          },
          .commands = {part_as("part-text", "The heads that read the text", ModelPart::text),
                       part_as("part-vision", "The heads that look at the picture", ModelPart::vision),
                       part_as("part-encoder", "The heads of the encoder", ModelPart::first),
                       part_as("part-decoder", "The heads of the decoder, among its own tokens", ModelPart::decoder),
                       part_as("part-cross", "The heads of the decoder that ask the encoder", ModelPart::cross)}},
      Row<ChooseHead>{.basics = {in_layers, {needs_heads_of_layers}, "head"},
                      .offers =
                          [](const Model& model) {
                            constexpr Index most = 400;
                            std::vector<Offer> offers;
                            const Index layers = layers_and_heads(model).first;
                            const ModelHead chosen = head_of(model);
                            for (Index l = 0; l < layers; ++l)
                              for (Index m = 0;
                                   m < heads_of_layer(model, l) && static_cast<Index>(offers.size()) < most; ++m)
                                offers.push_back({fmt::format("Layer {}, head {}", l, m), ChooseHead{l, m},
                                                  chosen == ModelHead{l, m, chosen.part}});
                            return offers;
                          }},
      Row<MoveAmongHeads>{.basics = {in_layers, {needs_heads_of_layers}, "head"},
                          .commands = {move_in_layers("head-left", "The head to the left", "←", MoveAmongHeads{0, -1}),
                                       move_in_layers("head-right", "The head to the right", "→", MoveAmongHeads{0, 1}),
                                       move_in_layers("head-up", "The head above", "↑", MoveAmongHeads{-1, 0}),
                                       move_in_layers("head-down", "The head below", "↓", MoveAmongHeads{1, 0})}},
      Row<ChoosePair>{.basics = {in_layers, {needs_heads_of_layers}, "selection"},
                      .commands = {command("release-pair", "Choose no query and no key", {"Esc"}, ChoosePair{},
                                           {.key_if = releases_pair})}},
      Row<MovePair>{
          .basics = {in_layers, {needs_heads_of_layers}, "selection"},
          .commands = {move_in_layers("key-before", "The key before, in every head", "Shift ←", MovePair{0, -1}),
                       move_in_layers("key-after", "The key after, in every head", "Shift →", MovePair{0, 1}),
                       move_in_layers("query-before", "The query before, in every head", "Shift ↑", MovePair{-1, 0}),
                       move_in_layers("query-after", "The query after, in every head", "Shift ↓", MovePair{1, 0})}},
      Row<MarkBy>{.basics = {in_layers, {needs_heads_of_layers}, "measure of heads"},
                  .offers =
                      [](const Model& model) {
                        if (layers_and_heads(model).first == 0) return std::vector<Offer>{};
                        return offer_each(all_measures(), [&](Measure measure) {
                          return Offer{fmt::format("Mark heads by: {}", row_of(measure).title), MarkBy{measure},
                                       look_of_layers(model).measure == measure};
                        });
                      }},
      Row<MarkHeads>{.basics = {in_layers, {needs_heads_of_layers}, "marks of heads"},
                     .commands = {mark_as("ring-heads", "Ring heads whose measure reaches a bound", HeadMarks::ring),
                                  mark_as("sort-heads", "List all heads in the order of the measure", HeadMarks::sort),
                                  mark_as("no-marks", "No marks on heads", HeadMarks::off)}},
      Row<RingFrom>{.basics = {in_layers, {needs_heads_of_layers}, "bound of the measure"},
                    .numbers =
                        [](const Model& model) {
                          std::vector<NumberOffer> offers;
                          if (layers_and_heads(model).first > 0)
                            offers.push_back({"Ring heads from", fmt::format("{}", look_of_layers(model).from),
                                              [](double value) -> std::optional<Action> { return RingFrom{value}; }});
                          return offers;
                        }},
      Row<ViewLayers>{
          .basics = {in_layers, {needs_heads_of_layers}, "view of the layers"},
          .why_not = [](const ViewLayers& a, const Model& model) -> std::string {
            if (mixes_several_sizes(a.value, model)) return several_sizes;
            if (a.value == LayersView::relevance) return why_no_relevance(model);
            return a.value != LayersView::rollout_row || layers_lie_on_picture(model) ? "" : "No picture is read";
          },
          .commands = {view_as_layers("all-maps", "Every head's map", LayersView::maps),
                       view_as_layers("one-token", "The row of one token in every head", LayersView::token),
                       view_as_layers("rollout", "Rollout: what reaches each place, layer by layer",
                                      LayersView::rollout),
                       view_as_layers("rollout-row", "Rollout of one token, over the picture", LayersView::rollout_row),
                       view_as_layers("relevance", "Gradient × attention: what counts for the likeliest token",
                                      LayersView::relevance),
                       view_as_layers("average", "The mean of the heads, layer by layer", LayersView::average),
                       view_as_layers("by-measure", "Every head in the colour of its measure", LayersView::measure)}},
      Row<OpenLayer>{
          .basics = {in_model, {needs_heads_of_layers}},
          .why_not = [](const OpenLayer& a, const Model& model) -> std::string {
            const Index layers = layers_and_heads(model).first;
            return a.value >= 0 && a.value < layers ? "" : fmt::format("There are layers 0 to {}", layers - 1);
          },
          .commands = {command("open-layer", "Open the layer", {"Enter"},
                               [](const Model& model) -> Action { return OpenLayer{head_of(model).layer}; },
                               {.about = [](const Model& model) { return fmt::format("{}", head_of(model).layer); },
                                .key_if = heads_of_layers_are_shown})}},
      one_command<CloseLayer>({in_model, {{is_layer_open, "No layer is open"}}}, "Back to the model", {"B"},
                              {.key_if = is_layer_open}),
      Row<SwitchHead>{.basics = {in_model, {needs_layers}},
                      .undo_of = [](const SwitchHead& a, const Model&) -> std::string {
                        return fmt::format("layer {} head {} {}", a.layer, a.head, a.on ? "on" : "off");
                      },
                      .why_not = [](const SwitchHead& a, const Model& model) -> std::string {
                        const ModelPart part = head_of(model).part;
                        const Index layers = model.net.run->of(part).layers();
                        if (a.layer < 0 || a.layer >= layers)
                          return fmt::format("The model has layers 0 to {}", layers - 1);
                        if (const Index heads = heads_of_layer(model, a.layer); a.head < 0 || a.head >= heads)
                          return fmt::format("Layer {} has heads 0 to {}", a.layer, heads - 1);
                        const bool on = !is_off(model, {a.layer, a.head, part});
                        if (a.on != on) return {};
                        return on ? "The head is on" : "The head is off";
                      },
                      .commands = {command("head-off", "Switch this head off, or on again", {"O"},
                                           [](const Model& model) -> Action {
                                             const ModelHead head = head_of(model);
                                             return SwitchHead{head.layer, head.head, is_off(model, head)};
                                           },
                                           {.key_if = shows_network})}},
      Row<AppendToken>{.basics = {in_model},
                       .undo_of = undo_of_appended,
                       .why_not = why_not_appended,
                       .commands = {command(AppendToken{}, "Append the likeliest next token", {"A"},
                                            {.repeats = true, .about = likeliest_token, .key_if = shows_network})}},
      Row<ListLikeliest>{
          .basics = {in_model, {needs_layers}, "number of likeliest tokens"}, .numbers = [](const Model& model) {
            if (!model.shows_network()) return std::vector<NumberOffer>{};
            return offer_number_from_1<ListLikeliest>("Likeliest tokens", model.document.network->asked.top, 100);
          }}};
}

}  // namespace headlight::app::rows
