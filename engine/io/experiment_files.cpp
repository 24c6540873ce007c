#include "engine/io/experiment_files.h"

#include <algorithm>
#include <array>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/embedded.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"

namespace headlight {

namespace {

bool is_picture(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 5> pictures{".png", ".jpg", ".jpeg", ".gif", ".bmp"};
  const std::string extension = utf8(path.extension());
  return std::ranges::find(pictures, extension) != pictures.end();
}

bool are_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
}

// All that is in a folder of them.
void add_pictures(std::vector<std::filesystem::path>& files, const std::filesystem::path& path) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    files.push_back(at->path());
}

}  // namespace

std::filesystem::path resolve_path(const std::filesystem::path& folder, const std::filesystem::path& path) {
  std::filesystem::path whole = folder / path;
  std::filesystem::path plain = whole.lexically_normal();
  std::error_code ignored;
  return !std::filesystem::exists(whole, ignored) || are_same_file(whole, plain) ? plain : whole;
}

std::vector<std::filesystem::path> input_files(const Experiment& experiment) {
  std::vector<std::filesystem::path> files;
  if (!experiment.name.empty()) files.emplace_back(experiment.name);
  for (const auto& [id, input] : experiment.inputs)
    if (const auto* frames = std::get_if<FramesInput>(&input))
      for (const auto& path : frames->paths) add_pictures(files, resolve_path(experiment.folder, path));
  for_each_path(experiment, [&](const std::string& path) {
    if (embedded_name(path).empty()) files.push_back(resolve_path(experiment.folder, path));
  });
  return files;
}

bool lies_outside(const std::filesystem::path& folder, const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const auto whole = [](const fs::path& one) {
    std::error_code ignored;
    return fs::weakly_canonical(fs::absolute(one, ignored), ignored);
  };
  const fs::path seen =
      whole(resolve_path(folder, path)).lexically_relative(whole(folder.empty() ? fs::path(".") : folder));
  return seen.empty() || *seen.begin() == "..";
}

std::vector<std::filesystem::path> files_outside(const Experiment& experiment) {
  std::vector<std::filesystem::path> outside;
  const auto add = [&](const std::string& path) {
    if (path.empty() || !embedded_name(path).empty() || !lies_outside(experiment.folder, path)) return;
    std::error_code ignored;
    outside.push_back(std::filesystem::weakly_canonical(resolve_path(experiment.folder, path), ignored));
  };
  for_each_path(experiment, add);
  for (const auto& [id, input] : experiment.inputs) {
    const auto* step = std::get_if<StepInput>(&input);
    if (!step || !step->of.starts_with('{')) continue;
    const auto model = read_json(step->of);
    if (model && model->contains("model") && model->at("model").is_string()) add(model->at("model").get<std::string>());
  }
  return outside;
}

std::string files_outside_note(const Experiment& experiment) {
  if (experiment.name.empty()) return "";  // it is of no file: whoever runs it named them
  const auto outside = files_outside(experiment);
  if (outside.empty()) return "";
  std::vector<std::string> names;
  for (const auto& path : outside) names.push_back(utf8(path));
  return fmt::format("{} reads what lies outside its folder: {}", one_line(experiment.name), brief_list(names));
}

Status check_not_input(const std::vector<std::filesystem::path>& read, const std::filesystem::path& output) {
  const std::filesystem::path folder = output.has_parent_path() ? output.parent_path() : std::filesystem::path(".");
  for (const auto& path : read) {
    if (are_same_file(path, output))
      return fail("{}: the experiment reads this file, and it would be lost: give what is written another name",
                  one_line(utf8(output)));
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored) && are_same_file(path, folder) && is_picture(output))
      return fail("{}: the experiment reads every picture in this folder: write it to another", one_line(utf8(output)));
  }
  return {};
}

Status check_may_write(const Experiment& experiment, const std::filesystem::path& output) {
  return check_not_input(input_files(experiment), output);
}

}  // namespace headlight
