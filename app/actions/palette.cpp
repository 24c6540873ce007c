#include "app/actions/palette.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "engine/base/words.h"
#include "engine/core/utf8.h"

namespace headlight::app {

namespace {

// ---- What there is

void finish(PaletteEntry& entry, Section section, std::string_view id) {
  entry.section = title_of(section);
  entry.words = case_folded(entry.label);
  entry.label_size = entry.words.size();
  entry.words += " " + case_folded(fmt::format("{} {}", entry.section, id));
}

PaletteEntry entry_of(const CommandOf& of, const Model& model) {
  const Command& command = *of.command;
  PaletteEntry entry;
  entry.key = command.id;
  entry.label = command.label;
  entry.about = command.about ? command.about(model) : "";
  entry.chord = command.chords.empty() ? "" : command.chords.front();
  entry.icon = command.icon;
  entry.now = command.now && command.now(model);
  entry.why_not = why_not(of, model);
  entry.useful = command.useful;
  entry.screen = of.row->screen;
  entry.menus = command.menus;
  entry.action = command.action(model);
  finish(entry, of.section(), fmt::format("{} {}", of.row->id, command.id));
  entry.words += " " + case_folded(entry.about);
  return entry;
}

PaletteEntry entry_of(const ActionRow& row, Offer offer, const Model& model) {
  PaletteEntry entry;
  entry.key = fmt::format("{} {} {}", row.id, offer.label, offer.about);
  entry.label = std::move(offer.label);
  entry.about = std::move(offer.about);
  entry.why_not = offer.why_not.empty() ? why_not(offer.action, model) : offer.why_not;
  entry.now = offer.now;
  entry.useful = offer.useful;
  entry.read = row.section == Section::help;
  entry.screen = row.screen;
  entry.menus = std::move(offer.menus);
  finish(entry, row.section, to_text(offer.action));
  entry.words += " " + case_folded(offer.finds);
  entry.action = std::move(offer.action);
  return entry;
}

PaletteEntry entry_of(const ActionRow& row, NumberOffer offer, const Model& model) {
  PaletteEntry entry;
  entry.key = fmt::format("{} {}", row.id, offer.label);
  entry.label = offer.label;
  entry.about = offer.now.empty() ? "" : fmt::format("now {}", offer.now);
  entry.why_not = fmt::format("Type a number: {} {}", case_folded(offer.label), offer.now);
  entry.screen = row.screen;
  entry.menus = std::move(offer.menus);
  std::optional<Action> any;
  for (const double number : {1.0, 2.0, 0.5})
    if (!any) any = offer.with(number);
  if (const std::string why = any ? why_of_another_document(*any, model) : ""; !why.empty())
    entry.why_not = why;
  else
    entry.with_number = std::move(offer.with);
  finish(entry, row.section, row.id);
  return entry;
}

struct ListedEntry {
  Section section = Section::none;
  bool offered = false;  // with one of the model's values
  PaletteEntry entry;
};

// In the order of the table.
std::vector<ListedEntry> all_entries(const Model& model) {
  std::vector<ListedEntry> all;
  for (const ActionRow& row : action_table()) {
    for (const Command& command : row.commands) {
      const CommandOf of{&row, &command};
      if (command.id != "palette" && command.id != "close") all.push_back({of.section(), false, entry_of(of, model)});
    }
    if (row.offers)
      for (Offer& offer : row.offers(model)) all.push_back({row.section, true, entry_of(row, std::move(offer), model)});
    if (row.numbers)
      for (NumberOffer& offer : row.numbers(model))
        all.push_back({row.section, true, entry_of(row, std::move(offer), model)});
  }
  return all;
}

std::vector<PaletteEntry> without_sections(std::vector<ListedEntry> all) {
  std::vector<PaletteEntry> entries;
  for (ListedEntry& one : all) entries.push_back(std::move(one.entry));
  return entries;
}

// Where most of what is done with it stands.
Section section_of(MenuTarget of) {
  if (of == MenuTarget::head) return Section::heads;
  return of == MenuTarget::token ? Section::input : Section::cell;
}

}  // namespace

std::vector<PaletteEntry> palette_entries(const Model& model) {
  std::vector<ListedEntry> all = all_entries(model);
  std::ranges::stable_sort(all, {}, &ListedEntry::section);
  return without_sections(std::move(all));
}

std::vector<PaletteEntry> menu_entries(const Model& model) {
  std::vector<ListedEntry> all = all_entries(model);
  std::erase_if(all, [&](const ListedEntry& one) {
    const bool possible = one.entry.why_not.empty() || one.entry.with_number;
    return !possible || std::ranges::find(one.entry.menus, model.menu_of) == one.entry.menus.end();
  });
  const Section own = section_of(model.menu_of);
  std::ranges::stable_sort(
      all, {}, [own](const ListedEntry& one) { return std::tuple(one.section != own, one.section, one.offered); });
  return without_sections(std::move(all));
}

// ---- Search

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || !is_letter(text[at - 1]);
}

// Letter by letter within the words: each letter goes on from the one before it, or begins a word, or lies further on
// in the word that was begun: "tmp" finds "temperature", "expfig" finds "export figure".
bool matches_letters(std::string_view text, std::string_view word) {
  for (std::size_t start = 0; start < text.size(); ++start) {
    if (!begins_word(text, start) || text[start] != word[0]) continue;
    std::size_t at = start + 1, next = 1;
    for (; next < word.size() && at < text.size(); ++at)
      if (text[at] == word[next]) ++next;
    if (next == word.size() && at - start <= word.size() * 3) return true;
  }
  return false;
}

// How well a word is found in a text; 0: not at all.
int match_score(std::string_view text, std::string_view word) {
  int best = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool ends = end == text.size() || !is_letter(text[end]);
    int found = 40;
    if (begins_word(text, at)) found = at == 0 ? 90 : 80;
    if (begins_word(text, at) && ends) found = 100;
    best = std::max(best, found);
  }
  if (best == 0 && word.size() >= 3 && matches_letters(text, word)) best = 15;
  return best;
}

// Of all words together; 0 where one of them is not found. The label counts twice what stands beside it.
int score(const PaletteEntry& entry, const std::vector<std::string>& words) {
  const std::string_view all = entry.words, label = all.substr(0, entry.label_size);
  int sum = 0;
  for (const std::string& word : words) {
    const int in_label = 2 * match_score(label, word);
    const int found = in_label > 0 ? in_label : match_score(all.substr(entry.label_size), word);
    if (found == 0) return 0;
    sum += found;
  }
  return sum;
}

struct Query {
  std::vector<std::string> words;
  std::optional<double> number;          // one of them, where one is
  std::vector<std::string> other_words;  // without it
};

Query query_of(std::string_view typed) {
  Query query;
  const std::string text = case_folded(typed);
  for (const std::string_view part : split(text, " \t")) {
    if (part.empty()) continue;
    std::string word(part);
    query.words.push_back(word);
    if (word.ends_with('%')) word.pop_back();
    const auto number = parse_number<double>(word);
    if (!query.number && number)
      query.number = number;
    else
      query.other_words.push_back(word);
  }
  return query;
}

struct Match {
  PaletteEntry entry;
  int score = 0;
};

// With the number that was typed, where it takes one and one was.
std::optional<Match> match_of(const PaletteEntry& entry, const Query& query) {
  if (!entry.with_number || !query.number || query.other_words.empty()) {
    const int found = score(entry, query.words);
    if (found == 0) return std::nullopt;
    return Match{entry, found + (entry.useful ? 10 : 0)};
  }
  const int found = score(entry, query.other_words);
  if (found == 0) return std::nullopt;
  Match match{entry, found + 200};  // as a label that has the number as a word
  match.entry.label += fmt::format(": {}", *query.number);
  match.entry.action = entry.with_number(*query.number);
  match.entry.why_not = match.entry.action ? "" : fmt::format("It cannot be {}", *query.number);
  return match;
}

// What is typed as scripts write it.
std::optional<PaletteEntry> entry_of_text(std::string_view typed) {
  const auto action = parse_action(typed);
  if (!action) return std::nullopt;
  const ActionRow& row = action_table()[action->index()];
  if (row.section == Section::none) return std::nullopt;
  PaletteEntry entry;
  entry.key = to_text(*action);
  entry.label = entry.key;
  entry.section = title_of(row.section);
  entry.about = "as it is typed";
  entry.action = *action;
  entry.screen = row.screen;
  return entry;
}

PaletteFound empty_query_result(const std::vector<PaletteEntry>& entries, const std::vector<std::string>& recent,
                                bool help) {
  PaletteFound found;
  if (help) {
    std::ranges::copy_if(entries, std::back_inserter(found.entries),
                         [](const PaletteEntry& entry) { return entry.read && entry.useful; });
    return found;
  }
  for (const std::string& key : recent) {
    const auto entry = std::ranges::find(entries, key, &PaletteEntry::key);
    if (entry != entries.end() && found.entries.size() < most_recent_actions) found.entries.push_back(*entry);
  }
  for (const PaletteEntry& entry : entries)
    if (entry.useful && !entry.read &&
        std::ranges::find(found.entries, entry.key, &PaletteEntry::key) == found.entries.end())
      found.entries.push_back(entry);
  return found;
}

}  // namespace

PaletteFound find_in_palette(const std::vector<PaletteEntry>& entries, std::string_view typed,
                             const std::vector<std::string>& recent, bool help) {
  const Query query = query_of(typed);
  if (query.words.empty()) return empty_query_result(entries, recent, help);
  std::vector<Match> matches;
  for (const PaletteEntry& entry : entries)
    if (auto match = match_of(entry, query)) matches.push_back(std::move(*match));
  // What cannot be done counts half, and so does what was not asked for; of what is found as well, the shorter.
  const auto rank = [help](const Match& match) {
    return match.score * (match.entry.why_not.empty() ? 2 : 1) * (match.entry.read == help ? 2 : 1);
  };
  std::ranges::stable_sort(matches, [&](const Match& a, const Match& b) {
    return rank(a) != rank(b) ? rank(a) > rank(b) : a.entry.label.size() < b.entry.label.size();
  });
  PaletteFound found;
  for (Match& match : matches)
    if (found.entries.size() < most_found)
      found.entries.push_back(std::move(match.entry));
    else
      ++found.left_out;
  if (found.entries.empty())
    if (auto entry = entry_of_text(typed)) found.entries.push_back(std::move(*entry));
  return found;
}

std::vector<Action> actions_of(const PaletteEntry& entry, const Model& model) {
  if (!entry.action || !entry.why_not.empty()) return {};
  std::vector<Action> actions;
  if (!belongs_to(entry.screen, model.screen)) actions.push_back(ShowScreen{*entry.screen});
  actions.push_back(*entry.action);
  return actions;
}

}  // namespace headlight::app
