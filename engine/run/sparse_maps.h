// Attention that was saved for some pairs alone, as a map of all of them: the edges of a graph with a weight each, and
// rows whose keys are those of a window round their query.
//
// Not for attention that has its keys along an axis: given_maps.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/run/given_maps.h"

namespace headlight {

// Which of several arrays may hold edges, by shapes alone: the only one that is (2, E), beside arrays of E rows, (E) or
// (E, heads). Nothing: none does, or all have one shape, which are layers.
std::optional<std::string> edges_by_shapes(const std::vector<std::pair<std::string, Shape>>& arrays);
// The same of arrays that were read: edges are whole numbers.
std::optional<std::string> edges_among(const ReadArrays& arrays);

// As graph networks save them (Fey and Lenssen 2019, PyTorch Geometric: source_to_target): node edges[1, e] looks at
// node edges[0, e] by weights[e], or weights[e, head]. Each array of weights becomes a layer (1, heads, nodes, nodes),
// in the order of `names`, which are those of all arrays; pairs without an edge are `absent`, edges between the same
// two nodes add up.
Result<GivenMaps> maps_of_edges(const ReadArrays& arrays, std::vector<std::string> names, const std::string& edges,
                                float absent, const std::string& file);

// (B, M, n, G + W) to (B, M, n, n), as Longformer saves them (Beltagy et al. 2020; transformers): the first G columns
// are the keys `global_tokens`, column G + s the key that stands s − (W − 1)/2 after its query. Other keys are
// `absent`. Errors: a window of an even number of keys; weight outside of the n tokens.
Result<std::shared_ptr<const Tensor>> spread_windows(const Tensor& rows, const std::vector<Index>& global_tokens,
                                                     float absent, const std::string& file);

// Whether the keys of such rows look like those of a window: further columns than the middle one are 0 wherever they
// would stand outside of the tokens, and some are not elsewhere.
bool look_like_windows(const Tensor& rows);

}  // namespace headlight
