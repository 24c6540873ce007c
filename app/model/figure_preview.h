// A figure drawn for the screen from the same layout as its file, and what was measured of it.
#pragma once

#include <cstdint>
#include <string>

#include "app/model/model.h"
#include "engine/picture/color_vision.h"

namespace headlight::app {

struct FigurePreview {
  std::string key;             // what it was drawn from
  std::uint64_t revision = 0;  // another for another drawing
  Image image;
  double width = 0, height = 0;  // points
  double smallest_text = 0;      // points
  std::size_t panels = 0;
  std::size_t bars = 0;
  std::string scale, caption, alt;
  Colormap colormap = Colormap::dusk;
  bool is_signed = false;
  Spacing spacing = Spacing::linear;
  std::string error;  // why there is none
};

// Draws the model's figure, a point of it `pixels_per_point` pixels wide, as that vision sees it, unless `preview` is
// of the same already. The model must have a trace.
void refresh(FigurePreview& preview, const Model& model, double pixels_per_point, Vision vision);

}  // namespace headlight::app
