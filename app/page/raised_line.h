// A formula in one line of plain text, with its indices and exponents smaller and shifted. Not a typeset one: that
// is paths (app/formula/formula_draw.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/text/font_set.h"

namespace headlight {

struct RaisedPart {
  TextLine line;
  double x = 0;  // from the start of the formula
  double y = 0;  // downward from its baseline
};

struct RaisedLine {
  std::vector<RaisedPart> parts;
  double width = 0;
};

// `_` and `^` shift what follows them: the letters and digits up to the next other sign, or all in brackets, as in
// "q_ic" and "c_(ij, ab)"; so are the letters that Unicode has lowered or raised, as in "σ²ᵢ". An index right after an
// exponent stands below it. Where the line is wider than `limit` it is smaller, down to `smallest`, and then cut with
// "…". Sizes in points.
RaisedLine set_raised(const FontSet& fonts, double limit, Face face, double size, double smallest,
                      std::string_view formula);

}  // namespace headlight
