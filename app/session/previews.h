// What the export screens show of their files before they are written: a figure, the first page of a worksheet.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "app/model/export_task.h"
#include "app/model/model.h"
#include "app/page/worksheet.h"
#include "app/text/font_set.h"
#include "engine/picture/color_vision.h"
#include "engine/picture/image.h"

namespace headlight::app {

// Sets of fonts, loaded once.
class KeptFonts {
 public:
  // By the name that a figure's font has. Errors: as of font_files_named() and FontSet::load().
  Result<const FontSet*> named(const std::filesystem::path& folder, const std::string& name) {
    const auto found = kept_.find(name);
    if (found != kept_.end()) return &found->second;
    HL_TRY(const FontFiles files, font_files_named(folder, name));
    HL_TRY(FontSet fonts, FontSet::load(files));
    return &kept_.insert_or_assign(name, std::move(fonts)).first->second;
  }

 private:
  std::map<std::string, FontSet> kept_;
};

// A figure drawn for the screen from the same layout as its file, and what was measured of it.
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

// The first page of a worksheet, drawn for the screen from the same layout as its file.
struct WorksheetPreview {
  Image image;
  double width = 0, height = 0;  // points
  std::size_t pages = 0;
  std::size_t blanks = 0;
  std::string note;   // why it has fewer than usual
  std::string error;  // why there is none
};

// Another text wherever another preview is drawn. The model must have a trace.
std::string preview_key(const Model& model, SheetSide side, double pixels_per_point);
// The sheet of a job, a point of it `pixels_per_point` pixels wide. Not for the window's thread.
WorksheetPreview draw_preview(const WorksheetJob& sheet, SheetSide side, double pixels_per_point, KeptFonts& fonts);

}  // namespace headlight::app
