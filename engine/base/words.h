// Words that come from elsewhere: read, and as a one-line message or a sentence may repeat them.
//
// Not for what is drawn: figures and the window have their own ways of shortening.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// The first 80 characters of a key, a value or a name; control characters become '?', and "…" stands for the rest.
std::string brief(std::string_view word);

// A name or a path on one line: control characters become '?', and "…" stands for what is over 200 bytes.
std::string in_one_line(std::string_view text);

// "a, b, c", each of them brief; of many the first twenty, "and 59,980 more".
std::string brief_list(const std::vector<std::string>& words);

// A number as people read it: with minus signs in place of hyphens, "−0.5" and "2e−07".
std::string with_minus_signs(std::string_view number);

// What stands between any of those characters, at least one part: "a,,b" has three at ",".
std::vector<std::string_view> split(std::string_view text, std::string_view at_any_of);

// A word without the signs round it: "(key)," → "key".
std::string_view bare_word(std::string_view word);

// Of ASCII, whatever the locale.
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// With the letters of ASCII in lower case.
std::string lower_case(std::string text);

// A title as it stands within a sentence: "soft cap".
std::string lower_first(std::string title);

// Without blanks, tabs and line ends round it.
std::string_view trimmed(std::string_view text);

// What stands between its '\n's; a last one ends the last line.
std::vector<std::string_view> split_lines(std::string_view text);

// The number that the whole text is.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "query" → "queries", "key" → "keys".
std::string plural(const std::string& name);

}  // namespace headlight
