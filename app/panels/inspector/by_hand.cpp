#include "app/panels/inspector/parts.h"

#include <cmath>
#include <limits>

#include "app/panels/common/form.h"
#include "app/reading/edits_offered.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_listed = 8;  // edits; the file may hold thousands

// One number for all cells between two that are pinned. On a picture they are no block of the array.
void draw_block(Form& form, const Model& model, Index first, double now, Actions& actions) {
  const Step& step = *model.step();
  const auto last = second_cell(model);
  const Slice slice = slice_of(step, focus_of(model.document.look));
  if (!last || slice.is_picture()) return;
  Ui& ui = form.ui;
  const Edit block = edit_of_cells(step, first, *last, now);
  Index cells = 1;
  for (const auto& span : block.at) cells *= span->last - span->first + 1;
  const Rect box = form.row(fmt::format("These {} cells", cells)).take_right(ui.px(120));
  ui.frame(box, ui.theme().line_strong, ui.px(control_radius));
  const double most = std::numeric_limits<float>::max();
  if (const auto typed = real_box(ui, "by hand/block", box.inset(ui.px(8), 0), now, -most, most))
    actions.push_back(AddEdit{edit_of_cells(step, first, *last, *typed)});
}

// The number of the pinned cell, to be typed over.
void draw_number(Form& form, const Model& model, Actions& actions) {
  const Step& step = *model.step();
  const auto cell = cell_looked_at(step, focus_of(model.document.look));
  if (!cell) return;
  const auto now = static_cast<double>(step.tensor()[*cell]);
  if (!std::isfinite(now)) return;
  Ui& ui = form.ui;
  const Rect box = form.row("This number").take_right(ui.px(120));
  ui.frame(box, ui.theme().line_strong, ui.px(control_radius));
  const double most = std::numeric_limits<float>::max();
  if (const auto typed = real_box(ui, "by hand/number", box.inset(ui.px(8), 0), now, -most, most))
    actions.push_back(AddEdit{edit_of_cell(step, *cell, *typed)});
  draw_block(form, model, *cell, now, actions);
  if (const auto number = edit_to_move(step, focus_of(model.document.look), model.document.experiment->edits)) {
    const std::string words = fmt::format("Edit {} holds this cell: Alt and an arrow move it.", *number);
    const Rect line{form.column.x, form.y, form.column.w, 0};
    form.y += paragraph(ui, {line.x, line.y}, line.w, ui.theme().text_muted, words, true, Type::note);
    ui.log("by hand/moves", {line.x, line.y, line.w, form.y - line.y}, words);
  }
  form.y += ui.px(6);
}

// In as many rows as they need.
void draw_offers(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  Focus focus = focus_of(model.document.look);
  if (!shows_pinned(model)) focus.selection = {};
  const float left = form.column.x, right = form.column.right(), height = ui.px(30);
  float x = left;
  const auto offers = edits_offered(*model.trace(), *model.step(), focus);
  for (const EditOffer& offer : offers) {
    const float width = std::min(ui.width_of(Type::control, offer.label) + ui.px(20), form.column.w);
    if (x > left && x + width > right) {
      x = left;
      form.y += height + ui.px(6);
    }
    const Rect place{x, form.y, width, height};
    const std::string path = fmt::format("by hand/{}", offer.id);
    if (button(ui, path, place, offer.label)) actions.push_back(AddEdit{offer.edit});
    ui.tooltip(path, place, offer.about);
    x += width + ui.px(6);
  }
  if (!offers.empty()) form.y += height + ui.px(8);
}

void draw_edits(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const auto& edits = model.document.experiment->edits;
  for (std::size_t i = 0; i < std::min(edits.size(), most_listed); ++i) {
    const auto number = static_cast<Index>(i + 1);
    const std::string words = fmt::format("{}  {}", number, words_on(model.trace(), edits[i]));
    const float width = form.column.w - ui.px(84);
    const Color32 color = edits[i].on ? ui.theme().text : ui.theme().text_faint;
    const float height = std::max(ui.px(32), paragraph(ui, {}, width, color, words, false, Type::label) + ui.px(10));
    Rect line{form.column.x, form.y, form.column.w, height};
    form.y += height;
    const Rect place = line;
    const std::string path = fmt::format("by hand/edit/{}", number);
    ui.log(path, place, words, edits[i].on ? "" : "off");
    if (icon_button(ui, path + "/remove", line.take_right(ui.px(28)).inset(0, (height - ui.px(28)) / 2), Icon::close,
                    fmt::format("Remove edit {}", number)))
      actions.push_back(RemoveEdit{number});
    const Rect at = line.take_right(ui.px(48)).inset(0, (height - ui.px(22)) / 2);
    if (const auto on = toggle(ui, path + "/on", {at.x + ui.px(4), at.y, ui.px(40), at.h}, edits[i].on))
      actions.push_back(SwitchEdit{number, *on});
    paragraph(ui, {line.x, line.y + ui.px(6)}, width, color, words, true, Type::label);
  }
  if (edits.size() > most_listed) {
    const std::string more = fmt::format("and {} more, in the experiment's file", edits.size() - most_listed);
    ui.text_in(Type::note, form.row("", 22), ui.theme().text_faint, more);
  }
  if (edits.size() > 1) {
    const Rect place{form.column.x, form.y + ui.px(4), ui.px(110), ui.px(30)};
    if (button(ui, "by hand/remove all", place, "Remove all", ButtonLook::ghost)) actions.push_back(RemoveEdits{});
    form.y += ui.px(38);
  }
}

}  // namespace

float draw_by_hand(Ui& ui, Rect box, const Model& model, Actions& actions) {
  if (!model.trace() || !model.step()) return 0;
  Form form{ui, box, box.y};
  form.heading("Set by hand");
  if (!shows_pinned(model) && !model.settings.expert)
    form.y += paragraph(ui, {box.x, form.y}, box.w, ui.theme().text_muted,
                        "Change a number and see what follows from it: pin a cell and type another.") +
              ui.px(8);
  if (shows_pinned(model)) draw_number(form, model, actions);
  draw_offers(form, model, actions);
  draw_edits(form, model, actions);
  return form.y + ui.px(10) - box.y;
}

}  // namespace headlight::app
