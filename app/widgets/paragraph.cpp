#include "app/widgets/controls.h"

namespace headlight::app {

namespace {

Color32 role_color(const Theme& theme, std::string_view name) {
  if (name == "query") return theme.query.main;
  if (name == "key") return theme.key.main;
  if (name == "value") return theme.value.main;
  if (name == "score") return theme.score.main;
  if (name == "weight") return theme.weight.main;
  if (name == "output") return theme.output.main;
  return theme.mask.main;
}

struct Word {
  std::string text;
  std::string role;    // empty: plain
  bool glued = false;  // no space before it
};

// The role of a mark that the text begins with, "{query:"; empty where it begins with none. Other braces are text, and
// so is the place of a file's name that is given a width, "{query:02}".
std::string_view role_at(std::string_view text) {
  for (const std::string_view role : {"query", "key", "value", "score", "weight", "output", "mask"}) {
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
      if (!open) words.push_back({{}, role, !space});
      open = true;
      space = false;
      words.back().text += c;
    }
  }
  return words;
}

}  // namespace

float paragraph(Ui& ui, Point at, float width, Color32 color, std::string_view marked, bool draw, Type type) {
  const float line = ui.line_height(type), space = ui.width_of(type, " ");
  const auto words = words_of(marked);
  float x = 0, y = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    const Type style = word.role.empty() || type != Type::body ? type : Type::body_strong;
    const float length = ui.width_of(style, word.text);
    float glued = length;  // what must stay on one line with it
    for (std::size_t j = i + 1; j < words.size() && words[j].glued; ++j) glued += ui.width_of(type, words[j].text);
    if (x > 0 && !word.glued) x += space;
    if (x > 0 && !word.glued && x + glued > width) {
      x = 0;
      y += line;
    }
    if (draw)
      ui.text(style, {at.x + x, at.y + y}, word.role.empty() ? color : role_color(ui.theme(), word.role), word.text);
    x += length;
  }
  return words.empty() ? 0 : y + line;
}

}  // namespace headlight::app
