#include "app/figures/figure_of.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "app/figures/figure_panel.h"
#include "app/reading/scaling.h"
#include "app/reading/step_words.h"
#include "engine/variants/loss_words.h"

namespace headlight::app {

namespace {

// "a" to "z", then "aa".
std::string letter(std::size_t i) {
  const std::string last(1, static_cast<char>('a' + i % 26));
  return i < 26 ? last : letter(i / 26 - 1) + last;
}

// ---- Scales -------------------------------------------------------------------------------------------------------

// The query whose row a panel shows, where it shows no other.
std::optional<Index> query_of_panel(const Panel& panel, const StepView& view) {
  return panel.kind == PanelKind::bars ? row_of_bars(view) : query_alone(*view.step, view.focus);
}

// The numbers that share a panel's scale: all of its step, in all layers. Of differences and of single channels, only
// those that are drawn.
Extent extent_for(const FigurePlan& plan, const std::vector<Panel>& panels, std::size_t index,
                  const FigureRequest& request) {
  if (!request.shared) return extent_of(panels[index].cells);
  const std::string id = without_layer(plan.panels[index].view.step->info.id);
  std::set<const Step*> seen;
  Extent all;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const StepView& view = plan.panels[i].view;
    if (without_layer(view.step->info.id) != id) continue;
    if (plan.panels[i].minus || chosen_channel_axis(*view.step, view.focus)) {
      all = united(all, extent_of(panels[i].cells));
    } else if (const auto query = query_of_panel(panels[i], view)) {
      all = united(all, extent_of_rows(*view.step, view.focus.batch, {}, *query));
    } else if (seen.insert(view.step).second) {
      all = united(all, extent_of_item(*view.step, view.focus.batch));
    }
  }
  return all;
}

// A picture of keys is the whole row of its query, which its own greatest number scales.
bool has_row_scale(const PanelPlan& plan, const FigureRequest& request) {
  return request.spacing == Spacing::row_max && plan.view.slice.is_picture();
}

// What its scale depends on: the keys are counted as the run has them, not as they are drawn.
Scaled scaled_as(const PanelPlan& plan) {
  const Step* recorded = plan.view.trace->find(plan.view.step->info.id);
  if (plan.minus) return {Kind::score, 1};
  return scaled_by(recorded ? *recorded : *plan.view.step);
}

bool has_length(const Panel& panel) {
  return panel.kind == PanelKind::bars || panel.kind == PanelKind::lines;
}

// The scale of a panel: the request's, else by the numbers that share it.
Result<ValueRange> range_of_panel(const PanelPlan& plan, const Panel& panel, const Extent& extent,
                                  const FigureRequest& request) {
  const Kind kind = plan.minus ? Kind::score : plan.view.step->info.kind;
  if (measure_in(plan.view.step->info.id) && !request.range)
    return ValueRange{std::min(0.0F, extent.least), extent.greatest > 0 ? extent.greatest : 1.0F};
  if (has_row_scale(plan, request)) {
    const Extent own = extent_of(panel.cells);
    ValueRange range = value_range(kind, own);
    if (range.low == 0 && own.greatest > 0) range.high = own.greatest;
    return range;
  }
  if (request.range && request.spacing == Spacing::row_max)
    return fail("--range says nothing with --spacing row-max, which scales every row by itself: leave one of them out");
  Scaling scaling{.space = Scaling::Space::automatic, .per_head = !request.shared};
  if (request.spacing == Spacing::linear) scaling.space = Scaling::Space::linear;
  if (request.spacing == Spacing::logarithmic) scaling.space = Scaling::Space::logarithmic;
  ValueRange range = shown_range(scaled_as(plan), extent, scaling);
  if (!request.spacing && has_length(panel) && range.spacing == Spacing::logarithmic) {
    scaling.space = Scaling::Space::linear;
    range = shown_range(scaled_as(plan), extent, scaling);
  }
  if (request.spacing == Spacing::logarithmic && range.low < 0 && !request.range)
    return fail("--spacing log needs numbers above 0, and {} goes from {} to {}: give --range LOW:HIGH, or use linear",
                plan.view.step->info.id, value_text(range.low), value_text(range.high));
  if (request.range) range = {request.range->first, request.range->second, Spacing::linear};
  range.spacing = request.spacing.value_or(range.spacing);
  if (request.range && range.spacing == Spacing::logarithmic && range.low <= 0)
    return fail("--spacing log needs a --range above 0, and it begins at {}", value_text(range.low));
  return range;
}

Status set_ranges(Figure& figure, const FigurePlan& plan, const FigureRequest& request) {
  for (std::size_t i = 0; i < plan.panels.size(); ++i) {
    Panel& panel = figure.panels[i];
    HL_TRY(const ValueRange range,
           range_of_panel(plan.panels[i], panel, extent_for(plan, figure.panels, i, request), request));
    if (i == 0) figure.range = range;
    if (!plan.many_steps && request.shared && !has_row_scale(plan.panels[i], request)) continue;
    panel.range = range;
    panel.colormap = request.colors.value_or(default_colormap(range.is_signed(), false));
  }
  figure.colormap = request.colors.value_or(default_colormap(figure.range.is_signed(), false));
  return {};
}

// ---- The figure ---------------------------------------------------------------------------------------------------

std::string mark_of(const FigurePlan& plan, std::size_t index, Marks marks) {
  // The rows and columns of a grid of layers and heads have names.
  if (plan.panels.size() < 2 || marks == Marks::none || (plan.of_one_run && plan.layers > 1)) return "";
  if (marks == Marks::letters) return letter(index);
  const Index head = plan.panels[index].view.focus.head;
  return fmt::format("{}", plan.many_heads ? head : static_cast<Index>(index));
}

// Nothing is said of axes that differ from panel to panel.
void name_axes(Figure& figure, const FigurePlan& plan, const FigureRequest& request) {
  const StepView& first = plan.panels.front().view;
  std::tie(figure.row_axis, figure.column_axis) = panel_axes(first, request);
  for (const PanelPlan& panel : plan.panels) {
    const auto [rows, columns] = panel_axes(panel.view, request);
    if (rows.name != figure.row_axis.name) figure.row_axis = {};
    if (columns.name != figure.column_axis.name) figure.column_axis = {};
  }
  if (request.kind == FigureKind::offsets) figure.masked = "outside the picture";
  const Step* recorded = first.trace->find(first.step->info.id);
  const Axis* asked = recorded ? recorded->axis(AxisRole::key) : nullptr;
  if (request.kind == FigureKind::picture && asked && asked->position_of)
    figure.masked = "outside its window, or masked in it";
  figure.query = plan.many_queries ? "its query" : query_in_words(first, request.kind);
  figure.key = key_in_words(first, request);
  figure.quantity = quantity_drawn(*first.step);
  if (const auto measure = measure_in(first.step->info.id)) {
    const MeasureRow& row = row_of(*measure);
    figure.quantity = *row.unit ? fmt::format("{}, {}", row.phrase, row.unit) : row.phrase;
    return;
  }
  for (const PanelPlan& panel : plan.panels) {
    if (quantity_drawn(*panel.view.step) != figure.quantity) figure.quantity = "number";
    if (panel.minus && quantity_drawn(*panel.minus->step) != figure.quantity) figure.quantity = "number";
  }
  if (plan.panels.front().minus)
    figure.quantity = figure.quantity == "number" ? "difference" : fmt::format("difference in {}", figure.quantity);
}

// Steps by heads and layers by heads: a row for each step or layer, where they are not too many for a page; else 0.
int columns_of(const FigurePlan& plan, const FigureRequest& request) {
  const std::size_t most = plan.of_one_run ? 64 : 12;
  const std::size_t rows = static_cast<std::size_t>(plan.layers) * std::max<std::size_t>(1, request.steps.size());
  const std::size_t columns = plan.panels.size() / rows;
  if (rows < 2 || columns < 2 || columns > most || plan.panels.size() % rows != 0) return 0;
  return request.columns == 0 || request.columns == static_cast<int>(columns) ? static_cast<int>(columns) : 0;
}

// Such a grid says once what its rows and columns are, where all rows have the same heads.
void title_grid(Figure& figure, const FigurePlan& plan, const FigureRequest& request) {
  const int columns = columns_of(plan, request);
  if (columns == 0) return;
  figure.grid_columns = columns;
  if (!request.panel_titles.empty()) return;  // which say it all
  const auto across = static_cast<std::size_t>(columns);
  std::vector<std::string> titles;  // without what the rows' titles say
  FigurePlan of_heads;
  of_heads.many_heads = plan.many_heads;
  of_heads.many_queries = plan.many_queries;
  of_heads.kind = plan.kind;
  of_heads.of_one_run = plan.of_one_run;
  for (const PanelPlan& panel : plan.panels) titles.push_back(panel_title(of_heads, panel));
  for (std::size_t i = 0; i < titles.size(); ++i)
    if (titles[i] != titles[i % across]) return;  // each panel says it all
  figure.column_titles.assign(titles.begin(), titles.begin() + columns);
  if (plan.of_one_run && plan.many_heads && !plan.many_steps) {
    figure.rows_are = "layer";
    figure.columns_are = "head";
  }
  for (std::size_t i = 0; i < plan.panels.size(); i += across) {
    std::vector<std::string> parts;
    if (plan.layers > 1) parts.push_back(layer_name(plan, plan.panels[i].layer));
    if (plan.many_steps) parts.push_back(title_of_step(plan, *plan.panels[i].view.step));
    figure.row_titles.push_back(fmt::format("{}", fmt::join(parts, ", ")));
  }
  if (figure.rows_are.empty()) return;
  const auto last_word = [](const std::string& title) { return title.substr(title.rfind(' ') + 1); };
  std::ranges::transform(figure.row_titles, std::back_inserter(figure.row_numbers), last_word);
  std::ranges::transform(figure.column_titles, std::back_inserter(figure.column_numbers), last_word);
}

// A claim of a head that is made by hand: that of its name.
bool has_claim(const StepView& view) {
  const auto head = static_cast<std::size_t>(view.focus.head);
  return view.step->info.kind == Kind::probability && head < view.trace->heads.size() &&
         !view.trace->heads[head].name.empty();
}

// Whether no drawn query has a key that its head looks for; false for long texts, where it would take long.
bool is_idle(const StepView& view, bool one_query) {
  const Axis* queries = view.step->axis(AxisRole::query);
  constexpr Index most = 512;
  if (!queries || queries->size > most || view.step->tensor().dim(-1) > most) return false;
  Focus focus = view.focus;
  for (Index query = 0; query < queries->size; ++query) {
    if (one_query && query != view.focus.selection.query.value_or(0)) continue;
    focus.selection.query = query;
    if (why_head_finds_nothing(*view.trace, *view.step, focus).empty()) return false;
  }
  return true;
}

std::string heads_in_words(const std::vector<std::string>& heads, const char* one, const char* many) {
  if (heads.empty()) return "";
  const std::string last = heads.back();
  const std::vector<std::string> others(heads.begin(), heads.end() - 1);
  return fmt::format("{}{}{} {}", fmt::join(others, ", "), others.empty() ? "" : " and ", last,
                     others.empty() ? one : many);
}

// What heads that are named after what they look at do not do here.
std::string head_remark(const Figure& figure, const FigurePlan& plan, const FigureRequest& request) {
  std::vector<std::string> idle, flat;
  for (std::size_t i = 0; i < plan.panels.size(); ++i) {
    const PanelPlan& planned = plan.panels[i];
    const Panel& panel = figure.panels[i];
    if (planned.minus || panel.kind == PanelKind::picture || !has_claim(planned.view)) continue;
    std::string name = panel.mark.empty() ? panel.title : fmt::format("({}) {}", panel.mark, panel.title);
    if (plan.panels.size() == 1) name = "This head";
    if (is_idle(planned.view, request.kind == FigureKind::bars))
      idle.push_back(name);
    else if (is_flat_map(panel.cells, planned.view.slice.is_picture()))
      flat.push_back(name);
  }
  const std::string nothing =
      heads_in_words(idle, "finds nothing here that it looks for.", "find nothing here that they look for.");
  const std::string alike =
      heads_in_words(flat, "looks at everything nearly alike.", "look at everything nearly alike.");
  return nothing + (nothing.empty() || alike.empty() ? "" : " ") + alike;
}

// "∂ is by how much Head outputs, head 2, query 9, channel 0, grows for each 1.": of steps that are gradients.
std::string loss_in_words(const FigurePlan& plan) {
  for (const PanelPlan& panel : plan.panels) {
    const std::string& id = panel.view.step->info.id;
    if (forward_id(id) == id) continue;
    if (const auto loss = loss_of(*panel.view.trace))
      return fmt::format("∂ is by how much {} grows for each 1.", headlight::loss_in_words(*loss));
  }
  return {};
}

std::string relevance_in_words(const FigurePlan& plan) {
  const auto is_relevance = [](const PanelPlan& panel) { return quantity_drawn(*panel.view.step) == relevance_id; };
  if (std::ranges::none_of(plan.panels, is_relevance)) return {};
  return "Relevance is what counted for the logit of that token, without the 1 that each position begins with "
         "(Chefer, Gur and Wolf 2021).";
}

// "Edited: weights, head 3 made uniform.": the edits that the drawn numbers depend on.
std::string edits_in_words(const FigurePlan& plan) {
  constexpr std::size_t most = 3;
  std::vector<std::string> edits;
  const auto add = [&](const StepView& view) {
    for (const AppliedEdit& edit : view.trace->edits_affecting(*view.step))
      if (std::ranges::find(edits, edit.words) == edits.end()) edits.push_back(edit.words);
  };
  for (const PanelPlan& panel : plan.panels) {
    add(panel.view);
    if (panel.minus) add(*panel.minus);
  }
  if (edits.empty()) return {};
  const std::size_t left = edits.size() - std::min(most, edits.size());
  edits.resize(edits.size() - left);
  return fmt::format("Edited: {}{}.", fmt::join(edits, "; "), left > 0 ? fmt::format("; and {} more", left) : "");
}

// "Off: layer 0 head 1.": heads of a model that hand on 0, which its other layers feel.
std::string heads_off_in_words(const FigurePlan& plan) {
  constexpr std::size_t most = 6;
  std::vector<std::string> off = plan.panels.front().view.problem->model.heads_off;
  if (off.empty()) return {};
  const std::size_t left = off.size() - std::min(most, off.size());
  off.resize(off.size() - left);
  return fmt::format("Off: {}{}.", fmt::join(off, ", "), left > 0 ? fmt::format(" and {} more heads", left) : "");
}

// Of the query's weight, what lies on positions beside the picture; nothing where all of them lie on it.
std::optional<double> weight_beside_picture(const StepView& view) {
  const Step* whole = view.trace->find(view.step->info.id);
  const Axis* keys = whole ? whole->axis(AxisRole::key) : nullptr;
  const bool alike = keys && whole->info.axes.size() == 4 && view.step->info.axes.size() == 4;
  if (!alike || !keys->placed || whole->info.kind != Kind::probability) return std::nullopt;
  const Focus& focus = view.focus;
  const Index row = whole->axis(AxisRole::query)->only ? 0 : focus.selection.query.value_or(0);
  const Tensor& map = whole->tensor();
  const float* weights = map.data() + ((focus.batch * map.dim(1) + focus.head) * map.dim(2) + row) * map.dim(3);
  double sum = 0;
  for (Index key = 0; key < map.dim(3); ++key)
    if (!keys->placed->holds(key) && std::isfinite(weights[key])) sum += weights[key];
  return sum;
}

// "0.31 of the weight lies beside the picture."
std::string weight_beside_in_words(const Figure& figure, const FigurePlan& plan) {
  std::vector<double> beside;
  for (std::size_t i = 0; i < plan.panels.size(); ++i)
    if (const auto weight = figure.panels[i].kind == PanelKind::picture && !plan.panels[i].minus
                                ? weight_beside_picture(plan.panels[i].view)
                                : std::nullopt)
      beside.push_back(*weight);
  if (beside.empty()) return "";
  const auto [least, most] = std::ranges::minmax(beside);
  const std::string share =
      beside.size() == 1 ? fmt::format("{:.3f}", most) : fmt::format("{:.3f} to {:.3f}", least, most);
  return fmt::format("{} of the weight lies beside the picture.", share);
}

// Of a difference, the numbers at keys that the first map does not have.
std::string left_out_in_words(Index numbers) {
  if (numbers == 0) return "";
  return fmt::format("{} of what is taken away {} at a pixel outside of the first’s window, and left out.",
                     numbers == 1 ? "One number" : fmt::format("{} numbers", numbers), numbers == 1 ? "lies" : "lie");
}

std::string shared_by(const FigurePlan& plan, const FigureRequest& request) {
  if (!request.shared || plan.many_steps || plan.panels.size() < 2 || request.spacing == Spacing::row_max) return "";
  if (plan.layers > 1 || plan.panels.front().minus || !request.heads.empty()) return "shared by all panels";
  return plan.many_heads ? sharing_of(*plan.panels.front().view.step) : "";
}

}  // namespace

Result<OwnedFigure> figure_of(const Trace& trace, const Problem& problem, const FigureRequest& request,
                              const Companions& companions) {
  HL_TRY(const FigurePlan plan, plan_figure(trace, problem, request, companions));
  OwnedFigure owned;
  Figure& figure = owned.figure;
  figure.title = request.title.value_or(title_of(plan, request));
  figure.grid_columns = request.columns;
  if (const auto queries = static_cast<int>(request.queries.size());
      request.columns == 0 && queries > 0 && queries <= 8 && plan.many_heads)
    figure.grid_columns = queries;
  title_grid(figure, plan, request);
  name_axes(figure, plan, request);
  for (const PanelPlan& planned : plan.panels) {
    Panel panel;
    HL_CHECK(add_cells(owned, panel, planned));
    HL_CHECK(shape_panel(owned, panel, planned.view, request));
    panel.mark = mark_of(plan, figure.panels.size(), request.marks);
    if (plan.panels.size() > 1) panel.title = panel_title(plan, planned);
    if (figure.panels.size() < request.panel_titles.size()) panel.title = request.panel_titles[figure.panels.size()];
    figure.panels.push_back(std::move(panel));
  }
  HL_CHECK(set_ranges(figure, plan, request));
  if (request.row_name) figure.row_axis = {*request.row_name, figure.row_axis.role, true};
  if (request.column_name) figure.column_axis = {*request.column_name, figure.column_axis.role, true};
  // A space is a label without ink.
  if (request.bar_label) figure.bar_label = request.bar_label->empty() ? " " : *request.bar_label;
  figure.blank_masked = request.blank_masked;
  figure.shared_by = shared_by(plan, request);
  if (!figure.query.empty() && std::ranges::any_of(figure.panels, [](const Panel& panel) {
        return panel.kind == PanelKind::picture && panel.query_marked && !panel.highlights.empty();
      }))
    figure.query += is_window(plan.panels.front().view.slice) ? " (its window is blue)" : " (blue)";
  figure.remark = head_remark(figure, plan, request);
  for (const std::string& words :
       {weight_beside_in_words(figure, plan), left_out_in_words(owned.left_out), loss_in_words(plan),
        relevance_in_words(plan), edits_in_words(plan), heads_off_in_words(plan)})
    if (!words.empty()) figure.remark += (figure.remark.empty() ? "" : " ") + words;
  figure.description = request.alt.value_or(alt_of(figure));
  owned.steps = plan.made;
  return owned;
}

}  // namespace headlight::app
