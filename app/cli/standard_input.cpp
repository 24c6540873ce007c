#include "app/cli/standard_input.h"

#include <array>
#include <cstdio>

namespace headlight::app {

bool is_standard_input(const std::filesystem::path& path) {
  return path == "-";
}

Result<Experiment> read_standard_input() {
  constexpr const char* name = "standard input";
  constexpr std::size_t largest = std::size_t{1} << 26;  // bytes, as of a file
  std::string text;
  std::array<char, 65536> piece{};
  for (std::size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), stdin)) > 0;) {
    text.append(piece.data(), got);
    if (text.size() > largest) return fail("{}: at most {} bytes are read here", name, largest);
  }
  if (std::ferror(stdin) != 0) return fail("{}: cannot be read", name);
  if (text.empty()) return fail("{}: it is empty; an experiment is needed", name);
  return parse_experiment(text, {}, name);
}

Result<Experiment> read_named_experiment(const std::filesystem::path& path, const DumpOptions& dump) {
  return is_standard_input(path) ? read_standard_input() : open_experiment(path, dump);
}

}  // namespace headlight::app
