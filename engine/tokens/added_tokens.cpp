#include "engine/tokens/added_tokens.h"

#include <algorithm>
#include <utility>

#include "engine/core/utf8.h"
#include "engine/core/words.h"
#include "engine/tokens/characters.h"
#include "engine/tokens/tokenizer_file.h"
#include "engine/tokens/vocabulary.h"

namespace headlight {

namespace {

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

}  // namespace

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

}  // namespace headlight
