#include "app/text/font_files.h"

#include "engine/base/words.h"
#include "engine/io/file.h"

namespace headlight {

namespace {

bool is_file(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(name, ignored);
}

// At commas, which a file's name may have as well.
std::vector<std::string> split_names(const std::string& names) {
  if (is_file(names)) return {names};
  const auto each = split(names, ",");
  return {each.begin(), each.end()};
}

Result<FontFiles> font_files_of(const std::filesystem::path& folder, const std::string& name) {
  FontFiles files = font_files_in(folder);
  if (name == "sans") return files;
  const bool serif = name == "serif";
  if (!serif && !is_file(name)) return fail("font: {} is neither sans, nor serif, nor a font file", one_line(name));
  files.regular = files.mono = serif ? folder / "lmroman10-regular.otf" : std::filesystem::path(name);
  files.semibold = serif ? folder / "lmroman10-bold.otf" : std::filesystem::path(name);
  files.medium.clear();
  files.mono_semibold.clear();
  return files;
}

}  // namespace

FontFiles font_files_in(const std::filesystem::path& folder) {
  FontFiles files;
  files.regular = folder / "Inter-Regular.otf";
  files.medium = folder / "Inter-Medium.otf";
  files.semibold = folder / "Inter-SemiBold.otf";
  files.mono = folder / "JetBrainsMono-Regular.ttf";
  files.mono_semibold = folder / "JetBrainsMono-SemiBold.ttf";
  files.fallback = folder / "DejaVuSans.ttf";
  return files;
}

Result<FontFiles> font_files_named(const std::filesystem::path& folder, const std::string& names) {
  const std::vector<std::string> each = split_names(names);
  HL_TRY(FontFiles files, font_files_of(folder, each.front()));
  for (std::size_t i = 1; i < each.size(); ++i) {
    HL_TRY(const FontFiles more, font_files_of(folder, each[i]));
    files.further.push_back(more.regular);
  }
  return files;
}

std::vector<std::filesystem::path> font_files_read(const std::string& names) {
  const std::vector<std::string> each = split_names(names);
  return {each.begin(), each.end()};
}

}  // namespace headlight
