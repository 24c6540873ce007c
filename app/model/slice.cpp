#include "app/model/slice.h"

#include <algorithm>

namespace headlight::app {

namespace {

const Axis* axis_of(const Step& step, std::size_t from_last) {
  const auto& axes = step.info.axes;
  return axes.size() > from_last ? &axes[axes.size() - 1 - from_last] : nullptr;
}

Index extent_of(const Step& step, const char* symbol) {
  const Axis* axis = step.axis(symbol);
  return axis ? axis->size : 1;
}

enum class Along { query, key, channel };

// Axes are told apart by symbol: n_q, n_k, and anything else is a channel.
Along along(const Axis& axis) {
  if (axis.role == Role::query || axis.symbol == "n_q") return Along::query;
  if (axis.role == Role::key || axis.symbol == "n_k") return Along::key;
  return Along::channel;
}

}  // namespace

Index Slice::cell_at(Index row, Index column) const {
  return offset + row * matrix.row_stride + column * matrix.column_stride;
}

Index batches_of(const Step& step) {
  return extent_of(step, "B");
}
Index heads_of(const Step& step) {
  return extent_of(step, "M");
}
bool has_heads(const Step& step) {
  return step.axis("M") != nullptr && step.info.axes.size() >= 2;
}

Slice slice_of(const Step& step, Index batch, Index head) {
  Slice slice;
  slice.step = &step;
  slice.columns = axis_of(step, 0);
  slice.rows = axis_of(step, 1);
  const Index columns = slice.columns ? slice.columns->size : 1;
  const Index rows = slice.rows ? slice.rows->size : 1;
  Index stride = rows * columns;
  const auto& axes = step.info.axes;
  for (std::size_t i = axes.size() < 2 ? 0 : axes.size() - 2; i-- > 0;) {
    const Index wanted = axes[i].symbol == "M" ? head : axes[i].symbol == "B" ? batch : 0;
    slice.offset += std::clamp<Index>(wanted, 0, axes[i].size - 1) * stride;
    stride *= axes[i].size;
  }
  slice.matrix = MatrixView{step.tensor().data() + slice.offset, rows, columns, columns, 1};
  return slice;
}

std::optional<Index> selected_along(const Axis* axis, const Selection& selection) {
  if (!axis) return std::nullopt;
  std::optional<Index> position;
  switch (along(*axis)) {
    case Along::query:
      position = selection.query;
      break;
    case Along::key:
      position = selection.key;
      break;
    case Along::channel:
      position = selection.channel;
      break;
  }
  return position && *position < axis->size ? position : std::nullopt;
}

Selection selection_with(const Axis* axis, Index position, Selection selection) {
  if (!axis) return selection;
  switch (along(*axis)) {
    case Along::query:
      selection.query = position;
      break;
    case Along::key:
      selection.key = position;
      break;
    case Along::channel:
      selection.channel = position;
      break;
  }
  return selection;
}

std::string picture_shape(const Step& step) {
  const Slice slice = slice_of(step, 0, 0);
  return fmt::format("{}×{}", slice.matrix.rows, slice.matrix.columns);
}

std::string label_of(const Axis* axis, Index position) {
  if (axis && position >= 0 && position < static_cast<Index>(axis->labels.size()))
    return axis->labels[static_cast<std::size_t>(position)];
  return fmt::format("{}", position);
}

}  // namespace headlight::app
