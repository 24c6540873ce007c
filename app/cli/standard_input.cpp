#include "app/cli/standard_input.h"

#include <array>
#include <cstdio>

namespace headlight::app {

bool is_standard_input(const std::filesystem::path& path) {
  return path == "-";
}

Result<std::string> read_standard_input() {
  constexpr const char* name = standard_input_name;
  constexpr std::size_t largest = std::size_t{256} << 20;  // bytes, as of a figure
  std::string text;
  std::array<char, 65536> piece{};
  for (std::size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), stdin)) > 0;) {
    text.append(piece.data(), got);
    if (text.size() > largest) return fail("{}: at most {} bytes are read here", name, largest);
  }
  if (std::ferror(stdin) != 0) return fail("{}: cannot be read", name);
  if (text.empty()) return fail("{}: it is empty", name);
  return text;
}

Result<Experiment> read_named_experiment(const std::filesystem::path& path, const DumpOptions& dump) {
  if (!is_standard_input(path)) return open_experiment(path, dump);
  HL_TRY(const std::string text, read_standard_input());
  return parse_experiment(text, {}, standard_input_name);
}

}  // namespace headlight::app
