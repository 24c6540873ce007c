// From a sentence to rows of numbers: tokens, and an embedding of each that depends on its text and a seed alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/tensor.h"
#include "engine/inputs/meanings.h"

namespace headlight {

enum class TextSplit { words, characters, bytes, whitespace };

// By its name in an experiment file.
std::optional<TextSplit> tokenizer_by_name(std::string_view name);

struct Token {
  std::string text;       // as typed; bytes that are not UTF-8 are U+FFFD
  std::size_t begin = 0;  // bytes of the input
  std::size_t end = 0;
};

struct SplitText {
  std::vector<Token> tokens;
  std::vector<std::string> warnings;
};

// What stands before the sentence when a start token is asked for.
inline constexpr std::string_view start_token_text = "⟨s⟩";
// "<pad>", "[PAD]" and the like, which fill up the shorter texts of a batch.
bool is_padding(std::string_view token);

// words:       runs of letters, marks and digits, with apostrophes and hyphens inside; ideographs one by one; every
//              other sign apart; white space and invisible signs dropped
// characters:  what a reader calls a character (extended grapheme clusters, UAX 29), white space too
// bytes:       UTF-8 bytes: ASCII as it is, others as two hexadecimal digits
// whitespace:  split at white space
// Takes time in proportion to the text. Never fails: bad bytes become U+FFFD with one warning.
SplitText tokenize(std::string_view text, TextSplit tokenizer, bool start_token);

// Where the embedding puts what it knows of a token, so that weights made by hand can read it. Extents of 0 where
// d_model is too small. For 32 channels: 0–11 stay 0 (the sinusoids of positions are read there undisturbed), 12–15
// are flags, 16–22 the token's identity, 23 is constant, 24–31 stay 0 until an earlier layer writes the previous
// token's identity there, and in 31 a mark where no token stands before.
struct TextChannels {
  Index position_pairs = 0;  // channels 0 … 2·pairs − 1
  Index flags = -1;          // first of four: punctuation, start token, function word, constant 1; −1: none
  Index identity = 0;
  Index previous = 0;
  Index width = 0;      // of identity, and of previous
  Index constant = -1;  // as large as an identity is long, in every token; −1: none
  Index first = -1;     // likewise, in the token that has none before it
  bool has_previous = false;
};
TextChannels text_channels(Index d_model);
// Channels side by side that stand for one thing, in their order, with weights made by hand or without.
struct ChannelGroup {
  Index first = 0, count = 0;
  std::string name;   // "which word"
  std::string about;  // "the same for the same word"
};
std::vector<ChannelGroup> text_channel_groups(Index d_model, bool word_before);
// What stands in which channel of a token, for people; `word_before`: with write_previous_token().
std::string text_channels_in_words(Index d_model, bool word_before);

inline constexpr float flag_size = 3;      // of a flag that is up
inline constexpr float identity_size = 5;  // length of the identity vector: it outweighs the positions added to it

// Whether two tokens are one word: spellings that Unicode calls equal are, and so are "The" and "the", and words that
// are said to mean the same.
bool same_word(std::string_view a, std::string_view b, const Meanings& meanings = {});
// What such spellings have in common: two tokens are one word where theirs are equal.
std::string word_folded(std::string_view text);

// (1, n, d_model). Equal words get equal rows in any sentence, but for marks those that mean the same as well.
Tensor embed(const std::vector<Token>& tokens, Index d_model, std::uint64_t seed, const Meanings& meanings = {});

// Writes the identity of the token before into the channels kept for it, as an attention layer before this one would,
// and marks the first token.
void write_previous_token(Tensor& x, const std::vector<Token>& tokens, std::uint64_t seed,
                          const Meanings& meanings = {});

// Words that hold a sentence together ("the", "на", "und"), by small lists for six languages.
bool is_function_word(std::string_view word);

// ---- A text whose tokens are moved, doubled, taken out or put in
// ------------------------------------------------------

// The text itself is changed, so that splitting it once more gives the tokens that were asked for. What stood before a
// token goes along with it. Places are those of tokenize() without a start token. Errors: a place that is not there, or
// a text that cannot be split so ("un" and "even" side by side are two words only with a space between them; a byte of
// a letter is none).

// Where token `from` stands at `to` afterwards.
Result<std::string> with_token_moved(std::string_view text, TextSplit split, Index from, Index to);
// Once more, behind itself.
Result<std::string> with_token_doubled(std::string_view text, TextSplit split, Index at);
Result<std::string> without_token(std::string_view text, TextSplit split, Index at);
// `words`, which may be several tokens, before the token at that place; behind the last where it is one past it.
Result<std::string> with_tokens_inserted(std::string_view text, TextSplit split, Index at, std::string_view words);

}  // namespace headlight
