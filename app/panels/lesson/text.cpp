// Lesson text: words in their looks, wrapped, with the colours of what they name.
#include <algorithm>
#include <array>

#include "app/panels/lesson/parts.h"

namespace headlight::app {

namespace {

// A word as it is set: no blank before it where it is glued to the one before.
struct Atom {
  std::string text;
  Type type = Type::lesson_text;
  Color32 color = 0;
  bool glued = false, breaks = false;
  const PrintedPiece* link = nullptr;
};

constexpr std::array<std::pair<std::string_view, Role>, 16> role_words{{{"query", Role::query},
                                                                        {"queries", Role::query},
                                                                        {"key", Role::key},
                                                                        {"keys", Role::key},
                                                                        {"value", Role::value},
                                                                        {"values", Role::value},
                                                                        {"score", Role::score},
                                                                        {"scores", Role::score},
                                                                        {"weight", Role::weight},
                                                                        {"weights", Role::weight},
                                                                        {"output", Role::output},
                                                                        {"outputs", Role::output},
                                                                        {"mask", Role::mask},
                                                                        {"masks", Role::mask},
                                                                        {"softmax", Role::weight},
                                                                        {"mix", Role::output}}};

bool stands_in(const Axis* axis, std::string_view word) {
  return axis && std::ranges::find(axis->labels, word) != axis->labels.end();
}

// Of a word that is set off: of a token that asks or answers, else of a role.
std::optional<Role> role_of(const Model& model, std::string_view word) {
  const Step* map = model.trace() ? model.trace()->map() : nullptr;
  const Axis *queries = map ? map->axis(AxisRole::query) : nullptr, *keys = map ? map->axis(AxisRole::key) : nullptr;
  const auto asks = model.document.look.selection.query;
  if (asks && stands_in(queries, word) && queries->labels[static_cast<std::size_t>(*asks)] == word) return Role::query;
  if (asks && stands_in(keys, word)) return Role::key;
  const auto* found = std::ranges::find(role_words, word, &std::pair<std::string_view, Role>::first);
  return found == role_words.end() ? std::nullopt : std::optional(found->second);
}

Type strong_of(Type type) {
  if (type == Type::lesson_text) return Type::lesson_strong;
  return type == Type::body ? Type::body_strong : type;
}

std::vector<Atom> atoms_of(const Ui& ui, const PrintedText& text, const Model& model, Type type) {
  std::vector<Atom> atoms;
  bool space = true;
  for (const auto& piece : text) {
    Atom like;
    like.type = type;
    like.color = ui.theme().text;
    const bool set_off = piece.emphasis || piece.strong;
    if (set_off || piece.kind == LessonPiece::Kind::link) like.type = strong_of(type);
    if (set_off)
      if (const auto role = role_of(model, piece.text)) like.color = role_colors(ui.theme(), *role).main;
    if (piece.kind == LessonPiece::Kind::link) {
      like.color = ui.theme().query.main;
      like.link = &piece;
    }
    bool open = false;
    for (const char c : piece.text) {
      if (c == ' ' || c == '\n') {
        space = true;
        open = false;
        if (c == '\n') atoms.push_back({"", type, 0, false, true});
        continue;
      }
      if (!open) {
        atoms.push_back(like);
        atoms.back().glued = !space;
      }
      open = true;
      space = false;
      atoms.back().text += c;
    }
  }
  return atoms;
}

}  // namespace

float draw_lesson_text(Ui& ui, Point at, float width, const PrintedText& text, const Model& model, Actions& actions,
                       bool draw, Type type) {
  const float line = ui.line_height(type), space = ui.width_of(type, " ");
  const auto atoms = atoms_of(ui, text, model, type);
  float x = 0, y = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const Atom& atom = atoms[i];
    if (atom.breaks) {
      x = 0;
      y += line;
      continue;
    }
    const float length = ui.width_of(atom.type, atom.text);
    float glued = length;  // what must stay on one line with it
    for (std::size_t j = i + 1; j < atoms.size() && atoms[j].glued; ++j)
      glued += ui.width_of(atoms[j].type, atoms[j].text);
    if (x > 0 && !atom.glued) x += space;
    if (x > 0 && !atom.glued && x + glued > width) {
      x = 0;
      y += line;
    }
    const Rect place{at.x + x, at.y + y, length, line};
    if (draw) ui.text(atom.type, {place.x, place.y}, atom.color, atom.text);
    if (draw && atom.link) {
      ui.line({place.x, place.bottom() - ui.px(4)}, {place.right(), place.bottom() - ui.px(4)}, atom.color);
      if (ui.hit("lesson/link/" + atom.link->action + fmt::format("/{}", i), place, false).clicked)
        if (const auto action = parse_action(atom.link->action)) actions.push_back(*action);
    }
    x += length;
  }
  return atoms.empty() ? 0 : y + line;
}

}  // namespace headlight::app
