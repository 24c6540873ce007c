// What of a layer no part of its layout uses, and what of that acts on attention all the same.
#include <fmt/format.h>

#include <algorithm>

#include "engine/io/file.h"
#include "engine/layouts/tables.h"

namespace headlight {

namespace {

bool has_any(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words,
                             [name](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// Constants that a program keeps among its weights: they say nothing that the layout does not.
bool is_constant(std::string_view name) {
  return has_any(name, {"rotary_emb.inv_freq", "rotary_embeddings.inv_freq", "position_ids", "relative_position_index",
                        "masked_bias", "attn.mask", "attn.IGNORE", "attn_mask", "causal_mask", "cos_cached",
                        "sin_cached", ".tril"}) ||
         name == "attn.bias" || name == "attention.bias" || name == "1.EncDecAttention.relative_attention_bias.weight";
}

// What changes attention where it is there, under the names that it has.
std::string_view described_leftover(std::string_view name) {
  if (has_any(name, {"lora_", "adapter", "ia3_"}))
    return "part of an adapter: add it to the weights first (merge_and_unload())";
  if (has_any(name, {"sink"})) return "a sink";
  if (has_any(name, {"bias_k", "bias_v"})) return "a key or value of its own (add_bias_kv)";
  if (has_any(name, {"q_bias", "v_bias"})) return "a bias of queries or values alone (BEiT)";
  if (has_any(name, {"distance_embedding"})) return "a table of relative positions (relative_key of BERT)";
  if (has_any(name, {"relative", "rel_pos", "rel_", "pos_bias"})) return "a table of relative positions (Swin, BEiT)";
  if (has_any(name, {"crossattention", "cross_attn"})) return "part of a cross-attention before its feed-forward";
  if (has_any(name, {"ls1.", "ls2.", "gamma_1", "gamma_2", "layer_scale", "lambda"})) return "a scale of channels";
  if (has_any(name, {"norm", "ln_", "LayerNorm"})) return "a norm";
  if (name.ends_with(".bias")) return "a bias";
  return {};
}

// Whether it stands among what the layout's attention is made of: "self_attn.g_proj.weight", "attn.alibi".
bool is_of_attention(const LayoutTable& layout, std::string_view name) {
  if (has_any(name, {"k_scale", "v_scale"})) return false;  // of a cache of fewer bits
  const std::string_view query = layout.pieces.front().name;
  const auto number = query.find_first_not_of("0123456789"), dot = query.find('.', number > 0 ? number + 1 : 0);
  // Of an attention by itself what stands beside its matrices.
  if (dot == std::string_view::npos) return has_heads(layout) && name.find('.') == std::string_view::npos;
  return has_heads(layout) && name.starts_with(query.substr(0, dot + 1));
}

}  // namespace

bool is_of_layer(const NamesOfFile& names, const Fit& fit, const std::string& name) {
  if (!name.starts_with(fit.before)) return false;
  // A MultiheadAttention at the root of a file owns no more than the names beside its own.
  return !fit.before.empty() || !fit.layout->pieces.front().name.starts_with("in_proj") ||
         name.find('.') == std::string::npos || names.size() <= fit.used;
}

std::vector<std::string> unused_names(const NamesOfFile& names, const Fit& fit) {
  std::vector<std::string> left;
  for (auto at = names.lower_bound(fit.before); at != names.end() && at->first.starts_with(fit.before); ++at) {
    const std::string& name = at->first;
    if (!is_of_layer(names, fit, name)) continue;
    const std::string_view own = std::string_view(name).substr(fit.before.size());
    const bool used = std::ranges::any_of(all_layouts(), [&](const LayoutTable& layout) {
      const bool beside = layout.id == std::string_view(fit.layout->id) &&
                          layout.layers == std::string_view(fit.layout->layers) &&
                          layout.attention != std::string_view(fit.layout->attention);
      return (&layout == fit.layout || beside) &&
             std::ranges::find(layout.pieces, own, &Piece::name) != layout.pieces.end();
    });
    if (!used && !is_constant(own)) left.push_back(name);
  }
  return left;
}

Status check_unused(const NamesOfFile& names, const Fit& fit) {
  for (const std::string& name : unused_names(names, fit)) {
    const std::string own = name.substr(fit.before.size());
    std::string_view what = described_leftover(own);
    if (what.empty() && (!fit.before.empty() || own.find('.') != own.npos) && is_of_attention(*fit.layout, own))
      what = "a part of its attention";
    const bool not_run =
        std::ranges::any_of(fit.layout->not_run, [&](const std::string& begin) { return own.starts_with(begin); });
    if (!what.empty() && !not_run)
      return fail("{} is {}, and {} has no place for it", one_line(name), what, title_of(*fit.layout));
  }
  return {};
}

}  // namespace headlight
