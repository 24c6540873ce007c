// What the files of a session share about keeping its work.
#pragma once

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "engine/core/system/paths.h"
#include "engine/io/file.h"

namespace headlight::app {

// The last part of a path, in one line.
inline std::string file_name(const std::filesystem::path& path) {
  return one_line(utf8(path.filename()));
}

inline constexpr std::chrono::milliseconds keep_after{500};  // of the first change: a drag or a word is kept once

inline std::string change_notice(const std::filesystem::path& path) {
  return fmt::format("{} has changed on disk since it was opened here: saving asks what becomes of that.",
                     one_line(utf8(path.filename())));
}

}  // namespace headlight::app
