#include "engine/inputs/features.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headlight {

namespace {

constexpr float byte_range = 255;

// How far a place lies behind the middle of `count` places, in units of `per_unit` places.
float from_middle(Index at, Index count, float per_unit) {
  return (static_cast<float>(at) - static_cast<float>(count - 1) / 2) / per_unit;
}

// Half the difference of the neighbours at both sides; at a border the difference to the one that is there.
float slope(Index at, Index count, const auto& value) {
  if (count == 1) return 0;
  if (at == 0) return value(1) - value(0);
  if (at == count - 1) return value(at) - value(at - 1);
  return (value(at + 1) - value(at - 1)) / 2;
}

float luma(Color color) {
  return (0.299F * color.r + 0.587F * color.g + 0.114F * color.b) / byte_range;
}

float mean_luma_around(const Image& image, Index x, Index y) {
  float sum = 0;
  int count = 0;
  for (Index v = std::max<Index>(0, y - 1); v <= std::min(image.height - 1, y + 1); ++v)
    for (Index u = std::max<Index>(0, x - 1); u <= std::min(image.width - 1, x + 1); ++u, ++count)
      sum += luma(image.at(u, v));
  return sum / static_cast<float>(count);
}

void describe(const Image& image, Index x, Index y, float* to) {
  const Color color = image.at(x, y);
  to[channel_r] = color.r / byte_range - 0.5F;
  to[channel_g] = color.g / byte_range - 0.5F;
  to[channel_b] = color.b / byte_range - 0.5F;
  to[channel_color_square] =
      to[channel_r] * to[channel_r] + to[channel_g] * to[channel_g] + to[channel_b] * to[channel_b];
  to[channel_y] = from_middle(y, image.height, pixels_per_unit);
  to[channel_x] = from_middle(x, image.width, pixels_per_unit);
  to[channel_y_square] = to[channel_y] * to[channel_y];
  to[channel_x_square] = to[channel_x] * to[channel_x];
  to[channel_one] = 1;
  to[channel_contrast] = luma(color) - mean_luma_around(image, x, y);
  to[channel_dx] = slope(x, image.width, [&](Index u) { return luma(image.at(u, y)); });
  to[channel_dy] = slope(y, image.height, [&](Index v) { return luma(image.at(x, v)); });
}

// Mean 0 and variance 1. What varies by no more than rounding does not vary.
std::vector<float> standardised(std::span<const float> samples) {
  const auto count = static_cast<double>(samples.size());
  double mean = 0, square = 0, largest = 0;
  for (const float sample : samples) mean += sample / count;
  for (const float sample : samples) {
    square += (sample - mean) * (sample - mean) / count;
    largest = std::max(largest, std::abs(static_cast<double>(sample)));
  }
  const double deviation = std::sqrt(square);
  constexpr double rounding = 1e-7;  // of a float32, against its size
  std::vector<float> result;
  for (const float sample : samples)
    result.push_back(deviation <= rounding * largest ? 0.0F : static_cast<float>((sample - mean) / deviation));
  return result;
}

}  // namespace

Positions picture_features(std::span<const Image> frames, const std::string& features, bool in_time) {
  assert(!frames.empty());
  const bool described = features == "described";
  Index channels = 3;
  if (described) channels = in_time ? frame_channels : picture_channels;
  const auto count = static_cast<Index>(frames.size());
  const Index width = frames[0].width, height = frames[0].height;
  Positions result{Tensor({count * height * width, channels}), Grid{count, height, width}};
  float* to = result.values.data();
  for (Index t = 0; t < count; ++t) {
    const Image& image = frames[static_cast<std::size_t>(t)];
    for (Index y = 0; y < height; ++y)
      for (Index x = 0; x < width; ++x, to += channels) {
        const Color color = image.at(x, y);
        if (described) {
          describe(image, x, y, to);
          if (in_time) to[channel_t] = from_middle(t, count, frames_per_unit);
        } else {
          to[0] = color.r / byte_range;
          to[1] = color.g / byte_range;
          to[2] = color.b / byte_range;
        }
      }
  }
  return result;
}

Positions signal_features(std::span<const float> samples, const std::string& features) {
  assert(!samples.empty());
  const auto count = static_cast<Index>(samples.size());
  const Grid grid{1, 1, count};
  if (features != "described") return {Tensor::from({count, 1}, samples), grid};
  const std::vector<float> values = standardised(samples);
  const auto value = [&](Index i) { return values[static_cast<std::size_t>(i)]; };
  Positions result{Tensor({count, signal_channels}), grid};
  for (Index i = 0; i < count; ++i) {
    float* to = result.values.data() + i * signal_channels;
    const Index first = std::max<Index>(0, i - 1), last = std::min(count - 1, i + 1);
    to[channel_value] = value(i);
    to[channel_value_square] = value(i) * value(i);
    to[channel_position] = from_middle(i, count, pixels_per_unit);
    to[channel_position_square] = to[channel_position] * to[channel_position];
    to[channel_signal_one] = 1;
    to[channel_slope] = slope(i, count, value);
    to[channel_previous] = value(first);
    for (Index j = first; j <= last; ++j) to[channel_mean] += value(j) / static_cast<float>(last - first + 1);
  }
  return result;
}

const std::vector<std::string>& picture_feature_sets() {
  static const std::vector<std::string> sets{"described", "rgb"};
  return sets;
}

const std::vector<std::string>& signal_feature_sets() {
  static const std::vector<std::string> sets{"described", "value"};
  return sets;
}

std::string picture_channels_in_words(const std::string& features, bool in_time) {
  if (features == "rgb") return "Channels 0 to 2 are red, green and blue, 0 to 1.";
  std::string words = fmt::format(
      "Channels {} to {} are red, green and blue, each less 0.5; {} is the sum of their squares. {} and {} are the row "
      "and the column from the centre, divided by {}; {} and {} their squares; {} is always 1. {} is how much brighter "
      "the position is than the 3×3 around it; {} and {} are how the brightness changes to the right and down.",
      Index{channel_r}, Index{channel_b}, Index{channel_color_square}, Index{channel_y}, Index{channel_x},
      pixels_per_unit, Index{channel_y_square}, Index{channel_x_square}, Index{channel_one}, Index{channel_contrast},
      Index{channel_dx}, Index{channel_dy});
  return in_time ? words + fmt::format(" {} is the frame from the middle one, divided by {}.", Index{channel_t},
                                       frames_per_unit)
                 : words;
}

std::string signal_channels_in_words(const std::string& features) {
  if (features == "value") return "Its one channel is the sample as it is.";
  return fmt::format(
      "Channel {} is the value, brought to mean 0 and variance 1; {} is its square. {} is the position from the "
      "middle, divided by {}; {} its square; {} is always 1. {} is the slope, {} the value before, {} the mean of "
      "three.",
      Index{channel_value}, Index{channel_value_square}, Index{channel_position}, pixels_per_unit,
      Index{channel_position_square}, Index{channel_signal_one}, Index{channel_slope}, Index{channel_previous},
      Index{channel_mean});
}

}  // namespace headlight
