#include "engine/core/base64.h"

#include <array>
#include <cstdint>

namespace headlight {

namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t none = 64;

constexpr std::array<std::uint8_t, 256> values = [] {
  std::array<std::uint8_t, 256> of{};
  of.fill(none);
  for (std::size_t i = 0; i < digits.size(); ++i)
    of[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
  return of;
}();

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
    };
    const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (unsigned k = 0; k < 4; ++k) text += i + k <= bytes.size() ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

Result<std::string> from_base64(std::string_view text) {
  const std::size_t whole = text.size();
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1 || (text.size() != whole && whole % 4 != 0)) return fail("it ends in the middle of a byte");
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint8_t value = values[static_cast<unsigned char>(text[i])];
    if (value == none) return fail("sign {} is none of A-Z, a-z, 0-9, + and /", i + 1);
    bits = bits << 6U | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count));
  }
  if ((bits & ((1U << count) - 1U)) != 0) return fail("its last sign holds more than a byte does");
  return bytes;
}

}  // namespace headlight
