// The files behind an experiment, so that nothing that is made of it is written over them.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/io/experiment.h"

namespace headlight {

// Where a path in an experiment leads, without what it goes back over ("a/../b" is "b"), but where a link makes that
// another place.
std::filesystem::path resolve_path(const std::filesystem::path& folder, const std::filesystem::path& path);

// Every path that stands in an experiment, one after the other.
template <class AnExperiment, class With>
void for_each_path(AnExperiment& experiment, const With& with) {
  const auto labels = [&](auto& array) {
    for (auto* path : {&array.labels.tokens.path, &array.labels.key_tokens.path, &array.labels.picture.path,
                       &array.labels.key_picture.path})
      if (!path->empty()) with(*path);
  };
  for (auto& [id, input] : experiment.inputs) {
    if (auto* image = std::get_if<ImageInput>(&input)) with(image->path);
    if (auto* signal = std::get_if<SignalInput>(&input)) with(signal->path);
    if (auto* step = std::get_if<StepInput>(&input); step && !step->of.starts_with("{")) with(step->of);
    if (auto* frames = std::get_if<FramesInput>(&input))
      for (auto& path : frames->paths) with(path);
    if (auto* file = std::get_if<FileInput>(&input)) {
      with(file->path);
      labels(*file);
    }
    if (auto* literal = std::get_if<LiteralInput>(&input)) labels(*literal);
    if (auto* alone = std::get_if<LabelsInput>(&input)) labels(*alone);
  }
  if (!experiment.arrays.empty()) with(experiment.arrays);
  if (experiment.weights && !experiment.weights->from.empty()) with(experiment.weights->from);
}

// Files and folders that an experiment reads and that are not in its own folder or one below it, as absolute paths:
// whoever made the experiment chose them, and their numbers go into what is made of it.
std::vector<std::filesystem::path> files_outside(const Experiment& experiment);
// A line that names them; empty where there are none.
std::string files_outside_note(const Experiment& experiment);
// Whether a path, seen from a folder, leads out of it.
bool lies_outside(const std::filesystem::path& folder, const std::filesystem::path& path);

// Its own file, its inputs, where frames are a folder all that is in it and itself, and its arrays; as far as it has
// them.
std::vector<std::filesystem::path> input_files(const Experiment& experiment);

// Errors: `output` is one of the files in `read`, by whatever path, or a picture in a folder among them.
Status check_not_input(const std::vector<std::filesystem::path>& read, const std::filesystem::path& output);

// The same for the files of one experiment.
Status check_may_write(const Experiment& experiment, const std::filesystem::path& output);

}  // namespace headlight
