#include "engine/math/relative.h"

#include <algorithm>
#include <vector>

namespace headlight::math {

namespace {

constexpr Index piece = 1 << 15;  // numbers written in a piece of work

// Entries [first, first + count) of a table (2P − 1, half) against half a query.
void dot_entries(const float* q, const float* table, Index half, Index first, Index count, float* out) {
  for (Index e = 0; e < count; ++e) {
    const float* entry = table + (first + e) * half;
    out[e] = 0;
    for (Index c = 0; c < half; ++c) out[e] += q[c] * entry[c];
  }
}

}  // namespace

void gather_offsets(Compute& compute, const float* table, Index max_position, Index half, Index n, float* out) {
  // The offsets 0 − i to n − 1 − i lie beside each other in the table.
  compute.parallel_each(n, std::max<Index>(1, piece / (n * half)), [&](Index i) {
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
  const Index columns = queries.columns;
  const Index key_rows = extent == 0 ? queries.rows : extent, key_columns = extent == 0 ? columns : extent;
  const Index keys = key_rows * key_columns, middle = tables.max_position - 1;  // the entry of the offset 0
  compute.parallel(planes * queries.count, std::max<Index>(1, piece / keys), [&](Index begin, Index end) {
    std::vector<float> down(static_cast<std::size_t>(key_rows)), across(static_cast<std::size_t>(key_columns));
    for (Index query = begin; query < end; ++query) {
      // How far the first key lies above the query, and left of it.
      const Index pixel = queries.first + query % queries.count;
      const Index above = extent == 0 ? pixel / columns : (extent - 1) / 2;
      const Index left = extent == 0 ? pixel % columns : (extent - 1) / 2;
      const float* asked = q + query * 2 * tables.half;
      dot_entries(asked, tables.rows, tables.half, middle - above, key_rows, down.data());
      dot_entries(asked + tables.half, tables.columns, tables.half, middle - left, key_columns, across.data());
      float* scores = out + query * keys;
      for (const float of_row : down)
        for (const float of_column : across) *scores++ = (of_row + of_column) * factor;
    }
  });
}

}  // namespace headlight::math
