// Lines of text for LaTeX: letters that its fonts have as text, all others as the outlines that were laid out, so that
// pdflatex, xelatex and lualatex set every script alike.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/text/font_set.h"

namespace headlight {

// The commands that of() and glyphs() are made of; to stand before both.
extern const std::string_view latex_line_commands;

class LatexLines {
 public:
  explicit LatexLines(const FontSet& fonts) : fonts_(fonts) {}

  // As it was laid out, order and joining too. Emoji, which have no outlines, are U+XXXX in their room.
  std::string of(const TextLine& line);
  // The outlines of all lines so far, each once; to stand before them.
  std::string glyphs() const;

 private:
  struct Piece;

  std::vector<Piece> pieces_of(const TextLine& line) const;
  std::string drawn(const TextLine& line, const Piece& piece);

  const FontSet& fonts_;
  std::map<std::pair<Face, unsigned>, std::string> outlines_;
};

}  // namespace headlight
