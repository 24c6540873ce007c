#include "engine/math/window.h"

#include <algorithm>
#include <limits>

namespace headlight::math {

namespace {

constexpr Index piece = 1 << 15;  // numbers read or written in a piece of work

Index rows_of_piece(Index numbers_a_row) {
  return std::max<Index>(1, piece / std::max<Index>(1, numbers_a_row));
}

// Calls body(row) for every row of scores, a query of a plane.
template <class Body>
void over_queries(Compute& compute, Index planes, const Window& window, Index numbers_a_query, Body body) {
  compute.parallel_each(planes * window.pixels(), rows_of_piece(numbers_a_query), body);
}

// Calls body(key, pixel) for every key of the query's window that lies in the picture, in order.
template <class Body>
void over_inside(const Window& window, Index query, Body body) {
  const Index top = query / window.columns - window.reach(), left = query % window.columns - window.reach();
  const Index first_row = std::max<Index>(0, -top), last_row = std::min(window.extent, window.rows - top);
  const Index first_column = std::max<Index>(0, -left), last_column = std::min(window.extent, window.columns - left);
  for (Index a = first_row; a < last_row; ++a)
    for (Index b = first_column; b < last_column; ++b)
      body(a * window.extent + b, (top + a) * window.columns + left + b);
}

float dot(const float* a, const float* b, Index n) {
  float sum = 0;
  for (Index c = 0; c < n; ++c) sum += a[c] * b[c];
  return sum;
}

}  // namespace

Index Window::most_inside() const {
  return std::min(extent, rows) * std::min(extent, columns);  // some query sees that many rows, and as many columns
}

Index pixel_at_key(const Window& window, Index query, Index key) {
  const Index row = query / window.columns - window.reach() + key / window.extent;
  const Index column = query % window.columns - window.reach() + key % window.extent;
  if (row < 0 || row >= window.rows || column < 0 || column >= window.columns) return -1;
  return row * window.columns + column;
}

void dot_products_in_neighborhood(Compute& compute, const float* q, const float* k, Index planes, const Window& window,
                                  Index d_head, float factor, float* out) {
  const Index pixels = window.pixels(), keys = window.keys();
  over_queries(compute, planes, window, keys * d_head, [&](Index row) {
    const float* keys_of_plane = k + row / pixels * pixels * d_head;
    float* scores = out + row * keys;
    std::fill_n(scores, keys, 0.0F);
    over_inside(window, row % pixels, [&](Index key, Index pixel) {
      scores[key] = dot(q + row * d_head, keys_of_plane + pixel * d_head, d_head) * factor;
    });
  });
}

void hide_outside(Compute& compute, const float* scores, Index planes, const Window& window, float* out) {
  const Index pixels = window.pixels(), keys = window.keys();
  over_queries(compute, planes, window, keys, [&](Index row) {
    Index done = 0;  // keys before this one are written
    const auto hide_until = [&](Index key) {
      std::fill(out + row * keys + done, out + row * keys + key, -std::numeric_limits<float>::infinity());
    };
    over_inside(window, row % pixels, [&](Index key, Index) {
      hide_until(key);
      out[row * keys + key] = scores[row * keys + key];
      done = key + 1;
    });
    hide_until(keys);
  });
}

void weighted_sum_in_neighborhood(Compute& compute, const float* a, const float* v, Index planes, const Window& window,
                                  Index d_head, float* out) {
  const Index pixels = window.pixels(), keys = window.keys();
  over_queries(compute, planes, window, keys * d_head, [&](Index row) {
    const float* values_of_plane = v + row / pixels * pixels * d_head;
    float* sums = out + row * d_head;
    std::fill_n(sums, d_head, 0.0F);
    over_inside(window, row % pixels, [&](Index key, Index pixel) {
      const float weight = a[row * keys + key];
      const float* value = values_of_plane + pixel * d_head;
      for (Index c = 0; c < d_head; ++c) sums[c] += weight * value[c];
    });
  });
}

}  // namespace headlight::math
