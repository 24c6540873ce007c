// What can be asked for of a model of many layers. Part of action.h, for which these stand here by subject.
#pragma once

#include "app/actions/action_form.h"
#include "app/model/network.h"
#include "app/reading/slice.h"

namespace headlight::app {

struct GiveModel {
  ModelReads what = ModelReads::text;
  std::string text;  // itself, numbers of tokens with commas between, or the path of a picture
  bool going_on = false;
  static constexpr auto form(auto as) { return as("model-reads", &GiveModel::what, Exact{&GiveModel::text}); }
};
struct ChoosePart {  // of a model with a decoder
  ModelPart part = ModelPart::first;
  static constexpr auto form(auto as) { return as("model-part", &ChoosePart::part); }
};
struct ChooseHead {
  Index layer = 0, head = 0;
  static constexpr auto form(auto as) { return as("layer-head", &ChooseHead::layer, &ChooseHead::head); }
};
struct MoveAmongHeads {
  int layers = 0, heads = 0;
  static constexpr auto form(auto as) { return as("move-layer-head", &MoveAmongHeads::layers, &MoveAmongHeads::heads); }
};
struct ChoosePair {
  Selection pair;  // of a query and a key, in every head
  static constexpr auto form(auto as) { return as("layer-pair", &ChoosePair::pair); }
};
struct MovePair {
  int queries = 0, keys = 0;
  static constexpr auto form(auto as) { return as("move-layer-pair", &MovePair::queries, &MovePair::keys); }
};
struct MarkBy {
  HeadOrder measure = Measure::induction;
  static constexpr auto form(auto as) { return as("layer-measure", &MarkBy::measure); }
};
struct MarkHeads {
  HeadMarks marks = HeadMarks::ring;
  static constexpr auto form(auto as) { return as("layer-marks", &MarkHeads::marks); }
};
struct RingFrom {
  double bound = 0.3;
  static constexpr auto form(auto as) { return as("layer-ring", &RingFrom::bound); }
};
struct ViewLayers {
  LayersView view = LayersView::maps;
  static constexpr auto form(auto as) { return as("layers-view", &ViewLayers::view); }
};
struct OpenLayer {
  Index layer = 0;
  static constexpr auto form(auto as) { return as("open-layer", &OpenLayer::layer); }
};
struct CloseLayer {  // back to the model that it is of
  static constexpr auto form(auto as) { return as("close-layer"); }
};
struct SwitchHead {
  Index layer = 0, head = 0;
  bool on = false;
  static constexpr auto form(auto as) {
    return as("switch-layer-head", &SwitchHead::layer, &SwitchHead::head, &SwitchHead::on);
  }
};
struct ListLikeliest {
  Index top = 5;  // tokens or classes
  static constexpr auto form(auto as) { return as("model-top", &ListLikeliest::top); }
};

struct AppendToken {
  Index id = -1;  // of the vocabulary; below 0: the likeliest after the last token
  static constexpr auto form(auto as) { return as("append-token", &AppendToken::id); }
};

}  // namespace headlight::app
