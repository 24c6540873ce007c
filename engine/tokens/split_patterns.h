// The regular expressions by which byte-level tokenizers part text, written out by hand: each takes time in proportion
// to the text, and none of them runs what a file says.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "engine/tokens/signs.h"

namespace headlight {

enum class SplitPattern { gpt2, llama3, qwen2, clip };

// By the expression as it stands in tokenizer.json, letter for letter.
std::optional<SplitPattern> pattern_of(std::string_view expression);
std::string_view expression_of(SplitPattern pattern);

// Where the piece that begins at `at` ends. Every character is in one of the pieces.
std::size_t end_of_piece(SplitPattern pattern, std::span<const SourceChar> text, std::size_t at);

}  // namespace headlight
