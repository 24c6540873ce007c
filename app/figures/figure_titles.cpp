#include "app/figures/figure_titles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/reading/step_words.h"
#include "engine/core/system/paths.h"

namespace headlight::app {

namespace {

std::string name_of_head(const FigurePlan& plan, const Looked& looked) {
  return plan.of_one_run ? fmt::format("Head {}", looked.focus.head)
                         : head_name(*looked.trace, *looked.step, looked.focus.head);
}

std::string numbered_head(const FigurePlan& plan, const Looked& looked) {
  if (plan.of_one_run) return fmt::format("head {}", looked.focus.head);
  const std::string name = head_name(*looked.trace, *looked.step, looked.focus.head);
  const std::string plain = counted_head(*looked.trace, *looked.step, looked.focus.head);
  return name.substr(1) == plain.substr(1) ? plain : fmt::format("{}: {}", plain, name);
}

// "3, 4", "3, 4 of frame 2"
std::string place_in_words(const Grid& grid, Index position) {
  const Index plane = grid.rows * grid.columns;
  const std::string place = place_of({1, grid.rows, grid.columns}, position % plane);
  return grid.frames > 1 ? fmt::format("{} of frame {}", place, position / plane) : place;
}

// "Attention weights in gpt2": of a run of a model the folder that it is from, of layers that were saved their file.
std::string step_in_title(const FigurePlan& plan, const Looked& looked) {
  const auto& files = looked.problem->files;
  const auto from = plan.of_one_run ? files.begin() : files.find(id_of_model);
  const std::string title = title_of_step(plan, *looked.step);
  return from == files.end() ? title : fmt::format("{} in {}", title, from->second);
}

}  // namespace

std::string layer_name(const FigurePlan& plan, Index layer) {
  const auto at = static_cast<std::size_t>(layer);
  return at < plan.layer_names.size() && !plan.layer_names[at].empty() ? plan.layer_names[at]
                                                                       : fmt::format("Layer {}", layer + 1);
}

namespace {

// Of a part of a model, which may be all of it.
std::string name_of_maps(const std::string& part) {
  if (part.empty()) return "Attention weights";
  return capitalized(part + (part == name_of(ModelPart::cross) ? "-attention weights" : " attention weights"));
}

}  // namespace

std::string title_of_step(const FigurePlan& plan, const Step& step) {
  // Titles of layers say which, and so does what stands beside them.
  return plan.of_one_run && step.info.layer && without_layer(step.info.id) != rollout_id &&
                 quantity_of(step) == "weight"
             ? name_of_maps(step.info.part)
             : step.info.title;
}

std::string panel_title(const FigurePlan& plan, const PanelPlan& panel) {
  const Step& step = *panel.looked.step;
  std::vector<std::string> parts;
  if (plan.layers > 1) parts.push_back(layer_name(plan, panel.layer));
  if (plan.many_steps) parts.push_back(title_of_step(plan, step));
  if (plan.many_heads && has_heads(step)) parts.push_back(name_of_head(plan, panel.looked));
  if (panel.in_time) parts.push_back(fmt::format("frame {}", panel.looked.focus.frame));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string query_in_words(const Looked& looked, const FigureRequest& request) {
  const Axis* queries = looked.step->axis(AxisRole::query);
  const Index query = looked.focus.selection.query.value_or(0);
  if (!queries || (looked.slice.positions != Role::key && request.kind != FigureKind::bars)) return "";
  if (queries->grid && queries->grid->rows * queries->grid->frames > 1)
    return fmt::format("the query at {}", place_in_words(*queries->grid, queries->only.value_or(query)));
  const Index row = row_of_bars(looked);
  return fmt::format("query {}",
                     queries->labels.empty() ? fmt::format("{}", row) : fmt::format("“{}”", label_of(queries, row)));
}

std::string title_of(const FigurePlan& plan, const FigureRequest& request) {
  const PanelPlan& first = plan.panels.front();
  const Step& step = *first.looked.step;
  const bool rolled = without_layer(step.info.id) == rollout_id;
  std::vector<std::string> parts;
  if (!plan.many_steps) parts.push_back(step_in_title(plan, first.looked));
  if (request.minus.what == Subtrahend::What::step)
    parts = {fmt::format("{} minus {}", parts.empty() ? "Steps" : parts.front(), first.minus->step->info.title)};
  if (plan.of_one_run && plan.layers == 1 && step.info.layer && !plan.many_steps)
    parts.push_back(fmt::format("{}layer {}", rolled ? "after " : "", *step.info.layer));
  if (plan.averaged > 1 && !has_heads(step) && !rolled)
    parts.push_back(fmt::format("mean over {} heads", plan.averaged));
  if (!plan.many_heads && has_heads(step) && heads_of(step) > 1) parts.push_back(numbered_head(plan, first.looked));
  if (const Axis* channel = chosen_channel_axis(step, first.looked.focus); channel && !plan.many_steps)
    parts.push_back(
        fmt::format("{} {}", channel->name, label_of(channel, first.looked.focus.selection.channel.value_or(0))));
  if (request.batch && batches_of(step) > 1) parts.push_back(fmt::format("batch item {}", *request.batch));
  if (request.kind == FigureKind::bars)
    if (const std::string query = query_in_words(first.looked, request); !query.empty()) parts.push_back(query);
  if (request.frame && frames_of(step) > 1 && !first.looked.focus.flat)
    parts.push_back(fmt::format("frame {}", *request.frame));
  const std::string title = capitalized(fmt::format("{}", fmt::join(parts, ", ")));
  const std::string of_what = title.empty() ? "Difference" : title;
  if (request.minus.what == Subtrahend::What::head)
    return fmt::format("{} minus {}", of_what, numbered_head(plan, *first.minus));
  if (request.minus.what == Subtrahend::What::experiment)
    return fmt::format("{} minus those of {}", of_what, utf8(path_of_utf8(request.minus.name).stem()));
  return title;
}

}  // namespace headlight::app
