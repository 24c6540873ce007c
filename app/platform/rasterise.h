// Glyphs in pixels, as the window draws text: light hinting, and several samples across each pixel.
//
// Not for figures, which draw outlines.
#pragma once

#include <ft2build.h>

#include <vector>
#include FT_FREETYPE_H

namespace headlight::app {

// Rasterised text is as wide as the design only with unrounded advances, and sharp at such positions only when it is
// finer than a pixel across: so many samples to a pixel.
int oversampling(float em_pixels);

struct Bitmap {
  int width = 1;   // in samples
  int height = 1;  // in pixels
  float left = 0;  // px from the pen to the first sample
  int top = 0;     // px from the baseline up to the first row
  float advance = 0;
  std::vector<unsigned char> coverage;
};
Bitmap rasterise(FT_Face face, unsigned glyph, float em_pixels);

}  // namespace headlight::app
