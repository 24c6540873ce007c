#include "app/text/font_set.h"

#include <fmt/core.h>
#include <hb.h>

#include <algorithm>
#include <set>

#include "app/text/font_set_state.h"
#include "engine/core/memory.h"
#include "engine/core/system/paths.h"

namespace headlight {

namespace {

constexpr std::size_t most_characters_known = 1 << 14;
constexpr double room_for_a_page = 64 << 20;  // bytes: a usual page takes a quarter of it

FontWish wish_of(Face face, bool serif, bool emoji, std::string_view language) {
  return {.serif = serif,
          .bold = face == Face::semibold || face == Face::mono_semibold,
          .emoji = emoji,
          .language = language};
}

}  // namespace

Result<Face> FontSet::State::open(const std::filesystem::path& file, int index) {
  FT_Face face = nullptr;
  if (FT_New_Face(library.get(), file.c_str(), index, &face) != 0)
    return fail("{}: not a font that can be read: check that the file is there", utf8(file));
  LoadedFace made{{face, [owner = library](FT_Face done) { FT_Done_Face(done); }}, shaping_font(face), 0, false};
  made.units = hb_face_get_upem(hb_font_get_face(made.shaping.get()));
  made.color = FT_HAS_COLOR(face);
  if (!FT_IS_SCALABLE(face) && !made.color) return fail("{}: a font of pixels: use one of outlines", utf8(file));
  faces.push_back(std::move(made));
  return static_cast<Face>(faces.size() - 1);
}

bool FontSet::State::fits(const SystemFont& font, char32_t character, const FontWish& wish) {
  const auto [entry, fresh] = opened.try_emplace({font.file, font.index});
  if (fresh)
    if (const auto face = open(font.file, font.index)) entry->second = *face;
  if (!entry->second) return false;
  const LoadedFace& opened_face = loaded(*entry->second);
  FT_Face face = opened_face.face.get();
  const unsigned glyph = FT_Get_Char_Index(face, character);
  return glyph != 0 && (wish.emoji ? color_glyph(face, glyph).has_value() : !opened_face.color);
}

std::optional<Face> FontSet::State::system_face(char32_t character, const FontWish& wish) {
  if (!use_system) return std::nullopt;
  if (found.size() > most_characters_known) found.clear();
  const auto [entry, fresh] = found.try_emplace({wish, character});
  if (!fresh) return entry->second;
  if (!system) system = std::make_unique<SystemFonts>();
  const auto font = system->find(character, wish, [&](const SystemFont& f) { return fits(f, character, wish); });
  if (font) entry->second = opened.at({font->file, font->index});
  return entry->second;
}

void FontSet::refresh_fonts() {
  state_->found.clear();
  state_->system.reset();
}

Result<FontSet> FontSet::load(const FontFiles& files) {
  HL_CHECK(check_room(room_for_a_page));
  FontSet fonts;
  fonts.state_ = std::make_shared<State>();
  State& state = *fonts.state_;
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return fail("FreeType could not be started");
  state.library = {library, FT_Done_FreeType};
  const auto given = [](const std::filesystem::path& file, const std::filesystem::path& other) {
    return file.empty() ? other : file;
  };
  // By Face.
  std::vector<std::filesystem::path> paths{
      files.regular, given(files.medium, files.regular), files.semibold, files.mono, {}, files.fallback};
  paths[static_cast<std::size_t>(Face::mono_semibold)] = given(files.mono_semibold, files.mono);
  paths.insert(paths.end(), files.further.begin(), files.further.end());
  for (const auto& path : paths) {
    HL_TRY(const Face face, state.open(path, 0));
    if (state.loaded(face).color) return fail("{}: a font of pictures: use one of outlines", utf8(path));
  }
  state.further = files.further.size();
  state.use_system = files.system;
  state.serif = is_serif(fonts.face(Face::regular));
  return fonts;
}

const std::shared_ptr<FT_FaceRec_>& FontSet::shared_face(Face face) const {
  return state_->loaded(face).face;
}
bool FontSet::is_color(Face face) const {
  return state_->loaded(face).color;
}
double FontSet::units_per_em(Face face) const {
  return state_->loaded(face).units;
}

double FontSet::advance(Face face, unsigned glyph, double size) const {
  FT_Face font = this->face(face);
  if (FT_Load_Glyph(font, glyph, FT_LOAD_NO_SCALE) != 0) return 0;
  return static_cast<double>(font->glyph->metrics.horiAdvance) * size / font->units_per_EM;
}

std::optional<Face> FontSet::face_with(Face face, char32_t character, std::string_view language) const {
  if (is_invisible(character)) return std::nullopt;
  if (state_->has(face, character)) return face;
  for (std::size_t i = 0; i < state_->further; ++i) {
    const auto further = static_cast<Face>(static_cast<std::size_t>(Face::more) + i);
    if (state_->has(further, character)) return further;
  }
  if (state_->has(Face::fallback, character)) return Face::fallback;
  return state_->system_face(character, wish_of(face, state_->serif, false, language));
}

std::optional<Face> FontSet::emoji_face(std::u32string_view cluster) const {
  if (!is_emoji(cluster)) return std::nullopt;
  return state_->system_face(cluster.front(), wish_of(Face::regular, false, true, note_of(emoji_script).language));
}

std::vector<Script> missing_scripts(const FontSet& fonts, const std::vector<std::string>& texts) {
  std::set<Script> missing;
  for (const std::string& text : texts) {
    const TextLine line = fonts.set(Face::regular, 1, text);
    missing.insert(line.missing.begin(), line.missing.end());
  }
  return {missing.begin(), missing.end()};
}

bool is_serif(FT_Face face) {
  const std::string_view name = face->family_name ? face->family_name : "";
  return name.find("Roman") != std::string_view::npos || name.find("Serif") != std::string_view::npos ||
         name.find("Times") != std::string_view::npos;
}

namespace {

// Pixels of an em, or 0.
double choose_size(FT_Face face) {
  constexpr FT_UInt outline_size = 128;
  if (face->num_fixed_sizes == 0) return FT_Set_Pixel_Sizes(face, 0, outline_size) == 0 ? outline_size : 0;
  const FT_Bitmap_Size* sizes = face->available_sizes;
  const FT_Bitmap_Size* largest = std::max_element(sizes, sizes + face->num_fixed_sizes,
                                                   [](const auto& a, const auto& b) { return a.y_ppem < b.y_ppem; });
  if (FT_Select_Size(face, static_cast<FT_Int>(largest - sizes)) != 0) return 0;
  return static_cast<double>(largest->y_ppem) / 64;
}

// FreeType's bytes are blue, green, red and alpha, multiplied by it.
Image image_of(const FT_Bitmap& bitmap) {
  Image image{bitmap.width, bitmap.rows, {}};
  image.rgba.reserve(std::size_t{4} * bitmap.width * bitmap.rows);
  for (unsigned y = 0; y < bitmap.rows; ++y)
    for (unsigned x = 0; x < bitmap.width; ++x) {
      const unsigned char* pixel = bitmap.buffer + static_cast<int>(y) * bitmap.pitch + 4 * x;
      const unsigned alpha = pixel[3];
      for (const int channel : {2, 1, 0})
        image.rgba.push_back(
            static_cast<std::uint8_t>(alpha == 0 ? 0 : std::min(255U, (pixel[channel] * 255U + alpha / 2) / alpha)));
      image.rgba.push_back(static_cast<std::uint8_t>(alpha));
    }
  return image;
}

}  // namespace

std::optional<ColorGlyph> color_glyph(FT_Face face, unsigned index) {
  if (!FT_HAS_COLOR(face)) return std::nullopt;
  FT_Set_Transform(face, nullptr, nullptr);
  const double em = choose_size(face);
  if (em <= 0 || FT_Load_Glyph(face, index, FT_LOAD_COLOR | FT_LOAD_RENDER) != 0) return std::nullopt;
  const FT_GlyphSlot slot = face->glyph;
  if (slot->bitmap.pixel_mode != FT_PIXEL_MODE_BGRA || slot->bitmap.width == 0 || slot->bitmap.rows == 0)
    return std::nullopt;
  return ColorGlyph{image_of(slot->bitmap), slot->bitmap_left / em, slot->bitmap_top / em, slot->bitmap.width / em,
                    slot->bitmap.rows / em};
}

}  // namespace headlight
