// What a mechanism would cost on inputs of other sizes, by its own cost(); and what generating text would keep.
#pragma once

#include <string>
#include <vector>

#include "engine/models/plan.h"
#include "engine/variants/variant.h"

namespace headlight::app {

struct CostPoint {
  Index size = 0;  // the longer side of a picture, or the length of a sequence
  Cost cost;
};

struct CostCurve {
  std::string name;      // "whole picture", "window of 7"
  bool current = false;  // as the experiment is set
  std::vector<CostPoint> points;
};

struct CostChart {
  std::string of;  // what `size` counts: "longer side of the picture, in pixels", "positions"
  std::string at;  // the experiment's own extents: "21 × 32", "12 positions"
  Index size = 0;  // the experiment's own
  Cost own;
  std::vector<CostCurve> curves;
};

// Curves of the mechanism as it is and of its cheaper or dearer form, where it has one (whole picture and window, all
// keys and pooled keys). Empty where sizes cannot be varied: inputs of several lengths.
CostChart cost_chart(const Problem& problem);

// "1.3 G", "42 M": a count in words of a thousand.
std::string count_text(double count);

// What a program that generates text keeps of the tokens that it has read: the keys and values of every layer, so that
// one token more costs one row and not a whole pass (Shazeer 2019, "Fast Transformer Decoding", section 2.4.1).
// Headlight keeps no such cache: it carries the whole pass out again, and every step can be looked at.
struct KeyValueCache {
  Index layers = 0;
  Index heads = 0;  // those that have keys of their own
  Index width = 0;  // of a key, and of a value
  Index tokens = 0;
  Index asked = 0;  // tokens of an encoder, whose keys and values for a decoder are made once

  // A key and a value for each of those heads in every layer.
  Index of_a_token() const { return 2 * layers * heads * width; }
  Index once() const { return of_a_token() * asked; }
  Index numbers() const { return of_a_token() * tokens + once(); }
};

// `asked`: tokens that the encoder reads, of a model that has a decoder.
inline KeyValueCache key_value_cache(const ModelPlan& plan, Index tokens, Index asked = 0) {
  const Index layers = plan.has_decoder() ? plan.decoder_layers : plan.layers;
  return {layers, plan.key_heads > 0 ? plan.key_heads : plan.heads, plan.head_width, tokens, asked};
}

}  // namespace headlight::app
