#include "engine/tokens/vocabulary.h"

#include <algorithm>
#include <utility>

#include "engine/core/words.h"

namespace headlight {

Result<Vocabulary> Vocabulary::of(std::vector<VocabularyEntry> entries) {
  if (entries.empty()) return fail("the vocabulary has no tokens");
  // Numbers may be left out, but not so many that a few tokens fill the memory.
  const auto limit = std::min<std::int64_t>(most_tokens, 4 * static_cast<std::int64_t>(entries.size()) + (1 << 16));
  std::int64_t last = 0;
  for (const VocabularyEntry& entry : entries) {
    if (entry.id < 0 || entry.id >= limit)
      return fail("the vocabulary gives \"{}\" the id {}: of {} tokens it must be from 0 to {}", brief(entry.token),
                  entry.id, entries.size(), limit - 1);
    last = std::max(last, entry.id);
  }
  Vocabulary made;
  made.tokens_.resize(static_cast<std::size_t>(last) + 1);
  made.taken_.resize(made.tokens_.size());
  made.ids_.reserve(entries.size());
  for (VocabularyEntry& entry : entries) {
    const auto id = static_cast<std::size_t>(entry.id);
    if (made.taken_[id])
      return fail("the vocabulary gives the id {} to \"{}\" and to \"{}\"", id, brief(made.tokens_[id]),
                  brief(entry.token));
    made.taken_[id] = true;
    made.tokens_[id] = std::move(entry.token);
    made.ids_[made.tokens_[id]] = static_cast<std::int32_t>(id);
  }
  return made;
}

std::optional<std::int32_t> Vocabulary::find(std::string_view token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

const std::string* Vocabulary::token(std::int32_t id) const {
  const auto at = static_cast<std::size_t>(id);
  return id >= 0 && at < tokens_.size() && taken_[at] ? &tokens_[at] : nullptr;
}

}  // namespace headlight
