#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/math/math.h"
#include "engine/ops/picture_ops.h"

namespace headlight::ops {

namespace {

// The positions that key j is pooled from.
std::vector<Index> pooled_positions(const Pooling& pooling, Index j) {
  const Grid& cell = pooling.cell;
  const Index rows = pooling.grid.rows / cell.rows, columns = pooling.grid.columns / cell.columns;
  const Index frame = j / (rows * columns);
  const Index top = j / columns % rows * cell.rows, left = j % columns * cell.columns;
  std::vector<Index> positions;
  for (Index h = top; h < top + cell.rows; ++h)
    for (Index w = left; w < left + cell.columns; ++w)
      positions.push_back((frame * pooling.grid.rows + h) * pooling.grid.columns + w);
  return positions;
}

// `numpy` and `torch` are what is pooled, channels first, (B, width, …).
Code code_of(const Pooling& pooling, const std::string& numpy, const std::string& torch) {
  std::vector<Index> cell{pooling.cell.frames, pooling.cell.rows, pooling.cell.columns};
  cell.erase(cell.begin(), cell.end() - pooling.dimension);
  const std::string of_cell =
      pooling.dimension == 1 ? fmt::format("({},)", cell[0]) : fmt::format("({})", fmt::join(cell, ", "));
  return {fmt::format("pooled = max_pool({}, {})\n{{to}} = pooled.reshape(*pooled.shape[:2], -1).swapaxes(1, 2)[:, "
                      "None]",
                      numpy, of_cell),
          fmt::format("pooled = F.max_pool{}d({}, {})\n{{to}} = pooled.flatten(2).transpose(1, 2)[:, None]",
                      pooling.dimension, torch, of_cell)};
}

// Of an array whose symbol stands at position p: "\hl{phi}{\phi'_{p c}}".
LatexFormula formula_of(Array from, const Axis& positions) {
  Axis at{.symbol = "N", .name = "position", .size = 1};
  at.index = "p";
  from.axes = {at};
  return {.right = fmt::format("\\max_{{p \\in P({})}} {}", positions.index, notation::channel(from)),
          .by_channel = true};
}

double count(const Grid& cell) {
  return static_cast<double>(cell.frames * cell.rows * cell.columns);
}

}  // namespace

Operation max_pool(const Array& from, const Pooling& pooling, const Axis& positions) {
  const Index batches = from.dim(0), n = from.dim(2), width = from.dim(3);
  std::vector<Index> sides{pooling.grid.frames, pooling.grid.rows, pooling.grid.columns};
  sides.erase(sides.begin(), sides.end() - pooling.dimension);
  const std::string picture = fmt::format("reshape({}, {}, {})", batches, width, fmt::join(sides, ", "));
  return {.axes = {from.axis_at(0), from.axis_at(1), positions, from.axis_at(3)},
          .run =
              [from = from.values, pooling, batches, width](Compute& compute, float* to) {
                math::max_pool(compute, from->data(), batches, pooling.grid, pooling.cell, width, to);
              },
          .explain =
              [from = from.id, pooling, n, width, keys = positions.size](Index cell) {
                const Index c = cell % width, j = cell / width % keys, b = cell / (width * keys);
                Explanation e;
                e.combine = Combine::maximum;
                for (const Index i : pooled_positions(pooling, j))
                  e.terms.push_back({{Operand::of(from, (b * n + i) * width + c)}});
                return e;
              },
          .code = code_of(pooling, fmt::format("{}[:, 0].swapaxes(1, 2).{}", from.id, picture),
                          fmt::format("{}[:, 0].transpose(1, 2).{}", from.id, picture)),
          .formula = formula_of(from, positions),
          .operations = count(pooling.cell),
          .role = from.role};
}

Operation max_pool(const Positions& from, const Pooling& pooling, const Axis& positions) {
  const Index width = from.channels();
  Operation op = positions_first(from, positions);
  op.backward = {};
  op.run = [from, pooling, width](Compute& compute, float* to) {
    const auto rows = from.rows(compute);
    math::max_pool(compute, rows->data(), rows->dim(0), pooling.grid, pooling.cell, width, to);
  };
  op.explain = [from = from.cells(), pooling, width, keys = positions.size](Index cell) {
    const Index c = cell % width, j = cell / width % keys, b = cell / (width * keys);
    Explanation e;
    e.combine = Combine::maximum;
    for (const Index i : pooled_positions(pooling, j)) e.terms.push_back({{Operand::of(from.x, from.at(b, c, i))}});
    return e;
  };
  op.code = code_of(pooling, from.x().id, from.x().id);
  op.formula = formula_of(from.x(), positions);
  op.operations = count(pooling.cell);
  return op;
}

}  // namespace headlight::ops
