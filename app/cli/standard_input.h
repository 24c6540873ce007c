// An experiment that comes by standard input, for which "-" stands where a command reads one.
#pragma once

#include <filesystem>

#include "app/state/dump.h"
#include "engine/io/experiment.h"

namespace headlight::app {

bool is_standard_input(const std::filesystem::path& path);

// All that there is, once; its paths are relative to the folder that the program was started in.
Result<Experiment> read_standard_input();

// By its name, or "-"; of a file of attention, the experiment that shows it.
Result<Experiment> read_named_experiment(const std::filesystem::path& path, const DumpOptions& dump = {});

}  // namespace headlight::app
