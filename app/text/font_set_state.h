// What a font set keeps: the faces that it has opened, and what it knows of characters. For font_set.cpp and
// line_setting.cpp alone.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/text/font_set.h"
#include "app/text/system_fonts.h"

namespace headlight {

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
