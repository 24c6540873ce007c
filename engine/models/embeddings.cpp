// What enters the first layer of a model: of tokens, of sound, of the patches of a picture.
#include <algorithm>
#include <span>

#include "engine/math/math.h"
#include "engine/models/ends.h"
#include "engine/picture/resize.h"

namespace headlight {

namespace {

void add_row(const float* row, Index d, float* to) {
  for (Index c = 0; c < d; ++c) to[c] += row[c];
}

}  // namespace

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
      Index place = i;
      if (plan.padding) place = padding ? *plan.padding : *plan.padding + counted;
      if (types) add_row(types->data() + (tokens.types.empty() ? 0 : tokens.types[at]) * d, d, row);
      if (places) add_row(places->data() + (place + plan.places_before) * d, d, row);
    }
  }
  return input_norm.empty() ? Result<Tensor>(std::move(x)) : normed(x, input_norm, compute);
}

Result<Tensor> ModelEnds::added_places(Index n) {
  const ModelPlan& plan = model_.plan();
  HL_TRY(const Kept table, array(plan.added_places + ".weight", {plan.positions, plan.width}));
  Tensor rows = Tensor::uninitialized({1, n, plan.width});
  std::copy_n(table->data(), rows.size(), rows.data());
  return rows;
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
  const Index g = plan.image_size / plan.patch, d = plan.width, known = lone + (plan.any_grid ? g * g : rows * columns);
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
      HL_TRY(const Kept token,
             array(plan.lone_tokens[static_cast<std::size_t>(i)], plan.flat_tables ? Shape{d} : Shape{1, 1, d}));
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

}  // namespace headlight
