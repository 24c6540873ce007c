// What a formula says: the tree that both its readers share, the typesetter (formula_layout.h) and the line of plain
// text (formula_plain.h).
//
// Not how LaTeX is read into it: formula_parser.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// TeX's classes of atoms, by which it spaces them (The TeXbook, chapter 18).
enum class MathClass { ord, op, bin, rel, open, close, punct, inner };

enum class MathAlphabet { italic, upright, bold, blackboard, calligraphic };

enum class MathStyle { of_place, display, text };  // what a fraction is set in

// Members that a kind does not name are not used by it.
struct FormulaNode {
  enum class Kind {
    symbol,     // character in its alphabet, plain; a sum is large and may have limits
    word,       // text, upright: \text and named operators, which may have limits
    space,      // width
    row,        // children, one after another: {...}
    scripts,    // children: nucleus, subscript, superscript; rows that may be empty
    fraction,   // children: numerator, denominator; style
    root,       // one child
    accent,     // character over one child; large: as wide as the child
    overline,   // one child
    delimiter,  // character at a fixed size from 1 to 4: \bigl
    fence,      // one child between character and closing, as high as it is: \left. 0 is no delimiter
    grid,       // rows of cells in the environment that text names
    mark,       // one child, whose symbols stand for the mark of this index: \hl
  };
  Kind kind = Kind::row;
  MathClass math_class = MathClass::ord;
  MathAlphabet alphabet = MathAlphabet::italic;
  MathStyle style = MathStyle::of_place;
  char32_t character = 0, closing = 0;
  std::string_view plain = {};  // how a line of text has the symbol; the character itself where it is empty
  std::string text = {};
  double width = 0;       // em; of a grid's row, what is left free under it
  bool in_style = false;  // of a space: its em is that of the scripts it stands in
  bool limits = false;    // in display style, scripts stand above and below
  bool large = false;
  int size = 0;
  std::size_t mark = 0;  // into FormulaTree::marks
  std::vector<FormulaNode> children = {};
};

// \hl{id}{symbols}. The same id may come back; marks nest, and a parent stands before its children.
struct FormulaMark {
  std::string id;
  std::size_t parent = 0;
};

struct FormulaTree {
  FormulaNode root;
  std::vector<FormulaMark> marks;  // [0] is the formula itself
};

}  // namespace headlight
