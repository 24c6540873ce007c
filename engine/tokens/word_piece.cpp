// Word pieces: of a word the longest token that it begins with, then of the rest the longest that goes on a word.
// Source: Wu et al. 2016, section 4.1; Devlin et al. 2019, section 3.
#include <algorithm>
#include <utility>

#include "engine/base/words.h"
#include "engine/tokens/model.h"

namespace headlight {

namespace {

class WordPieces final : public TokenModel {
 public:
  WordPieces(Vocabulary vocabulary, PrefixTree tree, std::int32_t unknown, const std::string& prefix, Index longest)
      : TokenModel(std::move(vocabulary)),
        tree_(std::move(tree)),
        continuation_(tree_.place(prefix)),
        unknown_(unknown),
        longest_word_(static_cast<std::size_t>(longest)) {}

  Status encode(std::span<const SourceChar> word, std::vector<TokenPiece>& pieces) const override {
    const std::size_t before = pieces.size();
    if (word.size() > longest_word_ || !cut(word, pieces)) {
      pieces.resize(before);
      pieces.push_back({unknown_, span_of(word)});
    }
    return {};
  }
  std::string name() const override { return "WordPiece"; }

 private:
  bool cut(std::span<const SourceChar> word, std::vector<TokenPiece>& pieces) const {
    const CharText text = text_of(word);
    const std::string_view all = text.text;
    for (std::size_t at = 0; at < word.size();) {
      const std::uint32_t node = at == 0 ? 0 : continuation_;
      std::size_t longest = 0;
      std::int32_t id = 0;
      if (node != PrefixTree::none)
        tree_.walk_from(node, all.substr(text.begins[at]), [&](std::size_t size, std::int32_t found) {
          longest = size;
          id = found;
        });
      if (longest == 0) return false;
      const auto end = std::ranges::lower_bound(text.begins, text.begins[at] + longest) - text.begins.begin();
      const auto next = static_cast<std::size_t>(end);
      pieces.push_back({id, span_of(word.subspan(at, next - at))});
      at = next;
    }
    return true;
  }

  PrefixTree tree_;
  std::uint32_t continuation_;  // where "##" leads in the tree
  std::int32_t unknown_;
  std::size_t longest_word_;  // characters
};

}  // namespace

Result<std::unique_ptr<TokenModel>> word_piece_model(TokenizerFile& file) {
  const Json& model = file.parts.at("model");
  HL_TRY(const std::string unknown, text_or(model, "unk_token", "model", "[UNK]"));
  HL_TRY(const std::string prefix, text_or(model, "continuing_subword_prefix", "model", "##"));
  Index longest = 100;
  if (model.contains("max_input_chars_per_word")) {
    HL_TRY(longest, whole_at(model, "max_input_chars_per_word", "model", 1, 100'000));
  }
  HL_TRY(Vocabulary vocabulary, Vocabulary::create(std::move(file.vocabulary)));
  HL_TRY(PrefixTree tree, make_tree(vocabulary));
  const auto id = vocabulary.find(unknown);
  if (!id) return fail("model.unk_token is \"{}\", which the vocabulary lacks", brief(unknown));
  return std::make_unique<WordPieces>(std::move(vocabulary), std::move(tree), *id, prefix, longest);
}

}  // namespace headlight
