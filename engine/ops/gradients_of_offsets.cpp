// Gradients of scores by row and column offsets, without a vector for any pair: what reaches the pairs is summed over
// the columns of keys, and over their rows, first.
#include <algorithm>
#include <utility>

#include "engine/math/math.h"
#include "engine/math/relative.h"
#include "engine/ops/picture_gradients.h"

namespace headlight::ops {

namespace {

using notation::written;

// Of queries (B, M, n_q, …), the same on the picture: (B, M, rows, columns, …); one query is a picture of its own.
std::string on_grid(const Array& x, const PictureSide& side, Index picture_rows) {
  const bool one = side.queries == 1;
  return fmt::format("{}.reshape{}", x.id,
                     to_string(Shape{x.dim(0), x.dim(1), one ? 1 : picture_rows, one ? 1 : side.columns, x.dim(3)}));
}

std::string of_query(const PictureSide& side) {
  return side.queries == 1 ? fmt::format("[[{}]]", side.at(0)) : std::string();
}

Explanation with_factor(std::vector<Term> terms, const Factor& factor) {
  Explanation e{.terms = std::move(terms)};
  if (e.terms.empty()) e.terms = {{{Operand::constant(0, "no query stands there")}}};
  e.scale = factor.value;
  e.scale_label = factor.label;
  e.root_of = factor.root_of;
  return e;
}

std::string after(const Factor& factor) {
  return factor.in_code.empty() ? std::string() : " " + factor.in_code;
}

}  // namespace

PictureSide Offsets::side(const Array& q, bool rows_of_picture) const {
  return {.size = rows_of_picture ? picture_rows : picture_columns,
          .columns = picture_columns,
          .first = q.axis_at(2).only.value_or(0),
          .queries = q.dim(2),
          .is_row = rows_of_picture};
}

namespace {

Code queries_back_code(const Array& of_rows, const Array& of_columns, const Offsets& offsets, const Factor& factor,
                       const Array& like) {
  const PictureSide down = offsets.side(like, true), across = offsets.side(like, false);
  const auto code_in = [&](const char* library, const char* join) {
    return fmt::format(
        "{0}.{1}([{0}.einsum(\"bmijk,ikc->bmijc\", {2}, {3}{4}), {0}.einsum(\"bmijk,jkc->bmijc\", {5}, {6}{7})], "
        "-1).reshape{8}{9}",
        library, join, on_grid(of_rows, down, offsets.picture_rows), offsets.rows.id, of_query(down),
        on_grid(of_columns, across, offsets.picture_rows), offsets.columns.id, of_query(across),
        to_string(like.shape()), after(factor));
  };
  return {code_in("np", "concatenate"), code_in("torch", "cat")};
}

}  // namespace

Operation offset_queries_back(const Array& of_rows, const Array& of_columns, const Offsets& offsets,
                              const Factor& factor, const Array& like) {
  const Index half = offsets.rows.dim(2);
  const PictureSide down = offsets.side(like, true), across = offsets.side(like, false);
  return {
      .axes = like.axes,
      .run =
          [=, by_rows = of_rows.values, by_columns = of_columns.values, rows = offsets.rows.values,
           columns = offsets.columns.values, by = static_cast<float>(factor.value)](Compute& compute, float* to) {
            compute.parallel_each(by_rows->size() / down.size, 64, [&](Index query) {
              float* made = to + query * 2 * half;
              math::sum_of_rows(by_rows->data() + query * down.size, rows->data() + down.at(query) * down.size * half,
                                down.size, half, made);
              math::sum_of_rows(by_columns->data() + query * across.size,
                                columns->data() + across.at(query) * across.size * half, across.size, half,
                                made + half);
              math::scale(made, by, 2 * half, made);
            });
          },
      .explain =
          [=, by_rows = of_rows.id, by_columns = of_columns.id, rows = offsets.rows.id,
           columns = offsets.columns.id](Index cell) {
            const Index query = cell / (2 * half), c = cell % half;
            const bool first_half = cell % (2 * half) < half;
            const PictureSide& side = first_half ? down : across;
            const auto term = [&](Index key) {
              return Term{{Operand::of(first_half ? by_rows : by_columns, query * side.size + key),
                           Operand::of(first_half ? rows : columns, (side.at(query) * side.size + key) * half + c)}};
            };
            return with_factor(terms_of(side.size, term), factor);
          },
      .code = queries_back_code(of_rows, of_columns, offsets, factor, like),
      .formula = {fmt::format("{}\\bigl[\\, \\sum {}\\,{} \\,;\\, \\sum {}\\,{} \\,\\bigr]{}", factor.left,
                              written(of_rows), written(offsets.rows), written(of_columns), written(offsets.columns),
                              factor.right)},
      .operations = linear_operations(std::max(down.size, across.size), false)};
}

namespace {

// ∂L/∂ the vectors of the queries at one place of a side, (P, c), in double precision.
std::vector<double> sum_at(const Tensor& of_side, const Tensor& q, const PictureSide& side, Index place, Index half) {
  const Index width = 2 * half, from = side.is_row ? 0 : half;
  std::vector<double> sums(static_cast<std::size_t>(side.size * half));
  for (Index query = 0; query < q.size() / width; ++query) {
    if (side.at(query) != place) continue;
    const float *by = of_side.data() + query * side.size, *asked = q.data() + query * width + from;
    for (Index key = 0; key < side.size; ++key)
      for (Index c = 0; c < half; ++c)
        sums[static_cast<std::size_t>(key * half + c)] += static_cast<double>(by[key]) * asked[c];
  }
  return sums;
}

Code staircase_code(const Array& of_side, const Array& q, const PictureSide& side, const Offsets& offsets,
                    const Factor& factor, const Array& like) {
  const Index half = like.dim(2);
  const auto code_in = [&](const char* library) {
    const std::string product =
        fmt::format("{}.einsum(\"bmijk,bmijc->{}kc\", {}, {}[..., {}]){}", library, side.is_row ? "i" : "j",
                    on_grid(of_side, side, offsets.picture_rows), on_grid(q, side, offsets.picture_rows),
                    side.is_row ? fmt::format(":{}", half) : fmt::format("{}:", half), after(factor));
    if (side.queries > 1) return product;
    return fmt::format("{{to}} = {}.zeros_like({})\n{{to}}{} = {}", library, like.id, of_query(side), product);
  };
  return {code_in("np"), code_in("torch")};
}

}  // namespace

Operation staircase_back(const Array& of_side, const Array& q, bool rows_of_picture, const Offsets& offsets,
                         const Factor& factor, const Array& like) {
  const Index half = like.dim(2), queries = q.size() / (2 * half);
  const PictureSide side = offsets.side(q, rows_of_picture);
  return {.axes = like.axes,
          .run =
              [=, of_side = of_side.values, q = q.values](Compute& compute, float* to) {
                compute.parallel_each(side.size, 1, [&](Index place) {
                  std::ranges::transform(sum_at(*of_side, *q, side, place, half), to + place * side.size * half,
                                         [&](double sum) { return static_cast<float>(sum * factor.value); });
                });
              },
          .explain =
              [=, of_side = of_side.id, q = q.id](Index cell) {
                const Index c = cell % half, key = cell / half % side.size, place = cell / (half * side.size);
                std::vector<Term> terms;
                for (Index query = 0; query < queries; ++query)
                  if (side.at(query) == place)
                    terms.push_back({{Operand::of(of_side, query * side.size + key),
                                      Operand::of(q, query * 2 * half + (side.is_row ? 0 : half) + c)}});
                return with_factor(std::move(terms), factor);
              },
          .code = staircase_code(of_side, q, side, offsets, factor, like),
          .formula = {factor.left + summed_product(of_side, q, q.axis_at(2).index) + factor.right},
          .operations = linear_operations(queries / side.size, false)};
}

Operation sum_diagonals(const Array& g, const Array& like) {
  const Index n = g.dim(0), width = g.dim(2), middle = like.dim(0) / 2;
  const auto first = [](Index offset) { return std::max<Index>(0, -offset); };
  const auto last = [n](Index offset) { return std::min(n, n - offset); };
  const auto at = [n](Index from, Index offset) { return from * n + from + offset; };
  const auto offsets = [&](const char* library) {
    return fmt::format("{0}.arange({1}) - {0}.arange({1})[:, None] + {2}", library, n, middle);
  };
  return {.axes = like.axes,
          .run =
              [=, g = g.values, entries = like.dim(0)](Compute&, float* to) {
                for (Index cell = 0; cell < entries * width; ++cell) {
                  const Index offset = cell / width - middle;
                  double sum = 0;
                  for (Index from = first(offset); from < last(offset); ++from)
                    sum += (*g)[at(from, offset) * width + cell % width];
                  to[cell] = static_cast<float>(sum);
                }
              },
          .explain =
              [=, g = g.id](Index cell) {
                const Index offset = cell / width - middle;
                Explanation e;
                for (Index from = first(offset); from < last(offset); ++from)
                  e.terms.push_back({{Operand::of(g, at(from, offset) * width + cell % width)}});
                if (e.terms.empty()) e.terms.push_back({{Operand::constant(0, "no pair is so far apart")}});
                return e;
              },
          .code = {fmt::format("{{to}} = np.zeros_like({})\nnp.add.at({{to}}, {}, {})", like.id, offsets("np"), g.id),
                   fmt::format("torch.zeros_like({}).index_put(({},), {}, accumulate=True)", like.id, offsets("torch"),
                               g.id)},
          .formula = {fmt::format("\\sum {}", written(g))},
          .operations = static_cast<double>(g.size()) / static_cast<double>(like.size())};
}

}  // namespace headlight::ops
