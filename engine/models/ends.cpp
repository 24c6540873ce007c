#include "engine/models/ends.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/math/math.h"

namespace headlight {

namespace {

// More logits than so many are of the last position alone.
constexpr Index most_logits = Index{1} << 26;

// x / √(mean of x² + ε) · γ over each row. Zhang and Sennrich 2019, equation 4.
void root_norm(const Tensor& x, const Tensor& gamma, double epsilon, Tensor& out) {
  const Index d = gamma.size();
  for (Index row = 0; row < x.size() / d; ++row) {
    double squares = 0;
    for (Index c = 0; c < d; ++c) squares += static_cast<double>(x[row * d + c]) * x[row * d + c];
    const double by = 1 / std::sqrt(squares / static_cast<double>(d) + epsilon);
    for (Index c = 0; c < d; ++c) out[row * d + c] = static_cast<float>(x[row * d + c] * by * gamma[c]);
  }
}

// One position of each item: x (B, n, d) → (B, d).
Tensor at_position(const Tensor& x, Index position) {
  const Index n = x.dim(1), d = x.dim(2);
  Tensor result = Tensor::uninitialized({x.dim(0), d});
  for (Index b = 0; b < x.dim(0); ++b) std::copy_n(x.data() + (b * n + position) * d, d, result.data() + b * d);
  return result;
}

}  // namespace

void activate(const std::string& activation, Compute& compute, Tensor& x) {
  if (activation == "gelu") return math::gelu(compute, x.data(), x.size());
  if (activation == "gelu_tanh") return math::gelu_tanh(compute, x.data(), x.size());
  if (activation == "silu") return math::silu(compute, x.data(), x.size());
  math::relu(compute, x.data(), x.size(), x.data());
}

Result<ModelEnds::Kept> ModelEnds::array(const std::string& name, const Shape& shape) {
  if (const auto found = kept_.find(name); found != kept_.end()) {
    HL_CHECK(model_.check(name, shape));  // a tied table may be asked for in two shapes
    return found->second;
  }
  HL_TRY(Tensor values, model_.read(name, shape));
  return kept_.emplace(name, std::make_shared<const Tensor>(std::move(values))).first->second;
}

Result<ModelEnds::Kept> ModelEnds::array_if_there(const std::string& name, const Shape& shape) {
  if (!model_.has(name)) return Kept();
  return array(name, shape);
}

Result<ModelEnds::NormArrays> ModelEnds::norm_arrays(const std::string& name, Index d) {
  NormArrays arrays;
  HL_TRY(arrays.gamma, array(name + (model_.has(name + ".gamma") ? ".gamma" : ".weight"), {d}));
  if (model_.plan().root_norms) return arrays;
  HL_TRY(arrays.beta, array(name + (model_.has(name + ".beta") ? ".beta" : ".bias"), {d}));
  return arrays;
}

Result<Tensor> ModelEnds::normed(const Tensor& x, const std::string& name, Compute& compute, double given) {
  const Index d = x.dim(-1);
  const double epsilon = given > 0 ? given : model_.plan().epsilon;
  HL_TRY(const NormArrays arrays, norm_arrays(name, d));
  Tensor result = Tensor::uninitialized(x.shape());
  if (model_.plan().root_norms) {
    Tensor stretch(*arrays.gamma);
    for (float& value : stretch.values()) value += model_.plan().norms_add_one ? 1.0F : 0.0F;
    root_norm(x, stretch, epsilon, result);
    return result;
  }
  math::layer_norm(compute, x.data(), arrays.gamma->data(), arrays.beta->data(), x.size() / d, d,
                   static_cast<float>(epsilon), result.data());
  return result;
}

// x (…, in) → (…, outputs); −1: as many as the array has.
Result<Tensor> ModelEnds::dense(const Tensor& x, const std::string& name, Index outputs, Compute& compute) {
  const Index in = x.dim(-1);
  HL_TRY(const Kept weight, array(name + ".weight", {outputs, in}));
  HL_TRY(const Kept bias, array_if_there(name + ".bias", {weight->dim(0)}));
  Shape shape = x.shape();
  shape.back() = weight->dim(0);
  Tensor result = Tensor::uninitialized(shape);
  math::pointwise(compute, x.data(), weight->data(), bias ? bias->data() : nullptr, x.size() / in, in, weight->dim(0),
                  result.data());
  return result;
}

namespace {

// The four places of every 2 × 2 side by side: those of the left column first.
Tensor patch_merge(const Tensor& x) {
  const Index items = x.dim(0), d = x.dim(2), side = std::lround(std::sqrt(static_cast<double>(x.dim(1)))),
              half = side / 2;
  Tensor together = Tensor::uninitialized({items, half * half, 4 * d});
  float* to = together.data();
  for (Index b = 0; b < items; ++b)
    for (Index place = 0; place < half * half; ++place)
      for (Index of = 0; of < 4; ++of, to += d) {
        const Index row = place / half * 2 + of % 2, column = place % half * 2 + of / 2;
        std::copy_n(x.data() + ((b * side + row) * side + column) * d, d, to);
      }
  return together;
}

}  // namespace

Result<Tensor> ModelEnds::merged(const Tensor& x, Index stage, Compute& compute) {
  const std::string name = fmt::format("encoder.layers.{}.downsample.", stage);
  HL_TRY(const Tensor stretched, normed(patch_merge(x), name + "norm", compute, usual_epsilon));
  return dense(stretched, name + "reduction", 2 * x.dim(2), compute);
}

Result<Tensor> ModelEnds::similarity(const Tensor& image_embeds, const Tensor& text_embeds) {
  HL_TRY(const Kept logit_scale, array("logit_scale", {}));
  const Index images = image_embeds.dim(0), texts = text_embeds.dim(0), d = text_embeds.dim(1);
  const double scale = std::exp(static_cast<double>((*logit_scale)[0]));
  Tensor logits = Tensor::uninitialized({images, texts});
  for (Index i = 0; i < images; ++i)
    for (Index t = 0; t < texts; ++t) {
      double dot = 0, of_image = 0, of_text = 0;
      for (Index c = 0; c < d; ++c) {
        const double a = image_embeds[i * d + c], b = text_embeds[t * d + c];
        dot += a * b;
        of_image += a * a;
        of_text += b * b;
      }
      logits[i * texts + t] = static_cast<float>(scale * dot / std::sqrt(of_image * of_text));
    }
  return logits;
}

Result<std::optional<Tensor>> ModelEnds::last_norm(const Tensor& hidden, ModelPart part, Compute& compute) {
  const ModelPlan& plan = model_.plan();
  const std::string& name = in_first_stack(part) ? plan.final_norm : plan.decoder_norm;
  if (name.empty()) return std::nullopt;
  HL_TRY(Tensor x, normed(hidden, name, compute));
  return std::optional(std::move(x));
}

Result<Tensor> ModelEnds::head_logits(const Tensor& x, const std::string& name, Compute& compute, HeadOutputs& out) {
  HL_TRY(Tensor logits, dense(x, name, -1, compute));
  HL_TRY(const Kept weight, array(name + ".weight", {-1, x.dim(-1)}));
  HL_TRY(const Kept bias, array_if_there(name + ".bias", {weight->dim(0)}));
  out.terms = LogitTerms{x, weight, bias};
  return logits;
}

Result<std::optional<ModelEnds::LogitWeights>> ModelEnds::logit_weights() {
  const ModelPlan& plan = model_.plan();
  if (plan.pixels || (!plan.transform.dense.empty() && !model_.has(plan.transform.dense + ".weight")))
    return std::nullopt;
  const bool own = !plan.logits.empty() && model_.has(plan.logits + ".weight");
  if (!own && !plan.tied) return std::nullopt;
  LogitWeights read{own, own ? plan.logits + ".weight" : plan.words + ".weight", nullptr};
  const std::string bias_name = !plan.logits_bias.empty() ? plan.logits_bias : plan.logits + ".bias";
  const bool as_row = model_.has(bias_name) && bias_name == "final_logits_bias";
  HL_TRY(read.bias, array_if_there(bias_name, as_row ? Shape{1, plan.logit_count()} : Shape{plan.logit_count()}));
  return std::optional(std::move(read));
}

Status ModelEnds::add_logits(const Tensor& given, Compute& compute, HeadOutputs& out) {
  const ModelPlan& plan = model_.plan();
  HL_TRY(const auto read, logit_weights());
  if (!read) return {};
  const bool last_alone = given.dim(1) > most_logits / plan.logit_count();
  Tensor x = last_alone ? at_position(given, given.dim(1) - 1).reshaped({given.dim(0), 1, plan.width}) : Tensor(given);
  if (!plan.transform.dense.empty()) {
    HL_TRY(x, dense(x, plan.transform.dense, plan.width, compute));
    activate(plan.transform.activation, compute, x);
    HL_TRY(x, normed(x, plan.transform.norm, compute));
  }
  if (!read->own && plan.tied_scale != 1)
    for (float& value : x.values()) value = static_cast<float>(value * plan.tied_scale);
  if (!plan.project_out.empty() && model_.has(plan.project_out + ".weight")) {
    HL_TRY(x, dense(x, plan.project_out, plan.embedding_width, compute));
  }
  const Index width = x.dim(-1);
  HL_TRY(const Kept weight, array(read->weight, {plan.logit_count(), width}));
  out.logits = Tensor::uninitialized({x.dim(0), x.dim(1), plan.logit_count()});
  math::pointwise(compute, x.data(), weight->data(), read->bias ? read->bias->data() : nullptr, x.dim(0) * x.dim(1),
                  width, plan.logit_count(), out.logits->data());
  if (plan.logit_cap > 0)
    for (float& value : out.logits->values())
      value = static_cast<float>(plan.logit_cap * std::tanh(value / plan.logit_cap));
  else
    out.terms = LogitTerms{std::move(x), weight, read->bias};
  return {};
}

namespace {

// Of the mean of what those heads say.
LogitTerms terms_of_mean(const std::vector<LogitTerms>& heads) {
  const auto count = static_cast<Index>(heads.size());
  const Index items = heads.front().x.dim(0), d = heads.front().x.dim(-1), classes = heads.front().weight->dim(0);
  Tensor x = Tensor::uninitialized({items, count * d}), weight = Tensor::uninitialized({classes, count * d});
  Tensor bias({classes});
  bool biased = false;
  for (Index i = 0; i < count; ++i) {
    const LogitTerms& one = heads[static_cast<std::size_t>(i)];
    for (Index b = 0; b < items; ++b) std::copy_n(one.x.data() + b * d, d, x.data() + (b * count + i) * d);
    for (Index k = 0; k < classes; ++k) {
      for (Index c = 0; c < d; ++c)
        weight[(k * count + i) * d + c] = (*one.weight)[k * d + c] / static_cast<float>(count);
      if (one.bias) bias[k] += (*one.bias)[k] / static_cast<float>(count);
    }
    biased = biased || one.bias;
  }
  return {std::move(x), std::make_shared<const Tensor>(std::move(weight)),
          biased ? std::make_shared<const Tensor>(std::move(bias)) : nullptr, count};
}

// The mean of the positions of x (B, n, d) from the first one on → (B, d).
Tensor mean_of_positions(const Tensor& x, Index first) {
  const Index n = x.dim(1), d = x.dim(2);
  Tensor mean = Tensor::uninitialized({x.dim(0), d});
  for (Index b = 0; b < x.dim(0); ++b)
    for (Index c = 0; c < d; ++c) {
      double sum = 0;
      for (Index i = first; i < n; ++i) sum += x[(b * n + i) * d + c];
      mean[b * d + c] = static_cast<float>(sum / static_cast<double>(n - first));
    }
  return mean;
}

// a (B, d) and b (B, d) → (B, 2d).
Tensor concatenate(const Tensor& a, const Tensor& b) {
  const Index d = a.dim(1);
  Tensor both = Tensor::uninitialized({a.dim(0), 2 * d});
  for (Index item = 0; item < a.dim(0); ++item) {
    std::copy_n(a.data() + item * d, d, both.data() + 2 * item * d);
    std::copy_n(b.data() + item * d, d, both.data() + (2 * item + 1) * d);
  }
  return both;
}

}  // namespace

Status ModelEnds::add_class_logits(const Tensor& x, Compute& compute, HeadOutputs& out) {
  std::vector<std::string> names = model_.plan().classes;
  const auto there = [&](const std::string& name) { return model_.has(name + ".weight"); };
  if (!std::ranges::all_of(names, there)) names = {"classifier"};  // of a model without a teacher
  if (!there(names.front())) return {};
  std::vector<LogitTerms> terms;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Tensor token = model_.plan().class_of_pooled ? *out.pooled : at_position(x, static_cast<Index>(i));
    const Tensor read =
        model_.plan().mean_in_class ? concatenate(token, mean_of_positions(x, model_.plan().before_patches())) : token;
    HL_TRY(Tensor one, head_logits(read, names[i], compute, out));
    if (out.class_logits && out.class_logits->shape() != one.shape())
      return fail("{}: {} and {} are of different sizes", model_.file(), names[0], names[i]);
    for (Index c = 0; out.class_logits && c < one.size(); ++c) one[c] += (*out.class_logits)[c];
    out.class_logits = std::move(one);
    terms.push_back(std::move(*out.terms));
  }
  out.terms = terms.size() > 1 ? terms_of_mean(terms) : std::move(terms.front());
  for (float& value : out.class_logits->values()) value /= static_cast<float>(names.size());
  return {};
}

namespace {

// x (B, n, d) → (B, d), of each item where its text ends: at the first token of that id. Old CLIP configs say 2; the
// text then ends at its largest id.
Tensor at_end_token(const Tensor& x, const TokenIds& tokens, Index end) {
  constexpr Index legacy_end_token = 2;
  const Index n = x.dim(1), d = x.dim(2);
  Tensor result = Tensor::uninitialized({x.dim(0), d});
  for (Index b = 0; b < x.dim(0); ++b) {
    const auto ids = std::span(tokens.ids).subspan(static_cast<std::size_t>(b * n), static_cast<std::size_t>(n));
    const auto found = end == legacy_end_token ? std::ranges::max_element(ids) : std::ranges::find(ids, end);
    const Index at = found == ids.end() ? 0 : found - ids.begin();
    std::copy_n(x.data() + (b * n + at) * d, d, result.data() + b * d);
  }
  return result;
}

}  // namespace

Result<std::optional<Tensor>> ModelEnds::pooled_of(const Tensor& x, const TokenIds* tokens, Compute& compute) {
  const ModelPlan& plan = model_.plan();
  std::optional<Tensor> pooled;
  if (plan.pooled == Pooled::first) pooled = at_position(x, 0);
  if (plan.pooled == Pooled::mean) pooled = mean_of_positions(x, 0);
  if (plan.pooled == Pooled::end_token && tokens) pooled = at_end_token(x, *tokens, plan.end_token);
  if (pooled && !plan.pooled_norm.empty()) {
    HL_TRY(pooled, normed(*pooled, plan.pooled_norm, compute));
  }
  return pooled;
}

Result<HeadOutputs> ModelEnds::heads(const Tensor& x, const TokenIds* tokens, Compute& compute) {
  const ModelPlan& plan = model_.plan();
  HeadOutputs out;
  HL_TRY(out.pooled, pooled_of(x, tokens, compute));
  if (out.pooled && model_.has(plan.embeds_projection + ".weight")) {
    HL_TRY(out.embeds, dense(*out.pooled, plan.embeds_projection, -1, compute));
  }
  if (!plan.pooler.empty() && model_.has(plan.pooler + ".weight")) {
    HL_TRY(out.pooled, dense(at_position(x, 0), plan.pooler, plan.width, compute));
    for (float& value : out.pooled->values()) value = std::tanh(value);
    if (!plan.pair.empty() && model_.has(plan.pair + ".weight")) {
      HL_TRY(out.pair_logits, dense(*out.pooled, plan.pair, 2, compute));
    }
    if (!plan.pooled_classes.empty() && model_.has(plan.pooled_classes + ".weight")) {
      HL_TRY(out.class_logits, head_logits(*out.pooled, plan.pooled_classes, compute, out));
    }
  }
  if (!plan.classes.empty()) HL_CHECK(add_class_logits(x, compute, out));
  HL_CHECK(add_logits(x, compute, out));
  return out;
}

}  // namespace headlight
