// The files behind an experiment, so that nothing that is made of it is written over them.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/io/experiment.h"

namespace headlight {

// Where a path in an experiment leads, without what it goes back over ("a/../b" is "b"), but where a link makes that
// another place.
std::filesystem::path path_from(const std::filesystem::path& folder, const std::filesystem::path& path);

// Files and folders that an experiment reads and that are not in its own folder or one below it, as absolute paths:
// whoever made the experiment chose them, and their numbers go into what is made of it.
std::vector<std::filesystem::path> files_outside(const Experiment& experiment);
// A line that names them; empty where there are none.
std::string note_of_files_outside(const Experiment& experiment);

// Its own file, its inputs, where frames are a folder all that is in it and itself, and its arrays; as far as it has
// them.
std::vector<std::filesystem::path> files_read(const Experiment& experiment);

// Errors: `output` is one of the files in `read`, by whatever path, or a picture in a folder among them.
Status check_not_read(const std::vector<std::filesystem::path>& read, const std::filesystem::path& output);

// The same for the files of one experiment.
Status check_may_write(const Experiment& experiment, const std::filesystem::path& output);

}  // namespace headlight
