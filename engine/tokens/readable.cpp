#include "engine/tokens/readable.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "engine/core/utf8.h"
#include "engine/tokens/characters.h"

namespace headlight {

namespace {

constexpr std::string_view byte_space = "Ġ", byte_line = "Ċ", space_mark = "▁", piece_mark = "##", end_mark = "</w>",
                           space_shown = "·";

bool begins_byte_word(const std::string& token) {
  return token.starts_with(byte_space) || token.starts_with(byte_line);
}

bool is_piece(const std::string& token) {
  return token.size() > piece_mark.size() && token.starts_with(piece_mark);
}

bool ends_word(const std::string& token) {
  return token.size() > end_mark.size() && token.ends_with(end_mark);
}

// The bytes that a token's letters stand for; nothing where one of them stands for none.
std::optional<std::string> bytes_of(std::string_view token) {
  std::string bytes;
  while (!token.empty()) {
    const Utf8Step step = utf8_step(token);
    const auto byte = step.sound ? byte_of_letter(step.character) : std::nullopt;
    if (!byte) return std::nullopt;
    bytes.push_back(static_cast<char>(*byte));
    token.remove_prefix(step.size);
  }
  return bytes;
}

// What is no character by its bytes, a line's end as a sign.
std::string text_of(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const Utf8Step step = utf8_step(bytes);
    if (!step.sound)
      text += fmt::format("<0x{:02X}>", static_cast<unsigned char>(bytes.front()));
    else if (step.character == U'\n')
      text += "⏎";
    else if (step.character == U' ')
      text += space_shown;
    else if (step.character < U' ' || step.character == 0x7F)
      text += fmt::format("<0x{:02X}>", static_cast<unsigned>(step.character));
    else
      text += bytes.substr(0, step.size);
    bytes.remove_prefix(step.size);
  }
  return text;
}

std::string with_spaces_shown(const std::string& token) {
  std::string text;
  std::string_view rest = token;
  while (!rest.empty()) {
    const auto at = rest.find(space_mark);
    text += rest.substr(0, at);
    if (at == std::string_view::npos) break;
    text += space_shown;
    rest.remove_prefix(at + space_mark.size());
  }
  return text;
}

bool is_special(const std::string& token) {
  return token.size() > 2 && !ends_word(token) &&
         ((token.front() == '<' && token.back() == '>') || (token.front() == '[' && token.back() == ']'));
}

char32_t first_of(std::string_view text) {
  return text.empty() ? U' ' : utf8_step(text).character;
}
char32_t last_of(std::string_view text) {
  char32_t last = U' ';
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    last = step.character;
    text.remove_prefix(step.size);
  }
  return last;
}
bool is_word_char(char32_t c) {
  return is_letter(c) || is_mark(c) || is_number(c);
}

}  // namespace

TokenLists readable_tokens(const TokenLists& tokens) {
  bool bytes = false;
  std::set<std::string_view> words;  // that are no pieces
  for (const auto& list : tokens)
    for (const std::string& token : list) {
      bytes |= begins_byte_word(token) || ends_word(token);
      if (!is_piece(token)) words.insert(token);
    }
  TokenLists readable = tokens;
  for (auto& list : readable)
    for (std::string& token : list) {
      if (is_piece(token)) {
        if (std::string letters = token.substr(piece_mark.size()); !words.contains(letters)) token = std::move(letters);
        continue;
      }
      std::string letters = token.substr(0, token.size() - (ends_word(token) ? end_mark.size() : 0));
      if (letters != token && words.contains(letters)) letters = token;
      const auto of = bytes && !is_special(token) ? bytes_of(letters) : std::nullopt;
      token = of ? text_of(*of) : with_spaces_shown(letters);
    }
  return readable;
}

std::vector<std::size_t> words_of_pieces(const std::vector<std::string>& tokens) {
  const bool marked = std::ranges::any_of(tokens, [](const std::string& token) {
    return begins_byte_word(token) || token.starts_with(space_mark) || is_piece(token) || ends_word(token);
  });
  if (!marked) return {};
  const bool ended = std::ranges::any_of(tokens, ends_word);
  const bool pieces = std::ranges::any_of(tokens, is_piece);
  const auto plain = readable_tokens({tokens}).front();
  std::vector<std::size_t> words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool of_text = i > 0 && !is_special(tokens[i]) && !is_special(tokens[i - 1]);
    const bool by_mark = ended ? !ends_word(tokens[i - (i > 0)]) : pieces && is_piece(tokens[i]);
    const bool letters = of_text && is_word_char(last_of(plain[i - 1])) && is_word_char(first_of(plain[i]));
    const bool goes_on = of_text && (ended || pieces ? by_mark : letters);
    const std::size_t last = words.empty() ? 0 : words.back();
    words.push_back(words.empty() || goes_on ? last : last + 1);
  }
  return words;
}

}  // namespace headlight
