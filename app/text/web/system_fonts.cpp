// A browser tells no page of the machine's own fonts: there are those of the program, and those that were dropped on
// the page, which puts them into the folder HEADLIGHT_FONTS.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "app/text/font_set_state.h"

namespace headlight {

SystemFonts::SystemFonts() = default;

std::optional<SystemFont> SystemFonts::find(char32_t /*character*/, const FontWish& /*wish*/,
                                            const std::function<bool(const SystemFont&)>& fits) {
  const char* folder = std::getenv("HEADLIGHT_FONTS");
  std::vector<SystemFont> fonts;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder ? folder : "", error), end; !error && entry != end;
       entry.increment(error))
    fonts.push_back({entry->path(), 0});
  std::ranges::sort(fonts, {}, &SystemFont::file);
  const auto found = std::ranges::find_if(fonts, fits);
  return found == fonts.end() ? std::nullopt : std::optional(*found);
}

std::string font_advice(const std::string& /*packages*/) {
  return "Drop a font that has them on the page (.ttf, .otf): this browser keeps it.";
}

}  // namespace headlight
