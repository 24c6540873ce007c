#include "app/cli/standard_output.h"

#include "engine/core/system/process.h"

namespace headlight::app {

bool is_standard_output(const std::filesystem::path& path) {
  return path == "-";
}

Status check_standard_output(const std::filesystem::path& path) {
  if (is_standard_output(path) && standard_output_is_terminal())
    return fail("-o -: standard output is a terminal: send it on with | or >, or name a file");
  return {};
}

Result<FileWriter> writer_of(const std::filesystem::path& path) {
  return is_standard_output(path) ? FileWriter::standard_output() : FileWriter::create(path);
}

}  // namespace headlight::app
