// Liu et al. 2021, Swin Transformer: attention in windows, in stages between which every 2 × 2 places become one.
#include <algorithm>

#include "engine/models/plan.h"

namespace headlight {

namespace {

// A number for each stage.
Result<std::vector<Index>> list_in(const ModelConfig& config, const char* key, std::vector<Index> usual, Index most) {
  if (!config.has(key)) return usual;
  const auto& list = config.fields().at(key);
  constexpr std::size_t most_stages = 8;
  const auto is_number = [most](const auto& one) { return one.is_number_integer() && one >= 1 && one <= most; };
  if (!list.is_array() || list.empty() || list.size() > most_stages || !std::ranges::all_of(list, is_number))
    return fail("{}: {} must be a list of at most {} whole numbers from 1 to {}", config.name(), key, most_stages,
                most);
  return list.template get<std::vector<Index>>();
}

Result<std::vector<ModelStage>> stages_in(const ModelConfig& config, Index width, Index side) {
  HL_TRY(const auto depths, list_in(config, "depths", {2, 2, 6, 2}, most_layers_of_model));
  HL_TRY(const auto heads, list_in(config, "num_heads", {3, 6, 12, 24}, most_heads));
  HL_TRY(const Index window, config.whole("window_size", 1, 255, 7));
  if (depths.size() != heads.size())
    return fail("{}: depths has {} stages and num_heads {}", config.name(), depths.size(), heads.size());
  std::vector<ModelStage> stages;
  for (std::size_t s = 0; s < depths.size(); ++s) {
    const ModelStage stage{depths[s], heads[s], width << s, side >> s, std::min(window, side >> s)};
    if (stage.width > widest || stage.width % stage.heads != 0)
      return fail("{}: {} heads do not divide the width of stage {}, {}", config.name(), stage.heads, s, stage.width);
    if (side % (Index{1} << s) != 0 || stage.side == 0 || stage.side % stage.window != 0)
      return fail("{}: windows of {} do not divide the {} places of a side in stage {}, which is not run here",
                  config.name(), window, side >> s, s);
    stages.push_back(stage);
  }
  return stages;
}

}  // namespace

Result<ModelPlan> plans::swin(const ModelConfig& config) {
  ModelPlan plan;
  plan.type = plan.layout = config.type();
  plan.prefixes = {"swin.", ""};
  plan.width_key = "embed_dim";
  HL_CHECK(read_picture(config, 4, plan));
  HL_TRY(plan.width, config.whole("embed_dim", 1, widest, 96));
  HL_TRY(plan.epsilon, config.real("layer_norm_eps", 1e-5));
  HL_TRY(plan.stages, stages_in(config, plan.width, plan.image_size / plan.patch));
  for (const ModelStage& stage : plan.stages) {
    plan.layers += stage.layers;
    plan.heads = std::max(plan.heads, stage.heads);
  }
  if (plan.layers > most_layers_of_model)
    return fail("{}: depths are {} layers: at most {} are run", config.name(), plan.layers, most_layers_of_model);
  plan.head_width = plan.width / plan.stages.front().heads;
  HL_TRY(plan.activation, config.activation("hidden_act", "gelu"));
  HL_TRY(const bool absolute, config.flag("use_absolute_embeddings", false));
  plan.projection = "embeddings.patch_embeddings.projection";
  plan.input_norm = "embeddings.norm";
  plan.norm_before_places = true;
  if (absolute) plan.places = "embeddings.position_embeddings";
  plan.final_norm = "layernorm";
  plan.pooled = Pooled::mean;
  plan.class_of_pooled = true;
  plan.classes = {"classifier"};
  plan.class_names = class_names(config);
  plan.layer = [stages = plan.stages](LayerOfModel at) {
    Index block = at.layer;
    auto stage = stages.begin();
    for (; block >= stage->layers; ++stage) block -= stage->layers;
    const bool shifted = block % 2 == 1 && stage->side > stage->window;
    return LayerSettings{{{"window", stage->window}, {"shift", shifted ? stage->window / 2 : Index{0}}}};
  };
  return plan;
}

}  // namespace headlight
