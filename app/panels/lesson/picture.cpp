// What a step of a lesson shows: its map with what is covered, or another view, and the parts beside and below it.
#include <algorithm>
#include <cmath>

#include "app/panels/common/map_parts.h"
#include "app/panels/common/prepared.h"
#include "app/panels/lesson/parts.h"
#include "app/panels/views/parts.h"
#include "app/reading/slice.h"
#include "app/widgets/map_cells.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

bool has_part(const LessonScene& scene, std::string_view part) {
  return std::ranges::find(scene.parts, part) != scene.parts.end();
}

bool is_hidden(const LessonScene& scene, const Slice& slice, Index row, Index column) {
  using What = LessonHidden::What;
  const bool pairs = slice.rows && slice.columns && role_along(*slice.rows) == AxisRole::query;
  const bool by_key = slice.columns && role_along(*slice.columns) == AxisRole::key;
  return std::ranges::any_of(scene.hidden, [&](const LessonHidden& hidden) {
    switch (hidden.what) {
      case What::map:
        return true;
      case What::row:
        return pairs && hidden.query == row;
      case What::column:
        return by_key && hidden.key == column;
      case What::cell:
        return pairs && hidden.query == row && hidden.key == column;
      case What::numbers:
      case What::name:
      case What::sums:
        return false;
    }
    return false;
  });
}

bool hides(const LessonScene& scene, LessonHidden::What what) {
  return std::ranges::any_of(scene.hidden, [&](const LessonHidden& hidden) { return hidden.what == what; });
}

void draw_lesson_map(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Trace& trace = *model.trace();
  const Step& step = *model.step();
  const LessonScene& scene = lesson_scene(model);
  const Look& look = model.document.look;
  const Slice slice = slice_of(step, focus_of(look));
  HeatmapData data = labelled_map(memory, trace, slice, look.selection,
                                  memory.cells.map(ui, model, step, place_of_head(step, look.head)));
  data.pinned = look.pinned;
  if (!look.pinned && look.selection.key && !look.selection.query) data.column.reset();
  const bool numbers = !hides(scene, LessonHidden::What::numbers);
  const MatrixView cells = data.map.cells;
  data.text = [&scene, slice, cells, numbers](Index row, Index column) -> std::string {
    if (!numbers || is_hidden(scene, slice, row, column)) return " ";
    const float number = cells.at(row, column);
    if (is_masked(number)) return "";
    // Whole numbers as such, all others as long as each other: little is not nothing.
    return with_minus_signs(fmt::format("{:.{}f}", number + 0.0F, number == std::round(number) ? 0 : 2));
  };
  const char* later = is_asked(model) ? "asked" : "later";
  data.over = [&](Rect map, const HeatmapData& shown) {
    for (Index row = 0; row < shown.map.cells.rows; ++row)
      for (Index column = 0; column < shown.map.cells.columns; ++column) {
        if (!is_hidden(scene, slice, row + shown.first_row, column + shown.first_column)) continue;
        const Rect cell = cell_rect(map, shown.map.cells, row, column);
        ui.fill({cell.x, cell.y, cell.w - 1, cell.h - 1}, ui.theme().sunken);
        const bool room = ui.width_of(Type::label, later) < cell.w - ui.px(8) && cell.h > ui.px(30);
        if (room && column == shown.map.cells.columns / 2)
          ui.text_in(Type::label, cell, ui.theme().text_faint, later, Ui::Align::center);
      }
  };
  const bool bars_below = has_part(scene, "bars") && cells.rows > 0 && look.selection.query;
  Rect below = box.take_bottom(ui.px(bars_below ? 160 : 56));
  const Rect bar = below.take_top(ui.px(56));
  const auto drawn = heatmap(ui, "lesson/map", box, data);
  if (!hides(scene, LessonHidden::What::map)) {
    const Rect place{drawn.map.x, std::min(bar.y, drawn.map.bottom() + ui.px(18)), std::max(drawn.map.w, ui.px(240)),
                     ui.px(44)};
    color_bar(ui, place, map_scale(data.map, "lesson/bar", lower_first(step.info.title)));
  }
  const bool asks_cell =
      is_asked(model) && model.learner.played->lesson->steps[model.learner.step].ask->kind == AskKind::cell;
  if (drawn.clicked && asks_cell)
    actions.push_back(AnswerLesson{fmt::format("{} {}", drawn.clicked->row, drawn.clicked->column)});
  else if (drawn.clicked && !is_hidden(scene, slice, drawn.clicked->row, drawn.clicked->column))
    actions.push_back(Select{selection_at(slice, drawn.clicked->row, drawn.clicked->column, look.selection), true});
  bool covered = !bars_below || !data.row;
  for (Index column = 0; column < cells.columns && !covered; ++column)
    covered = is_hidden(scene, slice, *data.row, column);
  if (!covered)
    row_bars(ui, drawn.map, drawn.map.bottom() + ui.px(76), ui.px(80), drawn.shown, *data.row, ui.theme().weight.main);
}

// Which view the scene chose.
void draw_shown(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  switch (model.document.look.mode) {
    case ViewMode::numbers:
      return draw_numbers(ui, box, model, memory, actions);
    case ViewMode::lines:
      return draw_lines(ui, box, model, memory, actions);
    case ViewMode::map:
      if (slice_of(*model.step(), focus_of(model.document.look)).positions == Role::key)
        return draw_picture_view(ui, box, model, memory, actions);
      break;
    default:
      break;
  }
  draw_lesson_map(ui, box, model, memory, actions);
}

}  // namespace

void draw_lesson_picture(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const LessonScene& scene = lesson_scene(model);
  if (!model.trace() || !model.step()) return;
  if (has_part(scene, "strip")) draw_pipeline(ui, box.take_top(ui.px(120)), model, memory, actions);
  if (has_part(scene, "sum") && model.document.look.pinned) draw_lesson_sum(ui, box, model);
  box = box.inset(ui.px(40), ui.px(36));
  if (has_part(scene, "arrows") && has_arrows(model)) {
    const Rect right = box.take_right(box.w / 2);
    draw_lesson_arrows(ui, right, model);
  }
  draw_shown(ui, box, model, memory, actions);
}

}  // namespace headlight::app
