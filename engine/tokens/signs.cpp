#include "engine/tokens/signs.h"

#include <algorithm>

#include "engine/core/utf8.h"

namespace headlight {

SourceChars source_chars(std::string_view text, std::uint32_t at) {
  SourceChars chars;
  chars.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = utf8_step(text.substr(i));
    const auto begin = at + static_cast<std::uint32_t>(i);
    chars.push_back({step.character, {begin, begin + static_cast<std::uint32_t>(step.size)}});
    i += step.size;
  }
  return chars;
}

void append_chars(SourceChars& chars, std::string_view text, ByteSpan from) {
  while (!text.empty() && chars.size() <= max_chars) {
    const Utf8Step step = utf8_step(text);
    chars.push_back({step.character, from});
    text.remove_prefix(step.size);
  }
}

std::size_t utf8_size(char32_t character) {
  if (character < 0x80) return 1;
  if (character < 0x800) return 2;
  return character < 0x10000 ? 3 : 4;
}

ByteSpan span_of(std::span<const SourceChar> chars) {
  ByteSpan all = chars.front().from;
  for (const SourceChar& source : chars.subspan(1)) {
    all.begin = std::min(all.begin, source.from.begin);
    all.end = std::max(all.end, source.from.end);
  }
  return all;
}

ByteSpan span_of_byte(const SourceChar& source, std::size_t byte) {
  if (utf8_size(source.character) != source.from.end - source.from.begin) return source.from;
  const auto begin = source.from.begin + static_cast<std::uint32_t>(byte);
  return {begin, begin + 1};
}

CharText text_of(std::span<const SourceChar> chars) {
  CharText result;
  result.text.reserve(chars.size());
  result.begins.reserve(chars.size() + 1);
  for (const SourceChar& source : chars) {
    result.begins.push_back(static_cast<std::uint32_t>(result.text.size()));
    if (source.character < 0x80)
      result.text.push_back(static_cast<char>(source.character));
    else
      append_utf8(result.text, source.character);
  }
  result.begins.push_back(static_cast<std::uint32_t>(result.text.size()));
  return result;
}

}  // namespace headlight
