// What a step of a lesson shows: its map with what is covered, or another view, and the parts beside and below it.
#include <algorithm>
#include <cmath>

#include "app/lessons/printing.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/common/prepared.h"
#include "app/panels/lesson/parts.h"
#include "app/panels/views/parts.h"
#include "app/reading/slice.h"
#include "app/widgets/formula_view.h"
#include "app/widgets/map_cells.h"
#include "engine/base/words.h"
#include "engine/picture/colormap.h"
#include "engine/picture/value_range.h"

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

// A wrong number that was said of the pinned cell.
std::optional<double> wrong_answer_at(const Model& model, double cell) {
  const LessonAnswered* answer = answered(model);
  if (!answer || answer->right || answer->given_up || !model.document.look.pinned) return std::nullopt;
  const auto& truth = played_step(model).truth;
  const auto right = truth && truth->kind == AskKind::number ? as_number(truth->value) : std::nullopt;
  constexpr double rounding = 1e-6;
  return right && std::abs(*right - cell) <= rounding * std::max(1.0, std::abs(cell)) ? as_number(answer->value)
                                                                                      : std::nullopt;
}

// The cell as it was said at the left, and as it is at the right of it.
void draw_wrong_answer(Ui& ui, Rect cell, double said, const std::string& is, Color32 color) {
  const Theme& t = ui.theme();
  Rect left = cell.take_left(std::round(cell.w * 0.45F));
  ui.fill(left, t.canvas);
  dashed_frame(ui, left, t.line_strong);
  const std::string words = with_minus_signs(printed_value(number_value(said)).value_or(""));
  ui.log("lesson/said-of-cell", left, words);
  const Type type = std::max(ui.width_of(Type::lesson_strong, words), ui.width_of(Type::lesson_strong, is)) < left.w
                        ? Type::lesson_strong
                        : Type::number_small;
  ui.text_in(type, cell, color, is, Ui::Align::center);
  const float line = ui.px(20);
  if (left.h > 3 * line)
    ui.text_in(Type::note, {left.x, left.middle().y + line / 2, left.w, line}, t.text_muted, "you", Ui::Align::center);
  ui.text_in(type, left, t.text_muted, words, Ui::Align::center);
}

// Where it says that this is asked: in the chosen cell, else in the middle of what is hidden of the chosen row.
std::optional<CellAt> asked_cell(const LessonScene& scene, const Slice& slice, const HeatmapData& data) {
  if (!data.row) return {};
  if (data.column && is_hidden(scene, slice, *data.row, *data.column)) return CellAt{*data.row, *data.column};
  std::vector<Index> covered;
  for (Index column = 0; column < slice.matrix.columns; ++column)
    if (is_hidden(scene, slice, *data.row, column)) covered.push_back(column);
  if (covered.empty()) return {};
  return CellAt{*data.row, covered[covered.size() / 2]};
}

void draw_lesson_map(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Trace& trace = *model.trace();
  const Step& step = *model.step();
  const LessonScene& scene = lesson_scene(model);
  const Look& look = model.document.look;
  Focus focus = focus_of(look);
  focus.flat = focus.flat || !scene.hidden.empty();  // what is hidden is hidden cell by cell
  const Slice slice = slice_of(step, focus);
  HeatmapData data = labelled_map(memory, trace, slice, look.selection,
                                  memory.cells.map(ui, model, step, place_of_head(step, look.head)));
  data.pinned = look.pinned;
  const bool numbers = !hides(scene, LessonHidden::What::numbers);
  const MatrixView cells = data.map.cells;
  // Whole numbers as such, all others as long as each other: little is not nothing.
  const auto number_at = [cells](Index row, Index column) {
    const float number = cells.at(row, column);
    return with_minus_signs(fmt::format("{:.{}f}", number + 0.0F, number == std::round(number) ? 0 : 2));
  };
  const bool pinned = look.pinned && data.row && data.column;
  const auto said =
      pinned && numbers ? wrong_answer_at(model, static_cast<double>(cells.at(*data.row, *data.column))) : std::nullopt;
  data.text = [&scene, slice, cells, numbers, number_at, said, row = data.row, column = data.column](
                  Index i, Index j) -> std::string {
    const bool split = said && row == i && column == j;
    const bool told = numbers && !split && !is_hidden(scene, slice, i, j) && !is_masked(cells.at(i, j));
    return told ? number_at(i, j) : "";
  };
  const char* later = awaits_answer(model) ? "asked" : "later";
  const std::optional<CellAt> asked_at = asked_cell(scene, slice, data);
  data.over = [&](Rect map, const HeatmapData& shown) {
    if (said) {
      const Rect cell = cell_rect(map, shown.map.cells, *data.row - shown.first_row, *data.column - shown.first_column);
      const Color ground =
          color_at(color_table(shown.map.colormap), normalise(cells.at(*data.row, *data.column), shown.map.range));
      draw_wrong_answer(ui, cell, *said, number_at(*data.row, *data.column), color32(readable_text_on(ground)));
    }
    for (Index row = 0; row < shown.map.cells.rows; ++row)
      for (Index column = 0; column < shown.map.cells.columns; ++column) {
        if (!is_hidden(scene, slice, row + shown.first_row, column + shown.first_column)) continue;
        const Rect cell = cell_rect(map, shown.map.cells, row, column);
        ui.fill(cell, ui.theme().sunken);
        ui.line({cell.right() - 0.5F, cell.y}, {cell.right() - 0.5F, cell.bottom()}, ui.theme().canvas);
        ui.line({cell.x, cell.bottom() - 0.5F}, {cell.right(), cell.bottom() - 0.5F}, ui.theme().canvas);
        const bool asked =
            asked_at && column + shown.first_column == asked_at->column && row + shown.first_row == asked_at->row;
        if (asked && ui.width_of(Type::label, later) < cell.w - ui.px(8) && cell.h > ui.px(24))
          ui.text_in(Type::label, cell, ui.theme().text_faint, later, Ui::Align::center);
      }
  };
  if (heads_of(step) > 1) {
    const auto at = static_cast<std::size_t>(look.head);
    const bool named =
        !hides(scene, LessonHidden::What::name) && at < trace.heads.size() && !trace.heads[at].name.empty();
    const std::string words = fmt::format("Head {}{}", look.head, named ? " · " + trace.heads[at].name : "");
    const Rect title = box.take_top(ui.px(34));
    ui.text_in(Type::title, title, ui.theme().text, words);
    ui.log("lesson/head-title", title, words);
  }
  const bool bars_below = has_part(scene, "bars") && cells.rows > 0 && look.selection.query;
  Rect below = box.take_bottom(ui.px(bars_below ? 174 : 70));
  below.take_top(ui.px(14));
  const Rect bar = below.take_top(ui.px(56));
  const auto drawn = heatmap(ui, "lesson/map", box, data);
  if (!hides(scene, LessonHidden::What::map)) {
    const Rect place{drawn.map.x, std::min(bar.y, drawn.map.bottom() + ui.px(18)), std::max(drawn.map.w, ui.px(240)),
                     ui.px(44)};
    color_bar(ui, place, map_scale(data.map, "lesson/bar", lower_first(step.info.title)));
  }
  const bool asks_cell = awaits_answer(model) && lesson_step(model).ask->kind == AskKind::cell;
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

// The same step of every head, small, at the foot of the box; a press shows another one large.
void draw_heads(Ui& ui, Rect& box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Step& step = *model.step();
  const Index heads = heads_of(step);
  if (heads < 2) return;
  Rect row = box.take_bottom(ui.px(196)).inset(ui.px(40), ui.px(12));
  const float width = std::min(ui.px(132), row.w / static_cast<float>(std::min<Index>(heads, 8)) - ui.px(8));
  for (Index place = 0; place < std::min<Index>(heads, 8); ++place) {
    const Index head = first_head_at(step, place);
    ThumbnailData data;
    data.map = memory.cells.map(ui, model, step, place);
    data.map.key = "lesson/head/" + data.map.key;
    data.number = std::to_string(head);
    const bool named = !hides(lesson_scene(model), LessonHidden::What::name);
    const auto at = static_cast<std::size_t>(head);
    if (named && at < model.trace()->heads.size()) data.name = model.trace()->heads[at].name;
    data.current = place == place_of_head(step, model.document.look.head);
    const Rect box_of = row.take_left(width);
    row.take_left(ui.px(8));
    if (head_thumbnail(ui, fmt::format("lesson/head/{}", head), {box_of.x, box_of.y, width, width + ui.px(34)}, data)
            .clicked)
      actions.push_back(SetHead{head});
  }
}

// How the step is computed, above all else in the box.
void draw_step_formula(Ui& ui, Rect& box, const Model& model) {
  const Step& step = *model.step();
  if (step.info.formula.empty()) return;
  const Rect place = box.take_top(ui.px(84)).inset(ui.px(40), ui.px(8));
  const auto role = [&](const std::string& id) {
    const Step* found = model.trace()->find(id);
    return found ? found->info.role : Role::none;
  };
  formula_view(ui, "lesson/formula", place, step.info.formula, 21, role, {});
}

// Whether the step's question is a deed that the numbers of an array may be changed for.
bool can_set_numbers(const Model& model) {
  const auto& ask = lesson_step(model).ask;
  return ask && ask->kind == AskKind::deed &&
         std::ranges::any_of(ask->solution, [](const LessonLine& line) { return line.text.starts_with("edit "); });
}

// At the box's right, where the step has any.
void draw_arrows_beside(Ui& ui, Rect& box, const Model& model, PanelMemory& memory, Actions& actions) {
  const auto& arrows = memory.get<Prepared>().arrows(model, *model.step());
  if (!arrows) return;
  const ArrowChoices choices{.drag_by = can_set_numbers(model) ? 1.0 : 0.0, .hides_mix = awaits_answer(model)};
  draw_arrow_plane(ui, box.take_right(box.w / 2), *arrows, choices, model, memory, actions);
}

// Which view the scene chose.
void draw_scene_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  switch (model.document.look.mode) {
    case ViewMode::numbers:
      return draw_numbers(ui, box, model, memory, actions);
    case ViewMode::lines:
      return draw_lines(ui, box, model, memory, actions);
    case ViewMode::arrows:
      return draw_arrows_view(ui, box, model, memory, actions);
    case ViewMode::map:
      if (lesson_scene(model).hidden.empty() &&
          slice_of(*model.step(), focus_of(model.document.look)).positions == Role::key)
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
  if (has_part(scene, "heads")) draw_heads(ui, box, model, memory, actions);
  if (has_part(scene, "formula")) draw_step_formula(ui, box, model);
  box = box.inset(ui.px(40), ui.px(36));
  if (has_part(scene, "arrows")) draw_arrows_beside(ui, box, model, memory, actions);
  draw_scene_view(ui, box, model, memory, actions);
}

}  // namespace headlight::app
