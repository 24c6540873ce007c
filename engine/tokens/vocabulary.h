// What tokens a model knows and by which number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/result.h"

namespace headlight {

struct VocabularyEntry {
  std::string token;
  std::int64_t id = 0;
  double score = 0;  // natural logarithm of its probability, in unigram models
};

class Vocabulary {
 public:
  static constexpr std::int64_t most_tokens = (1 << 24) - 1;

  // Errors: ids below 0, given twice, or far above the number of tokens; no token at all.
  static Result<Vocabulary> of(std::vector<VocabularyEntry> entries);

  std::optional<std::int32_t> find(std::string_view token) const;
  // nullptr where no token has that number.
  const std::string* token(std::int32_t id) const;
  std::size_t size() const { return ids_.size(); }
  std::int32_t last() const { return static_cast<std::int32_t>(tokens_.size()) - 1; }

 private:
  std::vector<std::string> tokens_;                         // by id
  std::vector<bool> taken_;                                 // by id
  std::unordered_map<std::string_view, std::int32_t> ids_;  // views of tokens_, whose strings stay where they are
};

}  // namespace headlight
