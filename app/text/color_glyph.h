// Glyphs that are pictures in colour: emoji.
#pragma once

#include <ft2build.h>

#include <optional>
#include FT_FREETYPE_H

#include "engine/picture/image.h"

namespace headlight {

// Lengths in em; from the pen to the picture's left edge, and from the baseline up to its top.
struct ColorGlyph {
  Image image;
  double left = 0, top = 0;
  double width = 0, height = 0;
};

// At the largest size that the font has, or 128 pixels an em where it has outlines in colour; none where the glyph is
// no picture.
std::optional<ColorGlyph> color_glyph(FT_Face face, unsigned index);

}  // namespace headlight
