// The strip over the mask: its layers as an equation of small pictures, from the rules that must all hold to what they
// come to. What hides a cell is a hatch of its own.
#include <imgui.h>

#include <cmath>

#include "app/panels/masks/parts.h"

namespace headlight::app {

namespace {

// Lines x + y = c, or x − y = c, for every multiple of the step, cut off at the rectangle.
void draw_slanted(Ui& ui, Rect r, float step, bool rising, Color32 color) {
  const float width = std::max(1.0F, ui.scale());
  if (rising) {
    for (float c = std::ceil((r.x + r.y) / step) * step; c < r.right() + r.bottom(); c += step) {
      const float left = std::max(r.x, c - r.bottom()), right = std::min(r.right(), c - r.y);
      ui.list().AddLine({left, c - left}, {right, c - right}, color, width);
    }
    return;
  }
  for (float c = std::ceil((r.x - r.bottom()) / step) * step; c < r.right() - r.y; c += step) {
    const float left = std::max(r.x, c + r.y), right = std::min(r.right(), c + r.bottom());
    ui.list().AddLine({left, left - c}, {right, right - c}, color, width);
  }
}

void draw_straight(Ui& ui, Rect r, float step, bool upright, Color32 color) {
  const float width = std::max(1.0F, ui.scale());
  const float from = upright ? r.x : r.y, to = upright ? r.right() : r.bottom();
  for (float at = std::ceil(from / step) * step; at < to; at += step)
    if (upright)
      ui.list().AddRectFilled({at, r.y}, {std::min(at + width, to), r.bottom()}, color);
    else
      ui.list().AddRectFilled({r.x, at}, {r.right(), std::min(at + width, to)}, color);
}

void draw_dots(Ui& ui, Rect r, float step, Color32 color) {
  const float size = std::max(1.0F, std::round(step / 3));
  for (float y = std::ceil(r.y / step) * step; y + size <= r.bottom(); y += step)
    for (float x = std::ceil(r.x / step) * step; x + size <= r.right(); x += step)
      ui.list().AddRectFilled({x, y}, {x + size, y + size}, color);
}

// A term of the equation: a layer, and what stands before and after it.
struct Term {
  std::optional<std::size_t> layer;  // none: the result
  std::string before, after;         // "(", "AND"
};

// Rules that must all hold; in parentheses those of reach, with what is let in all the same; then what is set by hand.
std::vector<Term> terms_of(const MaskReading& mask) {
  std::vector<std::size_t> all, near, let_in, last;
  for (std::size_t i = 0; i < mask.layers.size(); ++i) {
    const SeenLayer& layer = mask.layers[i];
    const bool by_hand = layer.kind == SeenLayer::Kind::painted || layer.kind == SeenLayer::Kind::cut;
    if (by_hand)
      last.push_back(i);
    else if (layer.part == MaskRule::Part::allows)
      let_in.push_back(i);
    else
      (layer.part == MaskRule::Part::reach ? near : all).push_back(i);
  }
  std::vector<Term> terms;
  for (const std::size_t i : all) terms.push_back({i, "", "AND"});
  const bool group = near.size() + let_in.size() > 1 && !near.empty();
  for (const std::size_t i : near) terms.push_back({i, group && i == near[0] ? "(" : "", "AND"});
  if (!near.empty() && !let_in.empty()) terms.back().after = "OR";
  for (const std::size_t i : let_in) terms.push_back({i, "", near.empty() ? "no effect" : "OR"});
  if (group) terms.back().after = ") AND";
  for (const std::size_t i : last) {
    if (!terms.empty()) terms.back().after = terms.back().after.starts_with(")") ? ") THEN" : "THEN";
    terms.push_back({i, "", ""});
  }
  if (!terms.empty()) terms.back().after = terms.back().after.starts_with(")") ? ") =" : "=";
  terms.push_back({std::nullopt, "", ""});
  return terms;
}

struct TermWords {
  std::string name, says;
};
// Of many cells, their share.
std::string visible_in_words(const MaskReading& mask) {
  if (mask.cells() < 100000) return fmt::format("{} of {} visible", mask.visible, mask.cells());
  return fmt::format("{:.1f} % visible", 100.0 * static_cast<double>(mask.visible) / static_cast<double>(mask.cells()));
}

TermWords term_words(const MaskReading& mask, const Term& term) {
  if (!term.layer) return {"Result", visible_in_words(mask)};
  return {mask.layers[*term.layer].name, layer_in_words(mask.layers[*term.layer])};
}

// How wide a term is, with its words beside its picture or without.
float width_of(Ui& ui, const MaskReading& mask, const Term& term, float side, bool words) {
  const float sign = std::max(ui.width_of(Type::label_strong, term.after), ui.px(8)) + ui.px(16);
  const float before = term.before.empty() ? 0 : ui.px(14);
  if (!words) return before + side + sign;
  const TermWords said = term_words(mask, term);
  const float text = std::max(
      {ui.width_of(Type::label_strong, said.name), std::min(ui.width_of(Type::note, said.says), ui.px(112)), sign});
  return before + side + ui.px(10) + text + ui.px(16);
}

void draw_term(Ui& ui, Rect place, const MaskReading& mask, const Term& term, float side, bool words, MaskLab& lab) {
  const Theme& t = ui.theme();
  const TermWords said = term_words(mask, term);
  const std::string path = term.layer ? "masks/term/" + mask.layers[*term.layer].id : std::string("masks/term/result");
  if (!term.layer)
    ui.fill({place.x - ui.px(8), place.y + ui.px(4), place.w, place.h - ui.px(8)}, t.brand_soft, ui.px(8));
  const auto hit = ui.hit(path, place, false, said.says);
  if (hit.hovered && term.layer) lab.lit = term.layer;
  ui.tooltip(path, place, fmt::format("{}: {}", said.name, said.says));
  if (!term.before.empty()) ui.text_in(Type::title, place.take_left(ui.px(14)), t.text_muted, term.before);
  const Rect picture{place.x, place.middle().y - side / 2, side, side};
  draw_layer_map(ui, picture, mask, term.layer);
  place.take_left(side + ui.px(10));
  if (!words) return ui.text_in(Type::label_strong, place, t.text_muted, term.after);
  place.w -= ui.px(14);
  Rect text{place.x, picture.y + ui.px(side > ui.px(70) ? 10 : 0), place.w, ui.px(18)};
  ui.text(Type::label_strong, {text.x, text.y}, t.text, ui.fitted(Type::label_strong, said.name, text.w));
  // Two lines where one does not do and there is room.
  const float height = paragraph(ui, {}, text.w, t.text_muted, said.says, false, Type::note);
  if (height <= side - ui.px(44))
    paragraph(ui, {text.x, text.y + ui.px(20)}, text.w, t.text_muted, said.says, true, Type::note);
  else
    ui.text(Type::note, {text.x, text.y + ui.px(20)}, t.text_muted, ui.fitted(Type::note, said.says, text.w));
  ui.text(Type::label_strong, {text.x, picture.bottom() - ui.px(side > ui.px(70) ? 24 : 18)}, t.text_muted, term.after);
}

// In a strip that has room for one line: as much of it as fits.
void draw_equation_text(Ui& ui, Rect line, const MaskReading& mask, const std::vector<Term>& terms,
                        const std::string& words) {
  const std::string result = fmt::format("{} of {} cells visible", mask.visible, mask.cells());
  std::string names;
  for (const Term& term : terms)
    names += term.layer ? fmt::format("{}{} {} ", term.before, mask.layers[*term.layer].name, term.after) : result;
  for (const std::string& said : {words, names, result})
    if (ui.width_of(Type::label, said) <= line.w) return ui.text_in(Type::label, line, ui.theme().text_muted, said);
}

}  // namespace

void draw_layer_hatch(Ui& ui, Rect r, const SeenLayer& layer, float step) {
  if (r.w <= 0 || r.h <= 0) return;
  const Theme& t = ui.theme();
  const Color32 line = t.hatch_line;
  if (layer.part == MaskRule::Part::allows) return draw_dots(ui, r, step, t.text_muted);
  if (layer.kind == SeenLayer::Kind::painted) return ui.fill(r, t.mask.main);
  if (layer.kind == SeenLayer::Kind::cut) {
    ui.fill(r, t.mask.main);
    return draw_slanted(ui, r, step, true, t.canvas);
  }
  if (layer.kind == SeenLayer::Kind::given) {
    draw_straight(ui, r, step, true, line);
    return draw_straight(ui, r, step, false, line);
  }
  switch (layer.by) {
    case MaskRule::By::absence:
      return draw_straight(ui, r, std::round(step * 0.7F), true, line);
    case MaskRule::By::distance:
      return draw_slanted(ui, r, step, false, line);
    case MaskRule::By::blocks:
      return draw_straight(ui, r, std::round(step * 0.7F), false, line);
    case MaskRule::By::documents:
      draw_slanted(ui, r, step * 1.3F, true, line);
      return draw_slanted(ui, r, step * 1.3F, false, line);
    case MaskRule::By::order:
      return draw_slanted(ui, r, step, true, line);
  }
}

void draw_layer_map(Ui& ui, Rect box, const MaskReading& mask, std::optional<std::size_t> layer) {
  const Theme& t = ui.theme();
  ui.fill(box, t.canvas);
  const float least = ui.px(2);
  const Index rows = std::min(mask.queries, static_cast<Index>(box.h / least)),
              columns = std::min(mask.keys, static_cast<Index>(box.w / least));
  const auto bit = [&](Index i, Index j) {
    if (!layer) return mask.hidden(i, j);
    const auto& bits = mask.layers[*layer].part == MaskRule::Part::allows ? mask.touch : mask.hide;
    return (bits[static_cast<std::size_t>(mask.at(i, j))] >> *layer & 1U) != 0;
  };
  const SeenLayer all{};  // the usual hatch
  for (Index r = 0; r < rows; ++r) {
    const Index i = (2 * r + 1) * mask.queries / (2 * rows);
    const float top = box.y + std::round(box.h * static_cast<float>(r) / static_cast<float>(rows)),
                bottom = box.y + std::round(box.h * static_cast<float>(r + 1) / static_cast<float>(rows));
    for (Index c = 0; c < columns;) {
      const auto key = [&](Index column) { return (2 * column + 1) * mask.keys / (2 * columns); };
      Index end = c;
      while (end < columns && bit(i, key(end))) ++end;
      if (end > c) {
        const float left = box.x + std::round(box.w * static_cast<float>(c) / static_cast<float>(columns)),
                    right = box.x + std::round(box.w * static_cast<float>(end) / static_cast<float>(columns));
        const Rect run{left, top, right - left, bottom - top};
        ui.fill(run, t.hatch_ground);
        draw_layer_hatch(ui, run, layer ? mask.layers[*layer] : all, ui.px(5));
      }
      c = std::max(end, c + 1);
    }
  }
  ui.frame(box, t.line_strong);
}

std::string layer_in_words(const SeenLayer& layer) {
  const auto cells = [](Index count) { return count == 1 ? std::string("1 cell") : fmt::format("{} cells", count); };
  if (layer.kind == SeenLayer::Kind::painted || layer.kind == SeenLayer::Kind::cut) return cells(layer.cells);
  return layer.says;
}

void draw_mask_equation(Ui& ui, Rect box, const Model& model, PanelMemory& memory) {
  ui.fill(box, ui.theme().canvas);
  const MaskReading* mask = shown_mask(model, memory);
  if (!mask) return;
  memory.get<MaskLab>().lit.reset();
  Rect line = box.inset(ui.px(24), 0);
  const std::string words = equation_in_words(*mask);
  ui.log("masks/equation", box, words);
  const auto terms = terms_of(*mask);
  if (box.h < ui.px(60)) return draw_equation_text(ui, line, *mask, terms, words);
  const float high = box.h - ui.px(28);
  const auto total = [&](float side, bool with_words) {
    float sum = 0;
    for (const Term& term : terms) sum += width_of(ui, *mask, term, side, with_words);
    return sum;
  };
  float side = high;
  bool with_words = true;
  if (total(side, true) > line.w) side = std::min(high, ui.px(64));
  if (total(side, true) > line.w) {
    with_words = false;
    side = high;
  }
  while (!with_words && total(side, false) > line.w && side > ui.px(24)) side -= ui.px(4);
  for (const Term& term : terms) {
    const float width = width_of(ui, *mask, term, side, with_words);
    draw_term(ui, {line.x, line.y, std::min(width, line.w), line.h}, *mask, term, side, with_words,
              memory.get<MaskLab>());
    line.take_left(width);
  }
}

}  // namespace headlight::app
