// What somebody says about the positions of an array: tokens, and a picture that they lie on.
//
// Not for what text and pictures become as numbers: inputs.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/variants/variant.h"

namespace headlight {

// The lists of words: of a JSON file a list, an object with "tokens", or a list of lists for a batch; of another text
// file a word a line.
Result<std::vector<std::vector<std::string>>> read_tokens(const TokenList& tokens, const std::filesystem::path& folder);

// One label for all items of a batch: what they share, else all of them, "cat | dog".
std::vector<std::string> labels_together(const std::vector<std::vector<std::string>>& lists);

// Positions along an axis, for messages.
struct LabelledPositions {
  std::string symbol;
  Index count = 0;
  Index items = 1;    // of the batch
  std::string words;  // "4 queries: (2, 3, 4, 4) is layers, heads, queries, keys"
};

// Puts what the labels say of these positions into the problem. `where` is what stands before the keys in messages,
// "inputs.weights"; `before` is "" or "key_"; `file` the array's name; tokens are put as people read them unless
// `raw_tokens`. Notices say what was assumed.
Status put_labels(Problem& problem, const LabelledPositions& positions, const TokenList& tokens,
                  const PictureLabel& picture, const std::filesystem::path& folder, const std::string& where,
                  const std::string& before, const std::string& file, bool raw_tokens = false);

}  // namespace headlight
