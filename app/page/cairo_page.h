// Paints a laid-out page through cairo.
//
// Not for deciding where anything goes: that is layout.h.
#pragma once

#include "app/page/layout.h"
#include "app/text/font_set.h"
#include "engine/picture/image.h"

namespace headlight {

// The page in pixels, on white or on nothing. Where its grid was a pixel, 72 / pixels_per_inch, every cell is a block
// of whole ones; else edges go to the nearest, and cells finer than that are pooled. Errors: cairo has no memory, or
// the page has more pixels than a PNG may.
Result<Image> paint_page(const Page& page, const FontSet& fonts, double pixels_per_inch);

}  // namespace headlight
