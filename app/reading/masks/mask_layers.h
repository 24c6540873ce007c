// The mask of a run taken apart: which rule hides which key from which query, how much each of them hides, which
// queries are left without a key, how much of the work a mask really saves, and which cells were painted.
//
// Not for what rules there are (engine/variants/mask_options), nor for how one is drawn (app/panels/masks).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/reading/slice.h"
#include "engine/ops/attention_mask.h"
#include "engine/variants/edits.h"

namespace headlight::app {

// A rule at work. The last ones of a reading are the numbers given to be added, painted cells, and keys that were cut
// from the scores by hand, where there are such.
struct SeenLayer {
  enum class Kind { rule, given, painted, cut };
  Kind kind = Kind::rule;
  MaskRule::Part part = MaskRule::Part::hides;
  MaskRule::By by = MaskRule::By::order;
  std::string id;    // of the option: "causal"; "given_mask", "painted", "cut"
  std::string name;  // "Causal"
  std::string says;  // "key ≤ query"
  Index cells = 0;   // that it hides; of one that lets in: that only it keeps in sight
  Index alone = 0;   // of those, that nothing else hides
};

// Which layers have to do with a cell: bit i stands for layers[i].
using LayerBits = std::uint16_t;

struct MaskReading {
  std::vector<SeenLayer> layers;
  Index queries = 0, keys = 0;
  Index first_query = 0;              // where the first of these stands among the keys
  std::shared_ptr<const Tensor> sum;  // (n_q, n_k): 0 or what is added, −∞ where hidden
  std::vector<LayerBits> hide;        // what hides it, though painting may show it all the same
  std::vector<LayerBits> touch;       // what it applies to, letting in as well
  std::vector<Index> seen;            // visible keys of each query
  std::vector<Index> empty;           // queries without one, as rows
  Index visible = 0;                  // cells

  bool hidden(Index row, Index key) const;
  Index at(Index row, Index key) const { return row * keys + key; }
  Index cells() const { return queries * keys; }
};

// Masks of more cells are not taken apart.
inline constexpr Index most_cells_of_mask = Index{1} << 22;

// Whether a query of any head is left without a key.
bool has_empty_rows(const Trace& trace);
// Whether the selected query of that head is.
bool is_empty_row(const Trace& trace, const Focus& focus);

// Of the map's queries and keys in a batch item and a head. The trace must have a map, of most_cells_of_mask at most.
MaskReading read_mask(const Trace& trace, Index batch, Index head);

// Why a cell is hidden or seen, a line for each layer: "causal: key 5 comes after query 3".
struct LayerVerdict {
  std::size_t layer = 0;
  bool hides = false;
  std::string words;  // "7 ≤ 10: visible", "key 5 comes after query 3"
};
std::vector<LayerVerdict> verdicts(const Trace& trace, const MaskReading& mask, Index batch, Index head, Index row,
                                   Index key);

// Whether the rules hide a pair, whatever is painted or cut by hand.
bool rules_hide(const Trace& trace, Index batch, Index head, Index row, Index key);

// "Causal, Padding": what hides a cell; empty where it is visible.
std::string hidden_by_words(const MaskReading& mask, Index row, Index key);

// How the layers are put together, to be read aloud: "A query sees a key where key ≤ query, and …".
std::string equation_in_words(const MaskReading& mask);

// Why a row is empty: what hides its keys, how many each. "Causal hides 3 of its 5 keys, Padding 2."
std::string why_empty(const MaskReading& mask, Index row);

// How many of the empty rows would have a key if that layer were off.
Index rows_freed(const MaskReading& mask, std::string_view layer);

// What a kernel computes that leaves out blocks of that side in which no cell is visible; the last ones may be cut off.
struct BlockSavings {
  Index side = 0;
  Index blocks = 0, kept = 0;  // blocks
  Index cells = 0;             // in the blocks that are kept
};
BlockSavings savings_of_blocks(const MaskReading& mask, Index side);

// ---- Painted cells: edits of the array that the rules make, read as cells and written again as few rectangles

struct Paint {
  std::map<std::pair<Index, Index>, bool> cells;  // by query and key: whether it is hidden
  bool on = true;                                 // else none of it counts
};

// Whether it hides or shows pairs in all heads and batch items, as painting does.
bool is_paint(const Edit& edit);
// Of those edits, in their order, as far as they lie on so many queries and keys.
Paint paint_from(const std::vector<Edit>& edits, Index queries, Index keys);
// The edits with those of the paint in place of the ones they have; they come last.
std::vector<Edit> with_paint(std::vector<Edit> edits, const Paint& paint);

}  // namespace headlight::app
