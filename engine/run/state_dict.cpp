#include "engine/run/state_dict.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <tuple>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/array_source.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/models/model.h"
#include "engine/models/trained.h"
#include "engine/variants/variant.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

// What stands beside a file of weights: config.json, or the params.json of Meta's files; null where there is neither.
Result<Json> config_beside(const fs::path& file) {
  constexpr std::uint64_t largest = 16'000'000;  // bytes
  std::error_code ignored;
  for (const char* name : {"config.json", "params.json"}) {
    const fs::path path = file.parent_path() / name;
    if (!fs::exists(path, ignored)) continue;
    HL_TRY(const std::string text, read_file(path, largest));
    auto config = read_json(text);
    if (!config) return fail("{}: {}", one_line(utf8(path)), message_line(config.error().message));
    return config;
  }
  return Json();
}

std::optional<Index> heads_in(const Json& config) {
  for (const char* key :
       {"num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads"})
    if (config.is_object() && config.contains(key) && config.at(key).is_number_integer() && config.at(key) >= 1 &&
        config.at(key) <= 512)
      return config.at(key).get<Index>();
  return std::nullopt;
}

// What of a layer's parameters a config says better than the layout.
void take_config(const Json& config, LayerOfStateDict& layer) {
  constexpr std::pair<const char*, const char*> said[] = {{"layer_norm_eps", "norm_epsilon"},
                                                          {"layer_norm_epsilon", "norm_epsilon"},
                                                          {"rms_norm_eps", "norm_epsilon"},
                                                          {"norm_eps", "norm_epsilon"}};
  for (const auto& [key, param] : said)
    if (config.is_object() && config.contains(key) && config.at(key).is_number() && config.at(key) > 0)
      for (auto& [id, value] : layer.params)
        if (id == param) {
          value = config.at(key).get<double>();
          std::erase(layer.assumed, id);
        }
}

// Meta's files say in params.json how fast pairs turn.
Status take_meta_config(const Json& config, const fs::path& file, LayerOfStateDict& layer) {
  std::error_code ignored;
  if (file.filename() == "consolidated.00.pth" && fs::exists(file.parent_path() / "consolidated.01.pth", ignored))
    return fail("{}: is one of several consolidated files, which are not put together here", one_line(utf8(file)));
  if (!config.is_object()) return {};
  if (config.contains("use_scaled_rope") && config.at("use_scaled_rope") == true)
    return fail("{}: use_scaled_rope is true, which is not run here",
                one_line(utf8(file.parent_path() / "params.json")));
  if (config.contains("rope_theta") && config.at("rope_theta").is_number() && config.at("rope_theta") > 0)
    layer.params.emplace_back("rotary_base", config.at("rope_theta").get<double>());
  return {};
}

// Errors: a kind of model that is not known. One that the names of the arrays do not agree with is a notice.
Status check_type(const Json& config, const std::string& layout, const std::optional<ModelPlan>& plan,
                  const fs::path& file, LayerOfStateDict& layer) {
  const ModelConfig fields(config.is_object() ? config : Json::object(), "config.json");
  const std::string type = fields.type();
  const bool of_torch = layer.layout.starts_with("torch.");
  if (type.empty() || of_torch || !layout.empty() || layer.layout == type || (plan && plan->layout == layer.layout))
    return {};
  if (!plan)
    return fail(
        "{}: its names are those of {}, but config.json says model_type {}, which is not one that Headlight "
        "knows: weights.layout \"{}\" opens it as that",
        one_line(utf8(file)), layer.layout, brief(type), layer.layout);
  layer.notices.push_back(fmt::format("{}: config.json says model_type {}: read as {}, by its names",
                                      one_line(utf8(file.filename())), type, layer.layout));
  return {};
}

// What a config beside the weights says of an architecture that is run here; nothing where there is none.
Result<std::optional<ModelPlan>> plan_beside(const Json& config, const fs::path& file) {
  const ModelConfig fields(config.is_object() ? config : Json::object(),
                           one_line(utf8(file.parent_path() / "config.json")));
  if (!is_known_model(fields)) return std::nullopt;
  HL_TRY(ModelPlan plan, plan_of(fields));
  return std::optional(std::move(plan));
}

// By one's own names: the parameters say the rest, and every array that is named has a place in them.
Result<LayerOfStateDict> read_named_layer(const Experiment& experiment, const ArraySource& source, Index heads_beside) {
  const WeightsSpec& asked = *experiment.weights;
  HL_TRY(const OwnNames names, read_own_names(asked.names, experiment.folder));
  const Index heads = experiment.params.is_given("heads") ? experiment.params.integer("heads") : heads_beside;
  HL_TRY(LayerOfStateDict layer, layer_of_names(source, names, asked.layer.value_or(0), heads, one_line(asked.from)));
  IdSet given;
  for (const auto& [id, array] : layer.arrays) given.insert(id);
  const ArraySpecs specs = find_variant(experiment.variant)->arrays(experiment.params, given);
  for (const auto& [id, array] : layer.arrays)
    if (std::ranges::find(specs.weights, id, &ArraySpec::id) == specs.weights.end())
      return fail("weights.names.{}: these params ask for no array of that name", one_line(id));
  layer.params.emplace_back("heads", heads);
  return layer;
}

}  // namespace

Index ConfigBeside::heads_of(const std::string& stack) const {
  const auto own = heads_of_stacks.find(stack);
  return own == heads_of_stacks.end() ? heads : own->second;
}

ConfigBeside config_beside_of(const fs::path& file) {
  ConfigBeside said;
  const auto config = config_beside(file);
  if (!config || !config->is_object()) return said;
  said.heads = heads_in(*config).value_or(0);
  for (const char* stack : {"text", "vision"})
    if (const std::string key = fmt::format("{}_config", stack); config->contains(key))
      if (const auto heads = heads_in(config->at(key))) said.heads_of_stacks[stack] = *heads;
  const auto plan = plan_beside(*config, file);
  if (plan && *plan)
    said.layout = (*plan)->layout;
  else if (plan)
    said.unknown_type = ModelConfig(*config, "config.json").type();
  return said;
}

std::vector<LayersInFile> layers_of_config(const ArraySource& source, const ConfigBeside& config) {
  const std::vector<LayersInFile> all = layers_in(source);
  std::vector<LayersInFile> found;
  const auto have_same_names = [](const LayersInFile& a, const LayersInFile& b) {
    return std::tie(a.before, a.attention, a.layers) == std::tie(b.before, b.attention, b.layers);
  };
  for (const LayersInFile& one : all)
    if (one.layout == config.layout || std::ranges::none_of(all, [&](const LayersInFile& other) {
          return other.layout == config.layout && have_same_names(other, one);
        }))
      found.push_back(one);
  return found;
}

Result<LayerOfStateDict> read_layer(const Experiment& experiment) {
  const fs::path given = resolve_path(experiment.folder, experiment.weights->from);
  HL_TRY(const fs::path file, model_file(given));
  WeightsSpec asked = *experiment.weights;
  auto opened = open_arrays(file, {.prefix = asked.prefix});
  if (!opened) return tl::unexpected<Error>(opened.error());
  HL_TRY(const Json config, config_beside(file));
  if (!asked.names.empty()) return read_named_layer(experiment, **opened, heads_in(config).value_or(0));
  // Of a folder the config says all, and arrays are held to it; beside a file it may be of other weights.
  std::error_code ignored;
  const bool folder = fs::is_directory(given, ignored);
  auto beside = plan_beside(config, file);
  if (!beside && folder) return tl::unexpected<Error>(beside.error());
  std::optional<ModelPlan> plan = beside ? std::move(*beside) : std::nullopt;
  if (plan && folder && is_trained(*plan) && asked.layout.empty())
    return trained_layer(**opened, *plan, asked.layer.value_or(0), one_line(asked.from), LayerNumbers::read);
  const auto& params = find_variant(experiment.variant)->params();
  const bool of_heads = find_param(params, "heads") != nullptr;
  const bool set = of_heads && experiment.params.is_given("heads");
  const Index heads_said = config_beside_of(file).heads_of(asked.stack);
  const Index heads_in_file = of_heads ? heads_said : 0;
  LayerSizes sizes(set ? experiment.params.integer("heads") : heads_in_file);
  const std::string layout = asked.layout;
  if (plan && folder && asked.layout.empty()) asked.layout = plan->layout;
  if (plan && folder && !plan->towers.empty() && asked.stack.empty()) asked.stack = plan->towers.back().stack;
  if (plan && folder && !set && asked.layout == plan->layout)
    sizes = sizes_of(*plan, {asked.layer.value_or(0), part_named(asked.stack).value_or(plan->only)});
  sizes.variant = is_variant_of_layers(experiment.variant) ? experiment.variant : "multi_head";
  if (plan) sizes.model_type = plan->layout;
  HL_TRY(LayerOfStateDict layer, layer_of(**opened, asked, sizes, one_line(asked.from)));
  HL_CHECK(check_type(config, layout, plan, file, layer));
  if (layer.layout == "llama_meta") HL_CHECK(take_meta_config(config, file, layer));
  if (plan && layer.layout == plan->layout)
    HL_CHECK(take_settings(*plan, {asked.layer.value_or(0), part_of(*plan, layer)}, layer));
  else
    take_config(config, layer);
  note_assumed(layer, one_line(asked.from));
  if (!set && layer.heads > 0) layer.params.emplace_back("heads", layer.heads);
  return layer;
}

}  // namespace headlight
