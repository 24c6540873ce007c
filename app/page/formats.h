// Writes a laid-out page in each format: as pixels, SVG, PDF and LaTeX.
//
// Not for deciding where anything goes: that is layout.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/page/layout.h"

namespace headlight {

// The page in pixels, on white or on nothing. Where its grid was a pixel, 72 / pixels_per_inch, every cell is a block
// of whole ones; else edges go to the nearest, and cells finer than that are pooled. Errors: cairo has no memory, or
// the page has more pixels than a PNG may.
Result<Image> paint_page(const Page& page, const FontSet& fonts, double pixels_per_inch);

// PNG of that, with the figure's title, description, recipe and time.
Result<std::string> png_of(const Page& page, const FontSet& fonts, const Figure& figure, double pixels_per_inch);

// SVG 1.1, with text that stays text, at its size in points. Title, description, recipe and time are the figure's, as
// in PDF.
Result<std::string> svg_of(const Page& page, const FontSet& fonts, const Figure& figure);

// PDF with its fonts embedded and its text text: at least one page, each at its own size.
Result<std::string> pdf_of(std::span<const Page> pages, const FontSet& fonts, const Figure& figure);

// `stem`.tex, in which PGFPlots draws the maps and LaTeX sets the text. It compiles as it stands with pdflatex, xelatex
// or lualatex, or stands in a paper that has pgfplots by \input, from any folder. With what it reads: "stem.1.dat" with
// a map's numbers, or "stem.1.png" for a map of very many cells. The names of those hold nothing that TeX would take
// for a command.
Result<std::vector<FigureFile>> pgf_of(const Page& page, const FontSet& fonts, const Figure& figure,
                                       const std::string& stem);

// Text for LaTeX that comes out as it is, without ligatures. What its usual fonts have no letter for is U+XXXX.
std::string latex_text(std::string_view utf8);
// A sentence on the first of these texts with such letters; empty where none has any.
std::string latex_letters_note(const std::vector<std::string>& texts);

}  // namespace headlight
