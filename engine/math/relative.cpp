#include "engine/math/relative.h"

#include <algorithm>
#include <vector>

namespace headlight::math {

namespace {

constexpr Index turned_piece = 1 << 15;  // numbers written in a turned_piece of work

// (2P − 1, half) → (half, 2P − 1), so that neighbouring offsets are neighbours in memory.
std::vector<float> turned(const float* table, const OffsetTables& tables) {
  const Index entries = 2 * tables.max_position - 1;
  std::vector<float> out(static_cast<std::size_t>(entries * tables.half));
  for (Index c = 0; c < tables.half; ++c)
    for (Index e = 0; e < entries; ++e) out[static_cast<std::size_t>(c * entries + e)] = table[e * tables.half + c];
  return out;
}

// Entries [first, first + count) of a turned table against half a query.
void dot_entries(const float* q, const std::vector<float>& table, const OffsetTables& tables, Index first, Index count,
                 float* out) {
  const Index entries = 2 * tables.max_position - 1;
  std::fill_n(out, count, 0.0F);
  for (Index c = 0; c < tables.half; ++c) {
    const float* of_channel = table.data() + c * entries + first;
    for (Index e = 0; e < count; ++e) out[e] += q[c] * of_channel[e];
  }
}

}  // namespace

void gather_offsets(Compute& compute, const float* table, Index max_position, Index half, Index n, float* out) {
  // The offsets 0 − i to n − 1 − i lie beside each other in the table.
  compute.parallel(n, std::max<Index>(1, turned_piece / (n * half)), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      std::copy_n(table + (max_position - 1 - i) * half, n * half, out + i * n * half);
  });
}

void sum_of_rows(const float* shares, const float* table, Index rows, Index width, float* out) {
  std::fill_n(out, width, 0.0F);
  for (Index row = 0; row < rows; ++row)
    for (Index c = 0; c < width; ++c) out[c] += shares[row] * table[row * width + c];
}

void offset_scores(Compute& compute, const float* q, Index planes, const PictureQueries& queries, Index extent,
                   const OffsetTables& tables, float factor, float* out) {
  const std::vector<float> of_rows = turned(tables.rows, tables), of_columns = turned(tables.columns, tables);
  const Index columns = queries.columns;
  const Index key_rows = extent == 0 ? queries.rows : extent, key_columns = extent == 0 ? columns : extent;
  const Index keys = key_rows * key_columns, middle = tables.max_position - 1;  // the entry of the offset 0
  compute.parallel(planes * queries.count, std::max<Index>(1, turned_piece / keys), [&](Index begin, Index end) {
    std::vector<float> down(static_cast<std::size_t>(key_rows)), across(static_cast<std::size_t>(key_columns));
    for (Index query = begin; query < end; ++query) {
      // How far the first key lies above the query, and left of it.
      const Index pixel = queries.first + query % queries.count;
      const Index above = extent == 0 ? pixel / columns : (extent - 1) / 2;
      const Index left = extent == 0 ? pixel % columns : (extent - 1) / 2;
      const float* asked = q + query * 2 * tables.half;
      dot_entries(asked, of_rows, tables, middle - above, key_rows, down.data());
      dot_entries(asked + tables.half, of_columns, tables, middle - left, key_columns, across.data());
      float* scores = out + query * keys;
      for (const float of_row : down)
        for (const float of_column : across) *scores++ = (of_row + of_column) * factor;
    }
  });
}

}  // namespace headlight::math
