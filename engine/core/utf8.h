// UTF-8, a character at a time, and where what a reader calls a character begins.
//
// Not for what characters mean: engine/inputs/text.h parts words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// The next character and how many bytes it took (at least 1); size 1 and value U+FFFD where the text is not UTF-8. The
// text must not be empty.
struct Utf8Step {
  char32_t character = 0;
  std::size_t size = 1;
  bool sound = true;  // false: not UTF-8
};
Utf8Step utf8_step(std::string_view text);
// Whether all of it is.
bool is_utf8(std::string_view text);

// The character must be one that UTF-8 can hold: no surrogate, at most U+10FFFF.
void append_utf8(std::string& text, char32_t character);

// Asked of one character after another: whether it begins an extended grapheme cluster (Unicode Standard Annex 29), or
// goes on with the one before. Families, flags and letters with their marks are one.
class GraphemeBreaks {
 public:
  bool begins(char32_t character);

 private:
  char32_t before_ = 0;
  std::int32_t state_ = 0;
  bool first_ = true;
};

// The bytes at which grapheme clusters begin, and the text's size after them: 0 alone for no text.
std::vector<std::size_t> grapheme_bounds(std::string_view text);

// Of the spellings of a text that Unicode calls equal, the one of its composed letters (NFC); and the same without the
// difference between upper and lower case. The text itself where it is not UTF-8.
std::string composed(std::string_view text);
std::string case_folded(std::string_view text);

}  // namespace headlight
