#include "app/platform/rasterise.h"

#include FT_OUTLINE_H

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace headlight::app {

namespace {

// Each sample becomes the mean over one pixel's width: what a box-shaped pixel sees at that position.
void box_filter(Bitmap& bitmap, int samples) {
  const int wide = bitmap.width + samples - 1;
  std::vector<unsigned char> out(static_cast<std::size_t>(wide * bitmap.height), 0);
  for (int y = 0; y < bitmap.height; ++y) {
    for (int x = 0; x < wide; ++x) {
      int sum = 0;
      for (int s = std::max(0, x - samples + 1); s <= std::min(x, bitmap.width - 1); ++s) {
        sum += bitmap.coverage[static_cast<std::size_t>(y * bitmap.width + s)];
      }
      out[static_cast<std::size_t>(y * wide + x)] = static_cast<unsigned char>(sum / samples);
    }
  }
  // The window of a sample reaches half a pixel to either side of its centre.
  bitmap.left -= static_cast<float>(samples - 1) / (2.0F * static_cast<float>(samples));
  bitmap.width = wide;
  bitmap.coverage = std::move(out);
}

}  // namespace

int oversampling(float em_pixels) {
  return em_pixels < 28 ? 3 : 2;
}

Bitmap rasterise(FT_Face face, unsigned glyph, float em_pixels) {
  const int samples = oversampling(em_pixels);
  Bitmap bitmap{.coverage = {0}};
  FT_Set_Char_Size(face, 0, std::lround(em_pixels * 64), 72, 72);
  FT_Matrix stretch{static_cast<FT_Fixed>(samples) << 16, 0, 0, 1L << 16};
  FT_Set_Transform(face, nullptr, nullptr);
  // Light hinting moves outlines to whole pixels vertically and leaves their widths alone.
  if (FT_Load_Glyph(face, glyph, FT_LOAD_TARGET_LIGHT | FT_LOAD_NO_BITMAP) != 0) return bitmap;
  bitmap.advance = static_cast<float>(face->glyph->linearHoriAdvance) / 65536.0F;
  FT_Outline_Transform(&face->glyph->outline, &stretch);
  if (FT_Render_Glyph(face->glyph, FT_RENDER_MODE_NORMAL) != 0) return bitmap;
  const FT_Bitmap& drawn = face->glyph->bitmap;
  if (drawn.width == 0 || drawn.rows == 0) return bitmap;
  bitmap.width = static_cast<int>(drawn.width);
  bitmap.height = static_cast<int>(drawn.rows);
  bitmap.left = static_cast<float>(face->glyph->bitmap_left) / static_cast<float>(samples);
  bitmap.top = face->glyph->bitmap_top;
  bitmap.coverage.resize(static_cast<std::size_t>(bitmap.width * bitmap.height));
  for (int y = 0; y < bitmap.height; ++y) {
    std::memcpy(bitmap.coverage.data() + y * bitmap.width, drawn.buffer + y * drawn.pitch, drawn.width);
  }
  box_filter(bitmap, samples);
  return bitmap;
}

}  // namespace headlight::app
