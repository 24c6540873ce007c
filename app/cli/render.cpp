// headlight render: what a file asks for, the run that its figures are of, and the figures.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "app/cli/assets.h"
#include "app/cli/commands.h"
#include "app/cli/messages.h"
#include "app/cli/progress.h"
#include "app/cli/standard_streams.h"
#include "app/figures/figure_choices.h"
#include "app/figures/figure_files.h"
#include "app/figures/figure_layers.h"
#include "app/figures/figure_recipe.h"
#include "app/model/relevance.h"
#include "app/page/formats.h"
#include "engine/base/words.h"
#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/core/system/process.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/math/kernels.h"

namespace headlight::app {

namespace fs = std::filesystem;

namespace {

// An experiment or a model, or a figure that says what it was made from.
struct RenderRequest {
  Experiment experiment = example_experiment();
  FigureRequest request;
  std::map<std::string, Experiment> companions;
  std::string kernels;
  std::optional<ModelExperiment> model = {};  // in place of the experiment
  std::map<std::string, ModelExperiment> model_companions = {};

  FigureSubject of() const { return model ? FigureSubject(*model) : FigureSubject(experiment); }
  const View& view() const;
};

// What a model reads that nobody gives it: what it does in the window.
Result<ModelExperiment> default_model_experiment(const fs::path& path, const RenderOptions& options) {
  GivenInput given = options.reads;
  given.image = options.dump.image;
  if (given.any() || !is_model(path)) return model_experiment_of(path, given, options.given);
  auto usual = model_in(path, assets_folder() / "examples");
  if (!usual) return fail("{}: this folder holds no model: it has no config.json", one_line(utf8(path)));
  if (usual->tokens && usual->tokens->text)
    usual->notices.push_back(fmt::format("it reads “{}”; --reads gives another text", *usual->tokens->text));
  if (usual->tokens && !usual->tokens->text)
    usual->notices.push_back("it reads the tokens 0 1 2 3 twice; --ids gives others");
  if (usual->pixels) usual->notices.push_back("it reads the example's picture; --image gives another");
  return std::move(*usual);
}

// All layers where nobody says which; a step by its layer and its name is that layer's.
void choose_layers(const ModelExperiment& model, FigureRequest& request) {
  if (is_of_layers(request)) return;
  if (const auto step = request.steps.size() == 1 ? step_of_layer_in(request.steps.front()) : std::nullopt) {
    request.run_layers = {step->layer.layer};
    request.part = step->layer.part;
    request.steps = {step->name};
    return;
  }
  request.run_layers.emplace();
  if (request.part == ModelPart::first) request.part = model.view.part;
  if (model.view.layer) request.run_layers->push_back(*model.view.layer);
  if (!request.query) request.query = model.view.query;
  if (!request.batch) request.batch = model.view.batch;
}

Result<RunResult> run_model(const ModelExperiment& asked, const FigureRequest& request, bool quiet) {
  OpenModel open(resolve_path(asked.folder, asked.model));
  ThreadPool pool;
  std::shared_ptr<const NetworkRun> run;
  FigureRun of;
  {
    const Progress progress(quiet);
    HL_TRY(run, run_network(open, asked, 0, nullptr, pool, progress.stop_token(), *progress.fraction()));
    of = make_figure_run(*run);
    if (!of.trace) {  // its maps did not fit; drawing takes as much again as it is given
      HL_TRY(of, make_figure_run(open, *run, map_selection(*run, request), free_memory() / 2, pool,
                                 progress.stop_token(), *progress.fraction()));
    }
    if (shows_relevance(request)) {
      HL_TRY(auto relevance, relevance_asked(*run, request));
      HL_TRY(relevance,
             make_relevance(open, *run, std::move(relevance), pool, progress.stop_token(), *progress.fraction()));
      of = with_relevance(of, relevance);
    }
  }
  if (!quiet) {
    for (const std::string& notice : asked.notices) print_note(notice);
    for (const std::string& warning : run->trace.warnings) print_warning(warning);
  }
  return RunResult{std::move(of.problem), std::move(of.trace)};
}

const View& RenderRequest::view() const {
  static const View none;
  return model ? none : experiment.view;
}

// Of an empty path the built-in example. Errors: of the file, of a setting, of an option that is of other files.
Result<RenderRequest> read_request(const fs::path& path, const RenderOptions& options) {
  RenderRequest asked;
  const bool given = is_standard_stream(path);
  bool redrawn = false;
  if (!path.empty() && (uses_model(path) || (given && is_model_experiment(options.given)))) {
    HL_TRY(asked.model, default_model_experiment(path, options));
  } else if (!path.empty()) {
    HL_TRY(auto recipe, given ? read_recipe(options.given, {}, standard_input_name) : read_recipe(path));
    if (recipe && !options.changed_data)
      if (const Status same = check_unchanged(recipe->files); !same)
        return fail("{}: {}: --changed-data draws it all the same", one_line(utf8(path)), same.error().message);
    redrawn = recipe.has_value();
    if (recipe) {
      asked = {std::move(recipe->experiment), std::move(recipe->request), std::move(recipe->companions),
               std::move(recipe->kernels),    std::move(recipe->model),   std::move(recipe->model_companions)};
    } else if (given) {
      HL_TRY(asked.experiment, parse_experiment(options.given, {}, standard_input_name));
    } else if (path.extension() == ".png") {
      return fail("{}: there is no recipe in it: it was left out, or another program made the file", utf8(path));
    } else {
      HL_TRY(asked.experiment, open_experiment(path, options.dump));
    }
  }
  const std::string name = path.empty() ? "the example" : one_line(utf8(path));
  if (options.reads.any() && !(asked.model && uses_model(path)))
    return fail("{}: --reads, --pair and --ids are of a model, which this is not", name);
  if (options.changed_data && !redrawn)
    return fail("{}: --changed-data is of a figure that is drawn again: leave it out", name);
  for (const auto& [key, text] : options.settings) HL_CHECK(set_figure(asked.request, key, text));
  if (!holds_maps(path) && std::ranges::none_of(companions_of(asked.request), holds_maps))
    HL_CHECK(check_unread(options.dump, name, asked.model && uses_model(path)));
  if (asked.model) choose_layers(*asked.model, asked.request);
  return asked;
}

// A text for a model that was given as --text, which otherwise is the size of letters, is what the model reads.
void use_text_for_models(RenderOptions& options) {
  if (options.reads.text || std::ranges::none_of(options.experiments, uses_model)) return;
  std::erase_if(options.settings, [&](const auto& setting) {
    FigureRequest any;
    if (setting.first != "text" || set_figure(any, setting.first, setting.second)) return false;
    options.reads.text = setting.second;
    return true;
  });
}

Result<RunResult> run_request(const RenderRequest& asked, bool quiet) {
  if (!asked.model) return run_with_progress(asked.experiment, quiet);
  auto ran = run_model(*asked.model, asked.request, quiet);
  if (!ran && !asked.model->name.empty()) return fail_at(asked.model->name, ran.error());
  return ran;
}

// ---- What is to be drawn ------------------------------------------------------------------------------------------

Result<std::vector<fs::path>> experiments_of(const std::vector<fs::path>& asked) {
  std::vector<fs::path> found;
  for (const auto& path : asked) {
    std::error_code error;
    // What is read says what the folder of a model is for.
    if (!fs::is_directory(path, error) || fs::exists(path / "config.json", error)) {
      found.push_back(path);
      continue;
    }
    std::vector<fs::path> inside;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
      if (at->path().extension() == ".headlight" || at->path().extension() == ".json") inside.push_back(at->path());
    if (error) return fail("{}: this folder cannot be read: {}", utf8(path), error.message());
    if (inside.empty()) return fail("{}: there are no experiments in this folder (.headlight, .json)", utf8(path));
    std::ranges::sort(inside);
    found.insert(found.end(), inside.begin(), inside.end());
  }
  if (found.empty()) found.emplace_back();  // the built-in example
  return found;
}

// ---- Carrying it out ----------------------------------------------------------------------------------------------

void note_small_text(const std::string& figures, const std::string& note) {
  print_note(fmt::format("{}: {} A larger --width or a smaller --min-text has room for more.", figures, note));
}

// Draws on all processors; the first error stops the rest.
Status draw_all(const std::vector<FigureJob>& jobs, const RunResult& ran, RenderRequest asked,
                const Companions& companions, const std::vector<fs::path>& read, const RenderOptions& options) {
  const bool show = !options.quiet && jobs.size() > 1 && standard_error_is_terminal();
  std::size_t done = 0;
  std::map<std::size_t, std::string> notes;
  const FigureDrawn print = [&](std::size_t job, const std::vector<FigureFile>& files) {
    ++done;
    if (!files.front().note.empty()) notes[job] = files.front().note;
    if (show) fmt::print(stderr, "\r{} of {}: {}\033[K", done, jobs.size(), utf8(jobs[job].output));
  };
  FigureSource source{ran.trace, ran.problem, std::make_shared<const Experiment>(std::move(asked.experiment)),
                      companions, read};
  if (asked.model) source.model = std::make_shared<const ModelExperiment>(std::move(*asked.model));
  const Progress watched(true);  // for Ctrl-C: what is shown is told above
  const std::stop_token stop = watched.stop_token();
  const Status status = draw_figures(jobs, source, options.extras, assets_folder() / "fonts", stop, print);
  if (show) fmt::print(stderr, "\r\033[K");
  if (status && !options.quiet && !notes.empty())
    note_small_text(utf8(jobs[notes.begin()->first].output) +
                        (notes.size() > 1 ? fmt::format(" and {} more", notes.size() - 1) : ""),
                    notes.begin()->second);
  if (status && stop.stop_requested() && done < jobs.size())
    return fail("cancelled: {} of {} figures are drawn", done, jobs.size());
  return status;
}

// What is named beside: an experiment, a file of attention or a table as that of the figure itself is read, a model
// that reads what the figure's does.
Result<Companion> companion_at(const std::string& path, const RenderRequest& asked, const RenderOptions& options) {
  Companion companion;
  if (const auto kept = asked.model_companions.find(path); kept != asked.model_companions.end()) {
    companion.model = std::make_shared<const ModelExperiment>(kept->second);
  } else if (const auto known = asked.companions.find(path); known != asked.companions.end()) {
    companion.experiment = std::make_shared<const Experiment>(known->second);
  } else if (uses_model(path)) {
    HL_TRY(auto model, default_model_experiment(path, options));
    companion.model = std::make_shared<const ModelExperiment>(std::move(model));
  } else {
    DumpOptions dump = options.dump;
    dump.save.clear();
    HL_TRY(auto experiment, open_experiment(path, holds_maps(path) ? dump : DumpOptions{}));
    companion.experiment = std::make_shared<const Experiment>(std::move(experiment));
  }
  return companion;
}

Result<Companions> run_companions(const RenderRequest& asked, const RenderOptions& options) {
  Companions companions;
  for (const auto& path : companions_of(asked.request)) {
    const bool minus = asked.request.minus.what == Subtrahend::What::experiment && asked.request.minus.name == path;
    auto companion = companion_at(path, asked, options);
    if (!companion) return fail_at(minus ? "--minus" : "--layers", companion.error());
    HL_TRY(const RunResult ran, companion->model ? run_model(*companion->model, asked.request, options.quiet)
                                                 : run_with_progress(*companion->experiment, options.quiet));
    companion->problem = ran.problem;
    companion->trace = ran.trace;
    companions[path] = std::move(*companion);
  }
  return companions;
}

// The one figure of a command that names no file: its bytes alone.
Status print_figure(const FigureJob& job, const RunResult& ran, const RenderRequest& asked,
                    const Companions& companions, const RenderOptions& options) {
  HL_TRY(const auto files, figure_files(*ran.trace, *ran.problem, asked.of(), job.request, job.output, {},
                                        assets_folder() / "fonts", companions));
  if (!options.quiet && !files.front().note.empty()) note_small_text("standard output", files.front().note);
  HL_TRY(FileWriter writer, FileWriter::standard_output());
  HL_CHECK(writer.append(files.front().bytes));
  return writer.commit();
}

// Of all experiments of the command: what one of them reads, no other may write over.
std::vector<fs::path> files_read_by(const std::vector<fs::path>& experiments, const RenderOptions& options) {
  std::vector<fs::path> all;
  for (const auto& path : experiments) {
    const auto asked = read_request(path, options);
    if (!asked) continue;  // and is not drawn either
    Companions companions;
    for (const auto& other : companions_of(asked->request))
      if (auto companion = companion_at(other, *asked, options)) companions[other] = std::move(*companion);
    for (auto& file : files_read_for(asked->of(), companions, asked->request)) all.push_back(std::move(file));
  }
  return all;
}

// Says once what no font has. An SVG's text is drawn by its viewer.
void note_missing_fonts(const RunResult& ran, const FigureRequest& request, const RenderOptions& options) {
  const auto format = figure_format_of(options.output);
  if (!format || *format == FigureFormat::svg) return;
  const std::vector<std::string> title{request.title.value_or("")};
  const auto missing = missing_fonts_of(*ran.problem, title, request.font, assets_folder() / "fonts");
  if (missing && !missing->empty()) print_note(*missing);
  if (*format != FigureFormat::pgf) return;
  const std::string outlines = latex_letters_note(texts_of(*ran.problem, title));
  if (!outlines.empty()) print_note(outlines);
}

std::string name_of(const fs::path& experiment) {
  if (!experiment.empty() && !experiment.has_filename()) return name_of(experiment.parent_path());  // a folder, "a/"
  if (experiment.empty()) return "example";
  return is_standard_stream(experiment) ? "input" : utf8(experiment.stem());
}

// The same recipe gives the same bytes, on a processor that prefers another instruction set too.
void use_kernels_of(const RenderRequest& asked, const fs::path& path, bool quiet) {
  static const math::Kernels& usual = math::kernels();
  const math::Kernels* named = math::kernels_named(asked.kernels);
  math::use_kernels(named ? *named : usual);
  if (!named && !asked.kernels.empty() && !quiet)
    print_note(fmt::format("{}: was computed with {}, which this processor lacks: last digits may differ", utf8(path),
                           brief(asked.kernels)));
}

Status draw_asked(const fs::path& path, RenderRequest asked, const RenderOptions& options,
                  const std::vector<fs::path>& read, std::set<fs::path>& names) {
  use_kernels_of(asked, path, options.quiet);
  HL_TRY(const Companions companions, run_companions(asked, options));
  HL_TRY(const RunResult ran, run_request(asked, options.quiet));
  const FigureRequest request = with_defaults(asked.request, asked.view(), options.each, *ran.trace);
  std::vector<std::string> given;
  for (const auto& [key, text] : options.settings) given.push_back(key);
  HL_CHECK(check_choices(*ran.trace, request, given));
  HL_TRY(const auto jobs, figure_jobs(*ran.trace, request, options.each, utf8(options.output), name_of(path), names));
  HL_CHECK(options.print ? print_figure(jobs.front(), ran, asked, companions, options)
                         : draw_all(jobs, ran, std::move(asked), companions, read, options));
  note_missing_fonts(ran, request, options);  // the figures are drawn, whether or not this can be told
  return {};
}

// What is wrong with one of several says which of them it is.
Status draw_experiment(const fs::path& path, const RenderOptions& options, const std::vector<fs::path>& read,
                       std::set<fs::path>& names) {
  HL_TRY(RenderRequest asked, read_request(path, options));
  Status drawn = draw_asked(path, std::move(asked), options, read, names);
  if (!drawn && options.experiments.size() > 1 && !was_interrupted()) return fail_at(utf8(path), drawn.error());
  return drawn;
}

// Several experiments are told apart by their names alone.
Status check_experiments(const std::vector<fs::path>& experiments, const RenderOptions& options) {
  if (experiments.size() < 2) return {};
  if (options.print)
    return fail("-o -: {} experiments are several figures: name them, such as {{experiment}}.pdf", experiments.size());
  std::error_code ignored;
  for (const auto& path : experiments)
    if (!is_standard_stream(path) && !fs::exists(path, ignored))
      return fail("{}: does not exist{}", one_line(utf8(path)),
                  options.extras.csv || options.extras.npy || options.extras.words
                      ? "; --csv, --npy and --words take no name, since what they write stands beside the figure"
                      : "");
  if (utf8(options.output).find("{experiment") == std::string::npos)
    return fail("-o {}: {} experiments would write over each other: put {{experiment}} into the name",
                utf8(options.output), experiments.size());
  std::map<std::string, fs::path> stems;
  for (const auto& path : experiments)
    if (const auto [other, fresh] = stems.emplace(name_of(path), path); !fresh)
      return fail("{} and {} would write over each other, since both are called {}: draw them one by one",
                  utf8(other->second), utf8(path), other->first);
  return {};
}

// A folder is made where only it is missing, and those that places are in; a longer path is likely to be a mistake.
Status check_folder(const std::string& pattern) {
  const fs::path named = fs::path(pattern.substr(0, pattern.find('{')) + "name").parent_path();
  std::error_code ignored;
  if (named.empty() || fs::exists(named, ignored)) return {};
  const fs::path above = named.has_parent_path() ? named.parent_path() : fs::path(".");
  if (above != named.root_path() && fs::is_directory(above, ignored)) return {};
  return fail("-o {}: there is no folder {}: make it first", one_line(pattern), one_line(utf8(named)));
}

// What goes to standard output is one figure and nothing beside it.
Status check_printed(const RenderOptions& options) {
  if (!is_standard_stream(options.output))
    return options.format.empty() ? Status{} : fail("--format is of -o -: a file's name says what it is");
  if (!options.each.empty()) return fail("-o -: --each draws several figures: name them, such as fig_{{head}}.pdf");
  if (options.extras.csv || options.extras.npy || options.extras.words)
    return fail("-o -: --csv, --npy and --words stand beside a figure that has a name: give it one");
  return check_standard_output(options.output);
}

// What is wrong with one experiment does not stop the others.
Status carry_out(const RenderOptions& options) {
  if (options.output.empty()) return fail("-o is empty: name the file to write, such as fig.pdf");
  HL_TRY([[maybe_unused]] const FigureFormat format, figure_format_of(options.output));
  HL_CHECK(check_folder(utf8(options.output)));
  FigureRequest request;
  for (const auto& [key, text] : options.settings) HL_CHECK(set_figure(request, key, text));
  if (request.average && !request.heads.empty())
    return fail("--head and --average: the mean is that of all heads: leave one of them out");
  HL_TRY([[maybe_unused]] const PageOptions page, page_options(request));
  HL_TRY(const auto experiments, experiments_of(options.experiments));
  HL_CHECK(check_experiments(experiments, options));
  const auto read = files_read_by(experiments, options);
  std::set<fs::path> names;
  std::size_t failed = 0;
  for (const auto& path : experiments) {
    Status drawn = draw_experiment(path, options, read, names);
    if (drawn) continue;
    if (experiments.size() == 1 || was_interrupted()) return drawn;
    print_error(drawn.error().message);
    ++failed;
  }
  if (failed > 0) return fail("{} of {} experiments were not drawn", failed, experiments.size());
  return {};
}

}  // namespace

Status render_command(RenderOptions options) {
  use_text_for_models(options);
  HL_CHECK(check_printed(options));
  if (options.reads.at && options.experiments.empty()) options.experiments.emplace_back();
  for (fs::path& experiment : options.experiments) HL_CHECK(go_to_step(experiment, options.reads));
  options.print = is_standard_stream(options.output);
  if (options.print) options.output = "figure." + (options.format.empty() ? "pdf" : options.format);
  if (std::ranges::any_of(options.experiments, is_standard_stream)) {
    HL_TRY(options.given, read_standard_input());
  }
  return carry_out(options);
}

}  // namespace headlight::app
