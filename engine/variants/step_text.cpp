#include "engine/variants/step_text.h"

#include <string_view>

#include "engine/trace/code_names.h"

namespace headlight {

namespace {

std::string left_side(const Array& made, const LatexFormula& formula) {
  if (formula.all_at_once) return notation::mark(made.id, made.symbol);
  return formula.by_channel ? notation::channel(made) : notation::written(made);
}

// Lines that name the result as {to}, or an expression that it is.
std::string lines_of(const std::string& code, const std::string& id) {
  if (code.empty() || code.find("{to}") != std::string::npos) return assign_to(id, code);
  return fmt::format("{} = {}", id, code);
}

}  // namespace

std::string formula_of(const Array& made, const LatexFormula& formula) {
  if (formula.right.empty()) return {};
  std::string line = fmt::format("{} = {}", left_side(made, formula), formula.right);
  if (!formula.aside.empty()) line += " " + formula.aside;
  if (formula.below.empty()) return line;
  return fmt::format("\\begin{{gathered}} {} \\\\[{}] {} \\end{{gathered}}", line, formula.gap, formula.below);
}

std::string with_numbers(std::string note, const Problem& problem) {
  for (auto open = note.find('{'); open != std::string::npos; open = note.find('{', open + 1)) {
    const std::string name = note.substr(open + 1, note.find('}', open) - open - 1);
    if (name.find(':') != std::string::npos) continue;
    const auto symbol = problem.symbols.find(name);
    note.replace(
        open, name.size() + 2,
        symbol == problem.symbols.end() ? to_string(problem.params.get(name)) : fmt::format("{}", symbol->second));
  }
  return note;
}

Code code_of(const Code& code, const std::string& id) {
  const std::string name = python_name(id);
  return {lines_of(code.numpy, name), lines_of(code.torch, name)};
}

}  // namespace headlight
