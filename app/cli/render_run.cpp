#include "app/cli/render_run.h"

#include <algorithm>

#include "app/cli/assets.h"
#include "app/cli/model_trace.h"
#include "app/cli/standard_input.h"
#include "app/figures/figure_layers.h"
#include "app/model/network_figure.h"
#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// What a model reads that nobody gives it: what it does in the window.
Result<ModelExperiment> model_asked(const fs::path& path, const RenderOptions& options) {
  ModelGiven given = options.reads;
  given.image = options.dump.image;
  std::error_code ignored;
  if (given.any() || !fs::is_directory(path, ignored)) return model_experiment_of(path, given, options.given);
  auto usual = model_in(path, assets_folder() / "examples");
  if (!usual) return fail("{}: this folder holds no model: it has no config.json", one_line(utf8(path)));
  if (usual->tokens && usual->tokens->text)
    usual->notices.push_back(fmt::format("it reads “{}”; --reads gives another text", *usual->tokens->text));
  if (usual->tokens && !usual->tokens->text) usual->notices.push_back("it reads the tokens 0 to 7; --ids gives others");
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
  request.part = model.view.part;
  if (model.view.layer) request.run_layers->push_back(*model.view.layer);
  if (!request.query) request.query = model.view.query;
}

Result<Ran> run_model(const ModelExperiment& asked, const FigureRequest& request, bool quiet) {
  OpenModel open(path_from(asked.folder, asked.model));
  ThreadPool pool;
  std::shared_ptr<const NetworkRun> run;
  FiguredNetwork of;
  {
    const Progress progress(quiet);
    HL_TRY(run, run_network(open, asked, nullptr, pool, progress.stop_token(), *progress.fraction()));
    of = figured(*run);
    if (!of.trace) {  // its maps did not fit; drawing takes as much again as it is given
      HL_TRY(of, figured(open, *run, maps_taken(*run, request), free_memory() / 2, pool, progress.stop_token(),
                         *progress.fraction()));
    }
  }
  if (!quiet) {
    for (const std::string& notice : asked.notices) fmt::print(stderr, "headlight: note: {}\n", notice);
    for (const std::string& warning : run->trace.warnings) fmt::print(stderr, "headlight: warning: {}\n", warning);
  }
  return Ran{std::move(of.problem), std::move(of.trace)};
}

}  // namespace

const View& Asked::view() const {
  static const View none;
  return model ? none : experiment.view;
}

Result<Asked> read_asked(const fs::path& path, const RenderOptions& options) {
  Asked asked;
  const bool given = is_standard_input(path);
  if (!path.empty() && (is_of_model(path) || (given && names_a_model(options.given)))) {
    HL_TRY(asked.model, model_asked(path, options));
  } else if (!path.empty()) {
    HL_TRY(auto recipe, given ? read_recipe(options.given, {}, standard_input_name) : read_recipe(path));
    if (recipe && !options.changed_data)
      if (const Status same = check_unchanged(recipe->files); !same)
        return fail("{}: {}: --changed-data draws it all the same", one_line(utf8(path)), same.error().message);
    if (recipe) {
      asked = {std::move(recipe->experiment), std::move(recipe->request), std::move(recipe->companions),
               std::move(recipe->kernels), std::move(recipe->model)};
    } else if (given) {
      HL_TRY(asked.experiment, parse_experiment(options.given, {}, standard_input_name));
    } else if (path.extension() == ".png") {
      return fail("{}: there is no recipe in it: it was left out, or another program made the file", utf8(path));
    } else {
      HL_TRY(asked.experiment, open_experiment(path, options.dump));
    }
  }
  if (options.reads.any() && !(asked.model && is_of_model(path)))
    return fail("{}: --reads, --pair and --ids are of a model, which this is not",
                path.empty() ? "the example" : one_line(utf8(path)));
  for (const auto& [key, text] : options.settings) HL_CHECK(set_figure(asked.request, key, text));
  if (asked.model) choose_layers(*asked.model, asked.request);
  return asked;
}

void take_text_of_models(RenderOptions& options) {
  if (options.reads.text || std::ranges::none_of(options.experiments, is_of_model)) return;
  std::erase_if(options.settings, [&](const auto& setting) {
    FigureRequest any;
    if (setting.first != "text" || set_figure(any, setting.first, setting.second)) return false;
    options.reads.text = setting.second;
    return true;
  });
}

Result<Ran> run_asked(const Asked& asked, bool quiet) {
  if (!asked.model) return run_with_progress(asked.experiment, quiet);
  auto ran = run_model(*asked.model, asked.request, quiet);
  if (!ran && !asked.model->name.empty()) return fail_at(asked.model->name, ran.error());
  return ran;
}

}  // namespace headlight::app
