// What a program that generates text keeps of the tokens that it has read: the keys and values of every layer, so that
// one token more costs one row and not a whole pass (Shazeer 2019, "Fast Transformer Decoding", section 2.4.1).
//
// Headlight keeps no such cache: it carries the whole pass out again, and every step can be looked at.
#pragma once

#include "engine/models/plan.h"

namespace headlight::app {

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
