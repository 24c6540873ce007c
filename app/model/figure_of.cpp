#include "app/model/figure_of.h"

#include <algorithm>

namespace headlight::app {

std::string head_name(const Trace& trace, Index head) {
  if (head < static_cast<Index>(trace.heads.size()) && !trace.heads[static_cast<std::size_t>(head)].name.empty())
    return trace.heads[static_cast<std::size_t>(head)].name;
  return fmt::format("Head {}", head + 1);
}

std::string quantity_of(const Step& step) {
  switch (step.info.kind) {
    case Kind::probability:
      return "weight";
    case Kind::score:
      return "score";
    case Kind::mask:
      return "mask";
    case Kind::weight:
      return "learned weight";
    default:
      return "value";
  }
}

std::string sharing_of(const Step& step) {
  return heads_of(step) > 1 && has_heads(step) ? "shared by all heads" : "";
}

ValueRange range_of(const Step& step, Index batch) {
  const auto last = static_cast<Index>(step.extents.size()) - 1;
  return value_range(step.info.kind, step.extents[static_cast<std::size_t>(std::clamp<Index>(batch, 0, last))]);
}

MatrixView cells_of(const Trace& trace, const Step& step, const Focus& focus, std::shared_ptr<const Tensor>& owner) {
  const Slice slice = slice_of(step, focus);
  const Step* masked = step.info.kind == Kind::probability ? trace.find("masked_scores") : nullptr;
  if (!masked || masked->tensor().shape() != step.tensor().shape()) return slice.matrix;
  owner = std::make_shared<const Tensor>(hide_masked(slice.matrix, slice_of(*masked, focus).matrix));
  return matrix_at(*owner, {});
}

namespace {

AxisName axis_name(const Axis* axis) {
  if (!axis) return {"", Role::none};
  return {axis->name, axis->role};
}

}  // namespace

OwnedFigure figure_of(const Trace& trace, const Step& step, const Look& look, bool all_heads, bool dark) {
  OwnedFigure owned;
  Figure& figure = owned.figure;
  Focus focus = focus_of(look);
  const Slice slice = slice_of(step, focus);
  const Index heads = has_heads(step) ? heads_of(step) : 1;
  const bool grid = all_heads && heads > 1;
  figure.title = step.info.title;
  if (!grid && has_heads(step))
    figure.title += fmt::format(", head {}: {}", look.head + 1, head_name(trace, look.head));
  figure.range = range_of(step, look.batch);
  figure.colormap = default_colormap(figure.range.is_signed(), dark);
  figure.quantity = quantity_of(step);
  figure.shared_by = grid ? sharing_of(step) : "";
  figure.row_axis = axis_name(slice.rows);
  figure.column_axis = axis_name(slice.columns);
  for (Index head = grid ? 0 : look.head; head < (grid ? heads : look.head + 1); ++head) {
    std::shared_ptr<const Tensor> owner;
    Panel panel;
    focus.head = head;
    panel.cells = cells_of(trace, step, focus, owner);
    if (owner) owned.cells.push_back(std::move(owner));
    if (grid) {
      panel.mark = fmt::format("{}", head + 1);
      panel.title = trace.heads.empty() ? "" : head_name(trace, head);
    }
    if (slice.rows) panel.row_labels = slice.rows->labels;
    if (slice.columns) panel.column_labels = slice.columns->labels;
    figure.panels.push_back(std::move(panel));
  }
  figure.description =
      fmt::format("{} as a heatmap: {} rows ({}) by {} columns ({}), from {} to {}.", figure.title, slice.matrix.rows,
                  figure.row_axis.name, slice.matrix.columns, figure.column_axis.name, value_text(figure.range.low),
                  value_text(figure.range.high));
  return owned;
}

}  // namespace headlight::app
