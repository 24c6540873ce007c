#include "app/figures/figure_recipe.h"

#include "engine/core/words.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/math/kernels.h"

namespace headlight::app {

namespace {

// The figure says itself what it shows.
Json without_view(const Experiment& experiment, const std::filesystem::path& folder) {
  Json json = Json::parse(to_json(experiment, folder));
  json.erase("view");
  return json;
}

}  // namespace

std::string recipe_text(const Experiment& experiment, const FigureRequest& request, const Companions& companions,
                        const std::filesystem::path& folder) {
  const std::filesystem::path beside = folder.empty() ? std::filesystem::path(".") : folder;
  Json recipe;
  recipe["headlight_figure"] = 1;
  recipe["kernels"] = math::kernels().name;
  recipe["experiment"] = without_view(experiment, beside);
  recipe["figure"] = Json::object();
  for (const auto& [key, text] : settings_of(request)) recipe["figure"][key] = text;
  for (const auto& path : companions_of(request))
    if (const auto found = companions.find(path); found != companions.end() && found->second.experiment)
      recipe["companions"][path] = without_view(*found->second.experiment, beside);
  return recipe.dump();
}

Result<Recipe> parse_recipe(std::string_view text, const std::filesystem::path& folder, const std::string& name) {
  const auto read = read_json(text);
  if (!read) return fail("{}: its recipe is damaged: {}", name, message_line(read.error().message));
  const Json& json = *read;
  if (!json.is_object() || !json.contains("experiment") || !json["experiment"].is_object())
    return fail("{}: its recipe is damaged: open the experiment itself", name);
  constexpr int version = 1;
  if (const auto made = json.find("headlight_figure"); made != json.end() && *made != Json(version))
    return fail("{}: its recipe is of version {}, and this program knows {}: it needs a newer one", name,
                kind_of(*made), version);
  HL_TRY(Experiment experiment, parse_experiment(json["experiment"].dump(), folder, name));
  FigureRequest request;
  if (const auto figure = json.find("figure"); figure != json.end() && figure->is_object())
    for (const auto& [key, value] : figure->items()) {
      if (!value.is_string()) return fail("{}: its recipe is damaged: \"{}\" is no text", name, brief(key));
      if (const Status set = set_figure(request, key, value.get<std::string>()); !set)
        return fail_at(name, set.error());
    }
  std::map<std::string, Experiment> companions;
  if (const auto others = json.find("companions"); others != json.end() && others->is_object())
    for (const auto& path : companions_of(request)) {
      const auto other = others->find(path);
      if (other == others->end()) continue;  // then its file is read
      HL_TRY(Experiment companion, parse_experiment(other->dump(), folder, fmt::format("{}: {}", name, brief(path))));
      companions.emplace(path, std::move(companion));
    }
  const auto kernels = json.find("kernels");
  return Recipe{std::move(experiment), std::move(request), std::move(companions),
                kernels != json.end() && kernels->is_string() ? kernels->get<std::string>() : ""};
}

Result<std::optional<Recipe>> read_recipe(const std::filesystem::path& path) {
  if (!figure_format_of(path)) return std::nullopt;
  constexpr std::uint64_t most = 256ULL << 20;
  HL_TRY(const std::string bytes, read_file(path, most));
  const std::string name = one_line(path.filename().string());
  const auto text = recipe_of(bytes);
  if (!text && path.extension() == ".png") return std::nullopt;
  if (!text) return fail("{}: {}", name, text.error().message);
  HL_TRY(Recipe recipe, parse_recipe(*text, path.parent_path(), name));
  return recipe;
}

}  // namespace headlight::app
