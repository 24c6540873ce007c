#include "engine/tokens/unicode_forms.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace headlight {

namespace {

constexpr char32_t first_decomposable = 0xA0;      // nothing below is another character in any form
constexpr char32_t first_composable = 0x300;       // nothing below goes into the character before it
constexpr std::size_t longest_decomposition = 32;  // Unicode's longest has 18 characters

int combining_class(char32_t c) {
  return c < first_composable ? 0 : utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

// What two characters are as one; nothing where they stay two.
std::optional<char32_t> composition(char32_t first, char32_t second) {
  if (second < first_composable) return std::nullopt;
  std::array<utf8proc_int32_t, 2> pair{static_cast<utf8proc_int32_t>(first), static_cast<utf8proc_int32_t>(second)};
  const auto size =
      utf8proc_normalize_utf32(pair.data(), 2, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (size != 1) return std::nullopt;
  return static_cast<char32_t>(pair[0]);
}

void part(const Sign& sign, bool compatible, Signs& into) {
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0));
  std::array<utf8proc_int32_t, longest_decomposition> parts;
  int ignored = 0;
  const auto size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(sign.character), parts.data(), parts.size(),
                                            options, &ignored);
  if (size < 0 || size > static_cast<utf8proc_ssize_t>(parts.size())) return into.push_back(sign);
  for (const auto c : std::span(parts).first(static_cast<std::size_t>(size)))
    into.push_back({static_cast<char32_t>(c), sign.from});
}

// Marks behind a character stand in the order of their classes.
void order_marks(Signs& signs) {
  for (std::size_t i = 0; i < signs.size();) {
    const auto begin = i;
    while (i < signs.size() && combining_class(signs[i].character) != 0) ++i;
    if (i - begin > 1)
      std::stable_sort(
          signs.begin() + static_cast<std::ptrdiff_t>(begin), signs.begin() + static_cast<std::ptrdiff_t>(i),
          [](const Sign& a, const Sign& b) { return combining_class(a.character) < combining_class(b.character); });
    i += i == begin;
  }
}

}  // namespace

void decompose(Signs& signs, bool compatible) {
  if (std::ranges::all_of(signs, [](const Sign& sign) { return sign.character < first_decomposable; })) return;
  Signs parted;
  parted.reserve(signs.size());
  for (const Sign& sign : signs) {
    if (sign.character < first_decomposable)
      parted.push_back(sign);
    else
      part(sign, compatible, parted);
  }
  signs = std::move(parted);
  order_marks(signs);
}

void compose(Signs& signs, bool compatible) {
  decompose(signs, compatible);
  constexpr auto none = static_cast<std::size_t>(-1);
  std::size_t starter = none;  // the last character that marks may go into
  int class_before = 0;        // of what stands between it and the next character
  std::size_t size = 0;
  for (const Sign sign : signs) {
    const int its_class = combining_class(sign.character);
    const bool reaches = starter != none && (class_before == 0 || class_before < its_class);
    if (const auto made = reaches ? composition(signs[starter].character, sign.character) : std::nullopt) {
      ByteSpan& from = signs[starter].from;
      from = {std::min(from.begin, sign.from.begin), std::max(from.end, sign.from.end)};
      signs[starter].character = *made;
      continue;
    }
    if (its_class == 0) starter = size;
    class_before = its_class;
    signs[size++] = sign;
  }
  signs.resize(size);
}

}  // namespace headlight
