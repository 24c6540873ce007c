// Scripts that run from right to left, or whose letters join or move: in which order the parts of a line stand (Unicode
// Standard Annex 9, by FriBidi), and which glyphs draw one of them (by HarfBuzz).
//
// Not for Latin, Greek and Cyrillic, which are one glyph after another (font_set.h): shaping would kern them.
#pragma once

#include <ft2build.h>
#include FT_FREETYPE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct hb_font_t;

namespace headlight {

// An ISO 15924 tag; 0: the character is of no script that needs shaping.
using Script = std::uint32_t;
Script shaped_script(char32_t character);

// Vowel signs and joiners, which go with the character before them.
bool joins_previous(char32_t character);

// One level a character: odd ones stand from right to left.
struct Levels {
  std::vector<std::int8_t> of;
  bool right_to_left = false;  // the line as a whole
};
// The way of a line as a whole; natural: as its first letter with a direction has it.
enum class Direction { natural, left_to_right, right_to_left };
// Of a letter; natural: it has none.
Direction strong_direction(char32_t character);

Levels levels_of(const std::u32string& characters, Direction line = Direction::natural);

// The positions of `levels` in the order in which they stand from left to right (UAX 9, rule L2).
std::vector<std::size_t> visual_order(const std::vector<std::int8_t>& levels);

// Brackets and the like, turned round for lines from right to left.
char32_t mirrored(char32_t character);

// Lengths in units of the font, x to the right and y downward from the start of the part.
struct ShapedGlyph {
  unsigned index = 0;
  double x = 0, y = 0;
};

// The glyphs that draw so many characters, and the room that they take.
struct ShapedCluster {
  std::size_t characters = 0;
  std::vector<ShapedGlyph> glyphs;
  double x = 0, width = 0;
};

struct ShapedPart {
  std::vector<ShapedCluster> clusters;  // in the order in which they are read
  double width = 0;
};

std::shared_ptr<hb_font_t> shaping_font(FT_Face face);

// One script, one font and one direction.
ShapedPart shaped(hb_font_t* font, std::u32string_view characters, Script script, bool right_to_left);

// ---- What is known of writing systems: what to call them, the language whose fonts draw them, and the package of
// Debian that has such fonts

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
// A sentence: by Debian's packages, a list in words, or as the page of a browser has it.
std::string font_advice(const std::string& packages);

}  // namespace headlight
