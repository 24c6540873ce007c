#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "app/cli/assets.h"
#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "app/model/figure_jobs.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// ---- What is to be drawn ------------------------------------------------------------------------------------------

Result<std::vector<fs::path>> experiments_of(const std::vector<fs::path>& asked) {
  std::vector<fs::path> found;
  for (const auto& path : asked) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      found.push_back(path);
      continue;
    }
    std::vector<fs::path> inside;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
      if (at->path().extension() == ".headlight" || at->path().extension() == ".json") inside.push_back(at->path());
    if (error) return fail("{}: this folder cannot be read: {}", path.string(), error.message());
    if (inside.empty()) return fail("{}: there are no experiments in this folder (.headlight, .json)", path.string());
    std::ranges::sort(inside);
    found.insert(found.end(), inside.begin(), inside.end());
  }
  if (found.empty()) found.emplace_back();  // the built-in example
  return found;
}

// ---- Carrying it out ----------------------------------------------------------------------------------------------

// Draws on all processors; the first error stops the rest.
Status draw_all(const std::vector<FigureJob>& jobs, const Ran& ran, Experiment experiment, const Companions& companions,
                const RenderOptions& options) {
  const bool show = !options.quiet && jobs.size() > 1 && isatty(STDERR_FILENO) != 0;
  std::size_t done = 0;
  const FigureDrawn print = [&](std::size_t job, const std::vector<FigureFile>&) {
    fmt::print(stderr, "\r{} of {}: {}\033[K", ++done, jobs.size(), jobs[job].output.string());
  };
  const FigureSource source{ran.trace, ran.problem, std::make_shared<const Experiment>(std::move(experiment)),
                            companions};
  const Status status =
      draw_figures(jobs, source, options.extras, assets_folder() / "fonts", {}, show ? print : FigureDrawn());
  if (show) fmt::print(stderr, "\r\033[K");
  return status;
}

Result<Companions> run_companions(const FigureRequest& request, bool quiet) {
  Companions companions;
  for (const auto& path : companions_of(request)) {
    HL_TRY(Experiment experiment, read_experiment(path));
    HL_TRY(const Ran ran, run_with_progress(experiment, quiet));
    companions[path] = {std::make_shared<const Experiment>(std::move(experiment)), ran.problem, ran.trace, "", 0};
  }
  return companions;
}

Status draw_experiment(const fs::path& path, const RenderOptions& options, FigureRequest request,
                       const Companions& companions, std::set<fs::path>& names) {
  Experiment experiment = example_experiment();
  if (!path.empty()) {
    HL_TRY(experiment, read_experiment(path));
  }
  HL_TRY(const Ran ran, run_with_progress(experiment, options.quiet));
  request = filled_in(std::move(request), experiment.view, options.each);
  HL_TRY(const auto jobs, figure_jobs(*ran.trace, request, options.each, options.output.string(),
                                      path.empty() ? "example" : path.stem().string(), names));
  return draw_all(jobs, ran, std::move(experiment), companions, options);
}

Status carry_out(const RenderOptions& options) {
  HL_TRY([[maybe_unused]] const FigureFormat format, figure_format_of(options.output));
  FigureRequest request;
  for (const auto& [key, text] : options.settings) HL_CHECK(set_figure(request, key, text));
  HL_TRY([[maybe_unused]] const PageOptions page, page_options(request));
  HL_TRY(const auto experiments, experiments_of(options.experiments));
  if (experiments.size() > 1 && options.output.string().find("{experiment") == std::string::npos)
    return fail("-o {}: {} experiments would write over each other: put {{experiment}} into the name",
                options.output.string(), experiments.size());
  HL_TRY(const Companions companions, run_companions(request, options.quiet));
  std::set<fs::path> names;
  for (const auto& path : experiments) {
    const Status drawn = draw_experiment(path, options, request, companions, names);
    if (!drawn && experiments.size() > 1 && drawn.error().message.find(path.string()) == std::string::npos)
      return fail_at(path.string(), drawn.error());
    if (!drawn) return drawn;
  }
  return {};
}

}  // namespace

int render_command(const RenderOptions& options) {
  const Status status = carry_out(options);
  if (status) return 0;
  fmt::print(stderr, "headlight: {}\n", status.error().message);
  return 1;
}

}  // namespace headlight::app
