#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <set>
#include <thread>

#include "app/cli/assets.h"
#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "app/model/figure_files.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// One figure of one run.
struct Job {
  FigureRequest request;
  fs::path output;
};

// ---- Names --------------------------------------------------------------------------------------------------------

// The values of the placeholders in an output's name.
using Places = std::map<std::string, std::string, std::less<>>;

// "{step}", "{head:02}": a number may be given a width. Errors: a placeholder that is not known.
Result<std::string> filled_in(const std::string& pattern, const Places& places) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto end = pattern[i] == '{' ? pattern.find('}', i) : std::string::npos;
    if (end == std::string::npos) {
      out.push_back(pattern[i]);
      continue;
    }
    const std::string inside = pattern.substr(i + 1, end - i - 1);
    const auto colon = inside.find(':');
    const auto found = places.find(inside.substr(0, colon));
    if (found == places.end()) {
      std::vector<std::string> known;
      for (const auto& [name, value] : places) known.push_back("{" + name + "}");
      return fail("-o {}: {{{}}} is not known: it may hold {}", pattern, inside, fmt::join(known, ", "));
    }
    std::size_t width = 0;
    if (colon != std::string::npos) std::from_chars(inside.data() + colon + 1, inside.data() + inside.size(), width);
    out.append(std::min<std::size_t>(width, 9) - std::min(std::min<std::size_t>(width, 9), found->second.size()), '0');
    out += found->second;
    i = end;
  }
  return out;
}

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

const Step* largest_of(const Trace& trace) {
  const Step* weights = trace.find("weights");
  return weights ? weights : trace.steps.empty() ? nullptr : &trace.steps.back();
}

// The texts that one --each goes through.
Result<std::vector<std::string>> values_of(const std::string& each, const Trace& trace, const FigureRequest& request) {
  std::vector<std::string> values;
  const auto count_up = [&](Index count) {
    for (Index i = 0; i < count; ++i) values.push_back(fmt::format("{}", i));
    return values;
  };
  const Step* step = request.steps.empty() ? largest_of(trace) : trace.find(request.steps.front());
  if (each == "step") {
    if (!request.steps.empty()) return request.steps;
    for (const auto& recorded : trace.steps) values.push_back(recorded.info.id);
    return values;
  }
  if (!step) return values;
  if (each == "head") {
    if (request.heads.empty()) return count_up(heads_of(*step));
    for (const Index head : request.heads) values.push_back(fmt::format("{}", head));
    return values;
  }
  if (each == "batch") return count_up(batches_of(*step));
  if (each == "frame") return count_up(frames_of(*step));
  if (each == "query") return count_up(step->axis("n_q") ? step->axis("n_q")->size : 1);
  return fail("--each is {}: it must be one of step, head, batch, query, frame", each);
}

// Every combination of what --each names, with the places that its name may hold.
Status add_jobs(std::vector<Job>& jobs, const RenderOptions& options, const Trace& trace, FigureRequest request,
                Places places, std::size_t at) {
  if (at == options.each.size()) {
    HL_TRY(const std::string name, filled_in(options.output.string(), places));
    jobs.push_back({std::move(request), name});
    return {};
  }
  const std::string& each = options.each[at];
  HL_TRY(const auto values, values_of(each, trace, request));
  for (const auto& value : values) {
    HL_CHECK(set_figure(request, each, value));
    places[each] = value;
    HL_CHECK(add_jobs(jobs, options, trace, request, places, at + 1));
  }
  return {};
}

Status check_names(const std::vector<Job>& jobs, std::set<fs::path>& names, const RenderOptions& options) {
  for (const Job& job : jobs)
    if (!names.insert(job.output).second)
      return fail("-o {}: several figures would be called {}: put {} into the name", options.output.string(),
                  job.output.string(),
                  options.each.empty() ? "{experiment}" : fmt::format("{{{}}}", fmt::join(options.each, "} and {")));
  return {};
}

// ---- Carrying it out ----------------------------------------------------------------------------------------------

// What the settings leave open is as the experiment looks at it. The view's key is no wish to have it framed.
void fill_in_view(FigureRequest& request, const View& view, bool each_step) {
  if (request.steps.empty() && !each_step) request.steps.push_back(view.step.value_or("weights"));
  if (!request.batch && view.batch.value_or(0) > 0) request.batch = view.batch;
  if (!request.query) request.query = view.query;
  if (request.kind == FigureKind::automatic && view.mode == "matrix") request.kind = FigureKind::matrix;
}

// Draws on all processors; the first error stops the rest.
Status draw_all(const std::vector<Job>& jobs, const Ran& ran, const Experiment& experiment,
                const Companions& companions, const RenderOptions& options) {
  const fs::path fonts = assets_folder() / "fonts";
  const bool show = !options.quiet && jobs.size() > 1 && isatty(STDERR_FILENO) != 0;
  std::atomic<std::size_t> next{0}, done{0};
  std::mutex mutex;
  Status status;
  const auto work = [&] {
    while (true) {
      const std::size_t at = next++;
      if (at >= jobs.size()) return;
      const Job& job = jobs[at];
      auto files = figure_files(*ran.trace, *ran.problem, experiment, job.request, job.output, options.extras, fonts,
                                companions);
      const Status written =
          files ? write_figure_files(*files, job.output) : Status(tl::unexpected<Error>(files.error()));
      const std::scoped_lock lock(mutex);
      if (!written && status) status = written;
      if (!written) next = jobs.size();
      if (show) fmt::print(stderr, "\r{} of {}: {}\033[K", ++done, jobs.size(), job.output.string());
    }
  };
  std::vector<std::thread> threads;
  const auto count = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), jobs.size());
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  if (show) fmt::print(stderr, "\r\033[K");
  return status;
}

// Steps first: how many heads there are is theirs to say.
RenderOptions with_steps_first(RenderOptions options) {
  std::ranges::stable_partition(options.each, [](const std::string& each) { return each == "step"; });
  return options;
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
  fill_in_view(request, experiment.view, std::ranges::find(options.each, "step") != options.each.end());
  const Places places{{"experiment", path.empty() ? "example" : path.stem().string()},
                      {"step", request.steps.empty() ? "" : request.steps.front()},
                      {"head", request.heads.size() == 1 ? fmt::format("{}", request.heads.front()) : "all"}};
  std::vector<Job> jobs;
  HL_CHECK(add_jobs(jobs, options, *ran.trace, request, places, 0));
  HL_CHECK(check_names(jobs, names, options));
  return draw_all(jobs, ran, experiment, companions, options);
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
  const Status status = carry_out(with_steps_first(options));
  if (status) return 0;
  fmt::print(stderr, "headlight: {}\n", status.error().message);
  return 1;
}

}  // namespace headlight::app
