#include "app/state/opening.h"

#include "app/reading/inputs.h"
#include "app/state/dump.h"
#include "engine/io/arrays.h"
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
  return input;
}

Opened read_shapes(const fs::path& path) {
  const auto arrays = read_arrays(path);
  if (!arrays) return arrays.error();
  if (arrays->empty()) return Error{fmt::format("{}: there is no array in it", path.string())};
  ArraysOpened opened{path, {}};
  for (const auto& array : *arrays) opened.arrays.emplace_back(array.name, array.values.shape());
  return opened;
}

}  // namespace

Opened read_to_open(const fs::path& path) {
  std::error_code ignored;
  if (is_array_file(path)) {
    const fs::path whole = fs::absolute(path, ignored).lexically_normal();
    if (!holds_attention(whole)) return read_shapes(whole);
    auto dump = experiment_of_dump(whole);
    if (!dump) return dump.error();
    return DumpOpened{std::move(*dump)};
  }
  auto recipe = read_recipe(path);
  if (!recipe) return recipe.error();
  if (*recipe) return std::move(**recipe);
  const bool model = fs::exists(path / "config.json", ignored);  // no folder of pictures
  if (auto input = model ? std::nullopt : input_of_file(path)) return read_input(std::move(*input), path);
  auto experiment = read_experiment(path);
  if (!experiment) return experiment.error();
  return std::move(*experiment);
}

}  // namespace headlight::app
