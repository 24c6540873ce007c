// How the words of a text become tokens: byte pairs, word pieces, whole words or unigrams.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/tokens/signs.h"
#include "engine/tokens/tokenizer_file.h"
#include "engine/tokens/vocabulary.h"

namespace headlight {

struct TokenPiece {
  std::int32_t id = 0;
  ByteSpan from;
};

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  // Adds the tokens of a word, which must not be empty. Errors: a character that the model has no token for.
  virtual Status encode(std::span<const SourceChar> word, std::vector<TokenPiece>& pieces) const = 0;
  // "BPE", as tokenizer.json says it.
  virtual std::string name() const = 0;

  const Vocabulary& vocabulary() const { return vocabulary_; }

 protected:
  explicit TokenModel(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  Vocabulary vocabulary_;
};

// Of what tokenizer.json has as "model"; the file's lists are taken out of it.
Result<std::unique_ptr<TokenModel>> byte_pair_model(TokenizerFile& file);
Result<std::unique_ptr<TokenModel>> word_piece_model(TokenizerFile& file);
Result<std::unique_ptr<TokenModel>> word_level_model(TokenizerFile& file);
Result<std::unique_ptr<TokenModel>> unigram_model(TokenizerFile& file);

}  // namespace headlight
