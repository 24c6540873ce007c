// What is put together of a step's words and lines: its formula, its note with the run's numbers, its lines of Python.
#pragma once

#include <string>

#include "engine/ops/operation.h"
#include "engine/variants/variant.h"

namespace headlight {

// The left side of a step's formula, "=", and what the operation says.
std::string formula_of(const Array& made, const LatexFormula& formula);
// A note whose {symbols} and {parameters} are numbers of the run; {query:words} stay as they are.
std::string with_numbers(std::string note, const Problem& problem);
// Lines that set the result of that id.
Code code_of(const Code& code, const std::string& id);

}  // namespace headlight
