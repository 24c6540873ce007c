#include "engine/tokens/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

namespace headlight {

namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool between(char32_t c, char32_t least, char32_t most) {
  return c >= least && c <= most;
}

}  // namespace

bool is_white(char32_t c) {
  if (c < 0x80) return c == ' ' || between(c, 9, 13);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || between(c, 0x2000, 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_letter(char32_t c) {
  if (c < 0x80) return between(c | 0x20U, 'a', 'z');
  const auto of = category(c);
  return of >= UTF8PROC_CATEGORY_LU && of <= UTF8PROC_CATEGORY_LO;
}

bool is_number(char32_t c) {
  if (c < 0x80) return between(c, '0', '9');
  const auto of = category(c);
  return of >= UTF8PROC_CATEGORY_ND && of <= UTF8PROC_CATEGORY_NO;
}

bool is_mark(char32_t c) {
  const auto of = category(c);
  return of >= UTF8PROC_CATEGORY_MN && of <= UTF8PROC_CATEGORY_ME;
}

bool is_nonspacing_mark(char32_t c) {
  return c >= 0x80 && category(c) == UTF8PROC_CATEGORY_MN;
}

bool is_other(char32_t c) {
  const auto of = category(c);
  return of == UTF8PROC_CATEGORY_CN || (of >= UTF8PROC_CATEGORY_CC && of <= UTF8PROC_CATEGORY_CO);
}

bool is_word(char32_t c) {
  if (c < 0x80) return is_letter(c) || is_number(c) || c == '_';
  const auto of = category(c);
  const bool circled_letter = between(c, 0x24B6, 0x24E9) || between(c, 0x1F130, 0x1F149) ||
                              between(c, 0x1F150, 0x1F169) || between(c, 0x1F170, 0x1F189);
  return is_letter(c) || is_mark(c) || of == UTF8PROC_CATEGORY_ND || of == UTF8PROC_CATEGORY_NL ||
         of == UTF8PROC_CATEGORY_PC || c == 0x200C || c == 0x200D || circled_letter;
}

bool is_bert_punctuation(char32_t c) {
  if (c < 0x80) return between(c, 33, 47) || between(c, 58, 64) || between(c, 91, 96) || between(c, 123, 126);
  const auto of = category(c);
  return of >= UTF8PROC_CATEGORY_PC && of <= UTF8PROC_CATEGORY_PO;
}

bool is_ideograph(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 8> blocks{{{0x3400, 0x4DBF},
                                                                 {0x4E00, 0x9FFF},
                                                                 {0xF900, 0xFAFF},
                                                                 {0x20000, 0x2A6DF},
                                                                 {0x2A700, 0x2B73F},
                                                                 {0x2B740, 0x2B81F},
                                                                 {0x2B820, 0x2CEAF},
                                                                 {0x2F800, 0x2FA1F}}};
  return c >= blocks.front().first &&
         std::ranges::any_of(blocks, [&](const auto& block) { return between(c, block.first, block.second); });
}

namespace {

constexpr char32_t first_made = 0x100;  // of the letters for bytes that are no letters themselves

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

constexpr std::array<char32_t, 256> letters = [] {
  std::array<char32_t, 256> made{};
  char32_t next = first_made;
  for (unsigned byte = 0; byte < 256; ++byte) made[byte] = stands_for_itself(byte) ? byte : next++;
  return made;
}();

constexpr std::size_t made_count = 68;
static_assert(letters[' '] == 0x120 && letters[173] == first_made + made_count - 1);

constexpr std::array<std::uint8_t, made_count> bytes_of_made = [] {
  std::array<std::uint8_t, made_count> bytes{};
  for (unsigned byte = 0; byte < 256; ++byte)
    if (letters[byte] >= first_made) bytes[letters[byte] - first_made] = static_cast<std::uint8_t>(byte);
  return bytes;
}();

}  // namespace

char32_t letter_of_byte(std::uint8_t byte) {
  return letters[byte];
}

std::optional<std::uint8_t> byte_of_letter(char32_t letter) {
  if (letter < 256 && stands_for_itself(letter)) return static_cast<std::uint8_t>(letter);
  if (letter >= first_made && letter < first_made + made_count) return bytes_of_made[letter - first_made];
  return std::nullopt;
}

}  // namespace headlight
