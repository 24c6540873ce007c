#include "app/reading/masks/mask_paint.h"

#include <algorithm>
#include <cmath>

#include "engine/variants/mask_option.h"

namespace headlight::app {

namespace {

// Cells of one row beside each other that are painted alike, and the rows below that have the same.
struct Block {
  Span queries, keys;
  bool hide = true;
};

std::vector<Block> blocks_of(const Paint& paint) {
  std::vector<Block> done, open;  // those that end in the row before
  const auto& cells = paint.cells;
  for (auto cell = cells.begin(); cell != cells.end();) {
    const Index row = cell->first.first;
    std::vector<Block> now;
    for (; cell != cells.end() && cell->first.first == row; ++cell) {
      const Index key = cell->first.second;
      if (!now.empty() && now.back().keys.last + 1 == key && now.back().hide == cell->second)
        now.back().keys.last = key;
      else
        now.push_back({{row, row}, {key, key}, cell->second});
    }
    for (Block& block : now) {
      const auto above = std::ranges::find_if(open, [&](const Block& one) {
        return one.queries.last + 1 == row && one.keys == block.keys && one.hide == block.hide;
      });
      if (above == open.end()) continue;
      block.queries.first = above->queries.first;
      open.erase(above);
    }
    done.insert(done.end(), open.begin(), open.end());
    open = std::move(now);
  }
  done.insert(done.end(), open.begin(), open.end());
  std::ranges::sort(done, {}, [](const Block& block) { return std::pair(block.queries.first, block.keys.first); });
  return done;
}

}  // namespace

bool is_paint(const Edit& edit) {
  return mask::paints_pairs(edit) && edit.make == Edit::Make::set && edit.at[3] && edit.values.size() == 1 &&
         (edit.values[0] == 0 || edit.values[0] == -INFINITY);
}

Paint paint_in(const std::vector<Edit>& edits, Index queries, Index keys) {
  Paint paint;
  paint.on = std::ranges::none_of(edits, is_paint) ||
             std::ranges::any_of(edits, [](const Edit& edit) { return is_paint(edit) && edit.on; });
  for (const Edit& edit : edits) {
    if (!is_paint(edit)) continue;
    for (Index i = edit.at[2]->first; i <= std::min(edit.at[2]->last, queries - 1); ++i)
      for (Index j = edit.at[3]->first; j <= std::min(edit.at[3]->last, keys - 1); ++j)
        paint.cells[{i, j}] = edit.values[0] != 0;
  }
  return paint;
}

std::vector<Edit> with_paint(std::vector<Edit> edits, const Paint& paint) {
  std::erase_if(edits, is_paint);
  for (const Block& block : blocks_of(paint)) {
    Edit edit;
    edit.array = mask::array_id;
    edit.at = {std::nullopt, std::nullopt, block.queries, block.keys};
    edit.values = {block.hide ? -INFINITY : 0.0};
    edit.on = paint.on;
    edits.push_back(std::move(edit));
  }
  return edits;
}

}  // namespace headlight::app
