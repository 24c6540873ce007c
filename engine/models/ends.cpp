#include "engine/models/ends.h"

#include <algorithm>
#include <cmath>

#include "engine/math/math.h"

namespace headlight {

namespace {

// More logits than so many are of the last position alone.
constexpr Index most_logits = Index{1} << 26;

void activate(const std::string& activation, Compute& compute, Tensor& x) {
  if (activation == "gelu") return math::gelu(compute, x.data(), x.size());
  if (activation == "gelu_tanh") return math::gelu_tanh(compute, x.data(), x.size());
  if (activation == "silu") return math::silu(compute, x.data(), x.size());
  math::relu(compute, x.data(), x.size(), x.data());
}

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

void add_row(const float* row, Index d, float* to) {
  for (Index c = 0; c < d; ++c) to[c] += row[c];
}

}  // namespace

Result<ModelEnds::Kept> ModelEnds::array(const std::string& name, const Shape& shape) {
  if (const auto found = kept_.find(name); found != kept_.end()) return found->second;
  HL_TRY(Tensor values, model_.read(name, shape));
  return kept_.emplace(name, std::make_shared<const Tensor>(std::move(values))).first->second;
}

Result<ModelEnds::Kept> ModelEnds::array_if_there(const std::string& name, const Shape& shape) {
  if (!model_.has(name)) return Kept();
  return array(name, shape);
}

Result<Tensor> ModelEnds::normed(const Tensor& x, const std::string& name, Compute& compute) {
  const Index d = model_.plan().width;
  HL_TRY(const Kept gamma, array(name + (model_.has(name + ".gamma") ? ".gamma" : ".weight"), {d}));
  Tensor result = Tensor::uninitialized(x.shape());
  if (model_.plan().root_norms) {
    root_norm(x, *gamma, model_.plan().epsilon, result);
    return result;
  }
  HL_TRY(const Kept beta, array(name + (model_.has(name + ".beta") ? ".beta" : ".bias"), {d}));
  math::layer_norm(compute, x.data(), gamma->data(), beta->data(), x.size() / d, d,
                   static_cast<float>(model_.plan().epsilon), result.data());
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

Result<Tensor> ModelEnds::embed(const TokenIds& tokens, Compute& compute) {
  const ModelPlan& plan = model_.plan();
  const Index n = tokens.count, d = plan.width;
  HL_TRY(const Kept words, array(plan.words + ".weight", {plan.vocabulary, d}));
  Kept places, types;
  if (!plan.places.empty()) {
    HL_TRY(places, array(plan.places + ".weight", {plan.positions, d}));
  }
  if (!plan.types.empty()) {
    HL_TRY(types, array(plan.types + ".weight", {plan.type_count, d}));
  }
  Tensor x = Tensor::uninitialized({tokens.items, n, d});
  for (Index b = 0; b < tokens.items; ++b) {
    Index counted = 0;  // of tokens that are no padding
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(b * n + i);
      const Index id = tokens.ids[at];
      float* row = x.data() + (b * n + i) * d;
      std::copy_n(words->data() + id * d, d, row);
      const bool padding = plan.padding && id == *plan.padding;
      counted += !padding;
      const Index place = !plan.padding ? i : padding ? *plan.padding : *plan.padding + counted;
      if (types) add_row(types->data() + (tokens.types.empty() ? 0 : tokens.types[at]) * d, d, row);
      if (places) add_row(places->data() + place * d, d, row);
    }
  }
  return plan.input_norm.empty() ? Result<Tensor>(std::move(x)) : normed(x, plan.input_norm, compute);
}

Result<Tensor> ModelEnds::embed(const Tensor& pixels, Compute& compute) {
  const ModelPlan& plan = model_.plan();
  const Index d = plan.width, p = plan.patch, channels = plan.channels, items = pixels.dim(0), rows = pixels.dim(2) / p,
              columns = pixels.dim(3) / p, size = channels * p * p, patches = rows * columns;
  const auto lone = static_cast<Index>(plan.lone_tokens.size());
  HL_TRY(const Kept weight, array(plan.projection + ".weight", {d, channels, p, p}));
  HL_TRY(const Kept bias, array_if_there(plan.projection + ".bias", {d}));
  HL_TRY(const Kept places, array(plan.places, {1, lone + patches, d}));
  // Each patch as a row: channel, row, column.
  Tensor cut = Tensor::uninitialized({items * patches, size});
  float* to = cut.data();
  for (Index b = 0; b < items; ++b)
    for (Index patch = 0; patch < patches; ++patch)
      for (Index c = 0; c < channels; ++c)
        for (Index y = 0; y < p; ++y, to += p)
          std::copy_n(pixels.data() + ((b * channels + c) * rows * p + patch / columns * p + y) * columns * p +
                          patch % columns * p,
                      p, to);
  Tensor made = Tensor::uninitialized({items * patches, d});
  math::pointwise(compute, cut.data(), weight->data(), bias ? bias->data() : nullptr, items * patches, size, d,
                  made.data());
  Tensor x = Tensor::uninitialized({items, lone + patches, d});
  for (Index b = 0; b < items; ++b) {
    float* item = x.data() + b * (lone + patches) * d;
    for (Index i = 0; i < lone; ++i) {
      HL_TRY(const Kept token, array(plan.lone_tokens[static_cast<std::size_t>(i)], {1, 1, d}));
      std::copy_n(token->data(), d, item + i * d);
    }
    std::copy_n(made.data() + b * patches * d, patches * d, item + lone * d);
    add_row(places->data(), (lone + patches) * d, item);
  }
  return x;
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

Status ModelEnds::add_logits(const Tensor& given, Compute& compute, HeadOutputs& out) {
  const ModelPlan& plan = model_.plan();
  if (plan.pixels || (!plan.transform.dense.empty() && !model_.has(plan.transform.dense + ".weight"))) return {};
  const bool own = !plan.logits.empty() && model_.has(plan.logits + ".weight");
  if (!own && !plan.tied) return {};
  const bool last_alone = given.dim(1) > most_logits / plan.vocabulary;
  Tensor x = last_alone ? at_position(given, given.dim(1) - 1).reshaped({given.dim(0), 1, plan.width}) : Tensor(given);
  if (!plan.transform.dense.empty()) {
    HL_TRY(x, dense(x, plan.transform.dense, plan.width, compute));
    activate(plan.transform.activation, compute, x);
    HL_TRY(x, normed(x, plan.transform.norm, compute));
  }
  if (!own && plan.tied_scale != 1)
    for (float& value : x.values()) value = static_cast<float>(value * plan.tied_scale);
  HL_TRY(const Kept weight,
         array(own ? plan.logits + ".weight" : plan.words + ".weight", {plan.vocabulary, plan.width}));
  const std::string bias_name = !plan.logits_bias.empty() ? plan.logits_bias : plan.logits + ".bias";
  HL_TRY(const Kept bias, array_if_there(bias_name, {plan.vocabulary}));
  out.logits = Tensor::uninitialized({x.dim(0), x.dim(1), plan.vocabulary});
  math::pointwise(compute, x.data(), weight->data(), bias ? bias->data() : nullptr, x.dim(0) * x.dim(1), plan.width,
                  plan.vocabulary, out.logits->data());
  out.terms = LogitTerms{std::move(x), weight, bias};
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

}  // namespace

Status ModelEnds::add_class_logits(const Tensor& x, Compute& compute, HeadOutputs& out) {
  std::vector<std::string> names = model_.plan().classes;
  const auto there = [&](const std::string& name) { return model_.has(name + ".weight"); };
  if (!std::ranges::all_of(names, there)) names = {"classifier"};  // of a model without a teacher
  if (!there(names.front())) return {};
  std::vector<LogitTerms> terms;
  for (std::size_t i = 0; i < names.size(); ++i) {
    HL_TRY(Tensor one, head_logits(at_position(x, static_cast<Index>(i)), names[i], compute, out));
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

Result<HeadOutputs> ModelEnds::heads(const Tensor& x, Compute& compute) {
  const ModelPlan& plan = model_.plan();
  HeadOutputs out;
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
