#include "app/render/changed_tiles.h"

#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace headlight::app {

namespace {

constexpr std::size_t most_areas = 8;  // each is a pass over all triangles

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // 2⁶⁴ over the golden ratio (Knuth, volume 3, section 6.4)
  const std::uint64_t product = (hash ^ value) * odd;
  return product ^ std::rotr(product, 32);
}

std::uint64_t mixed(std::uint64_t hash, const ImDrawVert& corner) {
  std::uint64_t place = 0, uv = 0;
  static_assert(sizeof corner.pos == sizeof place && sizeof corner.uv == sizeof uv);
  std::memcpy(&place, &corner.pos, sizeof place);
  std::memcpy(&uv, &corner.uv, sizeof uv);
  return mixed(mixed(mixed(hash, place), uv), corner.col);
}

std::int64_t pixels_of(const PixelArea& a) {
  return std::int64_t{a.right - a.left} * (a.bottom - a.top);
}
PixelArea around(const PixelArea& a, const PixelArea& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right), std::max(a.bottom, b.bottom)};
}
bool overlap(const PixelArea& a, const PixelArea& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

// The pair that wastes least joined into one, until there are few enough and none overlap.
void join(std::vector<PixelArea>& areas) {
  while (areas.size() > 1) {
    std::size_t first = 0, second = 1;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < areas.size(); ++i)
      for (std::size_t j = i + 1; j < areas.size(); ++j) {
        const std::int64_t waste = overlap(areas[i], areas[j]) ? std::numeric_limits<std::int64_t>::min()
                                                               : pixels_of(around(areas[i], areas[j])) -
                                                                     pixels_of(areas[i]) - pixels_of(areas[j]);
        if (waste < least) {
          least = waste;
          first = i;
          second = j;
        }
      }
    if (areas.size() <= most_areas && least > 0) return;
    areas[first] = around(areas[first], areas[second]);
    areas.erase(areas.begin() + static_cast<std::ptrdiff_t>(second));
  }
}

}  // namespace

// Coordinates may lie far outside, where no tile is.
void ChangedTiles::add(std::uint64_t hash, float left, float top, float right, float bottom) {
  const float w = static_cast<float>(width_), h = static_cast<float>(height_);
  if (!(left < right && top < bottom && right > 0 && bottom > 0 && left < w && top < h)) return;
  const auto tile = [](float at) { return static_cast<int>(at) / side; };
  const int last_column = tile(std::min(right, w - 1)), last_row = tile(std::min(bottom, h - 1));
  for (int row = tile(std::max(top, 0.0F)); row <= last_row; ++row)
    for (int column = tile(std::max(left, 0.0F)); column <= last_column; ++column) {
      std::uint64_t& of_tile = now_[static_cast<std::size_t>(row * columns_ + column)];
      of_tile = mixed(of_tile, hash);
    }
}

std::vector<PixelArea> ChangedTiles::compare(const ImDrawData& drawn, int width, int height, std::uint32_t ground,
                                             const TextureVersion& version) {
  if (width != width_ || height != height_ || ground != ground_) forget();
  width_ = width;
  height_ = height;
  ground_ = ground;
  columns_ = (width + side - 1) / side;
  now_.assign(static_cast<std::size_t>(columns_ * ((height + side - 1) / side)), 1);
  for (int n = 0; n < drawn.CmdListsCount; ++n) {
    const ImDrawList& list = *drawn.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const auto texture = (std::uint64_t)(command.GetTexID());  // a pointer or a number, by the version
      std::uint64_t start = mixed(mixed(1, texture), version(texture));
      const ImVec4 clip = command.ClipRect;
      for (const float edge : {clip.x, clip.y, clip.z, clip.w})
        start = mixed(start, std::bit_cast<std::uint32_t>(edge));
      for_each_piece(list, command, [&](const DrawnPiece& piece) {
        std::uint64_t hash = mixed(start, piece.corners.size());
        for (const ImDrawIdx corner : piece.corners)
          hash = mixed(hash, list.VtxBuffer[static_cast<int>(command.VtxOffset + corner)]);
        add(hash, piece.left, piece.top, piece.right, piece.bottom);
      });
    }
  }
  std::vector<PixelArea> changed{{0, 0, width, height}};
  if (before_.size() == now_.size()) changed = areas();
  std::swap(before_, now_);
  return changed;
}

std::vector<PixelArea> ChangedTiles::areas() const {
  std::vector<PixelArea> found;
  const int rows = static_cast<int>(now_.size()) / columns_;
  const auto changed = [&](int row, int column) {
    const auto at = static_cast<std::size_t>(row * columns_ + column);
    return before_[at] != now_[at];
  };
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns_; ++column) {
      if (!changed(row, column)) continue;
      const int first = column;
      while (column < columns_ && changed(row, column)) ++column;
      const PixelArea run{first * side, row * side, std::min(column * side, width_),
                          std::min((row + 1) * side, height_)};
      // Goes on below a run of the same width.
      const auto above = std::ranges::find_if(
          found, [&](const PixelArea& a) { return a.left == run.left && a.right == run.right && a.bottom == run.top; });
      if (above == found.end())
        found.push_back(run);
      else
        above->bottom = run.bottom;
    }
  join(found);
  return found;
}

}  // namespace headlight::app
