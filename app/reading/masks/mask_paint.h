// Cells of the mask that are painted: edits of the array that the rules make, read as cells and written again as few
// rectangles.
//
// Not for what an edit does: engine/variants/edits.h.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "engine/variants/edits.h"

namespace headlight::app {

struct Paint {
  std::map<std::pair<Index, Index>, bool> cells;  // by query and key: whether it is hidden
  bool on = true;                                 // else none of it counts
};

// Whether it hides or shows pairs in all heads and batch items, as painting does.
bool is_paint(const Edit& edit);
// Of those edits, in their order, as far as they lie on so many queries and keys.
Paint paint_in(const std::vector<Edit>& edits, Index queries, Index keys);
// The edits with those of the paint in place of the ones they have; they come last.
std::vector<Edit> with_paint(std::vector<Edit> edits, const Paint& paint);

}  // namespace headlight::app
