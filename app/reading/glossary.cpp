#include "app/reading/glossary.h"

#include <algorithm>
#include <array>
#include <map>

#include "embedded_texts.h"
#include "engine/base/words.h"
#include "engine/core/utf8.h"

namespace headlight::app {

namespace {

constexpr std::array pictures{"none", "strip", "bars", "map"};  // in the order of TermPicture

// What stands before the sign, which goes; all where it does not come.
std::string_view take_until(std::string_view& text, std::string_view sign) {
  const std::string_view part = text.substr(0, text.find(sign));
  text.remove_prefix(std::min(text.size(), part.size() + sign.size()));
  return part;
}

std::vector<std::string_view> words_in(std::string_view text) {
  auto words = split(text, " ");
  std::erase(words, "");
  return words;
}

std::vector<std::string> parted(std::string_view text, std::string_view sign) {
  std::vector<std::string> parts;
  while (!text.empty()) parts.emplace_back(take_until(text, sign));
  return parts;
}

// A term, its two lines of fields, its sentences.
GlossaryEntry entry_of(std::string_view text) {
  GlossaryEntry entry;
  entry.term = take_until(text, "\n");
  take_until(text, "also: ");
  entry.forms = parted(take_until(text, "\n"), ", ");
  entry.forms.insert(entry.forms.begin(), entry.term);
  for (std::string& form : entry.forms) form = case_folded(form);
  std::string_view between = take_until(text, "shows: ");
  take_until(between, "stages: ");
  entry.stages = parted(take_until(between, "\n"), ", ");
  std::string_view shows = take_until(text, "\n");
  const std::string_view picture = take_until(shows, " ");
  entry.picture = static_cast<TermPicture>(std::ranges::find(pictures, picture) - pictures.begin());
  entry.arrays = parted(shows, " ");
  if (!entry.arrays.empty() && entry.arrays.back().starts_with('@')) {
    entry.head = entry.arrays.back().substr(1);
    entry.arrays.pop_back();
  }
  entry.text = text.substr(0, text.find_last_not_of('\n') + 1);
  return entry;
}

}  // namespace

const std::vector<GlossaryEntry>& glossary() {
  static const std::vector<GlossaryEntry> all = [] {
    std::vector<GlossaryEntry> entries;
    std::string_view text = embedded_files::glossary_md;
    take_until(text, "\n## ");
    while (!text.empty()) entries.push_back(entry_of(take_until(text, "\n## ")));
    return entries;
  }();
  return all;
}

const GlossaryEntry* term_named(std::string_view words) {
  static const std::map<std::string, const GlossaryEntry*, std::less<>> by_form = [] {
    std::map<std::string, const GlossaryEntry*, std::less<>> forms;
    for (const GlossaryEntry& entry : glossary())
      for (const std::string& form : entry.forms) forms.emplace(form, &entry);
    return forms;
  }();
  const auto found = by_form.find(case_folded(words));
  return found == by_form.end() ? nullptr : found->second;
}

const GlossaryEntry* term_at(std::string_view text, std::size_t at) {
  constexpr std::ptrdiff_t longest = 3;  // words
  const auto words = words_in(text);
  const auto pointed = std::ranges::find_if(words, [&](std::string_view word) {
    const auto begin = static_cast<std::size_t>(word.data() - text.data());
    return at >= begin && at < begin + word.size();
  });
  if (pointed == words.end()) return nullptr;
  for (std::ptrdiff_t count = longest; count > 0; --count)
    for (auto first = pointed - std::min(pointed - words.begin(), count - 1); first <= pointed; ++first) {
      if (words.end() - first < count) break;
      const std::string_view last = *(first + count - 1);
      const auto size = static_cast<std::size_t>(last.data() + last.size() - first->data());
      if (const GlossaryEntry* found = term_named(bare_word({first->data(), size}))) return found;
    }
  return nullptr;
}

const GlossaryEntry* term_of(const Stage& stage) {
  for (const std::string& name : {stage.tile, stage.title})
    for (const GlossaryEntry& entry : glossary())
      if (std::ranges::find(entry.stages, name) != entry.stages.end()) return &entry;
  if (stage.title.starts_with("∂")) return term_named("gradient");
  for (std::size_t at = 0; at < stage.title.size(); ++at)
    if (const GlossaryEntry* found = term_at(stage.title, at)) return found;
  return nullptr;
}

}  // namespace headlight::app
