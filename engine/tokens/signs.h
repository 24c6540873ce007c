// A text on its way through a tokenizer: its characters, and which bytes of the text as typed each of them came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// Bytes [begin, end) of the text as typed; empty where something was put in that stands for none of it.
struct ByteSpan {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct SourceChar {
  char32_t character = 0;
  ByteSpan from;
};
using SourceChars = std::vector<SourceChar>;

// Of a text that begins at byte `at` of what was typed. A byte that is no UTF-8 is U+FFFD.
SourceChars source_chars(std::string_view text, std::uint32_t at);

// What a tokenizer's file makes of a text grows no further than this.
inline constexpr std::size_t max_chars = std::size_t{1} << 24;

// The characters of a text from a tokenizer's file, which all come from the same bytes; none of them beyond max_chars.
void append_chars(SourceChars& chars, std::string_view text, ByteSpan from);

std::size_t utf8_size(char32_t character);

// From the first byte that they came from to the last. They must not be empty.
ByteSpan span_of(std::span<const SourceChar> chars);

// Where a byte of a character's UTF-8 came from: its own place where the source has as many bytes as it came from, else
// all.
ByteSpan span_of_byte(const SourceChar& source, std::size_t byte);

// The text of chars, and at which of its bytes each of them begins; its size after them.
struct CharText {
  std::string text;
  std::vector<std::uint32_t> begins;
};
CharText text_of(std::span<const SourceChar> chars);

}  // namespace headlight
