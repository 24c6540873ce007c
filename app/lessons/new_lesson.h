// A lesson to begin with: one that is whole and holds, to be written over.
#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace headlight::app {

std::string new_lesson();

// Writes it where nothing is yet. Error: something is there, or the name is not that of a lesson.
Status write_new_lesson(const std::filesystem::path& path);

// "my-lesson.lesson.md" in that folder, or "my-lesson-2", where there is one.
std::filesystem::path free_lesson_path(const std::filesystem::path& folder);

}  // namespace headlight::app
