#include "engine/picture/filtered_resize.h"

#include <algorithm>
#include <cmath>

namespace headlight {

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
  const double scale = static_cast<double>(from) / static_cast<double>(to), wide = std::max(scale, 1.0),
               reach = (filter == ResizeFilter::bicubic ? 2 : 1) * wide;
  std::vector<Taps> all;
  for (Index x = 0; x < to; ++x) {
    const double centre = (static_cast<double>(x) + 0.5) * scale;
    const Index first = std::max<Index>(0, static_cast<Index>(centre - reach + 0.5)),
                last = std::min(from, static_cast<Index>(centre + reach + 0.5));
    std::vector<double> weights;
    double sum = 0;
    for (Index i = first; i < last; ++i) {
      const double at = (static_cast<double>(i) - centre + 0.5) / wide;
      weights.push_back(filter == ResizeFilter::bicubic ? bicubic(at) : bilinear(at));
      sum += weights.back();
    }
    Taps taps{first, {}};
    for (const double weight : weights)
      taps.weights.push_back(
          static_cast<std::int32_t>(std::round((sum == 0 ? weight : weight / sum) * (1 << precision))));
    all.push_back(std::move(taps));
  }
  return all;
}

// Along rows or columns: `step` bytes lie between neighbours.
std::uint8_t weighed(const std::uint8_t* from, Index step, const Taps& taps) {
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

Image filtered_resize(const Image& image, Index width, Index height, ResizeFilter filter) {
  if (filter == ResizeFilter::nearest) return nearest(image, width, height);
  Image across = empty_image(width, image.height);
  const auto columns = taps_of(image.width, width, filter);
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < width; ++x)
      for (Index c = 0; c < 3; ++c)
        across.rgba[static_cast<std::size_t>(4 * (y * width + x) + c)] =
            weighed(image.rgba.data() + 4 * y * image.width + c, 4, columns[static_cast<std::size_t>(x)]);
  Image result = empty_image(width, height);
  const auto rows = taps_of(image.height, height, filter);
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x)
      for (Index c = 0; c < 3; ++c)
        result.rgba[static_cast<std::size_t>(4 * (y * width + x) + c)] =
            weighed(across.rgba.data() + 4 * x + c, 4 * width, rows[static_cast<std::size_t>(y)]);
  return result;
}

}  // namespace headlight
