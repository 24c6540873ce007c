// Layers of models that look at pictures: ViT, DeiT, timm's, DINOv2, Swin, both parts of CLIP, and non-local blocks.
#include <fmt/format.h>

#include "engine/layouts/pieces.h"

namespace headlight {

using namespace pieces;

namespace {

// LayerScale, under the names that there are: each channel of what attention and feed-forward hand on has its factor.
Pieces scales(const std::string& of_attention, const std::string& of_ffn, bool needed) {
  return {{"scale_o", of_attention, How::scale, needed}, {"scale_2", of_ffn, How::scale, needed}};
}

Pieces timm_vit() {
  return joined({one_matrix("attn.qkv", How::cut_q), linear("o", "attn.proj", How::transposed),
                 feed_forward("mlp.fc1", "mlp.fc2"), norm("ln", "norm1"), norm("ln2", "norm2"),
                 scales("ls1.gamma", "ls2.gamma", false), scales("gamma_1", "gamma_2", false)});
}

Pieces dinov2_parts() {
  return joined({attention("attention.", {"attention.query", "attention.key", "attention.value", "output.dense"}),
                 norm("ln", "norm1"), norm("ln2", "norm2"),
                 scales("layer_scale1.lambda1", "layer_scale2.lambda1", true)});
}

// Liu et al. 2021: attention in windows, with a table of relative positions.
Pieces swin_parts() {
  return joined({attention("attention.", {"self.query", "self.key", "self.value", "output.dense"}),
                 {{"bias_table", "attention.self.relative_position_bias_table", How::as_is}},
                 feed_forward("intermediate.dense", "output.dense"),
                 norm("ln", "layernorm_before"),
                 norm("ln2", "layernorm_after")});
}

Pieces swin_of_timm() {
  return joined({one_matrix("attn.qkv", How::cut_q),
                 linear("o", "attn.proj", How::transposed),
                 {{"bias_table", "attn.relative_position_bias_table", How::as_is}},
                 feed_forward("mlp.fc1", "mlp.fc2"),
                 norm("ln", "norm1"),
                 norm("ln2", "norm2")});
}

// Wang et al. 2018, in convolutions of extent 1: each is found under the first of its names that is there.
struct NonLocalNames {
  std::vector<std::string> theta, phi, g, z;
  std::string norm;
};

Pieces non_local(const NonLocalNames& names) {
  Pieces pieces;
  const auto add = [&](const char* which, const std::vector<std::string>& called) {
    for (const std::string& name : called) {
      pieces.push_back({fmt::format("w_{}", which), name + ".weight", How::as_is, &name == &called.front()});
      pieces.push_back({fmt::format("b_{}", which), name + ".bias", How::as_is, false});
    }
  };
  add("theta", names.theta);
  add("phi", names.phi);
  add("g", names.g);
  add("z", names.z);
  for (const auto& [array, name] : {std::pair{"bn_gamma", "weight"}, std::pair{"bn_beta", "bias"},
                                    std::pair{"bn_mean", "running_mean"}, std::pair{"bn_var", "running_var"}})
    pieces.push_back({array, names.norm + "." + name, How::as_is, false});
  return pieces;
}

// Radford et al. 2021 as OpenAI's files name it: the layers of both parts have the same names.
Layouts clip_of_openai(const Settings& of_vision, const Settings& of_text) {
  const Pieces parts = joined(
      {torch_attention("attn."), feed_forward("mlp.c_fc", "mlp.c_proj"), norm("ln", "ln_1"), norm("ln2", "ln_2")});
  LayoutTable vision{"clip", "transformer.resblocks.{l}.", false, parts, of_vision}, text = vision;
  text.settings = of_text;
  vision.stack = "vision";
  vision.not_beside = {"token_embedding.weight", "ln_final.weight", "text_projection"};
  text.stack = "text";
  text.not_after = {"visual."};
  text.not_beside = {"conv1.weight", "class_embedding", "ln_pre.weight", "ln_post.weight"};
  return {vision, text};
}

}  // namespace

Layouts vision_layouts() {
  const Pieces vit =
      joined({attention("attention.", {"attention.query", "attention.key", "attention.value", "output.dense"}),
              feed_forward("intermediate.dense", "output.dense"), norm("ln", "layernorm_before"),
              norm("ln2", "layernorm_after")});
  const Pieces timm_with_qk_norms = joined({timm_vit(), norm("q", "attn.q_norm"), norm("k", "attn.k_norm")});
  const Pieces dinov2 = joined({dinov2_parts(), feed_forward("mlp.fc1", "mlp.fc2")});
  const Pieces dinov2_gated =
      joined({dinov2_parts(), linear("1", "mlp.weights_in", How::first_half),
              linear("3", "mlp.weights_in", How::second_half), linear("2", "mlp.weights_out", How::transposed)});
  const Pieces clip = joined({attention("self_attn."), feed_forward("mlp.fc1", "mlp.fc2"), norm("ln", "layer_norm1"),
                              norm("ln2", "layer_norm2")});
  const auto pre_norm = [](const char* activation, double epsilon) {
    return Settings{{"block", "pre_norm"}, {"ffn", true}, {"ffn_activation", activation}, {"norm_epsilon", epsilon}};
  };
  const Settings of_vit = pre_norm("gelu", 1e-12), of_timm = pre_norm("gelu", 1e-6),
                 of_clip = pre_norm("quick_gelu", 1e-5);
  const Settings of_clip_text = joined(of_clip, {{"mask", "causal"}});
  const char* const layers = "encoder.layer.{l}.";
  const auto of_variant = [](const char* variant, CompleteLayer complete, LayoutTable layout) {
    layout.variant = variant;
    layout.complete = complete;
    return layout;
  };
  const auto block = [&](const NonLocalNames& names) {
    return of_variant("non_local", complete_non_local,
                      {"non_local", "", true, non_local(names), {{"mode", "embedded_gaussian", true}}});
  };
  Layouts list{
      {"vit", layers, true, vit, of_vit},
      {"deit", layers, true, vit, of_vit},
      {"timm.vit", "blocks.{l}.", true, timm_vit(), of_timm},
      {"timm.vit", "blocks.{l}.", true, timm_with_qk_norms, joined(of_timm, {{"qk_norm", "layer_norm"}})},
      {"dinov2", layers, true, dinov2, of_timm},
      {"dinov2", layers, true, dinov2_gated, joined(pre_norm("silu", 1e-6), {{"ffn_gated", true}})},
      of_variant("swin", complete_windows, {"swin", "encoder.layers.{s}.blocks.{l}.", false, swin_parts(), {}}),
      of_variant("swin", complete_windows, {"timm.swin", "layers.{s}.blocks.{l}.", false, swin_of_timm(), {}}),
      // Keys and values that are pooled stand beside their pooling.
      block({{"theta"}, {"phi", "phi.0"}, {"g", "g.0"}, {"W", "W.0"}, "W.1"}),
      block({{"conv_theta"}, {"conv_phi"}, {"conv_g"}, {"conv_out"}, "bn"}),
      block({{"theta.conv"}, {"phi.conv", "phi.0.conv"}, {"g.conv", "g.0.conv"}, {"conv_out.conv"}, "conv_out.bn"}),
      {"clip", "vision_model.encoder.layers.{l}.", false, clip, of_clip},
      {"clip", "text_model.encoder.layers.{l}.", false, clip, of_clip_text}};
  for (LayoutTable& one : clip_of_openai(of_clip, of_clip_text)) list.push_back(std::move(one));
  return list;
}

}  // namespace headlight
