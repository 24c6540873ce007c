// Writes a laid-out page as SVG 1.1, with text that stays text.
//
// Not for deciding where anything goes: that is layout.h.
#pragma once

#include <string>

#include "app/page/layout.h"
#include "app/text/font_set.h"

namespace headlight {

// The page at its size in points. Title, description, recipe and time are the figure's.
Result<std::string> svg_of(const Page& page, const FontSet& fonts, const Figure& figure);

}  // namespace headlight
