#include "engine/tokens/split_patterns.h"

#include <array>

#include "engine/tokens/characters.h"

namespace headlight {

namespace {

constexpr std::array<std::string_view, 4> expressions{
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)"};

bool is_line_end(char32_t c) {
  return c == '\r' || c == '\n';
}
bool is_neither(char32_t c) {  // [^\s\p{L}\p{N}]
  return !is_white(c) && !is_letter(c) && !is_number(c);
}

// A text from one of its places on.
class CharReader {
 public:
  CharReader(std::span<const SourceChar> text, std::size_t at) : text_(text), at_(at) {}

  bool is(std::size_t i, bool (*kind)(char32_t)) const { return i < text_.size() && kind(text_[i].character); }

  // The end of as many as are of that kind.
  std::size_t run(std::size_t from, bool (*kind)(char32_t), std::size_t most = static_cast<std::size_t>(-1)) const {
    std::size_t i = from;
    while (i - from < most && is(i, kind)) ++i;
    return i;
  }
  // " ?" and one or more of that kind; `at` where there is none.
  std::size_t spaced_run(bool (*kind)(char32_t)) const {
    const std::size_t from = at_ + (text_[at_].character == ' ' ? 1 : 0);
    return is(from, kind) ? run(from, kind) : at_;
  }
  // 's 't 're 've 'm 'll 'd; `at` where there is none.
  std::size_t contraction(bool any_case) const {
    if (text_[at_].character != '\'') return at_;
    const char32_t first = small(at_ + 1, any_case), second = small(at_ + 2, any_case);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return at_ + 2;
    const bool two = ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l');
    return two ? at_ + 3 : at_;
  }
  // \s+(?!\S)|\s+ : all of the white space where the text ends with it, else all but the last.
  std::size_t white_space() const {
    const std::size_t end = run(at_, is_white);
    return end == text_.size() || end == at_ + 1 ? end : end - 1;
  }
  // \s*[\r\n]+ : up to the last line end of the white space; `at` where there is none.
  std::size_t line_ends() const {
    std::size_t end = run(at_, is_white);
    while (end > at_ && !is_line_end(text_[end - 1].character)) --end;
    return end;
  }

 private:
  char32_t small(std::size_t i, bool any_case) const {
    const char32_t c = i < text_.size() ? text_[i].character : 0;
    if (!any_case) return c;
    if (c == 0x17F) return 's';  // the long s is an s of another case
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  }

  std::span<const SourceChar> text_;
  std::size_t at_;
};

std::size_t end_by_gpt2(const CharReader& reader, std::size_t at) {
  if (const auto end = reader.contraction(false); end > at) return end;
  for (const auto kind : {is_letter, is_number, is_neither})
    if (const auto end = reader.spaced_run(kind); end > at) return end;
  return reader.white_space();
}

std::size_t end_by_llama3(const CharReader& reader, std::size_t at, std::size_t digits) {
  if (const auto end = reader.contraction(true); end > at) return end;
  const auto joins = [](char32_t c) { return !is_line_end(c) && !is_letter(c) && !is_number(c); };
  const std::size_t letters = at + (reader.is(at, joins) ? 1 : 0);
  if (reader.is(letters, is_letter)) return reader.run(letters, is_letter);
  if (reader.is(at, is_number)) return reader.run(at, is_number, digits);
  if (const auto end = reader.spaced_run(is_neither); end > at) return reader.run(end, is_line_end);
  if (const auto end = reader.line_ends(); end > at) return end;
  return reader.white_space();
}

// White space is in none of its pieces: it is one by itself here.
std::size_t end_by_clip(const CharReader& reader, std::size_t at) {
  if (const auto end = reader.contraction(false); end > at) return end;
  if (reader.is(at, is_number)) return at + 1;
  for (const auto kind : {is_letter, is_neither, is_white})
    if (reader.is(at, kind)) return reader.run(at, kind);
  return at + 1;
}

}  // namespace

std::optional<SplitPattern> pattern_of(std::string_view expression) {
  for (std::size_t i = 0; i < expressions.size(); ++i)
    if (expressions[i] == expression) return static_cast<SplitPattern>(i);
  return std::nullopt;
}

std::string_view expression_of(SplitPattern pattern) {
  return expressions[static_cast<std::size_t>(pattern)];
}

std::size_t end_of_piece(SplitPattern pattern, std::span<const SourceChar> text, std::size_t at) {
  const CharReader reader(text, at);
  if (pattern == SplitPattern::gpt2) return end_by_gpt2(reader, at);
  if (pattern == SplitPattern::clip) return end_by_clip(reader, at);
  return end_by_llama3(reader, at, pattern == SplitPattern::llama3 ? 3 : 1);
}

}  // namespace headlight
