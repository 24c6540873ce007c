#include "app/reading/masks/mask_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/reading/step_words.h"
#include "engine/variants/mask_option.h"

namespace headlight::app {

namespace {

// The cell of an array whose batch, head and query axes may be 1.
Index cell_in(const Step& step, Index batch, Index head, Index row, Index key) {
  const Shape& shape = step.tensor().shape();
  const auto along = [](Index at, Index size) { return std::min(at, size - 1); };
  return ((along(batch, shape[0]) * shape[1] + along(head, shape[1])) * shape[2] + along(row, shape[2])) * shape[3] +
         key;
}

bool is_of_pairs(const Step* step, Index keys) {
  return step && step->tensor().rank() == 4 && step->tensor().dim(3) == keys;
}

// What a cell is looked up in: the rules, the step that they made, and the scores that the map was made of.
struct Source {
  const MaskRules* rules = nullptr;
  const Step* mask = nullptr;
  const Step* scores = nullptr;
  Index batch = 0, head = 0;

  // What the rules and the paint come to, scores aside.
  float sum(Index row, Index key) const {
    if (!mask) return 0;
    const float value = mask->tensor()[cell_in(*mask, batch, head, row, key)];
    return mask->info.kind == Kind::mask || is_minus_infinity(value) ? value : 0;
  }
  bool painted(Index row, Index key) const {
    return mask && mask->edited && mask->edited->edit_of(cell_in(*mask, batch, head, row, key)) > 0;
  }
  bool cut(Index row, Index key) const {
    return scores && scores != mask && is_minus_infinity(scores->tensor()[cell_in(*scores, batch, head, row, key)]) &&
           !is_minus_infinity(sum(row, key));
  }
};

Source source_of(const Trace& trace, Index batch, Index head) {
  Source source;
  const Step& map = *trace.map();
  source.batch = std::min(batch, map.tensor().dim(0) - 1);
  source.head = std::min(head, map.tensor().dim(1) - 1);
  const Index keys = map.tensor().dim(3);
  const Step *mask = masked_step(trace), *scores = trace.scores_before(map);
  if (is_of_pairs(mask, keys)) {
    source.mask = mask;
    source.rules = mask->rules.get();
  }
  if (is_of_pairs(scores, keys) && map.info.kind == Kind::probability) source.scores = scores;
  return source;
}

std::vector<SeenLayer> layers_of(const Source& source) {
  std::vector<SeenLayer> layers;
  if (source.rules) {
    for (const MaskRule& rule : source.rules->list)
      layers.push_back({SeenLayer::Kind::rule, rule.part, rule.by, rule.id, rule.name, rule.says});
    if (source.rules->attn_mask)
      layers.push_back({SeenLayer::Kind::given,
                        MaskRule::Part::hides,
                        {},
                        "given_mask",
                        "Given mask",
                        "not −∞ in the array that is added"});
  }
  return layers;
}

// Fills in a cell: which layers apply to it and which of them hide it.
void look_at(const Source& source, MaskReading& mask, Tensor& sum_of_all, Index row, Index key,
             std::optional<std::size_t> paint, std::optional<std::size_t> cut) {
  LayerBits hide = 0, touch = 0, reach = 0, let_in = 0;
  std::size_t bit = 0;
  if (source.rules) {
    const MaskCell cell = cell_of(*source.rules, source.batch, source.head, row, key);
    for (const MaskRule& rule : source.rules->list) {
      const auto flag = static_cast<LayerBits>(1U << bit++);
      if (!rule.applies(cell)) continue;
      touch |= flag;
      if (rule.part == MaskRule::Part::hides) hide |= flag;
      if (rule.part == MaskRule::Part::reach) reach |= flag;
      if (rule.part == MaskRule::Part::allows) let_in |= flag;
    }
    if (source.rules->attn_mask && is_minus_infinity(added_by_attn_mask(*source.rules, cell))) {
      hide |= static_cast<LayerBits>(1U << bit);
      touch |= static_cast<LayerBits>(1U << bit);
    }
  }
  if (!let_in) hide |= reach;
  // What lets in counts where something out of reach is seen for it alone.
  const bool saves = let_in && reach && !hide;
  const float sum = source.sum(row, key);
  const bool painted = paint && source.painted(row, key), is_cut = cut && source.cut(row, key);
  if (painted) touch |= static_cast<LayerBits>(1U << *paint);
  if (painted && is_minus_infinity(sum)) hide |= static_cast<LayerBits>(1U << *paint);
  if (is_cut) {
    hide |= static_cast<LayerBits>(1U << *cut);
    touch |= static_cast<LayerBits>(1U << *cut);
  }
  const Index at = mask.at(row, key);
  mask.hide[static_cast<std::size_t>(at)] = hide;
  mask.touch[static_cast<std::size_t>(at)] = touch;
  const bool hidden = is_minus_infinity(sum) || is_cut;
  sum_of_all[at] = hidden ? -INFINITY : sum;
  mask.seen[static_cast<std::size_t>(row)] += !hidden;
  mask.visible += !hidden;
  for (std::size_t i = 0; i < mask.layers.size(); ++i) {
    const auto flag = static_cast<LayerBits>(1U << i);
    SeenLayer& layer = mask.layers[i];
    const bool allows = layer.part == MaskRule::Part::allows;
    bool counts = allows ? saves && (let_in & flag) : (hide & flag) != 0;
    if (layer.kind == SeenLayer::Kind::painted) counts = painted;
    if (counts) ++layer.cells;
    if (counts && (allows ? let_in : hide) == flag) ++layer.alone;
  }
}

}  // namespace

bool MaskReading::hidden(Index row, Index key) const {
  return is_minus_infinity((*sum)[at(row, key)]);
}

bool has_empty_rows(const Trace& trace) {
  const Step* scores = trace.map() ? trace.scores_before(*trace.map()) : nullptr;
  if (!scores) return false;
  const Tensor& numbers = scores->tensor();
  const Index keys = numbers.shape().back();
  for (Index row = 0; row < numbers.size() / keys; ++row)
    if (std::all_of(numbers.data() + row * keys, numbers.data() + (row + 1) * keys, is_minus_infinity)) return true;
  return false;
}

bool is_empty_row(const Trace& trace, const Focus& focus) {
  const Step* scores = trace.map() ? trace.scores_before(*trace.map()) : nullptr;
  if (!scores) return false;
  Focus flat = focus;
  flat.flat = true;
  const Slice slice = slice_of(*scores, flat);
  const auto row = slice.rows ? selected_row(slice, focus.selection) : std::nullopt;
  if (!row || role_along(*slice.rows) != AxisRole::query) return false;
  for (Index key = 0; key < slice.matrix.columns; ++key)
    if (!is_minus_infinity(slice.matrix.at(*row, key))) return false;
  return true;
}

MaskReading read_mask(const Trace& trace, Index batch, Index head) {
  const Source source = source_of(trace, batch, head);
  const Tensor& map = trace.map()->tensor();
  MaskReading mask;
  mask.queries = map.dim(2);
  mask.keys = map.dim(3);
  const Axis* queries = trace.map()->axis(AxisRole::query);
  if (queries) mask.first_query = queries->only.value_or(0);
  if (source.rules) mask.first_query = source.rules->first_query;
  mask.layers = layers_of(source);
  const auto add = [&](bool there, SeenLayer layer) {
    if (!there) return std::optional<std::size_t>();
    mask.layers.push_back(std::move(layer));
    return std::optional(mask.layers.size() - 1);
  };
  const auto anywhere = [&](auto&& is) {
    for (Index i = 0; i < mask.queries; ++i)
      for (Index j = 0; j < mask.keys; ++j)
        if (is(i, j)) return true;
    return false;
  };
  const bool some_paint =
      source.mask && source.mask->edited && anywhere([&](Index i, Index j) { return source.painted(i, j); });
  const bool some_cut = source.scores && source.scores != source.mask &&
                        !trace.edits_affecting(*source.scores).empty() &&
                        anywhere([&](Index i, Index j) { return source.cut(i, j); });
  const auto paint =
      add(some_paint, {SeenLayer::Kind::painted, MaskRule::Part::hides, {}, "painted", "Painted", "set by hand"});
  const auto cut =
      add(some_cut, {SeenLayer::Kind::cut, MaskRule::Part::hides, {}, "cut", "Cut", "score set to −∞ by hand"});
  const auto sum = std::make_shared<Tensor>(Shape{mask.queries, mask.keys});
  mask.sum = sum;
  mask.hide.resize(static_cast<std::size_t>(mask.cells()));
  mask.touch.resize(static_cast<std::size_t>(mask.cells()));
  mask.seen.resize(static_cast<std::size_t>(mask.queries));
  for (Index i = 0; i < mask.queries; ++i) {
    for (Index j = 0; j < mask.keys; ++j) look_at(source, mask, *sum, i, j, paint, cut);
    if (mask.seen[static_cast<std::size_t>(i)] == 0) mask.empty.push_back(i);
  }
  return mask;
}

std::vector<LayerVerdict> verdicts(const Trace& trace, const MaskReading& mask, Index batch, Index head, Index row,
                                   Index key) {
  const Source source = source_of(trace, batch, head);
  const auto after_colon = [](const std::string& words) {
    const auto colon = words.find(": ");
    return colon == std::string::npos ? words : words.substr(colon + 2);
  };
  const LayerBits hide = mask.hide[static_cast<std::size_t>(mask.at(row, key))],
                  touch = mask.touch[static_cast<std::size_t>(mask.at(row, key))];
  std::vector<LayerVerdict> list;
  for (std::size_t i = 0; i < mask.layers.size(); ++i) {
    const SeenLayer& layer = mask.layers[i];
    LayerVerdict verdict{i, (hide >> i & 1U) != 0, {}};
    const bool applies = (touch >> i & 1U) != 0;
    if (layer.kind == SeenLayer::Kind::painted) {
      verdict.words = verdict.hides ? "hidden by you" : "shown by you";
      if (!applies) verdict.words = "not painted";
    } else if (layer.kind == SeenLayer::Kind::cut) {
      verdict.words = applies ? "cut by hand" : "not cut";
    } else if (layer.kind == SeenLayer::Kind::given) {
      verdict.words = applies ? "−∞ here" : "visible";
    } else {
      const MaskRule& rule = source.rules->list[i];
      const MaskCell cell = cell_of(*source.rules, source.batch, source.head, row, key);
      if (layer.part == MaskRule::Part::allows)
        verdict.words = applies ? rule.why(cell) + ": lets it in" : "does not let it in";
      else if (applies)
        verdict.words = after_colon(rule.why(cell)) + (verdict.hides ? "" : ", let in");
      else
        verdict.words = rule.why_not ? after_colon(rule.why_not(cell)) : std::string("visible");
    }
    list.push_back(std::move(verdict));
  }
  return list;
}

bool rules_hide(const Trace& trace, Index batch, Index head, Index row, Index key) {
  const Source source = source_of(trace, batch, head);
  if (!source.rules) return false;
  const MaskCell cell = cell_of(*source.rules, source.batch, source.head, row, key);
  const bool near = allowing_rule(*source.rules, cell) != nullptr;
  for (const MaskRule& rule : source.rules->list)
    if ((rule.part == MaskRule::Part::hides || (rule.part == MaskRule::Part::reach && !near)) && rule.applies(cell))
      return true;
  return is_minus_infinity(added_by_attn_mask(*source.rules, cell));
}

std::string hidden_by_words(const MaskReading& mask, Index row, Index key) {
  if (!mask.hidden(row, key)) return {};
  const LayerBits hide = mask.hide[static_cast<std::size_t>(mask.at(row, key))];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < mask.layers.size(); ++i)
    if (hide >> i & 1U) names.push_back(mask.layers[i].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string equation_in_words(const MaskReading& mask) {
  std::vector<std::string> all, near, let_in;
  std::string last;
  for (const SeenLayer& layer : mask.layers) {
    if (layer.kind == SeenLayer::Kind::painted)
      last += fmt::format(" {} painted by hand {} what the rules say.",
                          layer.cells == 1 ? "1 cell" : fmt::format("{} cells", layer.cells),
                          layer.cells == 1 ? "overrides" : "override");
    else if (layer.kind == SeenLayer::Kind::cut)
      last += fmt::format(" {} cut from the scores by hand.",
                          layer.cells == 1 ? "1 key is" : fmt::format("{} keys are", layer.cells));
    else if (layer.part == MaskRule::Part::hides)
      all.push_back(layer.says);
    else
      (layer.part == MaskRule::Part::reach ? near : let_in).push_back(layer.says);
  }
  if (!near.empty()) {
    const std::string reach = fmt::format("{}", fmt::join(near, " and "));
    const std::string either =
        let_in.empty() ? reach : fmt::format("either {}, or {}", reach, fmt::join(let_in, ", or "));
    all.push_back(either);
  }
  if (all.empty()) return "Every query sees every key." + last;
  return fmt::format("A query sees a key where {}.", fmt::join(all, ", and ")) + last;
}

std::string why_empty(const MaskReading& mask, Index row) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < mask.layers.size(); ++i) {
    Index count = 0;
    for (Index j = 0; j < mask.keys; ++j)
      if (mask.hide[static_cast<std::size_t>(mask.at(row, j))] >> i & 1U) ++count;
    if (count > 0)
      parts.push_back(parts.empty() ? fmt::format("{} hides {} of its {} keys", mask.layers[i].name, count, mask.keys)
                                    : fmt::format("{} hides {}", mask.layers[i].name, count));
  }
  return fmt::format("{}.", fmt::join(parts, ", "));
}

Index rows_freed(const MaskReading& mask, std::string_view layer) {
  const auto found = std::ranges::find(mask.layers, layer, &SeenLayer::id);
  if (found == mask.layers.end()) return 0;
  const auto flag = static_cast<LayerBits>(1U << (found - mask.layers.begin()));
  Index rows = 0;
  for (const Index row : mask.empty)
    for (Index j = 0; j < mask.keys; ++j)
      if (mask.hide[static_cast<std::size_t>(mask.at(row, j))] == flag) {
        ++rows;
        break;
      }
  return rows;
}

BlockSavings savings_of_blocks(const MaskReading& mask, Index side) {
  BlockSavings savings;
  savings.side = side;
  for (Index top = 0; top < mask.queries; top += side)
    for (Index left = 0; left < mask.keys; left += side) {
      const Index bottom = std::min(top + side, mask.queries), right = std::min(left + side, mask.keys);
      bool any = false;
      for (Index i = top; i < bottom && !any; ++i)
        for (Index j = left; j < right && !any; ++j) any = !mask.hidden(i, j);
      ++savings.blocks;
      if (!any) continue;
      ++savings.kept;
      savings.cells += (bottom - top) * (right - left);
    }
  return savings;
}

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

Paint paint_from(const std::vector<Edit>& edits, Index queries, Index keys) {
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
