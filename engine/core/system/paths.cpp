#include "engine/core/system/paths.h"

#include <system_error>

#include "engine/base/words.h"

namespace headlight {

std::string utf8(const std::filesystem::path& path) {
  return path.native();
}

std::string name_without_folders(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path plain = std::filesystem::absolute(path, ignored).lexically_normal();
  return utf8((plain.has_filename() ? plain : plain.parent_path()).filename());
}

std::string lower_extension(const std::filesystem::path& path) {
  return lower_case(utf8(path.extension()));
}

std::filesystem::path path_of_utf8(std::string_view text) {
  return text;
}

std::filesystem::path program_file() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

}  // namespace headlight
