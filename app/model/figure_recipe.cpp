#include "app/model/figure_recipe.h"

#include <nlohmann/json.hpp>

namespace headlight::app {

using Json = nlohmann::ordered_json;

std::string recipe_text(const Experiment& experiment, const FigureRequest& request) {
  Json recipe;
  recipe["headlight_figure"] = 1;
  recipe["experiment"] = Json::parse(to_json(experiment, experiment.folder));
  recipe["experiment"].erase("view");  // the figure says itself what it shows
  recipe["figure"] = Json::object();
  for (const auto& [key, text] : settings_of(request)) recipe["figure"][key] = text;
  return recipe.dump();
}

Result<Recipe> parse_recipe(std::string_view text, const std::filesystem::path& folder, const std::string& name) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("experiment") || !json["experiment"].is_object())
    return fail("{}: its recipe is damaged: open the experiment itself", name);
  HL_TRY(Experiment experiment, parse_experiment(json["experiment"].dump(), folder, name));
  FigureRequest request;
  if (const auto figure = json.find("figure"); figure != json.end() && figure->is_object())
    for (const auto& [key, value] : figure->items())
      if (value.is_string())
        if (const Status set = set_figure(request, key, value.get<std::string>()); !set)
          return fail_at(name, set.error());
  return Recipe{std::move(experiment), std::move(request)};
}

}  // namespace headlight::app
