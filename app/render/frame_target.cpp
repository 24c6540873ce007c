#include "app/render/frame_target.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace headlight::app {

namespace {

// Newer versions of Dear ImGui make their textures when a frame is drawn.
[[maybe_unused]] bool update_textures([[maybe_unused]] ImDrawData& drawn) {
  bool updated = false;
#if IMGUI_VERSION_NUM >= 19200
  if (drawn.Textures)
    for (ImTextureData* texture : *drawn.Textures)
      if (texture->Status != ImTextureStatus_OK) {
        ImGui_ImplOpenGL3_UpdateTexture(texture);
        updated = true;
      }
#endif
  return updated;
}

// In whole pixels: what is clipped in the middle of one would be another when drawn in parts.
void clip_to_pixels(ImDrawData& drawn) {
  for (int n = 0; n < drawn.CmdListsCount; ++n)
    for (ImDrawCmd& command : drawn.CmdLists[n]->CmdBuffer) {
      ImVec4& clip = command.ClipRect;
      clip = {std::floor(clip.x), std::floor(clip.y), std::floor(clip.z), std::floor(clip.w)};
    }
}

// A list as it was, while parts of it are drawn.
struct Whole {
  ImDrawList* list;
  ImVector<ImDrawCmd> commands;
  ImVector<ImDrawIdx> corners;
};

// Leaves in the list what touches the area, clipped to it.
void keep_area(const Whole& whole, const PixelArea& area) {
  const auto left = static_cast<float>(area.left), top = static_cast<float>(area.top),
             right = static_cast<float>(area.right), bottom = static_cast<float>(area.bottom);
  ImDrawList& list = *whole.list;
  ImVector<ImDrawIdx> kept;
  kept.reserve(whole.corners.Size);
  list.CmdBuffer = whole.commands;
  list.IdxBuffer = whole.corners;
  for (ImDrawCmd& command : list.CmdBuffer) {
    ImVec4& clip = command.ClipRect;
    clip = {std::max(clip.x, left), std::max(clip.y, top), std::min(clip.z, right), std::min(clip.w, bottom)};
    const int first = kept.Size;
    if (clip.x < clip.z && clip.y < clip.w)
      for_each_piece(list, command, [&](const DrawnPiece& piece) {
        if (!(piece.left < piece.right && piece.top < piece.bottom)) return;
        for (const ImDrawIdx corner : piece.corners) kept.push_back(corner);
      });
    command.IdxOffset = static_cast<unsigned int>(first);
    command.ElemCount = static_cast<unsigned int>(kept.Size - first);
  }
  list.IdxBuffer.swap(kept);
}

}  // namespace

Status FrameTarget::resize(int width, int height) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  if (width > most || height > most)
    return fail("{}×{} px is more than this display can draw: at most {} each way", width, height, most);
  gl::Texture color = gl::make_texture(GL_RGBA8, width, height, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  HL_TRY(framebuffer_, gl::make_framebuffer(color));
  color_ = std::move(color);
  width_ = width;
  height_ = height;
  forget();
  return {};
}

bool FrameTarget::draw(ImDrawData& drawn, std::uint32_t ground) {
  if (update_textures(drawn)) forget();
  clip_to_pixels(drawn);
  const auto areas = tiles_.compare(drawn, width_, height_, ground,
                                    [](std::uint64_t texture) { return gl::version_of(static_cast<GLuint>(texture)); });
  const auto channel = [&](int shift) { return static_cast<float>((ground >> shift) & 0xFFU) / 255.0F; };
  std::vector<Whole> lists;
  for (int n = 0; n < drawn.CmdListsCount; ++n)
    lists.push_back({drawn.CmdLists[n], drawn.CmdLists[n]->CmdBuffer, drawn.CmdLists[n]->IdxBuffer});
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
  glViewport(0, 0, width_, height_);
  glClearColor(channel(0), channel(8), channel(16), 1);
  for (const PixelArea& area : areas) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(area.left, height_ - area.bottom, area.right - area.left, area.bottom - area.top);
    glClear(GL_COLOR_BUFFER_BIT);
    for (const Whole& list : lists) keep_area(list, area);
    ImGui_ImplOpenGL3_RenderDrawData(&drawn);
  }
  glDisable(GL_SCISSOR_TEST);
  return !areas.empty();
}

void FrameTarget::show(int width, int height) const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.get());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, height_ - height, width, height_, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

Pixels FrameTarget::read() const {
  Pixels pixels{width_, height_, {}};
  const auto row = static_cast<std::size_t>(width_) * 4;
  pixels.rgba.resize(row * static_cast<std::size_t>(height_));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.get());
  glReadBuffer(GL_COLOR_ATTACHMENT0);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, pixels.rgba.data());
  for (std::size_t top = 0, bottom = pixels.rgba.size() - row; top < bottom; top += row, bottom -= row)
    std::swap_ranges(pixels.rgba.begin() + static_cast<std::ptrdiff_t>(top),
                     pixels.rgba.begin() + static_cast<std::ptrdiff_t>(top + row),
                     pixels.rgba.begin() + static_cast<std::ptrdiff_t>(bottom));
  // What shines through does not matter on a screen: a picture of it is opaque.
  for (std::size_t i = 3; i < pixels.rgba.size(); i += 4) pixels.rgba[i] = 255;
  return pixels;
}

}  // namespace headlight::app
