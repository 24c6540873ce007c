#include "app/panels/views/parts.h"

#include "app/platform/input.h"

namespace headlight::app {

namespace {

// Channel 0 of the first input: the value, standardised or as it is.
struct SignalLine {
  const Step* x = nullptr;
  Index start = 0, stride = 1, count = 0;
  float least = 0, most = 0;

  float at(Index i) const { return x->tensor()[start + i * stride]; }
};

SignalLine line_of(const Model& model) {
  SignalLine line;
  line.x = model.trace()->find(model.shown.problem->specs.inputs.front().id);
  if (!line.x || line.x->tensor().rank() != 3) return {};
  const Tensor& x = line.x->tensor();
  const bool rows = role_along(line.x->info.axes[1]) != AxisRole::channel;  // (B, n, d) or (B, C, L)
  line.count = rows ? x.dim(1) : x.dim(2);
  line.stride = rows ? x.dim(2) : 1;
  line.start = std::min(model.document.look.batch, x.dim(0) - 1) * x.dim(1) * x.dim(2);
  line.least = line.most = line.count > 0 ? line.at(0) : 0;
  for (Index i = 0; i < line.count; ++i) {
    line.least = std::min(line.least, line.at(i));
    line.most = std::max(line.most, line.at(i));
  }
  return line;
}

void draw_line(Ui& ui, Rect plot, const SignalLine& line) {
  const auto at = [&](Index i) {
    const float part = line.most > line.least ? (line.at(i) - line.least) / (line.most - line.least) : 0.5F;
    return Point{plot.x + plot.w * (static_cast<float>(i) + 0.5F) / static_cast<float>(line.count),
                 plot.bottom() - plot.h * part};
  };
  for (Index i = 1; i < line.count; ++i) ui.line(at(i - 1), at(i), ui.theme().text, ui.px(1.5F));
}

// A column of samples across the plot.
void draw_samples(Ui& ui, Rect plot, const SignalLine& line, Index first, Index count, const RoleColors& role) {
  const float each = plot.w / static_cast<float>(line.count);
  Rect column{plot.x + each * static_cast<float>(first), plot.y, each * static_cast<float>(count), plot.h};
  ui.fill(column, with_alpha(role.main, 0.16F));
  const float least = ui.px(2);
  if (column.w < least) column = {column.middle().x - least / 2, column.y, least, column.h};
  ui.frame(column, role.main, 0, ui.px(1.5F));
}

}  // namespace

bool shows_signal(const Model& model, const Step& step) {
  if (!model.shown.problem || model.shown.problem->input_kind != InputKind::signal) return false;
  bool query = false, key = false;
  for (const Axis& axis : step.info.axes) {
    query = query || axis.role == Role::query;
    key = key || axis.role == Role::key;
  }
  return query && key;
}

void draw_signal_response(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Theme& t = ui.theme();
  const Step& step = *model.step();
  const Slice slice = slice_of(step, effective_focus(model));
  const Selection selection = effective_selection(model);
  const SignalLine line = line_of(model);
  if (line.count == 0 || !slice.columns || slice.matrix.columns == 0) return;
  const auto row = selected_row(slice, selection), column = selected_column(slice, selection);
  Rect title = box.take_top(ui.px(24));
  const std::string heading =
      row ? fmt::format("Where sample {} looks", label_of(slice.rows, *row, slice.item)) : "The signal";
  words_at_left(ui, Type::label_strong, title, t.text, heading, 12);
  const char* hint = row ? "its row below the line" : "point at a sample";
  if (ui.width_of(Type::note, hint) <= title.w) ui.text_in(Type::note, title, t.text_faint, hint);
  const Rect strip = box.take_bottom(ui.px(34)).take_top(ui.px(18));
  const Rect plot = Rect{box.x, box.y, box.w, box.h - ui.px(6)};
  const Index keys = slice.matrix.columns, samples = std::max<Index>(1, line.count / keys);
  ui.fill(plot, t.canvas);
  ui.frame(plot, t.line_strong);
  if (row) draw_samples(ui, plot, line, *row, 1, t.query);
  if (column) draw_samples(ui, plot, line, *column * samples, samples, t.key);
  draw_line(ui, plot.inset(0, ui.px(8)), line);
  if (row) {
    MapData map = memory.cells.map(ui, model, step, model.document.look.head);
    map.key = "signal/row";
    cut_map(map, *row, 0, 1, map.cells.columns);
    draw_map(ui, map, strip, MapSize::large);
    ui.frame(strip.inset(-1), t.line_strong);
  }
  ui.text_in(Type::number_small, {strip.x, strip.bottom() + ui.px(2), ui.px(40), ui.px(14)}, t.text_faint, "0");
  ui.text_in(Type::number_small, {strip.right() - ui.px(60), strip.bottom() + ui.px(2), ui.px(60), ui.px(14)},
             t.text_faint, fmt::format("{}", line.count - 1), Ui::Align::right);
  const Rect whole{plot.x, plot.y, plot.w, strip.bottom() - plot.y};
  const auto hit = ui.hit("signal", whole, true, fmt::format("{}", line.count));
  if (hit.focused) ui.focus_ring(whole, 0);
  if (!hit.hovered) return;
  const auto sample = std::clamp<Index>(
      static_cast<Index>((ui.mouse().x - plot.x) / plot.w * static_cast<float>(line.count)), 0, line.count - 1);
  const Selection& now = model.document.look.selection;
  if (modifiers().shift) {
    Selection asked = now;
    asked.query = sample;
    if (hit.clicked) actions.push_back(Select{asked, model.document.look.pinned});
    return;
  }
  const Selection under = selection_with(slice.columns, std::min(sample / samples, keys - 1), now);
  memory.hover = Hover{step.info.id, model.document.look.head, under};
  if (hit.clicked) actions.push_back(Select{under, true});
}

}  // namespace headlight::app
