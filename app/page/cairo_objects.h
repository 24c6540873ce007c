// cairo's objects, owned, and pixels and colours handed to it.
//
// Not for drawing: cairo_page.h and pdf_page.h do that.
#pragma once

#include <cairo.h>

#include <memory>

#include "app/page/layout.h"
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

}  // namespace headlight
