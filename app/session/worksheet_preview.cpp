#include "app/session/worksheet_preview.h"

#include "app/actions/exports.h"
#include "app/page/cairo_page.h"

namespace headlight::app {

namespace {

std::string key_of(const Model& model, const WorksheetRequest& request, SheetSide side, double pixels_per_point) {
  return fmt::format("{} {} {} {} {} {} {} {} {:.4f}", model.shown.ticket, request.batch, request.head,
                     request.query.value_or(-1), request.blanks.value_or(-1), request.seed, model.sheet.letter,
                     static_cast<int>(side), pixels_per_point) +
         "\n" + request.title;
}

Status draw(WorksheetPreview& preview, const Model& model, const WorksheetRequest& request, SheetSide side,
            double pixels_per_point) {
  const PaperSize paper = model.sheet.letter ? letter_paper : a4_paper;
  HL_TRY(const MadeWorksheet made, worksheet_of(*model.trace(), request));
  HL_TRY(const FontSet fonts, FontSet::load(font_files_in(model.fonts)));
  HL_TRY(const auto pages, lay_out(made.sheet, paper, side, fonts));
  HL_TRY(preview.image, paint_page(pages.front(), fonts, pixels_per_point * points_per_inch));
  preview.width = paper.width;
  preview.height = paper.height;
  preview.pages = pages.size();
  preview.blanks = made.blanks.size();
  return {};
}

}  // namespace

void refresh(WorksheetPreview& preview, const Model& model, SheetSide side, double pixels_per_point) {
  const WorksheetRequest request = sheet_request(model);
  std::string key = key_of(model, request, side, pixels_per_point);
  if (preview.key == key) return;
  WorksheetPreview fresh;
  fresh.revision = preview.revision + 1;
  if (const Status drawn = draw(fresh, model, request, side, pixels_per_point); !drawn)
    fresh.error = drawn.error().message;
  fresh.key = std::move(key);
  preview = std::move(fresh);
}

}  // namespace headlight::app
