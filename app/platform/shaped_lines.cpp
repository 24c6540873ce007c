#include "app/platform/shaped_lines.h"

#include <imgui.h>

#include <cmath>
#include <cstring>

#include "engine/core/utf8.h"

namespace headlight::app {

namespace {

#if IMGUI_VERSION_NUM < 19200
void use_texture(ImDrawList& list, std::uintptr_t texture) {
  list.PushTextureID((ImTextureID)texture);  // a pointer up to 1.91.3, a number after it
}
void leave_texture(ImDrawList& list) {
  list.PopTextureID();
}
#else
void use_texture(ImDrawList& list, std::uintptr_t texture) {
  list.PushTexture(ImTextureRef(static_cast<ImTextureID>(texture)));
}
void leave_texture(ImDrawList& list) {
  list.PopTexture();
}
#endif

}  // namespace

const TextLine& ShapedLines::line(Face face, float em_pixels, std::string_view text, Direction direction) {
  key_.assign(sizeof face + sizeof em_pixels, '\0');
  std::memcpy(key_.data(), &face, sizeof face);
  std::memcpy(key_.data() + sizeof face, &em_pixels, sizeof em_pixels);
  key_ += static_cast<char>(direction);
  key_ += text;
  if (const auto known = lines_.find(key_); known != lines_.end()) return known->second;
  if (lines_.size() >= most_kept) lines_.clear();
  return lines_.emplace(key_, fonts_.set(face, em_pixels, text, direction)).first->second;
}

float ShapedLines::width(Face face, float em_pixels, std::string_view text) {
  return static_cast<float>(line(face, em_pixels, text).width);
}

void ShapedLines::draw(ImDrawList& list, Face face, float em_pixels, float x, float y, std::uint32_t color,
                       std::string_view text, Direction direction) {
  const ImVec2 low = list.GetClipRectMin(), high = list.GetClipRectMax();
  const std::uint32_t white = color | ~static_cast<std::uint32_t>(IM_COL32_A_MASK);
  std::uintptr_t texture = 0;  // none yet
  for (const Glyph& glyph : line(face, em_pixels, text, direction).glyphs) {
    const AtlasGlyph& drawn = atlas_.glyph(fonts_, glyph.face, glyph.index, em_pixels);
    if (drawn.width <= 0) continue;
    // Marks and pictures are sharp on whole pixels.
    const float pen = x + static_cast<float>(glyph.x);
    const float left = (drawn.color ? std::round(pen) : pen) + drawn.x;
    const float top = y + std::round(static_cast<float>(glyph.y)) + drawn.y;
    if (left > high.x || left + drawn.width < low.x || top > high.y || top + drawn.height < low.y) continue;
    if (drawn.texture != texture) {
      if (texture != 0) leave_texture(list);
      use_texture(list, texture = drawn.texture);
    }
    list.PrimReserve(6, 4);
    list.PrimRectUV({left, top}, {left + drawn.width, top + drawn.height}, {drawn.u0, drawn.v0}, {drawn.u1, drawn.v1},
                    drawn.color ? white : color);
  }
  if (texture != 0) leave_texture(list);
}

std::vector<Caret> ShapedLines::carets(Face face, float em_pixels, std::string_view text, Direction direction) {
  const TextLine& set = line(face, em_pixels, text, direction);
  const std::vector<std::size_t> bounds = grapheme_bounds(text);
  std::vector<Caret> carets;
  std::size_t byte = 0, bound = 0;
  float end = 0;  // trailing edge of the last
  for (const Cluster& cluster : set.clusters) {
    const auto size = static_cast<std::size_t>(cluster.given_bytes);
    std::size_t inside = 0;  // bounds in this cluster: a ligature has more than one
    while (bound + inside + 1 < bounds.size() && bounds[bound + inside] < byte + size) ++inside;
    for (std::size_t k = 0; k < inside; ++k) {
      const auto after = [&](std::size_t letters) {
        const double part = static_cast<double>(letters) / static_cast<double>(inside) * cluster.width;
        return static_cast<float>(cluster.right_to_left ? cluster.x + cluster.width - part : cluster.x + part);
      };
      carets.push_back({bounds[bound + k], after(k), after(k + 1), cluster.right_to_left});
    }
    bound += inside;
    byte += size;
    end = static_cast<float>(cluster.right_to_left ? cluster.x : cluster.x + cluster.width);
    // A grapheme cluster of several of the line's ends with the last of them.
    if (inside == 0 && !carets.empty()) carets.back().end = end;
  }
  carets.push_back({text.size(), end, end, set.right_to_left});
  return carets;
}

}  // namespace headlight::app
