// Files that say what is to be learned: {"headlight": 1, "train": {"task": …, "options": {…}, "params": {…},
// "optimizer": {…}, "steps": …, "seed": …, "changes": […]}}.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/learn/training.h"

namespace headlight::learn {

// Whether it is JSON that has "train".
bool is_training(std::string_view json);

// What is left out is the task's default. `notices`: one line for each unknown key of the file itself; unknown options
// and parameters are errors. `folder`: what paths in it are relative to; `name` is put before every error.
Result<TrainingPlan> parse_training(std::string_view json, const std::filesystem::path& folder, const std::string& name,
                                    std::vector<std::string>& notices);
Result<TrainingPlan> read_training(const std::filesystem::path& path, std::vector<std::string>& notices);

// Every option as it stands, paths as they were given. Read again it is the same plan.
std::string to_json(const TrainingPlan& plan);

}  // namespace headlight::learn
