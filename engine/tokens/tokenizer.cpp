#include "engine/tokens/tokenizer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/core/system/paths.h"
#include "engine/core/words.h"
#include "engine/io/file.h"
#include "engine/tokens/added_tokens.h"
#include "engine/tokens/decoders.h"
#include "engine/tokens/model.h"
#include "engine/tokens/normalizers.h"
#include "engine/tokens/post_processor.h"
#include "engine/tokens/pre_tokenizers.h"
#include "engine/tokens/tokenizer_file.h"

namespace headlight {

namespace {

constexpr std::size_t longest_text = 8'000'000;  // bytes

// Of a tree of parts: each costs a pass over the text.
std::size_t parts_in(const Json& json) {
  std::size_t count = json.is_object() && json.contains("type") ? 1 : 0;
  if (json.is_structured())
    for (const Json& inner : json) count += parts_in(inner);
  return count;
}

// null where it is left out.
Result<Json> part_of(const Json& parts, const char* key) {
  constexpr std::size_t most_parts = 100;
  if (!parts.contains(key)) return Json();
  if (parts_in(parts.at(key)) > most_parts) return fail("{} has more than {} parts", key, most_parts);
  return parts.at(key);
}

}  // namespace

struct Tokenizer::Parts {
  TextCutter raw, normalized;  // the tokens that are looked for before and after the normalizer
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  std::unique_ptr<TokenModel> model;
  TokenTemplate around;
  Decoder decoder;
  std::unordered_map<std::int32_t, std::string> added;  // those that the model's vocabulary lacks
  std::string kind;
  std::vector<std::filesystem::path> files;

  const std::string* token(std::int32_t id) const {
    const auto found = added.find(id);
    return found != added.end() ? &found->second : model->vocabulary().token(id);
  }

  // The tokens that are looked for, and their numbers: the vocabulary's where it has them.
  Status take_added(const Json& parts) {
    HL_TRY(std::vector<AddedToken> tokens, added_tokens_of(parts));
    std::vector<AddedToken> before, after;
    for (AddedToken& token : tokens) {
      if (const auto known = model->vocabulary().find(token.content))
        token.id = *known;
      else if (const auto [other, fresh] = added.emplace(token.id, token.content);
               model->vocabulary().token(token.id) || (!fresh && other->second != token.content))
        return fail("added_tokens gives \"{}\" the id {}, which is that of another token", brief(token.content),
                    token.id);
      if (!token.normalized) {
        before.push_back(std::move(token));
        continue;
      }
      Signs signs = signs_of(token.content, 0);
      HL_CHECK(normalizer(signs));
      token.content = text_of(signs).text;
      if (!token.content.empty()) after.push_back(std::move(token));
    }
    raw = TextCutter(std::move(before));
    normalized = TextCutter(std::move(after));
    return {};
  }

  Status check_template() const {
    for (const auto* slots : {&around.single, &around.pair})
      for (const TemplateSlot& slot : *slots)
        if (slot.text < 0 && !token(slot.id))
          return fail("post_processor adds the token {}, which the vocabulary lacks", slot.id);
    return {};
  }

  Result<std::vector<TokenPiece>> pieces_of(std::string_view text) const {
    if (text.size() > longest_text)
      return fail("the text has {} bytes; at most {} are read", text.size(), longest_text);
    std::vector<TokenPiece> pieces;
    for (const TextCut& cut : raw.cut(text)) {
      const auto begin = static_cast<std::uint32_t>(cut.begin), end = static_cast<std::uint32_t>(cut.end);
      if (cut.id >= 0)
        pieces.push_back({cut.id, {begin, end}});
      else
        HL_CHECK(add_normalized(signs_of(text.substr(cut.begin, cut.end - cut.begin), begin), pieces));
    }
    return pieces;
  }
  Status add_normalized(Signs signs, std::vector<TokenPiece>& pieces) const {
    const bool at_start = !signs.empty() && signs.front().from.begin == 0;
    HL_CHECK(normalizer(signs));
    const SignText all = text_of(signs);
    const auto place = [&](std::size_t byte) {
      return static_cast<std::size_t>(std::ranges::lower_bound(all.begins, byte) - all.begins.begin());
    };
    for (const TextCut& cut : normalized.cut(all.text)) {
      const std::size_t begin = place(cut.begin), end = place(cut.end);
      const auto own = std::span<const Sign>(signs).subspan(begin, end - begin);
      if (cut.id >= 0)
        pieces.push_back({cut.id, span_of(own)});
      else
        HL_CHECK(add_words({{own.begin(), own.end()}, {{0, own.size()}}, at_start && begin == 0}, pieces));
    }
    return {};
  }
  Status add_words(Words words, std::vector<TokenPiece>& pieces) const {
    pre_tokenizer(words);
    for (const auto& [begin, end] : words.words)
      HL_CHECK(model->encode(std::span<const Sign>(words.signs).subspan(begin, end - begin), pieces));
    return {};
  }
};

Result<Tokenizer> Tokenizer::made_of(TokenizerFile file) {
  auto made = std::make_shared<Parts>();
  HL_TRY(const Json normalizer, part_of(file.parts, "normalizer"));
  HL_TRY(const Json pre_tokenizer, part_of(file.parts, "pre_tokenizer"));
  HL_TRY(const Json around, part_of(file.parts, "post_processor"));
  HL_TRY(const Json decoder, part_of(file.parts, "decoder"));
  HL_TRY(made->normalizer, normalizer_of(normalizer));
  HL_TRY(made->pre_tokenizer, pre_tokenizer_of(pre_tokenizer));
  HL_TRY(made->model, token_model(file));
  HL_TRY(made->around, template_of(around));
  HL_TRY(made->decoder, decoder_of(decoder));
  HL_CHECK(made->take_added(file.parts));
  HL_CHECK(made->check_template());
  made->kind = (is_byte_level(pre_tokenizer) ? "byte-level " : "") + made->model->name();
  made->files = std::move(file.files);
  return Tokenizer(std::move(made));
}

Result<Tokenizer> Tokenizer::open(const std::filesystem::path& folder) {
  HL_TRY(TokenizerFile file, read_tokenizer_folder(folder));
  const std::string where = one_line(utf8(file.files.front()));
  auto made = made_of(std::move(file));
  if (!made) return fail_at(where, made.error());
  return made;
}

Result<Tokenizer> Tokenizer::parse(std::string_view json) {
  HL_TRY(TokenizerFile file, read_tokenizer_json(json));
  return made_of(std::move(file));
}

Result<Tokens> Tokenizer::encode(std::string_view text, std::optional<std::string_view> pair, bool special) const {
  std::array<std::vector<TokenPiece>, 2> pieces;
  HL_TRY(pieces[0], parts_->pieces_of(text));
  if (pair) {
    HL_TRY(pieces[1], parts_->pieces_of(*pair));
  }
  Tokens tokens;
  const auto add = [&](std::int32_t id, std::array<std::int64_t, 2> offsets, const TemplateSlot& slot) {
    tokens.ids.push_back(id);
    tokens.tokens.push_back(*parts_->token(id));
    tokens.offsets.push_back(offsets);
    tokens.type_ids.push_back(slot.type);
    tokens.texts.push_back(slot.text);
  };
  for (const TemplateSlot& slot : pair ? parts_->around.pair : parts_->around.single) {
    if (slot.text < 0 && special) add(slot.id, {-1, -1}, slot);
    if (slot.text < 0) continue;
    for (const TokenPiece& piece : pieces[static_cast<std::size_t>(slot.text)])
      add(piece.id, {piece.from.begin, piece.from.end}, slot);
  }
  return tokens;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids)
    if (const std::string* known = token(id)) pieces.push_back(*known);
  parts_->decoder(pieces);
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

std::size_t Tokenizer::size() const {
  return parts_->model->vocabulary().size() + parts_->added.size();
}

const std::string* Tokenizer::token(std::int32_t id) const {
  return parts_->token(id);
}

const std::string& Tokenizer::kind() const {
  return parts_->kind;
}

const std::vector<std::filesystem::path>& Tokenizer::files() const {
  return parts_->files;
}

std::string shown_token(const Tokens& tokens, std::size_t at, std::string_view text, std::string_view pair) {
  const auto [begin, end] = tokens.offsets[at];
  const std::string_view of = tokens.texts[at] == 1 ? pair : text;
  const auto is_inside = [&](std::int64_t byte) {  // of a character
    return byte < static_cast<std::int64_t>(of.size()) &&
           (static_cast<unsigned char>(of[static_cast<std::size_t>(byte)]) & 0xC0U) == 0x80U;
  };
  if (begin < 0 || begin >= end || end > static_cast<std::int64_t>(of.size()) || is_inside(begin) || is_inside(end))
    return tokens.tokens[at];
  const std::string_view own = of.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  return own.starts_with(' ') ? "·" + std::string(own.substr(1)) : std::string(own);
}

}  // namespace headlight
