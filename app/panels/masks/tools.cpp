// The tools of the mask laboratory, and the strokes that are painted with them.
#include <cmath>

#include "app/panels/masks/parts.h"
#include "app/panels/views/parts.h"
#include "app/platform/input.h"
#include "app/reading/masks/mask_layers.h"
#include "app/widgets/map_cells.h"

namespace headlight::app {

namespace {

using Tool = MaskLab::Tool;

const char* const tool_names[] = {"Brush", "Box", "Row", "Column", "Diagonal", "Look"};

struct PaintStroke {
  const Model& model;
  const MaskReading& mask;
  MaskLab& lab;
  Actions& actions;
  Index first;  // of the queries that were computed

  void paint(Index first_row, Index last_row, Index first_key, Index last_key) {
    actions.push_back(PaintMask{lab.hide, first + first_row, first + last_row, first_key, last_key, true});
  }
  void paint_line(CellAt from, CellAt to) {
    const Index steps = std::max({std::abs(to.row - from.row), std::abs(to.column - from.column), Index{1}});
    for (Index k = 0; k <= steps; ++k) {
      const auto between = [&](Index a, Index b) {
        return a + std::llround(static_cast<double>(b - a) * static_cast<double>(k) / static_cast<double>(steps));
      };
      const Index row = between(from.row, to.row), column = between(from.column, to.column);
      paint(row, row, column, column);
    }
  }
  void paint_diagonal(CellAt at) {
    for (Index row = 0; row < mask.queries; ++row)
      if (const Index key = row + at.column - at.row; key >= 0 && key < mask.keys) paint(row, row, key, key);
  }
  void reach(CellAt at) {
    if (lab.last == at) return;
    if (lab.tool == Tool::brush) paint_line(lab.last.value_or(at), at);
    if (lab.tool == Tool::row) paint(at.row, at.row, 0, mask.keys - 1);
    if (lab.tool == Tool::column) paint(0, mask.queries - 1, at.column, at.column);
    if (lab.tool == Tool::diagonal) paint_diagonal(at);
    if (!lab.from) lab.from = at;
    lab.last = at;
  }
  void end() {
    if (lab.tool == Tool::box && lab.from && lab.last) {
      const auto [top, bottom] = std::minmax(lab.from->row, lab.last->row);
      const auto [left, right] = std::minmax(lab.from->column, lab.last->column);
      paint(top, bottom, left, right);
    }
    actions.push_back(EndEdit{});
    lab.from.reset();
    lab.last.reset();
  }
};

}  // namespace

void draw_mask_tools(Ui& ui, Rect line, const Model& model, MaskLab& lab, Actions& actions) {
  const std::string why = why_not_paint(model);
  line = line.inset(0, (line.h - ui.px(32)) / 2);
  const bool wide = line.w > ui.px(860);
  const auto now = static_cast<int>(why.empty() ? lab.tool : Tool::look);
  std::vector<Segment> tools;
  for (std::size_t i = 0; i < std::size(tool_names); ++i)
    tools.push_back({tool_names[i], tool_names[i], i + 1 == std::size(tool_names) ? "" : why});
  const Rect place = line.take_left(ui.px(wide ? 414 : 106));
  const int chosen = wide ? segments(ui, "masks/tool", place, tools, now)
                          : drop_down(ui, "masks/tool", place, {std::begin(tool_names), std::end(tool_names)}, now);
  if (chosen >= 0) lab.tool = static_cast<Tool>(chosen);
  line.take_left(ui.px(10));
  const int hides = lab.hide ? 0 : 1;
  const int hide = segments(ui, "masks/hide", line.take_left(ui.px(124)),
                            {{"hide", "Hide", why}, {"show", "Show", why}}, why.empty() ? hides : -1);
  if (hide >= 0) lab.hide = hide == 0;
  line.take_left(ui.px(10));
  const bool room = line.w > ui.px(190);
  if (button(ui, "masks/invert", line.take_left(ui.px(66)), "Invert", ButtonLook::secondary, std::nullopt, why.empty()))
    actions.push_back(InvertMask{});
  line.take_left(ui.px(8));
  const bool painted = std::ranges::any_of(model.document.experiment->edits, is_paint);
  if (button(ui, "masks/clear", line.take_left(ui.px(room ? 96 : 62)), room ? "Clear paint" : "Clear",
             ButtonLook::secondary, std::nullopt, painted))
    actions.push_back(ClearPaint{});
  line.take_left(ui.px(12));
  draw_batch(ui, line, model, actions);
  const std::string title = title_of_view(model);
  if (ui.width_of(Type::label, title) <= line.w)
    ui.text_in(Type::label, line, ui.theme().text_muted, title, Ui::Align::right);
}

// A press paints or, with Alt or the tool for it, pins.
void handle_mask_press(Ui& ui, const Model& model, const MaskReading& mask, const Slice& slice,
                       const HeatmapResult& drawn, MaskLab& lab, Actions& actions) {
  PaintStroke stroke{model, mask, lab, actions, queries_of_mask(model) - mask.queries};
  const bool looks = lab.tool == Tool::look || !why_not_paint(model).empty();
  if (looks || (modifiers().alt && !lab.from)) {
    if (drawn.clicked)
      actions.push_back(
          Select{selection_at(slice, drawn.clicked->row, drawn.clicked->column, model.document.look.selection), true});
    return;
  }
  if (drawn.held && drawn.hovered) stroke.reach(*drawn.hovered);
  if (!drawn.held && drawn.clicked && !lab.from) stroke.reach(*drawn.clicked);  // down and up between two frames
  if (!drawn.held && lab.from) stroke.end();
  if (lab.tool == Tool::box && lab.from) ui.redraw_at(ui.now());
}

// The rectangle that is being drawn.
void frame_mask_box(Ui& ui, Rect map, const HeatmapData& shown, const MaskLab& lab) {
  if (lab.tool != Tool::box || !lab.from || !lab.last) return;
  const auto inside = [](Index at, Index first, Index count) { return std::clamp<Index>(at - first, 0, count - 1); };
  const MatrixView& cells = shown.map.cells;
  const Rect a = cell_rect(map, cells, inside(lab.from->row, shown.first_row, cells.rows),
                           inside(lab.from->column, shown.first_column, cells.columns)),
             b = cell_rect(map, cells, inside(lab.last->row, shown.first_row, cells.rows),
                           inside(lab.last->column, shown.first_column, cells.columns));
  const float left = std::min(a.x, b.x), top = std::min(a.y, b.y);
  ui.frame({left, top, std::max(a.right(), b.right()) - left, std::max(a.bottom(), b.bottom()) - top}, ui.theme().ink,
           0, ui.px(3));
}

}  // namespace headlight::app
