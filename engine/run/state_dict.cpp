#include "engine/run/state_dict.h"

#include <array>
#include <optional>
#include <system_error>

#include "engine/io/array_source.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

constexpr std::array model_files{"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                                 "pytorch_model.bin.index.json"};

// config.json beside the file; null where there is none.
Result<Json> config_beside(const fs::path& file) {
  constexpr std::uint64_t largest = 16'000'000;  // bytes
  const fs::path path = file.parent_path() / "config.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return Json();
  HL_TRY(const std::string text, read_file(path, largest));
  auto config = read_json(text);
  if (!config) return fail("{}: {}", one_line(path.native()), message_line(config.error().message));
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

}  // namespace

Result<fs::path> model_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  for (const char* name : model_files)
    if (fs::exists(path / name, ignored)) return path / name;
  return fail("{}: has no {}, {}, {} or {}", one_line(path.native()), model_files[0], model_files[1], model_files[2],
              model_files[3]);
}

Result<std::optional<Index>> heads_beside(const fs::path& file) {
  HL_TRY(const Json config, config_beside(file));
  return heads_in(config);
}

Result<LayerOfStateDict> read_layer(const Experiment& experiment) {
  const WeightsSpec& asked = *experiment.weights;
  HL_TRY(const fs::path file, model_file(path_from(experiment.folder, asked.from)));
  auto opened = open_arrays(file, asked.prefix);
  if (!opened) return tl::unexpected<Error>(opened.error());
  HL_TRY(const Json config, config_beside(file));
  const bool set = experiment.given.contains("heads");
  const Index heads = set ? experiment.params.integer("heads") : heads_in(config).value_or(0);
  HL_TRY(LayerOfStateDict layer, layer_of(**opened, asked, heads, one_line(asked.from)));
  take_config(config, layer);
  if (!set) layer.params.emplace_back("heads", heads);
  return layer;
}

}  // namespace headlight
