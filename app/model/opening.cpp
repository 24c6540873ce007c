#include "app/model/opening.h"

#include "app/model/inputs.h"
#include "engine/io/image_file.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// An animation of one frame is a picture.
Opened read_input(InputSpec input, const fs::path& path) {
  std::error_code ignored;
  const std::string absolute = fs::absolute(path, ignored).lexically_normal().string();
  if (std::holds_alternative<FramesInput>(input) && !fs::is_directory(path, ignored)) {
    const auto read = read_frames(path, 2);
    if (!read) return read.error();
    if (read->size() == 1) input = ImageInput{absolute, {}};
  }
  if (auto* image = std::get_if<ImageInput>(&input)) image->path = absolute;
  if (auto* frames = std::get_if<FramesInput>(&input)) frames->paths = {absolute};
  if (auto* signal = std::get_if<SignalInput>(&input)) signal->path = absolute;
  if (auto* file = std::get_if<FileInput>(&input)) file->path = absolute;
  return input;
}

}  // namespace

Opened read_to_open(const fs::path& path) {
  const std::string extension = path.extension().string();
  std::error_code ignored;
  if (extension == ".npz" || extension == ".safetensors")
    return ArraysOpened{fs::absolute(path, ignored).lexically_normal()};
  auto recipe = read_recipe(path);
  if (!recipe) return recipe.error();
  if (*recipe) return std::move(**recipe);
  if (auto input = input_of_file(path)) return read_input(std::move(*input), path);
  auto experiment = read_experiment(path);
  if (!experiment) return experiment.error();
  return std::move(*experiment);
}

}  // namespace headlight::app
