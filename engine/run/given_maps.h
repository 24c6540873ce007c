// Attention weights that somebody saved, as layers of (batch, heads, queries, keys): what axes their array has, or
// which of several arrays is which layer.
//
// Not for reading files: run_cache.h. Not for what the weights look like: variants/given.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/run/run_cache.h"

namespace headlight {

struct GivenMaps {
  std::vector<std::shared_ptr<const Tensor>> layers;  // each (B, M, n_q, n_k), all of one shape
  bool layered = false;                               // else the one there is has no number
  std::string axes;                                   // "layers, heads, queries, keys": of the array, or of each
  Shape shape;                                        // as it was given: of the array, or of the first
  std::optional<GridSize> query_grid, key_grid;       // where two axes of the array are rows and columns of a picture
  bool of_edges = false;                              // the pairs are those of a graph
  std::vector<std::string> notices;                   // what was assumed
};

inline constexpr Index most_layers = 512;

struct MapMeaning {
  std::string axes = {};           // a letter each (check_map_axes); empty: the usual ones
  std::string global_tokens = {};  // of the keys of a window: whose columns stand before it, "0,8"
  float absent = 0;                // of pairs that the file has no number for: −∞ among scores
};

// One array, of 2 to 5 axes: (queries, keys), (heads, …), (layers, heads, …), (layers, batch, heads, …), or as `axes`
// say. Several: each a layer, in the natural order of their names, or the steps of a text that was generated, joined to
// one map a layer, or the edges of a graph with their weights. `file` begins errors.
Result<GivenMaps> given_maps(const ReadArrays& arrays, const MapMeaning& meaning, const std::string& file);

// What the axes of such an array mean where nobody says, a letter each; empty: it has too few or too many. `several`:
// there are more arrays beside it, a layer each.
std::string usual_map_axes(const Shape& shape, bool several);
// What they may mean besides, the commonest first.
const std::vector<std::string>& map_axes_of_rank(std::size_t rank);
// "layers, heads, queries, keys"
std::string map_axes_in_words(std::string_view axes);
// "3 layers · 4 heads · 20 queries · 20 keys"
std::string map_axes_in_words(std::string_view axes, const Shape& shape);

// The arrays of a text that a decoder generated word by word, a tuple a step of one array (batch, heads, queries, keys)
// a layer: step 0 has the queries of the prompt, each other one or as many; keys are those of the source, or grow by
// the step's queries. `names` in natural order; nothing where they are something else.
struct GeneratedSteps {
  std::vector<std::vector<std::string>> layers;  // the arrays of each, step after step
  Index queries = 0, keys = 0;                   // of the joined map: of all steps, and of the last
};
std::optional<GeneratedSteps> generated_steps(const std::vector<std::pair<std::string, Shape>>& names);

// Whether arrays of that name are a Longformer's of its global tokens: a column for each, a row for each key.
bool is_global_attention(std::string_view name);
// Why arrays that `member` names are no rows of all keys, of a file's names and shapes: a Longformer's are of windows,
// behind columns of its global tokens. Empty where nothing beside them tells.
std::string window_hint(const std::vector<std::pair<std::string, Shape>>& all, const std::string& member);

// The arrays that `member` names: all where it is empty, those that fit where it has a "*".
Result<ReadArrays> members_of(const ReadArrays& arrays, const std::string& member, const std::string& file);

}  // namespace headlight
