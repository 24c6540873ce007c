// Pictures and signals as channels: what a variant is given to attend to, in a stated order that weights made by hand
// can read.
//
// Not for text: text.h. Not for files: image_file.h and signal.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/core/axis.h"
#include "engine/core/tensor.h"
#include "engine/picture/image.h"

namespace headlight {

// The channels of a picture described. Luma is 0.299 R + 0.587 G + 0.114 B of sRGB/255 (ITU-R BT.601); neighbours are
// taken inside the picture.
enum PictureChannel : Index {
  channel_r,  // sRGB/255 − 0.5
  channel_g,
  channel_b,
  channel_color_square,  // r² + g² + b² of those: 2 a·b − |a|² − |b|² = −|a − b|² compares colours
  channel_y,             // rows below the centre of the grid, / 8
  channel_x,             // columns right of it, / 8
  channel_y_square,
  channel_x_square,
  channel_one,       // 1 everywhere
  channel_contrast,  // luma − mean luma of the 3×3 pixels around, itself among them
  channel_dx,  // (luma at the right − luma at the left) / 2; at a border the whole difference to the one neighbour
  channel_dy,  // the same, below − above
  picture_channels,
  channel_t = picture_channels,  // of frames alone: frames after the middle one, / 4
  frame_channels,
};

// The channels of a signal described. Mean, slope and neighbours are those of the standardised value.
enum SignalChannel : Index {
  channel_value,  // mean 0, variance 1; a constant signal is 0
  channel_value_square,
  channel_position,  // samples after the middle one, / 8
  channel_position_square,
  channel_signal_one,
  channel_slope,     // (next − previous) / 2; at an end the whole difference to the one neighbour
  channel_previous,  // the value before; at the first sample its own
  channel_mean,      // of the value and its neighbours
  signal_channels,
};

inline constexpr float pixels_per_unit = 8;  // of y, x and a signal's position: a grid of 16 spans −1 … 1
inline constexpr float frames_per_unit = 4;  // of t: eight frames span −1 … 1

// Positions flattened row-major (frame, row, column), one row of channels each.
struct Positions {
  Tensor values;  // (positions, channels)
  Grid grid;
};

// "described" or "rgb": sRGB/255, 0 … 1, three channels. At least one frame; all are of one size, and opaque.
// `in_time` adds channel_t to what is described.
Positions picture_features(std::span<const Image> frames, const std::string& features, bool in_time);
// "described" or "value": the numbers as they are, one channel. At least one sample.
Positions signal_features(std::span<const float> samples, const std::string& features);

// Every value of `features`, for pictures and for signals; the first is the default.
const std::vector<std::string>& picture_feature_sets();
const std::vector<std::string>& signal_feature_sets();

// What stands in which channel, for people.
std::string picture_channels_in_words(const std::string& features, bool in_time);
std::string signal_channels_in_words(const std::string& features);

}  // namespace headlight
