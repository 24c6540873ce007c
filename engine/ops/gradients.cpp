// The other operations that gradients are made of: of rows of weights, of what was added, and of sums of parts.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/math/kernels.h"
#include "engine/ops/backward.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

namespace {

using notation::written;

Explanation one_cell(const std::string& id, Index cell) {
  return Explanation{.terms = {{{Operand::of(id, cell)}}}};
}

constexpr float hidden = -std::numeric_limits<float>::infinity();

// Where the row of a mask begins that stands beside a row of the map; its axes of extent 1 are shared.
struct MaskBeside {
  MaskBeside(Shape of_map, Shape of_mask)
      : map(std::move(of_map)), mask(std::move(of_mask)), step(mask.back() == 1 ? 0 : 1) {}
  Index row(Index of_map) const {
    Index cell = 0, stride = mask.back();
    for (std::size_t axis = map.size() - 1; axis-- > 0;) {
      if (mask[axis] > 1) cell += of_map % map[axis] * stride;
      of_map /= map[axis];
      stride *= mask[axis];
    }
    return cell;
  }
  Shape map, mask;
  Index step;  // from key to key
};

}  // namespace

std::string summed_product(const Array& a, const Array& b, const std::string& over) {
  return fmt::format("\\sum_{{{}}} {}\\,{}", over, written(a), written(b));
}

Operation row_products(const Array& a, const Array& b) {
  std::vector<Axis> axes = a.axes;
  axes.back() = Axis{.symbol = "1", .name = "sum", .size = 1};
  const Index n = a.dim(-1);
  return {.axes = std::move(axes),
          .run =
              [a = a.values, b = b.values, n](Compute& compute, float* to) {
                compute.parallel_each(a->size() / n, 64, [&](Index row) {
                  to[row] = static_cast<float>(math::kernels().dot(a->data() + row * n, b->data() + row * n, n));
                });
              },
          .explain =
              [a = a.id, b = b.id, n](Index row) {
                return Explanation{.terms = product_terms(n, {a, row * n}, {b, row * n})};
              },
          .code = {fmt::format("({} * {}).sum(axis=-1, keepdims=True)", a.id, b.id),
                   fmt::format("({} * {}).sum(dim=-1, keepdim=True)", a.id, b.id)},
          .formula = {summed_product(a, b, a.axis_at(-1).index)},
          .operations = linear_operations(n, false)};
}

Operation softmax_gradient(const Array& a, const Array& g, const Array& of_row) {
  const Index n = a.dim(-1);
  return {.axes = a.axes,
          .run =
              [a = a.values, g = g.values, r = of_row.values, n](Compute& compute, float* to) {
                compute.parallel_each(a->size() / n, 64, [&](Index row) {
                  const float *weights = a->data() + row * n, *gradient = g->data() + row * n, sum = (*r)[row];
                  float* __restrict out = to + row * n;
                  for (Index j = 0; j < n; ++j) out[j] = weights[j] * (gradient[j] - sum);
                });
              },
          .explain =
              [a = a.id, g = g.id, r = of_row.id, n](Index cell) {
                return Explanation{
                    .terms = {{{Operand::of(a, cell), Operand::of(g, cell)}},
                              {{Operand::constant(-1, "−"), Operand::of(a, cell), Operand::of(r, cell / n)}}}};
              },
          .code = both(fmt::format("{} * ({} - {})", a.id, g.id, of_row.id)),
          .formula = {fmt::format("{}\\,\\bigl({} - {}\\bigr)", written(a), written(g), written(of_row))},
          .operations = 4};
}

Operation threshold_gradient(const Array& a, const Array& g, bool root) {
  const Index n = a.dim(-1);
  const auto s_of = [a = a.values, root](Index cell) {
    const double weight = (*a)[cell], support = weight > 0 ? 1 : 0;
    return root ? std::sqrt(weight) : support;
  };
  const auto sum_of_row = [s_of, n](Index row) {
    double sum = 0;
    for (Index j = row * n; j < (row + 1) * n; ++j) sum += s_of(j);
    return sum;
  };
  const auto code_in = [&](const char* keep, const char* axis, const std::string& s) {
    return fmt::format("{{to}} = {0} * ({1} - ({0} * {1}).sum({2}=-1, {3}=True) / {0}.sum({2}=-1, {3}=True))", s, g.id,
                       axis, keep);
  };
  const std::string numpy = root ? a.id + "**0.5" : fmt::format("({} > 0)", a.id),
                    torch = root ? a.id + "**0.5" : fmt::format("({} > 0).double()", a.id);
  return {.axes = a.axes,
          .run =
              [=, size = a.size(), g = g.values](Compute& compute, float* to) {
                compute.parallel_each(size / n, 64, [&](Index row) {
                  const double sum = sum_of_row(row);
                  double met = 0;
                  for (Index j = row * n; j < (row + 1) * n; ++j) met += s_of(j) * (*g)[j];
                  for (Index j = row * n; j < (row + 1) * n; ++j)
                    to[j] = sum == 0 ? 0.0F : static_cast<float>(s_of(j) * ((*g)[j] - met / sum));
                });
              },
          .explain =
              [=, g = g.id](Index cell) {
                const double sum = sum_of_row(cell / n), share = sum == 0 ? 0 : s_of(cell) / sum;
                return Explanation{.terms = terms_of(n, [&](Index j) {
                                     const Index at = cell / n * n + j;
                                     const double slope = (at == cell ? s_of(cell) : 0) - share * s_of(at);
                                     return Term{{Operand::of(g, at), Operand::constant(slope, "slope")}};
                                   })};
              },
          .code = {code_in("keepdims", "axis", numpy), code_in("keepdim", "dim", torch)},
          .formula = {fmt::format("s\\,\\Bigl({} - \\frac{{\\sum s\\,{}}}{{\\sum s}}\\Bigr)", written(g), written(g))},
          .operations = 6};
}

Operation sink_gradient(const Array& of_sink, const Array& of_row, const Array& like) {
  const Index maps = of_row.dim(1), rows = of_row.dim(2), size = of_row.size(), heads = like.size();
  const auto head_of = [=](Index row) { return row / rows % maps * heads / maps; };
  const auto code_in = [&](const char* axis) {
    return fmt::format("-({} * {}).reshape{}.sum({}=(0, 2))", of_sink.id, of_row.id,
                       to_string(Shape{of_row.dim(0), heads, size / of_row.dim(0) / heads}), axis);
  };
  return {.axes = like.axes,
          .run =
              [=, a = of_sink.values, r = of_row.values](Compute&, float* to) {
                std::vector<double> sums(static_cast<std::size_t>(heads));
                for (Index row = 0; row < size; ++row)
                  sums[static_cast<std::size_t>(head_of(row))] -= static_cast<double>((*a)[row]) * (*r)[row];
                std::ranges::transform(sums, to, [](double sum) { return static_cast<float>(sum); });
              },
          .explain =
              [=, a = of_sink.id, r = of_row.id](Index head) {
                Explanation e{.scale = -1, .scale_label = "−"};
                for (Index row = 0; row < size; ++row)
                  if (head_of(row) == head) e.terms.push_back({{Operand::of(a, row), Operand::of(r, row)}});
                return e;
              },
          .code = {code_in("axis"), code_in("dim")},
          .formula = {fmt::format("-{}", summed_product(of_sink, of_row, of_row.axis_at(2).index))},
          .operations = linear_operations(size / heads, false)};
}

Operation pass_through(const Array& g, const Array& like) {
  const bool same = g.shape() == like.shape();
  return {.axes = like.axes,
          .run = [g = g.values](Compute&, float* to) { std::copy_n(g->data(), g->size(), to); },
          .explain = [g = g.id](Index cell) { return one_cell(g, cell); },
          .code = both(same ? g.id : fmt::format("{}.reshape{}", g.id, to_string(like.shape()))),
          .formula = {written(g)},
          .operations = 1,
          .shares_input = same,
          .same_as = same ? g.values : nullptr};
}

Operation pass_where_visible(const Array& g, const Array& mask) {
  const MaskBeside beside(g.shape(), mask.shape());
  return {.axes = g.axes,
          .run =
              [g = g.values, mask = mask.values, beside, n = g.dim(-1)](Compute& compute, float* to) {
                compute.parallel_each(g->size() / n, 16, [&](Index row) {
                  const float* hides = mask->data() + beside.row(row);
                  for (Index j = 0; j < n; ++j)
                    to[row * n + j] = hides[j * beside.step] == hidden ? 0 : (*g)[row * n + j];
                });
              },
          .explain =
              [g = g.id, mask = mask.values, beside, n = g.dim(-1)](Index cell) {
                const bool is_hidden = (*mask)[beside.row(cell / n) + cell % n * beside.step] == hidden;
                if (!is_hidden) return one_cell(g, cell);
                return Explanation{.terms = {{{Operand::constant(0, "hidden")}}},
                                   .reason = "the mask hides this key: its score has no part in the weights"};
              },
          .code = {fmt::format("np.where({} == -np.inf, 0.0, {})", mask.id, g.id),
                   fmt::format(R"({}.masked_fill({} == float("-inf"), 0.0))", g.id, mask.id)},
          .formula = {written(g)},
          .operations = 1};
}

Operation sum_of(const std::vector<Array>& parts) {
  std::vector<std::string> ids, symbols;
  std::vector<std::shared_ptr<const Tensor>> values;
  for (const Array& part : parts) {
    ids.push_back(part.id);
    symbols.push_back(written(part));
    values.push_back(part.values);
  }
  return {.axes = parts.front().axes,
          .run =
              [values](Compute& compute, float* to) {
                compute.parallel(values.front()->size(), 4096, [&](Index begin, Index end) {
                  std::vector<const float*> from;
                  for (const auto& part : values) from.push_back(part->data() + begin);
                  math::kernels().add_arrays(from.data(), std::ssize(from), end - begin, to + begin);
                });
              },
          .explain =
              [ids](Index cell) {
                Explanation e;
                for (const std::string& id : ids) e.terms.push_back({{Operand::of(id, cell)}});
                return e;
              },
          .code = both(fmt::format("{}", fmt::join(ids, " + "))),
          .formula = {fmt::format("{}", fmt::join(symbols, " + "))},
          .operations = static_cast<double>(parts.size())};
}

Operation seed(const Array& of, std::optional<Index> cell, const std::shared_ptr<const Tensor>& weights) {
  const auto share = [cell, weights](Index at) {
    if (weights) return static_cast<double>((*weights)[at]);
    return at == cell ? 1.0 : 0.0;
  };
  const std::string at = cell ? to_string(index_at_flat(of.shape(), *cell)) : std::string();
  const auto code_in = [&](const char* library) {
    return fmt::format("{{to}} = {0}.zeros_like({1})\n{{to}}{2} = 1", library, of.id,
                       at.empty() ? at : fmt::format("[{}]", at.substr(1, at.size() - 2)));
  };
  return {
      .axes = of.axes,
      .run =
          [cell, weights, size = of.size()](Compute&, float* to) {
            if (weights) {
              std::copy_n(weights->data(), size, to);
              return;
            }
            std::fill_n(to, size, 0.0F);
            if (cell) to[*cell] = 1;
          },
      .explain =
          [share](Index i) {
            const double part = share(i);
            return Explanation{.terms = {{{Operand::constant(part, part == 0 ? "no part of L" : "its part in L")}}}};
          },
      .code = weights ? Code{} : Code{code_in("np"), code_in("torch")},
      .formula = {cell ? "\\begin{cases} 1 & \\text{at the number that was asked about} \\\\ 0 & \\text{elsewhere} "
                         "\\end{cases}"
                       : "\\text{its part in } L"},
      .operations = 1};
}

}  // namespace headlight::ops
