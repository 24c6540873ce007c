#include "app/cli/assets.h"

#include <cstdlib>

#include "engine/core/system/paths.h"

namespace headlight::app {

std::filesystem::path assets_folder() {
  namespace fs = std::filesystem;
  if (const char* folder = std::getenv("HEADLIGHT_ASSETS")) return folder;
  std::error_code error;
  const fs::path program = program_file();
  const fs::path beside = program.parent_path() / "assets";
  if (fs::exists(beside / "fonts", error)) return beside;
  return (program.parent_path() / HEADLIGHT_SHARE).lexically_normal();
}

}  // namespace headlight::app
