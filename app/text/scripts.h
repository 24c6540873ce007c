// What is known of writing systems: what to call them, the language whose fonts draw them, and the package of Debian
// that has such fonts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/text/shaping.h"

namespace headlight {

// Emoji in colour, which are no script of Unicode's: ISO 15924's tag for them.
inline constexpr Script emoji_script = 'Z' << 24 | 's' << 16 | 'y' << 8 | 'e';

inline constexpr Script ideographs_script = 'H' << 24 | 'a' << 16 | 'n' << 8 | 'i';

struct ScriptNote {
  std::string_view name;      // "Chinese"
  std::string_view language;  // BCP 47, as fontconfig asks; empty: any
  std::string_view package;
};
ScriptNote note_of(Script script);

// The language of a line's ideographs: Japanese beside kana, Korean beside hangul, else Chinese.
std::string_view language_of_ideographs(std::u32string_view line);

// "Some characters of Chinese and Thai are in no font here: …, install fonts-noto-cjk and fonts-noto-core …" Empty
// where nothing is missing. A font may have most of a script and lack a few.
std::string missing_fonts_note(const std::vector<Script>& missing);

}  // namespace headlight
