// What a figure can be made from again: the experiment and the request, as the JSON that its file carries.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "app/model/figure_companions.h"
#include "app/model/figure_request.h"
#include "engine/io/experiment.h"

namespace headlight::app {

struct Recipe {
  Experiment experiment;
  FigureRequest request;
  std::map<std::string, Experiment> companions;  // by the paths in the request
};

// Paths inside stay as the experiment's own file has them, so that the same run gives the same bytes wherever it is
// carried out; those of companions are relative to it too.
std::string recipe_text(const Experiment& experiment, const FigureRequest& request, const Companions& companions);

// Relative paths are then relative to `folder`; `name` is put before every error.
Result<Recipe> parse_recipe(std::string_view text, const std::filesystem::path& folder, const std::string& name);

}  // namespace headlight::app
