#include "app/figures/figure_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/figures/figure_layers.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/params/params.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_panels = 256;  // more leave none of them room on a page
constexpr std::size_t most_maps = 1024;   // small ones, of the layers and heads of one run

struct Run {
  const Trace* trace = nullptr;
  const Problem* problem = nullptr;
};

StepView look_at(const Run& run, const Step& step, const Focus& focus) {
  return {run.trace, run.problem, &step, focus, slice_of(step, focus)};
}

Status check_index(const char* what, const std::optional<Index>& asked, Index count) {
  if (!asked || *asked < count) return {};
  return fail("--{} is {}: it must be from 0 to {}", what, *asked, count - 1);
}

Focus focus_of(const FigureRequest& request) {
  Focus focus;
  focus.batch = request.batch.value_or(0);
  focus.frame = request.frame.value_or(0);
  focus.selection = {request.query, request.key, std::nullopt, {}, {}};
  focus.flat = request.kind == FigureKind::matrix || request.kind == FigureKind::lines ||
               request.kind == FigureKind::bars || request.kind == FigureKind::layers;
  return focus;
}

Result<Run> companion(const Companions& companions, const std::string& path, const char* flag) {
  const auto found = companions.find(path);
  if (found == companions.end() || (!found->second.trace && found->second.error.empty()))
    return fail("--{}: {} is still running", flag, brief(path));
  if (!found->second.error.empty()) return fail("--{}: {}", flag, found->second.error);
  return Run{found->second.trace.get(), found->second.problem.get()};
}

Result<const Step*> step_of(const Trace& trace, const std::string& id) {
  if (const Step* step = trace.find(id)) return step;
  std::vector<std::string> known;
  for (const auto& step : trace.steps) known.push_back(step.info.id);
  const std::string near = nearest_word(id, known);
  return fail("there is no step \"{}\" in this run: {}", brief(id),
              near.empty() ? fmt::format("it has {}", brief_list(known)) : fmt::format("did you mean {}?", near));
}

// A row of panels: the steps of one layer, of this run or of another.
struct Row {
  Run run;
  std::vector<const Step*> steps;
  std::string of;  // what errors begin with; empty: nothing
};

Status fail_in(const Row& row, const Error& error) {
  if (row.of.empty()) return tl::unexpected<Error>(error);
  return fail_at(row.of, error);
}

// The steps by their ids, or the one that the run opens on.
Status add_steps(Row& row, const FigureRequest& request, OwnedSteps& made) {
  std::vector<const Step*> steps;
  if (request.steps.empty() && row.run.trace->default_step()) steps.push_back(row.run.trace->default_step());
  for (const auto& id : request.steps) {
    const auto step = step_of(*row.run.trace, id);
    if (!step) return fail_in(row, step.error());
    steps.push_back(*step);
  }
  for (const Step* step : steps) {
    const auto shown = request.average ? mean_over_heads(*row.run.trace, *step, made) : Result<const Step*>(step);
    if (!shown) return fail_in(row, shown.error());
    HL_TRY(const Step* displayed, displayed_step(*row.run.trace, **shown, request, made));
    row.steps.push_back(displayed);
  }
  return {};
}

Result<std::vector<Row>> rows_of(FigurePlan& plan, const Run& first, const FigureRequest& request,
                                 const Companions& companions) {
  std::vector<Row> rows;
  plan.layer_names = request.layer_names;
  if (is_of_layers(request)) {
    HL_TRY(auto layers, steps_of_layers(*first.trace, request, plan.made));
    plan.of_one_run = layers_of(*first.trace) > 0;
    const bool named = !plan.layer_names.empty();
    for (LayerOfRun& layer : layers) {
      rows.push_back({first, std::move(layer.steps), {}});
      if (!named) plan.layer_names.push_back(fmt::format("Layer {}", layer.number));
    }
    return rows;
  }
  rows.push_back({first, {}, {}});
  for (const auto& path : request.layers) {
    HL_TRY(const Run run, companion(companions, path, "layers"));
    rows.push_back({run, {}, fmt::format("--layers: {}", path)});
  }
  for (Row& row : rows) HL_CHECK(add_steps(row, request, plan.made));
  return rows;
}

// Whether keys are those of a picture alone, of an axis that has others beside it.
bool is_cut_out(const Axis& keys) {
  return keys.grid && keys.placed;
}

// Maps of all queries need none, so that layers may have others than the first.
Status check_places(const StepView& view, Index layer, const FigureRequest& request) {
  const Step& step = *view.step;
  HL_CHECK(check_index("batch", request.batch, batches_of(step)));
  for (const Index head : request.heads)
    if (has_heads(step)) HL_CHECK(check_index("head", head, heads_served(step)));
  const Axis *queries = step.axis(AxisRole::query), *keys = step.axis(AxisRole::key);
  const bool of_one = request.kind == FigureKind::bars || view.slice.is_picture();
  if (!request.queries.empty() && !(queries && of_one))
    return fail("--query of several is of what shows one query, over a picture, as offsets or bars: {} shows all",
                step.info.id);
  if (queries && !queries->only && (layer == 0 || of_one || request.key))
    HL_CHECK(check_index("query", request.query, queries->size));
  for (const Index query : request.queries) HL_CHECK(check_index("query", query, queries->size));
  // Keys that were cut out as a picture are counted as in the run, where others stand beside them.
  const Index beyond = keys && queries ? queries->size - keys->size : 0;
  const Index beside = keys && is_cut_out(*keys) ? std::max(keys->placed->offset, beyond) : 0;
  if (keys) HL_CHECK(check_index("key", request.key, keys->size + beside));
  return check_index("frame", request.frame, view.focus.flat ? 1 : frames_of(step));
}

std::vector<Index> requested_heads(const Step& step, const FigureRequest& request) {
  if (has_heads(step) && !request.heads.empty()) return request.heads;
  std::vector<Index> heads(static_cast<std::size_t>(has_heads(step) ? heads_of(step) : 1));
  for (std::size_t place = 0; place < heads.size(); ++place)
    heads[place] = first_head_at(step, static_cast<Index>(place));
  if (request.minus.what == Subtrahend::What::head && heads.size() > 1) std::erase(heads, request.minus.head);
  return heads;
}

// What is subtracted from a panel, if anything.
Result<std::optional<StepView>> taken_away(FigurePlan& plan, const StepView& from, const FigureRequest& request,
                                           const Companions& companions) {
  Run run{from.trace, from.problem};
  const Step* step = from.step;
  Focus focus = from.focus;
  const bool of_heads = request.minus.what == Subtrahend::What::head;
  if (request.minus.what != Subtrahend::What::nothing && !of_heads && !from.trace->find(from.step->info.id))
    return fail("--minus is of steps that were recorded, and {} is made for the figure: leave it out",
                from.step->info.title);
  switch (request.minus.what) {
    case Subtrahend::What::nothing:
      return std::nullopt;
    case Subtrahend::What::head:
      if (!has_heads(*from.step))
        return fail("--minus head:{}: {} has no heads, so none can be taken away: leave --minus out",
                    request.minus.head, from.step->info.title);
      if (request.minus.head >= heads_served(*from.step))
        return fail("--minus is head:{}: {} has the heads 0 to {}", request.minus.head, from.step->info.id,
                    heads_served(*from.step) - 1);
      focus.head = request.minus.head;
      break;
    case Subtrahend::What::step: {
      HL_TRY(step, step_of(*from.trace, request.minus.name));
      break;
    }
    case Subtrahend::What::experiment: {
      HL_TRY(run, companion(companions, request.minus.name, "minus"));
      HL_TRY(step, step_of(*run.trace, from.step->info.id));
      if (request.average) {
        HL_TRY(step, mean_over_heads(*run.trace, *step, plan.made));
      }
      break;
    }
  }
  if (step != from.step) {
    HL_TRY(step, displayed_step(*run.trace, *step, request, plan.made));
  }
  return look_at(run, *step, focus);
}

// The panels of one step: its heads, each over its frames where no frame is chosen.
Status plan_step(FigurePlan& plan, const Run& run, const Step& step, Index layer, const FigureRequest& request,
                 const Companions& companions) {
  Focus focus = focus_of(request);
  HL_CHECK(check_places(look_at(run, step, focus), layer, request));
  if (!focus.selection.query) focus.selection.query = middle_query(step);
  if (const Axis* keys = step.axis(AxisRole::key); keys && is_cut_out(*keys) && focus.selection.key) {
    const Index on_picture = *focus.selection.key - keys->placed->offset;
    focus.selection.key = on_picture >= 0 && on_picture < keys->size ? std::optional(on_picture) : std::nullopt;
  }
  const Index frames = focus.flat ? 1 : frames_of(step);
  const bool all_frames = frames > 1 && !request.frame;
  const auto heads = requested_heads(step, request);
  std::vector<std::optional<Index>> queries(request.queries.begin(), request.queries.end());
  if (queries.empty()) queries = {focus.selection.query};
  const std::size_t more = heads.size() * queries.size() * static_cast<std::size_t>(all_frames ? frames : 1);
  if (const std::size_t most = plan.of_one_run ? most_maps : most_panels; plan.panels.size() + more > most)
    return fail(
        "this figure would have {} panels or more: at most {} are drawn in one: choose {}steps, heads or frames",
        plan.panels.size() + more, most, plan.of_one_run ? "layers, " : "");
  for (const Index head : heads)
    for (const auto& query : queries) {
      focus.head = head;
      focus.selection.query = query;
      for (Index frame = 0; frame < (all_frames ? frames : 1); ++frame) {
        if (all_frames) focus.frame = frame;
        StepView view = look_at(run, step, focus);
        HL_TRY(auto minus, taken_away(plan, view, request, companions));
        plan.panels.push_back({std::move(view), std::move(minus), layer, all_frames});
      }
    }
  return {};
}

// A map may be a mean already, of the heads that it serves.
Index heads_averaged(const Trace& trace, const FigureRequest& request) {
  const Step* step = request.average ? first_step(trace, request) : nullptr;
  if (!step) return 0;
  return step->info.role == Role::weight ? heads_served(*step) : heads_of(*step);
}

}  // namespace

Index row_of_bars(const StepView& view) {
  return view.slice.rows ? selected_row(view.slice, view.focus.selection).value_or(0) : 0;
}

Result<FigurePlan> plan_figure(const Trace& trace, const Problem& problem, const FigureRequest& request,
                               const Companions& companions) {
  FigurePlan plan;
  HL_TRY(const std::vector<Row> rows, rows_of(plan, {&trace, &problem}, request, companions));
  plan.layers = static_cast<Index>(rows.size());
  plan.many_steps = request.steps.size() > 1;
  plan.many_queries = !request.queries.empty();
  plan.kind = request.kind;
  plan.averaged = heads_averaged(trace, request);
  std::size_t each = 0;
  for (Index layer = 0; layer < plan.layers; ++layer) {
    const Row& row = rows[static_cast<std::size_t>(layer)];
    const std::size_t before = plan.panels.size();
    for (const Step* step : row.steps)
      if (const Status planned = plan_step(plan, row.run, *step, layer, request, companions); !planned)
        return tl::unexpected<Error>(fail_in(row, planned.error()).error());
    if (layer == 0) each = plan.panels.size();
    if (plan.panels.size() - before != each)
      return fail("{} has {} panels where the first {} has {}: choose heads or frames that all have",
                  row.of.empty() ? fmt::format("--layers: layer {}", layer) : row.of, plan.panels.size() - before,
                  plan.of_one_run ? "layer" : "experiment", each);
  }
  plan.many_heads = std::ranges::any_of(plan.panels, [&](const PanelPlan& panel) {
    const StepView &a = panel.view, &first = plan.panels.front().view;
    return a.step == first.step && a.focus.head != first.focus.head;
  });
  return plan;
}

namespace {

std::string numbered_head(const StepView& view) {
  const std::string name = head_name(*view.trace, *view.step, view.focus.head);
  const std::string plain = counted_head(*view.trace, *view.step, view.focus.head);
  return name.substr(1) == plain.substr(1) ? plain : fmt::format("{}: {}", plain, name);
}

// "3, 4", "3, 4 of frame 2"
std::string place_in_words(const Grid& grid, Index position) {
  const Index plane = grid.rows * grid.columns;
  const std::string place = place_of({1, grid.rows, grid.columns}, position % plane);
  return grid.frames > 1 ? fmt::format("{} of frame {}", place, position / plane) : place;
}

// "Attention weights in gpt2", "in gpt2, layer 3": of a model its folder, of attention that was saved its file; without
// the folders that these lie in.
std::string step_in_title(const FigurePlan& plan, const StepView& view) {
  const Problem& problem = *view.problem;
  const std::string title = title_of_step(plan, *view.step);
  std::string from = problem.model.name;
  if (!problem.model.layer.empty()) from += ", " + problem.model.layer;
  if (from.empty() && !problem.files.empty()) {
    const auto& [id, file] = *problem.files.begin();
    if (file != "inputs." + without_layer(id)) from = name_without_folders(path_of_utf8(file));  // it is no file's
  }
  return from.empty() ? title : fmt::format("{} in {}", title, from);
}

}  // namespace

std::string layer_name(const FigurePlan& plan, Index layer) {
  const auto at = static_cast<std::size_t>(layer);
  return at < plan.layer_names.size() && !plan.layer_names[at].empty() ? plan.layer_names[at]
                                                                       : fmt::format("Layer {}", layer);
}

namespace {

// Of a part of a model, which may be all of it.
std::string name_of_maps(const std::string& part) {
  if (part.empty()) return "Attention weights";
  return capitalized(part + (part == name_of(ModelPart::cross) ? "-attention weights" : " attention weights"));
}

}  // namespace

std::string quantity_drawn(const Step& step) {
  return without_layer(step.info.id) == relevance_id ? relevance_id : quantity_of(step);
}

namespace {

// Whether a step is of all layers up to its own, and of all heads together.
bool is_of_layers_before(const Step& step) {
  const std::string id = without_layer(step.info.id);
  return id == rollout_id || id == relevance_id;
}

}  // namespace

std::string title_of_step(const FigurePlan& plan, const Step& step) {
  const std::string& part = step.info.part;
  const bool rolled = is_of_layers_before(step);
  // Titles of layers say which, and so does what stands beside them.
  if (plan.of_one_run && step.info.layer && !rolled && quantity_drawn(step) == "weight") return name_of_maps(part);
  if (part.empty() || !(rolled || measure_in(step.info.id))) return step.info.title;
  return fmt::format("{} {}", capitalized(part == name_of(ModelPart::cross) ? "cross-attention" : part),
                     lower_first(step.info.title));
}

std::string panel_title(const FigurePlan& plan, const PanelPlan& panel) {
  const Step& step = *panel.view.step;
  std::vector<std::string> parts;
  if (plan.layers > 1) parts.push_back(layer_name(plan, panel.layer));
  if (plan.many_steps) parts.push_back(title_of_step(plan, step));
  if (plan.many_heads && has_heads(step)) parts.push_back(head_name(*panel.view.trace, step, panel.view.focus.head));
  if (plan.many_queries) {
    std::string query = query_in_words(panel.view, plan.kind);
    if (query.starts_with("the ")) query.erase(0, 4);
    parts.push_back(parts.empty() ? capitalized(std::move(query)) : query);
  }
  if (panel.in_time) parts.push_back(fmt::format("frame {}", panel.view.focus.frame));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string key_in_words(const StepView& view, const FigureRequest& request) {
  const Step* whole = view.trace->find(view.step->info.id);
  if (request.kind != FigureKind::picture || !request.key || view.step->axis(AxisRole::key) || !whole) return "";
  const std::vector<std::string>& labels = labels_of_item(*whole->axis(AxisRole::key), view.focus.batch);
  const auto key = static_cast<std::size_t>(*request.key);
  return key < labels.size() ? fmt::format("“{}”", labels[key]) : fmt::format("key {}", key);
}

std::string query_in_words(const StepView& view, FigureKind kind) {
  const Axis* queries = view.step->axis(AxisRole::query);
  if (!queries || (view.slice.positions != Role::key && kind != FigureKind::bars)) return "";
  const Index selected = queries->only.value_or(view.focus.selection.query.value_or(0));
  if (is_on_picture(*queries)) return fmt::format("the query at {}", place_in_words(*queries->grid, selected));
  const Index row = view.slice.is_picture() ? selected : row_of_bars(view);
  if (queries->placed && queries->placed->holds(row))
    return fmt::format("the query at {}", place_in_words(queries->placed->grid, row - queries->placed->offset));
  const std::vector<std::string>& labels = labels_of_item(*queries, view.focus.batch);
  if (row >= static_cast<Index>(labels.size()) || labels_are_numbers(*queries)) return fmt::format("query {}", row);
  return fmt::format("query “{}”", labels[static_cast<std::size_t>(row)]);
}

std::string title_of(const FigurePlan& plan, const FigureRequest& request) {
  const PanelPlan& first = plan.panels.front();
  const Step& step = *first.view.step;
  const bool rolled = is_of_layers_before(step);
  std::vector<std::string> parts;
  if (!plan.many_steps) parts.push_back(step_in_title(plan, first.view));
  if (request.minus.what == Subtrahend::What::step)
    parts = {fmt::format("{} minus {}", parts.empty() ? "Steps" : parts.front(), first.minus->step->info.title)};
  if (plan.of_one_run && plan.layers == 1 && step.info.layer && !plan.many_steps)
    parts.push_back(fmt::format("{}layer {}", rolled ? "after " : "", *step.info.layer));
  if (plan.averaged > 1 && !has_heads(step) && !rolled)
    parts.push_back(fmt::format("mean over {} heads", plan.averaged));
  if (!plan.many_heads && has_heads(step) && heads_of(step) > 1) parts.push_back(numbered_head(first.view));
  if (const Axis* channel = chosen_channel_axis(step, first.view.focus); channel && !plan.many_steps)
    parts.push_back(
        fmt::format("{} {}", channel->name,
                    label_of(channel, first.view.focus.selection.channel.value_or(0), first.view.focus.batch)));
  if (request.batch && batches_of(step) > 1) parts.push_back(fmt::format("batch item {}", *request.batch));
  if (const std::string key = key_in_words(first.view, request); !key.empty()) parts.push_back("weights on " + key);
  if (request.kind == FigureKind::bars)
    if (const std::string query = query_in_words(first.view, request.kind); !query.empty()) parts.push_back(query);
  if (request.frame && frames_of(step) > 1 && !first.view.focus.flat)
    parts.push_back(fmt::format("frame {}", *request.frame));
  const std::string title = capitalized(fmt::format("{}", fmt::join(parts, ", ")));
  const std::string of_what = title.empty() ? "Difference" : title;
  if (request.minus.what == Subtrahend::What::head)
    return fmt::format("{} minus {}", of_what, numbered_head(*first.minus));
  if (request.minus.what == Subtrahend::What::experiment)
    return fmt::format("{} minus those of {}", of_what, utf8(path_of_utf8(request.minus.name).stem()));
  return title;
}

}  // namespace headlight::app
