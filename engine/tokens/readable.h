// Tokens of somebody else's tokenizer as people read them: without the marks by which vocabularies write spaces, bytes
// and pieces of words.
//
// Not for tokens whose tokenizer is there: Tokenizer::decode().
#pragma once

#include <string>
#include <vector>

namespace headlight {

using TokenLists = std::vector<std::vector<std::string>>;  // one for each item of a batch

// "Ġcat" and "▁cat" → "·cat", "##ing" → "ing", "cat</w>" → "cat", and in byte-level lists (where a token begins with Ġ
// or Ċ, or ends with </w>) "ïve" for "Ã¯ve"; bytes that are no whole character are "<0xF0>", line ends "⏎". A piece
// keeps its ##, and a word its </w>, where the same letters stand without it in one of the lists, so that different
// tokens stay different.
TokenLists readable_tokens(const TokenLists& tokens);

// Of each token the number of its word, counted from 0: a piece goes on with the word before it where its vocabulary's
// mark says so: it begins with ##, the one before does not end with </w>, or it has no Ġ and no ▁ and both are letters
// or digits. Nothing where no token has such a mark.
std::vector<std::size_t> words_of_pieces(const std::vector<std::string>& tokens);

}  // namespace headlight
