#include "app/session/previews.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "app/actions/exports.h"
#include "app/figures/figure_of.h"
#include "app/model/relevance.h"
#include "app/page/formats.h"
#include "app/page/layout.h"
#include "engine/core/memory.h"

namespace headlight::app {

std::string preview_key(const Model& model, const FigureRequest& request, double pixels_per_point, Vision vision) {
  std::string key = fmt::format("{} {} {:.4f} {}", model.figure_source().ticket, static_cast<int>(vision),
                                pixels_per_point, model.figure_files.format == FigureFormat::png);
  key += "\n" + why_not_figured(model);
  for (const auto& [path, companion] : model.companions)
    key += fmt::format("\n{} {} {}", path, companion.ticket, companion.error);
  for (const auto& [setting, text] : settings_of(request)) key += fmt::format("\n{} {}", setting, text);
  return key;
}

namespace {

// As wide as the figure where that is wider than text usually is, and never to the page's edges.
double column_of(double figure_width) {
  constexpr double usual = 5.5 * points_per_inch, least_margin = 0.75 * points_per_inch;
  return std::min(std::max(usual, figure_width), preview_page_width - 2 * least_margin);
}

// A paragraph as papers set captions. Words are parted where they must be.
Result<Image> paint_caption(const std::string& caption, double width, const FontSet& fonts, double pixels_per_point) {
  constexpr double size = 9, pitch = 11.5, below = 3;  // points
  std::vector<std::string> lines{""};
  std::istringstream words(caption);
  for (std::string word; words >> word;) {
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (!lines.back().empty() && fonts.set(Face::regular, size, longer).width > width)
      lines.push_back(word);
    else
      lines.back() = longer;
  }
  Page page;
  page.width = width;
  page.height = pitch * static_cast<double>(lines.size()) + below;
  for (std::size_t i = 0; i < lines.size(); ++i)
    page.texts.push_back({{0, size + pitch * static_cast<double>(i)},
                          fonts.set_within(width, Face::regular, size, lines[i]),
                          rgb(0x17181C),
                          false,
                          Align::left,
                          {}});
  return paint_page(page, fonts, pixels_per_point * points_per_inch);
}

Status draw(FigurePreview& preview, const FigureToPreview& asked, KeptFonts& kept) {
  if (!asked.not_figured.empty()) return fail("{}", asked.not_figured);
  const Outcome& of = asked.figured;
  const FigureRequest request = with_layer_names(asked.request, of.experiment ? of.experiment->name : "");
  HL_TRY(const OwnedFigure owned, figure_of(*of.trace, *of.problem, request, asked.companions));
  const Figure& figure = owned.figure;
  HL_TRY(PageOptions page_options, page_options(request));
  HL_TRY(const FontSet* found, kept.named(asked.fonts, request.font));
  const FontSet& fonts = *found;
  // As the file has it, not as the screen's pixels would.
  const bool pixels = asked.format == FigureFormat::png;
  HL_TRY(const Page page, lay_out(figure, page_options, fonts, pixels ? points_per_inch / request.dpi : vector_grid));
  HL_TRY(preview.image, paint_page(page, fonts, asked.pixels_per_point * points_per_inch));
  preview.width = page.width;
  preview.height = page.height;
  preview.smallest_text = request.text_size;
  for (const TextItem& text : page.texts)
    if (!text.line.glyphs.empty()) preview.smallest_text = std::min(preview.smallest_text, text.line.size);
  preview.panels = figure.panels.size();
  preview.bars = static_cast<std::size_t>(
      std::ranges::count_if(figure.panels, [](const Panel& panel) { return panel.range.has_value(); }));
  const ValueRange range = figure.panels.front().range.value_or(figure.range);
  preview.scale = fmt::format("{} to {}", value_text(range.low), value_text(range.high));
  const std::string thinned = thinning_note(figure, page);
  preview.caption = request.caption.value_or(caption_of(figure) + (thinned.empty() ? "" : " " + thinned));
  preview.column = column_of(page.width);
  HL_TRY(preview.caption_image,
         paint_caption("Figure 1: " + preview.caption, preview.column, fonts, asked.pixels_per_point));
  preview.alt = figure.description;
  preview.colormap = figure.colormap;
  preview.is_signed = range.is_signed();
  preview.spacing = range.spacing;
  return {};
}

}  // namespace

FigureToPreview figure_to_preview(const Model& model, const FigureRequest& request, double pixels_per_point,
                                  Vision vision) {
  return {model.figure_source(),     model.companions, why_not_figured(model), request,
          model.figure_files.format, model.fonts,      pixels_per_point,       vision};
}

FigurePreview draw_preview(const FigureToPreview& figure, KeptFonts& fonts) {
  FigurePreview preview;
  if (const Status drawn = within_memory([&] { return draw(preview, figure, fonts); }); !drawn)
    preview.error = drawn.error().message;
  preview.image = simulate_vision(std::move(preview.image), figure.vision);
  return preview;
}

namespace {

Status draw(WorksheetPreview& preview, const WorksheetJob& job, SheetSide side, double pixels_per_point,
            KeptFonts& kept) {
  HL_TRY(const MadeWorksheet made, first_worksheet(job));
  HL_TRY(const FontSet* fonts, kept.named(job.fonts, "sans"));
  std::vector<Page> pages;
  if (sheet_count(job) > 1 && side == SheetSide::key) {
    HL_TRY(const MadeWorksheets all, make_worksheets(job, {}));
    pages = lay_out_answers(all.sheets, job.paper, *fonts);
  } else {
    HL_TRY(pages, lay_out(made.sheet, job.paper, side, *fonts));
  }
  HL_TRY(preview.image, paint_page(pages.front(), *fonts, pixels_per_point * points_per_inch));
  preview.width = job.paper.width;
  preview.height = job.paper.height;
  preview.pages = pages.size();
  preview.blanks = made.blanks.size();
  preview.note = made.note;
  return {};
}

}  // namespace

std::string preview_key(const Model& model, SheetSide side, double pixels_per_point) {
  const WorksheetRequest request = sheet_request(model);
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {:.4f}", model.shown.ticket, model.sheet.copies,
                     model.sheet.by_hand, request.batch, request.head, request.query.value_or(-1),
                     request.blanks.value_or(-1), request.seed, model.sheet.letter, static_cast<int>(side),
                     pixels_per_point) +
         fmt::format(" {}\n{}", fmt::join(model.sheet.rows, ","), request.title);
}

WorksheetPreview draw_preview(const WorksheetJob& sheet, SheetSide side, double pixels_per_point, KeptFonts& fonts) {
  WorksheetPreview preview;
  if (const Status drawn = within_memory([&] { return draw(preview, sheet, side, pixels_per_point, fonts); }); !drawn)
    preview.error = drawn.error().message;
  return preview;
}

}  // namespace headlight::app
