// A word of the glossary where it stands: two sentences, and the screen's own numbers that show it.
#include <algorithm>
#include <cmath>

#include "app/panels/common/map_parts.h"
#include "app/panels/common/term_card.h"
#include "app/reading/glossary.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

// What the picture is of: an array of the run, and a row of it.
struct Pictured {
  const Step* step = nullptr;
  Index head = 0;
  Slice slice;
  Index row = 0;
};

constexpr float strip_height = 22, bars_height = 56, map_side = 108, caption_height = 18;  // px of the design

const std::vector<std::string>& labels_of_rows(const Slice& slice) {
  static const std::vector<std::string> none;
  return slice.rows ? labels_of_item(*slice.rows, slice.item) : none;
}

// Another row of the same word, where there is one.
std::optional<Index> row_alike(const Slice& slice, Index row) {
  const auto& labels = labels_of_rows(slice);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (static_cast<Index>(i) != row && labels[i] == labels[static_cast<std::size_t>(row)])
      return static_cast<Index>(i);
  return std::nullopt;
}

// The row that is looked at, else the last whose word stands elsewhere too, else the last.
Index row_pictured(const Slice& slice, const Selection& selection) {
  if (const auto row = selected_row(slice, selection); row && *row < slice.matrix.rows) return *row;
  for (Index row = std::ssize(labels_of_rows(slice)) - 1; row > 0; --row)
    if (row_alike(slice, row)) return row;
  return slice.matrix.rows - 1;
}

// That which the term is about, by its name; else the one that is looked at.
Index head_pictured(const Model& model, const GlossaryEntry& entry, Index shown) {
  const auto& heads = model.trace()->heads;
  if (entry.head.empty()) return shown;
  const auto found = std::ranges::find_if(heads, [&](const auto& head) { return head.name.starts_with(entry.head); });
  return found == heads.end() ? shown : static_cast<Index>(found - heads.begin());
}

// Nothing where the run has none of the arrays, or shows it as a picture.
std::optional<Pictured> pictured(const Model& model, const GlossaryEntry& entry) {
  for (const std::string& id : entry.arrays) {
    const Step* step = model.trace()->find(id);
    if (!step || step->tensor().size() == 0) continue;
    Focus focus = effective_focus(model);
    focus.flat = true;
    if (has_heads(*step)) focus.head = head_pictured(model, entry, focus.head);
    Pictured found{step, focus.head, slice_of(*step, focus), 0};
    if (found.slice.is_picture() || found.slice.matrix.empty()) continue;
    found.row = row_pictured(found.slice, effective_selection(model));
    return found;
  }
  return std::nullopt;
}

std::string name_of_row(Ui& ui, const Pictured& of, Index row) {
  return ui.fonts().display_text(label_of(of.slice.rows, row, of.slice.item));
}

void draw_strips(Ui& ui, Rect box, const MapData& map, const Pictured& of) {
  const Index other =
      row_alike(of.slice, of.row).value_or(of.row > 0 ? of.row - 1 : std::min<Index>(1, of.slice.matrix.rows - 1));
  for (const Index row : {std::min(of.row, other), std::max(of.row, other)}) {
    Rect line = box.take_top(ui.px(strip_height + 4));
    const Rect label = line.take_left(ui.px(72));
    ui.text_in(Type::note, label, ui.theme().text_muted, fmt::format("{} {}", row, name_of_row(ui, of, row)));
    MapData one = map;
    one.key = fmt::format("term/{}/{}", map.key, row);
    cut_map(one, row, 0, 1, map.cells.columns);
    const Rect strip{line.x, line.y, line.w, ui.px(strip_height)};
    draw_map(ui, one, strip, MapSize::small);
    ui.frame(strip.inset(-1), ui.theme().line_strong);
  }
}

void draw_bars(Ui& ui, Rect box, const MatrixView& cells, Index row, Color32 color) {
  float greatest = 1e-6F, least = 0;
  for (Index c = 0; c < cells.columns; ++c) {
    const float value = cells.at(row, c);
    if (!std::isfinite(value)) continue;
    greatest = std::max(greatest, value);
    least = std::min(least, value);
  }
  const float pitch = box.w / static_cast<float>(cells.columns), gap = pitch > ui.px(4) ? ui.px(2) : 0;
  const auto height = [&](float value) { return box.h * value / (greatest - least); };
  const float zero = box.bottom() + height(least);
  ui.line({box.x, zero}, {box.right(), zero}, ui.theme().line_strong);
  for (Index c = 0; c < cells.columns; ++c) {
    const float value = cells.at(row, c), x = box.x + pitch * static_cast<float>(c);
    if (!std::isfinite(value)) {
      ui.hatch({x, zero - ui.px(10), pitch - gap, ui.px(10)});
      continue;
    }
    const float size = std::max(1.0F, std::abs(height(value)));
    ui.fill({x, value < 0 ? zero : zero - size, pitch - gap, size}, color);
  }
}

float height_of_picture(const Ui& ui, TermPicture picture) {
  if (picture == TermPicture::strip) return ui.px(2 * (strip_height + 4) + caption_height);
  if (picture == TermPicture::bars) return ui.px(bars_height + caption_height);
  return picture == TermPicture::map ? ui.px(map_side + caption_height) : 0;
}

void draw_picture_of_term(Ui& ui, Rect box, const Model& model, PanelMemory& memory, const GlossaryEntry& entry,
                          const Pictured& of) {
  const Step& step = *of.step;
  const Rect below = box.take_bottom(ui.px(caption_height));
  const std::string of_head = has_heads(step) ? ", " + counted_head(*model.trace(), step, of.head) : "";
  std::string caption = capitalized(step.info.title) + of_head;
  std::shared_ptr<const Tensor> owner;
  MapData map = memory.cells.map(ui, model, step, place_of_head(step, of.head));
  map.key = "term/" + map.key;
  if (entry.picture == TermPicture::strip) {
    draw_strips(ui, box, map, of);
  } else if (entry.picture == TermPicture::bars) {
    const Color32 color = role_colors(ui.theme(), step.info.role == Role::none ? Role::output : step.info.role).main;
    draw_bars(ui, {box.x, box.y, box.w, ui.px(bars_height - 4)}, map.cells, of.row, color);
    caption += fmt::format(": the row of {} {}", of.row, name_of_row(ui, of, of.row));
  } else {
    const float side = ui.px(map_side - 6);
    const auto rows = static_cast<float>(map.cells.rows), columns = static_cast<float>(map.cells.columns);
    const Rect place{box.x, box.y, std::min(box.w, rows < columns ? side * std::min(columns / rows, 2.0F) : side),
                     side};
    draw_map(ui, map, place, MapSize::small);
    ui.frame(place.inset(-1), ui.theme().line_strong);
  }
  ui.text_in(Type::note, below, ui.theme().text_faint, ui.fitted(Type::note, caption, below.w));
  ui.log("term/picture", box, caption);
}

}  // namespace

Terms glossary_terms(const char* path, const Model& model) {
  return {path,
          [](std::string_view words) {
            const GlossaryEntry* entry = term_named(words);
            return entry ? entry->forms.front() : std::string();
          },
          model.term};
}

void draw_term_card(Form& form, const Model& model, PanelMemory& memory, TermCard card_of, Actions& actions) {
  const GlossaryEntry* entry = term_named(model.term);
  if (model.term.empty() || !entry) return;
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const auto of = card_of == TermCard::with_picture ? pictured(model, *entry) : std::nullopt;
  const float width = form.column.w - ui.px(16);
  const float words = paragraph(ui, {}, width, t.text, entry->text, false, Type::label);
  const float picture = of ? height_of_picture(ui, entry->picture) : 0;
  const Rect card{form.column.x - ui.px(6), form.y, form.column.w + ui.px(12),
                  words + ui.px(56) + (picture > 0 ? picture + ui.px(10) : 0)};
  ui.fill(card, t.canvas, ui.px(8));
  ui.frame(card, t.line_strong, ui.px(8));
  Rect inside = card.inset(ui.px(14), ui.px(10));
  Rect title = inside.take_top(ui.px(28));
  if (icon_button(ui, "term/close", title.take_right(ui.px(28)), Icon::close, "Close (Esc)"))
    actions.push_back(ShowTerm{});
  ui.text_in(Type::body_strong, title, t.text, entry->term);
  paragraph(ui, {inside.x, inside.y}, width, t.text, entry->text, true, Type::label);
  ui.log("term/words", {inside.x, inside.y, inside.w, words}, entry->text);
  inside.take_top(words + ui.px(10));
  if (picture > 0) draw_picture_of_term(ui, {inside.x, inside.y, inside.w, picture}, model, memory, *entry, *of);
  form.y = card.bottom() + ui.px(14);
}

}  // namespace headlight::app
