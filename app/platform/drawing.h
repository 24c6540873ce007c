// Dear ImGui in an OpenGL context that is current: its context, its fonts as textures, and what it draws on. The same
// for a desktop's window and a browser's page.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "app/platform/fonts.h"
#include "app/platform/glyph_atlas.h"
#include "app/platform/input.h"
#include "app/render/frame_target.h"

struct ImGuiContext;

namespace headlight::app {

// When a frame is due that nobody asked for.
inline constexpr double never = std::numeric_limits<double>::infinity();
// Dear ImGui needs a second frame to settle hovering and a third for what opened in the second.
inline constexpr int frames_after_event = 3;

double steady_seconds();

// Pages of glyphs as OpenGL textures.
class GlGlyphTextures final : public GlyphTextures {
 public:
  std::uintptr_t make(int side) override;
  void update(std::uintptr_t texture, int side, int first, int rows, const std::uint32_t* rgba) override;
  void clear() override { textures_.clear(); }

 private:
  std::vector<gl::Texture> textures_;
};

class Drawing {
 public:
  Drawing() = default;
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;
  ~Drawing() { end(); }

  // All three are borrowed. `glsl` is the first line of a shader.
  void start(Fonts& fonts, Input& input, const std::function<double()>& clock, const char* glsl);
  // While the OpenGL context is still there.
  void end();
  void make_current() const;
  // Begins a frame: of so many px, with the fonts at that scale.
  void begin_frame(int width, int height, float scale);
  Fonts& fonts() { return *fonts_; }

  FrameTarget target;

 private:
  void upload_fonts(float scale);

  Fonts* fonts_ = nullptr;
  const std::function<double()>* clock_ = nullptr;
  ImGuiContext* context_ = nullptr;
  std::optional<double> last_frame_;
  GlGlyphTextures glyphs_;
};

}  // namespace headlight::app
