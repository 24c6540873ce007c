#include "engine/math/math.h"
#include "engine/ops/ops.h"

#include <algorithm>

namespace headlight::ops {

namespace {

// The cell of heads (B, M, n, d') that cell (b, i, m·d' + c) of the result comes from.
Index source_cell(const Shape& heads, Index cell) {
  const Index width = heads[1] * heads[3], channel = cell % width, i = cell / width % heads[2],
              b = cell / (width * heads[2]);
  return ((b * heads[1] + channel / heads[3]) * heads[2] + i) * heads[3] + channel % heads[3];
}

// "head 1, query 2, channel 3".
std::string place_in(const Shape& heads, Index flat) {
  const auto at = index_at_flat(heads, flat);  // b, m, i, c
  return fmt::format("head {}, query {}, channel {}", at[1], at[2], at[3]);
}

}  // namespace

Operation concatenation(const Array& heads, const Axis& channels) {
  const Shape shape = heads.shape();
  return {
      .axes = {heads.axis_at(0), heads.axis_at(2), channels},
      .run = [h = heads.values, shape](
                 Compute& compute,
                 float* to) { math::concat_heads(compute, h->data(), shape[0], shape[1], shape[2], shape[3], to); },
      .explain = [heads = heads.id, shape](
                     Index cell) { return Explanation{.terms = {{{Operand::of(heads, source_cell(shape, cell))}}}}; },
      .code = {fmt::format("np.concatenate(np.moveaxis({}, 1, 0), axis=-1)", heads.id),
               fmt::format("torch.cat({}.unbind(1), dim=-1)", heads.id)},
      .formula = {fmt::format("\\bigl[\\, {} \\,;\\, {} \\,;\\, \\dots \\,;\\, {} \\,\\bigr]",
                              notation::raised(heads, "1"), notation::raised(heads, "2"),
                              notation::raised(heads, "M"))},
      .operations = 1,
      .role = Role::output,
      .backward =
          [heads = heads.id](BackwardPass& pass) { pass.add(heads, split_heads(pass.gradient(), pass.array(heads))); }};
}

Operation merged_without_transpose(const Array& heads, const Axis& channels) {
  const Shape shape = heads.shape();
  Operation op = concatenation(heads, channels);
  op.run = [h = heads.values](Compute&, float* to) { std::copy_n(h->data(), h->size(), to); };
  op.backward = [heads = heads.id](BackwardPass& pass) {
    pass.add(heads, pass_through(pass.gradient(), pass.array(heads)));
  };
  op.explain = [heads = heads.id, shape](Index cell) {
    const Index should_be = source_cell(shape, cell);
    Explanation e;
    e.terms = {{{Operand::of(heads, cell)}}};
    if (should_be != cell)
      e.reason = fmt::format("merged without a transpose: read from {} instead of {}", place_in(shape, cell),
                             place_in(shape, should_be));
    return e;
  };
  op.code = both(fmt::format("{}.reshape{}", heads.id, to_string(shape_of(op.axes))));
  op.formula = {
      .right = fmt::format("\\operatorname{{reshape}}\\bigl({}\\bigr) \\colon \\; M \\times n \\times d' \\to n "
                           "\\times M d'",
                           notation::mark(heads.id, heads.symbol)),
      .all_at_once = true};
  if (shape[1] > 1 && shape[2] > 1)
    op.warning = "heads are merged without a transpose: rows hold outputs of other queries";
  return op;
}

}  // namespace headlight::ops
