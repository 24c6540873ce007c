#include "engine/ops/linear_attention_ops.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/math/math.h"

namespace headlight::ops {

namespace {

using notation::written;

bool is_hidden(float masked) {
  return masked == -std::numeric_limits<float>::infinity();
}

// What is 0 by a rule.
Explanation nothing(const std::string& why) {
  return Explanation{.terms = {{{Operand::constant(0, "0")}}},
                     .reason = why.empty() ? "masked: the mask is −∞ here" : "masked by " + why};
}

// Numbers where a mask hides nothing, else 0.
Code only_visible(const Array& mask, const char* transposed, const Code& numbers) {
  if (!mask) return numbers;
  return {fmt::format("np.where(({} == -np.inf){}, 0.0, {})", mask.id, transposed, numbers.numpy),
          fmt::format(R"(torch.where(({} == float("-inf")){}, 0.0, {}))", mask.id, transposed, numbers.torch)};
}

// Where a pair stands in a mask whose axes may be 1.
struct CellOfMask {
  Shape shape;

  Index of(Index batch, Index query, Index key) const {
    return ((shape[0] == 1 ? 0 : batch) * shape[2] + (shape[2] == 1 ? 0 : query)) * shape[3] + key;
  }
};

// What features are where the mask (B|1, 1, 1, n) hides nothing: a row of them of what stands in a row of x.
struct Feature {
  std::function<void(Index row, float* to)> fill;
  std::function<Explanation(Index row, Index feature)> explain;
  Code code;
  std::string formula;
  double operations = 0;
};

Operation where_visible(const Array& x, const Axis& numbers, const Array& mask, const MaskRules& rules,
                        Feature feature) {
  std::vector<Axis> axes = x.axes;
  axes.back() = numbers;
  const Index d = numbers.size, n = x.dim(2), heads = x.dim(1);
  const CellOfMask in_mask{mask ? mask.shape() : Shape{1, 1, 1, n}};
  const auto cell_of = [=](Index cell) { return in_mask.of(cell / (d * n * heads), 0, cell / d % n); };
  const Index count = x.size() / x.dim(3);
  return {.axes = std::move(axes),
          .run =
              [mask = mask.values, cell_of, d, count, fill = std::move(feature.fill)](Compute& compute, float* to) {
                compute.parallel_each(count, 64, [&](Index row) {
                  if (mask && is_hidden((*mask)[cell_of(row * d)]))
                    std::fill_n(to + row * d, d, 0.0F);
                  else
                    fill(row, to + row * d);
                });
              },
          .explain =
              [mask = mask.values, rules, cell_of, d, n, heads, explain = std::move(feature.explain)](Index cell) {
                if (mask && is_hidden((*mask)[cell_of(cell)]))
                  return nothing(hidden_by(rules, cell / (d * n * heads), 0, 0, cell / d % n));
                return explain(cell / d, cell % d);
              },
          .code = only_visible(mask, ".swapaxes(-1, -2)", feature.code),
          .formula = {std::move(feature.formula)},
          .operations = feature.operations,
          .role = x.role};
}

}  // namespace

Operation features(const Array& x, Combine rule, const Axis& numbers, const Array& mask, const MaskRules& rules) {
  const Index d = x.dim(3);
  const std::string numpy = rule == Combine::relu
                                ? fmt::format("np.maximum({}, 0)", x.id)
                                : fmt::format("np.where({0} > 0, {0} + 1, np.exp(np.minimum({0}, 0)))", x.id),
                    torch =
                        rule == Combine::relu ? fmt::format("F.relu({})", x.id) : fmt::format("F.elu({}) + 1", x.id);
  return where_visible(
      x, numbers, mask, rules,
      {.fill =
           [x = x.values, d, relu = rule == Combine::relu](Index row, float* to) {
             std::copy_n(x->data() + row * d, d, to);
             if (!relu) return math::elu_plus_one(to, d);
             for (Index c = 0; c < d; ++c) to[c] = to[c] < 0 ? 0 : to[c];
           },
       .explain = [x = x.id, d, rule](
                      Index row,
                      Index c) { return Explanation{.combine = rule, .terms = {{{Operand::of(x, row * d + c)}}}}; },
       .code = {numpy, torch},
       .formula = rule == Combine::relu ? fmt::format("\\max\\bigl(0, {}\\bigr)", written(x))
                                        : fmt::format("\\operatorname{{elu}}\\bigl({}\\bigr) + 1", written(x)),
       .operations = rule_of(rule).operations + 1});
}

Operation random_features(const Array& x, const Array& w, const Axis& numbers, const Array& mask,
                          const MaskRules& rules) {
  const Index d = x.dim(3), count = numbers.size, rows = x.dim(2), heads = x.dim(1);
  const double width = static_cast<double>(d), small = 1 / std::sqrt(std::sqrt(width)),
               share = 1 / std::sqrt(static_cast<double>(count));
  const auto of_head = [=](Index row, Index c, Index feature) {
    return (row / rows % heads * d + c) * count + feature;
  };
  const std::string met = fmt::format("{} @ {} / {}**0.25", x.id, w.id, d),
                    rest = fmt::format(" / 2 / {}**0.5) / {}**0.5", d, count);
  Operation op = where_visible(
      x, numbers, mask, rules,
      {.fill =
           [x = x.values, w = w.values, of_head, d, count, small, share](Index row, float* to) {
             double squares = 0;
             std::vector<double> dots(static_cast<std::size_t>(count));
             for (Index c = 0; c < d; ++c) {
               const double at = (*x)[row * d + c];
               const float* with = w->data() + of_head(row, c, 0);
               for (double& dot : dots) dot += at * *with++;
               squares += at * at;
             }
             for (const double dot : dots)
               *to++ = static_cast<float>(share * std::exp(small * dot - small * small * squares / 2));
           },
       .explain =
           [x = x.id, w = w.id, of_head, d, small, share](Index row, Index feature) {
             Explanation e;
             e.combine = Combine::exponential;
             e.scale = small;
             e.scale_label = fmt::format("1/{}^¼", d);
             e.times = share;
             for (Index c = 0; c < d; ++c) {
               const Operand at = Operand::of(x, row * d + c);
               e.terms.push_back({{at, Operand::of(w, of_head(row, c, feature))}});
               e.terms.push_back({{Operand::constant(-small / 2, fmt::format("−1/(2 · {}^¼)", d)), at, at}});
             }
             return e;
           },
       .code = {fmt::format("np.exp({} - ({}**2).sum(-1, keepdims=True){}", met, x.id, rest),
                fmt::format("torch.exp({} - ({}**2).sum(-1, keepdim=True){}", met, x.id, rest)},
       .formula = fmt::format("\\frac{{1}}{{\\sqrt{{D}}}} \\exp\\bigl(\\hat x \\cdot {} - \\tfrac{{1}}{{2}}\\,\\hat x "
                              "\\cdot \\hat x\\bigr)",
                              notation::channel(w)),
       .operations = linear_operations(d, false) + 2 * width});
  op.formula.by_channel = true;
  op.formula.below = fmt::format("\\hat x = \\frac{{{}}}{{d'^{{1/4}}}} \\qquad D = {}", written(x), count);
  return op;
}

Operation dot_with_key_sum(const Array& q, const Array& sum, const KeySums& sums) {
  const bool causal = sums.causal;
  const Index features = q.dim(3), rows = q.dim(2);
  const auto sum_row = [=](Index row) { return (causal ? row : row / rows) * features; };
  return {.axes = {q.axis_at(0), q.axis_at(1), q.axis_at(2)},
          .run =
              [q = q.values, sum = sum.values, sum_row, features](Compute& compute, float* to) {
                compute.parallel_each(q->size() / features, 64, [&](Index row) {
                  double met = 0;
                  for (Index c = 0; c < features; ++c)
                    met += static_cast<double>((*q)[row * features + c]) * (*sum)[sum_row(row) + c];
                  to[row] = static_cast<float>(met);
                });
              },
          .explain =
              [q = q.id, sum = sum.id, sum_row, features](Index row) {
                return Explanation{.terms = product_terms(features, {q, row * features}, {sum, sum_row(row)})};
              },
          .code = both(fmt::format("({} * {}{}).sum(-1)", q.id, sum.id, causal ? "" : "[:, :, None]")),
          .formula = {fmt::format("{} \\cdot {}", written(q), written(sum))},
          .operations = linear_operations(features, false)};
}

Operation implied_weights(const Array& scores, const Array& denominator, const Array& mask, const MaskRules& rules) {
  const Index keys = scores.dim(3), queries = scores.dim(2), heads = scores.dim(1);
  const CellOfMask in_mask{mask ? mask.shape() : Shape{1, 1, 1, keys}};
  const auto cell_of = [=](Index cell) {
    return in_mask.of(cell / (keys * queries * heads), cell / keys % queries, cell % keys);
  };
  const std::string divided = fmt::format("share_of({}, {}[..., None])", scores.id, denominator.id);
  std::string warning;
  if (denominator.values)
    if (const auto none = std::ranges::count(denominator.values->values(), 0.0F); none > 0)
      warning =
          fmt::format("{} no key with anything in common: {} weights are 0 by definition",
                      none == 1 ? "1 query has" : fmt::format("{} queries have", none), none == 1 ? "its" : "their");
  return {
      .axes = scores.axes,
      .rows = {.of = scores.id,
               .run =
                   [s = scores.values, by = denominator.values, mask = mask.values, cell_of, keys](
                       Index begin, Index end, float* to) {
                     for (Index row = begin; row < end; ++row) {
                       const float* from = s->data() + row * keys;
                       const float divisor = (*by)[row];
                       float* shares = to + row * keys;
                       if (divisor == 0) {
                         std::fill_n(shares, keys, 0.0F);
                         continue;
                       }
                       for (Index key = 0; key < keys; ++key) shares[key] = from[key] / divisor;
                       if (!mask) continue;
                       const float* hiding = mask->data() + cell_of(row * keys);  // its last axis is all keys
                       for (Index key = 0; key < keys; ++key) shares[key] = is_hidden(hiding[key]) ? 0 : shares[key];
                     }
                   }},
      .explain =
          [s = scores.id, by = denominator.id, mask = mask.values, rules, cell_of, keys, queries, heads](Index cell) {
            if (mask && is_hidden((*mask)[cell_of(cell)]))
              return nothing(hidden_by(rules, cell / (keys * queries * heads), 0, cell / keys % queries, cell % keys));
            return Explanation{.combine = Combine::quotient,
                               .terms = {{{Operand::of(s, cell)}}},
                               .parameters = {Operand::of(by, cell / keys)}};
          },
      .code = only_visible(mask, "", both(divided)),
      .formula = {fmt::format("\\frac{{{}}}{{{}}}", written(scores), written(denominator))},
      .operations = 2,
      .kind = Kind::probability,
      .role = Role::weight,
      .warning = std::move(warning)};
}

Operation divided_products(const Array& q, const Array& state, const Array& denominator, const KeySums& key_sums) {
  const bool causal = key_sums.causal;
  const Index features = q.dim(3), width = state.dim(-1), rows = q.dim(2), area = features * width;
  const auto state_at = [=](Index row) { return (causal ? row : row / rows) * area; };
  return {.axes = {q.axis_at(0), q.axis_at(1), q.axis_at(2), state.axis_at(-1)},
          .run =
              [q = q.values, state = state.values, by = denominator.values, state_at, features, width](Compute& compute,
                                                                                                       float* to) {
                compute.parallel(q->size() / features, 16, [&](Index begin, Index end) {
                  std::vector<double> sums(static_cast<std::size_t>(width));
                  for (Index row = begin; row < end; ++row) {
                    std::ranges::fill(sums, 0.0);
                    const float* from = state->data() + state_at(row);
                    for (Index f = 0; f < features; ++f)
                      for (double& sum : sums) sum += static_cast<double>((*q)[row * features + f]) * *from++;
                    const float divisor = (*by)[row];
                    std::ranges::transform(sums, to + row * width, [=](double sum) {
                      return divisor == 0 ? 0.0F : static_cast<float>(sum / divisor);
                    });
                  }
                });
              },
          .explain =
              [q = q.id, state = state.id, by = denominator.id, state_at, features, width](Index cell) {
                const Index row = cell / width;
                return Explanation{
                    .combine = Combine::quotient,
                    .terms = product_terms(features, {q, row * features}, {state, state_at(row) + cell % width, width}),
                    .parameters = {Operand::of(by, row)}};
              },
          .code = {fmt::format(R"(share_of(np.einsum("bmic,bm{}cd->bmid", {}, {}), {}[..., None]))", causal ? "i" : "",
                               q.id, state.id, denominator.id),
                   fmt::format(R"(share_of(torch.einsum("bmic,bm{}cd->bmid", {}, {}), {}[..., None]))",
                               causal ? "i" : "", q.id, state.id, denominator.id)},
          .formula = {fmt::format("\\frac{{{}\\,{}}}{{{}}}", written(q), written(state), written(denominator))},
          .operations = linear_operations(features, false) + 1,
          .role = Role::output};
}

}  // namespace headlight::ops
