// Paints heatmaps with the shader in shaders/, each into a texture of its own that is kept until it has not been asked
// for in a while. Needs a current OpenGL 3.3 context for as long as it lives.
#pragma once

#include <map>
#include <memory>

#include "app/render/gl.h"
#include "app/render/map_painter.h"
#include "engine/base/result.h"

namespace headlight::app {

class GlMapPainter final : public MapPainter {
 public:
  // Shaders come from the program itself, or from a folder for those who work on them (HEADLIGHT_SHADERS).
  static Result<std::unique_ptr<GlMapPainter>> create();

  std::uintptr_t paint(const std::string& key, const NumbersOf& numbers, const MatrixView& cells, int width, int height,
                       const MapLook& look) override;
  std::uintptr_t picture(const std::string& key, std::uint64_t stamp, int width, int height,
                         const std::uint32_t* rgba) override;
  // Once a frame: lets go of textures that were not asked for in the last hundred frames.
  void end_frame();
  // Maps painted since the start, for benchmarks and tests: at rest it stands still.
  std::uint64_t painted() const { return painted_; }

 private:
  // What a texture shows; it is painted again when any of this changes.
  struct Shown {
    NumbersOf numbers;        // of a map
    MapLook look;             // of a map
    std::uint64_t stamp = 0;  // of a picture made elsewhere
    int width = 0, height = 0;
    bool operator==(const Shown&) const = default;
  };
  struct Entry {
    gl::Texture texture;
    Shown shown;
    std::uint64_t last_used = 0;
  };
  GLint at(const char* uniform) const { return glGetUniformLocation(program_.get(), uniform); }
  void set(const char* uniform, Color color) const;
  Entry& entry_of(const std::string& key);
  const gl::Texture& table(Colormap map);
  void draw(const MatrixView& cells, int width, int height, const MapLook& look, const gl::Texture& target);

  gl::Program program_;
  gl::VertexArray vertices_;
  std::map<Colormap, gl::Texture> tables_;
  std::map<std::string, Entry> entries_;
  std::uint64_t frame_ = 0, painted_ = 0;
};

}  // namespace headlight::app
