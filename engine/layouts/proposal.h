// Names for a layer that no layout knows: which arrays of a file may be its queries, keys, values and output, by their
// shapes and the words of their names. A guess, which somebody confirms or mends.
//
// Not for layouts that are known: layouts.h. Not for reading the arrays: own_layer.cpp.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/io/array_source.h"
#include "engine/io/own_names.h"
#include "engine/params/params.h"

namespace headlight {

// Arrays of one name but for the layer's number, all of one shape.
struct NamedFamily {
  std::string name;           // "enc.{l}.q.weight"; without {l} where it has no number
  Shape shape;                // of each
  std::vector<Index> layers;  // rising; empty where it has no number
  bool operator==(const NamedFamily&) const = default;
};

struct NamesProposed {
  OwnNames names;                     // by the ids of multi_head: w_q, w_k and w_v at least
  std::vector<NamedFamily> families;  // of the same layers, in natural order: what else could be named
  std::vector<Index> layers;          // empty: names have no number
};

// Floats of a file as families. Of several numbers in a name the first by which arrays differ
// counts layers.
std::vector<NamedFamily> families_in(const ArraySource& source);

// The likeliest layer; nothing where no three arrays can be queries, keys and values.
std::optional<NamesProposed> propose_names(const ArraySource& source);

// Whether a layer must have it: what makes queries, keys or values.
bool is_required(const std::string& id);
// "out_in" or "in_out", as the matrix of queries is held.
std::string matrix_order(const OwnNames& names);
// Channels of all heads of queries together; 0 where the names are of no family.
Index width_of_heads(const OwnNames& names, const std::vector<NamedFamily>& families);
// Channels of the stream that such a layer reads: what comes into w_q; 0 where the names are of no family.
Index input_width(const OwnNames& names, const std::vector<NamedFamily>& families);

// What multi_head needs to be told so that each array that is named has its place: block, norm, ffn and their like.
std::vector<std::pair<std::string, ParamValue>> params_for(const OwnNames& names);

}  // namespace headlight
