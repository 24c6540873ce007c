// What kind of character tokenizers take a character for, by Unicode's categories and properties.
#pragma once

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

}  // namespace headlight
