// The files behind an experiment, so that nothing that is made of it is written over them.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/io/experiment.h"

namespace headlight {

// Its own file, its inputs, where frames are a folder the folder, and its arrays; as far as it has them.
std::vector<std::filesystem::path> files_read(const Experiment& experiment);

// Errors: `output` is one of them, or a picture in the folder that frames are read from.
Status check_may_write(const Experiment& experiment, const std::filesystem::path& output);

}  // namespace headlight
