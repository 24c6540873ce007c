// What kind of character tokenizers take a character for, by Unicode's categories and properties.
#pragma once

#include <cstdint>
#include <optional>

namespace headlight {

bool is_white(char32_t c);             // the property White_Space
bool is_letter(char32_t c);            // category L
bool is_number(char32_t c);            // category N
bool is_mark(char32_t c);              // category M
bool is_nonspacing_mark(char32_t c);   // category Mn
bool is_other(char32_t c);             // category C: controls, formats, private and unassigned ones
bool is_word(char32_t c);              // \w: letters, marks, digits, joiners, and what joins words
bool is_bert_punctuation(char32_t c);  // category P, and the ASCII signs that are neither letter, digit nor white
bool is_ideograph(char32_t c);         // of the blocks round which BERT puts spaces

// The 256 letters by which byte-level tokenizers write bytes, so that no token holds white space or half a character.
// Source: Radford et al. 2019, the code of GPT-2 (bytes_to_unicode).
char32_t letter_of_byte(std::uint8_t byte);
std::optional<std::uint8_t> byte_of_letter(char32_t letter);

}  // namespace headlight
