// Pages of glyphs as OpenGL textures.
#pragma once

#include <vector>

#include "app/platform/glyph_atlas.h"
#include "app/render/gl.h"

namespace headlight::app {

class GlGlyphTextures final : public GlyphTextures {
 public:
  std::uintptr_t make(int side) override;
  void update(std::uintptr_t texture, int side, int first, int rows, const std::uint32_t* rgba) override;
  void clear() override { textures_.clear(); }

 private:
  std::vector<gl::Texture> textures_;
};

}  // namespace headlight::app
