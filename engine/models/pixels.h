// A picture as a vision model takes it: resized, cropped and brought to scale as the folder's preprocessor_config.json
// says.
//
// Not for pictures as Headlight's own mechanisms take them: inputs/features.h.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/models/model.h"
#include "engine/picture/filtered_resize.h"

namespace headlight {

struct PictureRules {
  Index width = 0, height = 0;            // that it is resized to; 0: it is not
  Index shortest = 0;                     // its shorter side instead, the other by its aspect
  Index crop_width = 0, crop_height = 0;  // of its middle; 0: it is not cropped
  ResizeFilter filter = ResizeFilter::bilinear;
  double scale = 1.0 / 255;
  std::array<double, 3> mean{}, deviation{1, 1, 1};
  std::vector<std::string> notices;  // what was assumed
};

// Errors: a field that is of another kind or size; a filter that is not read here.
Result<PictureRules> picture_rules(const Model& model);

// → (1, 3, H, W). Alpha is dropped.
Result<Tensor> pixels_of(const std::filesystem::path& picture, const PictureRules& rules);

// The picture of an item again, as it was before it was brought to scale.
Image picture_of(const Tensor& pixels, Index item, const PictureRules& rules);

}  // namespace headlight
