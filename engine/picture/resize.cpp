#include "engine/picture/resize.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight {

namespace {

constexpr std::size_t color_channels = 3;

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
  const Index columns = static_cast<Index>(sum.size() / color_channels);
  std::ranges::fill(sum, 0.0);
  for (Index x = 0; x < image.width; ++x) {
    const Color color = image.at(x, y);
    const Color opaque = color.a == 255 ? color : mixed(rgb(0xFFFFFF), color, color.a / 255.0);
    const std::array<double, color_channels> lit{light[opaque.r], light[opaque.g], light[opaque.b]};
    for (Index to = first_cell(x, image.width, columns); to < end_cell(x, image.width, columns); ++to) {
      const double part = share(x, image.width, to, columns);
      for (std::size_t c = 0; c < color_channels; ++c)
        sum[static_cast<std::size_t>(to) * color_channels + c] += part * lit[c];
    }
  }
}

}  // namespace

Image resized(const Image& image, Index width, Index height) {
  assert(width >= 1 && height >= 1 && image.width >= 1 && image.height >= 1);
  const auto light = light_of_bytes();
  const std::size_t row_size = static_cast<std::size_t>(width) * color_channels;
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
      const double* sum = sums.data() + static_cast<std::size_t>(y * width + x) * color_channels;
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

namespace {

constexpr int precision = 22;  // bits of a weight behind the point

// The pixels that one of the result is made of, and their weights.
struct Taps {
  Index first = 0;
  std::vector<std::int32_t> weights;
};

double bilinear(double x) {
  return std::max(0.0, 1 - std::abs(x));
}

// Keys 1981, with a = −0.5.
double bicubic(double given) {
  constexpr double a = -0.5;
  const double x = std::abs(given);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

std::vector<Taps> taps_of(Index from, Index to, ResizeFilter filter) {
  std::vector<Taps> all;
  for (const ResizeShares& shares : resize_shares(from, to, filter)) {
    Taps taps{shares.first, {}};
    for (const double weight : shares.weights)
      taps.weights.push_back(static_cast<std::int32_t>(std::round(weight * (1 << precision))));
    all.push_back(std::move(taps));
  }
  return all;
}

// Along rows or columns: `step` bytes lie between neighbours.
std::uint8_t weighted_sum(const std::uint8_t* from, Index step, const Taps& taps) {
  std::int64_t sum = 1 << (precision - 1);
  for (std::size_t i = 0; i < taps.weights.size(); ++i)
    sum += static_cast<std::int64_t>(from[(taps.first + static_cast<Index>(i)) * step]) * taps.weights[i];
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> precision, 0, 255));
}

Image empty_image(Index width, Index height) {
  return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(4 * width * height), 255)};
}

Image nearest(const Image& image, Index width, Index height) {
  Image result = empty_image(width, height);
  const auto from = [](Index at, Index of, Index to) {
    return std::min(of - 1, static_cast<Index>((static_cast<double>(at) + 0.5) * static_cast<double>(of) /
                                               static_cast<double>(to)));
  };
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x) {
      Color color = image.at(from(x, image.width, width), from(y, image.height, height));
      color.a = 255;
      result.set(x, y, color);
    }
  return result;
}

}  // namespace

std::vector<ResizeShares> resize_shares(Index from, Index to, ResizeFilter filter) {
  const double scale = static_cast<double>(from) / static_cast<double>(to), wide = std::max(scale, 1.0),
               reach = (filter == ResizeFilter::bicubic ? 2 : 1) * wide;
  std::vector<ResizeShares> all;
  for (Index x = 0; x < to; ++x) {
    const double centre = (static_cast<double>(x) + 0.5) * scale;
    const Index first = std::max<Index>(0, static_cast<Index>(centre - reach + 0.5)),
                last = std::min(from, static_cast<Index>(centre + reach + 0.5));
    ResizeShares shares{first, {}};
    double sum = 0;
    for (Index i = first; i < last; ++i) {
      const double at = (static_cast<double>(i) - centre + 0.5) / wide;
      shares.weights.push_back(filter == ResizeFilter::bicubic ? bicubic(at) : bilinear(at));
      sum += shares.weights.back();
    }
    for (double& weight : shares.weights) weight = sum == 0 ? weight : weight / sum;
    all.push_back(std::move(shares));
  }
  return all;
}

Image filtered_resize(const Image& image, Index width, Index height, ResizeFilter filter) {
  if (filter == ResizeFilter::nearest) return nearest(image, width, height);
  Image across = empty_image(width, image.height);
  const auto columns = taps_of(image.width, width, filter);
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < width; ++x)
      for (Index c = 0; c < 3; ++c)
        across.rgba[static_cast<std::size_t>(4 * (y * width + x) + c)] =
            weighted_sum(image.rgba.data() + 4 * y * image.width + c, 4, columns[static_cast<std::size_t>(x)]);
  Image result = empty_image(width, height);
  const auto rows = taps_of(image.height, height, filter);
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x)
      for (Index c = 0; c < 3; ++c)
        result.rgba[static_cast<std::size_t>(4 * (y * width + x) + c)] =
            weighted_sum(across.rgba.data() + 4 * x + c, 4 * width, rows[static_cast<std::size_t>(y)]);
  return result;
}

}  // namespace headlight
