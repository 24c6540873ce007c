// How formulas are set: against LuaTeX's own measures of them, and rule by rule.
#include "app/formula/formula.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/formula/formula_boxes.h"
#include "app/formula/formula_tree.h"
#include "tests/app/formulas.h"
#include "tests/catch.h"

using namespace headlight;
using test::math_font;
using test::set;

namespace {

const MathConstants& measures() {
  return math_font().constants();
}

unsigned glyph_of(char32_t character, int level = 0) {
  return math_font().script_form(math_font().glyph_of(character).value(), level);
}

// The shapes that draw a character, at any size of scripts.
std::vector<FormulaShape> shapes_of(const Formula& formula, char32_t character) {
  std::vector<FormulaShape> found;
  for (const FormulaShape& shape : formula.shapes)
    for (const int level : {0, 1, 2})
      if (shape.outline && shape.glyph == glyph_of(character, level)) {
        found.push_back(shape);
        break;
      }
  return found;
}

FormulaShape shape_of(const Formula& formula, char32_t character) {
  const auto found = shapes_of(formula, character);
  REQUIRE(found.size() == 1);
  return found.front();
}

std::vector<FormulaBox> rules_of(const Formula& formula) {
  std::vector<FormulaBox> found;
  for (const FormulaShape& shape : formula.shapes)
    if (!shape.outline) found.push_back(shape.ink);
  return found;
}

// Above the formula's baseline.
double rise(const Formula& formula, const FormulaShape& shape) {
  return formula.height - shape.at.y;
}

double middle(const FormulaBox& box) {
  return (box.left + box.right) / 2;
}

constexpr char32_t x = 0x1D465, y = 0x1D466, i = 0x1D456;  // italic

// The ids in \hl{id}{...}, as often as they come.
std::multiset<std::string> marks_in(const std::string& latex) {
  std::multiset<std::string> ids;
  for (std::size_t at = latex.find("\\hl{"); at != std::string::npos; at = latex.find("\\hl{", at + 1))
    ids.insert(latex.substr(at + 4, latex.find('}', at) - at - 4));
  return ids;
}

}  // namespace

TEST_CASE("formulas are as large as LuaTeX sets them") {
  std::ifstream file(test::formula_folder + "sizes.txt");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    std::istringstream words(line);
    double width = 0, height = 0, depth = 0;
    std::string latex;
    words >> width >> height >> depth;
    std::getline(words >> std::ws, latex);
    INFO(latex);
    const Formula formula = set(latex);
    // LuaTeX kerns words, leaves out the lean of a part's last letter and takes smaller brackets for \bigl.
    CHECK(std::abs(1000 * formula.width - width) <= 20 + 0.035 * width);
    CHECK(std::abs(1000 * formula.height - height) <= 3);
    CHECK(std::abs(1000 * formula.depth - depth) <= 3);
  }
  CHECK(count == static_cast<int>(test::written_formulas().size()));
}

TEST_CASE("no formula is cut off, or too small to be read, in the narrowest panel that has one") {
  constexpr double narrowest = 264, least = 10;  // px of the design: the inspector as a tab of the left panel
  for (const auto& [latex, plain] : test::written_formulas()) {
    INFO(plain);
    CHECK(narrowest / typeset(latex, test::math_font()).value().width >= least);
  }
}

TEST_CASE("a formula's regions are its marks, around their symbols and inside its box") {
  for (const auto& [latex, plain] : test::written_formulas()) {
    INFO(latex);
    const Formula formula = set(latex);
    std::multiset<std::string> ids;
    for (std::size_t r = 1; r < formula.regions.size(); ++r) ids.insert(formula.regions[r].id);
    CHECK(ids == marks_in(latex));
    for (const FormulaRegion& region : formula.regions) {
      INFO(region.id);
      const double slack = 0.06;  // em; italics lean out of their box
      CHECK(region.box.left >= -slack);
      CHECK(region.box.top >= -slack);
      CHECK(region.box.right <= formula.width + slack);
      CHECK(region.box.bottom <= formula.height + formula.depth + slack);
    }
    // A region's box is that of the ink in it and in those within it, no more.
    std::vector<FormulaBox> boxes(formula.regions.size(), {1e9, 1e9, -1e9, -1e9});
    for (const FormulaShape& shape : formula.shapes)
      for (std::size_t r = shape.region;; r = formula.regions[r].parent) {
        FormulaBox& box = boxes[r];
        box = {std::min(box.left, shape.ink.left), std::min(box.top, shape.ink.top),
               std::max(box.right, shape.ink.right), std::max(box.bottom, shape.ink.bottom)};
        if (r == 0) break;
      }
    for (std::size_t r = 0; r < boxes.size(); ++r) {
      CHECK(boxes[r].left == Approx(formula.regions[r].box.left).margin(1e-9));
      CHECK(boxes[r].right == Approx(formula.regions[r].box.right));
      CHECK(boxes[r].top == Approx(formula.regions[r].box.top).margin(1e-9));
      CHECK(boxes[r].bottom == Approx(formula.regions[r].box.bottom));
    }
  }
}

TEST_CASE("marks change nothing but the regions") {
  for (const auto& [latex, plain] : test::written_formulas()) {
    std::string bare = latex;
    for (std::size_t at = bare.find("\\hl{"); at != std::string::npos; at = bare.find("\\hl{")) {
      const std::size_t open = bare.find("}{", at) + 1;
      int depth = 0;
      std::size_t end = open;
      for (;; ++end)
        if (bare[end] == '{')
          ++depth;
        else if (bare[end] == '}' && --depth == 0)
          break;
      bare = bare.substr(0, at) + " " + bare.substr(open + 1, end - open - 1) + " " + bare.substr(end + 1);
    }
    INFO(bare);
    const Formula with = set(latex), without = set(bare);
    CHECK(with.width == Approx(without.width));
    CHECK(with.height == Approx(without.height));
    CHECK(with.shapes.size() == without.shapes.size());
  }
}

TEST_CASE("the innermost region is found under a point") {
  const Formula weights = set("\\hl{weights}{\\alpha_{\\hl{n_q}{i}\\hl{n_k}{j}}} = \\hl{q}{q}");
  REQUIRE(weights.regions.size() == 5);
  CHECK(weights.regions[1].id == "weights");
  CHECK(weights.regions[2].id == "n_q");
  CHECK(weights.regions[2].parent == 1);
  const FormulaBox index = weights.regions[2].box;
  CHECK(weights.region_at({middle(index), (index.top + index.bottom) / 2}) == 2);
  CHECK(weights.region_at({weights.regions[1].box.left + 0.1, index.top - 0.1}) == 1);
  CHECK(weights.region_at({-1, -1}) == 0);
  const FormulaBox q = weights.regions[4].box;
  CHECK(weights.region_at({q.right + 0.05, q.top + 0.1}, 0.1) == 4);
  CHECK(weights.region_at({q.right + 0.05, q.top + 0.1}) == 0);
}

TEST_CASE("a fraction stands on the axis, its parts in the middle and clear of the bar") {
  for (const bool display : {true, false}) {
    const Formula formula = set(display ? "\\frac{x}{1 + y}" : "\\tfrac{x}{1 + y}");
    const auto rules = rules_of(formula);
    REQUIRE(rules.size() == 1);
    const FormulaBox bar = rules.front();
    CHECK(formula.height - (bar.top + bar.bottom) / 2 == Approx(measures().axis_height));
    CHECK(bar.height() == Approx(measures().fraction_rule_thickness));
    const FormulaShape above = shape_of(formula, x), below = shape_of(formula, y);
    CHECK(above.scale == Approx(display ? 1 : measures().script_scale));
    CHECK(below.scale == Approx(display ? 1 : measures().script_scale));
    CHECK(middle(above.ink) == Approx(middle(bar)).margin(0.06));
    CHECK(above.ink.bottom < bar.top);
    CHECK(below.ink.top > bar.bottom);
    CHECK(rise(formula, above) == Approx(display ? measures().fraction_numerator_display_style_shift_up
                                                 : measures().fraction_numerator_shift_up));
    CHECK(formula.width == Approx(bar.width() + 2 * 0.12));
  }
  const Formula high = set("\\frac{x}{\\sqrt{\\frac{y}{2}}}");
  const auto rules = rules_of(high);
  const FormulaBox bar = *std::min_element(rules.begin(), rules.end(), [](auto a, auto b) { return a.top < b.top; });
  for (const FormulaShape& shape : high.shapes)
    if (shape.outline && shape.ink.top > bar.bottom)
      CHECK(shape.ink.top >= bar.bottom + measures().fraction_denom_display_style_gap_min - 1e-6);
}

TEST_CASE("scripts have their size and their shift, style by style") {
  const auto sup = [](const char* latex) {
    const Formula formula = set(latex);
    const FormulaShape two = shape_of(formula, U'2');
    return std::pair(two.scale, rise(formula, two));
  };
  CHECK(sup("x^2").first == Approx(measures().script_scale));
  CHECK(sup("x^2").second == Approx(measures().superscript_shift_up));
  CHECK(sup("\\sqrt{x^2}").second == Approx(measures().superscript_shift_up_cramped));
  CHECK(sup("y^{x^2}").first == Approx(measures().script_script_scale));
  CHECK(sup("y^{x^{i^2}}").first == Approx(measures().script_script_scale));
  const Formula sub = set("x_i");
  CHECK(rise(sub, shape_of(sub, i)) == Approx(-measures().subscript_shift_down));
  // Script forms are drawn for their size, not scaled down.
  CHECK(shape_of(sub, i).glyph == glyph_of(i, 1));
  CHECK(glyph_of(i, 1) != glyph_of(i));

  const Formula both = set("x_i^2");
  const FormulaShape upper = shape_of(both, U'2'), lower = shape_of(both, i);
  CHECK(upper.at.x == Approx(lower.at.x));
  CHECK(lower.ink.top - upper.ink.bottom >= measures().sub_superscript_gap_min - 1e-6);
  // A letter's lean moves what is above, not what is below.
  const Formula leaning = set("f_i^2");
  CHECK(shape_of(leaning, U'2').at.x - shape_of(leaning, i).at.x ==
        Approx(math_font().glyph(glyph_of(0x1D453)).italic));
  // What is high carries its scripts higher; an accent does not.
  CHECK(sup("\\Biggl( x \\Biggr)^2").second > 1);
  CHECK(sup("\\hat x^2").second == Approx(sup("x^2").second));
  CHECK(sup("\\hl{q}{x}^2").second == Approx(sup("x^2").second));
  CHECK(shapes_of(set("x''"), U'′').size() == 2);
}

TEST_CASE("signs have TeX's room round them") {
  const auto room = [](const std::string& sign) {
    return 18 * (set("x" + sign + "y").width - set("xy").width - set("{" + sign + "}").width);
  };
  CHECK(room("+") == Approx(8));
  CHECK(room("=") == Approx(10));
  CHECK(room("/") == Approx(0).margin(1e-6));
  CHECK(room(",") == Approx(3));
  CHECK(room("\\log ") == Approx(6));
}

TEST_CASE("binary signs without two sides are ordinary") {
  using enum MathClass;
  std::vector<MathClass> classes{bin, ord, rel, bin, ord, bin, ord, punct, bin, ord, bin};
  demote_binaries(classes);
  CHECK(classes == std::vector{ord, ord, rel, ord, ord, bin, ord, punct, ord, ord, ord});
  CHECK(space_between(ord, bin, false) == Approx(4.0 / 18));
  CHECK(space_between(ord, rel, false) == Approx(5.0 / 18));
  CHECK(space_between(ord, op, true) == Approx(3.0 / 18));
  CHECK(space_between(ord, rel, true) == 0);
  CHECK(space_between(open, ord, false) == 0);
  CHECK(space_between(punct, ord, false) == Approx(3.0 / 18));
  CHECK(space_between(op, open, false) == 0);
  CHECK(space_between(close, open, false) == 0);
  CHECK(space_between(inner, open, false) == Approx(3.0 / 18));
}

TEST_CASE("a root covers what is under it") {
  for (const char* latex : {"\\sqrt{x}", "\\sqrt{x^2 + y}", "\\sqrt{\\frac{x}{\\frac{y}{2}}}",
                            "\\sqrt{\\begin{matrix} x \\\\ "
                            "x \\\\ x \\\\ x \\\\ x \\end{matrix}}"}) {
    INFO(latex);
    const Formula formula = set(latex);
    const auto rules = rules_of(formula);
    const FormulaBox roof = *std::min_element(rules.begin(), rules.end(), [](auto a, auto b) { return a.top < b.top; });
    double sign_right = 0, sign_top = 1e9, sign_bottom = 0, left = 1e9, bottom = 0;
    for (const FormulaShape& shape : formula.shapes) {
      if (shape.ink.left < roof.left - 0.1) {
        sign_right = std::max(sign_right, shape.ink.right);
        sign_top = std::min(sign_top, shape.ink.top);
        sign_bottom = std::max(sign_bottom, shape.ink.bottom);
      } else if (shape.ink.top != roof.top) {
        CHECK(shape.ink.top > roof.bottom);
        CHECK(shape.ink.right <= roof.right + 0.1);
        left = std::min(left, shape.ink.left);
        bottom = std::max(bottom, shape.ink.bottom);
      }
    }
    CHECK(sign_right >= roof.left);  // they meet
    CHECK(sign_top == Approx(roof.top).margin(0.003));
    CHECK(sign_bottom >= bottom - 0.05);
    CHECK(left >= roof.left - 0.1);
  }
}

TEST_CASE("limits stand over and under, in display style alone") {
  const Formula display = set("\\sum_{i}^{x} y");
  const auto ink_of = [&](const Formula& formula, char32_t c) { return shape_of(formula, c).ink; };
  const FormulaBox sum = display.shapes.front().ink.height() > 1 ? display.shapes.front().ink : FormulaBox{};
  REQUIRE(sum.height() >= measures().display_operator_min_height);
  CHECK(ink_of(display, i).top > sum.bottom);
  CHECK(ink_of(display, x).bottom < sum.top);
  CHECK(middle(ink_of(display, i)) == Approx(middle(sum)).margin(0.05));
  CHECK(display.height - (sum.top + sum.bottom) / 2 == Approx(measures().axis_height).margin(0.002));
  const Formula text = set("\\tfrac{\\sum_i y}{2}");
  CHECK(ink_of(text, i).left > text.shapes.front().ink.right - 0.05);
  const Formula max = set("\\max_{i} x");
  CHECK(ink_of(max, i).top > max.height);
}

TEST_CASE("brackets grow with what they hold, of parts where no glyph is high enough") {
  double last = 0;
  for (int rows = 1; rows <= 12; ++rows) {
    std::string cells = "x";
    for (int row = 1; row < rows; ++row) cells += " \\\\ x";
    const Formula formula = set("\\begin{pmatrix} " + cells + " \\end{pmatrix}");
    FormulaBox paren{1e9, 1e9, -1e9, -1e9};
    for (const FormulaShape& shape : formula.shapes)
      if (shape.ink.left < 0.4) {
        paren.top = std::min(paren.top, shape.ink.top);
        paren.bottom = std::max(paren.bottom, shape.ink.bottom);
      }
    const double held = 1.2 * rows;
    CHECK(paren.height() >= std::min(0.901 * held, std::max(held - 0.5, 1.0)) - 0.01);
    CHECK(paren.height() <= held + 0.7);
    CHECK(paren.height() >= last - 1e-6);
    CHECK(formula.height - (paren.top + paren.bottom) / 2 == Approx(measures().axis_height).margin(0.003));
    last = paren.height();
  }
  const Formula half = set("\\left\\{ x \\right.");
  CHECK(half.shapes.size() == 2);
}

TEST_CASE("accents stand over the middle of their letters") {
  const Formula hat = set("\\hat x");
  const FormulaShape letter = shape_of(hat, x);
  const FormulaShape sign = shape_of(hat, U'\u0302');
  CHECK(sign.ink.bottom < letter.ink.top);
  CHECK(middle(sign.ink) == Approx(letter.at.x + math_font().glyph(letter.glyph).accent).margin(0.02));
  CHECK(set("\\widehat{x y x y}").shapes.back().ink.width() > 2 * sign.ink.width());
  const auto bar = rules_of(set("\\overline{x y}"));
  REQUIRE(bar.size() == 1);
  CHECK(bar.front().width() == Approx(set("x y").width));
}

TEST_CASE("rows of cells keep apart and in line") {
  const Formula cases = set("\\begin{cases} x & \\text{a} \\\\ x + x & \\text{a} \\end{cases}");
  const auto letters = shapes_of(cases, U'a');
  REQUIRE(letters.size() == 2);
  CHECK(letters[0].at.x == Approx(letters[1].at.x));
  const Formula aligned = set("\\begin{aligned} x &= y \\\\ x + x &= y \\end{aligned}");
  const auto signs = shapes_of(aligned, U'=');
  REQUIRE(signs.size() == 2);
  CHECK(signs[0].at.x == Approx(signs[1].at.x));
  const auto lines = [](const char* gap) {
    const Formula formula = set(std::string("\\begin{gathered} x \\\\") + gap + " y \\end{gathered}");
    return shape_of(formula, y).at.y - shape_of(formula, x).at.y;
  };
  CHECK(lines("") == Approx(1.5));
  CHECK(lines("[0.4em]") == Approx(1.9));
}

TEST_CASE("letters come from their alphabets") {
  CHECK(in_alphabet(U'h', MathAlphabet::italic) == U'ℎ');
  CHECK(in_alphabet(U'R', MathAlphabet::blackboard) == U'ℝ');
  CHECK(in_alphabet(U'L', MathAlphabet::calligraphic) == U'ℒ');
  CHECK(in_alphabet(U'W', MathAlphabet::bold) == 0x1D416);
  CHECK(in_alphabet(U'θ', MathAlphabet::italic) == 0x1D703);
  CHECK(in_alphabet(U'ϕ', MathAlphabet::italic) == 0x1D719);
  CHECK(in_alphabet(U'x', MathAlphabet::upright) == U'x');
  CHECK(shapes_of(set("\\mathrm{row}"), U'r').size() == 1);
  CHECK(shapes_of(set("\\text{two words}"), U'o').size() == 2);
}

TEST_CASE("what cannot be set is said") {
  const auto error_of = [](const char* latex) {
    const auto formula = typeset(latex, math_font());
    return formula ? std::string() : formula.error().message;
  };
  CHECK(error_of("\\text{\xE2\x9C\x88}") == "formula: the font has no ✈ (U+2708)");
  CHECK(error_of("x \\hl{q}{\\,}") == "formula: \\hl{q} marks nothing that can be seen");
  CHECK(error_of("\\quad") == "formula: there is nothing to be seen in it");
  CHECK(MathFont::open("/nowhere.otf").error().message.find("/nowhere.otf") == 0);
  CHECK(MathFont::open(HEADLIGHT_FONT_FOLDER "/JetBrainsMono-Regular.ttf").error().message.find("MATH") !=
        std::string::npos);
}
