// What a formula says: the tree that the LaTeX subset of docs/formulas.md is read into, and the line of plain text that
// is made of it, for terminals, worksheets, alternative texts and tests.
//
// Not how it is typeset: formula.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

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

// ---- How far apart neighbours of a formula stand (The TeXbook, chapter 18 and appendix G, rules 5, 6 and 20)

// Binary operators without two operands become ordinary symbols (appendix G): the minus of "= −1".
void demote_binaries(std::span<MathClass> classes);

// Between a settled class and the next, in em of their size.
double space_between(MathClass left, MathClass right, bool in_scripts);

// ---- Its readers

// The error is one line: what cannot be read, and behind which of the formula's first bytes.
Result<FormulaTree> parse_formula(std::string_view latex);

// What Unicode has no sign for stays readable ASCII, as the script in x^q_i.
// "\frac{q_i \cdot k_j}{\sqrt{d'}}" gives "(qᵢ · kⱼ)/√d′". Rows are parted by "; " and \hl marks leave no trace.
std::string plain_formula(const FormulaTree& tree);

// The same of LaTeX; what cannot be read stays as it stands, as LaTeX.
std::string plain_formula(std::string_view latex);

}  // namespace headlight
