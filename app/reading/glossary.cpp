#include "app/reading/glossary.h"

#include <algorithm>
#include <array>
#include <map>

#include "embedded_texts.h"
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
  take_until(text, "shows: ");
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

}  // namespace headlight::app
