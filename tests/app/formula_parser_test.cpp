// The LaTeX that formulas are written in: what is read, what is refused, and how it reads as a line of text.
#include "app/formula/formula_tree.h"

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "app/formula/formula_commands.h"
#include "engine/core/random.h"
#include "tests/app/formulas.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"
#include "tests/fuzz/damage.h"

using namespace headlight;

namespace {

std::string error_of(std::string_view latex) {
  const auto tree = parse_formula(latex);
  return tree ? "" : tree.error().message;
}

bool refuses(std::string_view latex, std::string_view because) {
  return error_of(latex).find(because) != std::string::npos;
}

std::string guide() {
  std::ifstream file(HEADLIGHT_SOURCE_DIR "/docs/formulas.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The commands in a text's `code`, without their backslashes.
std::set<std::string> commands_in(const std::string& text) {
  std::set<std::string> found;
  const std::regex code("`+[^`]+`+"), command(R"(\\([A-Za-z]+|[^A-Za-z\s]|\s))");
  for (std::sregex_iterator span(text.begin(), text.end(), code), end; span != end; ++span) {
    const std::string words = span->str();
    for (std::sregex_iterator at(words.begin(), words.end(), command); at != end; ++at) found.insert((*at)[1]);
  }
  return found;
}

}  // namespace

TEST_CASE("formulas read as lines of text") {
  for (const auto& [latex, plain] : test::written_formulas()) {
    INFO(latex);
    CHECK(error_of(latex).empty());
    CHECK(plain_formula(latex) == plain);
  }
}

TEST_CASE("every step of every sketch has a formula that can be set") {
  int steps = 0;
  for (const auto& sketch : test::all_sketches()) {
    const auto trace = test::run(sketch);
    REQUIRE(trace);
    for (const Step& step : trace->steps) {
      INFO(sketch.name << ", " << step.info.id << ": " << step.info.formula);
      const auto formula = typeset(step.info.formula, test::math_font());
      if (!formula) FAIL_CHECK(formula.error().message);
      CHECK(plain_formula(step.info.formula).find('\\') == std::string::npos);
      ++steps;
    }
  }
  CHECK(steps > 200);
}

TEST_CASE("what is no formula is one line that says where and why") {
  CHECK(refuses("\\softmax x", "byte 0: \\softmax is no command"));
  CHECK(refuses("x + \\foo", "byte 4: \\foo"));
  CHECK(refuses("", "nothing to set"));
  CHECK(refuses("{x", "} is missing"));
  CHECK(refuses("x}", "} closes nothing"));
  CHECK(refuses("x & y", "& closes nothing"));
  CHECK(refuses("_x", "needs something before it"));
  CHECK(refuses("x_", "needs something behind it"));
  CHECK(refuses("x_i_j", "two _"));
  CHECK(refuses("x^2'", "needs something before it"));
  CHECK(refuses("\\frac{a}", "needs something behind it"));
  CHECK(refuses("\\hat", "\\hat needs something"));
  CHECK(refuses("\\hat{}", "\\hat has nothing under it"));
  CHECK(refuses("\\left( x", "without its \\right"));
  CHECK(refuses("\\left x \\right)", "needs a bracket"));
  CHECK(refuses("\\bigl. x", "needs a bracket"));
  CHECK(refuses("\\hl{q}{}", "marks nothing"));
  CHECK(refuses("\\hl{}{x}", "needs the id"));
  CHECK(refuses("\\hl{q", "takes words alone"));
  CHECK(refuses("\\begin{array}x\\end{array}", "no environment"));
  CHECK(refuses("\\begin{cases}x\\end{gathered}", "ends with"));
  CHECK(refuses("\\begin{gathered} a \\\\[1pt] b \\end{gathered}", "length in em"));
  CHECK(refuses("\\begin{gathered} a \\\\[1em b \\end{gathered}", "length in em"));
  CHECK(refuses("\\operatorname{a_b}", "letters, digits"));
  CHECK(refuses("α", "α is no character of formulas"));
  CHECK(refuses("\\", "is no command"));
  for (const auto& [latex, plain] : test::written_formulas())
    for (std::size_t length = 0; length < latex.size(); ++length) {
      const std::string error = error_of(latex.substr(0, length));
      CHECK((error.empty() || (error.starts_with("formula, byte ") && error.find('\n') == std::string::npos)));
    }
}

TEST_CASE("any text is read or refused") {
  std::string deep;
  for (int i = 0; i < 20000; ++i) deep += "{\\frac{x_";
  CHECK(refuses(deep, "at most"));
  CHECK(refuses(deep.substr(0, 900), "nested too deep"));
  CHECK(refuses(std::string(300, '{'), "nested too deep"));
  Random random(7, "formulas");
  const std::string pieces[] = {"\\frac",
                                "{",
                                "}",
                                "_",
                                "^",
                                "'",
                                "\\hl{q}",
                                "\\sqrt",
                                "x",
                                "\\sum",
                                "&",
                                "\\\\",
                                "\\left(",
                                "\\right)",
                                "\\begin{cases}",
                                "\\end{cases}",
                                "\\text{a}",
                                "\\hat",
                                "+",
                                "\xF0\x9F",
                                "\xE2",
                                "[",
                                "]",
                                "\n",
                                "\\"};
  for (int i = 0; i < 20000; ++i) {
    std::string latex;
    for (int n = static_cast<int>(random.next() % 12); n >= 0; --n) latex += pieces[random.next() % std::size(pieces)];
    const auto formula = typeset(latex, test::math_font());
    CHECK((formula || is_one_line(formula.error().message)));
    plain_formula(latex);
  }
}

TEST_CASE("a command that is not known is never printed as a word") {
  CHECK(plain_formula("\\softmax x") == "\\softmax x");
  CHECK(plain_formula("\\frac{a}{") == "\\frac{a}{");
}

TEST_CASE("marks are counted as they are read, parents first") {
  const auto tree = parse_formula("\\hl{s}{s_{\\hl{n_q}{i}}} = \\hl{q}{q}");
  REQUIRE(tree);
  REQUIRE(tree->marks.size() == 4);
  CHECK(tree->marks[1].id == "s");
  CHECK(tree->marks[2].id == "n_q");
  CHECK(tree->marks[2].parent == 1);
  CHECK(tree->marks[3].id == "q");
  CHECK(tree->marks[3].parent == 0);
}

TEST_CASE("the guide has every command, and no other") {
  std::set<std::string> known;
  for (const FormulaCommand& command : formula_commands()) CHECK(known.insert(std::string(command.name)).second);
  const std::set<std::string> told = commands_in(guide());
  for (const std::string& name : known) {
    INFO("\\" << name);
    CHECK(told.count(name) == 1);
  }
  for (const std::string& name : told) {
    INFO("\\" << name);
    CHECK(known.count(name) == 1);
  }
}

TEST_CASE("the font has the sign of every command, at each size of scripts") {
  for (const FormulaCommand& command : formula_commands()) {
    if (command.meaning != FormulaCommand::Meaning::symbol && command.meaning != FormulaCommand::Meaning::word)
      continue;
    const std::string latex = "\\" + std::string(command.name);
    INFO(latex);
    CHECK(typeset(latex + " x_{" + latex + " y_{" + latex + " z}}", test::math_font()));
  }
  for (const char* letters : {"mathrm", "mathbf", "mathbb", "mathcal"})
    for (char c = 'A'; c <= 'Z'; ++c) CHECK(typeset(fmt::format("\\{}{{{}}}", letters, c), test::math_font()));
}
