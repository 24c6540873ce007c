// A run as a short Python script: it loads the inputs, weights and steps that were saved, recomputes every step in
// double precision from those before with NumPy or PyTorch alone, and compares each with the saved one.
//
// Not for the lines of a step: those come with it (StepInfo::code), from the variant that recorded it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/array_source.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"

namespace headlight {

enum class Language { numpy, pytorch };

// "numpy", "pytorch": as `headlight code --as` has it.
std::string_view id_of(Language language);
std::optional<Language> language_of(std::string_view id);

// What the script says of the files round it; none of them is read or written here.
struct ScriptFiles {
  std::string experiment;  // as one would type it: "mine.headlight"
  std::string script;      // "mine.py"
  std::string arrays;      // what the script loads: "mine.npz", UTF-8
};

// The script. It reads script_arrays() from `files.arrays` beside itself, prints one line with the count of steps, and
// ends with status 1 and one line at an array that is missing or the first step that differs by more than 1e-4 of a
// saved number and 2e-5 of the step's size (its largest number and at most 1; of weights 1/n, of what is normalised 1):
// its id, the cell, both numbers and the difference allowed. Saved numbers that are not finite need not be equal, as
// float32 overflows where doubles do not; those that are not are counted step by step at the end.
std::string script(const Trace& trace, const Problem& problem, Language language, const ScriptFiles& files);

// The inputs and weights that the scripts of this trace read, and every step; by id, the same for both languages. The
// trace must outlive them.
std::vector<ArrayToWrite> script_arrays(const Trace& trace);

// The lines of a step with every name as Python has it: those of layers have a stroke, "layer3/weights".
std::string with_python_names(const std::string& lines);

}  // namespace headlight
