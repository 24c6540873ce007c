// Where a frame looks other than the one before it: drawing again what is the same is most of a frame's time where
// there is no graphics card, and an electricity bill where there is one.
//
// What is drawn is compared, not its pixels: for each tile of the window a hash of all triangles that touch it, in
// their order, with their corners, clipping and texture. A tile with the same hash has the same pixels.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace headlight::app {

// In px from the window's top left; right and bottom are the first that are outside.
struct PixelArea {
  int left = 0, top = 0, right = 0, bottom = 0;
  bool operator==(const PixelArea&) const = default;
};

class ChangedTiles {
 public:
  static constexpr int side = 32;  // px of a tile
  // How often the pixels of a texture were set, so that one that is painted again is another.
  using TextureVersion = std::function<std::uint64_t(std::uint64_t texture)>;

  // A few areas that together hold every tile in which the frame differs from the one that was compared last; none
  // overlap. The first frame, and one of another size or ground, differs everywhere.
  std::vector<PixelArea> compare(const ImDrawData& drawn, int width, int height, std::uint32_t ground,
                                 const TextureVersion& version);
  // What was drawn is lost: the next frame differs everywhere.
  void forget() { before_.clear(); }

 private:
  int width_ = 0, height_ = 0, columns_ = 0;
  std::uint32_t ground_ = 0;
  std::vector<std::uint64_t> before_, now_;

  void add(std::uint64_t hash, float left, float top, float right, float bottom);
  std::vector<PixelArea> areas() const;
};

// ---- What a command of a draw list draws, piece by piece, with the pixels that each can touch

// A triangle, or the two of a rectangle.
struct DrawnPiece {
  std::span<const ImDrawIdx> corners;  // of the command's vertices: three, or six of which two are repeated
  float left, top, right, bottom;      // px, what the command clips taken off: then nothing is left where left > right
};

// `tell(piece)` in the order of drawing.
template <typename Tell>
void for_each_piece(const ImDrawList& list, const ImDrawCmd& command, Tell&& tell) {
  const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
  const ImVec4& clip = command.ClipRect;
  std::span<const ImDrawIdx> left{list.IdxBuffer.Data + command.IdxOffset, command.ElemCount};
  while (left.size() >= 3) {
    const bool rectangle = left.size() >= 6 && left[0] == left[3] && left[2] == left[4];
    const auto corners = left.first(rectangle ? 6 : 3);
    left = left.subspan(corners.size());
    ImVec2 least = vertices[corners[0]].pos, most = least;
    for (const ImDrawIdx corner : corners.subspan(1)) {
      const ImVec2 at = vertices[corner].pos;
      least = {std::min(least.x, at.x), std::min(least.y, at.y)};
      most = {std::max(most.x, at.x), std::max(most.y, at.y)};
    }
    tell(DrawnPiece{corners, std::max(least.x, clip.x), std::max(least.y, clip.y), std::min(most.x, clip.z),
                    std::min(most.y, clip.w)});
  }
}

}  // namespace headlight::app
