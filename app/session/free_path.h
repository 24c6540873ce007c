// Where files go that nobody has named: beside what is open, under a name that no file has.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "app/model/model.h"

namespace headlight::app {

// Beside what is open; where nothing is, where the program was started.
inline std::filesystem::path folder_beside(const Model& model) {
  std::error_code error;
  const Learner& learner = model.learner;
  const bool aside = learner.before && learner.before->origin;
  const std::filesystem::path open = aside ? learner.before->origin->path : model.path;
  return open.has_parent_path() ? open.parent_path() : std::filesystem::current_path(error);
}

// "masks.pdf" in that folder, or "masks-2.pdf" and so on.
inline std::filesystem::path free_path(const std::filesystem::path& folder, const std::string& name,
                                       const char* ending) {
  std::error_code error;
  std::filesystem::path path = folder / (name + ending);
  for (int i = 2; std::filesystem::exists(path, error); ++i) path = folder / fmt::format("{}-{}{}", name, i, ending);
  return path;
}

}  // namespace headlight::app
