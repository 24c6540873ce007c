#include "app/model/figure_preview.h"

#include <algorithm>

#include "app/figure/cairo_page.h"
#include "app/figure/layout.h"
#include "app/model/figure_of.h"

namespace headlight::app {

namespace {

std::string key_of(const Model& model, double pixels_per_point, Vision vision) {
  std::string key = fmt::format("{} {} {:.4f}", model.shown.ticket, static_cast<int>(vision), pixels_per_point);
  for (const auto& [path, companion] : model.companions)
    key += fmt::format("\n{} {} {}", path, companion.ticket, companion.error);
  for (const auto& [setting, text] : settings_of(model.document.figure)) key += fmt::format("\n{} {}", setting, text);
  return key;
}

Status draw(FigurePreview& preview, const Model& model, double pixels_per_point) {
  const FigureRequest& request = model.document.figure;
  HL_TRY(const OwnedFigure owned, figure_of(*model.trace(), *model.shown.problem, request, model.companions));
  const Figure& figure = owned.figure;
  HL_TRY(PageOptions page_options, page_options(request));
  page_options.pixels_per_inch = pixels_per_point * points_per_inch;
  HL_TRY(const FontFiles files, font_files_named(model.fonts, request.font));
  HL_TRY(const FontSet fonts, FontSet::load(files));
  HL_TRY(const Page page, lay_out(figure, page_options, fonts, 1 / pixels_per_point));
  HL_TRY(preview.image, paint_page(page, fonts, page_options.pixels_per_inch));
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
  preview.caption = request.caption.value_or(caption_of(figure));
  preview.alt = figure.description;
  preview.colormap = figure.colormap;
  preview.is_signed = range.is_signed();
  preview.spacing = range.spacing;
  return {};
}

}  // namespace

void refresh(FigurePreview& preview, const Model& model, double pixels_per_point, Vision vision) {
  std::string key = key_of(model, pixels_per_point, vision);
  if (preview.key == key) return;
  FigurePreview fresh;
  fresh.revision = preview.revision + 1;
  if (const Status drawn = draw(fresh, model, pixels_per_point); !drawn) fresh.error = drawn.error().message;
  fresh.image = seen_as(std::move(fresh.image), vision);
  fresh.key = std::move(key);
  preview = std::move(fresh);
}

}  // namespace headlight::app
