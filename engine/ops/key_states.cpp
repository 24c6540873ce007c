// Sums over the keys of linear attention: of all, or up to each query.
#include <algorithm>

#include "engine/ops/linear_attention_ops.h"

namespace headlight::ops {

namespace {

using notation::written;

// A line of each library that is that of keys once, or of each query's last key.
Code at_queries(const std::string& all, const std::string& summed, const KeySums& sums, Index keys) {
  if (!sums.causal) return both(all);
  const auto code_in = [&](const char* library, const char* least) {
    return fmt::format("{0}[:, :, {1}.{2}]", summed, library,
                       fmt::format(fmt::runtime(least), sums.first, sums.first + sums.queries.size, keys - 1));
  };
  return {code_in("np", "arange({}, {}).clip(max={})"), code_in("torch", "arange({}, {}).clip(max={})")};
}

// The axes of a sum for all queries or for each.
std::vector<Axis> axes_of_sum(const Array& k, const KeySums& sums) {
  std::vector<Axis> axes{k.axis_at(0), k.axis_at(1)};
  if (sums.causal) axes.push_back(sums.queries);
  axes.push_back(k.axis_at(3));
  return axes;
}

// What a formula sums over.
std::string keys_summed(const Array& k, const KeySums& sums) {
  const std::string j = k.axis_at(2).index;
  return sums.causal ? fmt::format("{} \\le {}", j, sums.queries.index) : j;
}

// How many sums there are of a plane.
Index sums_of(const KeySums& sums) {
  return sums.causal ? sums.queries.size : 1;
}

// The last key that a sum takes, of n.
auto last_key(const KeySums& sums, Index n) {
  return [causal = sums.causal, first = sums.first, n](Index sum) {
    return causal ? std::min(first + sum, n - 1) : n - 1;
  };
}

// sum (features, width) += key (features) · valueᵀ (width).
void add_product(const float* key, Index features, const float* value, Index width, double* sum) {
  for (Index f = 0; f < features; ++f)
    for (Index c = 0; c < width; ++c) *sum++ += static_cast<double>(key[f]) * value[c];
}

// `rows` sums of so many planes of n keys, each of `size` numbers; add(key, sum) adds what one key gives.
void sum_keys(Compute& compute, Index planes, Index n, Index rows, Index size, const auto& last, const auto& add,
              float* to) {
  compute.parallel(planes, 1, [&](Index begin, Index end) {
    std::vector<double> sum(static_cast<std::size_t>(size));
    for (Index plane = begin; plane < end; ++plane) {
      std::ranges::fill(sum, 0.0);
      Index next = 0;
      for (Index row = 0; row < rows && !compute.cancelled(); ++row) {
        for (; next <= last(row); ++next) add(plane * n + next, sum.data());
        std::ranges::transform(sum, to + (plane * rows + row) * size, [](double x) { return static_cast<float>(x); });
      }
    }
  });
}

}  // namespace

Operation sum_of_outer_products(const Array& k, const Array& v, const KeySums& sums) {
  std::vector<Axis> axes = axes_of_sum(k, sums);
  axes.push_back(v.axis_at(3));
  const Index n = k.dim(2), features = k.dim(3), width = v.dim(3), area = features * width;
  const Index rows = sums_of(sums);
  const std::string products = fmt::format(R"(einsum("bmjc,bmjd->bmjcd", {}, {}))", k.id, v.id);
  const auto code_in = [&](const std::string& library, const char* running) {
    return at_queries(fmt::format(R"({}.einsum("bmjc,bmjd->bmcd", {}, {}))", library, k.id, v.id),
                      fmt::format("{}.{}.{}", library, products, running), sums, n);
  };
  return {.axes = std::move(axes),
          .run =
              [k = k.values, v = v.values, last_key = last_key(sums, n), n, features, width, area, rows](
                  Compute& compute, float* to) {
                const auto add = [&](Index key, double* sum) {
                  add_product(k->data() + key * features, features, v->data() + key * width, width, sum);
                };
                sum_keys(compute, k->size() / (n * features), n, rows, area, last_key, add, to);
              },
          .explain =
              [k = k.id, v = v.id, last_key = last_key(sums, n), n, features, width, area, rows](Index cell) {
                const Index plane = cell / (area * rows), last = last_key(cell / area % rows);
                Explanation e;
                for (Index j = 0; j <= last; ++j)
                  e.terms.push_back({{Operand::of(k, (plane * n + j) * features + cell / width % features),
                                      Operand::of(v, (plane * n + j) * width + cell % width)}});
                return e;
              },
          .code = {code_in("np", "cumsum(axis=2)").numpy, code_in("torch", "cumsum(dim=2)").torch},
          .formula = {fmt::format("\\sum_{{{}}} {}\\,{}^\\top", keys_summed(k, sums), written(k), written(v))},
          .operations = linear_operations(n, false)};
}

Operation sum_of_keys(const Array& k, const KeySums& sums) {
  const Index n = k.dim(2), features = k.dim(3), rows = sums_of(sums);
  const auto code_in = [&](const char* all, const char* running) {
    return at_queries(fmt::format("{}.sum({})", k.id, all), fmt::format("{}.cumsum({})", k.id, running), sums, n);
  };
  return {.axes = axes_of_sum(k, sums),
          .run =
              [k = k.values, last_key = last_key(sums, n), n, features, rows](Compute& compute, float* to) {
                const auto add = [&](Index key, double* sum) {
                  for (Index c = 0; c < features; ++c) sum[c] += (*k)[key * features + c];
                };
                sum_keys(compute, k->size() / (n * features), n, rows, features, last_key, add, to);
              },
          .explain =
              [k = k.id, last_key = last_key(sums, n), n, features, rows](Index cell) {
                const Index plane = cell / (features * rows), last = last_key(cell / features % rows);
                Explanation e;
                for (Index j = 0; j <= last; ++j)
                  e.terms.push_back({{Operand::of(k, (plane * n + j) * features + cell % features)}});
                return e;
              },
          .code = {code_in("axis=2", "axis=2").numpy, code_in("dim=2", "dim=2").torch},
          .formula = {fmt::format("\\sum_{{{}}} {}", keys_summed(k, sums), written(k))},
          .operations = static_cast<double>(n)};
}

}  // namespace headlight::ops
