// Writes a laid-out page as a LaTeX file with its data beside it: PGFPlots draws the maps, LaTeX sets the text.
//
// Not for deciding where anything goes: that is layout.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/page/layout.h"
#include "app/text/font_set.h"

namespace headlight {

// `stem`.tex, which compiles as it stands with pdflatex, xelatex or lualatex, or stands in a paper that has pgfplots by
// \input, from any folder, and what it reads: "stem.1.dat" with a map's numbers, or "stem.1.png" for a map of very many
// cells. The names of those hold nothing that TeX would take for a command.
Result<std::vector<FigureFile>> pgf_of(const Page& page, const FontSet& fonts, const Figure& figure,
                                       const std::string& stem);

// Text for LaTeX that comes out as it is, without ligatures. What pdflatex has no letter for is
// \hlother{U+XXXX}{letter}.
std::string latex_text(std::string_view utf8);

}  // namespace headlight
