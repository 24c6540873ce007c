// Steps that attention over the pixels of a picture takes, beside those of parts.h: pixels become queries, keys and
// values, and a query's keys may be the window round it. Also the axes of pictures.
//
// As in parts.h, arrays are named by id and info.axes must fit the shape given here. The picture is the array "x",
// (B, C, H, W); its pixels are counted row by row, HW of them.
#pragma once

#include <string>
#include <vector>

#include "engine/math/window.h"
#include "engine/variants/explain.h"
#include "engine/variants/recorder.h"

namespace headlight::parts {

// (B, C, H, W) of which C is `channels`, a bound symbol.
std::vector<Axis> picture_axes(const Recorder& r, const char* channels);
// One position a pixel, in the picture's grid: the queries ("n_q"), or keys and values ("n_k" where each of them is a
// key of every query, "N" where windows choose among them).
Axis pixel_axis(const Recorder& r, const char* symbol);
// The k² keys of a window, in their grid.
Axis window_axis(const Recorder& r, Index extent);

// x (B, C, H, W) → (B, HW, C), for project_pixels().
Tensor pixels_first(Recorder& r);

// Pixel `at` of those: (B, HW, C) → (B, 1, C).
Tensor one_pixel(const Tensor& pixels, Index at);

// `pixels` (B, n, C), numbers of x from pixel `first` on, · w (M, C, d') + b (M, d') → (B, M, n, d').
const Tensor& project_pixels(Recorder& r, StepInfo info, const Tensor& pixels, const std::string& w,
                             const std::string& b, Index first = 0);

// factor · q (B, M, HW, d') · k (B, M, HW, d') → (B, M, HW, k²); a key outside the picture is zeros. `label` says what
// the factor is and `in_code` what is done to the products ("/ 8**0.5"), where it is not 1.
const Tensor& window_scores(Recorder& r, StepInfo info, const std::string& q, const std::string& k,
                            const math::Window& window, double factor = 1, const std::string& label = {},
                            const std::string& in_code = {});

// scores (B, M, HW, k²) with −∞ for keys outside the picture.
const Tensor& hidden_outside(Recorder& r, StepInfo info, const std::string& scores, const math::Window& window);

// Softmax over the keys of a window, after hidden_outside().
const Tensor& hidden_softmax(Recorder& r, StepInfo info, const std::string& scores, const math::Window& window);

// a (B, M, HW, k²) · v (B, M, HW, d') → (B, M, HW, d'). Keys outside the picture take no part where they are `hidden`;
// otherwise their value is zeros.
const Tensor& window_sum(Recorder& r, StepInfo info, const std::string& a, const std::string& v,
                         const math::Window& window, bool hidden);

// What window_sum() counts for a cell: both numbers of a product in the picture, and the weight of a value of zeros.
double window_sum_operations(const math::Window& window, bool hidden);

}  // namespace headlight::parts
