#include <string>

#include "engine/base/words.h"
#include "engine/math/math.h"
#include "engine/math/relative.h"
#include "engine/ops/picture_gradients.h"

namespace headlight::ops {

Operation staircase(const Array& table, std::vector<Axis> axes) {
  const Index n = axes[0].size, width = axes[2].size, middle = table.dim(0) / 2;
  const auto code_in = [&](const char* library) {
    return fmt::format("{0}[{1}.arange({2}) - {1}.arange({2})[:, None] + {3}]", table.id, library, n, middle);
  };
  return {.axes = std::move(axes),
          .run = [table = table.values, n, width, middle](
                     Compute& compute,
                     float* to) { math::gather_offsets(compute, table->data(), middle + 1, width, n, to); },
          .explain =
              [table = table.id, n, width, middle](Index cell) {
                const Index c = cell % width, to = cell / width % n, from = cell / (width * n);
                const Index entry = to - from + middle;
                return Explanation{.terms = {{{Operand::of(table, entry * width + c)}}},
                                   .reason = fmt::format("offset {} − {} = {}: entry {}", to, from,
                                                         with_minus_signs(std::to_string(to - from)), entry)};
              },
          .code = {code_in("np"), code_in("torch")},
          .formula = {notation::written(table)},
          .operations = 1,
          .kind = Kind::weight,
          .role = Role::position,
          .backward = [table = table.id](
                          BackwardPass& pass) { pass.add(table, sum_diagonals(pass.gradient(), pass.array(table))); }};
}

namespace {

// What offset_scores() reads for a pair: the entries of rows and columns.
struct PlaneReader {
  Index rows, columns, extent, middle, first, queries, keys;

  Index of_row(Index query, Index key) const {
    if (extent > 0) return middle + key / extent - (extent - 1) / 2;
    return (first + query % queries) / columns * rows + key / columns;
  }
  Index of_column(Index query, Index key) const {
    if (extent > 0) return middle + key % extent - (extent - 1) / 2;
    return (first + query % queries) % columns * columns + key % columns;
  }
};

// Every row offset and every column offset meets its half of q once; a pair is a sum of the two.
Code code_of(const Array& q, const Offsets& offsets, const Factor& factor, const Shape& out) {
  const Index half = q.dim(3) / 2, reach = (offsets.extent - 1) / 2, middle = offsets.row_table.dim(0) / 2;
  const std::string then = factor.in_code.empty() ? std::string() : " " + factor.in_code;
  const std::string summed =
      fmt::format("{{to}} = (by_row[..., None] + by_column[..., None, :]).reshape{}{}", to_string(out), then);
  const auto& only = q.axis_at(2).only;
  const auto of_query = [&](Index place) { return only ? fmt::format("[[{}]]", place) : std::string(); };
  const auto code_in = [&](const char* library) {
    if (offsets.extent > 0)
      return fmt::format(
          "by_row = {0}.einsum(\"bmnc,kc->bmnk\", {1}[..., :{2}], {3}[{5}:{6}])\n"
          "by_column = {0}.einsum(\"bmnc,kc->bmnk\", {1}[..., {2}:], {4}[{5}:{6}])\n{7}",
          library, q.id, half, offsets.rows.id, offsets.columns.id, middle - reach, middle + reach + 1, summed);
    return fmt::format(
        "on_grid = {}.reshape({}, {}, {}, {}, {})\n"
        "by_row = {}.einsum(\"bmijc,ikc->bmijk\", on_grid[..., :{}], {}{})\n"
        "by_column = {}.einsum(\"bmijc,jlc->bmijl\", on_grid[..., {}:], {}{})\n{}",
        q.id, out[0], out[1], only ? 1 : offsets.picture_rows, only ? 1 : offsets.picture_columns, 2 * half, library,
        half, offsets.rows.id, of_query(only.value_or(0) / offsets.picture_columns), library, half, offsets.columns.id,
        of_query(only.value_or(0) % offsets.picture_columns), summed);
  };
  return {code_in("np"), code_in("torch")};
}

// Pair by pair from the staircases as they are: those that were edited are no longer what the tables make of them.
void scores_of_staircases(Compute& compute, const Tensor& q, const Tensor& rows, const Tensor& columns,
                          const PlaneReader& reader, float factor, float* to) {
  const Index width = q.dim(3), half = width / 2;
  const auto product = [half](const float* asked, const float* entry) {
    float sum = 0;
    for (Index c = 0; c < half; ++c) sum += asked[c] * entry[c];
    return sum;
  };
  compute.parallel_each(q.size() / width, 16, [&](Index query) {
    for (Index key = 0; key < reader.keys; ++key) {
      const float* asked = q.data() + query * width;
      to[query * reader.keys + key] = (product(asked, rows.data() + reader.of_row(query, key) * half) +
                                       product(asked + half, columns.data() + reader.of_column(query, key) * half)) *
                                      factor;
    }
  });
}

// ∂L/∂ scores, summed over the columns of keys or over their rows: (B, M, n_q, H), and (B, M, n_q, W).
Array summed_over_keys(BackwardPass& pass, const Offsets& offsets, bool columns) {
  const Array& g = pass.gradient();
  const Shape shape{g.dim(0), g.dim(1), g.dim(2), offsets.picture_rows, offsets.picture_columns};
  const Axis& kept = (columns ? offsets.rows : offsets.columns).axis_at(1);
  const char* what = columns ? "columns" : "rows";
  return pass.helper(fmt::format("over_{}", what), fmt::format("∂ summed over {}", what),
                     fmt::format("\\partial L/\\partial s^{{\\mathrm{{{}}}}}", columns ? "row" : "col"),
                     fmt::format("All keys of one {0} read the same {0} vector: what reaches them is summed first.",
                                 columns ? "row" : "column"),
                     sum_over(g, shape, columns ? 4 : 3, {g.axis_at(0), g.axis_at(1), g.axis_at(2), kept}));
}

// Of scores by the staircases of a whole picture.
Backward backward_of_picture(const Array& asking, const Offsets& offsets, const Factor& factor) {
  return [q = asking.id, rows = offsets.rows.id, columns = offsets.columns.id, height = offsets.picture_rows,
          width = offsets.picture_columns, factor](BackwardPass& pass) {
    const Array& read = pass.array(q);
    const Offsets by{pass.array(rows), pass.array(columns), {}, {}, height, width, 0};
    const Array of_rows = summed_over_keys(pass, by, true), of_columns = summed_over_keys(pass, by, false);
    pass.add(q, offset_queries_back(of_rows, of_columns, by, factor, read));
    pass.add(rows, staircase_back(of_rows, read, true, by, factor, by.rows));
    pass.add(columns, staircase_back(of_columns, read, false, by, factor, by.columns));
  };
}

}  // namespace

Operation offset_scores(const Array& q, const Offsets& offsets, const Factor& factor, const Axis& keys) {
  std::vector<Axis> axes{q.axis_at(0), q.axis_at(1), q.axis_at(2), keys};
  const Shape out = shape_of(axes);
  const Index width = q.dim(3), half = width / 2, middle = offsets.row_table.dim(0) / 2;
  const Index first = q.axis_at(2).only.value_or(0);
  const PlaneReader reader{
      offsets.picture_rows, offsets.picture_columns, offsets.extent, middle, first, out[2], out[3]};
  const math::PictureQueries queries{offsets.picture_rows, offsets.picture_columns, first, out[2]};
  const bool edited = offsets.extent == 0 && (offsets.rows.edited || offsets.columns.edited);
  Operation op{
      .axes = std::move(axes),
      .run =
          [q = q.values, rows = offsets.row_table.values, columns = offsets.column_table.values, queries, out, middle,
           half, extent = offsets.extent, factor = factor.value](Compute& compute, float* to) {
            const math::OffsetTables tables{rows->data(), columns->data(), middle + 1, half};
            math::offset_scores(compute, q->data(), out[0] * out[1], queries, extent, tables,
                                static_cast<float>(factor), to);
          },
      .explain =
          [q = q.id, rows = offsets.rows.id, columns = offsets.columns.id, reader, factor, width, half](Index cell) {
            const Index key = cell % reader.keys, query = cell / reader.keys;
            const Index of_row = reader.of_row(query, key), of_column = reader.of_column(query, key);
            Explanation e;
            e.scale = factor.value;
            e.scale_label = factor.label;
            e.root_of = factor.root_of;
            for (Index c = 0; c < half; ++c)
              e.terms.push_back({{Operand::of(q, query * width + c), Operand::of(rows, of_row * half + c)}});
            for (Index c = 0; c < half; ++c)
              e.terms.push_back(
                  {{Operand::of(q, query * width + half + c), Operand::of(columns, of_column * half + c)}});
            return e;
          },
      .code = code_of(q, offsets, factor, out),
      .formula = {fmt::format("{}{} \\cdot \\bigl[\\, {} \\,;\\, {} \\,\\bigr]", factor.left, notation::written(q),
                              notation::written(offsets.rows), notation::written(offsets.columns))},
      .operations = linear_operations(width, false),
      .kind = Kind::score,
      .role = Role::score};
  if (offsets.extent == 0 && !edited) op.backward = backward_of_picture(q, offsets, factor);
  if (edited)
    op.run = [q = q.values, rows = offsets.rows.values, columns = offsets.columns.values, reader,
              factor = static_cast<float>(factor.value)](Compute& compute, float* to) {
      scores_of_staircases(compute, *q, *rows, *columns, reader, factor, to);
    };
  return op;
}

Operation sum_of_two_scaled(const Array& a, double by_a, const char* index_a, const Array& b, double by_b,
                            const char* index_b) {
  Operation op = sum(a, b);
  op.backward = [=, a = a.id, b = b.id](BackwardPass& pass) {
    const auto times = [&pass](double by, const char* letter) {
      return scaled(pass.gradient(), {.value = by,
                                      .label = fmt::format("λ{}", letter),
                                      .in_code = fmt::format("* {}", by),
                                      .left = fmt::format("\\lambda_{}\\,", letter)});
    };
    pass.add(a, times(by_a, index_a));
    pass.add(b, times(by_b, index_b));
  };
  op.run = [a = a.values, b = b.values, by_a = static_cast<float>(by_a), by_b = static_cast<float>(by_b)](
               Compute& compute, float* to) {
    math::linear_combination(compute, a->data(), by_a, b->data(), by_b, a->size(), to);
  };
  op.explain = [=, a = a.id, b = b.id](Index cell) {
    return Explanation{.terms = {{{Operand::constant(by_a, fmt::format("λ{}", index_a)), Operand::of(a, cell)}},
                                 {{Operand::constant(by_b, fmt::format("λ{}", index_b)), Operand::of(b, cell)}}}};
  };
  op.code = both(fmt::format("{} * {} + {} * {}", by_a, a.id, by_b, b.id));
  op.formula = {
      fmt::format("\\lambda_{}\\,{} + \\lambda_{}\\,{}", index_a, notation::written(a), index_b, notation::written(b))};
  return op;
}

}  // namespace headlight::ops
