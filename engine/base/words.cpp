#include "engine/base/words.h"

#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headlight {

namespace {

constexpr std::size_t most_characters = 80;
constexpr std::size_t most_words = 20;

bool continues_a_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

}  // namespace

std::string brief(std::string_view word) {
  std::size_t end = 0, characters = 0;
  // Bytes that continue nothing are not text: a character ends after four of them.
  for (std::size_t begin = 0; end < word.size(); ++end) {
    const bool begins = !continues_a_character(word[end]) || end - begin >= 4;
    if (begins && characters++ == most_characters) break;
    if (begins) begin = end;
  }
  std::string line(word.substr(0, end));
  std::ranges::replace_if(line, is_control, '?');
  return end < word.size() ? line + "…" : line;
}

std::string in_one_line(std::string_view text) {
  constexpr std::size_t longest = 200;  // bytes: a longer name would drown the reason that follows it
  std::string line(text.substr(0, longest));
  const bool cut = line.size() < text.size();
  // A character of several bytes is not left half.
  while (cut && !line.empty() && continues_a_character(text[line.size()])) line.pop_back();
  std::ranges::replace_if(line, is_control, '?');
  return cut ? line + "…" : line;
}

std::string brief_list(const std::vector<std::string>& words) {
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min(words.size(), most_words); ++i) first.push_back(brief(words[i]));
  const std::string list = fmt::format("{}", fmt::join(first, ", "));
  return words.size() > most_words ? fmt::format("{} and {} more", list, words.size() - most_words) : list;
}

std::string with_minus_signs(std::string_view number) {
  std::string text;
  for (const char c : number) text += c == '-' ? "−" : std::string(1, c);
  return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view at_any_of) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find_first_of(at_any_of);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view bare_word(std::string_view word) {
  constexpr std::string_view before[] = {"(", "“", "\""}, after[] = {".", ",", ":", ";", ")", "?", "!", "”", "\""};
  const auto cut = [&](bool front) {
    for (const std::string_view sign : front ? std::span(before, 3) : std::span(after, 9))
      if (front ? word.starts_with(sign) : word.ends_with(sign)) {
        front ? word.remove_prefix(sign.size()) : word.remove_suffix(sign.size());
        return true;
      }
    return false;
  };
  while (cut(true)) continue;
  while (cut(false)) continue;
  return word;
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string lower_first(std::string title) {
  if (!title.empty() && title[0] >= 'A' && title[0] <= 'Z') title[0] = static_cast<char>(title[0] - 'A' + 'a');
  return title;
}

std::string plural(const std::string& name) {
  return name.ends_with('y') && !name.ends_with("ey") ? name.substr(0, name.size() - 1) + "ies" : name + "s";
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

}  // namespace headlight
