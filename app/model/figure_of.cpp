#include "app/model/figure_of.h"

#include <algorithm>
#include <numeric>

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

namespace {

// What a request asks for, one matrix a panel.
struct PanelPlan {
  const Step* step = nullptr;
  Focus focus;
  bool in_time = false;  // one frame of a video
};

Status within(const char* what, const std::optional<Index>& asked, Index count) {
  if (!asked || *asked < count) return {};
  return fail("--{} is {}: it must be from 0 to {}", what, *asked, count - 1);
}

Result<std::vector<const Step*>> steps_of(const Trace& trace, const FigureRequest& request) {
  std::vector<const Step*> steps;
  std::vector<std::string> ids = request.steps;
  if (ids.empty()) ids.emplace_back("weights");
  for (const auto& id : ids) {
    steps.push_back(trace.find(id));
    if (steps.back()) continue;
    std::vector<std::string> known;
    for (const auto& step : trace.steps) known.push_back(step.info.id);
    return fail("there is no step \"{}\" in this run: it has {}", id, fmt::join(known, ", "));
  }
  return steps;
}

// The panels of one step: its heads, each over its frames where no frame is chosen.
Status plan_step(std::vector<PanelPlan>& plans, const Step& step, Focus focus, const FigureRequest& request) {
  const Index heads = has_heads(step) ? heads_of(step) : 1;
  HL_CHECK(within("batch", request.batch, batches_of(step)));
  for (const Index head : request.heads)
    if (has_heads(step)) HL_CHECK(within("head", head, heads));
  const Axis *queries = step.axis("n_q"), *keys = step.axis("n_k");
  if (queries && !queries->only) HL_CHECK(within("query", request.query, queries->size));
  if (keys) HL_CHECK(within("key", request.key, keys->size));
  if (!focus.selection.query) focus.selection.query = middle_query(step);
  const Index frames = focus.flat ? 1 : frames_of(step);
  HL_CHECK(within("frame", request.frame, frames));
  std::vector<Index> chosen(static_cast<std::size_t>(heads));
  std::iota(chosen.begin(), chosen.end(), Index{0});
  if (has_heads(step) && !request.heads.empty()) chosen = request.heads;
  const bool all_frames = frames > 1 && !request.frame;
  for (focus.head = 0; const Index head : chosen) {
    focus.head = head;
    for (Index frame = 0; frame < (all_frames ? frames : 1); ++frame) {
      if (all_frames) focus.frame = frame;
      plans.push_back({&step, focus, all_frames});
    }
  }
  return {};
}

// "a" to "z", then "aa".
std::string letter(std::size_t i) {
  const std::string last(1, static_cast<char>('a' + i % 26));
  return i < 26 ? last : letter(i / 26 - 1) + last;
}

std::string panel_title(const Trace& trace, const PanelPlan& plan, bool many_steps, bool many_heads) {
  std::vector<std::string> parts;
  if (many_steps) parts.push_back(plan.step->info.title);
  if (many_heads && has_heads(*plan.step)) parts.push_back(head_name(trace, plan.focus.head));
  if (plan.in_time) parts.push_back(fmt::format("frame {}", plan.focus.frame));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The scale of a panel: the request's, else over all heads of its step, else its own.
Result<ValueRange> range_of_panel(const PanelPlan& plan, const Panel& panel, const FigureRequest& request) {
  const MatrixView& cells = panel.cells;
  ValueRange range =
      request.shared ? range_of(*plan.step, plan.focus.batch) : value_range(plan.step->info.kind, extent_of(cells));
  if (request.range) {
    range.low = request.range->first;
    range.high = request.range->second;
  }
  range.spacing = request.spacing.value_or(Spacing::linear);
  constexpr Index many = 100;  // keys, as in the window
  if (!request.spacing && !request.range && panel.kind == PanelKind::picture && range.low == 0 &&
      plan.step->info.kind == Kind::probability && cells.rows * cells.columns >= many)
    return ValueRange{1e-4F, 1, Spacing::logarithmic};
  if (range.spacing != Spacing::logarithmic) return range;
  if (range.low < 0 || (request.range && range.low <= 0))
    return fail("--spacing log needs numbers above 0, and {} goes from {} to {}: give --range LOW:HIGH, or use linear",
                plan.step->info.id, value_text(range.low), value_text(range.high));
  if (range.low == 0) range.low = range.high * 1e-4F;  // four powers of ten
  return range;
}

std::vector<CellPlace> highlights_of(const Slice& slice, const Selection& selection) {
  const auto row = slice.rows ? selected_row(slice, selection) : std::optional<Index>(0);
  const auto column = selected_column(slice, selection);
  if (!row || !column) return {};
  return {{*row, *column}};
}

// The row that bars show: the selected one, else the first.
Index row_of_bars(const Slice& slice, const Focus& focus) {
  return slice.rows ? selected_row(slice, focus.selection).value_or(0) : 0;
}

// The picture under a panel whose cells are keys of one query, if there is one.
const Pictures* pictures_under(const Slice& slice, const Problem& problem) {
  if (slice.positions != Role::key || problem.specs.inputs.empty()) return nullptr;
  const auto found = problem.pictures.find(problem.specs.inputs.front().id);
  return found == problem.pictures.end() || found->second->cells.empty() ? nullptr : found->second.get();
}

void put_picture(Panel& panel, const PanelPlan& plan, const Slice& slice, const Pictures& pictures) {
  const auto last = static_cast<Index>(pictures.cells.size()) - 1;
  const auto at =
      static_cast<std::size_t>(std::clamp<Index>(slice.grid.frames > 1 ? slice.frame : plan.focus.batch, 0, last));
  const Image& cells = pictures.cells[at];
  panel.kind = PanelKind::picture;
  panel.picture = std::make_shared<const Image>(pictures.fine.empty() ? cells : pictures.fine[at]);
  panel.picture_grid = {1, cells.height, cells.width};
  const Axis *queries = plan.step->axis("n_q"), *keys = plan.step->axis("n_k");
  const Index all = cells.height * cells.width;
  const bool window = keys && queries && keys->size < queries->size && slice.grid.rows == slice.grid.columns &&
                      slice.grid.rows % 2 == 1 && keys->size == slice.grid.rows * slice.grid.columns;
  if (window) {
    const Index query = plan.focus.selection.query.value_or(0) % all;
    panel.place = {query / cells.width - slice.grid.rows / 2, query % cells.width - slice.grid.columns / 2, 1, 1};
    return;
  }
  panel.place.block_rows = std::max<Index>(1, cells.height / slice.grid.rows);
  panel.place.block_columns = std::max<Index>(1, cells.width / slice.grid.columns);
}

// The query's cell of the picture, and the key's where it is selected; in a video each on its own frame.
std::vector<CellPlace> marks_on(const Panel& panel, const Slice& slice, const Focus& focus) {
  std::vector<CellPlace> marks;
  const Index columns = panel.picture_grid.columns, all = panel.picture_grid.rows * columns;
  const auto query = focus.selection.query;
  if (!query || (slice.grid.frames > 1 && *query / all != slice.frame)) return marks;
  marks.push_back({*query % all / columns, *query % columns});
  const auto row = selected_row(slice, focus.selection), column = selected_column(slice, focus.selection);
  if (row && column && panel.place.block_rows == 1)
    marks.push_back({panel.place.row + *row, panel.place.column + *column});
  std::erase_if(marks, [&](const CellPlace& at) {
    return at.row < 0 || at.column < 0 || at.row >= panel.picture_grid.rows || at.column >= columns;
  });
  return marks;
}

// How the panel shows its cells, as asked for and as they allow.
Status shape_panel(Panel& panel, const PanelPlan& plan, const Slice& slice, const Problem& problem,
                   const FigureRequest& request) {
  const Pictures* pictures = pictures_under(slice, problem);
  if (request.kind == FigureKind::picture && !pictures)
    return fail("--as picture needs a step of queries and keys on a picture that was given: {} has none",
                plan.step->info.id);
  if (pictures && (request.kind == FigureKind::picture || request.kind == FigureKind::automatic))
    put_picture(panel, plan, slice, *pictures);
  if (request.kind == FigureKind::lines) panel.kind = PanelKind::lines;
  if (request.kind != FigureKind::bars) return {};
  panel.kind = PanelKind::bars;
  const Index row = row_of_bars(slice, plan.focus);
  panel.cells.data += row * panel.cells.row_stride;
  panel.cells.rows = 1;
  return {};
}

Focus focus_of(const FigureRequest& request) {
  Focus focus;
  focus.batch = request.batch.value_or(0);
  focus.frame = request.frame.value_or(0);
  focus.selection = {request.query, request.key, std::nullopt, {}, {}};
  focus.flat =
      request.kind == FigureKind::matrix || request.kind == FigureKind::lines || request.kind == FigureKind::bars;
  return focus;
}

std::string title_of(const Trace& trace, const std::vector<PanelPlan>& plans, bool many_steps, bool many_heads) {
  const PanelPlan& first = plans.front();
  if (many_steps)
    return many_heads ? "" : fmt::format("Head {}: {}", first.focus.head + 1, head_name(trace, first.focus.head));
  std::string title = first.step->info.title;
  if (!many_heads && has_heads(*first.step) && heads_of(*first.step) > 1)
    title += fmt::format(", head {}: {}", first.focus.head + 1, head_name(trace, first.focus.head));
  return title;
}

}  // namespace

Result<OwnedFigure> figure_of(const Trace& trace, const Problem& problem, const FigureRequest& request) {
  HL_TRY(const auto steps, steps_of(trace, request));
  std::vector<PanelPlan> plans;
  for (const Step* step : steps) HL_CHECK(plan_step(plans, *step, focus_of(request), request));
  const bool many_steps = steps.size() > 1;
  const bool many_heads = std::ranges::any_of(plans, [&](const PanelPlan& plan) {
    return plan.step == plans.front().step && plan.focus.head != plans.front().focus.head;
  });
  OwnedFigure owned;
  Figure& figure = owned.figure;
  figure.title = request.title.value_or(title_of(trace, plans, many_steps, many_heads));
  figure.grid_columns = request.columns;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const PanelPlan& plan = plans[i];
    const Slice slice = slice_of(*plan.step, plan.focus);
    std::shared_ptr<const Tensor> owner;
    Panel panel;
    panel.cells = cells_of(trace, *plan.step, plan.focus, owner);
    if (owner) owned.cells.push_back(std::move(owner));
    HL_CHECK(shape_panel(panel, plan, slice, problem, request));
    HL_TRY(const ValueRange range, range_of_panel(plan, panel, request));
    if (many_steps || !request.shared) {
      panel.range = range;
      panel.colormap = request.colors.value_or(default_colormap(range.is_signed(), false));
    }
    if (i == 0) figure.range = range;
    if (plans.size() > 1) {
      if (request.marks == Marks::letters) panel.mark = letter(i);
      if (request.marks == Marks::numbers)
        panel.mark = fmt::format("{}", many_heads ? plan.focus.head + 1 : static_cast<Index>(i) + 1);
      panel.title = panel_title(trace, plan, many_steps, many_heads);
    }
    if (slice.rows && panel.kind != PanelKind::picture) panel.row_labels = slice.rows->labels;
    if (slice.columns && panel.kind != PanelKind::picture) panel.column_labels = slice.columns->labels;
    if (panel.kind == PanelKind::bars && !panel.row_labels.empty())
      panel.row_labels = {panel.row_labels[static_cast<std::size_t>(row_of_bars(slice, plan.focus))]};
    if (panel.kind == PanelKind::picture) panel.highlights = marks_on(panel, slice, plan.focus);
    if (request.key && panel.kind == PanelKind::map) panel.highlights = highlights_of(slice, plan.focus.selection);
    figure.panels.push_back(std::move(panel));
    if (i > 0) continue;
    figure.row_axis = axis_name(slice.rows);
    figure.column_axis = axis_name(slice.columns);
    figure.quantity = many_steps ? "number" : quantity_of(*plan.step);
  }
  figure.colormap = request.colors.value_or(default_colormap(figure.range.is_signed(), false));
  if (request.shared && !many_steps && many_heads)
    figure.shared_by = request.heads.empty() ? sharing_of(*steps.front()) : "shared by all panels";
  figure.description = request.alt.value_or(alt_of(figure));
  return owned;
}

}  // namespace headlight::app
