#include "app/figures/figure_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/figures/figure_layers.h"
#include "app/reading/slice.h"

namespace headlight::app {

namespace {

// A request and the steps of it that its run has.
struct DrawnSteps {
  const Trace& trace;
  const FigureRequest& request;
  std::vector<const Step*> steps;
  bool rolled = false, measured = false;
};

DrawnSteps drawn_by(const FigureRequest& request, const Trace& trace) {
  DrawnSteps drawn{trace, request, {}};
  const auto add = [&](const Step* step) {
    if (step) drawn.steps.push_back(step);
  };
  if (is_of_layers(request) || request.steps.empty())
    add(first_step(trace, request));
  else
    for (const std::string& id : request.steps) add(trace.find(id));
  drawn.rolled = request.steps == std::vector<std::string>{rollout_id};
  drawn.measured = request.steps.size() == 1 && measure_in(request.steps.front());
  return drawn;
}

bool sets_whole_rows(FigureKind kind) {
  return kind == FigureKind::bars || kind == FigureKind::layers;
}

bool shows_all_queries(FigureKind kind) {
  return sets_whole_rows(kind) || kind == FigureKind::matrix || kind == FigureKind::lines;
}

// Whether a panel of the step is of one query: its row, or its keys where they lie.
bool is_of_one_query(const Step& step, FigureKind kind) {
  if (sets_whole_rows(kind)) return step.axis(AxisRole::query) != nullptr;
  if (kind == FigureKind::offsets || kind == FigureKind::picture) return true;
  return !shows_all_queries(kind) && slice_of(step, {}).positions == Role::key;
}

bool none_drawn(const DrawnSteps& drawn, const std::function<bool(const Step&)>& holds) {
  return std::ranges::none_of(drawn.steps, [&](const Step* step) { return holds(*step); });
}

std::string why_no_heads(const DrawnSteps& drawn) {
  if (drawn.rolled) return "rollout is of all heads together";
  if (drawn.measured) return "a measure is drawn of every head";
  return none_drawn(drawn, has_heads) ? "what is drawn has no heads" : "";
}

std::string why_no_after(const DrawnSteps& drawn) {
  return shows_relevance(drawn.request) ? "" : "it is of --step relevance: give both, or";
}

std::string why_no_part(const DrawnSteps& drawn) {
  if (is_of_layers(drawn.request)) return "";  // a part that there is none of is refused with them
  const bool has = std::ranges::any_of(drawn.trace.steps, [](const Step& step) { return !step.info.part.empty(); });
  return has ? "--step says which steps" : "this run has no parts";
}

std::string why_no_layer_names(const DrawnSteps& drawn) {
  const FigureRequest& request = drawn.request;
  std::size_t rows = 1 + request.layers.size();
  if (is_of_layers(request)) {
    const auto layers = request.run_layers ? requested_layers(drawn.trace, request) : Result<std::vector<Index>>();
    rows = layers ? layers->size() : 1;
  }
  const bool together = drawn.measured || request.kind == FigureKind::layers;
  return rows < 2 || together ? "panels have such names where there are several layers, a row of panels each" : "";
}

std::string why_no_query(const DrawnSteps& drawn) {
  const FigureKind kind = drawn.request.kind;
  if (drawn.measured) return "a measure is of all queries";
  const bool framed = drawn.request.key && kind != FigureKind::lines;
  if (framed || kind == FigureKind::lines) return "";
  if (!none_drawn(drawn, [&](const Step& step) { return is_of_one_query(step, kind); })) return "";
  return "all queries are drawn: --key too frames a cell, and --as bars shows that row alone; or";
}

std::string why_no_key(const DrawnSteps& drawn) {
  const FigureKind kind = drawn.request.kind;
  if (drawn.measured) return "a measure is of all keys";
  if (kind == FigureKind::bars || kind == FigureKind::lines) return "bars and lines frame no cell";
  if (drawn.request.query) return "";
  const bool one = !none_drawn(drawn, [&](const Step& step) { return is_of_one_query(step, kind); });
  return one ? "" : "it frames a cell with --query: give both, or";
}

std::string why_no_frame(const DrawnSteps& drawn) {
  if (none_drawn(drawn, [](const Step& step) { return frames_of(step) > 1; })) return "what is drawn has no frames";
  return shows_all_queries(drawn.request.kind) ? "all frames are drawn together" : "";
}

std::string why_no_row_name(const DrawnSteps& drawn) {
  if (drawn.request.kind == FigureKind::bars) return "bars show one row";
  return drawn.request.kind == FigureKind::picture ? "no axes are named beside a picture" : "";
}

std::string why_no_column_name(const DrawnSteps& drawn) {
  return drawn.request.kind == FigureKind::picture ? "no axes are named beside a picture" : "";
}

std::string why_no_top(const DrawnSteps& drawn) {
  return drawn.request.numbers == CellNumbers::top ? "" : "it is of --numbers top: give both, or";
}

std::string why_no_spacing(const DrawnSteps& drawn) {
  return drawn.measured ? "a measure's scale is linear" : "";
}

std::string why_no_bar(const DrawnSteps& drawn) {
  const FigureKind kind = drawn.request.kind;
  return kind == FigureKind::bars || kind == FigureKind::lines ? "bars and lines have no colour bar" : "";
}

struct IdleRule {
  const char* key;
  std::string (*why)(const DrawnSteps&);
};

constexpr IdleRule idle_rules[] = {{"head", why_no_heads},
                                   {"average", why_no_heads},
                                   {"after", why_no_after},
                                   {"part", why_no_part},
                                   {"layer-names", why_no_layer_names},
                                   {"query", why_no_query},
                                   {"key", why_no_key},
                                   {"frame", why_no_frame},
                                   {"row-name", why_no_row_name},
                                   {"column-name", why_no_column_name},
                                   {"top", why_no_top},
                                   {"spacing", why_no_spacing},
                                   {"bar", why_no_bar}};

}  // namespace

std::vector<IdleChoice> idle_choices(const Trace& trace, const FigureRequest& request) {
  std::vector<IdleChoice> idle;
  const DrawnSteps drawn = drawn_by(request, trace);
  if (drawn.steps.empty()) return idle;  // which is told when it is drawn
  for (const auto& [key, text] : settings_of(request)) {
    const auto rule = std::ranges::find(idle_rules, key, [](const IdleRule& one) { return std::string(one.key); });
    if (rule == std::end(idle_rules)) continue;
    if (std::string why = rule->why(drawn); !why.empty()) idle.push_back({key, std::move(why)});
  }
  return idle;
}

Status check_choices(const Trace& trace, const FigureRequest& request, const std::vector<std::string>& given) {
  for (const IdleChoice& idle : idle_choices(trace, request))
    if (std::ranges::find(given, idle.key) != given.end())
      return fail("--{} does nothing here: {}{} leave --{} out", idle.key, idle.why,
                  idle.why.ends_with(" or") ? "" : ":", idle.key);
  return {};
}

FigureRequest without_idle_choices(FigureRequest request, const Trace& trace) {
  for (const IdleChoice& idle : idle_choices(trace, request)) {
    if (idle.key == "query") request.query.reset();
    if (idle.key == "key") request.key.reset();
    if (idle.key == "frame") request.frame.reset();
    if (idle.key == "after") request.after.reset();
    if (idle.key == "head") request.heads.clear();
    if (idle.key == "average") request.average = false;
  }
  return request;
}

}  // namespace headlight::app
