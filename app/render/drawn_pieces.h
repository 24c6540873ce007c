// What a command of a draw list draws, piece by piece, with the pixels that each can touch.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <span>

namespace headlight::app {

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
