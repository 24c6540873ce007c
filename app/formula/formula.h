// A typeset formula: shapes with regions that can be pointed at. It is set as TeX does: The TeXbook, appendix G, with
// the measures of the font's MATH table.
//
// Not how it is drawn: formula_draw.h.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/text/math_font.h"

namespace headlight {

// All lengths are in em; the origin is the formula's top left corner and y points down.
struct FormulaBox {
  double left = 0, top = 0, right = 0, bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

struct FormulaShape {
  std::size_t region = 0;                  // into Formula::regions: the innermost one
  std::shared_ptr<const Outline> outline;  // none: a fraction's bar or a root's roof, to be kept on whole pixels
  OutlinePoint at = {};                    // where the outline's origin comes to lie
  double scale = 1;
  FormulaBox ink = {};
  unsigned glyph = 0;  // of the font
};

// Symbols marked by \hl{id}{...}. The same id may come back; regions nest, and a parent stands before its children.
struct FormulaRegion {
  std::string id;  // a step, a source or an axis symbol; empty for regions[0], the formula itself
  std::size_t parent = 0;
  FormulaBox box;  // of the ink, that of nested regions included
};

struct FormulaTree;

struct Formula {
  double width = 0;
  double height = 0;  // above the baseline
  double depth = 0;   // below the baseline
  std::vector<FormulaRegion> regions = {};
  std::vector<FormulaShape> shapes = {};

  // The region whose box is nearest to the point, the innermost where boxes nest; 0 where none is within `margin`.
  std::size_t region_at(OutlinePoint point, double margin = 0) const;
};

// In display style. Errors: the font lacks a character, or a mark has nothing that can be seen.
Result<Formula> lay_out_formula(const FormulaTree& tree, const MathFont& font);

// Reads and sets it.
Result<Formula> typeset(std::string_view latex, const MathFont& font);

}  // namespace headlight
