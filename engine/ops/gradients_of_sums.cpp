// Gradients of what was read in many places, as biases are: sums of what reaches each of them.
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "engine/ops/backward.h"
#include "engine/ops/ops.h"
#include "engine/ops/summed_axes.h"

namespace headlight::ops {

namespace {

using notation::written;

// g, read under a shape of the same size, summed over the axes that are not `kept`.
Operation sum_over_axes(const Array& g, std::vector<Axis> axes, const Shape& shape, const std::vector<bool>& kept,
                        Code code) {
  const SummedAxes sums(shape, kept);
  return {.axes = std::move(axes),
          .run = [g = g.values, sums](Compute& compute, float* to) { sums.run(compute, g->data(), to); },
          .explain =
              [g = g.id, sums](Index number) {
                Explanation e;
                for (const Index cell : sums.cells(number)) e.terms.push_back({{Operand::of(g, cell)}});
                return e;
              },
          .code = std::move(code),
          .formula = {fmt::format("\\sum {}", written(g))},
          .operations = static_cast<double>(g.size()) / static_cast<double>(sums.size())};
}

// The line that sums `what` over these axes, which stay with an extent of 1 where they are asked to.
Code sum_in_code(const std::string& what, const std::vector<std::size_t>& axes, bool stay = false) {
  if (axes.empty()) return both(what);
  const std::string list = fmt::format("({},)", fmt::join(axes, ", "));
  return {fmt::format("{}.sum(axis={}{})", what, list, stay ? ", keepdims=True" : ""),
          fmt::format("{}.sum(dim={}{})", what, list, stay ? ", keepdim=True" : "")};
}

}  // namespace

Operation sum_to_size(const Array& g, const Array& like) {
  const Shape from = g.shape(), to = like.shape();
  const std::size_t more = from.size() - to.size();
  std::vector<bool> kept(from.size());
  std::vector<std::size_t> leading, ones;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    kept[axis] = axis >= more && to[axis - more] == from[axis];
    if (axis < more) leading.push_back(axis);
    if (axis >= more && !kept[axis]) ones.push_back(axis);
  }
  const Code with_ones = sum_in_code(g.id, ones, true);
  return sum_over_axes(g, like.axes, from, kept,
                       {sum_in_code(with_ones.numpy, leading).numpy, sum_in_code(with_ones.torch, leading).torch});
}

Operation sum_by_head(const Array& g, const Array& like) {
  const std::string one = like.axes.size() == 1 ? "[0]" : "";
  Operation op =
      sum_over_axes(g, like.axes, g.shape(), {false, true, false, true},
                    {fmt::format("{}.sum(axis=(0, 2)){}", g.id, one), fmt::format("{}.sum(dim=(0, 2)){}", g.id, one)});
  op.formula = {fmt::format("\\sum_{{{}}} {}", g.axis_at(2).index, written(g))};
  return op;
}

Operation sum_to_heads(const Array& g, const Array& like) {
  if (g.shape() == like.shape()) return pass_through(g, like);
  const Index each = g.dim(1) / like.dim(1);
  const bool whole_batch = like.dim(0) == g.dim(0);
  const Shape shape{g.dim(0), like.dim(1), each, g.dim(2), g.dim(3)};
  Code code = both(g.id);
  if (each > 1) code = sum_in_code(fmt::format("{}.reshape{}", g.id, to_string(shape)), {2});
  if (!whole_batch) code = {sum_in_code(code.numpy, {0}, true).numpy, sum_in_code(code.torch, {0}, true).torch};
  return sum_over_axes(g, like.axes, shape, {whole_batch, true, false, true, true}, std::move(code));
}

namespace {

// Where the maps of g (B, S, n_q, n_k) stand beside those of x, and which head each is of.
struct MapsOfHeads {
  MapsOfHeads(const Array& g, const Array& x, Index of_heads)
      : planes(g, x), maps(g.dim(1)), batches(g.dim(0)), each(maps / of_heads), pairs(g.dim(2) * g.dim(3)) {}
  // Maps of a head in all batches, and the number-th of them.
  Index count() const { return batches * each; }
  Index map(Index head, Index number) const { return number / each * maps + head * each + number % each; }
  PlanesOfHeads planes;
  Index maps, batches, each, pairs;
};

Code code_of(const Array& g, const Array& x, Index heads) {
  const Code repeated = heads_repeated(x, g.dim(1) / x.dim(1));
  const std::string shape = to_string(Shape{g.dim(0), heads, g.dim(1) / heads, g.dim(2), g.dim(3)});
  const auto code_in = [&](const std::string& other, const char* axes) {
    return fmt::format("({} * {}).reshape{}.sum({}=(0, 2, 3, 4))", g.id, other, shape, axes);
  };
  return {code_in(repeated.numpy, "axis"), code_in(repeated.torch, "dim")};
}

}  // namespace

Operation products_by_map(const Array& g, const Array& x, const Array& like) {
  const Index heads = like.size();
  const MapsOfHeads of(g, x, heads);
  return {.axes = like.axes,
          .run =
              [=, g = g.values, x = x.values](Compute& compute, float* to) {
                std::vector<float> sums(static_cast<std::size_t>(heads * of.count()));
                compute.parallel_each(heads * of.count(), 1, [&](Index i) {
                  const Index map = of.map(i / of.count(), i % of.count());
                  const float *a = g->data() + map * of.pairs, *b = x->data() + of.planes.plane(map) * of.pairs;
                  double sum = 0;
                  for (Index pair = 0; pair < of.pairs; ++pair) sum += static_cast<double>(a[pair]) * b[pair];
                  sums[static_cast<std::size_t>(i)] = static_cast<float>(sum);
                });
                SummedAxes({heads, of.count()}, {true, false}).run(compute, sums.data(), to);
              },
          .explain =
              [=, g = g.id, x = x.id](Index head) {
                return Explanation{.terms = terms_of(of.count() * of.pairs, [&](Index term) {
                                     const Index map = of.map(head, term / of.pairs), pair = term % of.pairs;
                                     return Term{{Operand::of(g, map * of.pairs + pair),
                                                  Operand::of(x, of.planes.plane(map) * of.pairs + pair)}};
                                   })};
              },
          .code = code_of(g, x, heads),
          .formula = {fmt::format("\\sum {}\\,{}", written(g), written(x))},
          .operations = linear_operations(of.count() * of.pairs, false)};
}

Operation sum_over(const Array& g, const Shape& shape, std::size_t axis, std::vector<Axis> axes) {
  std::vector<bool> kept(shape.size(), true);
  kept[axis] = false;
  const std::string read = shape == g.shape() ? g.id : fmt::format("{}.reshape{}", g.id, to_string(shape));
  return sum_over_axes(g, std::move(axes), shape, kept, sum_in_code(read, {axis}));
}

}  // namespace headlight::ops
