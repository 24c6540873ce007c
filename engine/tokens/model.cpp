#include "engine/tokens/model.h"

#include "engine/core/words.h"

namespace headlight {

namespace {

// Files of older versions do not say what their model is, only what it holds.
std::string kind_of_model(const TokenizerFile& file, const Json& model) {
  if (std::string type = type_of(model); !type.empty()) return type;
  return !file.merges.empty() ? "BPE" : model.contains("unk_id") ? "Unigram" : "WordPiece";
}

}  // namespace

Result<std::unique_ptr<TokenModel>> token_model(TokenizerFile& file) {
  if (!file.parts.contains("model") || !file.parts.at("model").is_object()) return fail("it has no \"model\"");
  const std::string kind = kind_of_model(file, file.parts.at("model"));
  if (kind == "BPE") return byte_pair_model(file);
  if (kind == "WordPiece") return word_piece_model(file);
  if (kind == "Unigram") return unigram_model(file);
  return fail("model {} is not one that Headlight reads: give ids", brief(kind));
}

Result<PrefixTree> tree_of(const Vocabulary& vocabulary) {
  constexpr std::size_t most_bytes = std::size_t{16} << 20, longest = 1000;  // time grows with the longest
  std::size_t bytes = 0;
  std::vector<PrefixTree::Word> words;
  for (std::int32_t id = 0; id <= vocabulary.last(); ++id) {
    const std::string* token = vocabulary.token(id);
    if (!token) continue;
    words.emplace_back(*token, id);
    if (token->size() > longest)
      return fail("\"{}\" has {} bytes; tokens of at most {} are read", brief(*token), token->size(), longest);
    bytes += token->size();
    if (bytes > most_bytes) return fail("the vocabulary's tokens have more than {} million bytes", most_bytes >> 20);
  }
  return PrefixTree(std::move(words));
}

}  // namespace headlight
