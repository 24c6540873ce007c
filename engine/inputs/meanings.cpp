#include "engine/inputs/meanings.h"

#include <algorithm>

#include "engine/base/words.h"
#include "engine/inputs/text.h"

namespace headlight {

namespace {

std::vector<std::string_view> split_at(std::string_view text, std::string_view signs) {
  auto parts = split(text, signs);
  for (auto& part : parts) part = trimmed(part);
  return parts;
}

}  // namespace

Meanings read_meanings(std::string_view list, std::vector<std::string>& unread) {
  Meanings meanings;
  for (const std::string_view part : split_at(list, ",;\n")) {
    if (part.empty()) continue;
    const auto words = split_at(part, "=");
    if (words.size() < 2 || std::ranges::any_of(words, &std::string_view::empty)) {
      unread.emplace_back(part);
      continue;
    }
    const std::string one = meaning_of(words.back(), meanings);
    for (const std::string_view word : words) {
      const std::string before = meaning_of(word, meanings);  // all that mean the same as this one go along
      for (auto& [other, meaning] : meanings)
        if (meaning == before) meaning = one;
      meanings[word_folded(word)] = one;
      meanings[before] = one;
    }
  }
  return meanings;
}

std::string meaning_of(std::string_view word, const Meanings& meanings) {
  std::string folded = word_folded(word);
  const auto said = meanings.find(folded);
  return said == meanings.end() ? folded : said->second;
}

}  // namespace headlight
