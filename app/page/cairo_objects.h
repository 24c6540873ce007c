// cairo's objects, owned, and pixels and colours handed to it.
//
// Not for drawing: formats.h has that.
#pragma once

#include <cairo.h>

#include <map>
#include <memory>
#include <utility>

#include "app/page/layout.h"
#include "app/text/font_set.h"
#include "engine/picture/image.h"

namespace headlight {

struct CairoDestroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using CairoSurface = std::unique_ptr<cairo_surface_t, CairoDestroy>;
using CairoContext = std::unique_ptr<cairo_t, CairoDestroy>;

inline void set_color(cairo_t* context, Color color) {
  cairo_set_source_rgb(context, color.r / 255.0, color.g / 255.0, color.b / 255.0);
}

void paint_fills_and_lines(cairo_t* context, const Page& page);

// A surface with the image's pixels, CAIRO_FORMAT_RGB24 or _ARGB32. Whether there was memory for it is for the caller
// to ask: cairo_surface_status().
CairoSurface surface_of(const Image& image, cairo_format_t format);

// Emoji on a page that cairo draws, each picture made once.
class ColorGlyphs {
 public:
  explicit ColorGlyphs(const FontSet& fonts) : fonts_(fonts) {}

  // In a line of that size, which begins at cairo's origin. The glyph's face is one of colour.
  void paint(cairo_t* context, const Glyph& glyph, double size);

 private:
  struct Picture {
    std::optional<ColorGlyph> glyph;
    CairoSurface surface;
  };

  const FontSet& fonts_;
  std::map<std::pair<Face, unsigned>, Picture> pictures_;
};

}  // namespace headlight
