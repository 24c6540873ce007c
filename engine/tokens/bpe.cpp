// Byte pair encoding: a word begins as its characters, and of the pairs side by side the one that stands first in the
// list of merges joins, until none of them is in the list. Source: Sennrich et al. 2016, section 3.2.
#include <algorithm>
#include <array>
#include <queue>
#include <unordered_map>
#include <utility>

#include "engine/base/words.h"
#include "engine/core/utf8.h"
#include "engine/tokens/model.h"

namespace headlight {

namespace {

struct Settings {
  std::optional<std::int32_t> unknown;
  std::string prefix, suffix;  // of characters that do not begin a word, and of the one that ends it
  bool fuse_unknown = false;
  bool byte_fallback = false;
  bool ignore_merges = false;
};

struct Merge {
  std::int32_t rank = 0;
  std::int32_t id = 0;  // of what comes out
};

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(left) << 32U | static_cast<std::uint32_t>(right);
}

// A token of the word that is being joined; dead ones have id −1 and have gone into their left neighbour.
struct Symbol {
  TokenPiece piece;
  std::int32_t left = -1, right = -1;
};

struct Candidate {
  std::int32_t rank = 0;
  std::int32_t left = 0;
  bool operator>(const Candidate& other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
};

class BytePairs final : public TokenModel {
 public:
  BytePairs(Vocabulary vocabulary, Settings settings)
      : TokenModel(std::move(vocabulary)), settings_(std::move(settings)) {
    for (char32_t c = 0; c < direct; ++c) {
      std::string text;
      append_utf8(text, c);
      of_character_[c] = vocabulary_.find(text).value_or(-1);
    }
    if (!settings_.byte_fallback) return;
    for (unsigned byte = 0; byte < 256; ++byte)
      of_byte_[byte] = vocabulary_.find(fmt::format("<0x{:02X}>", byte)).value_or(-1);
  }

  Status add_merges(const std::vector<TokenMerge>& merges) {
    merges_.reserve(merges.size());
    std::int32_t rank = 0;
    for (const TokenMerge& merge : merges) {
      std::string_view rest = merge.right;
      if (rest.starts_with(settings_.prefix)) rest.remove_prefix(settings_.prefix.size());
      const std::string joined = merge.left + std::string(rest);
      const auto left = vocabulary_.find(merge.left), right = vocabulary_.find(merge.right);
      const auto id = vocabulary_.find(joined);
      if (!left || !right || !id) {
        std::string lacking = right ? joined : merge.right;
        if (!left) lacking = merge.left;
        return fail("model.merges[{}] joins \"{}\" and \"{}\", but the vocabulary has no \"{}\"", rank,
                    brief(merge.left), brief(merge.right), brief(lacking));
      }
      merges_[pair_of(*left, *right)] = {rank++, *id};
    }
    return {};
  }

  Status encode(std::span<const SourceChar> word, std::vector<TokenPiece>& pieces) const override {
    if (settings_.ignore_merges)
      if (const auto id = vocabulary_.find(text_of(word).text)) {
        pieces.push_back({*id, span_of(word)});
        return {};
      }
    std::vector<Symbol> symbols = begin(word);
    join(symbols);
    for (const Symbol& symbol : symbols)
      if (symbol.piece.id >= 0) pieces.push_back(symbol.piece);
    return {};
  }
  std::string name() const override { return "BPE"; }

 private:
  std::vector<Symbol> begin(std::span<const SourceChar> word) const {
    std::vector<Symbol> symbols;
    symbols.reserve(word.size());
    bool unknown_before = false;
    for (std::size_t i = 0; i < word.size(); ++i) {
      const std::int32_t id = id_of(word[i].character, i == 0, i + 1 == word.size());
      const bool known = id >= 0 || (settings_.byte_fallback && add_bytes(word[i], symbols));
      if (id >= 0) symbols.push_back({{id, word[i].from}});
      // A character without any token drops out where there is none for unknown ones.
      if (!known && settings_.unknown) add_unknown(word[i], unknown_before && settings_.fuse_unknown, symbols);
      unknown_before = !known;
    }
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      symbols[i].left = static_cast<std::int32_t>(i) - 1;
      symbols[i].right = i + 1 < symbols.size() ? static_cast<std::int32_t>(i) + 1 : -1;
    }
    return symbols;
  }
  std::int32_t id_of(char32_t character, bool first, bool last) const {
    const bool plain = (first || settings_.prefix.empty()) && (!last || settings_.suffix.empty());
    if (plain && character < direct) return of_character_[character];
    std::string text = first ? "" : settings_.prefix;
    append_utf8(text, character);
    if (last) text += settings_.suffix;
    return vocabulary_.find(text).value_or(-1);
  }
  bool add_bytes(const SourceChar& source, std::vector<Symbol>& symbols) const {
    std::string bytes;
    append_utf8(bytes, source.character);
    const auto id_of_byte = [&](char c) { return of_byte_[static_cast<unsigned char>(c)]; };
    if (std::ranges::any_of(bytes, [&](char c) { return id_of_byte(c) < 0; })) return false;
    for (std::size_t i = 0; i < bytes.size(); ++i) symbols.push_back({{id_of_byte(bytes[i]), span_of_byte(source, i)}});
    return true;
  }
  void add_unknown(const SourceChar& source, bool joins, std::vector<Symbol>& symbols) const {
    if (!joins) return symbols.push_back({{*settings_.unknown, source.from}});
    ByteSpan& from = symbols.back().piece.from;
    from = {std::min(from.begin, source.from.begin), std::max(from.end, source.from.end)};
  }

  const Merge* merge_at(const std::vector<Symbol>& symbols, std::int32_t left) const {
    const Symbol& symbol = symbols[static_cast<std::size_t>(left)];
    if (symbol.piece.id < 0 || symbol.right < 0) return nullptr;
    const auto found = merges_.find(pair_of(symbol.piece.id, symbols[static_cast<std::size_t>(symbol.right)].piece.id));
    return found == merges_.end() ? nullptr : &found->second;
  }
  // Pairs wait in a heap. One that has changed since it was put there is passed over when it comes up.
  void join(std::vector<Symbol>& symbols) const {
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> waiting;
    const auto offer = [&](std::int32_t left) {
      if (left < 0) return;
      if (const Merge* merge = merge_at(symbols, left)) waiting.push({merge->rank, left});
    };
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) offer(static_cast<std::int32_t>(i));
    while (!waiting.empty()) {
      const Candidate next = waiting.top();
      waiting.pop();
      const Merge* merge = merge_at(symbols, next.left);
      if (!merge || merge->rank != next.rank) continue;
      Symbol& left = symbols[static_cast<std::size_t>(next.left)];
      Symbol& right = symbols[static_cast<std::size_t>(left.right)];
      left.piece = {merge->id,
                    {std::min(left.piece.from.begin, right.piece.from.begin),
                     std::max(left.piece.from.end, right.piece.from.end)}};
      left.right = right.right;
      right.piece.id = -1;
      if (left.right >= 0) symbols[static_cast<std::size_t>(left.right)].left = next.left;
      offer(left.left);
      offer(next.left);
    }
  }

  static constexpr char32_t direct = 0x180;  // holds the letters of bytes
  Settings settings_;
  std::array<std::int32_t, direct> of_character_{};
  std::array<std::int32_t, 256> of_byte_{};
  std::unordered_map<std::uint64_t, Merge> merges_;
};

}  // namespace

Result<std::unique_ptr<TokenModel>> byte_pair_model(TokenizerFile& file) {
  const Json& model = file.parts.at("model");
  Settings settings;
  HL_TRY(settings.prefix, text_or(model, "continuing_subword_prefix", "model", ""));
  HL_TRY(settings.suffix, text_or(model, "end_of_word_suffix", "model", ""));
  HL_TRY(settings.fuse_unknown, flag_or(model, "fuse_unk", "model", false));
  HL_TRY(settings.byte_fallback, flag_or(model, "byte_fallback", "model", false));
  HL_TRY(settings.ignore_merges, flag_or(model, "ignore_merges", "model", false));
  if (model.contains("dropout") && !model.at("dropout").is_null() && model.at("dropout") != 0)
    return fail("model.dropout is {}: a text would come out otherwise each time: set it to null",
                kind_of(model.at("dropout")));
  HL_TRY(const std::string unknown, text_or(model, "unk_token", "model", ""));
  HL_TRY(Vocabulary vocabulary, Vocabulary::create(std::move(file.vocabulary)));
  if (!unknown.empty()) {
    settings.unknown = vocabulary.find(unknown);
    if (!settings.unknown) return fail("model.unk_token is \"{}\", which the vocabulary lacks", brief(unknown));
  }
  auto made = std::make_unique<BytePairs>(std::move(vocabulary), std::move(settings));
  HL_CHECK(made->add_merges(file.merges));
  return made;
}

}  // namespace headlight
