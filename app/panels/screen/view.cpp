#include "app/panels/screen/parts.h"

#include "app/panels/common/map_parts.h"
#include "app/panels/common/notices.h"
#include "app/panels/dialogs/dialogs.h"
#include "app/panels/heads/heads.h"
#include "app/panels/layers/parts.h"
#include "app/panels/mechanism/mechanism_view.h"
#include "app/panels/views/change_view.h"
#include "app/panels/views/view_header.h"
#include "app/panels/views/views.h"

namespace headlight::app {

namespace {

// Whether nothing is written where a sentence should stand: a map of the start token alone would tell nothing.
bool is_blank(const Model& model) {
  if (!model.error.empty()) return false;  // the last map stays beside an error
  const InputSpec* input = model.input(model.primary_input());
  const auto* text = input ? std::get_if<TextInput>(input) : nullptr;
  return text && text->text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// What the input is has no result yet: what could be done about it.
void draw_empty(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const Point middle = box.middle();
  const InputSpec* input = model.input(model.primary_input());
  const bool text = !input || kind_of(*input) == InputKind::text;
  const Rect words{box.x, middle.y - ui.px(50), box.w, ui.px(24)};
  ui.text_in(Type::title, words, ui.theme().text,
             !model.error.empty() ? "There is no result: the card above says why"
             : text               ? "Type a sentence at the left, or open an example"
                                  : "There is no result of this input yet",
             Ui::Align::center);
  draw_ways_to_begin(ui, middle, actions);
  draw_recent_files(ui, {box.x, middle.y + ui.px(56), box.w, box.bottom() - middle.y - ui.px(56)}, model, actions);
}

// Pairs whose keys lie on a grid, in the map view: they are drawn where they stand.
bool shows_picture(const Model& model) {
  const Slice slice = slice_of(*model.step(), focus_of(model.document.look));
  return slice.positions == Role::key && model.step()->axis(AxisRole::query);
}

}  // namespace

void draw_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  Rect inside = box.inset(ui.px(box.w < ui.px(700) ? 18 : 24), 0);
  inside.take_top(ui.px(4));
  inside.take_top(draw_notices(ui, {inside.x, inside.y + ui.px(6), inside.w, 0}, model, actions));
  inside.take_bottom(ui.px(8));
  if (!model.step() || is_blank(model)) {
    if (!model.busy || model.step()) draw_empty(ui, inside, model, actions);
    return draw_busy(ui, box, model);
  }
  switch (shows_change(model) ? ViewMode::matrix : model.document.look.mode) {
    case ViewMode::map:
    case ViewMode::matrix:
      if (shows_picture(model) && !shows_change(model))
        draw_picture_view(ui, inside, model, memory, actions);
      else
        draw_heatmap_view(ui, inside, model, memory, actions);
      break;
    case ViewMode::lines:
      draw_lines(ui, inside, model, memory, actions);
      break;
    case ViewMode::numbers:
      draw_numbers(ui, inside, model, memory, actions);
      break;
    case ViewMode::mechanism:
      draw_view_header(ui, inside.take_top(ui.px(inside.h > ui.px(400) ? 48 : 42)), model, "", "", actions, true);
      inside.take_top(ui.px(4));
      draw_mechanism_view(ui, inside, model, memory, actions);
      break;
    case ViewMode::layers:
      if (model.shows_layers())
        draw_layers_view(ui, inside, model, actions);
      else
        draw_heatmap_view(ui, inside, model, memory, actions);
      break;
    case ViewMode::heads:
      draw_heads_report(ui, inside, model, memory, actions);
      break;
  }
  draw_busy(ui, box, model);
}

}  // namespace headlight::app
