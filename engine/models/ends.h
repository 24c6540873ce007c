// What stands before and after a model's layers: embeddings, the last norm, and the heads that read it.
//
// Not for the layers: they run as multi_head does (run/model_run.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/models/model.h"

namespace headlight {

struct TokenIds {
  Index items = 1, count = 0;     // B and n
  std::vector<Index> ids, types;  // B · n each; no types: all 0
};

// What logits are sums of: x (…, d) · weight (n, d)ᵀ + bias (n). Of a mean of several heads, each of which reads a
// token of its own, x is those tokens one after another, d of each, and weight and bias are divided by how many they
// are.
struct LogitTerms {
  Tensor x;                                    // what is read: the stream after its norm, and what else comes before
  std::shared_ptr<const Tensor> weight, bias;  // bias: null where there is none
  Index tokens = 1;                            // read one after another
};

// What the heads of a model say, as far as their weights are there.
struct HeadOutputs {
  std::optional<Tensor> logits;                             // (B, n, V), or (B, 1, V) of the last position
  std::optional<Tensor> pooled, pair_logits, class_logits;  // (B, d), (B, 2), (B, C)
  std::optional<Tensor> embeds;                             // (B, e), of what is pooled
  std::optional<LogitTerms> terms;                          // of the logits, else of the class logits
};

// The logit of a token at a place; with `other`, how far it lies above that of another token.
struct LogitAsked {
  Index item = 0, place = 0, token = 0;
  std::optional<Index> other = {};
  bool operator==(const LogitAsked&) const = default;
};

// That number, and its gradient with respect to what the last layer gives (B, n, d): 0 at all other places.
struct LogitGradient {
  double value = 0;
  Tensor of_hidden;
};

// In place, by what ModelConfig::activation() calls it.
void activate(const std::string& activation, Compute& compute, Tensor& x);

inline constexpr double usual_epsilon = 1e-5;  // of torch.nn.LayerNorm

// Keeps the arrays that it has read.
class ModelEnds {
 public:
  explicit ModelEnds(const StoredModel& model) : model_(model) {}

  // → (B, n, d), what enters layer 0. Errors: an array is missing or of another shape.
  Result<Tensor> embed(const TokenIds& tokens, ModelPart part, Compute& compute);
  // → (1, n, d), what layers add to their queries and keys: rows of a table. Errors as above.
  Result<Tensor> added_places(Index n);
  // Of pixels (B, 3, H, W).
  Result<Tensor> embed(const Tensor& pixels, Compute& compute);
  // Of a spectrogram (B, bins, 2 · n). Radford et al. 2022, section 2.2.
  Result<Tensor> embed_sound(const Tensor& features, Compute& compute);
  // Of what the last layer of a part's stack gives; nothing where the model has no norm there.
  Result<std::optional<Tensor>> last_norm(const Tensor& hidden, ModelPart part, Compute& compute);
  // Of x (B, n, d), after that norm; `tokens` are those that were read, if any were.
  Result<HeadOutputs> heads(const Tensor& x, const TokenIds* tokens, Compute& compute);
  // Of what the last layer gives (B, n, d), before the last norm. Errors: a model without logits of tokens; no such
  // item, place or token.
  Result<LogitGradient> logit_gradient(const Tensor& hidden, const LogitAsked& asked);
  // After a stage but the last: every 2 × 2 places become one, x (B, h·w, d) → (B, h·w / 4, 2d). Liu et al. 2021,
  // section 3.1.
  Result<Tensor> merged(const Tensor& x, Index stage, Compute& compute);
  // logits (B, B′) of pictures and texts in one space: exp(scale) · cosine. Radford et al. 2021, figure 3.
  Result<Tensor> similarity(const Tensor& image_embeds, const Tensor& text_embeds);

 private:
  using Kept = std::shared_ptr<const Tensor>;
  Result<Tensor> places_of(Index lone, Index rows, Index columns);
  Result<Tensor> convolved(const Tensor& x, const std::string& name, Index stride, Compute& compute);
  Result<Tensor> words_of(const TokenIds& tokens, Compute& compute);
  Result<Kept> array(const std::string& name, const Shape& shape);
  // Null where the file does not hold it.
  Result<Kept> array_if_there(const std::string& name, const Shape& shape);
  struct NormArrays {
    Kept gamma, beta;  // beta: null by the root
  };
  Result<NormArrays> norm_arrays(const std::string& name, Index d);
  // What logits of tokens are read by: a weight's name, which is one of its own or tied, and its bias.
  struct LogitWeights {
    bool own = false;
    std::string weight;
    Kept bias;  // null where there is none
  };
  // Nothing where the model has none.
  Result<std::optional<LogitWeights>> logit_weights();
  // By the plan's ε where none is given.
  Result<Tensor> normed(const Tensor& x, const std::string& name, Compute& compute, double epsilon = 0);
  Result<std::optional<Tensor>> pooled_of(const Tensor& x, const TokenIds* tokens, Compute& compute);
  Result<Tensor> dense(const Tensor& x, const std::string& name, Index outputs, Compute& compute);
  // x (…, in) · weight + bias as dense(), whose terms are put down.
  Result<Tensor> head_logits(const Tensor& x, const std::string& name, Compute& compute, HeadOutputs& out);
  Status add_logits(const Tensor& x, Compute& compute, HeadOutputs& out);
  Status add_class_logits(const Tensor& x, Compute& compute, HeadOutputs& out);

  const StoredModel& model_;
  std::map<std::string, Kept> kept_;
};

}  // namespace headlight
