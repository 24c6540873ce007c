#include "app/figures/figure_plan.h"

#include <algorithm>

#include "engine/core/words.h"
#include "engine/variants/params.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_panels = 256;  // more leave none of them room on a page

struct Run {
  const Trace* trace = nullptr;
  const Problem* problem = nullptr;
};

Status within(const char* what, const std::optional<Index>& asked, Index count) {
  if (!asked || *asked < count) return {};
  return fail("--{} is {}: it must be from 0 to {}", what, *asked, count - 1);
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

std::vector<std::string> opening_of(const Trace& trace) {
  const Step* step = trace.opening();
  return step ? std::vector{step->info.id} : std::vector<std::string>();
}

// Maps of all queries need none, so that layers may have others than the first.
Status check_places(const Step& step, const Focus& focus, Index layer, const FigureRequest& request) {
  HL_CHECK(within("batch", request.batch, batches_of(step)));
  for (const Index head : request.heads)
    if (has_heads(step)) HL_CHECK(within("head", head, heads_served(step)));
  const Axis *queries = step.axis(AxisRole::query), *keys = step.axis(AxisRole::key);
  const bool of_one = request.kind == FigureKind::bars || slice_of(step, focus).is_picture();
  if (queries && !queries->only && (layer == 0 || of_one || request.key))
    HL_CHECK(within("query", request.query, queries->size));
  if (keys) HL_CHECK(within("key", request.key, keys->size));
  return within("frame", request.frame, focus.flat ? 1 : frames_of(step));
}

std::vector<Index> heads_asked(const Step& step, const FigureRequest& request) {
  if (has_heads(step) && !request.heads.empty()) return request.heads;
  std::vector<Index> heads(static_cast<std::size_t>(has_heads(step) ? heads_of(step) : 1));
  for (std::size_t place = 0; place < heads.size(); ++place)
    heads[place] = first_head_at(step, static_cast<Index>(place));
  if (request.minus.what == Subtrahend::What::head && heads.size() > 1) std::erase(heads, request.minus.head);
  return heads;
}

// What is taken away from a panel, none where that is nothing.
Result<std::optional<Looked>> taken_away(const Looked& from, const FigureRequest& request,
                                         const Companions& companions) {
  Looked other = from;
  switch (request.minus.what) {
    case Subtrahend::What::nothing:
      return std::nullopt;
    case Subtrahend::What::head:
      if (!has_heads(*from.step)) return fail("--minus head: {} has no heads", from.step->info.id);
      if (request.minus.head >= heads_served(*from.step))
        return fail("--minus is head:{}: {} has the heads 0 to {}", request.minus.head, from.step->info.id,
                    heads_served(*from.step) - 1);
      other.focus.head = request.minus.head;
      return other;
    case Subtrahend::What::step: {
      HL_TRY(other.step, step_of(*from.trace, request.minus.name));
      return other;
    }
    case Subtrahend::What::experiment: {
      HL_TRY(const Run run, companion(companions, request.minus.name, "minus"));
      other.trace = run.trace;
      other.problem = run.problem;
      HL_TRY(other.step, step_of(*run.trace, from.step->info.id));
      return other;
    }
  }
  return std::nullopt;
}

// The panels of one step: its heads, each over its frames where no frame is chosen.
Status plan_step(FigurePlan& plan, const Run& run, const Step& step, Index layer, const FigureRequest& request,
                 const Companions& companions) {
  Looked looked{run.trace, run.problem, &step, focus_of(request)};
  HL_CHECK(check_places(step, looked.focus, layer, request));
  if (!looked.focus.selection.query) looked.focus.selection.query = middle_query(step);
  const Index frames = looked.focus.flat ? 1 : frames_of(step);
  const bool all_frames = frames > 1 && !request.frame;
  const auto heads = heads_asked(step, request);
  const std::size_t more = heads.size() * static_cast<std::size_t>(all_frames ? frames : 1);
  if (plan.panels.size() + more > most_panels)
    return fail("this figure would have {} panels or more: at most {} are drawn in one: choose steps, heads or frames",
                plan.panels.size() + more, most_panels);
  for (const Index head : heads) {
    looked.focus.head = head;
    for (Index frame = 0; frame < (all_frames ? frames : 1); ++frame) {
      if (all_frames) looked.focus.frame = frame;
      HL_TRY(auto minus, taken_away(looked, request, companions));
      plan.panels.push_back({looked, std::move(minus), layer, all_frames});
    }
  }
  return {};
}

}  // namespace

Result<FigurePlan> plan_figure(const Trace& trace, const Problem& problem, const FigureRequest& request,
                               const Companions& companions) {
  FigurePlan plan;
  plan.layers = 1 + static_cast<Index>(request.layers.size());
  plan.layer_names = request.layer_names;
  plan.many_steps = request.steps.size() > 1;
  std::size_t each = 0;
  for (Index layer = 0; layer < plan.layers; ++layer) {
    Run run{&trace, &problem};
    const std::size_t before = plan.panels.size();
    if (layer > 0) {
      HL_TRY(run, companion(companions, request.layers[static_cast<std::size_t>(layer) - 1], "layers"));
    }
    for (const auto& id : request.steps.empty() ? opening_of(*run.trace) : request.steps) {
      const auto step = step_of(*run.trace, id);
      const Status planned =
          step ? plan_step(plan, run, **step, layer, request, companions) : Status(tl::unexpected(step.error()));
      if (planned) continue;
      if (layer == 0) return tl::unexpected(planned.error());
      return fail_at(fmt::format("--layers: {}", request.layers[static_cast<std::size_t>(layer) - 1]), planned.error());
    }
    if (layer == 0) each = plan.panels.size();
    if (plan.panels.size() - before != each)
      return fail("--layers: {} has {} panels where the first experiment has {}: choose heads or frames that all have",
                  request.layers[static_cast<std::size_t>(layer) - 1], plan.panels.size() - before, each);
  }
  plan.many_heads = std::ranges::any_of(plan.panels, [&](const PanelPlan& panel) {
    const Looked &a = panel.looked, &first = plan.panels.front().looked;
    return a.step == first.step && a.focus.head != first.focus.head;
  });
  return plan;
}

}  // namespace headlight::app
