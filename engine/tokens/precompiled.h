// sentencepiece's table of replacements, "precompiled_charsmap" of tokenizer.json: a double-array trie and the texts
// that its leaves point at. Source: Kudo and Richardson 2018, section 3.2; Yata's Darts-clone for the trie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/tokens/signs.h"

namespace headlight {

class Precompiled {
 public:
  // Errors: no base64, or a trie that is longer than the whole.
  static Result<Precompiled> read(std::string_view base64);

  // Replaces grapheme clusters of fewer than 6 bytes that the table has, and single characters of the others.
  void normalize(Signs& signs) const;

 private:
  // What the shortest beginning of the text that is in the table becomes.
  std::optional<std::string_view> replacement(std::string_view text) const;

  std::vector<std::uint32_t> units_;
  std::string texts_;  // each ended by a 0
};

}  // namespace headlight
