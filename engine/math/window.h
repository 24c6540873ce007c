// Attention among the pixels of a picture where each query sees only the window round it.
//
// Not for what attention over a whole picture shares with text: math.h has that. As there, every function splits its
// work over the threads of `compute`, writes each number on one thread in one order, and leaves early once cancelled.
//
// planes = B·M, HW = the picture's pixels in row-major order, k² = the window's keys in row-major order.
#pragma once

#include "engine/core/parallel.h"

namespace headlight::math {

// A picture, and the window of extent × extent pixels (odd) whose middle is the query.
struct Window {
  Index rows = 1;
  Index columns = 1;
  Index extent = 1;

  Index pixels() const { return rows * columns; }
  Index keys() const { return extent * extent; }
  Index reach() const { return (extent - 1) / 2; }  // how far the window goes from its middle
  // How many keys lie in the picture, for the query that has most of them there.
  Index most_inside() const;
};

// The pixel that a key of a query's window lies on, or −1 where that is outside the picture.
Index pixel_at_key(const Window& window, Index query, Index key);

// q, k (planes, HW, d') → out (planes, HW, k²) = factor · q · k; a key outside the picture is zeros.
void dot_products_in_neighborhood(Compute& compute, const float* q, const float* k, Index planes, const Window& window,
                                  Index d_head, float factor, float* out);

// scores (planes, HW, k²) → out, which they may be: −∞ for keys outside the picture, the score elsewhere.
void hide_outside(Compute& compute, const float* scores, Index planes, const Window& window, float* out);

// a (planes, HW, k²), v (planes, HW, d') → out (planes, HW, d'); what lies outside the picture adds nothing.
void weighted_sum_in_neighborhood(Compute& compute, const float* a, const float* v, Index planes, const Window& window,
                                  Index d_head, float* out);

}  // namespace headlight::math
