#include "app/cli/standard_streams.h"

#include <array>
#include <cstdio>

#include "engine/core/system/process.h"

namespace headlight::app {

bool is_standard_stream(const std::filesystem::path& path) {
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

Result<std::string> read_if_standard(const std::filesystem::path& path) {
  if (!is_standard_stream(path)) return std::string();
  return read_standard_input();
}

Result<Experiment> read_named_experiment(const std::filesystem::path& path) {
  HL_TRY(const std::string given, read_if_standard(path));
  return read_given_experiment(path, {}, given);
}

Result<Experiment> read_given_experiment(const std::filesystem::path& path, const DumpOptions& dump,
                                         const std::string& given) {
  if (given.empty()) return open_experiment(path, dump);
  HL_CHECK(check_unread(dump, standard_input_name));
  return parse_experiment(given, {}, standard_input_name);
}

Status check_standard_output(const std::filesystem::path& path) {
  if (is_standard_stream(path) && standard_output_is_terminal())
    return fail("-o -: standard output is a terminal: send it on with | or >, or name a file");
  return {};
}

Result<FileWriter> open_writer(const std::filesystem::path& path) {
  return is_standard_stream(path) ? FileWriter::standard_output() : FileWriter::create(path);
}

Status write_text(const std::filesystem::path& path, const std::string& text) {
  if (!path.empty() && !is_standard_stream(path)) return write_file(path, text);
  fmt::print("{}", text);
  return {};
}

}  // namespace headlight::app
