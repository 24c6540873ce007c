// Standard input and output, for which "-" stands where a command reads or writes a file.
#pragma once

#include <filesystem>
#include <string>

#include "app/session/dump.h"
#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/io/file.h"

namespace headlight::app {

bool is_standard_stream(const std::filesystem::path& path);

constexpr const char* standard_input_name = "standard input";

// All that there is, once. Errors: nothing, or more than is read.
Result<std::string> read_standard_input();

// The same where the path is "-"; else empty.
Result<std::string> read_if_standard(const std::filesystem::path& path);

// By its name, or "-", whose paths are relative to the folder that the program was started in; of a file of attention,
// the experiment that shows it.
Result<Experiment> read_named_experiment(const std::filesystem::path& path);
// The same where read_if_standard() has been called, and read `given`.
Result<Experiment> read_given_experiment(const std::filesystem::path& path, const DumpOptions& dump,
                                         const std::string& given);

// Where a command writes, "-" is standard output. What is said then goes to standard error.

// Errors: "-" where standard output is a terminal, which shows no such bytes.
Status check_standard_output(const std::filesystem::path& path);

// A file by FileWriter's rules, or standard output.
Result<FileWriter> open_writer(const std::filesystem::path& path);
// The same of a whole text; without a path it is printed, too.
Status write_text(const std::filesystem::path& path, const std::string& text);

}  // namespace headlight::app
