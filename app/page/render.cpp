#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "app/page/figure.h"
#include "app/page/formats.h"
#include "app/page/layout.h"
#include "app/page/notes.h"
#include "engine/core/system/paths.h"
#include "engine/io/images/png.h"

namespace headlight {

Result<std::string> png_of(const Page& page, const FontSet& fonts, const Figure& figure, double pixels_per_inch) {
  HL_TRY(const Image image, paint_page(page, fonts, pixels_per_inch));
  PngOptions png{pixels_per_inch, {{"Software", "Headlight"}}};
  if (!figure.title.empty()) png.texts.push_back({"Title", figure.title});
  if (!figure.description.empty()) png.texts.push_back({"Description", figure.description});
  if (figure.time) png.texts.push_back({"Creation Time", iso_time(*figure.time)});
  if (!figure.recipe.empty()) png.texts.push_back({std::string(recipe_key), figure.recipe});
  return encode_png(image, png);
}

Result<std::vector<FigureFile>> render_figure(const Figure& figure, const PageOptions& options, const FontFiles& fonts,
                                              FigureFormat format, const std::string& stem) {
  HL_TRY(FontSet font_set, FontSet::load(fonts));
  if (format == FigureFormat::svg) font_set.skip_missing_glyphs();
  const double grid = format == FigureFormat::png ? 72 / options.pixels_per_inch : vector_grid;
  HL_TRY(const Page page, lay_out(figure, options, font_set, grid));
  std::vector<FigureFile> files{{stem + extension_of(format), {}}};
  if (format == FigureFormat::pgf) {
    HL_TRY(files, pgf_of(page, font_set, figure, stem));
  } else if (format == FigureFormat::png) {
    HL_TRY(files.front().bytes, png_of(page, font_set, figure, options.pixels_per_inch));
  } else if (format == FigureFormat::svg) {
    HL_TRY(files.front().bytes, svg_of(page, font_set, figure));
  } else {
    HL_TRY(files.front().bytes, pdf_of(std::span(&page, 1), font_set, figure));
  }
  files.front().note = thinning_note(figure, page);
  return files;
}

Result<std::string> render_png(const Figure& figure, const PageOptions& options, const FontFiles& fonts) {
  HL_TRY(auto files, render_figure(figure, options, fonts, FigureFormat::png, ""));
  return std::move(files[0].bytes);
}

std::string extension_of(FigureFormat format) {
  static constexpr std::array extensions{".png", ".svg", ".pdf", ".tex"};  // in the order of FigureFormat
  return extensions[static_cast<std::size_t>(format)];
}

Result<FigureFormat> figure_format_of(const std::filesystem::path& file) {
  const std::string extension = lower_extension(file);
  std::vector<std::string> known;
  for (const FigureFormat format : all_figure_formats) {
    known.push_back(extension_of(format));
    if (known.back() == extension) return format;
  }
  return fail("{}: a figure's name must end in one of {}", utf8(file), fmt::join(known, ", "));
}

}  // namespace headlight
