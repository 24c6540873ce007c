#include "engine/io/experiment_inputs.h"

#include <algorithm>
#include <set>

#include "engine/base/words.h"
#include "engine/core/base64.h"
#include "engine/core/system/paths.h"
#include "engine/io/embedded.h"
#include "engine/io/experiment_files.h"

namespace headlight {

namespace {

// A name that leads nowhere but into the folder, written in one way only.
Status check_name(const std::string& name) {
  const std::filesystem::path path(name);
  constexpr std::size_t longest = 200;  // bytes
  const bool control = std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (name.empty() || name.size() > longest || control || path.is_absolute() || !path.has_filename() ||
      utf8(path.lexically_normal()) != name || *path.begin() == ".." || *path.begin() == ".")
    return fail("files.{}: this is no name of a file in the experiment's folder, such as cat.png or pictures/cat.png",
                brief(name));
  return {};
}

Result<std::string> bytes_of(const std::string& name, const Json& value, std::vector<std::string>& notices) {
  const std::string where = "files." + brief(name);
  if (!value.is_object() || !value.contains("base64"))
    return fail("{} is {}: it must be {{\"base64\": \"…\"}}", where, kind_of(value));
  if (!value.at("base64").is_string())
    return fail("{}.base64 is {}: it must be a string", where, kind_of(value.at("base64")));
  note_unknown(value, where + ".", {"base64"}, notices);
  auto bytes = from_base64(value.at("base64").get_ref<const std::string&>());
  if (!bytes) return fail("{}.base64 is no base64: {}", where, bytes.error().message);
  return bytes;
}

}  // namespace

Status read_embedded(const Json& files, Experiment& experiment) {
  if (!files.is_object()) return fail("files is {}: it must be an object", kind_of(files));
  if (files.size() > most_embedded_files)
    return fail("files has {} files: at most {} are read", files.size(), most_embedded_files);
  std::uint64_t whole = 0;
  for (const auto& item : files.items()) {
    HL_CHECK(check_name(item.key()));
    HL_TRY(std::string bytes, bytes_of(item.key(), item.value(), experiment.notices));
    whole += bytes.size();
    if (whole > most_embedded)
      return fail("files holds more than {} MB: keep large files beside the experiment", most_embedded >> 20);
    experiment.files.push_back(embed_file(item.key(), std::move(bytes)));
  }
  std::set<std::string> read;
  for_each_path(experiment, [&](std::string& path) {
    const auto file = std::ranges::find_if(experiment.files, [&](const auto& one) { return one->name == path; });
    if (file == experiment.files.end()) return;
    read.insert(path);
    path = (*file)->path;
  });
  for (const auto& file : experiment.files)
    if (!read.contains(file->name))
      experiment.notices.push_back(fmt::format("files.{} is read by nothing here", brief(file->name)));
  std::erase_if(experiment.files, [&](const auto& file) { return !read.contains(file->name); });
  return {};
}

std::string with_embedded(std::string json, const Experiment& experiment) {
  if (experiment.files.empty()) return json;
  std::set<std::string> read;
  for_each_path(experiment, [&](const std::string& path) { read.insert(path); });
  std::string files;
  for (const auto& file : experiment.files)
    if (read.contains(file->path))
      files += fmt::format("{}\n    {}: {{\n      \"base64\": \"{}\"\n    }}", files.empty() ? "" : ",",
                           Json(file->name).dump(-1, ' ', false, Json::error_handler_t::replace), file->base64);
  if (files.empty()) return json;
  constexpr std::string_view end = "\n}\n";
  json.erase(json.size() - end.size());
  return json + ",\n  \"files\": {" + files + "\n  }" + std::string(end);
}

}  // namespace headlight
