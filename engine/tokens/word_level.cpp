// Whole words: each that the vocabulary lacks is the unknown one.
#include <utility>

#include "engine/base/words.h"
#include "engine/tokens/model.h"

namespace headlight {

namespace {

class WordLevel final : public TokenModel {
 public:
  WordLevel(Vocabulary vocabulary, std::int32_t unknown) : TokenModel(std::move(vocabulary)), unknown_(unknown) {}

  Status encode(std::span<const SourceChar> word, std::vector<TokenPiece>& pieces) const override {
    pieces.push_back({vocabulary_.find(text_of(word).text).value_or(unknown_), span_of(word)});
    return {};
  }
  std::string name() const override { return "WordLevel"; }

 private:
  std::int32_t unknown_;
};

}  // namespace

Result<std::unique_ptr<TokenModel>> word_level_model(TokenizerFile& file) {
  HL_TRY(const std::string unknown, text_or(file.parts.at("model"), "unk_token", "model", "<unk>"));
  HL_TRY(Vocabulary vocabulary, Vocabulary::create(std::move(file.vocabulary)));
  const auto id = vocabulary.find(unknown);
  if (!id) return fail("model.unk_token is \"{}\", which the vocabulary lacks", brief(unknown));
  return std::make_unique<WordLevel>(std::move(vocabulary), *id);
}

}  // namespace headlight
