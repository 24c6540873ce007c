// Where pages of glyphs go to be drawn from. The window's are OpenGL's (app/platform/window.cpp); without a
// window there are none, and glyphs are made and placed all the same.
#pragma once

#include <cstdint>

namespace headlight::app {

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

}  // namespace headlight::app
