#include "app/page/color_glyphs.h"

namespace headlight {

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
