// Every head's difference as a thumbnail, on one scale, and its largest change in words; what two results differ in
// most.

#include <numeric>

#include "app/panels/compare/parts.h"
#include "app/reading/key_place.h"
#include "app/reading/printed.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

// "+0.31 on→sat"
std::string largest_in_words(Ui& ui, const Model& model, const SideBySide& both, const Difference& d, Contrast contrast,
                             float range, bool rounding) {
  if (d.greatest == 0) return "no change";
  if (rounding) return "rounding alone";
  const Slice slice = slice_of(*both.step_b, both.focus_b);
  const std::string cell = cell_in_words(*model.trace(), slice, d.rows.b[static_cast<std::size_t>(d.row)],
                                         d.columns.b[static_cast<std::size_t>(d.column)], both.focus_b.selection, "→");
  return fmt::format("{} {}{}", contrast_text(d.greatest_cell(), {-range, range}, contrast),
                     slice.is_picture() ? "at " : "", ui.fonts().display_text(cell));
}

std::vector<Index> order_of(const ContrastMaps& maps, bool by_size) {
  std::vector<Index> order(maps.heads.size());
  std::iota(order.begin(), order.end(), maps.first);
  if (by_size) std::ranges::stable_sort(order, std::greater<>(), [&](Index head) { return maps.of_head(head)->total; });
  return order;
}

void draw_line(Ui& ui, Rect line, const Model& model, const ContrastMaps& maps, Actions& actions) {
  const bool ratio = contrast_of(model) == Contrast::ratio;
  const std::string title = ratio ? "B / A in every head" : "B − A in every head";
  const bool by_size = model.document.contrast.by_size;
  const std::string label = by_size ? "By number" : "By size";
  Rect rest = line;
  const Rect place = rest.take_right(ui.width_of(Type::control, "By number") + ui.px(28)).inset(0, ui.px(1));
  if (button(ui, "compare/heads/order", place, label, ButtonLook::ghost)) actions.push_back(SortChanges{!by_size});
  words_at_left(ui, Type::label_strong, rest, ui.theme().text, title, 12);
  std::string words = by_size ? "one scale, the most changed first" : "one scale, largest change below each map";
  if (!maps.all_heads) words = "too many numbers for all heads: the one that is shown";
  if (ui.width_of(Type::note, words) <= rest.w) ui.text_in(Type::note, rest, ui.theme().text_faint, words);
}

// A sentence, and a button below it.
bool text_button(Form& form, const std::string& words, const std::string& label) {
  Ui& ui = form.ui;
  const float top = form.y;
  form.y += ui.px(8);
  form.words(ui.theme().text, words, Type::label);
  ui.log("compare/most", {form.column.x, top, form.column.w, form.y - top}, words);
  form.y += ui.px(8);
  return button(ui, "compare/most/show", form.line(32).take_left(ui.width_of(Type::control, label) + ui.px(28)), label);
}

std::string head_in_words(const Model& model, Index head) {
  const std::string name = head_name(*model.trace(), head);
  return fmt::format("Head {}{} changes most. ", head, name.starts_with("Head ") ? "" : ", " + name + ",");
}

}  // namespace

bool has_compared_heads(const Model& model, const SideBySide& both, PanelMemory& memory) {
  return contrast_in(memory).maps(model, both, contrast_of(model)).heads.size() > 1;
}

void draw_compared_heads(Ui& ui, Rect box, const Model& model, const SideBySide& both, PanelMemory& memory,
                         Actions& actions) {
  const Contrast contrast = contrast_of(model);
  const ContrastMaps& maps = contrast_in(memory).maps(model, both, contrast);
  draw_line(ui, box.take_top(ui.px(30)), model, maps, actions);
  const std::vector<Index> order = order_of(maps, model.document.contrast.by_size);
  const float words = ui.px(18), high = box.h - words;
  const float least = std::min(ui.px(120), high);
  const auto across = std::max<Index>(1, std::min(static_cast<Index>(order.size()), static_cast<Index>(box.w / least)));
  const float pitch = std::min(box.w / static_cast<float>(across), std::max(least, high + ui.px(20)));
  scroll_area(ui, "compare/heads", box, [&](Rect area) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const Rect place{area.x + pitch * static_cast<float>(at % across),
                       area.y + box.h * static_cast<float>(at / across), pitch, box.h};
      if (place.bottom() < box.y || place.y > box.bottom()) continue;
      const Index head = order[i];
      const Difference& d = *maps.of_head(head);
      ThumbnailData data;
      data.map = *contrast_in(memory).map(ui, model, both, contrast, head);
      data.map.key = "head/" + data.map.key;
      data.number = head_number(*model.trace(), head);
      data.name = head_name(*model.trace(), head);
      data.current = head == model.document.look.head;
      const Slice slice = slice_of(*both.step_b, both.focus_b);
      const auto row = selected_row(slice, both.focus_b.selection),
                 column = selected_column(slice, both.focus_b.selection);
      if (row && column)
        if (const auto r = d.rows.place_of_b(*row), c = d.columns.place_of_b(*column); r && c)
          data.selected = CellAt{*r, *c};
      const std::string path = fmt::format("compare/heads/{}", head);
      const Rect thumbnail{place.x, place.y, place.w, place.h - words};
      if (data.current) ui.fill(place, ui.theme().brand_soft, ui.px(8));
      if (head_thumbnail(ui, path, thumbnail, data).clicked) actions.push_back(SetHead{head});
      const Rect line{place.x + ui.px(10), place.bottom() - words - ui.px(4), place.w - ui.px(14), words};
      const std::string said = largest_in_words(ui, model, both, d, contrast, maps.greatest, maps.rounding);
      ui.text(Type::number_note, {line.x, line.y}, ui.theme().text_muted, ui.fitted(Type::number_note, said, line.w));
      ui.log(path + "/largest", line, said);
    }
    return box.h * static_cast<float>((static_cast<Index>(order.size()) + across - 1) / across);
  });
}

std::string most_changed_in_words(const Ui& ui, const Model& model, const RunNumbers& numbers) {
  const Step* output = model.trace()->output();
  if (!numbers.most_at || !output) return {};
  const Slice slice = slice_of(*output, {.batch = model.document.look.batch});
  return fmt::format(", most at {} {}, by {:.1f} %", *numbers.most_at,
                     ui.fonts().display_text(label_of(slice.rows, *numbers.most_at, slice.item)), numbers.most * 100);
}

void draw_most_changed(Form& form, const Outcome& a, const Model& model, PanelMemory& memory, Actions& actions) {
  if (contrast_of(model) != Contrast::difference) return;
  const SideBySide both = contrast_in(memory).side_by_side(model, a);
  if (!both.why_not.empty()) return;
  const ContrastMaps& maps = contrast_in(memory).maps(model, both, Contrast::difference);
  if (!maps.why_not.empty() || maps.heads.empty()) return;
  const Index head = maps.most_changed();
  const Difference& d = *maps.of_head(head);
  if (d.greatest == 0 || maps.rounding) {
    const std::string here = d.greatest == 0 ? "At this step nothing changes."
                                             : fmt::format(
                                                   "At this step A and B are the same but for rounding, {} at "
                                                   "most.",
                                                   number_text(maps.greatest, 2));
    const Step* first = model.trace()->find(contrast_in(memory).numbers(model, a).first_changed);
    if (first && first != both.step_b) {
      if (text_button(form, fmt::format("{} The first that differs is {}.", here, first->info.title),
                      fmt::format("Show {}", first->info.title)))
        actions.push_back(ShowStep{first->info.id});
    } else if (d.greatest > 0) {
      form.log_words("compare/most", form.ui.theme().text, here, Type::label);
    }
    return;
  }
  Focus focus = both.focus_b;
  focus.head = head;
  const Slice slice = slice_of(*both.step_b, focus);
  const Index row = d.rows.b[static_cast<std::size_t>(d.row)], column = d.columns.b[static_cast<std::size_t>(d.column)];
  const bool pair = slice.columns && role_along(*slice.columns) == AxisRole::key;
  std::string between = slice.columns ? fmt::format(", {} ", slice.columns->name) : ", ";
  if (pair) between = " → ";
  const std::string cell = cell_in_words(*model.trace(), slice, row, column, both.focus_b.selection, between.c_str());
  const std::string words = fmt::format(
      "{} largest change is {}, at {}{}.", maps.heads.size() > 1 ? head_in_words(model, head) + "Its" : "The",
      change_text(d.greatest_cell()), slice.positions == Role::key ? "key " : "", form.ui.fonts().display_text(cell));
  if (!text_button(form, words, "Show that cell")) return;
  if (maps.heads.size() > 1) actions.push_back(SetHead{head});
  actions.push_back(Select{selection_at(slice, row, column, model.document.look.selection), true});
}

}  // namespace headlight::app
