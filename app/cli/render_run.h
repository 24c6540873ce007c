// What a file asks headlight render for, and the run that its figures are of.
//
// Not for drawing them: render.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "app/figures/figure_recipe.h"

namespace headlight::app {

// An experiment or a model, or a figure that says what it was made from.
struct Asked {
  Experiment experiment = example_experiment();
  FigureRequest request;
  std::map<std::string, Experiment> companions;
  std::string kernels;
  std::optional<ModelExperiment> model = {};  // in place of the experiment

  FiguredOf of() const { return model ? FiguredOf(*model) : FiguredOf(experiment); }
  const View& view() const;
};

// Of an empty path the built-in example. Errors: of the file, of a setting, of an option that is of other files.
Result<Asked> read_asked(const std::filesystem::path& path, const RenderOptions& options);

// A text for a model that was given as --text, which otherwise is the size of letters, is what the model reads.
void use_text_for_models(RenderOptions& options);

Result<Ran> run_asked(const Asked& asked, bool quiet);

}  // namespace headlight::app
