#include <iterator>
#include <span>
#include <utility>

#include "app/widgets/controls.h"
#include "engine/base/words.h"
#include "engine/core/utf8.h"

namespace headlight::app {

namespace {

constexpr std::pair<std::string_view, RoleColors Theme::*> roles[] = {
    {"query", &Theme::query},   {"key", &Theme::key},       {"value", &Theme::value}, {"score", &Theme::score},
    {"weight", &Theme::weight}, {"output", &Theme::output}, {"mask", &Theme::mask},
};

struct Word {
  std::string text;
  std::string role;       // empty: plain
  bool glued = false;     // no space before it, and no end of a line
  bool rest = false;      // of a word that is longer than a line: no space before it
  std::string term = {};  // that it is, or a part of; empty: none
};

// The role of a mark that the text begins with, "{query:"; empty where it begins with none. Other braces are text, and
// so is the place of a file's name that is given a width, "{query:02}".
std::string_view role_at(std::string_view text) {
  for (const auto& [role, colors] : roles) {
    if (!text.substr(1).starts_with(role) || !text.substr(1 + role.size()).starts_with(":")) continue;
    const std::string_view inside = text.substr(role.size() + 2);
    const auto end = inside.find_first_not_of("0123456789");
    return end > 0 && end < inside.size() && inside[end] == '}' ? std::string_view() : role;
  }
  return {};
}

// "{query:queries} ask." → words with roles, punctuation glued to what it follows.
std::vector<Word> words_of(std::string_view marked) {
  std::vector<Word> words;
  std::string role;
  bool space = true, open = false;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const char c = marked[i];
    const std::string_view begun = c == '{' ? role_at(marked.substr(i)) : std::string_view();
    if (!begun.empty()) {
      role = std::string(begun);
      i += role.size() + 1;
      open = false;
    } else if (c == '}' && !role.empty()) {
      role.clear();
      open = false;
    } else if (c == ' ' || c == '\n') {
      space = true;
      open = false;
    } else {
      if (!open) words.push_back({{}, role, !space, false});
      open = true;
      space = false;
      words.back().text += c;
    }
  }
  return words;
}

// As much of a word as a line of that width holds, at least a character: up to a sign after which code and paths may be
// parted, where there is one.
std::size_t piece_of(const Ui& ui, Type type, std::string_view word, float width) {
  const auto bounds = grapheme_bounds(word);
  std::size_t fits = 1, beyond = bounds.size();  // of the bounds
  while (beyond - fits > 1) {
    const std::size_t middle = (fits + beyond) / 2;
    (ui.width_of(type, word.substr(0, bounds[middle])) <= width ? fits : beyond) = middle;
  }
  for (std::size_t i = fits; i > 1 && bounds[fits] < word.size(); --i)
    if (std::string_view("(,/.=_-").find(word[bounds[i] - 1]) != std::string_view::npos) return bounds[i];
  return bounds[fits];
}

// Words that are longer than a line, in pieces.
std::vector<Word> pieces_of(const Ui& ui, const std::vector<Word>& words, Type type, float width) {
  std::vector<Word> pieces;
  for (const Word& word : words) {
    std::string_view left = word.text;
    bool rest = false;
    while (ui.width_of(type, left) > width && left.size() > 1) {
      const std::size_t size = piece_of(ui, type, left, width);
      if (size >= left.size()) break;
      pieces.push_back({std::string(left.substr(0, size)), word.role, word.glued && !rest, rest});
      left.remove_prefix(size);
      rest = true;
    }
    pieces.push_back({std::string(left), word.role, word.glued && !rest, rest});
  }
  return pieces;
}

constexpr std::size_t longest_term = 3;  // words

// Finds the terms, the longer before the shorter, each where it stands first.
void find_terms(std::vector<Word>& words, Terms& terms) {
  for (std::size_t i = 0; i < words.size(); ++i)
    for (std::size_t count = std::min(longest_term, words.size() - i); count > 0; --count) {
      std::string all;
      for (std::size_t j = i; j < i + count; ++j) all += (j == i || words[j].glued ? "" : " ") + words[j].text;
      const std::string id = terms.id_of(bare_word(all));
      if (id.empty() || std::ranges::find(terms.said, id) != terms.said.end()) continue;
      terms.said.push_back(id);
      for (std::size_t j = i; j < i + count; ++j) words[j].term = id;
      i += count - 1;
      break;
    }
}

// Of the words of a role.
Type strong(Type type) {
  if (type == Type::presenter_text) return Type::presenter_text_strong;
  return type == Type::body ? Type::body_strong : type;
}

}  // namespace

void underline_term(Ui& ui, Rect place, const std::string& term, std::string_view word, int number, Terms& terms) {
  const std::string path =
      fmt::format("{}/{}{}", terms.path, term, number > 0 ? fmt::format("/{}", number) : std::string());
  const bool open = term == terms.open;
  const auto hit = ui.hit(path, place, number == 0, std::string(word), open ? "open" : "");
  const Color32 color = hit.hovered || open ? ui.theme().text : ui.theme().text_faint;
  const float y = place.bottom() - ui.px(2);
  if (open)
    ui.line({place.x, y}, {place.right(), y}, color);
  else
    for (float x = place.x; x < place.right() - 1; x += ui.px(3)) ui.fill({x, y, ui.px(1.5F), ui.px(1)}, color);
  if (hit.focused) ui.focus_ring(place, ui.px(3));
  if (hit.hovered) ui.forget_pointed();
  if (hit.clicked) terms.pressed = term;
}

float paragraph(Ui& ui, Point at, float width, Color32 color, std::string_view marked, bool draw, Type type,
                Terms* terms) {
  const float line = ui.line_height(type), space = ui.width_of(type, " ");
  auto words = pieces_of(ui, words_of(marked), type, width);
  if (terms) find_terms(words, *terms);
  int of_term = 0;  // words of the present term so far
  float x = 0, y = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    const Type style = word.role.empty() ? type : strong(type);
    const float length = ui.width_of(style, word.text);
    float glued = length;  // what must stay on one line with it
    for (std::size_t j = i + 1; j < words.size() && words[j].glued; ++j) glued += ui.width_of(type, words[j].text);
    if (x > 0 && !word.glued && !word.rest) x += space;
    if (x > 0 && !word.glued && x + glued > width) {
      x = 0;
      y += line;
    }
    const auto* role = std::ranges::find(roles, word.role, &std::pair<std::string_view, RoleColors Theme::*>::first);
    if (draw)
      ui.text(style, {at.x + x, at.y + y}, role == std::end(roles) ? color : (ui.theme().*role->second).main,
              word.text);
    of_term = i > 0 && !word.term.empty() && words[i - 1].term == word.term ? of_term + 1 : 0;
    if (draw && terms && !word.term.empty()) {
      const std::string_view core = bare_word(word.text);
      const auto before = static_cast<std::size_t>(core.data() - word.text.data());
      const float left = ui.width_of(style, std::string_view(word.text).substr(0, before));
      underline_term(ui, {at.x + x + left, at.y + y, ui.width_of(style, core), line}, word.term, word.text, of_term,
                     *terms);
    }
    x += length;
  }
  return words.empty() ? 0 : y + line;
}

}  // namespace headlight::app
