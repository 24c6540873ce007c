// A unigram model: of all ways to cut a word into tokens the one whose scores have the greatest sum. Source: Kudo 2018,
// section 3.2; what an unknown character costs and which of equal ways counts are sentencepiece's.
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/words.h"
#include "engine/core/utf8.h"
#include "engine/tokens/model.h"

namespace headlight {

namespace {

constexpr double unknown_penalty = 10;  // below the least score

class Unigrams final : public TokenModel {
 public:
  Unigrams(Vocabulary vocabulary, PrefixTree tree, std::vector<double> scores, std::optional<std::int32_t> unknown,
           bool byte_fallback)
      : TokenModel(std::move(vocabulary)),
        tree_(std::move(tree)),
        scores_(std::move(scores)),
        unknown_score_(std::ranges::min(scores_) - unknown_penalty),
        unknown_(unknown) {
    for (unsigned byte = 0; byte < 256; ++byte)
      of_byte_.push_back(byte_fallback ? vocabulary_.find(fmt::format("<0x{:02X}>", byte)).value_or(-1) : -1);
  }

  Status encode(std::span<const SourceChar> word, std::vector<TokenPiece>& pieces) const override {
    const CharText text = text_of(word);
    const std::vector<Best> best = best_ways(text);
    std::vector<Cut> cuts;  // backwards; neighbouring unknown ones join, of which the text "<unk>" is one
    for (std::size_t end = word.size(); end > 0; end = best[end].begin) {
      const std::int32_t id = best[end].id == unknown_ ? -1 : best[end].id;
      if (id < 0 && !cuts.empty() && cuts.back().id < 0)
        cuts.back().begin = best[end].begin;
      else
        cuts.push_back({id, best[end].begin, end});
    }
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
      const auto chars = word.subspan(cut->begin, cut->end - cut->begin);
      if (cut->id >= 0)
        pieces.push_back({cut->id, span_of(chars)});
      else
        HL_CHECK(add_unknown(chars, pieces));
    }
    return {};
  }
  std::string name() const override { return "Unigram"; }

 private:
  // The best way to cut what stands before a place: its sum, and its last token, −1 for an unknown character.
  struct Best {
    double sum = 0;
    std::size_t begin = none;
    std::int32_t id = -1;
  };
  struct Cut {
    std::int32_t id = -1;
    std::size_t begin = 0, end = 0;
  };

  std::vector<Best> best_ways(const CharText& text) const {
    const std::size_t count = text.begins.size() - 1;
    std::vector<Best> best(count + 1);
    for (std::size_t at = 0; at < count; ++at) {
      const double sum = best[at].sum;
      // Where sums are equal, the one that was there first has the longer last token.
      const auto offer = [&](std::size_t end, double score, std::int32_t id) {
        if (best[end].begin == none || sum + score > best[end].sum) best[end] = {sum + score, at, id};
      };
      bool alone = false;  // whether the character has a token of its own
      std::size_t end = at;
      tree_.walk(std::string_view(text.text).substr(text.begins[at]), [&](std::size_t size, std::int32_t id) {
        const auto stop = text.begins[at] + size;
        while (text.begins[end] < stop) ++end;
        alone = alone || end == at + 1;
        offer(end, scores_[static_cast<std::size_t>(id)], id);
      });
      if (!alone) offer(at + 1, unknown_score_, -1);
    }
    return best;
  }
  Status add_unknown(std::span<const SourceChar> chars, std::vector<TokenPiece>& pieces) const {
    const std::string text = text_of(chars).text;
    if (const auto id = vocabulary_.find(text)) {  // "<unk>" alone, or a token that costs more than its characters
      pieces.push_back({*id, span_of(chars)});
      return {};
    }
    const auto has_token = [&](char byte) { return of_byte_[static_cast<unsigned char>(byte)] >= 0; };
    if (std::ranges::all_of(text, has_token)) {
      for (const SourceChar& source : chars) {
        std::string bytes;
        append_utf8(bytes, source.character);
        for (std::size_t i = 0; i < bytes.size(); ++i)
          pieces.push_back({of_byte_[static_cast<unsigned char>(bytes[i])], span_of_byte(source, i)});
      }
      return {};
    }
    if (!unknown_) return fail("the tokenizer has no token for \"{}\", and none for what is unknown", brief(text));
    pieces.push_back({*unknown_, span_of(chars)});
    return {};
  }

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  PrefixTree tree_;
  std::vector<double> scores_;  // by id
  double unknown_score_;
  std::optional<std::int32_t> unknown_;
  std::vector<std::int32_t> of_byte_;  // −1: an unknown character with this byte is not written as bytes
};

}  // namespace

Result<std::unique_ptr<TokenModel>> unigram_model(TokenizerFile& file) {
  const Json& model = file.parts.at("model");
  HL_TRY(const bool byte_fallback, flag_or(model, "byte_fallback", "model", false));
  std::optional<std::int32_t> unknown;
  if (model.contains("unk_id") && !model.at("unk_id").is_null()) {
    const auto last = static_cast<Index>(file.vocabulary.size()) - 1;
    HL_TRY(const Index id, whole_at(model, "unk_id", "model", 0, std::max<Index>(last, 0)));
    unknown = static_cast<std::int32_t>(id);
  }
  std::vector<double> scores;
  for (const VocabularyEntry& entry : file.vocabulary) {
    if (entry.id != static_cast<Index>(scores.size())) return fail("model.vocab is not a list of tokens and scores");
    scores.push_back(entry.score);
  }
  HL_TRY(Vocabulary vocabulary, Vocabulary::create(std::move(file.vocabulary)));
  HL_TRY(PrefixTree tree, make_tree(vocabulary));
  return std::make_unique<Unigrams>(std::move(vocabulary), std::move(tree), std::move(scores), unknown, byte_fallback);
}

}  // namespace headlight
