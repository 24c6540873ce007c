#include "app/page/formats.h"

#include FT_OUTLINE_H

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/page/cairo_objects.h"
#include "app/page/layout_parts.h"
#include "engine/io/images/png.h"
#include "engine/picture/rasterizer.h"
#include "engine/picture/resize.h"

namespace headlight {

namespace {

// FreeType's outlines in font units, with y upward, become cairo paths; cairo's matrix does the rest.
cairo_t* path_of(void* context) {
  return static_cast<cairo_t*>(context);
}

double units(FT_Pos position) {
  return static_cast<double>(position);
}

int move_to(const FT_Vector* to, void* context) {
  cairo_close_path(path_of(context));
  cairo_move_to(path_of(context), units(to->x), units(to->y));
  return 0;
}

int line_to(const FT_Vector* to, void* context) {
  cairo_line_to(path_of(context), units(to->x), units(to->y));
  return 0;
}

// A quadratic curve is the cubic one whose controls lie two thirds of the way to its control.
int conic_to(const FT_Vector* control, const FT_Vector* to, void* context) {
  double x = 0, y = 0;
  cairo_get_current_point(path_of(context), &x, &y);
  const double cx = units(control->x), cy = units(control->y);
  cairo_curve_to(path_of(context), (x + 2 * cx) / 3, (y + 2 * cy) / 3, (units(to->x) + 2 * cx) / 3,
                 (units(to->y) + 2 * cy) / 3, units(to->x), units(to->y));
  return 0;
}

int cubic_to(const FT_Vector* first, const FT_Vector* second, const FT_Vector* to, void* context) {
  cairo_curve_to(path_of(context), units(first->x), units(first->y), units(second->x), units(second->y), units(to->x),
                 units(to->y));
  return 0;
}

// Outlines, because cairo's own glyphs would be rounded to whole pixels, and its caches would outlive the fonts.
void fill_glyph(cairo_t* context, FT_Face font, const Glyph& glyph, double size) {
  if (FT_Load_Glyph(font, glyph.index, FT_LOAD_NO_SCALE) != 0) return;
  const double scale = size / font->units_per_EM;
  const FT_Outline_Funcs functions{move_to, line_to, conic_to, cubic_to, 0, 0};
  cairo_save(context);
  cairo_translate(context, glyph.x, glyph.y);
  cairo_scale(context, scale, -scale);
  cairo_new_path(context);
  FT_Outline_Decompose(&font->glyph->outline, &functions, context);
  cairo_close_path(context);
  cairo_fill(context);
  cairo_restore(context);
}

void paint_text(cairo_t* context, const FontSet& fonts, ColorGlyphs& emoji, const TextItem& text) {
  cairo_save(context);
  cairo_translate(context, text.origin.x, text.origin.y);
  if (text.upward) cairo_rotate(context, -std::numbers::pi / 2);
  set_color(context, text.color);  // painting a picture puts it back
  for (const Glyph& glyph : text.line.glyphs)
    fonts.is_color(glyph.face) ? emoji.paint(context, glyph, text.line.size)
                               : fill_glyph(context, fonts.face(glyph.face), glyph, text.line.size);
  cairo_restore(context);
}

PixelRect pixels_of(const Box& box, double scale) {
  const Index left = std::lround(box.x * scale), top = std::lround(box.y * scale);
  return {left, top, std::max<Index>(1, std::lround((box.x + box.width) * scale) - left),
          std::max<Index>(1, std::lround((box.y + box.height) * scale) - top)};
}

Color background(const Page& page) {
  return page.transparent ? Color{255, 255, 255, 0} : rgb(0xFFFFFF);
}

// Every pixel of the picture a block of the image's, or finer ones averaged.
void draw_picture(Image& image, const PixelRect& rect, const Image& given) {
  const bool finer = given.width > rect.width || given.height > rect.height;
  const Image reduced = finer ? resized(given, rect.width, rect.height) : Image{};
  const Image& picture = finer ? reduced : given;
  for (Index y = 0; y < std::min(rect.height, image.height - rect.y); ++y)
    for (Index x = 0; x < std::min(rect.width, image.width - rect.x); ++x)
      image.set(rect.x + x, rect.y + y, picture.at(x * picture.width / rect.width, y * picture.height / rect.height));
}

void paint_maps(Image& image, const Page& page, double scale) {
  for (const MapItem& map : page.maps) {
    if (map.picture) {
      draw_picture(image, pixels_of(map.box, scale), *map.picture);
      continue;
    }
    HeatmapStyle style = light_heatmap_style(scale * hatch_scale);
    style.canvas = background(page);
    style.gap = map.gaps ? std::max<Index>(1, std::lround(gap_points * scale)) : 0;
    const PixelRect rect = pixels_of(map.box, scale);
    const Block block = block_for_pixels(map.cells.rows, map.cells.columns, rect.width, rect.height);
    const Tensor coarse = block.single() ? Tensor() : pooled(map.cells, block, layout_parts::pooling(map.range));
    draw_heatmap(image, rect, block.single() ? map.cells : matrix_at(coarse, {}), map.range, color_table(map.colormap),
                 style);
  }
}

// A byte of a colour that was multiplied by its alpha.
std::uint8_t divided(std::uint32_t byte, std::uint32_t alpha) {
  return static_cast<std::uint8_t>(std::min(255U, (byte * 255 + alpha / 2) / alpha));
}

// `image` again, from a surface that surface_of() made of it.
void copy_from_surface(cairo_surface_t* surface, bool transparent, Image& image) {
  cairo_surface_flush(surface);
  const unsigned char* bytes = cairo_image_surface_get_data(surface);
  const Index stride = cairo_image_surface_get_stride(surface);
  std::uint8_t* pixel = image.rgba.data();
  for (Index y = 0; y < image.height; ++y) {
    const auto* row = reinterpret_cast<const std::uint32_t*>(bytes + y * stride);
    for (Index x = 0; x < image.width; ++x, pixel += 4) {
      const std::uint32_t alpha = transparent ? row[x] >> 24 : 255;
      pixel[0] = static_cast<std::uint8_t>(row[x] >> 16 & 0xFF);
      pixel[1] = static_cast<std::uint8_t>(row[x] >> 8 & 0xFF);
      pixel[2] = static_cast<std::uint8_t>(row[x] & 0xFF);
      pixel[3] = static_cast<std::uint8_t>(alpha);
      if (alpha == 255) continue;
      for (int k = 0; k < 3; ++k) pixel[k] = alpha == 0 ? 255 : divided(pixel[k], alpha);
    }
  }
}

}  // namespace

Result<Image> paint_page(const Page& page, const FontSet& fonts, double pixels_per_inch) {
  const double scale = pixels_per_inch / 72;
  const Index width = std::max(1L, std::lround(page.width * scale));
  const Index height = std::max(1L, std::lround(page.height * scale));
  if (width > max_png_pixels / height)
    return fail("page: {}×{} pixels are too many: lower the size or the resolution", width, height);
  Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(4 * width * height), 255)};
  if (page.transparent) image = filled_image(width, height, background(page));
  paint_maps(image, page, scale);
  const CairoSurface surface = surface_of(image, page.transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24);
  if (const auto status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS)
    return fail("page: {}×{} pixels cannot be drawn: {}", width, height, cairo_status_to_string(status));
  const CairoContext context(cairo_create(surface.get()));
  cairo_scale(context.get(), scale, scale);
  paint_fills_and_lines(context.get(), page);
  ColorGlyphs emoji(fonts);
  for (const TextItem& text : page.texts) paint_text(context.get(), fonts, emoji, text);
  if (const auto status = cairo_status(context.get()); status != CAIRO_STATUS_SUCCESS)
    return fail("page: cannot be drawn: {}", cairo_status_to_string(status));
  copy_from_surface(surface.get(), page.transparent, image);
  return image;
}

}  // namespace headlight
