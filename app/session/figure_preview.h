// A figure drawn for the screen from the same layout as its file, and what was measured of it.
#pragma once

#include <string>

#include "app/model/model.h"
#include "app/session/kept_fonts.h"
#include "engine/picture/color_vision.h"

namespace headlight::app {

struct FigurePreview {
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

// What a preview is drawn from, fixed as it is now: it may be drawn on another thread.
struct FigureToPreview {
  Outcome figured;
  Companions companions;
  std::string not_figured;  // why there is none
  FigureRequest request;
  FigureFormat format = FigureFormat::pdf;
  std::filesystem::path fonts;
  double pixels_per_point = 1;
  Vision vision = Vision::normal;
};

// The request's figure, a point of it `pixels_per_point` pixels wide, as that vision sees it. The model must have a
// trace.
FigureToPreview figure_to_preview(const Model& model, const FigureRequest& request, double pixels_per_point,
                                  Vision vision);
// Another text wherever another preview is drawn.
std::string preview_key(const Model& model, const FigureRequest& request, double pixels_per_point, Vision vision);
// Not for the window's thread.
FigurePreview draw_preview(const FigureToPreview& figure, KeptFonts& fonts);

}  // namespace headlight::app
