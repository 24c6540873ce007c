// Paints heatmaps with the shader in shaders/, each into a texture of its own that is kept until it has not been asked
// for in a while. Needs a current OpenGL 3.3 context for as long as it lives.
#pragma once

#include <filesystem>
#include <memory>

#include "app/render/map_painter.h"
#include "engine/core/result.h"

namespace headlight::app {

class GlMapPainter final : public MapPainter {
 public:
  // Shaders come from the program itself, or from a folder for those who work on them (HEADLIGHT_SHADERS).
  static Result<std::unique_ptr<GlMapPainter>> create();
  ~GlMapPainter() override;

  std::uintptr_t paint(const std::string& key, const NumbersOf& numbers, const MatrixView& cells, int width, int height,
                       const MapLook& look) override;
  std::uintptr_t picture(const std::string& key, std::uint64_t stamp, int width, int height,
                         const std::uint32_t* rgba) override;
  // Once a frame: lets go of textures that were not asked for in the last hundred frames.
  void end_frame();
  // Maps painted since the start, for benchmarks and tests: at rest it stands still.
  std::uint64_t painted() const;

 private:
  struct State;
  explicit GlMapPainter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace headlight::app
