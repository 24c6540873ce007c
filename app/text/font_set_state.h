// What a font set keeps: the faces that it has opened, what it knows of characters, and the machine's own fonts. For
// font_set.cpp and line_setting.cpp alone.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/text/font_set.h"

struct _FcConfig;  // as fontconfig names them
struct _FcFontSet;

namespace headlight {

// ---- The machine's own fonts, by fontconfig, or in a browser those dropped on the page: the one for a character that
// the program's fonts lack. Which one that is depends on the fonts and on fontconfig's settings, not on the locale nor
// on what was asked before.

struct SystemFont {
  std::filesystem::path file;
  int index = 0;  // of the face in its file, and of a variable font's instance in the upper 16 bits
};

struct FontWish {
  bool serif = false, bold = false;
  bool emoji = false;         // in colour
  std::string_view language;  // BCP 47; empty: any

  auto operator<=>(const FontWish&) const = default;
};

// Sorts the fonts once for each wish, when first asked. Belongs to one thread at a time.
class SystemFonts {
 public:
  SystemFonts();

  // The first of the fonts, in fontconfig's order, that has the character and that `fits`. Fonts of pixels are left out
  // but for emoji.
  std::optional<SystemFont> find(char32_t character, const FontWish& wish,
                                 const std::function<bool(const SystemFont&)>& fits);

 private:
  std::shared_ptr<_FcConfig> config_;
  std::map<FontWish, std::shared_ptr<_FcFontSet>> sorted_;
};

// ---- What a font set keeps

struct LoadedFace {
  std::shared_ptr<FT_FaceRec_> face;  // keeps the library
  std::shared_ptr<hb_font_t> shaping;
  double units = 0;  // of an em
  bool color = false;
};

struct FontSet::State {
  std::shared_ptr<FT_LibraryRec_> library;
  std::vector<LoadedFace> faces;  // by Face
  std::size_t further = 0;        // of those from Face::more on, these are asked for any character
  bool use_system = true, serif = false;
  std::unique_ptr<SystemFonts> system;  // from the first character on that needs it
  std::map<std::pair<std::filesystem::path, int>, std::optional<Face>> opened;
  std::map<std::pair<FontWish, char32_t>, std::optional<Face>> found;

  // Errors: it cannot be read.
  Result<Face> open(const std::filesystem::path& file, int index);
  // The system's face for a character.
  std::optional<Face> system_face(char32_t character, const FontWish& wish);
  const LoadedFace& loaded(Face face) const { return faces[static_cast<std::size_t>(face)]; }
  bool has(Face face, char32_t character) const { return FT_Get_Char_Index(loaded(face).face.get(), character) != 0; }

 private:
  bool fits(const SystemFont& font, char32_t character, const FontWish& wish);
};

}  // namespace headlight
