#include "app/text/color_glyph.h"

#include <algorithm>

namespace headlight {

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
