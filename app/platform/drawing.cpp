#include "app/platform/drawing.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/render/gl.h"

namespace headlight::app {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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

void Drawing::start(Fonts& fonts, Input& input, const std::function<double()>& clock, const char* glsl) {
  fonts_ = &fonts;
  clock_ = &clock;
  context_ = ImGui::CreateContext();
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigMemoryCompactTimer = -1;
  input.clock = clock;
  input.attach();
  ImGui_ImplOpenGL3_Init(glsl);
  fonts.invalidate();
  fonts.use(&glyphs_);
}

void Drawing::end() {
  if (ImGuiContext* context = std::exchange(context_, nullptr)) {
    ImGui::SetCurrentContext(context);
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(context);
  }
  target = {};
  if (Fonts* fonts = std::exchange(fonts_, nullptr)) fonts->use(nullptr);
  glyphs_.clear();
}

void Drawing::make_current() const {
  ImGui::SetCurrentContext(context_);
}

void Drawing::upload_fonts(float scale) {
  if (!fonts_->prepare(scale)) return;
  target.forget();
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

// Dear ImGui is told framebuffer px for everything, so that text and lines fall on whole pixels at any content scale.
void Drawing::begin_frame(int width, int height, float scale) {
  upload_fonts(scale);
  ImGui_ImplOpenGL3_NewFrame();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
  io.DisplayFramebufferScale = ImVec2(1, 1);
  const double now = (*clock_)();
  const double elapsed = last_frame_ ? now - *last_frame_ : 1.0 / 60.0;
  io.DeltaTime = static_cast<float>(std::clamp(elapsed, 1e-5, 1.0));
  last_frame_ = now;
}

}  // namespace headlight::app
