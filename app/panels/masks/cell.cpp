// The right of the mask laboratory: rows without a key and what repairs them, the equation in words, what every layer
// says of the cell that is looked at, and what of the work the mask saves.
#include <cmath>

#include "app/panels/common/form.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/common/notices.h"
#include "app/panels/masks/parts.h"
#include "app/reading/printed.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

std::string rows_in_words(const MaskReading& mask) {
  return mask.empty.size() == 1 ? std::string("1 row has no visible key")
                                : fmt::format("{} rows have no visible key", mask.empty.size());
}

struct Repair {
  std::string label, about;
  Action action;
};

std::vector<Repair> find_repairs(const Model& model, const MaskReading& mask) {
  std::vector<Repair> repairs;
  if (why_not_paint(model).empty())
    repairs.push_back({"Let every query see itself",
                       mask.empty.size() == 1 ? std::string("+1 cell") : fmt::format("+{} cells", mask.empty.size()),
                       ShowThemselves{}});
  for (const SeenLayer& layer : mask.layers) {
    const bool painted = layer.kind == SeenLayer::Kind::painted;
    const MaskOption* option = mask_rule(model, layer.id);
    if (!painted && (!option || !why_not_switched(model, *option).empty())) continue;
    const Index rows = rows_freed(mask, layer.id);
    if (rows == 0) continue;
    repairs.push_back({fmt::format("Switch {} off", painted ? "paint" : option->layer().title),
                       rows == 1 ? std::string("1 row") : fmt::format("{} rows", rows),
                       SwitchLayer{painted ? std::string(painted_layer) : layer.id, false}});
  }
  return repairs;
}

// Of the empty row that is looked at, else of the first: "Query 0 ⟨s⟩: Causal hides 11 of its 12 keys, Padding 2."
std::string empty_row_reason(const Ui& ui, const Model& model, const MaskReading& mask) {
  const Axis* queries = model.trace()->map()->axis(AxisRole::query);
  const auto chosen = selected_along(queries, effective_selection(model));
  const Index row = chosen && std::ranges::count(mask.empty, *chosen) > 0 ? *chosen : mask.empty.front();
  const std::string name = ui.fonts().display_text(label_of(queries, row, model.document.look.batch));
  const Index number = queries && queries->only ? *queries->only : row;
  return fmt::format("Query {}{}: {}", number, labels_are_numbers(*queries) ? "" : " " + name, why_empty(mask, row));
}

// Which rows are empty and why, with what would give them a key.
void draw_empty_rows(Form& form, const Model& model, const MaskReading& mask, Actions& actions) {
  if (mask.empty.empty()) return;
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const std::string text =
      empty_row_reason(ui, model, mask) +
      " Softmax of nothing is 0 / 0. The weights and the output are 0 here by definition; PyTorch’s softmax alone "
      "gives NaN.";
  const auto repairs = find_repairs(model, mask);
  const Rect inside = form.column.inset(ui.px(14), 0);
  const float words = paragraph(ui, {}, inside.w, t.text, text, false, Type::label);
  const Rect card{form.column.x, form.y, form.column.w,
                  ui.px(46) + words + ui.px(40) * static_cast<float>(repairs.size()) + ui.px(14)};
  ui.fill(card, t.warning_soft, ui.px(8));
  ui.frame(card, t.warning, ui.px(8));
  draw_icon(ui, Icon::warning, {inside.x + ui.px(8), card.y + ui.px(22)}, t.warning);
  ui.text_in(Type::label_strong, {inside.x + ui.px(24), card.y + ui.px(10), inside.w - ui.px(24), ui.px(24)}, t.warning,
             rows_in_words(mask));
  paragraph(ui, {inside.x, card.y + ui.px(40)}, inside.w, t.text, text, true, Type::label);
  ui.log("masks/empty", card, rows_in_words(mask) + ". " + text);
  float y = card.y + ui.px(46) + words;
  for (std::size_t i = 0; i < repairs.size(); ++i) {
    const Rect place{inside.x, y + ui.px(4), inside.w, ui.px(32)};
    const std::string path = fmt::format("masks/repair/{}", i + 1);
    if (button(ui, path, place, fmt::format("{} · {}", repairs[i].label, repairs[i].about)))
      actions.push_back(repairs[i].action);
    y += ui.px(40);
  }
  form.y = card.bottom() + ui.px(18);
}

// A name at the left and what is said of it at the right, on as many lines as it needs.
void draw_line(Form& form, const std::string& name, const std::string& words, Color32 color) {
  Ui& ui = form.ui;
  const float left = ui.px(104), width = form.column.w - left;
  const bool fits = ui.width_of(Type::label, words) <= width;
  ui.text(Type::label, {form.column.x, form.y}, ui.theme().text_muted, ui.fitted(Type::label, name, left - ui.px(6)));
  if (fits) {
    ui.text_in(Type::label, {form.column.x + left, form.y, width, ui.line_height(Type::label)}, color, words,
               Ui::Align::right);
    form.y += ui.px(26);
    return;
  }
  form.y += paragraph(ui, {form.column.x + left, form.y}, width, color, words, true, Type::label) + ui.px(8);
}

// "−0.055 → −∞": the score without a mask and with it; nothing where either is not there.
std::optional<std::string> scores_of_cell(const Model& model, Index row, Index key) {
  const Trace& trace = *model.trace();
  const Step *with = trace.scores_before(*trace.map()),
             *without = with && masked_step(trace) ? trace.scores_before(*with) : nullptr;
  if (!without || without->tensor().shape() != with->tensor().shape()) return std::nullopt;
  const auto at = [&](const Step& step) {
    const Tensor& numbers = step.tensor();
    const float value = numbers.at({std::min(model.document.look.batch, numbers.dim(0) - 1),
                                    std::min(model.document.look.head, numbers.dim(1) - 1), row, key});
    return std::isinf(value) && value < 0 ? std::string("−∞") : number_text(value, 3);
  };
  return fmt::format("{} → {}", at(*without), at(*with));
}

void draw_cell(Form& form, const Model& model, const MaskReading& mask) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const Step& map = *model.trace()->map();
  form.heading("Cell");
  ui.text_in(Type::note, {form.column.x, form.y - ui.px(26), form.column.w, ui.px(18)}, t.text_faint,
             why_not_paint(model).empty() ? "click paints, Alt click pins" : "click pins", Ui::Align::right);
  if (const std::string why = why_not_paint(model); !why.empty())
    form.log_words("masks/no-paint", t.text_muted, why + ".", Type::label, 10);
  const Selection at = effective_selection(model);
  const auto row = selected_along(map.axis(AxisRole::query), at), key = selected_along(map.axis(AxisRole::key), at);
  if (!row || !key || !at.query || !at.key || *row >= mask.queries || *key >= mask.keys) {
    form.words(t.text_muted, "Point at a cell: what hides it, rule by rule.", Type::label, 12);
    return;
  }
  draw_pair_of_tokens(ui, form.line(30, 10), *model.trace(), map, *row, *key, model.document.look.batch);
  const Look& look = model.document.look;
  std::string said;
  for (const LayerVerdict& verdict : verdicts(*model.trace(), mask, look.batch, look.head, *row, *key)) {
    draw_line(form, mask.layers[verdict.layer].name, verdict.words, verdict.hides ? t.text : t.text_muted);
    said += fmt::format("{}: {}; ", mask.layers[verdict.layer].name, verdict.words);
  }
  const bool hidden = mask.hidden(*row, *key);
  if (const auto scores = scores_of_cell(model, *row, *key)) {
    draw_line(form, "Score", *scores, t.score.main);
    said += fmt::format("Score: {}; ", *scores);
  }
  const float added = (*mask.sum)[mask.at(*row, *key)];
  if (!hidden && added != 0) draw_line(form, "Added", number_text(added, 4), t.text);
  const Rect box{form.column.x, form.y + ui.px(4), form.column.w, ui.px(40)};
  ui.fill(box, t.mask.soft, ui.px(6));
  badge(ui, {box.x + ui.px(10), box.middle().y - ui.px(badge_size) / 2}, Role::mask);
  const std::string by = hidden_by_words(mask, *row, *key);
  Rect inside = box.inset(ui.px(12), 0);
  inside.take_left(ui.px(26));
  ui.text_in(Type::label, inside, t.text, hidden ? "hidden by" : "visible");
  const float used = ui.width_of(Type::label, "hidden by") + ui.px(10);
  if (hidden)
    ui.text_in(Type::label_strong, {inside.x + used, inside.y, inside.w - used, inside.h}, t.text, by,
               Ui::Align::right);
  ui.log("masks/cell", box, said + (hidden ? "hidden by " + by : std::string("visible")));
  form.y = box.bottom() + ui.px(18);
}

std::string percent(double share) {
  const double of = 100 * share;
  return of > 0 && of < 0.1 ? "< 0.1 %" : fmt::format("{:.1f} %", of);
}

// Small enough that a mask of that size has several.
Index usual_block(const MaskReading& mask) {
  Index side = 1;
  while (side < 128 && 4 * side < std::min(mask.queries, mask.keys)) side *= 2;
  return side;
}

void draw_savings(Form& form, const MaskReading& mask, std::optional<Index>& chosen_block) {
  const Index block = chosen_block.value_or(usual_block(mask));
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const auto share = [&](Index cells) { return static_cast<double>(cells) / static_cast<double>(mask.cells()); };
  form.heading("What the mask saves");
  draw_line(form, "Cells seen", fmt::format("{} of {}: {}", mask.visible, mask.cells(), percent(share(mask.visible))),
            t.text);
  draw_line(form, "Plain kernel", "computes every cell, then hides: saves nothing", t.text);
  constexpr Index sides[] = {1, 2, 4, 8, 16, 32, 64, 128};
  const int chosen = drop_down_of(
      ui, "masks/block", form.row("Blocks of").take_right(ui.px(110)), sides,
      [](Index side) { return fmt::format("{0} × {0}", side); }, [&](Index side) { return side == block; }, 0);
  if (chosen >= 0) chosen_block = sides[chosen];
  form.y += ui.px(6);
  const BlockSavings saved = savings_of_blocks(mask, block);
  const std::string words = fmt::format(
      "{} of {} blocks have a visible cell: a kernel that leaves out the others "
      "computes {} cells, and saves {} of the products.",
      saved.kept, saved.blocks, saved.cells, percent(1 - share(saved.cells)));
  form.log_words("masks/savings", t.text_muted, words, Type::label, 6);
  form.words(t.text_faint,
             "Counted on this mask, not timed. FlexAttention’s blocks are 128 × 128 unless told otherwise.", Type::note,
             8);
}

}  // namespace

bool draw_empty_warning(Ui& ui, Rect& box, const Model& model, const MaskReading& mask) {
  if (mask.empty.empty()) return false;
  box.take_top(ui.px(6));
  return draw_warning(ui, box, "masks/empty", rows_in_words(mask) + ". " + empty_row_reason(ui, model, mask),
                      "What repairs them");
}

float draw_mask_cell(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  Form form{ui, box.inset(ui.px(18), 0), box.y + ui.px(16)};
  const MaskReading* mask = shown_mask(model, memory);
  if (!mask) return ui.px(32);
  draw_empty_rows(form, model, *mask, actions);
  form.heading("The mask in words");
  form.words(ui.theme().text, equation_in_words(*mask), Type::label);
  form.divider(box.x, box.w);
  draw_cell(form, model, *mask);
  form.divider(box.x, box.w);
  draw_savings(form, *mask, memory.get<MaskLab>().block);
  return form.y + ui.px(16) - box.y;
}

}  // namespace headlight::app
