#include <fmt/core.h>
#include <fontconfig/fontconfig.h>

#include "app/text/font_set_state.h"

namespace headlight {

namespace {

using Pattern = std::unique_ptr<FcPattern, decltype(&FcPatternDestroy)>;

const FcChar8* bytes_of(const char* text) {
  return reinterpret_cast<const FcChar8*>(text);
}

// fontconfig adds the locale's languages to any pattern: a figure must look the same in all of them.
void set_language(FcPattern* pattern, std::string_view language) {
  FcPatternDel(pattern, FC_LANG);
  if (!language.empty()) FcPatternAddString(pattern, FC_LANG, bytes_of(std::string(language).c_str()));
}

Pattern pattern_of(FcConfig* config, const FontWish& wish) {
  Pattern pattern(FcPatternCreate(), FcPatternDestroy);
  const char* letters = wish.serif ? "serif" : "sans-serif";
  const char* family = wish.emoji ? "emoji" : letters;
  FcPatternAddString(pattern.get(), FC_FAMILY, bytes_of(family));
  FcPatternAddInteger(pattern.get(), FC_WEIGHT, wish.bold ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
  FcPatternAddInteger(pattern.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(pattern.get(), FC_VARIABLE, FcFalse);  // cairo embeds no instances of them
  if (wish.emoji) FcPatternAddBool(pattern.get(), FC_COLOR, FcTrue);
  set_language(pattern.get(), wish.language);
  FcConfigSubstitute(config, pattern.get(), FcMatchPattern);
  set_language(pattern.get(), wish.language);
  FcDefaultSubstitute(pattern.get());
  return pattern;
}

bool flag_of(const FcPattern* font, const char* name) {
  FcBool value = FcFalse;
  return FcPatternGetBool(font, name, 0, &value) == FcResultMatch && value == FcTrue;
}

bool has(const FcPattern* font, char32_t character) {
  FcCharSet* characters = nullptr;
  return FcPatternGetCharSet(font, FC_CHARSET, 0, &characters) == FcResultMatch &&
         FcCharSetHasChar(characters, character) == FcTrue;
}

std::optional<SystemFont> font_of(const FcPattern* font) {
  FcChar8* file = nullptr;
  int index = 0;
  if (FcPatternGetString(font, FC_FILE, 0, &file) != FcResultMatch) return std::nullopt;
  FcPatternGetInteger(font, FC_INDEX, 0, &index);
  return SystemFont{reinterpret_cast<const char*>(file), index};
}

}  // namespace

SystemFonts::SystemFonts() {
  if (FcConfig* config = FcConfigReference(nullptr)) config_ = {config, FcConfigDestroy};
}

std::optional<SystemFont> SystemFonts::find(char32_t character, const FontWish& wish,
                                            const std::function<bool(const SystemFont&)>& fits) {
  const auto [entry, fresh] = sorted_.try_emplace(wish);
  if (fresh && config_) {
    const Pattern pattern = pattern_of(config_.get(), wish);
    FcResult result{};
    if (FcFontSet* sorted = FcFontSort(config_.get(), pattern.get(), FcFalse, nullptr, &result))
      entry->second = {sorted, FcFontSetDestroy};
  }
  const FcFontSet* fonts = entry->second.get();
  for (int i = 0; fonts && i < fonts->nfont; ++i) {
    const FcPattern* font = fonts->fonts[i];
    if (flag_of(font, FC_COLOR) != wish.emoji || !flag_of(font, FC_SCALABLE) || !has(font, character)) continue;
    if (const auto found = font_of(font); found && fits(*found)) return found;
  }
  return std::nullopt;
}

std::string font_advice(const std::string& packages) {
  return fmt::format("With Debian, install {}, and start again.", packages);
}

}  // namespace headlight
