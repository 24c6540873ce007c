// What a model reads, made of what somebody gives: ids of tokens, pixels.
//
// Not for what the model does with them: ends.h.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/models/ends.h"
#include "engine/models/model.h"
#include "engine/models/model_experiment.h"
#include "engine/picture/resize.h"

namespace headlight {

// Of one stack.
struct StackInput {
  std::optional<TokenIds> tokens;
  std::optional<Tensor> pixels;    // (B, 3, H, W)
  std::optional<Tensor> features;  // (B, bins, 2 · n) of sound
  // Of each item, what its positions are called; none of pictures.
  std::vector<std::vector<std::string>> words;
  // Of a text: [start, end) in its bytes, −1 where a token stands for none. Empty where ids were given.
  std::vector<std::array<Index, 2>> offsets;
  // Of a text: what each token is shown as (display_token() in tokens/tokenizer.h); else as `words`.
  std::vector<std::string> shown;

  // The positions that stand for no text.
  std::vector<Index> special() const;
  bool is_given() const { return tokens || pixels || features; }
  Index items() const {
    if (tokens) return tokens->items;
    if (pixels) return pixels->dim(0);
    return features ? features->dim(0) : 0;
  }
};

// Where patches lie among the positions of a picture.
struct PatchGrid {
  Index rows = 0, columns = 0, before = 0;
};

struct ModelInput : StackInput {
  std::optional<StackInput> decoder;  // where the model has one
  std::vector<std::string> notices;
  // Of a model that has them: what each reads, which is nothing where that is not given; the rest is then empty.
  std::vector<ModelInput> towers;

  // What the stack of a part reads.
  const StackInput& of(ModelPart part) const { return in_first_stack(part) ? tower(part) : *decoder; }
  const ModelInput& tower(ModelPart part) const {
    if (towers.empty()) return *this;
    return towers[part == ModelPart::text ? 0 : 1];
  }
};

class Tokenizer;

// What the token of an id is shown as: "·cat" of Ġcat, where a tokenizer or the file of the weights knows it; else its
// number.
std::string word_of_id(Index id, const ModelPlan& plan, const Tokenizer* known);

PatchGrid patches_of(const ModelPlan& plan, const Tensor& pixels);

// Errors: nothing that the model reads, ids beyond its vocabulary, more tokens than it has positions. `known` is the
// tokenizer of the model's folder, where it is at hand.
Result<ModelInput> model_input(const StoredModel& model, const ModelExperiment& experiment,
                               const Tokenizer* known = nullptr);

// How a picture is resized, cropped and brought to scale, as the folder's preprocessor_config.json says.
struct PictureRules {
  Index width = 0, height = 0;            // that it is resized to; 0: it is not
  Index shortest = 0;                     // its shorter side instead, the other by its aspect
  Index crop_width = 0, crop_height = 0;  // of its middle; 0: it is not cropped
  ResizeFilter filter = ResizeFilter::bilinear;
  double scale = 1.0 / 255;
  std::array<double, 3> mean{}, deviation{1, 1, 1};
  std::vector<std::string> notices;  // what was assumed
};

// Errors: a field that is of another kind or size; a filter that is not read here.
Result<PictureRules> picture_rules(const StoredModel& model);

// → (1, 3, H, W). Alpha is dropped.
Result<Tensor> pixels_of(const std::filesystem::path& picture, const PictureRules& rules);

// The picture of an item again, as it was before it was brought to scale.
Image picture_of(const Tensor& pixels, Index item, const PictureRules& rules);

}  // namespace headlight
