// The 256 letters by which byte-level tokenizers write bytes, so that no token holds white space or half a character.
// Source: Radford et al. 2019, the code of GPT-2 (bytes_to_unicode).
#pragma once

#include <cstdint>
#include <optional>

namespace headlight {

char32_t letter_of_byte(std::uint8_t byte);
std::optional<std::uint8_t> byte_of_letter(char32_t letter);

}  // namespace headlight
