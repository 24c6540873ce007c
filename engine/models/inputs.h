// What a model reads, made of what somebody gives: ids of tokens, pixels.
//
// Not for what the model does with them: ends.h.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/models/ends.h"
#include "engine/models/model_experiment.h"

namespace headlight {

// Of one stack.
struct StackInput {
  std::optional<TokenIds> tokens;
  std::optional<Tensor> pixels;  // (B, 3, H, W)
  // Of each item, what its positions are called; none of pictures.
  std::vector<std::vector<std::string>> words;
  // Of a text: [start, end) in its bytes, −1 where a token stands for none. Empty where ids were given.
  std::vector<std::array<Index, 2>> offsets;
  // Of a text: what each token is shown as (shown_token() in tokens/tokenizer.h); else as `words`.
  std::vector<std::string> shown;

  // The positions that stand for no text.
  std::vector<Index> special() const;
  Index items() const { return tokens ? tokens->items : pixels->dim(0); }
};

struct ModelInput : StackInput {
  std::optional<StackInput> decoder;  // where the model has one
  std::vector<std::string> notices;

  // What the stack of a part reads.
  const StackInput& of(ModelPart part) const { return in_first_stack(part) ? *this : *decoder; }
};

class Tokenizer;

// Errors: nothing that the model reads, ids beyond its vocabulary, more tokens than it has positions. `known` is the
// tokenizer of the model's folder, where it is at hand.
Result<ModelInput> model_input(const Model& model, const ModelExperiment& experiment, const Tokenizer* known = nullptr);

}  // namespace headlight
