#include "app/platform/glyph_textures.h"

namespace headlight::app {

std::uintptr_t GlGlyphTextures::make(int side) {
  const gl::StateGuard guard;
  textures_.push_back(gl::make_texture(GL_RGBA8, side, side, GL_RGBA, GL_UNSIGNED_BYTE, nullptr));
  glBindTexture(GL_TEXTURE_2D, textures_.back().get());
  // Text stands between pixels.
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  return textures_.back().get();
}

void GlGlyphTextures::update(std::uintptr_t texture, int side, int first, int rows, const std::uint32_t* rgba) {
  const gl::StateGuard guard;
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture));
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, first, side, rows, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
  gl::set_pixels_changed(static_cast<GLuint>(texture));
}

}  // namespace headlight::app
