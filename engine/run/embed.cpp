#include "engine/run/embed.h"

#include <algorithm>
#include <set>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/embedded.h"
#include "engine/io/experiment_files.h"
#include "engine/io/experiment_inputs.h"
#include "engine/io/file.h"
#include "engine/run/inputs.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

// A list of frames in place of their folder.
Experiment without_folders(Experiment experiment) {
  std::error_code ignored;
  for (auto& [id, input] : experiment.inputs) {
    auto* frames = std::get_if<FramesInput>(&input);
    if (!frames || frames->paths.size() != 1) continue;
    const fs::path folder = resolve_path(experiment.folder, frames->paths.front());
    if (!fs::is_directory(folder, ignored)) continue;
    const std::string name = frames->paths.front();
    std::vector<fs::path> found = files_of(input, experiment.folder);
    frames->paths.clear();
    for (const fs::path& path : found)
      if (path != folder) frames->paths.push_back(utf8(fs::path(name) / path.filename()));
  }
  return experiment;
}

std::string name_of(const fs::path& path, const std::set<std::string>& taken) {
  const fs::path plain = path.lexically_normal();
  const bool inside = !plain.is_absolute() && *plain.begin() != "..";
  const fs::path wanted = inside ? plain : plain.filename();
  std::string name = utf8(wanted);
  for (int i = 2; taken.contains(name); ++i)
    name = utf8(wanted.parent_path() / fmt::format("{}-{}{}", utf8(wanted.stem()), i, utf8(wanted.extension())));
  return name;
}

Status check_embeddable(const Experiment& experiment, const std::string& path, const fs::path& whole) {
  const std::string name = one_line(path);
  std::error_code ignored;
  if (fs::is_directory(whole, ignored))
    return fail("{}: is a folder, and only files go into an experiment: keep it beside", name);
  const bool weights = experiment.weights && experiment.weights->from == path;
  if (weights && embedded_name(path).empty() && fs::exists(whole.parent_path() / "config.json", ignored))
    return fail("{}: config.json beside it says what its arrays mean: a model stays in its folder", name);
  if (whole.extension() == ".json" && (weights || experiment.arrays == path))
    return fail("{}: is an index of shards, and only whole files go into an experiment", name);
  return {};
}

Result<std::vector<ToEmbed>> files_of_plain(const Experiment& experiment) {
  for (const auto& [id, input] : experiment.inputs)
    if (std::holds_alternative<StepInput>(input))
      return fail("inputs.{} is a step of a model, which is too large to go into an experiment", id);
  std::vector<ToEmbed> files;
  std::set<std::string> taken;
  std::uint64_t whole = 0;
  Status status;
  for_each_path(experiment, [&](const std::string& path) {
    const fs::path from = resolve_path(experiment.folder, path);
    if (!status || std::ranges::find(files, from, &ToEmbed::path) != files.end()) return;
    status = check_embeddable(experiment, path, from);
    const auto file = status ? InputFile::open(from) : tl::unexpected<Error>(status.error());
    if (!file) {
      status = tl::unexpected<Error>(file.error());
      return;
    }
    const std::string_view known = embedded_name(path);
    files.push_back({known.empty() ? name_of(path, taken) : std::string(known), from, file->size()});
    taken.insert(files.back().name);
    whole += file->size();
  });
  HL_CHECK(status);
  if (files.size() > most_embedded_files)
    return fail("{} files: at most {} go into an experiment", files.size(), most_embedded_files);
  if (whole > most_embedded) {
    const auto largest = std::ranges::max_element(files, {}, &ToEmbed::bytes);
    return fail("the {} files have {:.1f} MB, most of it {}: at most {} MB go into an experiment", files.size(),
                static_cast<double>(whole) / (1 << 20), brief(largest->name), most_embedded >> 20);
  }
  return files;
}

}  // namespace

Result<std::vector<ToEmbed>> files_to_embed(const Experiment& experiment) {
  return files_of_plain(without_folders(experiment));
}

std::uint64_t embedded_size(const std::vector<ToEmbed>& files) {
  std::uint64_t bytes = 0;
  for (const ToEmbed& file : files) bytes += (file.bytes + 2) / 3 * 4 + file.name.size() + 40;
  return bytes;
}

Result<Experiment> embedded(const Experiment& experiment) {
  Experiment made = without_folders(experiment);
  HL_TRY(const std::vector<ToEmbed> files, files_of_plain(made));
  made.files.clear();
  for (const ToEmbed& file : files) {
    HL_TRY(std::string bytes, read_file(file.path, most_embedded));
    made.files.push_back(embed_file(file.name, std::move(bytes)));
  }
  for_each_path(made, [&](std::string& path) {
    const auto at = std::ranges::find(files, resolve_path(made.folder, path), &ToEmbed::path);
    path = made.files[static_cast<std::size_t>(at - files.begin())]->path;
  });
  return made;
}

}  // namespace headlight
