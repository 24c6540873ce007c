// Tokens that are looked for in the text before all else, [MASK] or </s>, and cut it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/json_fields.h"
#include "engine/tokens/prefix_tree.h"

namespace headlight {

struct AddedToken {
  std::int32_t id = 0;
  std::string content;
  bool single_word = false;  // not beside a letter
  bool strips_left = false;  // the white space beside it belongs to it
  bool strips_right = false;
  bool normalized = false;  // looked for after the normalizer
};

// Of "added_tokens" in tokenizer.json. Errors: something else than a list of them, ids that no token can have.
Result<std::vector<AddedToken>> added_tokens_of(const Json& parts);

// A piece of a text in bytes, and the token that it is; −1 for what lies between them.
struct TextCut {
  std::int32_t id = -1;
  std::size_t begin = 0;
  std::size_t end = 0;
};

class TextCutter {
 public:
  TextCutter() = default;
  explicit TextCutter(std::vector<AddedToken> tokens);

  // All of the text, in order: the leftmost token, of those the longest, and so on. Takes time in proportion to the
  // text, times the longest token at worst.
  std::vector<TextCut> cut(std::string_view text) const;

 private:
  std::vector<AddedToken> tokens_;
  PrefixTree tree_;
};

}  // namespace headlight
