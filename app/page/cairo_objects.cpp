#include "app/page/cairo_objects.h"

#include <cstdint>

namespace headlight {

namespace {

// One byte of a colour times its alpha, rounded.
std::uint32_t premultiplied(std::uint8_t byte, std::uint8_t alpha) {
  return (static_cast<std::uint32_t>(byte) * alpha + 127) / 255;
}

void stroke_line(cairo_t* context, const LineItem& line) {
  const Color color = line.color;
  cairo_set_source_rgba(context, color.r / 255.0, color.g / 255.0, color.b / 255.0, line.opacity);
  cairo_set_line_width(context, line.width);
  cairo_move_to(context, line.from.x, line.from.y);
  cairo_line_to(context, line.to.x, line.to.y);
  cairo_stroke(context);
}

}  // namespace

void paint_fills_and_lines(cairo_t* context, const Page& page) {
  for (const FillItem& fill : page.fills) {
    set_color(context, fill.color);
    cairo_rectangle(context, fill.box.x, fill.box.y, fill.box.width, fill.box.height);
    cairo_fill(context);
  }
  for (const LineItem& line : page.lines) stroke_line(context, line);
}

// cairo's pixels are native-endian words, alpha in the highest byte and blue in the lowest.
CairoSurface surface_of(const Image& image, cairo_format_t format) {
  CairoSurface surface(
      cairo_image_surface_create(format, static_cast<int>(image.width), static_cast<int>(image.height)));
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) return surface;
  cairo_surface_flush(surface.get());
  unsigned char* bytes = cairo_image_surface_get_data(surface.get());
  const Index stride = cairo_image_surface_get_stride(surface.get());
  const std::uint8_t* pixel = image.rgba.data();
  for (Index y = 0; y < image.height; ++y) {
    auto* row = reinterpret_cast<std::uint32_t*>(bytes + y * stride);
    for (Index x = 0; x < image.width; ++x, pixel += 4) {
      const std::uint8_t alpha = pixel[3];
      if (alpha == 255) {
        row[x] = 0xFF000000 | static_cast<std::uint32_t>(pixel[0]) << 16 | static_cast<std::uint32_t>(pixel[1]) << 8 |
                 pixel[2];
        continue;
      }
      row[x] = static_cast<std::uint32_t>(alpha) << 24 | premultiplied(pixel[0], alpha) << 16 |
               premultiplied(pixel[1], alpha) << 8 | premultiplied(pixel[2], alpha);
    }
  }
  cairo_surface_mark_dirty(surface.get());
  return surface;
}

void ColorGlyphs::paint(cairo_t* context, const Glyph& glyph, double size) {
  const auto [entry, fresh] = pictures_.try_emplace({glyph.face, glyph.index});
  Picture& picture = entry->second;
  if (fresh) picture.glyph = color_glyph(fonts_.face(glyph.face), glyph.index);
  if (!picture.glyph) return;
  const ColorGlyph& drawn = *picture.glyph;
  if (!picture.surface) picture.surface = surface_of(drawn.image, CAIRO_FORMAT_ARGB32);
  cairo_save(context);
  cairo_translate(context, glyph.x + drawn.left * size, glyph.y - drawn.top * size);
  cairo_scale(context, drawn.width * size / static_cast<double>(drawn.image.width),
              drawn.height * size / static_cast<double>(drawn.image.height));
  cairo_set_source_surface(context, picture.surface.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_GOOD);
  cairo_paint(context);
  cairo_restore(context);
}

}  // namespace headlight
