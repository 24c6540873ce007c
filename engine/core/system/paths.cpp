#include "engine/core/system/paths.h"

#include <system_error>

namespace headlight {

std::string utf8(const std::filesystem::path& path) {
  return path.native();
}

std::filesystem::path path_of_utf8(std::string_view text) {
  return text;
}

std::filesystem::path program_file() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

}  // namespace headlight
