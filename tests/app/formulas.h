// Formulas for tests: those of tests/reference/formulas, and the font that they are set in.
#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "app/formula/formula.h"
#include "tests/catch.h"

namespace headlight::test {

inline const std::string formula_folder = HEADLIGHT_SOURCE_DIR "/tests/reference/formulas/";

inline const MathFont& math_font() {
  static const MathFont font = MathFont::open(HEADLIGHT_FONT_FOLDER "/latinmodern-math.otf").value();
  return font;
}

// LaTeX and the line of text that it reads as: what variants say, and what further mechanisms may.
inline std::vector<std::pair<std::string, std::string>> written_formulas() {
  std::vector<std::pair<std::string, std::string>> found;
  std::ifstream file(formula_folder + "plain.txt");
  for (std::string latex, plain; std::getline(file, latex) && std::getline(file, plain);)
    found.emplace_back(latex, plain);
  REQUIRE(found.size() > 150);
  return found;
}

inline Formula set(const std::string& latex) {
  auto formula = typeset(latex, math_font());
  INFO(latex);
  if (!formula) FAIL(formula.error().message);
  return std::move(*formula);
}

}  // namespace headlight::test
