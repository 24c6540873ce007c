// Files that somebody damaged, for the readers that must read or refuse them in one line.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <random>
#include <string>

namespace headlight {

// Once to four times, one of: a byte changed, a piece cut out, a piece repeated, the end cut off, or `extreme`, which
// is given a place in the file.
inline std::string damaged(std::string bytes, std::mt19937& random,
                           const std::function<void(std::string&, std::size_t)>& extreme) {
  const auto at = [&] { return static_cast<std::size_t>(random() % bytes.size()); };
  for (auto times = 1 + random() % 4; times > 0 && !bytes.empty(); --times) {
    const std::size_t from = at(), length = 1 + random() % 20;
    switch (random() % 5) {
      case 0:
        bytes[from] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(from, length);
        break;
      case 2:
        bytes.insert(from, bytes.substr(at(), length));
        break;
      case 3:
        bytes.resize(from + 1);
        break;
      default:
        extreme(bytes, from);
    }
  }
  return bytes;
}

// JSON, of which a value may be made another.
inline std::string damaged_text(std::string text, std::mt19937& random) {
  return damaged(std::move(text), random, [&](std::string& json, std::size_t from) {
    constexpr const char* words[] = {
        "-1", "1e999", "null", "[]", "{}", "\"\\n\"", "99999999999999999999", "0.1", "true", "[[[[[[[[[[1]]]]]]]]]]"};
    const auto colon = json.find(": ", from);
    const auto end = json.find_first_of(",}", colon);
    if (colon != std::string::npos && end != std::string::npos)
      json.replace(colon + 2, end - colon - 2, words[random() % std::size(words)]);
  });
}

// Numbers in bytes, of which a bit may be turned or four be made extreme.
inline std::string damaged_bytes(std::string bytes, std::mt19937& random) {
  return damaged(std::move(bytes), random, [&](std::string& file, std::size_t from) {
    if (random() % 2 == 0) {
      file[from] = static_cast<char>(file[from] ^ 1 << random() % 8);
      return;
    }
    for (std::size_t i = from; i < std::min(file.size(), from + 4); ++i) file[i] = random() % 2 == 0 ? '\xFF' : '\0';
  });
}

inline bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == std::string::npos;
}

}  // namespace headlight
