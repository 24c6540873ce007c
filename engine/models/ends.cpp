#include "engine/models/ends.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/math/math.h"
#include "engine/picture/resize.h"

namespace headlight {

namespace {

// More logits than so many are of the last position alone.
constexpr Index most_logits = Index{1} << 26;
constexpr double usual_epsilon = 1e-5;  // of torch.nn.LayerNorm

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

void activate(const std::string& activation, Compute& compute, Tensor& x) {
  if (activation == "gelu") return math::gelu(compute, x.data(), x.size());
  if (activation == "gelu_tanh") return math::gelu_tanh(compute, x.data(), x.size());
  if (activation == "silu") return math::silu(compute, x.data(), x.size());
  math::relu(compute, x.data(), x.size(), x.data());
}

Result<ModelEnds::Kept> ModelEnds::array(const std::string& name, const Shape& shape) {
  if (const auto found = kept_.find(name); found != kept_.end()) return found->second;
  HL_TRY(Tensor values, model_.read(name, shape));
  return kept_.emplace(name, std::make_shared<const Tensor>(std::move(values))).first->second;
}

Result<ModelEnds::Kept> ModelEnds::array_if_there(const std::string& name, const Shape& shape) {
  if (!model_.has(name)) return Kept();
  return array(name, shape);
}

Result<Tensor> ModelEnds::normed(const Tensor& x, const std::string& name, Compute& compute, double given) {
  const Index d = x.dim(-1);
  const double epsilon = given > 0 ? given : model_.plan().epsilon;
  HL_TRY(const Kept gamma, array(name + (model_.has(name + ".gamma") ? ".gamma" : ".weight"), {d}));
  Tensor result = Tensor::uninitialized(x.shape());
  if (model_.plan().root_norms) {
    Tensor stretch(*gamma);
    for (float& value : stretch.values()) value += model_.plan().norms_add_one ? 1.0F : 0.0F;
    root_norm(x, stretch, epsilon, result);
    return result;
  }
  HL_TRY(const Kept beta, array(name + (model_.has(name + ".beta") ? ".beta" : ".bias"), {d}));
  math::layer_norm(compute, x.data(), gamma->data(), beta->data(), x.size() / d, d, static_cast<float>(epsilon),
                   result.data());
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

// What stands for each token, before its place: rows of a table, with the hidden ones set to 0.
Result<Tensor> ModelEnds::words_of(const TokenIds& tokens, Compute& compute) {
  const ModelPlan& plan = model_.plan();
  const Index n = tokens.count, width = plan.embedding_width > 0 ? plan.embedding_width : plan.width;
  HL_TRY(const Kept words, array(plan.words + ".weight", {plan.vocabulary, width}));
  Tensor x = Tensor::uninitialized({tokens.items, n, width});
  for (Index b = 0; b < tokens.items; ++b) {
    const auto ids = std::span(tokens.ids).subspan(static_cast<std::size_t>(b * n), static_cast<std::size_t>(n));
    const auto hidden = plan.hidden_token ? std::ranges::count(ids, *plan.hidden_token) : 0;
    const double shown =
        plan.hidden_token ? (1 - 0.15 * 0.8) / (1 - static_cast<double>(hidden) / static_cast<double>(n)) : 1;
    const auto scale = static_cast<float>(plan.embedding_scale * shown);
    for (Index i = 0; i < n; ++i) {
      const Index id = ids[static_cast<std::size_t>(i)];
      const float by = plan.hidden_token == id ? 0 : scale;
      const float* row = words->data() + id * width;
      std::transform(row, row + width, x.data() + (b * n + i) * width, [by](float value) { return by * value; });
    }
  }
  const bool projects = !plan.project_in.empty() && model_.has(plan.project_in + ".weight");
  if (!projects && width != plan.width)
    return fail("{}: {}.weight is missing, though tokens are {} wide and layers {}", model_.file(), plan.project_in,
                width, plan.width);
  return projects ? dense(x, plan.project_in, plan.width, compute) : Result<Tensor>(std::move(x));
}

Result<Tensor> ModelEnds::embed(const TokenIds& tokens, ModelPart part, Compute& compute) {
  const ModelPlan& plan = model_.plan();
  const Index n = tokens.count, d = plan.width;
  const bool second = !in_first_stack(part) && !plan.decoder_places.empty();
  const std::string& table = second ? plan.decoder_places : plan.places;
  const std::string& input_norm = second ? plan.decoder_input_norm : plan.input_norm;
  HL_TRY(Tensor x, words_of(tokens, compute));
  Kept places, types;
  if (!table.empty()) {
    const Index rows = second ? plan.decoder_positions : plan.positions;
    HL_TRY(places, array(table + ".weight", {rows + plan.places_before, d}));
  }
  if (!plan.types.empty()) {
    HL_TRY(types, array(plan.types + ".weight", {plan.type_count, d}));
  }
  for (Index b = 0; b < tokens.items; ++b) {
    Index counted = 0;  // of tokens that are no padding
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(b * n + i);
      float* row = x.data() + (b * n + i) * d;
      const bool padding = plan.padding && tokens.ids[at] == *plan.padding;
      counted += !padding;
      const Index place = !plan.padding ? i : padding ? *plan.padding : *plan.padding + counted;
      if (types) add_row(types->data() + (tokens.types.empty() ? 0 : tokens.types[at]) * d, d, row);
      if (places) add_row(places->data() + (place + plan.places_before) * d, d, row);
    }
  }
  return input_norm.empty() ? Result<Tensor>(std::move(x)) : normed(x, input_norm, compute);
}

// x (B, in, n) → (B, out, ⌈n / stride⌉), kernel 3 with one zero on each side, GELU.
Result<Tensor> ModelEnds::convolved(const Tensor& x, const std::string& name, Index stride, Compute& compute) {
  const Index items = x.dim(0), in = x.dim(1), n = x.dim(2), d = model_.plan().width, made = (n + stride - 1) / stride;
  HL_TRY(const Kept weight, array(name + ".weight", {d, in, 3}));
  HL_TRY(const Kept bias, array(name + ".bias", {d}));
  Tensor rows({items * made, in * 3});  // what each output reads: channel, place
  for (Index b = 0; b < items; ++b)
    for (Index i = 0; i < made; ++i)
      for (Index c = 0; c < in; ++c)
        for (Index k = 0; k < 3; ++k)
          if (const Index at = i * stride + k - 1; at >= 0 && at < n)
            rows[((b * made + i) * in + c) * 3 + k] = x[(b * in + c) * n + at];
  Tensor out = Tensor::uninitialized({items * made, d});
  math::pointwise(compute, rows.data(), weight->data(), bias->data(), items * made, in * 3, d, out.data());
  math::gelu(compute, out.data(), out.size());
  Tensor result = Tensor::uninitialized({items, d, made});
  for (Index b = 0; b < items; ++b)
    for (Index i = 0; i < made; ++i)
      for (Index c = 0; c < d; ++c) result[(b * d + c) * made + i] = out[(b * made + i) * d + c];
  return result;
}

Result<Tensor> ModelEnds::embed_sound(const Tensor& features, Compute& compute) {
  const ModelPlan& plan = model_.plan();
  HL_TRY(const Tensor first, convolved(features, "encoder.conv1", 1, compute));
  HL_TRY(const Tensor second, convolved(first, "encoder.conv2", 2, compute));
  const Index items = second.dim(0), d = plan.width, n = second.dim(2);
  HL_TRY(const Kept places, array(plan.places + ".weight", {n, d}));
  Tensor x = Tensor::uninitialized({items, n, d});
  for (Index b = 0; b < items; ++b)
    for (Index i = 0; i < n; ++i)
      for (Index c = 0; c < d; ++c) x[(b * n + i) * d + c] = second[(b * d + c) * n + i] + (*places)[i * d + c];
  return x;
}

namespace {

// Each patch as a row: channel, row, column.
Tensor patches_as_rows(const Tensor& pixels, Index p) {
  const Index items = pixels.dim(0), channels = pixels.dim(1), height = pixels.dim(2), width = pixels.dim(3),
              columns = width / p, patches = height / p * columns;
  Tensor cut = Tensor::uninitialized({items * patches, channels * p * p});
  float* to = cut.data();
  for (Index b = 0; b < items; ++b)
    for (Index patch = 0; patch < patches; ++patch)
      for (Index c = 0; c < channels; ++c)
        for (Index y = 0; y < p; ++y, to += p)
          std::copy_n(
              pixels.data() + ((b * channels + c) * height + patch / columns * p + y) * width + patch % columns * p, p,
              to);
  return cut;
}

// A table of places (g · g, d) on another grid: bicubic, in double precision.
Tensor resized_places(const float* table, Index g, Index d, Index rows, Index columns) {
  const auto down = resize_shares(g, rows, ResizeFilter::bicubic),
             across = resize_shares(g, columns, ResizeFilter::bicubic);
  Tensor result = Tensor::uninitialized({rows * columns, d});
  for (Index r = 0; r < rows; ++r)
    for (Index s = 0; s < columns; ++s)
      for (Index c = 0; c < d; ++c) {
        const ResizeShares &y = down[static_cast<std::size_t>(r)], &x = across[static_cast<std::size_t>(s)];
        double sum = 0;
        for (std::size_t i = 0; i < y.weights.size(); ++i)
          for (std::size_t j = 0; j < x.weights.size(); ++j)
            sum += y.weights[i] * x.weights[j] *
                   table[((y.first + static_cast<Index>(i)) * g + x.first + static_cast<Index>(j)) * d + c];
        result[(r * columns + s) * d + c] = static_cast<float>(sum);
      }
  return result;
}

}  // namespace

// The places of `lone` tokens and of patches (rows, columns).
Result<Tensor> ModelEnds::places_of(Index lone, Index rows, Index columns) {
  const ModelPlan& plan = model_.plan();
  const Index g = plan.image_size / plan.patch, d = plan.width,
              known = lone + (plan.any_grid ? g * g : rows * columns);
  if (plan.places.empty()) return Tensor({1, known, d});
  HL_TRY(const Kept table, array(plan.places + (plan.flat_tables ? ".weight" : ""),
                                 plan.flat_tables ? Shape{known, d} : Shape{1, known, d}));
  if (!plan.any_grid || (rows == g && columns == g)) return Tensor(*table);
  const Tensor resized = resized_places(table->data() + lone * d, g, d, rows, columns);
  Tensor places = Tensor::uninitialized({1, lone + rows * columns, d});
  std::copy_n(table->data(), lone * d, places.data());
  std::ranges::copy(resized.values(), places.data() + lone * d);
  return places;
}

Result<Tensor> ModelEnds::embed(const Tensor& pixels, Compute& compute) {
  const ModelPlan& plan = model_.plan();
  const Index d = plan.width, p = plan.patch, channels = plan.channels, items = pixels.dim(0), size = channels * p * p,
              rows = pixels.dim(2) / p, columns = pixels.dim(3) / p, patches = rows * columns;
  const auto lone = static_cast<Index>(plan.lone_tokens.size());
  const Index before = plan.before_patches();
  HL_TRY(const Kept weight, array(plan.projection + ".weight", {d, channels, p, p}));
  HL_TRY(const Kept bias, array_if_there(plan.projection + ".bias", {d}));
  HL_TRY(const Tensor places, places_of(lone, rows, columns));
  const Tensor cut = patches_as_rows(pixels, p);
  Tensor made = Tensor::uninitialized({items * patches, d});
  math::pointwise(compute, cut.data(), weight->data(), bias ? bias->data() : nullptr, items * patches, size, d,
                  made.data());
  if (plan.norm_before_places) {
    HL_TRY(made, normed(made, plan.input_norm, compute, usual_epsilon));
  }
  Tensor x = Tensor::uninitialized({items, before + patches, d});
  for (Index b = 0; b < items; ++b) {
    float* item = x.data() + b * (before + patches) * d;
    for (Index i = 0; i < lone; ++i) {
      HL_TRY(const Kept token, array(plan.lone_tokens[static_cast<std::size_t>(i)],
                                     plan.flat_tables ? Shape{d} : Shape{1, 1, d}));
      std::copy_n(token->data(), d, item + i * d);
    }
    add_row(places.data(), lone * d, item);
    if (plan.register_count > 0) {
      HL_TRY(const Kept registers, array(plan.registers, {1, plan.register_count, d}));
      std::copy_n(registers->data(), plan.register_count * d, item + lone * d);
    }
    std::copy_n(made.data() + b * patches * d, patches * d, item + before * d);
    add_row(places.data() + lone * d, patches * d, item + before * d);
  }
  const bool normed_last = !plan.input_norm.empty() && !plan.norm_before_places;
  return normed_last ? normed(x, plan.input_norm, compute) : Result<Tensor>(std::move(x));
}

namespace {

// The four places of every 2 × 2 side by side: those of the left column first.
Tensor places_together(const Tensor& x) {
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
  HL_TRY(const Tensor stretched, normed(places_together(x), name + "norm", compute, usual_epsilon));
  return dense(stretched, name + "reduction", 2 * x.dim(2), compute);
}

Result<Tensor> ModelEnds::likeness(const Tensor& image_embeds, const Tensor& text_embeds) {
  HL_TRY(const Kept logit_scale, array("logit_scale", {}));
  const Index images = image_embeds.dim(0), texts = text_embeds.dim(0), d = text_embeds.dim(1);
  const double scale = std::exp(static_cast<double>((*logit_scale)[0]));
  Tensor logits = Tensor::uninitialized({images, texts});
  for (Index i = 0; i < images; ++i)
    for (Index t = 0; t < texts; ++t) {
      double dot = 0, of_image = 0, of_text = 0;
      for (Index c = 0; c < d; ++c) {
        const double a = image_embeds[i * d + c], b = text_embeds[t * d + c];
        dot += a * b, of_image += a * a, of_text += b * b;
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
  if (!plan.project_out.empty() && model_.has(plan.project_out + ".weight")) {
    HL_TRY(x, dense(x, plan.project_out, plan.embedding_width, compute));
  }
  const Index width = x.dim(-1);
  HL_TRY(const Kept weight, array(own ? plan.logits + ".weight" : plan.words + ".weight", {plan.vocabulary, width}));
  const std::string bias_name = !plan.logits_bias.empty() ? plan.logits_bias : plan.logits + ".bias";
  const bool as_row = model_.has(bias_name) && bias_name == "final_logits_bias";
  HL_TRY(const Kept bias, array_if_there(bias_name, as_row ? Shape{1, plan.vocabulary} : Shape{plan.vocabulary}));
  out.logits = Tensor::uninitialized({x.dim(0), x.dim(1), plan.vocabulary});
  math::pointwise(compute, x.data(), weight->data(), bias ? bias->data() : nullptr, x.dim(0) * x.dim(1), width,
                  plan.vocabulary, out.logits->data());
  if (plan.logit_cap > 0)
    for (float& value : out.logits->values())
      value = static_cast<float>(plan.logit_cap * std::tanh(value / plan.logit_cap));
  else
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

namespace {

// token (B, d) → (B, 2d): beside it the mean of what comes after the first positions of x (B, n, d).
Tensor beside_mean(const Tensor& token, const Tensor& x, Index first) {
  const Index n = x.dim(1), d = x.dim(2);
  Tensor result({x.dim(0), 2 * d});
  for (Index b = 0; b < x.dim(0); ++b) {
    std::copy_n(token.data() + b * d, d, result.data() + 2 * b * d);
    for (Index c = 0; c < d; ++c) {
      double sum = 0;
      for (Index i = first; i < n; ++i) sum += x[(b * n + i) * d + c];
      result[(2 * b + 1) * d + c] = static_cast<float>(sum / static_cast<double>(n - first));
    }
  }
  return result;
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
    const Tensor read = model_.plan().mean_in_class ? beside_mean(token, x, model_.plan().before_patches()) : token;
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

Tensor mean_of_positions(const Tensor& x) {
  const Index n = x.dim(1), d = x.dim(2);
  Tensor mean = Tensor::uninitialized({x.dim(0), d});
  for (Index b = 0; b < x.dim(0); ++b)
    for (Index c = 0; c < d; ++c) {
      double sum = 0;
      for (Index i = 0; i < n; ++i) sum += x[(b * n + i) * d + c];
      mean[b * d + c] = static_cast<float>(sum / static_cast<double>(n));
    }
  return mean;
}

// x (B, n, d) → (B, d), of each item where its text ends: at the first token of that id. Configs of old say 2 for an id
// that is none; the greatest is meant.
Tensor at_end_token(const Tensor& x, const TokenIds& tokens, Index end) {
  constexpr Index said_of_old = 2;
  const Index n = x.dim(1), d = x.dim(2);
  Tensor result = Tensor::uninitialized({x.dim(0), d});
  for (Index b = 0; b < x.dim(0); ++b) {
    const auto ids = std::span(tokens.ids).subspan(static_cast<std::size_t>(b * n), static_cast<std::size_t>(n));
    const auto found = end == said_of_old ? std::ranges::max_element(ids) : std::ranges::find(ids, end);
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
  if (plan.pooled == Pooled::mean) pooled = mean_of_positions(x);
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
