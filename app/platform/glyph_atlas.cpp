#include "app/platform/glyph_atlas.h"

#include FT_OUTLINE_H

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace headlight::app {

namespace {

constexpr int gap = 1;  // px between glyphs, so that none shows at another's edge

std::uint32_t pixel(std::uint32_t r, std::uint32_t g, std::uint32_t b, std::uint32_t a) {
  return r | g << 8 | b << 16 | a << 24;
}

// White, as thick as the coverage.
std::vector<std::uint32_t> white(const Bitmap& bitmap) {
  std::vector<std::uint32_t> rgba;
  rgba.reserve(bitmap.coverage.size());
  for (const unsigned char coverage : bitmap.coverage) rgba.push_back(pixel(255, 255, 255, coverage));
  return rgba;
}

// The mean of the area that a pixel covers, of `image` brought to width × height pixels: each colour counts by its
// alpha, and the result has straight alpha again.
std::uint32_t mean_of(const Image& image, int x, int y, int width, int height) {
  const double left = static_cast<double>(x * image.width) / width;
  const double right = static_cast<double>((x + 1) * image.width) / width;
  const double top = static_cast<double>(y * image.height) / height;
  const double bottom = static_cast<double>((y + 1) * image.height) / height;
  double r = 0, g = 0, b = 0, a = 0;
  for (auto v = static_cast<Index>(top); v < std::min(image.height, static_cast<Index>(std::ceil(bottom))); ++v)
    for (auto u = static_cast<Index>(left); u < std::min(image.width, static_cast<Index>(std::ceil(right))); ++u) {
      const double across = std::min(right, static_cast<double>(u + 1)) - std::max(left, static_cast<double>(u));
      const double down = std::min(bottom, static_cast<double>(v + 1)) - std::max(top, static_cast<double>(v));
      const Color color = image.at(u, v);
      const double part = across * down * color.a;
      r += part * color.r;
      g += part * color.g;
      b += part * color.b;
      a += part;
    }
  if (a <= 0) return 0;
  const auto byte = [](double value) { return static_cast<std::uint32_t>(std::lround(std::clamp(value, 0.0, 255.0))); };
  return pixel(byte(r / a), byte(g / a), byte(b / a), byte(a / ((right - left) * (bottom - top))));
}

std::vector<std::uint32_t> scaled(const Image& image, int width, int height) {
  std::vector<std::uint32_t> rgba;
  rgba.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) rgba.push_back(mean_of(image, x, y, width, height));
  return rgba;
}

}  // namespace

void GlyphAtlas::clear() {
  if (textures_) textures_->clear();
  pages_.clear();
  glyphs_.clear();
  full_ = false;
}

void GlyphAtlas::use(GlyphTextures* textures) {
  clear();
  textures_ = textures;
}

bool GlyphAtlas::make_room() {
  // A frame that needs more than there is would ask for ever.
  const bool again = full_ && !cleared_;
  cleared_ = full_ && !cleared_;
  if (again) clear();
  return again;
}

GlyphAtlas::Place GlyphAtlas::take(int width, int height) {
  if (width + gap > side || height + gap > side) return {};
  const auto fits = [&](Page& page) {
    if (page.x + width + gap > side) {
      page.shelf += page.shelf_height;
      page.x = page.shelf_height = 0;
    }
    return page.shelf + height + gap <= side;
  };
  if (pages_.empty() || !fits(pages_.back())) {
    if (pages_.size() == most_pages) {
      full_ = true;
      return {};
    }
    Page page;
    page.texture = textures_ ? textures_->make(side) : pages_.size() + 1;
    page.rgba.assign(static_cast<std::size_t>(side) * side, 0);
    pages_.push_back(std::move(page));
  }
  Page& page = pages_.back();
  const Place place{&page, page.x, page.shelf};
  page.x += width + gap;
  page.shelf_height = std::max(page.shelf_height, height + gap);
  page.dirty_from = std::min(page.dirty_from, place.y);
  page.dirty_to = std::max(page.dirty_to, place.y + height + gap);
  return place;
}

AtlasGlyph GlyphAtlas::placed(int width, int height, const std::vector<std::uint32_t>& rgba) {
  const auto [page, x, y] = take(width, height);
  if (!page) return {};
  for (int row = 0; row < height; ++row)
    std::copy_n(rgba.begin() + row * width, width, page->rgba.begin() + (y + row) * side + x);
  AtlasGlyph glyph;
  glyph.texture = page->texture;
  const auto part = [](int at) { return static_cast<float>(at) / side; };
  glyph.u0 = part(x);
  glyph.v0 = part(y);
  glyph.u1 = part(x + width);
  glyph.v1 = part(y + height);
  glyph.width = static_cast<float>(width);
  glyph.height = static_cast<float>(height);
  return glyph;
}

AtlasGlyph GlyphAtlas::drawn(const FontSet& fonts, Face face, unsigned index, float em_pixels) {
  if (fonts.is_color(face)) {
    const auto picture = color_glyph(fonts.face(face), index);
    if (!picture) return {};
    const auto px = [&](double em) { return static_cast<int>(std::lround(em * em_pixels)); };
    const int width = std::max(1, px(picture->width)), height = std::max(1, px(picture->height));
    AtlasGlyph glyph = placed(width, height, scaled(picture->image, width, height));
    glyph.x = static_cast<float>(px(picture->left));
    glyph.y = static_cast<float>(-px(picture->top));
    glyph.color = true;
    return glyph;
  }
  const Bitmap bitmap = rasterise(fonts.face(face), index, em_pixels);
  if (bitmap.coverage.size() < 2) return {};  // a space
  AtlasGlyph glyph = placed(bitmap.width, bitmap.height, white(bitmap));
  glyph.width /= static_cast<float>(oversampling(em_pixels));
  glyph.x = bitmap.left;
  glyph.y = static_cast<float>(-bitmap.top);
  return glyph;
}

const AtlasGlyph& GlyphAtlas::glyph(const FontSet& fonts, Face face, unsigned index, float em_pixels) {
  const auto [entry, fresh] = glyphs_.try_emplace({face, index, em_pixels});
  if (fresh) entry->second = drawn(fonts, face, index, em_pixels);
  return entry->second;
}

void GlyphAtlas::upload() {
  for (Page& page : pages_) {
    if (page.dirty_from >= page.dirty_to) continue;
    if (textures_)
      textures_->update(page.texture, side, page.dirty_from, page.dirty_to - page.dirty_from,
                        page.rgba.data() + static_cast<std::ptrdiff_t>(page.dirty_from) * side);
    page.dirty_from = side;
    page.dirty_to = 0;
  }
}

namespace {

// Each sample becomes the mean over one pixel's width: what a box-shaped pixel sees at that position.
void box_filter(Bitmap& bitmap, int samples) {
  const int wide = bitmap.width + samples - 1;
  std::vector<unsigned char> out(static_cast<std::size_t>(wide * bitmap.height), 0);
  for (int y = 0; y < bitmap.height; ++y) {
    for (int x = 0; x < wide; ++x) {
      int sum = 0;
      for (int s = std::max(0, x - samples + 1); s <= std::min(x, bitmap.width - 1); ++s)
        sum += bitmap.coverage[static_cast<std::size_t>(y * bitmap.width + s)];
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
  for (int y = 0; y < bitmap.height; ++y)
    std::memcpy(bitmap.coverage.data() + y * bitmap.width, drawn.buffer + y * drawn.pitch, drawn.width);
  box_filter(bitmap, samples);
  return bitmap;
}

}  // namespace headlight::app
