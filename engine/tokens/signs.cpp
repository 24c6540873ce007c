#include "engine/tokens/signs.h"

#include <algorithm>

#include "engine/core/utf8.h"

namespace headlight {

Signs signs_of(std::string_view text, std::uint32_t at) {
  Signs signs;
  signs.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = utf8_step(text.substr(i));
    const auto begin = at + static_cast<std::uint32_t>(i);
    signs.push_back({step.character, {begin, begin + static_cast<std::uint32_t>(step.size)}});
    i += step.size;
  }
  return signs;
}

void append_signs(Signs& signs, std::string_view text, ByteSpan from) {
  while (!text.empty() && signs.size() <= most_signs) {
    const Utf8Step step = utf8_step(text);
    signs.push_back({step.character, from});
    text.remove_prefix(step.size);
  }
}

std::size_t utf8_size(char32_t character) {
  if (character < 0x80) return 1;
  if (character < 0x800) return 2;
  return character < 0x10000 ? 3 : 4;
}

ByteSpan span_of(std::span<const Sign> signs) {
  ByteSpan all = signs.front().from;
  for (const Sign& sign : signs.subspan(1)) {
    all.begin = std::min(all.begin, sign.from.begin);
    all.end = std::max(all.end, sign.from.end);
  }
  return all;
}

ByteSpan span_of_byte(const Sign& sign, std::size_t byte) {
  if (utf8_size(sign.character) != sign.from.end - sign.from.begin) return sign.from;
  const auto begin = sign.from.begin + static_cast<std::uint32_t>(byte);
  return {begin, begin + 1};
}

SignText text_of(std::span<const Sign> signs) {
  SignText result;
  result.text.reserve(signs.size());
  result.begins.reserve(signs.size() + 1);
  for (const Sign& sign : signs) {
    result.begins.push_back(static_cast<std::uint32_t>(result.text.size()));
    if (sign.character < 0x80)
      result.text.push_back(static_cast<char>(sign.character));
    else
      append_utf8(result.text, sign.character);
  }
  result.begins.push_back(static_cast<std::uint32_t>(result.text.size()));
  return result;
}

}  // namespace headlight
