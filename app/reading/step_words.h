// What a step of a trace is called and shows, for panels, figures and worksheets alike.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/reading/slice.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

// The cells of a step's picture: its own, or a copy in which masked weights are −∞, kept in `owner`.
MatrixView cells_of(const Trace& trace, const Step& step, const Focus& focus, std::shared_ptr<const Tensor>& owner);
// The same of its slice by that focus.
MatrixView cells_of(const Trace& trace, const Slice& slice, const Focus& focus, std::shared_ptr<const Tensor>& owner);

// A map of what queries take from keys: softmax's, or what is made of it.
bool is_weight(const Step& step);
// The step that hides keys from these weights: the masked scores, or the mask itself where scores are not set to −∞;
// null where none does.
const Step* masking_step(const Trace& trace, const Step& weights);
// How many of these cells are not hidden: of a query's row, the keys that it sees.
Index visible_cells(const MatrixView& cells);
// How many keys of a picture or a video the query of the focus sees, in all frames.
Index visible_keys(const Trace& trace, const Step& map, Focus focus);
// The maps of all heads of a step of queries and keys with −∞ where the key is hidden; its own numbers where none is.
std::shared_ptr<const Tensor> with_hidden(const Trace& trace, const Step& map);

// The one range of a step's picture, over all of its heads.
ValueRange range_of(const Step& step, Index batch);

// "Induction", or "Head 3" where heads have no names.
std::string head_name(const Trace& trace, Index head);
// "3" to stand before its name; empty where the name says it.
std::string head_number(const Trace& trace, Index head);
// The same in a step whose heads several of the run may share: "Heads 1–4", which have no number of their own.
std::string head_name(const Trace& trace, const Step& step, Index head);
std::string head_number(const Trace& trace, const Step& step, Index head);
// Within a line, by number alone: "head 3", "heads 1–4", "map 2".
std::string counted_head(const Trace& trace, const Step& step, Index head);

// "Head 2: Finds …" at a step of weights, where its weights were made by hand or have learned it; else empty.
std::string head_sentence(const Trace& trace, const Step& step, Index head);

// With a capital letter at its beginning.
std::string capitalized(std::string words);

// "weight", "score": what the numbers of a step are, beside the colour bar.
std::string quantity_of(const Step& step);

// "shared by all heads", or empty for a single one.
std::string sharing_of(const Step& step);

// Queries, keys or values of which others of their kind were made, which then stand for them: what was pooled.
bool is_replaced(const Trace& trace, const Step& step);

// "x_k is NaN at [0, 1, 0], where it begins; it goes on to the output": where numbers stop being finite, and how far
// that reaches.
std::string origin_in_words(const Trace& trace, const Origin& origin);

// A projection that scores or weighted sums read: queries, keys or values of each head, pooled if they are.
bool is_projection(const Trace& trace, const Step& step);

// Channels of one head, where a step lays those of all heads side by side; 0 for any other.
Index width_of_heads(const Trace& trace, const Step& step);

// Keys that were pooled from others.
struct PooledKeys {
  const Step* from;
  const Step* keys;
};
std::optional<PooledKeys> pooled_keys(const Trace& trace);

// The step that the rules made: a mask, or scores with one; null where nothing is masked.
const Step* masked_step(const Trace& trace);

// Where the focus's query finds none of the keys that its head looks for: what that row is then, in words. Empty where
// it finds some, where the head wants nothing of the kind, and where no query is chosen.
std::string why_head_finds_nothing(const Trace& trace, const Step& weights, const Focus& focus);
// Whether each row that has several keys looks at all of them nearly alike; a picture is the row of one query.
bool is_flat_map(const MatrixView& cells, bool of_one_query = false);

}  // namespace headlight::app
