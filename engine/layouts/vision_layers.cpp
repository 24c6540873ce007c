// Layers of models that look at pictures: ViT, DeiT, timm's, DINOv2, Swin, and both parts of CLIP.
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

// Radford et al. 2021 as OpenAI's files name it.
Pieces clip_of_openai() {
  return joined(
      {torch_attention("attn."), feed_forward("mlp.c_fc", "mlp.c_proj"), norm("ln", "ln_1"), norm("ln2", "ln_2")});
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
  const auto in_windows = [](LayoutTable layout) {
    layout.variant = "swin";
    return layout;
  };
  return {{"vit", layers, true, vit, of_vit},
          {"deit", layers, true, vit, of_vit},
          {"timm.vit", "blocks.{l}.", true, timm_vit(), of_timm},
          {"timm.vit", "blocks.{l}.", true, timm_with_qk_norms, joined(of_timm, {{"qk_norm", "layer_norm"}})},
          {"dinov2", layers, true, dinov2, of_timm},
          {"dinov2", layers, true, dinov2_gated, joined(pre_norm("silu", 1e-6), {{"ffn_gated", true}})},
          in_windows({"swin", "encoder.layers.{s}.blocks.{l}.", false, swin_parts(), {}}),
          in_windows({"timm.swin", "layers.{s}.blocks.{l}.", false, swin_of_timm(), {}}),
          {"clip", "vision_model.encoder.layers.{l}.", false, clip, of_clip},
          {"clip", "text_model.encoder.layers.{l}.", false, clip, of_clip_text},
          {"clip", "visual.transformer.resblocks.{l}.", false, clip_of_openai(), of_clip},
          {"clip", "transformer.resblocks.{l}.", false, clip_of_openai(), of_clip_text}};
}

}  // namespace headlight
