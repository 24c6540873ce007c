// The boxes that a formula is put together from: glyphs, rules, brackets of any height, and what is joined from them.
//
// Not where they stand beside each other: formula_layout.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "app/formula/formula.h"
#include "app/formula/formula_tree.h"

namespace headlight {

// Its origin is at the left end of its baseline; y points down. Lengths are in em of the formula.
struct MathBox {
  double width = 0, height = 0, depth = 0;
  double italic = 0;    // how far it leans over its width; what follows it is to add it
  double accent = 0;    // where an accent's middle stands
  bool simple = false;  // one character: scripts stand by the font's measures, not by its height
  std::vector<FormulaShape> shapes = {};
};

// Puts a box into another, its origin at (x, y), and grows its height and depth.
void add_box(MathBox& into, MathBox box, double x, double y);

MathBox rule_box(double width, double thickness, std::size_t region);

// Glyphs of a font at a scale, as ink of a region.
struct GlyphMaker {
  const MathFont& font;
  double scale = 1;
  int level = 0;  // of scripts
  std::size_t region = 0;

  MathBox glyph(unsigned index) const;
  // The letter of an alphabet; nothing where the font has none.
  std::optional<MathBox> character(char32_t character, MathAlphabet alphabet) const;
  // The smallest form at least so high, put together from parts where no glyph is; its middle where its glyph has it.
  std::optional<MathBox> at_least(char32_t character, double height) const;
  // The widest form that is no wider.
  std::optional<MathBox> at_most(char32_t character, double width) const;
};

// Moved so that its middle lies so high above the baseline.
MathBox centred(MathBox box, double axis);

// The code point of a letter in an alphabet of Unicode's.
char32_t in_alphabet(char32_t letter, MathAlphabet alphabet);

// ---- Rows of cells that stand under each other: LaTeX's matrix and cases, amsmath's gathered and aligned

struct GridLine {
  std::vector<MathBox> cells;
  double gap = 0;  // em, left free under it besides
};

// The environment's distances and edges. The baseline is that of the first line.
MathBox grid_box(std::vector<GridLine> lines, std::string_view environment);

// Lines of gathered and aligned are each a formula of their own.
bool is_in_display_style(std::string_view environment);

}  // namespace headlight
