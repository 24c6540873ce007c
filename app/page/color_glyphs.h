// Emoji on a page that cairo draws, each picture made once.
#pragma once

#include <map>
#include <utility>

#include "app/page/cairo_objects.h"
#include "app/text/color_glyph.h"
#include "app/text/font_set.h"

namespace headlight {

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
