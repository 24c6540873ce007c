#include <algorithm>
#include <string>
#include <vector>

#include "app/page/figure.h"
#include "app/page/formats.h"
#include "app/page/pgf_text.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

std::vector<FigureFile> rendered(const Tensor& tensor, const std::string& stem = "fig") {
  Figure figure;
  figure.title = "50% of {x}";
  Panel panel;
  panel.cells = matrix_at(tensor, {});
  panel.mark = std::string(1, 'a');
  figure.panels.push_back(panel);
  for (Index i = 0; i < tensor.dim(0); ++i) figure.panels[0].row_labels.push_back(i == 0 ? "a_b,--" : "кот");
  const auto files = render_figure(figure, {}, font_files_in(HEADLIGHT_FONT_FOLDER), FigureFormat::pgf, stem);
  if (!files) FAIL(files.error().message);
  return *files;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

// How deep groups are open at the end; −1000 where one closes that was not open.
int open_groups(const std::string& tex) {
  int depth = 0;
  for (std::size_t i = 0; i < tex.size(); ++i) {
    if (tex[i] == '\\') {
      ++i;
    } else if (tex[i] == '%') {
      i = std::min(tex.find('\n', i), tex.size());
    } else {
      depth += tex[i] == '{' ? 1 : tex[i] == '}' ? -1 : 0;
    }
    if (depth < 0) return -1000;
  }
  return depth;
}

}  // namespace

TEST_CASE("LaTeX takes every letter as itself") {
  CHECK(latex_text("a_b&c%d#e$") == "a\\_b\\&c\\%d\\#e\\$");
  CHECK(latex_text("~^\\{}") == "\\textasciitilde{}\\textasciicircum{}\\textbackslash{}\\{\\}");
  CHECK(latex_text("<\"'`>") == "\\textless{}\\textquotedbl{}\\textquotesingle{}\\`{}\\textgreater{}");
  CHECK(latex_text("a  b--") == "a\\ \\ b-{}-{}");
  CHECK(latex_text("naïve") == "naïve");
  CHECK(latex_text("к猫\x01\xFF") == "U+043AU+732BU+FFFDU+FFFD");
  CHECK(latex_letters_note({"cat", "Ġnaïve", "к"}).empty());
  CHECK(latex_letters_note({"cat", "猫"}).starts_with("LaTeX's fonts have no letters for 猫: such words are drawn"));
}

TEST_CASE("a LaTeX file comes with its data, row by row, and holds together") {
  Tensor tensor(Shape{3, 2});
  tensor[3] = 0.25F;
  tensor[5] = masked_value;
  const auto files = rendered(tensor, "my fig_1");
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "my fig_1.tex");
  CHECK(files[1].name == "my-fig-1.1.dat");
  CHECK(files[1].bytes == "x y value\n0 0 0\n1 0 0\n0 1 0\n1 1 0.25\n0 2 0\n1 2 nan\n");
  const std::string& tex = files[0].bytes;
  CHECK(has(tex, "{\\hlpath my-fig-1.1.dat}"));
  CHECK(has(tex, "mesh/cols=2"));
  CHECK(has(tex, "yticklabels={{a\\_b,{}-{}-{}},{\\hlcyrillic{кот}{\\hldrawn{"));
  CHECK(has(tex, "{50\\%\\ of\\ \\{x\\}}"));
  CHECK(open_groups(tex) == 0);
  const auto lines = lines_of(tex);
  CHECK(std::count(lines.begin(), lines.end(), "\\begin{scope}") == 2);  // the masked cell, and the legend's
  CHECK(std::count(lines.begin(), lines.end(), "\\begin{scope}") ==
        std::count(lines.begin(), lines.end(), "\\end{scope}"));
  CHECK(has(tex, "\\usepackage{pgfplots}"));
  CHECK(tex.ends_with("\\endgroup\n\\hlend\n"));
}

TEST_CASE("letters that LaTeX has no font for are drawn in the room that they were laid out in") {
  const FontSet fonts = *FontSet::load(font_files_in(HEADLIGHT_FONT_FOLDER));
  LatexLines lines(fonts);
  const TextLine mixed = fonts.set(Face::regular, 8, "a αα b");
  const std::string latex = lines.of(mixed);
  CHECK(latex.starts_with("a\\ \\hldrawn{"));
  CHECK(latex.ends_with("}}\\ b"));
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  CHECK(count(latex, "\\hlput{") == 2);
  CHECK(count(lines.glyphs(), "\\hlglyph{") == 1);  // both are one outline
  CHECK(count(lines.glyphs(), "\\hlM ") == count(lines.glyphs(), "\\hlZ "));

  // A line with words from right to left is drawn as a whole, its first letter at the right.
  const TextLine hebrew = fonts.set(Face::regular, 8, "של ab");
  const std::string turned = lines.of(hebrew);
  CHECK(turned.starts_with(fmt::format("\\hldrawn{{{:.3f}}}{{", hebrew.width)));
  CHECK(turned.find("ab") == std::string::npos);
  const auto place = [&](std::size_t glyph) { return fmt::format("{{{:.3f}}}", hebrew.glyphs[glyph].x); };
  CHECK(hebrew.glyphs[0].x > hebrew.glyphs[1].x);
  CHECK(has(turned, place(0)));
  CHECK(has(turned, place(1)));
}

TEST_CASE("a grid parts the cells of a matrix plot") {
  const Tensor tensor(Shape{3, 2});
  Figure figure;
  figure.panels.emplace_back().cells = matrix_at(tensor, {});
  PageOptions options;
  for (const bool grid : {false, true}) {
    options.grid = grid;
    const auto files = render_figure(figure, options, font_files_in(HEADLIGHT_FONT_FOLDER), FigureFormat::pgf, "f");
    std::size_t lines = 0;
    for (const std::string& line : lines_of(files->front().bytes)) {
      if (!line.starts_with("\\fill[white] ")) continue;
      for (std::size_t at = line.find(" rectangle "); at != std::string::npos; at = line.find(" rectangle ", at + 1))
        ++lines;
    }
    CHECK(lines == (grid ? 4 : 1));  // the ground, and three lines
  }
}

TEST_CASE("maps that TeX has no memory for are pictures, and rows of cells are rectangles") {
  const Tensor large(Shape{100, 100});
  const auto files = rendered(large);
  REQUIRE(files.size() == 2);
  CHECK(files[1].name == "fig.1.png");
  CHECK(has(files[0].bytes, "\\addplot graphics[xmin=-0.5, xmax=99.5, ymin=-0.5, ymax=99.5] {\\hlpath fig.1.png}"));
  const Tensor row(Shape{1, 5});
  CHECK(rendered(row).size() == 1);
  CHECK_FALSE(has(rendered(row)[0].bytes, "\\addplot"));
}
