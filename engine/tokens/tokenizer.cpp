#include "engine/tokens/tokenizer.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/core/utf8.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/tokens/characters.h"
#include "engine/tokens/model.h"
#include "engine/tokens/parts.h"
#include "engine/tokens/tokenizer_file.h"
#include "engine/tokens/vocabulary.h"

namespace headlight {

namespace {

// A token that is looked for in the text before all else, [MASK] or </s>, and cuts it.
struct AddedToken {
  std::int32_t id = 0;
  std::string content;
  bool single_word = false;  // not beside a letter
  bool strips_left = false;  // the white space beside it belongs to it
  bool strips_right = false;
  bool normalized = false;  // looked for after the normalizer
};

// A piece of a text in bytes, and the token that it is; −1 for what lies between them.
struct TextCut {
  std::int32_t id = -1;
  std::size_t begin = 0;
  std::size_t end = 0;
};

class TextCutter {
 public:
  TextCutter() = default;
  explicit TextCutter(std::vector<AddedToken> tokens);

  // All of the text, in order: the leftmost token, of those the longest, and so on. Takes time in proportion to the
  // text, times the longest token at worst.
  std::vector<TextCut> cut(std::string_view text) const;

 private:
  std::vector<AddedToken> tokens_;
  PrefixTree tree_;
};

// The last character of a text that is not empty, and its size.
Utf8Step step_back(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && text.size() - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return utf8_step(text.substr(at));
}

std::size_t white_space_before(std::string_view text, std::size_t at) {
  while (at > 0) {
    const Utf8Step step = step_back(text.substr(0, at));
    if (!step.sound || !is_white(step.character)) break;
    at -= step.size;
  }
  return at;
}

std::size_t white_space_after(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const Utf8Step step = utf8_step(text.substr(at));
    if (!is_white(step.character)) break;
    at += step.size;
  }
  return at;
}

bool is_single_word(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || !is_word(step_back(text.substr(0, begin)).character)) &&
         (end == text.size() || !is_word(utf8_step(text.substr(end)).character));
}

Result<AddedToken> added_token(const Json& json) {
  const std::string where = "added_tokens";
  if (!json.is_object() || !json.contains("id")) return fail("added_tokens holds {}, which has no id", kind_of(json));
  AddedToken token;
  HL_TRY(token.content, text_or(json, "content", where, ""));
  HL_TRY(const Index id, whole_at(json, "id", where + " \"" + brief(token.content) + "\"", 0, Vocabulary::most_tokens));
  token.id = static_cast<std::int32_t>(id);
  HL_TRY(token.single_word, flag_or(json, "single_word", where, false));
  HL_TRY(token.strips_left, flag_or(json, "lstrip", where, false));
  HL_TRY(token.strips_right, flag_or(json, "rstrip", where, false));
  HL_TRY(const bool special, flag_or(json, "special", where, false));
  HL_TRY(token.normalized, flag_or(json, "normalized", where, !special));
  return token;
}

// Of "added_tokens" in tokenizer.json. Errors: something else than a list of them, ids that no token can have.
Result<std::vector<AddedToken>> added_tokens_of(const Json& parts) {
  std::vector<AddedToken> tokens;
  if (!parts.contains("added_tokens") || parts.at("added_tokens").is_null()) return tokens;
  if (!parts.at("added_tokens").is_array()) return fail("added_tokens is not a list");
  constexpr std::size_t longest = 1000, most_bytes = 4'000'000;  // of one, and of all
  std::size_t bytes = 0;
  for (const Json& json : parts.at("added_tokens")) {
    HL_TRY(AddedToken token, added_token(json));
    if (token.content.empty()) continue;
    if (token.content.size() > longest)
      return fail("added_tokens: \"{}\" has {} bytes; at most {} are read", brief(token.content), token.content.size(),
                  longest);
    bytes += token.content.size();
    if (bytes > most_bytes) return fail("added_tokens have more than {} bytes", most_bytes);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

TextCutter::TextCutter(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::vector<PrefixTree::Word> words;
  for (std::size_t i = 0; i < tokens_.size(); ++i) words.emplace_back(tokens_[i].content, static_cast<std::int32_t>(i));
  tree_ = PrefixTree(std::move(words));
}

std::vector<TextCut> TextCutter::cut(std::string_view text) const {
  std::vector<TextCut> cuts;
  std::size_t from = 0;  // of what no token has yet
  for (std::size_t at = 0; !tokens_.empty() && at < text.size();) {
    const AddedToken* found = nullptr;
    tree_.walk(text.substr(at), [&](std::size_t, std::int32_t i) { found = &tokens_[static_cast<std::size_t>(i)]; });
    if (!found) {
      ++at;
      continue;
    }
    std::size_t end = at + found->content.size();
    if (!found->single_word || is_single_word(text, at, end)) {
      const std::size_t begin = found->strips_left ? std::max(from, white_space_before(text, at)) : at;
      if (found->strips_right) end = white_space_after(text, end);
      if (from < begin) cuts.push_back({-1, from, begin});
      cuts.push_back({found->id, begin, end});
      from = end;
    }
    at = end;
  }
  if (from < text.size()) cuts.push_back({-1, from, text.size()});
  return cuts;
}

// Files of older versions do not say what their model is, only what it holds.
std::string kind_of_model(const TokenizerFile& file, const Json& model) {
  if (std::string type = type_of(model); !type.empty()) return type;
  if (!file.merges.empty()) return "BPE";
  return model.contains("unk_id") ? "Unigram" : "WordPiece";
}

Result<std::unique_ptr<TokenModel>> token_model(TokenizerFile& file) {
  if (!file.parts.contains("model") || !file.parts.at("model").is_object()) return fail("it has no \"model\"");
  const std::string kind = kind_of_model(file, file.parts.at("model"));
  if (kind == "BPE") return byte_pair_model(file);
  if (kind == "WordPiece") return word_piece_model(file);
  if (kind == "WordLevel") return word_level_model(file);
  if (kind == "Unigram") return unigram_model(file);
  return fail("model {} is not one that Headlight reads: give ids", brief(kind));
}

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
      SourceChars chars = source_chars(token.content, 0);
      HL_CHECK(normalizer(chars));
      token.content = text_of(chars).text;
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
        HL_CHECK(add_normalized(source_chars(text.substr(cut.begin, cut.end - cut.begin), begin), pieces));
    }
    return pieces;
  }
  Status add_normalized(SourceChars chars, std::vector<TokenPiece>& pieces) const {
    const bool at_start = !chars.empty() && chars.front().from.begin == 0;
    HL_CHECK(normalizer(chars));
    const CharText all = text_of(chars);
    const auto place = [&](std::size_t byte) {
      return static_cast<std::size_t>(std::ranges::lower_bound(all.begins, byte) - all.begins.begin());
    };
    for (const TextCut& cut : normalized.cut(all.text)) {
      const std::size_t begin = place(cut.begin), end = place(cut.end);
      const auto own = std::span<const SourceChar>(chars).subspan(begin, end - begin);
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
      HL_CHECK(model->encode(std::span<const SourceChar>(words.chars).subspan(begin, end - begin), pieces));
    return {};
  }
};

Result<Tokenizer> Tokenizer::build(TokenizerFile file) {
  auto made = std::make_shared<Parts>();
  HL_TRY(const Json normalizer, part_of(file.parts, "normalizer"));
  HL_TRY(const Json pre_tokenizer, part_of(file.parts, "pre_tokenizer"));
  HL_TRY(const Json around, part_of(file.parts, "post_processor"));
  HL_TRY(const Json decoder, part_of(file.parts, "decoder"));
  HL_TRY(made->normalizer, make_normalizer(normalizer));
  HL_TRY(made->pre_tokenizer, make_pre_tokenizer(pre_tokenizer));
  HL_TRY(made->model, token_model(file));
  HL_TRY(made->around, make_template(around));
  HL_TRY(made->decoder, make_decoder(decoder));
  HL_CHECK(made->take_added(file.parts));
  HL_CHECK(made->check_template());
  made->kind = (is_byte_level(pre_tokenizer) ? "byte-level " : "") + made->model->name();
  made->files = std::move(file.files);
  return Tokenizer(std::move(made));
}

Result<Tokenizer> Tokenizer::open(const std::filesystem::path& folder) {
  HL_TRY(TokenizerFile file, read_tokenizer_folder(folder));
  const std::string where = one_line(utf8(file.files.front()));
  auto made = build(std::move(file));
  if (!made) return fail_at(where, made.error());
  return made;
}

Result<Tokenizer> Tokenizer::parse(std::string_view json) {
  HL_TRY(TokenizerFile file, read_tokenizer_json(json));
  return build(std::move(file));
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

std::string display_token(const Tokens& tokens, std::size_t at, std::string_view text, std::string_view pair) {
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
