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

// Paths inside are relative to `folder`, where the figure's file is to be, so that they are found from there.
std::string recipe_text(const Experiment& experiment, const FigureRequest& request, const Companions& companions,
                        const std::filesystem::path& folder);

// Relative paths are then relative to `folder`; `name` is put before every error.
Result<Recipe> parse_recipe(std::string_view text, const std::filesystem::path& folder, const std::string& name);

}  // namespace headlight::app
