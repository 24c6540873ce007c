#include "engine/code/network_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "engine/base/words.h"
#include "engine/code/script_parts.h"
#include "engine/io/file.h"
#include "engine/trace/code_names.h"

namespace headlight {

using namespace script_parts;

namespace {

// The digits at the beginning of a text.
std::string_view number_at(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

// The lines of a row of n symbols with "n" where a shorter row has n − 1; as they are where they differ otherwise.
std::string with_length(const std::string& lines, const std::string& shorter, Index n) {
  std::string made;
  std::string_view one = lines, other = shorter;
  while (!one.empty() && !other.empty()) {
    const std::string_view number = number_at(one), less = number_at(other);
    if (number.empty() || less.empty()) {
      if (one.front() != other.front()) return lines;
      made += one.front();
      one.remove_prefix(1);
      other.remove_prefix(1);
      continue;
    }
    const bool counts = number == std::to_string(n) && less == std::to_string(n - 1);
    if (number != less && !counts) return lines;
    made += counts ? "n" : number;
    one.remove_prefix(number.size());
    other.remove_prefix(less.size());
  }
  return one.empty() && other.empty() ? made : lines;
}

// "    a\n    b\n" of "a\nb".
std::string indented(std::string_view lines) {
  std::string made;
  for (const std::string_view line : split_lines(lines)) made += fmt::format("    {}\n", line);
  return made;
}

std::string literal(const Tensor& values, Language language) {
  const auto numbers = values.values();
  std::vector<std::string> texts;
  for (const float number : numbers) texts.push_back(fmt::format("{}", number));
  return fmt::format("{}([{}]).reshape({})", language == Language::numpy ? "np.array" : "torch.tensor",
                     fmt::join(texts, ", "), fmt::join(values.shape(), ", "));
}

constexpr const char* weights_of_file = R"py(def weights_of(file):
    """The arrays of a .safetensors of float32, by name."""
    data = file.read_bytes()
    size = int.from_bytes(data[:8], "little")
    arrays = {}
    for name, about in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__":
            begin, end = (8 + size + at for at in about["data_offsets"])
            arrays[name] = np.frombuffer(data[begin:end], dtype=np.float32).reshape(about["shape"]).astype(np.float64)
    return arrays
)py";

// Of Vaswani et al. 2017, section 3.5; {0} is the library.
constexpr const char* sinusoids = R"py(def sinusoids(n, d):
    c = {0}.arange(d)
    angles = {0}.arange(n)[:, None] / 10000 ** ((c - c % 2) / d)
    return {0}.where(c % 2 == 0, {0}.sin(angles), {0}.cos(angles))
)py";

class Writer {
 public:
  Writer(const Trace& layer, const Trace* shorter, Language language, const NetworkScript& network)
      : layer_(layer),
        shorter_(shorter),
        language_(language),
        network_(network),
        names_(names_of_lines(layer, language)) {}

  std::string text() {
    const std::string function = layer_function(), whole = network_function();
    if (numpy() && (network_.norms_input || network_.last_norm)) names_.insert("layer_norm");
    std::string helpers = helper_functions(language_, names_);
    if (sinusoidal_) helpers += fmt::format(fmt::runtime(sinusoids), numpy() ? "np" : "torch") + "\n\n";
    return heading() + helpers + function + "\n\n" + whole + "\n\n" + trial();
  }

 private:
  bool numpy() const { return language_ == Language::numpy; }

  std::string heading() const {
    return fmt::format(
        "# The network of {} in {}: what it says of each place in a row of symbols.\n"
        "# This script comes from: {}\n"
        "import json\nimport pathlib\n\nimport numpy as np\n{}\n\n{}\n\n"
        "folder = (pathlib.Path(__file__).parent if \"__file__\" in globals() else pathlib.Path()) / {}\n"
        "w = weights_of(folder / \"model.safetensors\")\n{}\n\n",
        one_line(network_.name), numpy() ? "NumPy" : "PyTorch", one_line(network_.command),
        numpy() ? "" : "import torch\nimport torch.nn.functional as F\n\ntorch.set_default_dtype(torch.float64)\n",
        weights_of_file, in_quotes(network_.folder),
        numpy() ? "" : "w = {name: torch.from_numpy(array) for name, array in w.items()}\n");
  }

  // Where an array of the layer comes from that no line computes.
  std::string source(const Step& step) {
    const std::string& id = step.info.id;
    if (id == network_.stream || (id == network_.places && network_.adds_places)) return {};
    std::string from = fmt::format("w[f\"layer{{l}}/{}\"]", id);
    if (id == network_.places) {
      sinusoidal_ = true;
      from = fmt::format("sinusoids(n, {}.shape[-1])", network_.stream);
    } else if (!network_.of_layer.contains(id)) {
      from = literal(step.tensor(), language_);
    }
    return fmt::format("{} = {}", python_name(id), from);
  }

  std::string layer_function() {
    const Index n = static_cast<Index>(network_.row.size());
    std::string text = fmt::format("def layer(l, {}{}):\n    n = {}.shape[1]\n", network_.stream,
                                   network_.adds_places ? ", " + network_.places : "", network_.stream);
    const auto put = [&](const std::vector<Step>& steps, const std::vector<Step>* others) {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string& lines = lines_of(steps[i], language_);
        if (lines.empty() && names_.contains(python_name(steps[i].info.id))) text += indented(source(steps[i]));
        if (!lines.empty()) text += indented(others ? with_length(lines, lines_of((*others)[i], language_), n) : lines);
      }
    };
    put(layer_.sources, shorter_ ? &shorter_->sources : nullptr);
    put(layer_.steps, shorter_ ? &shorter_->steps : nullptr);
    return text + fmt::format("    return {}\n", python_name(layer_.output()->info.id));
  }

  std::string norm(const std::string& gamma, const std::string& beta) const {
    return numpy() ? fmt::format("layer_norm(tokens, {}, {})", gamma, beta)
                   : fmt::format("F.layer_norm(tokens, tokens.shape[-1:], {}, {})", gamma, beta);
  }

  std::string network_function() const {
    std::string text = "def network(row):\n    tokens = w[\"embedding\"][row][None]\n";
    if (network_.adds_places) text += "    places = w[\"positions\"][None, : len(row)]\n";
    const std::string read =
        network_.norms_input ? norm("w[f\"layer{l}/ln_gamma\"]", "w[f\"layer{l}/ln_beta\"]") : "tokens";
    text += fmt::format("    for l in range({}):\n        tokens = {}layer(l, {}{})\n", network_.layers,
                        network_.adds_input ? "tokens + " : "", read, network_.adds_places ? ", places" : "");
    if (network_.last_norm) text += fmt::format("    tokens = {}\n", norm("w[\"ln_gamma\"]", "w[\"ln_beta\"]"));
    return text + "    return (tokens @ w[\"w_out\"])[0]\n";
  }

  std::string trial() const {
    std::vector<std::string> symbols, row;
    for (const std::string& symbol : network_.symbols) symbols.push_back(in_quotes(symbol));
    for (const Index id : network_.row) row.push_back(symbols[static_cast<std::size_t>(id)]);
    return fmt::format(
        "symbols = [{}]\n"
        "row = [{}]\n"
        "logits = network([symbols.index(symbol) for symbol in row])\n"
        "for symbol, likeliest in zip(row, logits.argmax({})):\n"
        "    print(symbol, \"->\", symbols[likeliest])\n",
        fmt::join(symbols, ", "), fmt::join(row, ", "), numpy() ? "axis=-1" : "dim=-1");
  }

  const Trace& layer_;
  const Trace* shorter_;
  const Language language_;
  const NetworkScript& network_;
  Names names_;
  bool sinusoidal_ = false;
};

}  // namespace

std::string script(const Trace& layer, const Trace* shorter, Language language, const NetworkScript& network) {
  return Writer(layer, shorter, language, network).text();
}

}  // namespace headlight
