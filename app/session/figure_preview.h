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
  double column = 0;             // points: of the page's text, in which the figure stands
  Image caption_image;           // the caption in the figure's own font, as wide as the column
  double smallest_text = 0;      // points
  std::size_t panels = 0;
  std::size_t bars = 0;
  std::string scale, caption, alt;
  Colormap colormap = Colormap::dusk;
  bool is_signed = false;
  Spacing spacing = Spacing::linear;
  std::string error;  // why there is none
};

// The page that it is shown on is of US Letter.
inline constexpr double preview_page_width = 8.5 * points_per_inch;

// Draws the request's figure, a point of it `pixels_per_point` pixels wide, as that vision sees it, unless `preview` is
// of the same already. The model must have a trace.
void refresh(FigurePreview& preview, const Model& model, const FigureRequest& request, double pixels_per_point,
             Vision vision);

}  // namespace headlight::app
