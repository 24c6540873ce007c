// The first page of a worksheet, drawn for the screen from the same layout as its file.
#pragma once

#include <cstdint>
#include <string>

#include "app/model/model.h"
#include "app/page/worksheet.h"
#include "engine/picture/image.h"

namespace headlight::app {

struct WorksheetPreview {
  std::string key;             // what it was drawn from
  std::uint64_t revision = 0;  // another for another drawing
  Image image;
  double width = 0, height = 0;  // points
  std::size_t pages = 0;
  std::size_t blanks = 0;
  std::string error;  // why there is none
};

// Draws the model's worksheet, a point of it `pixels_per_point` pixels wide, unless `preview` is of the same already.
// The model must have a trace.
void refresh(WorksheetPreview& preview, const Model& model, SheetSide side, double pixels_per_point);

}  // namespace headlight::app
