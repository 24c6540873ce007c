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

  // A key and a value for each of those heads in every layer.
  Index of_a_token() const { return 2 * layers * heads * width; }
  Index numbers() const { return of_a_token() * tokens; }
};

inline KeyValueCache key_value_cache(const ModelPlan& plan, Index tokens) {
  return {plan.layers, plan.key_heads > 0 ? plan.key_heads : plan.heads, plan.head_width, tokens};
}

}  // namespace headlight::app
