#include "engine/picture/resize.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight {

namespace {

constexpr std::size_t channels = 3;

std::array<double, 256> light_of_bytes() {
  std::array<double, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) table[byte] = linear_at_byte(static_cast<std::uint8_t>(byte));
  return table;
}

// The share of cell `to` of `count` cells that piece `from` of `pieces` covers, both over one length; 0 … 1, in whole
// units of 1 / pieces, so that whole factors are exact.
double share(Index from, Index pieces, Index to, Index count) {
  const Index begin = std::max(from * count, to * pieces);
  const Index end = std::min((from + 1) * count, (to + 1) * pieces);
  return static_cast<double>(end - begin) / static_cast<double>(pieces);
}

// The first cell that a piece touches, and the one behind the last.
Index first_cell(Index from, Index pieces, Index count) {
  return from * count / pieces;
}
Index end_cell(Index from, Index pieces, Index count) {
  return ((from + 1) * count + pieces - 1) / pieces;
}

// One row of the picture, brought to `sum.size() / 3` columns.
void reduce_row(const Image& image, Index y, const std::array<double, 256>& light, std::vector<double>& sum) {
  const Index columns = static_cast<Index>(sum.size() / channels);
  std::ranges::fill(sum, 0.0);
  for (Index x = 0; x < image.width; ++x) {
    const Color color = image.at(x, y);
    const Color opaque = color.a == 255 ? color : mixed(rgb(0xFFFFFF), color, color.a / 255.0);
    const std::array<double, channels> lit{light[opaque.r], light[opaque.g], light[opaque.b]};
    for (Index to = first_cell(x, image.width, columns); to < end_cell(x, image.width, columns); ++to) {
      const double part = share(x, image.width, to, columns);
      for (std::size_t c = 0; c < channels; ++c) sum[static_cast<std::size_t>(to) * channels + c] += part * lit[c];
    }
  }
}

}  // namespace

Image resized(const Image& image, Index width, Index height) {
  assert(width >= 1 && height >= 1 && image.width >= 1 && image.height >= 1);
  const auto light = light_of_bytes();
  const std::size_t row_size = static_cast<std::size_t>(width) * channels;
  std::vector<double> row(row_size), sums(row_size * static_cast<std::size_t>(height));
  for (Index y = 0; y < image.height; ++y) {
    reduce_row(image, y, light, row);
    for (Index to = first_cell(y, image.height, height); to < end_cell(y, image.height, height); ++to) {
      const double part = share(y, image.height, to, height);
      double* sum = sums.data() + static_cast<std::size_t>(to) * row_size;
      for (std::size_t i = 0; i < row_size; ++i) sum[i] += part * row[i];
    }
  }
  Image result = filled_image(width, height, {});
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x) {
      const double* sum = sums.data() + static_cast<std::size_t>(y * width + x) * channels;
      result.set(x, y, {byte_at_linear(sum[0]), byte_at_linear(sum[1]), byte_at_linear(sum[2]), 255});
    }
  return result;
}

PictureSize size_within(Index width, Index height, Index longest) {
  const Index longer = std::max(width, height);
  if (longer <= longest) return {width, height};
  const auto scaled = [&](Index side) { return std::max<Index>(1, (side * longest + longer / 2) / longer); };
  return {scaled(width), scaled(height)};
}

}  // namespace headlight
