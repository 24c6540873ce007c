#include <algorithm>

#include "engine/ops/loss_ops.h"

namespace headlight::ops {

namespace {

Index row_at(const Tensor& at, Index place) {
  return static_cast<Index>(at[place]);
}

// g (B, n, d), each row added to the row of the table that it came from → (V, d).
Operation added_to_rows(const Array& g, const Array& at, const Array& table) {
  const Index width = table.dim(1);
  const auto code_in = [&](const char* library, const char* whole, const char* add) {
    return fmt::format("{{to}} = {0}.zeros_like({1})\n{2}", library, table.id,
                       fmt::format(fmt::runtime(add), at.id, whole, width, g.id));
  };
  return {.axes = table.axes,
          .run =
              [g = g.values, at = at.values, width, cells = table.size()](Compute&, float* to) {
                std::fill_n(to, cells, 0.0F);
                for (Index place = 0; place < at->size(); ++place) {
                  float* row = to + row_at(*at, place) * width;
                  for (Index c = 0; c < width; ++c) row[c] += g->data()[place * width + c];
                }
              },
          .explain =
              [g = g.id, at = at.values, width](Index cell) {
                Explanation e;
                for (Index place = 0; place < at->size(); ++place)
                  if (row_at(*at, place) == cell / width)
                    e.terms.push_back({{Operand::of(g, place * width + cell % width)}});
                if (e.terms.empty()) e.terms.push_back({{Operand::constant(0, "nobody read this row")}});
                return e;
              },
          .code = {code_in("np", ".astype(int)", "np.add.at({{to}}, {0}{1}.reshape(-1), {3}.reshape(-1, {2}))"),
                   code_in("torch", ".long()", "{{to}}.index_add_(0, {0}{1}.reshape(-1), {3}.reshape(-1, {2}))")},
          .formula = {fmt::format("\\sum {}", notation::written(g))},
          .operations = static_cast<double>(g.size()) / static_cast<double>(table.size())};
}

}  // namespace

Operation lookup_rows(const Array& table, const Array& at) {
  std::vector<Axis> axes = at.axes;
  axes.push_back(table.axis_at(1));
  const Index width = table.dim(1);
  return {.axes = std::move(axes),
          .run =
              [table = table.values, at = at.values, width](Compute&, float* to) {
                for (Index place = 0; place < at->size(); ++place)
                  std::copy_n(table->data() + row_at(*at, place) * width, width, to + place * width);
              },
          .explain =
              [table = table.id, at = at.values, width](Index cell) {
                const Index row = row_at(*at, cell / width);
                return Explanation{.terms = {{{Operand::of(table, row * width + cell % width)}}},
                                   .reason = fmt::format("row {} of the table", row)};
              },
          .code = {fmt::format("{}[{}.astype(int)]", table.id, at.id), fmt::format("{}[{}.long()]", table.id, at.id)},
          .formula = {notation::written(table)},
          .operations = 1,
          .backward =
              [table = table.id, at = at.id](BackwardPass& pass) {
                pass.add(table, added_to_rows(pass.gradient(), pass.array(at), pass.array(table)));
              }};
}

}  // namespace headlight::ops
