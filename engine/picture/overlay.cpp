#include "engine/picture/overlay.h"

#include <algorithm>
#include <cmath>

namespace headlight {

namespace {

std::uint8_t mixed(std::uint8_t from, std::uint8_t to, float amount) {
  return static_cast<std::uint8_t>(
      std::lround(static_cast<float>(from) + (static_cast<float>(to) - static_cast<float>(from)) * amount));
}

// Where a number lies on the colour map: 0 to 1.
float position(float value, const ValueRange& range) {
  return std::clamp(normalise(value, range), 0.0F, 1.0F);
}

// How much of the ground a number's colour covers. A weak one is still seen on it, and no step parts numbers that
// hardly differ: a weight of 1e-40 looks as one of 0 does, and a score of 1e-9 as one of 0.
float cover(float strength, bool is_signed) {
  constexpr float least = 0.35F, slope = 5;
  const float amount = least + (1 - least) * strength;
  return is_signed ? amount : std::min(amount, slope * strength);
}

}  // namespace

float overlay_strength(float value, const ValueRange& range) {
  if (!std::isfinite(value)) return 0;
  if (range.is_signed()) return std::clamp(std::abs(value) / std::max(-range.low, range.high), 0.0F, 1.0F);
  if (value <= 0) return 0;
  if (range.spacing == Spacing::logarithmic)
    return std::clamp(std::log(value / range.low) / std::log(range.high / range.low), 0.0F, 1.0F);
  return std::clamp(value / range.high, 0.0F, 1.0F);
}

Image greyed(const Image& picture, bool dark) {
  Image grey = picture;
  for (Index y = 0; y < picture.height; ++y)
    for (Index x = 0; x < picture.width; ++x) {
      const Color c = picture.at(x, y);
      const float luma = 0.299F * static_cast<float>(c.r) + 0.587F * static_cast<float>(c.g) +
                         0.114F * static_cast<float>(c.b);  // ITU-R BT.601, as the described channels have it
      const auto level = static_cast<std::uint8_t>(std::lround(dark ? luma * 0.4F : 255 - (255 - luma) * 0.4F));
      grey.set(x, y, {level, level, level, 255});
    }
  return grey;
}

Image overlaid(Image picture, Index rows, Index columns, const MatrixView& values, const OverlayPlace& place,
               const ValueRange& range, const ColorTable& table) {
  for (Index y = 0; y < picture.height; ++y)
    for (Index x = 0; x < picture.width; ++x) {
      const Index down = y * rows / picture.height - place.row, across = x * columns / picture.width - place.column;
      if (down < 0 || across < 0) continue;
      const Index r = down / place.block_rows, c = across / place.block_columns;
      if (r >= values.rows || c >= values.columns) continue;
      const float value = values.at(r, c), strength = overlay_strength(value, range);
      if (!std::isfinite(value)) continue;
      const float amount = cover(strength, range.is_signed());
      const Color from = picture.at(x, y), to = color_at(table, position(value, range));
      picture.set(x, y, {mixed(from.r, to.r, amount), mixed(from.g, to.g, amount), mixed(from.b, to.b, amount), 255});
    }
  return picture;
}

Image enlarged(const Image& picture, Index width, Index height) {
  Image result{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 4))};
  for (Index y = 0; y < height; ++y) {
    const Index row = y * picture.height / height;
    for (Index x = 0; x < width; ++x) result.set(x, y, picture.at(x * picture.width / width, row));
  }
  return result;
}

}  // namespace headlight
