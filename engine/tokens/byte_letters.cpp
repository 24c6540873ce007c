#include "engine/tokens/byte_letters.h"

#include <array>

namespace headlight {

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
