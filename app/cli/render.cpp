#include <charconv>

#include "app/cli/assets.h"
#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "app/model/figure_of.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace {

constexpr double points_per_mm = 72 / 25.4;

Result<const Step*> step_to_draw(const Trace& trace, const RenderOptions& options, const Experiment& experiment) {
  const std::string id = !options.step.empty() ? options.step : experiment.view.step.value_or("weights");
  if (const Step* step = trace.find(id)) return step;
  std::vector<std::string> known;
  for (const auto& step : trace.steps) known.push_back(step.info.id);
  return fail("there is no step \"{}\" in this run: it has {}", id, fmt::join(known, ", "));
}

// The head asked for, or −1 for all of them.
Result<Index> head_to_draw(const Step& step, const RenderOptions& options) {
  if (options.head.empty() || options.head == "all") return -1;
  Index head = 0;
  const char* end = options.head.data() + options.head.size();
  const auto parsed = std::from_chars(options.head.data(), end, head);
  if (parsed.ec != std::errc() || parsed.ptr != end || head < 0 || head >= heads_of(step))
    return fail("--head is {}: it must be all, or a number from 0 to {}", options.head, heads_of(step) - 1);
  return head;
}

Status carry_out(const RenderOptions& options) {
  if (options.output.extension() != ".png")
    return fail("{}: figures are written as .png: name it so", options.output.string());
  Experiment experiment = example_experiment();
  if (!options.experiment.empty()) {
    HL_TRY(experiment, read_experiment(options.experiment));
  }
  HL_TRY(const Ran ran, run_with_progress(experiment, options.quiet));
  HL_TRY(const Step* step, step_to_draw(*ran.trace, options, experiment));
  HL_TRY(const Index head, head_to_draw(*step, options));
  Look look;
  look.head = std::max<Index>(head, 0);
  look.batch = options.batch.value_or(experiment.view.batch.value_or(0));
  if (look.batch < 0 || look.batch >= batches_of(*step))
    return fail("--batch is {}: it must be from 0 to {}", look.batch, batches_of(*step) - 1);
  const OwnedFigure owned = figure_of(*ran.trace, *step, look, head < 0);
  PageOptions page;
  if (options.width_mm > 0) page.width = options.width_mm * points_per_mm;
  page.pixels_per_inch = options.dpi;
  HL_TRY(const std::string png, render_png(owned.figure, page, font_files_in(assets_folder() / "fonts")));
  return write_file(options.output, png);
}

}  // namespace

int render_command(const RenderOptions& options) {
  const Status status = carry_out(options);
  if (status) return 0;
  fmt::print(stderr, "headlight: {}\n", status.error().message);
  return 1;
}

}  // namespace headlight::app
