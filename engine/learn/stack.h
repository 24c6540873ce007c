// A network that is a stack of layers between a table of symbols and a read-out, as a model says it: what stands in its
// config.json, and the tokenizer of its symbols.
//
// Not for opening it: models/trained.cpp.
#pragma once

#include <optional>
#include <string>

#include "engine/learn/training.h"

namespace headlight::learn {

// Layers of multi_head, all alike, and what stands round each of them.
struct Stack {
  Index layers = 0, width = 0, symbols = 0, answers = 0;
  Index places = 0;  // rows of the table that each layer adds to its queries and keys; 0: it has none
  bool norm_before = false, adds_input = false, last_norm = false;  // by parts of their own
  ParamValues params;                                               // of each layer
};
// Nothing where the network is none.
std::optional<Stack> stack_of(const NetworkPlan& plan);

// "network" of config.json, and tokenizer.json, as JSON; the latter is empty where symbols have no names of their own.
struct StackFiles {
  std::string network, tokenizer;
};
StackFiles stack_files(const TrainingPlan& plan, const Stack& stack);

}  // namespace headlight::learn
