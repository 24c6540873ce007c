#include "app/text/characters.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>

#include "engine/core/utf8.h"

namespace headlight {

namespace {

utf8proc_category_t category_of(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

bool is_regional_indicator(char32_t character) {
  return character >= 0x1F1E6 && character <= 0x1F1FF;
}

bool is_skin_tone(char32_t character) {
  return character >= 0x1F3FB && character <= 0x1F3FF;
}

// Emoji that need no selector are pictographs as wide as East Asian letters.
bool is_wide_pictograph(char32_t character) {
  const auto point = static_cast<utf8proc_int32_t>(character);
  return utf8proc_get_property(point)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC &&
         utf8proc_charwidth(point) == 2;
}

}  // namespace

bool is_variation_selector(char32_t character) {
  return (character >= 0xFE00 && character <= 0xFE0F) || (character >= 0xE0100 && character <= 0xE01EF);
}

bool is_invisible(char32_t character) {
  const utf8proc_category_t category = category_of(character);
  const bool separates = category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || separates ||
         is_variation_selector(character);
}

bool is_assigned(char32_t character) {
  const utf8proc_category_t category = category_of(character);
  return category != UTF8PROC_CATEGORY_CN && category != UTF8PROC_CATEGORY_CO && category != UTF8PROC_CATEGORY_CS;
}

bool is_control_code(char32_t character) {
  return category_of(character) == UTF8PROC_CATEGORY_CC;
}

bool is_emoji(std::u32string_view cluster) {
  constexpr char32_t as_text = 0xFE0E, as_emoji = 0xFE0F;
  if (cluster.empty() || cluster.find(as_text) != cluster.npos) return false;
  if (cluster.size() > 1 && cluster.find(as_emoji) != cluster.npos) return true;
  const char32_t first = cluster.front();
  return is_regional_indicator(first) || is_skin_tone(first) || is_wide_pictograph(first);
}

double usual_advance(char32_t character) {
  const utf8proc_category_t category = category_of(character);
  if (category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME) return 0;
  return utf8proc_charwidth(static_cast<utf8proc_int32_t>(character)) == 2 ? 1 : 0.6;
}

std::string code_of(char32_t character) {
  return fmt::format("U+{:04X}", static_cast<std::uint32_t>(character));
}

std::u32string code_points(std::string_view utf8) {
  std::u32string points;
  while (!utf8.empty()) {
    const Utf8Step step = utf8_step(utf8);
    points += step.character;
    utf8.remove_prefix(step.size);
  }
  return points;
}

std::string display_text(std::string_view token) {
  const std::string text = composed(token);
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t last = text.find_last_not_of(' ');
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(std::string_view(text).substr(at));
    const bool edge = at < first || last == std::string::npos || at > last;
    if (!step.sound)
      shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[at]));
    else if (step.character == U' ')
      shown += edge ? "·" : " ";
    else if (step.character == U'\n')
      shown += "⏎";
    else if (step.character == U'\t')
      shown += "⇥";
    else
      shown.append(text, at, step.size);
    at += step.size;
  }
  return shown;
}

}  // namespace headlight
