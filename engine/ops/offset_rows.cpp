#include "engine/ops/offset_rows.h"

#include <algorithm>

#include "engine/math/math.h"

namespace headlight::ops {

Index OffsetRows::of(Index query, Index key) const {
  return std::clamp(key - first - query, nearest, farthest) - nearest;
}

Index OffsetRows::first_past(Index query) const {
  return std::clamp<Index>(first + query + nearest, 0, keys);
}

Index OffsetRows::first_far(Index query) const {
  return std::clamp<Index>(first + query + farthest, first_past(query), keys);
}

void OffsetRows::spread(const float* of_rows, Index query, float* to, Index first_row) const {
  const Index near = first_past(query), far = first_far(query);
  if (near > 0) std::fill_n(to, near, of_rows[0]);
  if (far > near) std::copy_n(of_rows + of(query, near) - first_row, far - near, to + near);
  if (keys > far) std::fill_n(to + far, keys - far, of_rows[count() - 1 - first_row]);
}

void OffsetRows::gather(const float* of_keys, Index query, float* sums) const {
  const Index near = first_past(query), far = first_far(query);
  std::fill_n(sums, count(), 0.0F);
  for (Index key = 0; key < near; ++key) sums[0] += of_keys[key];
  for (Index key = near; key < far; ++key) sums[of(query, near) + key - near] += of_keys[key];
  for (Index key = far; key < keys; ++key) sums[count() - 1] += of_keys[key];
}

std::string OffsetRows::in_code(const char* library) const {
  const bool clipped = 1 - first - queries < nearest || keys - 1 - first > farthest;
  return fmt::format("({0}.arange({1}) - {0}.arange({2}, {3})[:, None]){4} {5} {6}", library, keys, first,
                     first + queries, clipped ? fmt::format(".clip({}, {})", nearest, farthest) : "",
                     nearest > 0 ? "-" : "+", std::abs(nearest));
}

OffsetTable::OffsetTable(const Array& table, Index of_maps)
    : id(table.id),
      values(table.values),
      rows(table.dim(-2)),
      width(table.dim(-1)),
      heads(table.axes.size() == 3 ? table.dim(0) : 1),
      maps(of_maps) {}

namespace {

// Queries from `first` to `last` − 1 of one map by its table, each product to the keys of its offset.
void multiply_by_offset(const OffsetRows& rows, const float* q, const float* table, Index d, Index first, Index last,
                        float* to) {
  const auto nearest = [&](Index query) { return rows.of(query % rows.queries, 0); };
  const auto farthest = [&](Index query) { return rows.of(query % rows.queries, rows.keys - 1); };
  constexpr Index together = 32;  // queries; of more, each would meet many entries in vain
  std::vector<float> met;
  for (Index begin = first; begin < last; begin += together) {
    const Index end = std::min(begin + together, last), low = nearest(end - 1), count = farthest(begin) - low + 1;
    met.resize(static_cast<std::size_t>(together * count));
    math::dot_products(q + begin * d, table + low * d, 0, end - begin, end - begin, count, d, met.data());
    for (Index i = begin; i < end; ++i)
      rows.spread(met.data() + (i - begin) * count, i % rows.queries, to + i * rows.keys, low);
  }
}

}  // namespace

Operation scores_by_offset(const Array& q, const Array& table, const Array& scores, const OffsetRows& rows,
                           const std::string& row) {
  const OffsetTable by(table, scores.dim(1));
  const bool by_head = by.heads > 1 || table.axes.size() == 3;
  const Index each = by_head ? scores.dim(1) / by.heads : 1;  // maps that read one table
  const auto code_in = [&](const char* library, const char* repeat) {
    const std::string tables = each == 1 ? table.id : fmt::format(fmt::runtime(repeat), table.id, each);
    return fmt::format("offsets = {}\n{{to}} = {}.einsum(\"bmic,{}ijc->bmij\", {}, {}[{}offsets])",
                       rows.in_code(library), library, by_head ? "m" : "", q.id, tables, by_head ? ":, " : "");
  };
  return {.axes = scores.axes,
          // Made together with the scores of the same pairs, though nothing of them is read.
          .rows = {.of = scores.id,
                   .run =
                       [q = q.values, by, rows, maps = scores.dim(1)](Index begin, Index end, float* to) {
                         rows.each_part(begin, end, [&](Index first, Index last) {
                           const float* own = by.values->data() + by.at(first / rows.queries % maps, 0);
                           multiply_by_offset(rows, q->data(), own, by.width, first, last, to);
                         });
                       },
                   .sharing = rows.queries,
                   .length = scores.dim(3)},
          .explain =
              [q = q.id, by, rows, maps = scores.dim(1)](Index cell) {
                const Index key = cell % rows.keys, query = cell / rows.keys, plane = query / rows.queries;
                const Index at = by.at(plane % maps, rows.of(query % rows.queries, key));
                return Explanation{.terms = product_terms(by.width, {q, query * by.width}, {by.id, at})};
              },
          .code = {code_in("np", "np.repeat({}, {}, axis=0)"), code_in("torch", "{}.repeat_interleave({}, dim=0)")},
          .formula = {fmt::format("{} \\cdot {}", notation::written(q), row)},
          .operations = linear_operations(by.width, false),
          .kind = Kind::score,
          .role = Role::score};
}

Operation scores_by_offset_for_all_queries(const Array& v, const Array& table, const Array& scores,
                                           const OffsetRows& rows, const std::string& row,
                                           const std::string& scores_before) {
  const OffsetTable by(table, table.dim(0));
  Axis one = scores.axis_at(0), heads = table.axis_at(0);
  one = {.symbol = "1", .name = one.name, .size = 1};
  const auto code_in = [&](const char* library) {
    return fmt::format("offsets = {}\n{{to}} = {}.einsum(\"mc,mijc->mij\", {}, {}[:, offsets])[None]",
                       rows.in_code(library), library, v.id, table.id);
  };
  return {.axes = {one, heads, scores.axis_at(2), scores.axis_at(3)},
          .rows = {.of = scores_before,
                   .run =
                       [v = v.values, by, rows](Index begin, Index end, float* to) {
                         std::vector<float> met(static_cast<std::size_t>(by.rows));
                         for (Index i = begin; i < end; ++i) {
                           const Index m = i / rows.queries;
                           if (i == begin || i % rows.queries == 0)
                             math::dot_products(v->data() + m * by.width, by.values->data() + by.at(m, 0), 0, 1, 1,
                                                by.rows, by.width, met.data());
                           rows.spread(met.data(), i % rows.queries, to + i * rows.keys);
                         }
                       },
                   .sharing = rows.queries,
                   .length = rows.keys},
          .explain =
              [v = v.id, by, rows](Index cell) {
                const Index m = cell / (rows.queries * rows.keys);
                const Index at = by.at(m, rows.of(cell / rows.keys % rows.queries, cell % rows.keys));
                return Explanation{.terms = product_terms(by.width, {v, m * by.width}, {by.id, at})};
              },
          .code = {code_in("np"), code_in("torch")},
          .formula = {fmt::format("{} \\cdot {}", notation::written(v), row)},
          .operations = linear_operations(by.width, false),
          .kind = Kind::score,
          .role = Role::score};
}

}  // namespace headlight::ops
