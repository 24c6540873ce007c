// Typeset formulas as shapes with regions that can be pointed at, read from assets/formulas/formulas.txt.
//
// Not a typesetter: tools/typeset_formulas prepares the file. Not drawing either: that is formula_draw.h.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace headlight::app {

// All lengths are in em; the origin is the formula's top left corner and y points down.
struct FormulaPoint {
  double x = 0, y = 0;
};

struct FormulaBox {
  double left = 0, top = 0, right = 0, bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
  bool contains(FormulaPoint p) const { return p.x >= left && p.x < right && p.y >= top && p.y < bottom; }
};

enum class PathVerb { move, line, quadratic, close };

struct PathPart {
  PathVerb verb = PathVerb::move;
  FormulaPoint control;  // of a quadratic
  FormulaPoint to;
};

// A glyph round its own origin on the baseline, or a rule round its top left corner; 1 is an em.
using Outline = std::vector<PathPart>;

struct FormulaShape {
  std::size_t region = 0;  // into Formula::regions: the innermost one
  std::shared_ptr<const Outline> outline;
  FormulaPoint at;  // where the outline's origin comes to lie
  double scale = 1;
  bool rule = false;  // a fraction's bar or a root's roof, to be kept on whole pixels
};

// Symbols marked by \hl{id}{...}. The same id may come back; regions nest, and a parent stands before its children.
struct FormulaRegion {
  std::string id;  // a step, a source, an axis symbol or "this"; empty for regions[0], the formula itself
  std::size_t parent = 0;
  FormulaBox box;  // of the ink, that of nested regions included
};

struct Formula {
  double width = 0;
  double height = 0;  // above the baseline
  double depth = 0;   // below the baseline
  std::vector<FormulaRegion> regions;
  std::vector<FormulaShape> shapes;

  // The region whose box is nearest to the point, the innermost where boxes nest; 0 where none is within `margin`.
  std::size_t region_at(FormulaPoint point, double margin = 0) const;
};

// Every prepared formula by its LaTeX.
class FormulaBook {
 public:
  // Null when the formula was not prepared.
  const Formula* find(std::string_view latex) const;
  const std::map<std::string, Formula, std::less<>>& formulas() const { return formulas_; }

 private:
  friend class FormulaReader;
  std::map<std::string, Formula, std::less<>> formulas_;
};

// Reads the text of a formula file. The error names the line and says what was expected there.
Result<FormulaBook> read_formulas(std::string_view text);

}  // namespace headlight::app
