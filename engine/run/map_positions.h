// Of attention that is given: positions that are left out, and the pieces of words as one position.
//
// Not for what axes an array has: given_maps.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/run/given_maps.h"

namespace headlight {

// Keeps the positions that the labels choose, of queries and, where there are as many keys, of keys; then adds up the
// keys of a word's pieces and averages its queries. The labels come back with the words of what is kept. `where` is
// "inputs.weights", `file` the name of the array. Errors: positions that are none; pieces without words or marks, or
// with a picture, or that differ between the items of a batch.
Result<ArrayLabels> choose_positions(GivenMaps& maps, const ArrayLabels& labels, const std::filesystem::path& folder,
                                     const std::string& where, const std::string& file);

// A sentence about keys that no query of any head and layer looks at, as those of padding are; empty where there are
// none, or all of a map has no weight.
std::string unseen_keys_in_words(const GivenMaps& maps, const std::string& file);

// "0-8,12" as numbers below `count`, in that order and each once. `key` begins errors.
Result<std::vector<Index>> positions_in(std::string_view text, Index count, const std::string& key);
// "0-8, 12": numbers as a user writes them, runs as one.
std::string ranges_in_words(const std::vector<Index>& numbers);

}  // namespace headlight
