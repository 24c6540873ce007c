#include "app/state/dump.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "engine/io/array_source.h"
#include "engine/io/axes.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/layouts/layouts.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// The variant whose first input is attention.
const Variant* of_maps() {
  for (const Variant* variant : all_variants())
    if (variant->arrays(ParamValues::defaults(variant->params()), {}).inputs.front().layout == Layout::maps)
      return variant;
  return nullptr;
}

Result<GridSize> grid_of(const std::string& text) {
  GridSize size;
  const auto cross = text.find('x');
  const auto whole = [&](std::string_view part, Index& into) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), into);
    return error == std::errc() && end == part.data() + part.size() && into >= 1 && into <= 1024;
  };
  if (cross == std::string::npos || !whole(std::string_view(text).substr(0, cross), size.rows) ||
      !whole(std::string_view(text).substr(cross + 1), size.columns))
    return fail("--grid {}: it must be ROWSxCOLUMNS, such as 14x14", one_line(text));
  return size;
}

}  // namespace

bool is_array_file(const fs::path& path) {
  constexpr std::array known{".npy", ".npz", ".safetensors", ".pt", ".pth", ".bin"};
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(known, extension) != known.end();
}

Result<Experiment> experiment_of_dump(const fs::path& path, const DumpOptions& options) {
  HL_TRY(const auto source, open_arrays(path));
  if (const auto layouts = layouts_of(*source); !layouts.empty())
    return fail(
        "{} holds weights of a model ({}), not attention: open a layer of it by an experiment with "
        "\"weights\": {{\"from\": \"{}\"}}",
        one_line(path.string()), layouts.front(), one_line(path.filename().string()));
  const Variant& variant = *of_maps();
  Experiment experiment = default_experiment(variant.info().id);
  FileInput file{path.string()};
  file.axes = options.axes;
  if (const Status known = file.axes.empty() ? Status{} : check_map_axes(file.axes); !known)
    return fail("--axes: {}", known.error().message);
  file.labels.tokens.path = options.tokens;
  file.labels.key_tokens.path = options.key_tokens;
  file.labels.picture.path = options.image;
  file.labels.picture.offset = options.offset;
  if (!options.grid.empty()) {
    HL_TRY(file.labels.picture.grid, grid_of(options.grid));
  }
  experiment.inputs[variant.arrays(experiment.params, {}).inputs.front().id] = std::move(file);
  std::error_code ignored;
  experiment.folder = fs::current_path(ignored);
  return experiment;
}

bool holds_attention(const fs::path& path) {
  constexpr Index most_rows = 4096;
  const auto source = open_arrays(path);
  if (!source || (*source)->entries().empty()) return false;
  const Shape& shape = (*source)->entries().front().shape;
  if (shape.size() < 2 || shape.size() > 5 ||
      std::ranges::any_of((*source)->entries(), [&](const ArrayEntry& entry) { return entry.shape != shape; }))
    return false;
  const auto array = (*source)->read(0);
  if (!array || array->values.size() == 0) return false;
  const Index n = shape.back(), rows = std::min(most_rows, array->values.size() / n);
  Index sound = 0, empty = 0;
  for (Index row = 0; row < rows; ++row) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) {
      const float weight = array->values[row * n + j];
      if (!(weight >= 0 && weight <= 1.01F)) return false;
      sum += weight;
    }
    sound += std::abs(sum - 1) < 0.01;
    empty += sum == 0;
  }
  return sound > 0 && 10 * (sound + empty) >= 9 * rows && (n > 1 || rows == 1);
}

std::string name_of_dump(const Experiment& experiment) {
  const Variant* variant = of_maps();
  if (!variant || experiment.variant != variant->info().id) return {};
  const auto input = experiment.inputs.find(variant->arrays(experiment.params, {}).inputs.front().id);
  const auto* file = input == experiment.inputs.end() ? nullptr : std::get_if<FileInput>(&input->second);
  return file ? fs::path(file->path).filename().string() : std::string();
}

Result<Experiment> open_experiment(const fs::path& path, const DumpOptions& options) {
  if (!is_array_file(path)) {
    if (options.any())
      return fail("{}: --tokens and the like are of a file of attention; an experiment says them itself",
                  one_line(path.string()));
    if (!options.save.empty()) return fail("--save {}: there is an experiment already", one_line(options.save));
    return read_experiment(path);
  }
  HL_TRY(Experiment experiment, experiment_of_dump(path, options));
  if (!options.save.empty()) {
    HL_CHECK(check_may_write(experiment, options.save));
    std::error_code ignored;
    HL_CHECK(write_experiment(experiment, fs::absolute(options.save, ignored)));
  }
  return experiment;
}

}  // namespace headlight::app
