// What can be asked for of a model of many layers. Part of action.h, for which these stand here by subject.
#pragma once

#include "app/actions/action_form.h"
#include "app/model/network.h"
#include "app/reading/slice.h"

namespace headlight::app {

struct SetModelInput {
  ModelReads what = ModelReads::text;
  std::string text;  // itself, numbers of tokens with commas between, or the path of a picture
  bool continues = false;
  static constexpr auto form(auto as) { return as("model-reads", &SetModelInput::what, Exact{&SetModelInput::text}); }
};
using ChoosePart = OneValue<"model-part", ModelPart>;  // of a model with a decoder
struct ChooseHead {
  Index layer = 0, head = 0;
  static constexpr auto form(auto as) { return as("layer-head", &ChooseHead::layer, &ChooseHead::head); }
};
struct MoveAmongHeads {
  int layers = 0, heads = 0;
  static constexpr auto form(auto as) { return as("move-layer-head", &MoveAmongHeads::layers, &MoveAmongHeads::heads); }
};
using ChoosePair = OneValue<"layer-pair", Selection>;  // of a query and a key, in every head
struct MovePair {
  int queries = 0, keys = 0;
  static constexpr auto form(auto as) { return as("move-layer-pair", &MovePair::queries, &MovePair::keys); }
};
using MarkBy = OneValue<"layer-measure", HeadOrder>;
using MarkHeads = Set<"layer-marks", &LayersLook::marks>;
using RingFrom = Set<"layer-ring", &LayersLook::from>;
using ViewLayers = OneValue<"layers-view", LayersView>;
using OpenLayer = OneValue<"open-layer", Index>;
struct CloseLayer : Plain<"close-layer"> {};  // back to the model that it is of
struct SwitchHead {
  Index layer = 0, head = 0;
  bool on = false;
  static constexpr auto form(auto as) {
    return as("switch-layer-head", &SwitchHead::layer, &SwitchHead::head, &SwitchHead::on);
  }
};
using ListLikeliest = OneValue<"model-top", Index>;  // tokens or classes

struct AppendToken {
  Index id = -1;  // of the vocabulary; below 0: the likeliest after the last token
  static constexpr auto form(auto as) { return as("append-token", &AppendToken::id); }
};

}  // namespace headlight::app
