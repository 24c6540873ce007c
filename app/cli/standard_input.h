// An experiment that comes by standard input, for which "-" stands where a command reads one.
#pragma once

#include <filesystem>
#include <string>

#include "app/session/dump.h"
#include "engine/io/experiment.h"

namespace headlight::app {

bool is_standard_input(const std::filesystem::path& path);

constexpr const char* standard_input_name = "standard input";

// All that there is, once. Errors: nothing, or more than is read.
Result<std::string> read_standard_input();

// By its name, or "-", whose paths are relative to the folder that the program was started in; of a file of attention,
// the experiment that shows it.
Result<Experiment> read_named_experiment(const std::filesystem::path& path, const DumpOptions& dump = {});

}  // namespace headlight::app
