#include "engine/code/script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/code/helpers.h"
#include "engine/code/script_parts.h"
#include "engine/io/file.h"
#include "engine/trace/code_names.h"
#include "engine/trace/rule.h"

namespace headlight {

void script_parts::add_names(std::string_view lines, Names& names) {
  for (const std::string_view name : names_in(lines)) names.emplace(name);
}

const std::string& script_parts::lines_of(const Step& step, Language language) {
  return language == Language::numpy ? step.info.code.numpy : step.info.code.torch;
}

std::string script_parts::in_python(std::string_view id) {
  std::string name(id);
  std::ranges::replace(name, '/', '_');
  return name;
}

script_parts::Names script_parts::names_of_lines(const Trace& trace, Language language) {
  Names names;
  for (const auto* list : {&trace.sources, &trace.steps})
    for (const auto& step : *list) add_names(lines_of(step, language), names);
  return names;
}

std::string script_parts::helper_functions(Language language, Names& names) {
  std::string functions;
  for (const auto& helper : language == Language::numpy ? numpy_helpers() : torch_helpers()) {
    if (!names.contains(helper.name)) continue;
    add_names(helper.text, names);
    functions = fmt::format("{}\n\n{}", helper.text, functions);
  }
  return functions;
}

std::string script_parts::in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (const auto byte = static_cast<unsigned char>(c); byte < 32 || byte == 127)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result + '"';
}

using namespace script_parts;

namespace {

// "(B, n_q, d_q) = (1, 5, 32)"; numbers alone where axes have no symbols.
std::string shape_text(const Step& step) {
  std::vector<std::string> symbols;
  for (const auto& axis : step.info.axes) symbols.push_back(axis.symbol);
  const std::string shape = to_string(step.tensor().shape());
  if (std::ranges::any_of(symbols, &std::string::empty)) return shape;
  return fmt::format("({}{}) = {}", fmt::join(symbols, ", "), symbols.size() == 1 ? "," : "", shape);
}

std::string heading(const Problem& problem, Language language, const ScriptFiles& files) {
  const VariantInfo& info = problem.variant->info();
  return fmt::format(
      "# {} attention, step by step in {}; every step is compared with the numbers that Headlight saved.\n"
      "# {}.\n"
      "# This script and {} come from: headlight code {} --as {} -o {}\n",
      info.title, language == Language::numpy ? "NumPy" : "PyTorch", info.source, one_line(files.arrays),
      one_line(files.experiment), id_of(language), one_line(files.script));
}

// The arrays stand beside the script; pasted into a notebook, it has no file and reads the current folder.
std::string imports(Language language, const Names& names, const ScriptFiles& files) {
  const std::string file = in_quotes(files.arrays);
  const std::string place = fmt::format(
      "arrays_file = (pathlib.Path(__file__).parent if \"__file__\" in globals() else pathlib.Path()) / {}\n"
      "if not arrays_file.exists():\n"
      "    raise SystemExit(\n"
      "        f\"{{arrays_file}} is missing: it holds inputs, weights and steps. Save arrays in Headlight's window "
      "makes it, \"\n"
      "        {}\n"
      "    )\n",
      file,
      in_quotes(fmt::format("or: headlight code {} --as {} -o {}", one_line(files.experiment), id_of(language),
                            one_line(files.script))));
  if (language == Language::numpy)
    return fmt::format(
        "import pathlib\n\nimport numpy as np\n\n{}"
        "arrays = {{name: array.astype(np.float64) for name, array in np.load(arrays_file).items()}}\n",
        place);
  return fmt::format(
      "import pathlib\n\nimport numpy as np\nimport torch\n{}\n"
      "torch.set_default_dtype(torch.float64)\n{}"
      "arrays = {{name: torch.from_numpy(array).double() for name, array in np.load(arrays_file).items()}}\n",
      names.contains("F") ? "import torch.nn.functional as F\n" : "", place);
}

// What the script says at its end.
std::string closing(std::size_t steps) {
  return fmt::format(
      "\nwhere = \" where those are finite\" if not_compared else \"\"\n"
      "print(f\"{} recomputed: equal to the saved numbers{{where}}\")\n"
      "for name, count in not_compared.items():\n"
      "    print(f\"{{name}}: {{count}} saved numbers overflowed in float32 and could not be compared\")\n",
      steps == 1 ? "1 step" : fmt::format("{} steps", steps));
}

bool is_normalised(const Step& step) {
  if (!step.base_explain() || step.tensor().size() == 0) return false;
  return rule_of(step.base_explain()(0).combine).is_normalised();
}

std::string recomputed(const Step& step, Language language) {
  const StepInfo& info = step.info;
  // Weights are as large as there are keys, however much of a row one of them takes; what is normalised is of size 1,
  // also where nothing is left of it.
  const std::string name = in_python(python_name(info.id));
  std::string size = is_normalised(step) ? ", size=1" : "";
  if (info.kind == Kind::probability) size = fmt::format(", size=1 / {}.shape[-1]", name);
  return fmt::format("\n# {}, {}\n{}\n{} = checked({}, \"{}\"{})\n", info.title, shape_text(step),
                     with_python_names(lines_of(step, language)), name, name, info.id, size);
}

}  // namespace

std::string with_python_names(const std::string& lines) {
  std::string result = lines;
  for (const std::string_view name : names_in(lines))
    if (name.find('/') != std::string_view::npos) {
      const auto at = static_cast<std::size_t>(name.data() - lines.data());
      result.replace(at, name.size(), in_python(name));
    }
  return result;
}

std::string_view id_of(Language language) {
  return language == Language::numpy ? "numpy" : "pytorch";
}

std::optional<Language> language_of(std::string_view id) {
  for (const Language language : {Language::numpy, Language::pytorch})
    if (id_of(language) == id) return language;
  return std::nullopt;
}

std::string script(const Trace& trace, const Problem& problem, Language language, const ScriptFiles& files) {
  std::size_t steps = 0;
  Names names = names_of_lines(trace, language);
  const Names read = names;
  names.insert("checked");
  const std::string functions = helper_functions(language, names);
  std::string text =
      heading(problem, language, files) + imports(language, names, files) +
      "not_compared = {}  # by step: how many saved numbers are not finite where the recomputed differ\n" + "\n\n" +
      functions;
  for (const auto& source : trace.sources)
    if (lines_of(source, language).empty() && read.contains(source.info.id))
      text += fmt::format("{} = saved(\"{}\")  # {}, {}\n", in_python(source.info.id), source.info.id,
                          source.info.title, shape_text(source));
  for (const auto* list : {&trace.sources, &trace.steps})
    for (const auto& step : *list)
      if (!lines_of(step, language).empty()) {
        text += recomputed(step, language);
        if (list == &trace.steps) ++steps;
      } else if (list == &trace.steps) {
        text += fmt::format("\n# {}, {}: {} has no line for it, so it is taken as it was saved\n{} = saved(\"{}\")\n",
                            step.info.title, shape_text(step), id_of(language), in_python(step.info.id), step.info.id);
      }
  return text + closing(steps);
}

std::vector<ArrayToWrite> script_arrays(const Trace& trace) {
  const Names numpy = names_of_lines(trace, Language::numpy), torch = names_of_lines(trace, Language::pytorch);
  std::vector<ArrayToWrite> arrays;
  for (const auto& source : trace.sources)
    if (numpy.contains(source.info.id) || torch.contains(source.info.id))
      arrays.push_back({source.info.id, source.tensor()});
  for (const auto& step : trace.steps) arrays.push_back({step.info.id, step.tensor()});
  return arrays;
}

}  // namespace headlight
