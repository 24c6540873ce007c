// The machine's own fonts, by fontconfig: the one for a character that the program's fonts lack.
//
// Which one that is depends on the fonts and on fontconfig's settings, not on the locale nor on what was asked before.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace headlight {

struct SystemFont {
  std::filesystem::path file;
  int index = 0;  // of the face in its file, and of a variable font's instance in the upper 16 bits
};

struct FontWish {
  bool serif = false, bold = false;
  bool emoji = false;         // in colour
  std::string_view language;  // BCP 47; empty: any

  auto operator<=>(const FontWish&) const = default;
};

// Sorts the fonts once for each wish, when first asked. Belongs to one thread at a time.
class SystemFonts {
 public:
  SystemFonts();
  ~SystemFonts();
  SystemFonts(const SystemFonts&) = delete;
  SystemFonts& operator=(const SystemFonts&) = delete;

  // The first of the fonts, in fontconfig's order, that has the character and that `fits`. Fonts of pixels are left out
  // but for emoji.
  std::optional<SystemFont> find(char32_t character, const FontWish& wish,
                                 const std::function<bool(const SystemFont&)>& fits);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
