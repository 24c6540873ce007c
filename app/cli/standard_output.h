// The file that a command writes, or standard output, for which "-" stands there. What is said then goes to standard
// error.
#pragma once

#include <filesystem>

#include "engine/core/result.h"
#include "engine/io/file.h"

namespace headlight::app {

bool is_standard_output(const std::filesystem::path& path);

// Errors: "-" where standard output is a terminal, which shows no such bytes.
Status check_standard_output(const std::filesystem::path& path);

// A file by FileWriter's rules, or standard output.
Result<FileWriter> writer_of(const std::filesystem::path& path);

}  // namespace headlight::app
