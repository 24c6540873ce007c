// Which font files text is set in.
//
// Not for reading them: font_set.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace headlight {

struct FontFiles {
  std::filesystem::path regular;
  std::filesystem::path semibold;
  std::filesystem::path mono;                   // numbers
  std::filesystem::path fallback;               // for the characters that the others lack
  std::filesystem::path medium, mono_semibold;  // may be empty: regular and mono stand in
  std::vector<std::filesystem::path> further;   // asked for characters before `fallback` is
  bool system = true;                           // and then the machine's own fonts (font_set_state.h)
};

// Inter, JetBrains Mono and DejaVu Sans in the folder that the build gathers fonts in.
FontFiles font_files_in(const std::filesystem::path& folder);

// A bundled font by name, "sans" (as font_files_in) or "serif" (Latin Modern Roman, as LaTeX sets), or one font file
// for all text; after a comma, further ones for the characters that it lacks. DejaVu Sans and then the system's own
// fonts stand in for what they all lack. Errors: neither a name nor a file.
Result<FontFiles> font_files_named(const std::filesystem::path& folder, const std::string& names);

// Those of the names that are, or may be, files.
std::vector<std::filesystem::path> font_files_read(const std::string& names);

}  // namespace headlight
