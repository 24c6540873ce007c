#include "app/cli/describe.h"

#include <fmt/ranges.h>

#include <vector>

#include "app/cli/commands.h"
#include "app/cli/file_options.h"
#include "app/cli/messages.h"
#include "app/cli/progress.h"
#include "app/reading/axis_match.h"
#include "app/reading/description.h"
#include "app/reading/other_descriptions.h"
#include "engine/base/words.h"
#include "engine/io/param_fields.h"

namespace headlight::app {

namespace {

Result<const Step*> step_named(const Trace& trace, const std::string& id) {
  if (id.empty()) {
    if (const Step* opening = trace.default_step()) return opening;
    return fail("this run has no step to describe");
  }
  if (const Step* step = trace.find(id)) return step;
  std::vector<std::string> ids;
  for (const Step& step : trace.steps) ids.push_back(step.info.id);
  return fail("--step {} is not known: {}", brief(id), suggestion(id, ids));
}

// What is asked for, and else what the view looks at where the step has that.
Result<std::optional<Index>> place(const char* flag, const std::optional<Index>& asked,
                                   const std::optional<Index>& seen, const Step& step, AxisRole along) {
  const Axis* axis = step.axis(along);
  if (!asked) return axis && seen && *seen < axis->size ? seen : std::optional<Index>();
  if (!axis) return fail("--{} is {}: {} has none", flag, *asked, step.info.id);
  if (*asked >= axis->size) return fail("--{} is {}: it must be from 0 to {}", flag, *asked, axis->size - 1);
  return asked;
}

}  // namespace

void add_describe(CLI::App* c, DescribeOptions& options) {
  c->footer(
      "For a screen reader, a caption or a chat. Every number is the run's.\n"
      "Try it:\n"
      "  headlight describe mine.headlight --head 2 --query 9 --key 3");
  c->add_option("experiment", options.experiment,
                "The experiment file, or - for standard input; none: the built-in example");
  c->add_option("--step", options.step, "Which step, by id; left out: the view's, else the first map");
  constexpr int most = 100000;
  const auto number = [&](const char* flag, std::optional<Index>& into, const char* words) {
    c->add_option(flag, into, words)->check(CLI::Range(0, most));
  };
  number("--head", options.head, "Which head, from 0; left out: the view's");
  number("--batch", options.batch, "Which item of the batch, from 0; left out: the view's");
  number("--query", options.query, "Also that row, from 0; left out: the view's, if any");
  number("--key", options.key, "And that key of it, with where its number comes from");
  number("--channel", options.channel, "Or that channel");
  c->add_flag("--heads", options.heads, "What heads do, by their measures; of a model, always");
  c->add_option("--against", options.against, "Another experiment, A: where the step of this one, B, differs most");
  add_given(c, options.given);
  c->add_flag("-q,--quiet", options.quiet, "No warnings, no progress");
}

Status describe_command(const DescribeOptions& options) {
  if (options.heads || uses_model(options.experiment)) {
    if (!options.step.empty() || options.query || !options.against.empty())
      return fail("--heads says what all heads do: --step, --query and --against are of a step");
    HeadsOptions heads;
    heads.experiment = options.experiment;
    heads.given = options.given;
    heads.quiet = options.quiet;
    heads.in_words = true;
    return heads_command(heads);
  }
  if (options.given.any()) return fail("--text, --pair, --decoder, --ids and --at are of a model, which this is not");
  Experiment experiment = example_experiment();
  if (!options.experiment.empty()) {
    HL_TRY(experiment, read_named_experiment(options.experiment));
  }
  HL_TRY(const RunResult ran, run_with_progress(experiment, options.quiet));
  const View& view = experiment.view;
  HL_TRY(const Step* step, step_named(*ran.trace, options.step.empty() ? view.step.value_or("") : options.step));
  Focus focus;
  HL_TRY(const auto batch, place("batch", options.batch, view.batch, *step, AxisRole::batch));
  focus.batch = batch.value_or(0);
  const Step* heads = has_heads(*step) ? step : ran.trace->map();
  HL_TRY(const auto head, place("head", options.head, view.head, heads ? *heads : *step, AxisRole::head));
  focus.head = head.value_or(0);
  HL_TRY(focus.selection.query, place("query", options.query, view.query, *step, AxisRole::query));
  HL_TRY(focus.selection.key, place("key", options.key, view.key, *step, AxisRole::key));
  HL_TRY(focus.selection.channel, place("channel", options.channel, {}, *step, AxisRole::channel));
  if (options.against.empty()) {
    fmt::print("{}", describe(*ran.trace, *step, focus));
    return {};
  }
  HL_TRY(const Experiment other, read_named_experiment(options.against));
  HL_TRY(const RunResult a, run_with_progress(other, options.quiet));
  focus.flat = true;
  Focus in_a = focus;
  in_a.selection = partner_in_a(match_positions(*a.trace, *ran.trace, focus.batch), focus.selection);
  fmt::print("{}", describe_difference(*a.trace, in_a, *ran.trace, *step, focus));
  return {};
}

}  // namespace headlight::app
