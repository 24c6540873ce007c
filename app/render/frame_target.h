// What the window shows, kept from frame to frame: only where a frame differs from the one before is it drawn again.
#pragma once

#include <cstdint>
#include <vector>

#include "app/render/changed_tiles.h"
#include "app/render/gl.h"

namespace headlight::app {

// 8-bit RGBA, rows from the top.
struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
};

class FrameTarget {
 public:
  // In px; fails in one line where the display cannot draw as many. What was drawn is lost.
  Status resize(int width, int height);
  // Draws what is other than at the last call, over `ground` (0xAABBGGRR); false where nothing is. Clipping in `drawn`
  // is changed.
  bool draw(ImDrawData& drawn, std::uint32_t ground);
  // The next call draws everything.
  void forget() { tiles_.forget(); }
  // Copies its left part, from the top, into the window's own framebuffer.
  void show(int width, int height) const;
  // What is drawn on.
  GLuint texture() const { return color_.get(); }
  int width() const { return width_; }
  int height() const { return height_; }
  Pixels read() const;

 private:
  gl::Texture color_;
  gl::Framebuffer framebuffer_;
  ChangedTiles tiles_;
  int width_ = 0, height_ = 0;
};

}  // namespace headlight::app
