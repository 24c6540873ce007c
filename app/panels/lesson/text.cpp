// Lesson text: words in their looks, wrapped, with the colours of what they name.
#include <algorithm>
#include <array>

#include "app/panels/lesson/parts.h"
#include "app/widgets/formula_view.h"
#include "app/widgets/image_view.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// A word as it is set: no blank before it where it is glued to the one before.
struct Atom {
  std::string text;
  Type type = Type::lesson_text;
  Color32 color = 0;
  bool glued = false, breaks = false;
  const PrintedPiece* piece = nullptr;  // of a link, a formula, a picture

  bool is(LessonPiece::Kind kind) const { return piece && piece->kind == kind; }
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

bool has_label(const Axis* axis, std::string_view word) {
  return axis && std::ranges::find(axis->labels, word) != axis->labels.end();
}

bool is_key(const Model& model, std::string_view word) {
  const Step* map = model.trace() ? model.trace()->map() : nullptr;
  return map && has_label(map->axis(AxisRole::key), word);
}

// Of a word that is set off: of a token that asks or answers, else of a role.
std::optional<Role> role_of(const Model& model, std::string_view word) {
  const Step* map = model.trace() ? model.trace()->map() : nullptr;
  const Axis *queries = map ? map->axis(AxisRole::query) : nullptr, *keys = map ? map->axis(AxisRole::key) : nullptr;
  const auto asks = model.document.look.selection.query;
  if (asks && has_label(queries, word) && queries->labels[static_cast<std::size_t>(*asks)] == word) return Role::query;
  if (asks && has_label(keys, word)) return Role::key;
  const auto* found = std::ranges::find(role_words, word, &std::pair<std::string_view, Role>::first);
  return found == role_words.end() ? std::nullopt : std::optional(found->second);
}

Type bold_type(Type type) {
  if (type == Type::lesson_text) return Type::lesson_strong;
  return type == Type::body ? Type::body_strong : type;
}

// "asks" behind a word: it is the one that does, whichever row is shown.
bool reads_as_query(std::string_view text) {
  return std::ranges::any_of(std::array<std::string_view, 5>{" asks", " asked", " asking", " gives", " looks"},
                             [&](std::string_view verb) { return text.starts_with(verb); });
}

// "to" before a word: it is looked at, though it may be called as the one that asks.
bool reads_as_key(std::string_view text) {
  return text.ends_with(" to ") || text.ends_with(" at ");
}

std::vector<Atom> atoms_of(const Ui& ui, const PrintedText& text, const Model& model, Type type) {
  std::vector<Atom> atoms;
  bool space = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const PrintedPiece& piece = text[i];
    Atom like;
    like.type = type;
    like.color = ui.theme().text;
    const bool set_off = piece.emphasis || piece.strong;
    if (set_off || piece.kind == LessonPiece::Kind::link) like.type = bold_type(type);
    if (set_off) {
      auto role = role_of(model, piece.text);
      const bool asks = i + 1 < text.size() && reads_as_query(text[i + 1].text);
      const bool answers = i > 0 && reads_as_key(text[i - 1].text);
      if (role == Role::key && asks) role = Role::query;
      if (role == Role::query && answers && is_key(model, piece.text)) role = Role::key;
      if (role) like.color = role_colors(ui.theme(), *role).main;
    }
    if (piece.kind == LessonPiece::Kind::link) {
      like.color = ui.theme().query.main;
      like.piece = &piece;
    }
    if (piece.kind == LessonPiece::Kind::formula || piece.kind == LessonPiece::Kind::picture) {
      like.piece = &piece;
      like.text = piece.kind == LessonPiece::Kind::formula ? piece.text : piece.about;
      like.glued = !space;
      atoms.push_back(like);
      space = false;
      continue;
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

// A formula in a line of text; one alone is larger.
constexpr float formula_em = 17, formula_alone_em = 20;

// What stands beside one another, and how high it is.
struct TextRow {
  std::vector<std::pair<float, std::size_t>> atoms;  // where each begins
  float height = 0, baseline = 0;                    // from the row's top
};

class LessonLines {
 public:
  LessonLines(Ui& ui, float width, const PrintedText& text, const Model& model, Type type, Terms* terms)
      : ui_(ui), width_(width), model_(model), type_(type), terms_(terms), atoms_(atoms_of(ui, text, model, type)) {
    em_ = text.size() == 1 ? formula_alone_em : formula_em;
    fill();
  }

  float height() const {
    float all = 0;
    for (const auto& row : rows_) all += row.height;
    return all;
  }

  void draw(Point at, Actions& actions) {
    for (const auto& row : rows_) {
      for (const auto& [x, i] : row.atoms) draw_atom(atoms_[i], i, {at.x + x, at.y}, row, actions);
      at.y += row.height;
    }
  }

 private:
  using Kind = LessonPiece::Kind;

  std::shared_ptr<const Image> image_of(const Atom& atom) const {
    if (!atom.is(Kind::picture)) return nullptr;
    const auto& pictures = model_.learner.played->pictures;
    const auto found = pictures.find(atom.piece->text);
    return found == pictures.end() ? nullptr : found->second;
  }
  // As wide as its pixels, but for what there is room for.
  Point size_of_picture(const Image& image) const {
    const float w = std::min(width_, ui_.px(static_cast<float>(image.width)));
    return {w, w * static_cast<float>(image.height) / static_cast<float>(image.width)};
  }
  float width_of(const Atom& atom) const {
    if (atom.is(Kind::formula)) return formula_size(ui_, atom.text, em_, width_).width;
    return ui_.width_of(atom.type, atom.text);
  }

  TextRow& new_row() { return rows_.emplace_back(TextRow{{}, ui_.line_height(type_), ui_.baseline(type_)}); }
  // Makes room for a formula above and below the row's baseline.
  void make_room(TextRow& row, const FormulaSize& size) {
    const float gap = ui_.px(3), above = std::max(row.baseline, size.above + gap),
                below = std::max(row.height - row.baseline, size.height - size.above + gap);
    row.baseline = above;
    row.height = above + below;
  }

  void fill() {
    const float space = ui_.width_of(type_, " ");
    TextRow* row = nullptr;
    float x = 0;
    const auto next_row = [&] {
      row = &new_row();
      x = 0;
    };
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      const Atom& atom = atoms_[i];
      if (!row || atom.breaks) next_row();
      if (atom.breaks) continue;
      if (const auto image = image_of(atom)) {  // stands alone
        if (x > 0) next_row();
        row->atoms.emplace_back(0.0F, i);
        row->height = size_of_picture(*image).y + ui_.px(6);
        x = width_ + 1;
        continue;
      }
      const float length = width_of(atom);
      float glued = length;  // what must stay on one line with it
      for (std::size_t j = i + 1; j < atoms_.size() && atoms_[j].glued; ++j) glued += width_of(atoms_[j]);
      if (x > 0 && !atom.glued) x += space;
      if (x > 0 && (x > width_ || (!atom.glued && x + glued > width_))) next_row();
      if (atom.is(Kind::formula)) make_room(*row, formula_size(ui_, atom.text, em_, width_));
      row->atoms.emplace_back(x, i);
      x += length;
    }
  }

  void draw_atom(const Atom& atom, std::size_t number, Point at, const TextRow& row, Actions& actions) {
    if (const auto image = image_of(atom)) {
      const Point size = size_of_picture(*image);
      return image_view(ui_, "lesson/picture/" + atom.piece->text, {at.x, at.y, size.x, size.y}, image, atom.text);
    }
    const float length = width_of(atom);
    if (atom.is(Kind::formula)) {
      const FormulaSize size = formula_size(ui_, atom.text, em_, width_);
      formula_view(ui_, fmt::format("lesson/formula/{}", atom.text),
                   {at.x, at.y + row.baseline - size.above, length, size.height}, atom.text, em_,
                   [](const std::string&) { return Role::none; }, {});
      return;
    }
    const Rect place{at.x, at.y + row.baseline - ui_.baseline(type_), length, ui_.line_height(type_)};
    ui_.text(atom.type, {place.x, place.y}, atom.color, atom.text);
    if (terms_ && !atom.is(Kind::link)) underline(atom, place);
    if (!atom.is(Kind::link)) return;
    ui_.line({place.x, place.bottom() - ui_.px(4)}, {place.right(), place.bottom() - ui_.px(4)}, atom.color);
    if (ui_.hit("lesson/link/" + atom.piece->action + fmt::format("/{}", number), place, false).clicked)
      if (const auto action = parse_action(atom.piece->action)) actions.push_back(*action);
  }

  // A word of the glossary, where it stands first.
  void underline(const Atom& atom, Rect place) {
    const std::string_view core = bare_word(atom.text);
    const std::string term = core.empty() ? std::string() : terms_->id_of(core);
    if (term.empty() || std::ranges::find(terms_->said, term) != terms_->said.end()) return;
    terms_->said.push_back(term);
    const auto before = static_cast<std::size_t>(core.data() - atom.text.data());
    place.take_left(ui_.width_of(atom.type, atom.text.substr(0, before)));
    underline_term(ui_, {place.x, place.y, ui_.width_of(atom.type, core), place.h - ui_.px(2)}, term, core, 0, *terms_);
  }

  Ui& ui_;
  float width_, em_ = 0;
  const Model& model_;
  Type type_;
  Terms* terms_;
  std::vector<Atom> atoms_;
  std::vector<TextRow> rows_;
};

}  // namespace

float draw_lesson_text(Ui& ui, Point at, float width, const PrintedText& text, const Model& model, Actions& actions,
                       bool draw, Type type, Terms* terms) {
  LessonLines lines(ui, width, text, model, type, terms);
  if (draw) lines.draw(at, actions);
  return lines.height();
}

}  // namespace headlight::app
