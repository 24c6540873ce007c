// Writes laid-out pages as PDF, with its fonts embedded and its text text.
//
// Not for deciding where anything goes: that is layout.h.
#pragma once

#include <span>
#include <string>

#include "app/page/layout.h"
#include "app/text/font_set.h"

namespace headlight {

// The page at its size in points. Title, description, recipe and time are the figure's.
Result<std::string> pdf_of(const Page& page, const FontSet& fonts, const Figure& figure);
// The same of several pages, at least one, each at its own size.
Result<std::string> pdf_of(std::span<const Page> pages, const FontSet& fonts, const Figure& figure);

}  // namespace headlight
