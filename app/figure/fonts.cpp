#include "app/figure/fonts.h"

#include <utf8proc.h>

#include <cstdlib>

#include "engine/io/file.h"

namespace headlight {

namespace {

constexpr char32_t replacement_character = 0xFFFD;
constexpr std::string_view ellipsis = "…";

std::u32string code_points(std::string_view utf8) {
  std::u32string points;
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(utf8.data());
  auto left = static_cast<utf8proc_ssize_t>(utf8.size());
  while (left > 0) {
    utf8proc_int32_t point = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(at, left, &point);
    points += length > 0 ? static_cast<char32_t>(point) : replacement_character;
    at += length > 0 ? length : 1;
    left -= length > 0 ? length : 1;
  }
  return points;
}

std::string utf8_of(char32_t character) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes);
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)};
}

// Controls, format characters and the like, which have no look of their own even where a font has a glyph for them.
bool is_invisible(char32_t character) {
  const auto point = static_cast<utf8proc_int32_t>(character);
  const utf8proc_category_t category = utf8proc_category(point);
  const bool separates = category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
  const bool variation_selector = point >= 0xFE00 && point <= 0xFE0F;
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || separates || variation_selector;
}

}  // namespace

Result<FontSet> FontSet::load(const FontFiles& files) {
  FontSet fonts;
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return fail("FreeType could not be started");
  const std::shared_ptr<FT_LibraryRec_> owner(library, FT_Done_FreeType);
  const std::array paths{&files.regular, &files.semibold, &files.mono, &files.fallback};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    FT_Face face = nullptr;
    if (FT_New_Face(library, paths[i]->c_str(), 0, &face) != 0) {
      return fail("{}: not a font that can be read: check that the file is there", paths[i]->string());
    }
    fonts.faces_[i] = {face, [owner](FT_Face done) { FT_Done_Face(done); }};
    if (!FT_IS_SCALABLE(face)) return fail("{}: a font of pixels: use one of outlines", paths[i]->string());
  }
  return fonts;
}

double FontSet::advance(Face face, unsigned glyph, double size) const {
  FT_Face font = this->face(face);
  if (FT_Load_Glyph(font, glyph, FT_LOAD_NO_SCALE) != 0) return 0;
  return static_cast<double>(font->glyph->metrics.horiAdvance) * size / font->units_per_EM;
}

bool FontSet::append(TextLine& line, Face face, char32_t character) const {
  if (is_invisible(character)) return false;
  for (const Face candidate : {face, Face::fallback}) {
    const unsigned index = FT_Get_Char_Index(this->face(candidate), character);
    if (index == 0) continue;
    line.glyphs.push_back({candidate, index, line.width});
    line.width += advance(candidate, index, line.size);
    return true;
  }
  return false;
}

void FontSet::append_code(TextLine& line, char32_t character) const {
  for (const char c : fmt::format("U+{:04X}", static_cast<std::uint32_t>(character))) {
    append(line, line.face, static_cast<char32_t>(c));
  }
}

TextLine FontSet::set(Face face, double size, std::string_view utf8) const {
  TextLine line{{}, size, 0, std::string(utf8), face, {}, {}, {}};
  for (const char32_t character : code_points(utf8)) {
    const std::size_t glyphs = line.glyphs.size();
    const std::size_t bytes = line.shown.size();
    if (!append(line, face, character)) append_code(line, character);
    line.shown +=
        is_invisible(character) ? fmt::format("U+{:04X}", static_cast<std::uint32_t>(character)) : utf8_of(character);
    line.clusters.push_back(
        {static_cast<int>(line.shown.size() - bytes), static_cast<int>(line.glyphs.size() - glyphs)});
  }
  return line;
}

TextLine FontSet::set_within(double limit, Face face, double size, std::string_view utf8) const {
  TextLine line = set(face, size, utf8);
  if (line.width <= limit) return line;
  const TextLine dots = set(face, size, ellipsis);
  std::size_t kept = line.shown.size();
  while (!line.clusters.empty() && line.width + dots.width > limit) {
    const Cluster last = line.clusters.back();
    const std::size_t glyphs = line.glyphs.size() - static_cast<std::size_t>(last.glyphs);
    line.width = line.glyphs[glyphs].x;
    line.glyphs.resize(glyphs);
    line.clusters.pop_back();
    kept -= static_cast<std::size_t>(last.bytes);
  }
  line.cut = line.shown.substr(kept);
  line.shown = line.shown.substr(0, kept) + dots.shown;
  line.clusters.insert(line.clusters.end(), dots.clusters.begin(), dots.clusters.end());
  for (Glyph glyph : dots.glyphs) {
    glyph.x += line.width;
    line.glyphs.push_back(glyph);
  }
  line.width += dots.width;
  return line;
}

bool is_serif(FT_Face face) {
  const std::string_view name = face->family_name ? face->family_name : "";
  return name.find("Roman") != std::string_view::npos || name.find("Serif") != std::string_view::npos ||
         name.find("Times") != std::string_view::npos;
}

std::string display_text(std::string_view token) {
  std::string text(token);
  // utf8proc gives nothing for broken UTF-8, which set() shows character by character.
  if (auto* composed = utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()))) {
    if (text.find('\0') == std::string::npos) text = reinterpret_cast<const char*>(composed);
    std::free(composed);
  }
  std::string shown;
  std::size_t spaces = 0;
  while (spaces < text.size() && text[spaces] == ' ') ++spaces;
  for (std::size_t i = 0; i < spaces; ++i) shown += "·";
  return shown + text.substr(spaces);
}

FontFiles font_files_in(const std::filesystem::path& folder) {
  return {folder / "Inter-Regular.otf", folder / "Inter-SemiBold.otf", folder / "JetBrainsMono-Regular.ttf",
          folder / "DejaVuSans.ttf"};
}

Result<FontFiles> font_files_named(const std::filesystem::path& folder, const std::string& name) {
  FontFiles files = font_files_in(folder);
  if (name == "sans") return files;
  if (name == "serif") {
    files.regular = files.mono = folder / "lmroman10-regular.otf";
    files.semibold = folder / "lmroman10-bold.otf";
    return files;
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(name, ignored)) {
    return fail("font: {} is neither sans, nor serif, nor a font file", one_line(name));
  }
  files.regular = files.semibold = files.mono = name;
  return files;
}

}  // namespace headlight
