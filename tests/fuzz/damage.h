// Texts that somebody damaged, for the readers that must read or refuse them in one line.
#pragma once

#include <iterator>
#include <random>
#include <string>

namespace headlight {

// Once to three times, one of: a byte changed, a piece cut out, a piece repeated, the end cut off, a word put where
// another was.
inline std::string damaged(std::string text, std::mt19937& random) {
  const auto at = [&] { return static_cast<std::size_t>(random() % text.size()); };
  constexpr const char* words[] = {
      "-1", "1e999", "null", "[]", "{}", "\"\\n\"", "99999999999999999999", "0.1", "true", "[[[[[[[[[[1]]]]]]]]]]"};
  for (auto times = 1 + random() % 3; times > 0 && !text.empty(); --times) {
    const std::size_t from = at(), length = 1 + random() % 20;
    switch (random() % 5) {
      case 0:
        text[from] = static_cast<char>(random());
        break;
      case 1:
        text.erase(from, length);
        break;
      case 2:
        text.insert(from, text.substr(at(), length));
        break;
      case 3:
        text.resize(from + 1);
        break;
      default: {
        const auto colon = text.find(": ", from);
        const auto end = text.find_first_of(",}", colon);
        if (colon != std::string::npos && end != std::string::npos)
          text.replace(colon + 2, end - colon - 2, words[random() % std::size(words)]);
      }
    }
  }
  return text;
}

inline bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == std::string::npos;
}

}  // namespace headlight
