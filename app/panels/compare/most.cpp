// What two results differ in most: the token whose output changes, the head and the cell of the step that is shown, and
// the first step that differs where this one does not.
#include <fmt/format.h>

#include <algorithm>

#include "app/panels/common/form.h"
#include "app/panels/compare/parts.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

// A sentence, and a button below it.
bool draw_way(Form& form, const std::string& words, const std::string& label) {
  Ui& ui = form.ui;
  const float top = form.y;
  form.y += ui.px(8);
  form.words(ui.theme().text, words, Type::label);
  ui.log("compare/most", {form.column.x, top, form.column.w, form.y - top}, words);
  form.y += ui.px(8);
  const float width = std::min(form.column.w, ui.width_of(Type::control, label) + ui.px(28));
  const Rect place{form.column.x, form.y, width, ui.px(32)};
  form.y = place.bottom();
  return button(ui, "compare/most/show", place, label);
}

std::string head_in_words(const Model& model, Index head) {
  const std::string name = head_name(*model.trace(), head);
  return fmt::format("Head {}{} changes most. ", head + 1, name.starts_with("Head ") ? "" : ", " + name + ",");
}

}  // namespace

std::string most_changed_in_words(const Ui& ui, const Model& model, const RunNumbers& numbers) {
  const Step* output = model.trace()->output();
  if (!numbers.most_at || !output) return {};
  const Slice slice = slice_of(*output, {.batch = model.document.look.batch});
  return fmt::format(", most at {} {}, by {:.1f} %", *numbers.most_at,
                     ui.fonts().display_text(label_of(slice.rows, *numbers.most_at)), numbers.most * 100);
}

void draw_most_changed(Form& form, const Outcome& a, const Model& model, PanelMemory& memory, Actions& actions) {
  if (contrast_of(model) != Contrast::difference) return;
  const SideBySide both = memory.get<CompareMemory>().contrast.lay_beside(model, a);
  if (!both.why_not.empty()) return;
  const ContrastMaps& maps = memory.get<CompareMemory>().contrast.maps(model, both, Contrast::difference);
  if (!maps.why_not.empty() || maps.heads.empty()) return;
  const Index head = maps.most_changed();
  const Difference& d = *maps.of_head(head);
  if (d.greatest == 0) {
    const Step* first = model.trace()->find(memory.get<CompareMemory>().contrast.numbers(model, a).first_changed);
    if (first && first != both.step_b &&
        draw_way(form, fmt::format("At this step nothing changes. The first that differs is {}.", first->info.title),
                 fmt::format("Show {}", first->info.title)))
      actions.push_back(ShowStep{first->info.id});
    return;
  }
  Focus focus = both.focus_b;
  focus.head = head;
  const Slice slice = slice_of(*both.step_b, focus);
  const Index row = d.rows.b[static_cast<std::size_t>(d.row)], column = d.columns.b[static_cast<std::size_t>(d.column)];
  const auto named = [&](const Axis* axis, Index at) { return form.ui.fonts().display_text(label_of(axis, at)); };
  const bool pair = slice.columns && role_along(*slice.columns) == AxisRole::key;
  const std::string to = slice.is_picture() || !slice.columns ? ","
                         : pair                               ? " →"
                                                              : fmt::format(", {}", slice.columns->name);
  const std::string words =
      fmt::format("{} largest change is {}{} {}, {}.",
                  maps.heads.size() > 1 ? head_in_words(model, head) + "Its" : "The", named(slice.rows, row), to,
                  named(slice.columns, column), change_text(d.cells[d.row * d.columns.size() + d.column]));
  if (!draw_way(form, words, "Show that cell")) return;
  if (maps.heads.size() > 1) actions.push_back(SetHead{head});
  actions.push_back(Select{selection_at(slice, row, column, model.document.look.selection), true});
}

}  // namespace headlight::app
