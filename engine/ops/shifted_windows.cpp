#include "engine/ops/shifted_windows.h"

#include <algorithm>
#include <limits>

namespace headlight::ops {

namespace {

using notation::written;

constexpr float masked_score = -std::numeric_limits<float>::infinity();
constexpr Index cut_piece = 1024;  // numbers, enough to be worth a thread

// "window_pixels(8, 8, 4, 2)", of the one query that asks where it is one.
std::string in_code(const char* function, const ShiftedWindows& w) {
  const std::string all = fmt::format("{}({}, {}, {}, {})", function, w.rows, w.columns, w.side, w.shift);
  return w.only < 0 ? all : fmt::format("{}[{}:{}]", all, w.only, w.only + 1);
}

// "k[:, :, window_pixels(8, 8, 4, 2)]", (B, M, n_q, w², d').
std::string at_keys(const Array& array, const ShiftedWindows& windows) {
  return fmt::format("{}[:, :, {}]", array.id, in_code("window_pixels", windows));
}

}  // namespace

std::string across_cut_in_words(const ShiftedWindows& windows, Index query, Index place) {
  const Grid grid{1, windows.rows, windows.columns};
  const Index asks = windows.pixel(query), asked = windows.pixel_at(asks, place);
  return fmt::format("pixel {} lies across the cut from pixel {}", place_of(grid, asked), place_of(grid, asks));
}

Operation window_indices(const ShiftedWindows& windows, std::vector<Axis> sides) {
  return {
      .axes = std::move(sides),
      .run =
          [windows](Compute&, float* to) {
            for (Index pixel = 0; pixel < windows.rows * windows.columns; ++pixel)
              to[pixel] = static_cast<float>(windows.window(pixel));
          },
      .explain =
          [windows](Index pixel) {
            return Explanation{
                .terms = {{{Operand::constant(static_cast<double>(windows.window(pixel)),
                                              fmt::format("row {}, column {} of the rolled picture",
                                                          windows.rolled_row(pixel), windows.rolled_column(pixel)))}}}};
          },
      .code = {fmt::format("window_numbers({}, {}, {}, {}).astype(float)", windows.rows, windows.columns, windows.side,
                           windows.shift),
               fmt::format("window_numbers({}, {}, {}, {}).double()", windows.rows, windows.columns, windows.side,
                           windows.shift)},
      .formula = {.right = fmt::format("\\lfloor i' / {0} \\rfloor \\cdot {1} + \\lfloor j' / {0} \\rfloor",
                                       windows.side, windows.columns / windows.side),
                  .aside = fmt::format(
                      "\\qquad i' = (i - {0}) \\operatorname{{mod}} {1}, \\; j' = (j - {0}) \\operatorname{{mod}} {2}",
                      windows.shift, windows.rows, windows.columns)},
      .operations = 1,
      .role = Role::position};
}

Operation offset_indices(const ShiftedWindows& windows, std::vector<Axis> places) {
  const Index side = windows.side, keys = windows.keys();
  const auto row_of = [windows](Index pair) { return windows.row_of_table(pair); };
  return {
      .axes = std::move(places),
      .run =
          [row_of, keys](Compute&, float* to) {
            for (Index pair = 0; pair < keys * keys; ++pair) to[pair] = static_cast<float>(row_of(pair));
          },
      .explain =
          [row_of, keys, side](Index pair) {
            const Index asks = pair / keys, asked = pair % keys;
            return Explanation{
                .terms = {{{Operand::constant(static_cast<double>(row_of(pair)),
                                              fmt::format("{} rows and {} columns apart", asks / side - asked / side,
                                                          asks % side - asked % side))}}}};
          },
      .code = {fmt::format("window_offsets({}).astype(float)", side), fmt::format("window_offsets({}).double()", side)},
      .formula = {.right = fmt::format("(\\Delta_r + {0})({1}) + \\Delta_c + {0}", side - 1, 2 * side - 1),
                  .aside = "\\qquad \\Delta = \\text{query} - \\text{key}"},
      .operations = 1,
      .role = Role::position};
}

Operation offset_bias(const Array& table, const Array& index, const ShiftedWindows& windows) {
  const Index heads = table.dim(1), pairs = windows.keys() * windows.keys();
  const auto code_in = [&](const char* moved) {
    return fmt::format("{}[window_offsets({})].{}[None]", table.id, windows.side, moved);
  };
  return {
      .axes = {Axis{.symbol = "1", .name = "batch", .size = 1}, table.axis_at(1), index.axis_at(0), index.axis_at(1)},
      .run =
          [table = table.values, windows, heads, pairs](Compute&, float* to) {
            for (Index cell = 0; cell < heads * pairs; ++cell)
              to[cell] = (*table)[windows.row_of_table(cell % pairs) * heads + cell / pairs];
          },
      .explain =
          [table = table.id, windows, heads, pairs](Index cell) {
            const Index row = windows.row_of_table(cell % pairs);
            return Explanation{.terms = {{{Operand::of(table, row * heads + cell / pairs)}}},
                               .reason = fmt::format("row {} of the table", row)};
          },
      .code = {code_in("transpose(2, 0, 1)"), code_in("permute(2, 0, 1)")},
      .formula = {notation::mark(table.id, fmt::format("{}_{{{}}}", table.symbol, index.symbol))},
      .operations = 1,
      .kind = Kind::score,
      .role = Role::position};
}

Operation dot_products_in_windows(const Array& q, const Array& k, const ShiftedWindows& windows, const Axis& keys) {
  const Index d = q.dim(3), queries = q.dim(2), pixels = k.dim(2), count = windows.keys();
  const auto key_row = [=](Index row, Index place) {
    return row / queries * pixels + windows.pixel_at(windows.pixel(row % queries), place);
  };
  const auto code_in = [&](const char* library) {
    return fmt::format(R"({}.einsum("bmie,bmije->bmij", {}, {}))", library, q.id, at_keys(k, windows));
  };
  return {.axes = {q.axis_at(0), q.axis_at(1), q.axis_at(2), keys},
          .run =
              [q = q.values, k = k.values, key_row, d, count](Compute& compute, float* to) {
                compute.parallel_each(q->size() / d * count, cut_piece, [&](Index cell) {
                  const float* a = q->data() + cell / count * d;
                  const float* b = k->data() + key_row(cell / count, cell % count) * d;
                  double sum = 0;
                  for (Index c = 0; c < d; ++c) sum += static_cast<double>(a[c]) * b[c];
                  to[cell] = static_cast<float>(sum);
                });
              },
          .explain =
              [q = q.id, k = k.id, key_row, d, count](Index cell) {
                const Index row = cell / count;
                return Explanation{.terms = product_terms(d, {q, row * d}, {k, key_row(row, cell % count) * d})};
              },
          .code = {code_in("np"), code_in("torch")},
          .formula = {fmt::format("{} \\cdot {}", written(q), written(k))},
          .operations = linear_operations(d, false),
          .kind = Kind::score,
          .role = Role::score};
}

Operation scaled_plus_bias_in_windows(const Array& scores, const Array& bias, const ShiftedWindows& windows,
                                      const Factor& factor) {
  const Index keys = windows.keys(), queries = scores.dim(2), heads = scores.dim(1);
  const auto cell_of_bias = [=](Index cell) {
    const Index row = cell / keys, place = windows.place(windows.pixel(row % queries));
    return (row / queries % heads * keys + place) * keys + cell % keys;
  };
  return {.axes = scores.axes,
          .run =
              [s = scores.values, bias = bias.values, cell_of_bias, by = static_cast<float>(factor.value)](
                  Compute& compute, float* to) {
                compute.parallel_each(s->size(), cut_piece,
                                      [&](Index cell) { to[cell] = (*s)[cell] * by + (*bias)[cell_of_bias(cell)]; });
              },
          .explain =
              [s = scores.id, bias = bias.id, cell_of_bias, factor](Index cell) {
                return Explanation{.terms = {{{Operand::constant(factor.value, factor.label), Operand::of(s, cell)}},
                                             {{Operand::of(bias, cell_of_bias(cell))}}}};
              },
          .code = both(fmt::format("{} {} + {}[:, :, {}]", scores.id, factor.in_code, bias.id,
                                   in_code("window_places", windows))),
          .formula = {factor.left + written(scores) + factor.right + " + " + written(bias)},
          .operations = 2,
          .kind = Kind::score,
          .role = Role::score};
}

Operation mask_across_cut(const Array& scores, const ShiftedWindows& windows) {
  const Index keys = windows.keys(), queries = scores.dim(2);
  const auto is_across = [=](Index cell) { return windows.is_across_cut(cell / keys % queries, cell % keys); };
  const std::string cut = in_code("across_cut", windows);
  return {
      .axes = scores.axes,
      .run =
          [s = scores.values, is_across](Compute& compute, float* to) {
            compute.parallel_each(s->size(), cut_piece,
                                  [&](Index cell) { to[cell] = is_across(cell) ? masked_score : (*s)[cell]; });
          },
      .explain =
          [s = scores.id, is_across, windows, keys, queries](Index cell) {
            Explanation e;
            e.terms = {{{Operand::of(s, cell)}}};
            if (!is_across(cell)) return e;
            e.terms = {{{Operand::constant(masked_score, "across the cut")}}};
            e.reason = "masked: " + across_cut_in_words(windows, cell / keys % queries, cell % keys);
            return e;
          },
      .code = {fmt::format("np.where({}, -np.inf, {})", cut, scores.id),
               fmt::format(R"({}.masked_fill({}, float("-inf")))", scores.id, cut)},
      .formula = {fmt::format("\\begin{{cases}} {} & \\text{{on one side of the cut}} \\\\ -\\infty & \\text{{across "
                              "it}} \\end{{cases}}",
                              written(scores))},
      .operations = 1,
      .kind = Kind::score,
      .role = Role::score,
      .minus_infinity_masks = true};
}

Operation softmax_in_windows(const Array& scores, const ShiftedWindows& windows) {
  Operation op = softmax(scores);
  op.backward = {};
  op.explain = [windows, softmax = std::move(op.explain), keys = windows.keys(), queries = scores.dim(2)](Index cell) {
    Explanation e = softmax(cell);
    const Index query = cell / keys % queries, place = cell % keys;
    if (windows.is_across_cut(query, place)) e.reason = "masked: " + across_cut_in_words(windows, query, place);
    return e;
  };
  return op;
}

Operation weighted_sum_in_windows(const Array& a, const Array& v, const ShiftedWindows& windows) {
  const Index d = v.dim(3), queries = a.dim(2), pixels = v.dim(2), keys = windows.keys();
  const auto value_row = [=](Index row, Index place) {
    return row / queries * pixels + windows.pixel_at(windows.pixel(row % queries), place);
  };
  const auto code_in = [&](const char* library) {
    return fmt::format(R"({}.einsum("bmij,bmije->bmie", {}, {}))", library, a.id, at_keys(v, windows));
  };
  return {
      .axes = {a.axis_at(0), a.axis_at(1), a.axis_at(2), v.axis_at(3)},
      .run =
          [a = a.values, v = v.values, value_row, d, keys](Compute& compute, float* to) {
            compute.parallel(a->size() / keys, 16, [&](Index begin, Index end) {
              std::vector<double> sum(static_cast<std::size_t>(d));
              for (Index row = begin; row < end; ++row) {
                std::ranges::fill(sum, 0.0);
                for (Index key = 0; key < keys; ++key) {
                  const double weight = (*a)[row * keys + key];
                  const float* value = v->data() + value_row(row, key) * d;
                  for (Index c = 0; c < d; ++c) sum[static_cast<std::size_t>(c)] += weight * value[c];
                }
                for (Index c = 0; c < d; ++c) to[row * d + c] = static_cast<float>(sum[static_cast<std::size_t>(c)]);
              }
            });
          },
      .explain =
          [a = a.id, v = v.id, value_row, d, keys](Index cell) {
            const Index row = cell / d;
            return Explanation{
                .terms = terms_of(keys, [&](Index key) {
                  return Term{{Operand::of(a, row * keys + key), Operand::of(v, value_row(row, key) * d + cell % d)}};
                })};
          },
      .code = {code_in("np"), code_in("torch")},
      .formula = {fmt::format("\\sum_{{{}}} {}\\,{}", notation::over_keys(a), written(a), written(v))},
      .operations = linear_operations(keys, false),
      .role = Role::output};
}

}  // namespace headlight::ops
