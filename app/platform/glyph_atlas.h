// Glyphs that Dear ImGui's own atlas cannot hold (shaped, above U+FFFF, in colour) in textures of our own, made as text
// needs them.
//
// Not for which glyphs a text needs: shaped_lines.h.
#pragma once

#include <ft2build.h>
#include FT_FREETYPE_H

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "app/text/font_set.h"

namespace headlight::app {

// Where pages of glyphs go to be drawn from. The window's are OpenGL's (drawing.h); without a window there are none,
// and glyphs are made and placed all the same.
class GlyphTextures {
 public:
  virtual ~GlyphTextures() = default;
  // A new texture of side × side pixels, never 0.
  virtual std::uintptr_t make(int side) = 0;
  // Rows of RGBA pixels from `first` on, as long as the texture is wide.
  virtual void update(std::uintptr_t texture, int side, int first, int rows, const std::uint32_t* rgba) = 0;
  // Frees all that were made.
  virtual void clear() = 0;
};

// Where a glyph is, and where it goes: px from the pen, x to the right and y downward from the baseline.
struct AtlasGlyph {
  std::uintptr_t texture = 0;
  float x = 0, y = 0, width = 0, height = 0;  // nothing to draw where the width is 0
  float u0 = 0, v0 = 0, u1 = 0, v1 = 0;
  bool color = false;  // keeps its own colours
};

class GlyphAtlas {
 public:
  // Null for no textures. Forgets all glyphs.
  void use(GlyphTextures* textures);
  const AtlasGlyph& glyph(const FontSet& fonts, Face face, unsigned index, float em_pixels);
  // Sends what is new to the textures. Before the frame is shown.
  void upload();
  // Between frames: makes room where there was none. True when it did, so that text must be drawn again.
  bool make_room();
  // Whether glyphs of the last frame found no room, and may find some in a next one.
  bool needs_space() const { return full_ && !cleared_; }

  static constexpr int side = 1024;  // px of a page
  static constexpr std::size_t most_pages = 16;
  std::size_t pages() const { return pages_.size(); }
  std::size_t glyphs() const { return glyphs_.size(); }

 private:
  struct Page {
    std::uintptr_t texture = 0;
    std::vector<std::uint32_t> rgba;
    int shelf = 0, shelf_height = 0, x = 0;  // of the row that is being filled
    int dirty_from = side, dirty_to = 0;
  };
  struct Place {
    Page* page = nullptr;
    int x = 0, y = 0;
  };
  // Without a page where all are full.
  Place take(int width, int height);
  AtlasGlyph placed(int width, int height, const std::vector<std::uint32_t>& rgba);
  AtlasGlyph drawn(const FontSet& fonts, Face face, unsigned index, float em_pixels);
  void clear();

  GlyphTextures* textures_ = nullptr;
  std::vector<Page> pages_;
  std::map<std::tuple<Face, unsigned, float>, AtlasGlyph> glyphs_;
  bool full_ = false, cleared_ = false;
};

// ---- Glyphs in pixels, as the window draws text: light hinting, and several samples across each pixel

// Rasterised text is as wide as the design only with unrounded advances, and sharp at such positions only when it is
// finer than a pixel across: so many samples to a pixel.
int oversampling(float em_pixels);

struct Bitmap {
  int width = 1;   // in samples
  int height = 1;  // in pixels
  float left = 0;  // px from the pen to the first sample
  int top = 0;     // px from the baseline up to the first row
  float advance = 0;
  std::vector<unsigned char> coverage;
};
Bitmap rasterise(FT_Face face, unsigned glyph, float em_pixels);

}  // namespace headlight::app
