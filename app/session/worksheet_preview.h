// The first page of a worksheet, drawn for the screen from the same layout as its file.
#pragma once

#include <string>

#include "app/model/export_task.h"
#include "app/model/model.h"
#include "app/page/worksheet.h"
#include "app/session/kept_fonts.h"
#include "engine/picture/image.h"

namespace headlight::app {

struct WorksheetPreview {
  Image image;
  double width = 0, height = 0;  // points
  std::size_t pages = 0;
  std::size_t blanks = 0;
  std::string error;  // why there is none
};

// Another text wherever another preview is drawn. The model must have a trace.
std::string preview_key(const Model& model, SheetSide side, double pixels_per_point);
// The sheet of a job, a point of it `pixels_per_point` pixels wide. Not for the window's thread.
WorksheetPreview draw_preview(const WorksheetJob& sheet, SheetSide side, double pixels_per_point, KeptFonts& fonts);

}  // namespace headlight::app
