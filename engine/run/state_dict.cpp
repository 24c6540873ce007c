#include "engine/run/state_dict.h"

#include <optional>
#include <system_error>

#include "engine/core/system/paths.h"
#include "engine/io/array_source.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/models/model.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

// config.json beside the file; null where there is none.
Result<Json> config_beside(const fs::path& file) {
  constexpr std::uint64_t largest = 16'000'000;  // bytes
  const fs::path path = file.parent_path() / "config.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return Json();
  HL_TRY(const std::string text, read_file(path, largest));
  auto config = read_json(text);
  if (!config) return fail("{}: {}", one_line(utf8(path)), message_line(config.error().message));
  return config;
}

std::optional<Index> heads_in(const Json& config) {
  for (const char* key : {"num_attention_heads", "n_head", "n_heads", "num_heads"})
    if (config.is_object() && config.contains(key) && config.at(key).is_number_integer() && config.at(key) >= 1 &&
        config.at(key) <= 512)
      return config.at(key).get<Index>();
  return std::nullopt;
}

// What of a layer's parameters a config says better than the layout.
void take_config(const Json& config, LayerOfStateDict& layer) {
  for (const char* key : {"layer_norm_eps", "layer_norm_epsilon"})
    if (config.is_object() && config.contains(key) && config.at(key).is_number() && config.at(key) > 0)
      for (auto& [id, value] : layer.params)
        if (id == "norm_epsilon") value = config.at(key).get<double>();
}

// What a config beside the weights says of an architecture that is run here; nothing where there is none.
Result<std::optional<ModelPlan>> plan_beside(const Json& config, const fs::path& file) {
  const ModelConfig fields(config.is_object() ? config : Json::object(),
                           one_line(utf8(file.parent_path() / "config.json")));
  if (!is_known_model(fields)) return std::nullopt;
  HL_TRY(ModelPlan plan, plan_of(fields));
  return std::optional(std::move(plan));
}

}  // namespace

Result<std::optional<Index>> heads_beside(const fs::path& file) {
  HL_TRY(const Json config, config_beside(file));
  return heads_in(config);
}

Result<LayerOfStateDict> read_layer(const Experiment& experiment) {
  const fs::path given = path_from(experiment.folder, experiment.weights->from);
  HL_TRY(const fs::path file, model_file(given));
  WeightsSpec asked = *experiment.weights;
  auto opened = open_arrays(file, {.prefix = asked.prefix});
  if (!opened) return tl::unexpected<Error>(opened.error());
  HL_TRY(const Json config, config_beside(file));
  // Of a folder the config says all, and arrays are held to it; beside a file it may be of other weights.
  std::error_code ignored;
  const bool folder = fs::is_directory(given, ignored);
  auto beside = plan_beside(config, file);
  if (!beside && folder) return tl::unexpected<Error>(beside.error());
  std::optional<ModelPlan> plan = beside ? std::move(*beside) : std::nullopt;
  const bool set = experiment.params.is_given("heads");
  LayerSizes sizes(set ? experiment.params.integer("heads") : heads_in(config).value_or(0));
  if (plan && folder && asked.layout.empty()) asked.layout = plan->layout;
  if (plan && folder && !set && asked.layout == plan->layout) sizes = sizes_of(*plan);
  if (plan) sizes.model_type = plan->type;
  HL_TRY(LayerOfStateDict layer, layer_of(**opened, asked, sizes, one_line(asked.from)));
  if (plan && layer.layout == plan->layout)
    HL_CHECK(take_settings(*plan, {asked.layer.value_or(0), part_of(*plan, layer)}, layer));
  else
    take_config(config, layer);
  if (!set) layer.params.emplace_back("heads", sizes.heads);
  return layer;
}

}  // namespace headlight
