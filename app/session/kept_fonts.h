// Fonts of figures and worksheets, loaded once. Belongs to one thread at a time.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "app/text/font_set.h"

namespace headlight::app {

class KeptFonts {
 public:
  // By the name that a figure's font has. Errors: as of font_files_named() and FontSet::load().
  Result<const FontSet*> named(const std::filesystem::path& folder, const std::string& name) {
    const auto found = kept_.find(name);
    if (found != kept_.end()) return &found->second;
    HL_TRY(const FontFiles files, font_files_named(folder, name));
    HL_TRY(FontSet fonts, FontSet::load(files));
    return &kept_.insert_or_assign(name, std::move(fonts)).first->second;
  }

 private:
  std::map<std::string, FontSet> kept_;
};

}  // namespace headlight::app
