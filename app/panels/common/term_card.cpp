// A word of the glossary where it stands: two sentences, and the screen's own numbers that show it.
#include <algorithm>
#include <cmath>

#include "app/panels/common/map_parts.h"
#include "app/panels/common/term_card.h"
#include "app/reading/glossary.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"
#include "engine/core/utf8.h"

namespace headlight::app {

namespace {

// What the picture is of: an array of the run, and a row of it.
struct PicturedRow {
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
std::optional<Index> same_word_row(const Slice& slice, Index row) {
  const auto& labels = labels_of_rows(slice);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (static_cast<Index>(i) != row && labels[i] == labels[static_cast<std::size_t>(row)])
      return static_cast<Index>(i);
  return std::nullopt;
}

// The row that is looked at, else the last whose word stands elsewhere too, else the last.
Index picture_row(const Slice& slice, const Selection& selection) {
  if (const auto row = selected_row(slice, selection); row && *row < slice.matrix.rows) return *row;
  for (Index row = std::ssize(labels_of_rows(slice)) - 1; row > 0; --row)
    if (same_word_row(slice, row)) return row;
  return slice.matrix.rows - 1;
}

// That which the term is about, by its name; else the one that is looked at.
Index picture_head(const Model& model, const GlossaryEntry& entry, Index shown) {
  const auto& heads = model.trace()->heads;
  if (entry.head.empty()) return shown;
  const auto found = std::ranges::find_if(heads, [&](const auto& head) { return head.name.starts_with(entry.head); });
  return found == heads.end() ? shown : static_cast<Index>(found - heads.begin());
}

// Nothing where the run has none of the arrays, or shows it as a picture.
std::optional<PicturedRow> find_pictured(const Model& model, const GlossaryEntry& entry) {
  for (const std::string& id : entry.arrays) {
    const Step* step = model.trace()->find(id);
    if (!step || step->tensor().size() == 0) continue;
    Focus focus = effective_focus(model);
    focus.flat = true;
    if (has_heads(*step)) focus.head = picture_head(model, entry, focus.head);
    PicturedRow found{step, focus.head, slice_of(*step, focus), 0};
    if (found.slice.is_picture() || found.slice.matrix.empty()) continue;
    found.row = picture_row(found.slice, effective_selection(model));
    return found;
  }
  return std::nullopt;
}

std::string name_of_row(Ui& ui, const PicturedRow& of, Index row) {
  return ui.fonts().display_text(label_of(of.slice.rows, row, of.slice.item));
}

void draw_strips(Ui& ui, Rect box, const MapData& map, const PicturedRow& of) {
  const Index other =
      same_word_row(of.slice, of.row).value_or(of.row > 0 ? of.row - 1 : std::min<Index>(1, of.slice.matrix.rows - 1));
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
                          const PicturedRow& of) {
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

// What a card shows: a term, what is shown of the run, and what else there is to say where it stands.
struct CardContent {
  GlossaryEntry entry;
  std::optional<PicturedRow> of;
  std::string note;
};

CardContent make_card(GlossaryEntry entry, const Model& model, TermCard card_of) {
  CardContent card{std::move(entry), {}, {}};
  if (card_of == TermCard::with_picture && model.trace()) card.of = find_pictured(model, card.entry);
  return card;
}

constexpr float card_sides = 14, card_ends = 10, title_height = 28;  // px of the design

float height_of_card(Ui& ui, float width, const CardContent& card) {
  const float inside = width - ui.px(2 * card_sides);
  float height =
      ui.px(title_height + 2 * card_ends) + paragraph(ui, {}, inside, 0, card.entry.text, false, Type::label);
  if (!card.note.empty()) height += ui.px(8) + paragraph(ui, {}, inside, 0, card.note, false, Type::note);
  const float picture = card.of ? height_of_picture(ui, card.entry.picture) : 0;
  return picture > 0 ? height + ui.px(10) + picture : height;
}

// Returns what is left of the line of its title.
Rect draw_card(Ui& ui, Rect place, const CardContent& card, const Model& model, PanelMemory& memory) {
  const Theme& t = ui.theme();
  ui.fill(place, t.canvas, ui.px(8));
  ui.frame(place, t.line_strong, ui.px(8));
  Rect inside = place.inset(ui.px(card_sides), ui.px(card_ends));
  Rect title = inside.take_top(ui.px(title_height));
  ui.text_in(Type::body_strong, title.take_left(title.w - ui.px(title_height)), t.text, card.entry.term);
  const auto say = [&](Type type, Color32 color, const std::string& words) {
    inside.take_top(paragraph(ui, {inside.x, inside.y}, inside.w, color, words, true, type));
  };
  const Point top{inside.x, inside.y};
  say(Type::label, t.text, card.entry.text);
  ui.log("term/words", {top.x, top.y, inside.w, inside.y - top.y}, card.entry.text);
  if (!card.note.empty()) {
    inside.take_top(ui.px(8));
    say(Type::note, t.text_muted, card.note);
    ui.log("term/note", inside, card.note);
  }
  const float picture = card.of ? height_of_picture(ui, card.entry.picture) : 0;
  inside.take_top(ui.px(10));
  if (picture > 0)
    draw_picture_of_term(ui, {inside.x, inside.y, inside.w, picture}, model, memory, card.entry, *card.of);
  return title;
}

// ---- What the pointer rests on

// The byte of a text that lies under the pointer.
std::size_t pointed_byte(const Ui& ui, const Ui::PointedText& pointed) {
  const float x = ui.mouse().x - pointed.rect.x;
  const auto ends = grapheme_bounds(pointed.text);
  const auto end = std::ranges::find_if(ends, [&](std::size_t bytes) {
    return ui.width_of(pointed.type, std::string_view(pointed.text).substr(0, bytes)) > x;
  });
  return end == ends.begin() || end == ends.end() ? pointed.text.size() : *(end - 1);
}

// The whole text, else what its sign on the strip stands for ("q kᵀ" are scores), else the words round the one that is
// pointed at. An arrow, as at the ends of axes, is no part of a term.
const GlossaryEntry* pointed_term(const Ui& ui, const Ui::PointedText& pointed, const Trace* trace) {
  std::string_view text = pointed.text;
  for (const std::string_view arrow : {" ↓", " →"})
    if (text.ends_with(arrow)) text.remove_suffix(arrow.size());
  if (const GlossaryEntry* whole = term_named(bare_word(text))) return whole;
  if (trace)
    if (const auto stage = std::ranges::find(trace->stages, text, &Stage::tile); stage != trace->stages.end())
      return term_of(*stage);
  const bool upwards = pointed.rect.h > pointed.rect.w;
  return upwards ? nullptr : term_at(text, pointed_byte(ui, pointed));
}

// A head of the run that is called so: "Induction", "3 Induction", "Head 3 · Induction".
std::optional<GlossaryEntry> pointed_head(const Trace& trace, std::string_view text) {
  const std::string map_id = trace.map() ? trace.map()->info.id : std::string();
  for (const HeadInfo& head : trace.heads)
    if (!head.name.empty() && !head.sentence.empty() && text.ends_with(head.name))
      return GlossaryEntry{head.name, {}, {}, head.sentence, TermPicture::map, {map_id}, head.name};
  return std::nullopt;
}

// A parameter of the mechanism by its title, which says itself what it does.
std::optional<GlossaryEntry> pointed_param(const Model& model, std::string_view text) {
  const auto& experiment = model.document.experiment;
  const Variant* variant = experiment ? find_variant(experiment->variant) : nullptr;
  if (!variant) return std::nullopt;
  for (const ParamSpec& spec : variant->params())
    if (spec.title == text) return GlossaryEntry{spec.title, {}, {}, spec.help, TermPicture::none, {}, {}};
  return std::nullopt;
}

// The words of the input are what they are, whatever they mean elsewhere.
bool is_word_of_input(const Trace& trace, std::string_view text) {
  return std::ranges::any_of(trace.steps, [&](const Step& step) {
    return std::ranges::any_of(step.info.axes, [&](const Axis& axis) {
      return axis.along != AxisRole::head && std::ranges::find(axis.labels, text) != axis.labels.end();
    });
  });
}

std::optional<GlossaryEntry> pointed_entry(const Ui& ui, const Model& model, const Trace* trace, TermCard card_of) {
  const auto& pointed = ui.pointed_text();
  if (!pointed || model.settings.expert) return std::nullopt;
  const bool is_sign = pointed->text.starts_with("⟨");  // ⟨s⟩ is no word
  if (trace && !is_sign && is_word_of_input(*trace, pointed->text)) return std::nullopt;
  const bool of_run = card_of == TermCard::with_picture;  // heads and parameters are those of what is open
  if (trace && of_run)
    if (auto head = pointed_head(*trace, pointed->text)) return head;
  const GlossaryEntry* entry = pointed_term(ui, *pointed, trace);
  if (!entry) return of_run ? pointed_param(model, pointed->text) : std::nullopt;
  return entry->forms.front() == model.term ? std::nullopt : std::optional(*entry);
}

// What the pointer rests on, and since when; not what was pressed.
struct PointedTerm {
  std::string what;
  double since = 0;  // on the window's clock
  bool pressed = false;
};

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
  const CardContent card = make_card(*entry, model, card_of);
  Rect place{form.column.x - ui.px(6), form.y, form.column.w + ui.px(12), 0};
  place.h = height_of_card(ui, place.w, card);
  const Rect title = draw_card(ui, place, card, model, memory);
  if (icon_button(ui, "term/close", title, Icon::close, "Close (Esc)")) actions.push_back(ShowTerm{});
  form.y = place.bottom() + ui.px(14);
}

void draw_pointed_card(Ui& ui, const Model& model, const Trace* trace, PanelMemory& memory, TermCard card_of) {
  PointedTerm& now = memory.get<PointedTerm>();
  auto entry = pointed_entry(ui, model, trace, card_of);
  const std::string what =
      entry ? fmt::format("{} {:.0f} {:.0f}", entry->term, ui.pointed_text()->rect.x, ui.pointed_text()->rect.y) : "";
  if (what != now.what) now = {what, ui.now(), false};
  if (ui.mouse_down()) now.pressed = true;
  if (!entry || now.pressed) return;
  constexpr double delay = 0.3;
  if (ui.now() < now.since + delay) return ui.redraw_at(now.since + delay);
  CardContent card = make_card(*std::move(entry), model, card_of);
  card.note = ui.take_tooltip();
  ui.on_top([&ui, &model, &memory, card, word = ui.pointed_text()->rect] {
    const float width = ui.px(320), gap = ui.px(6), height = height_of_card(ui, width, card);
    const Rect all = ui.screen().inset(gap);
    Rect place{std::clamp(word.x - ui.px(card_sides), all.x, std::max(all.x, all.right() - width)), word.bottom() + gap,
               width, height};
    if (place.bottom() > all.bottom()) place.y = std::max(all.y, word.y - gap - height);
    draw_card(ui, place, card, model, memory);
    ui.log("term/tip", place, card.entry.term);
  });
}

}  // namespace headlight::app
