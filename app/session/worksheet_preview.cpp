#include "app/session/worksheet_preview.h"

#include "app/actions/exports.h"
#include "app/page/cairo_page.h"
#include "engine/core/memory.h"

namespace headlight::app {

namespace {

Status draw(WorksheetPreview& preview, const WorksheetJob& job, SheetSide side, double pixels_per_point,
            KeptFonts& kept) {
  HL_TRY(const MadeWorksheet made, worksheet_of(*job.trace, job.request));
  HL_TRY(const FontSet* fonts, kept.named(job.fonts, "sans"));
  HL_TRY(const auto pages, lay_out(made.sheet, job.paper, side, *fonts));
  HL_TRY(preview.image, paint_page(pages.front(), *fonts, pixels_per_point * points_per_inch));
  preview.width = job.paper.width;
  preview.height = job.paper.height;
  preview.pages = pages.size();
  preview.blanks = made.blanks.size();
  return {};
}

}  // namespace

std::string preview_key(const Model& model, SheetSide side, double pixels_per_point) {
  const WorksheetRequest request = sheet_request(model);
  return fmt::format("{} {} {} {} {} {} {} {} {:.4f}", model.shown.ticket, request.batch, request.head,
                     request.query.value_or(-1), request.blanks.value_or(-1), request.seed, model.sheet.letter,
                     static_cast<int>(side), pixels_per_point) +
         "\n" + request.title;
}

WorksheetPreview draw_preview(const WorksheetJob& sheet, SheetSide side, double pixels_per_point, KeptFonts& fonts) {
  WorksheetPreview preview;
  if (const Status drawn = within_memory([&] { return draw(preview, sheet, side, pixels_per_point, fonts); }); !drawn)
    preview.error = drawn.error().message;
  return preview;
}

}  // namespace headlight::app
