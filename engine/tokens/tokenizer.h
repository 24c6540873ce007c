// A model's own tokenizer, read from its folder: the tokens of a text, token for token, and which bytes of it each
// stands for. Nothing that a file says is run, and nothing is fetched.
//
// Not for the sentences of experiments without a model: engine/inputs/text.h parts those.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace headlight {

struct Tokens {
  std::vector<std::int32_t> ids;
  std::vector<std::string> tokens;  // as in the vocabulary
  // Bytes [begin, end) of the text as typed; {-1, -1} for what stands for no text, an empty span for what was put in
  // where it stands.
  std::vector<std::array<std::int64_t, 2>> offsets;
  std::vector<std::int32_t> type_ids;  // 0, and 1 for a pair's second text
  std::vector<std::int32_t> texts;     // of which text the offsets are: 0, 1 for a pair's second, −1 for none
};

class Tokenizer {
 public:
  // Of a model's folder: tokenizer.json, else vocab.json and merges.txt, else vocab.txt. Errors name the file, and what
  // of it is not read.
  static Result<Tokenizer> open(const std::filesystem::path& folder);
  // Of a tokenizer.json alone.
  static Result<Tokenizer> parse(std::string_view json);

  // The tokens of a text, or of two. `special`: with those that the model wants round them. A byte that is no UTF-8 is
  // U+FFFD. Errors: a text over 8 million bytes; a character for which the tokenizer has nothing.
  Result<Tokens> encode(std::string_view text, std::optional<std::string_view> pair = {}, bool special = true) const;
  // What tokens may have been made of; numbers that no token has are left out. It need not be UTF-8 where they end
  // within a character.
  std::string decode(std::span<const std::int32_t> ids) const;

  // How many tokens there are, those beside the model's own vocabulary too.
  std::size_t size() const;
  // nullptr where there is none.
  const std::string* token(std::int32_t id) const;

  // "byte-level BPE", "BPE", "WordPiece", "Unigram".
  const std::string& kind() const;
  // What it was read from.
  const std::vector<std::filesystem::path>& files() const;

 private:
  struct Parts;
  explicit Tokenizer(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  static Result<Tokenizer> build(struct TokenizerFile file);
  std::shared_ptr<const Parts> parts_;
};

// Whether a model's folder has a tokenizer in one of its forms.
bool has_tokenizer(const std::filesystem::path& folder);

// What stands for a token where a person reads: the text of its offsets where they are whole characters, a leading
// space of which is "·"; else the token itself.
std::string display_token(const Tokens& tokens, std::size_t at, std::string_view text, std::string_view pair = {});

}  // namespace headlight
