// What single characters are to whoever sets them: seen or not, an emoji or a letter, and how a token is shown.
//
// Not for fonts: font_set.h. Not for how letters join: shaping.h.
#pragma once

#include <string>
#include <string_view>

namespace headlight {

// Controls, format characters and the like, which have no look of their own even where a font has a glyph for them.
bool is_invisible(char32_t character);
bool is_control_code(char32_t character);
// Unicode says what it is: no private use, and not still free.
bool is_assigned(char32_t character);

// It chooses between the looks of the character before it (U+FE0F: as an emoji) and has none of its own.
bool is_variation_selector(char32_t character);

// What is drawn as a picture in colour where there is a font for it: one grapheme cluster.
bool is_emoji(std::u32string_view cluster);

// In em, the room of a visible character in fonts that are not known here.
double usual_advance(char32_t character);

// U+XXXX
std::string code_of(char32_t character);

// Broken UTF-8 as U+FFFD.
std::u32string code_points(std::string_view utf8);

// A token as it is shown: composed (NFC), its leading and trailing spaces as "·", a tab or line break as its symbol,
// and a byte that is not UTF-8 as "\xNN". What no font can draw is for the font set to tell (font_set.h).
std::string display_text(std::string_view token);

}  // namespace headlight
