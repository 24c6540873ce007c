// One array for queries, keys and values together, cut as GPT-2 and nn.MultiheadAttention lay it out (stacked) or as
// GPT-NeoX and Falcon do (per head).
#include <algorithm>

#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"

namespace headlight {

namespace {

// What each block of d' columns is of.
struct Blocks {
  Index heads, key_heads;
  bool per_head;

  Index count() const { return heads + 2 * key_heads; }
  // Of query head m, or of the key or value that key head g has.
  Index of_query(Index m) const {
    const Index group = heads / key_heads;
    return per_head ? m / group * (group + 2) + m % group : m;
  }
  Index of_key(Index g) const { return per_head ? (g + 1) * (heads / key_heads + 2) - 2 : heads + g; }
  Index of_value(Index g) const { return per_head ? of_key(g) + 1 : heads + key_heads + g; }
};

bool in_one_input(const ParamValues& params, const GivenIds& given, const std::string& prefix) {
  const auto has = [&](const std::string& id) { return given.arrays.contains(id); };
  const bool places = params.choice("positions") != "none" || has("p_q") || has("p_k");
  const bool apart = has("x_k") || has("x_v") || (places && params.choice("positions_to") == "queries_keys") ||
                     has(prefix + "q") || has(prefix + "k") || has(prefix + "v");
  return !apart && !params.flag("differential");
}

// fused (d_q, (M + 2G)·d') or ((M + 2G)·d') → q (M, d_q, d'), k and v (G, d_q, d'), or without d_q.
Result<ArrayMap> cut(const Tensor& fused, const std::string& id, const ParamValues& params, const GivenIds& given) {
  const std::string prefix = id.substr(0, 2);
  const Index heads = params.integer("heads"),
              key_heads = params.is_automatic("kv_heads") ? heads : params.integer("kv_heads");
  HL_CHECK(options::check_key_heads(params));
  const Blocks blocks{heads, key_heads, params.choice("qkv_layout") == "per_head"};
  const Index rank = prefix == "w_" ? 2 : 1;
  if (fused.rank() != rank)
    return fail("{} has shape {}: it must be {}", id, to_string(fused.shape()),
                rank == 2 ? "(d_q, (heads + 2 kv_heads) · d_head)" : "((heads + 2 kv_heads) · d_head)");
  const Index columns = fused.dim(-1), d_in = fused.size() / std::max<Index>(1, columns);
  const bool set = given.params.contains("d_head");
  const Index width = set ? params.integer("d_head") : columns / blocks.count();
  const bool other_value = !params.is_automatic("d_value") && params.integer("d_value") != width;
  if (other_value || !in_one_input(params, given, prefix))
    return fail("{0} makes queries, keys and values from one input: give {1}q, {1}k and {1}v", id, prefix);
  if (width == 0 || width * blocks.count() != columns)
    return fail("{} has {} columns: {} heads and {} key heads{} need {}", id, columns, heads, key_heads,
                set ? fmt::format(" of d_head {}", width) : "",
                set ? fmt::format("{}", blocks.count() * width) : fmt::format("a multiple of {}", blocks.count()));
  const auto part = [&](Index count, const auto& block_of) {
    auto made =
        std::make_shared<Tensor>(Tensor::uninitialized(rank == 2 ? Shape{count, d_in, width} : Shape{count, width}));
    for (Index m = 0; m < count; ++m)
      for (Index row = 0; row < d_in; ++row)
        std::copy_n(fused.data() + row * columns + block_of(m) * width, width, made->data() + (m * d_in + row) * width);
    return made;
  };
  return ArrayMap{{prefix + "q", part(heads, [&](Index m) { return blocks.of_query(m); })},
                  {prefix + "k", part(key_heads, [&](Index g) { return blocks.of_key(g); })},
                  {prefix + "v", part(key_heads, [&](Index g) { return blocks.of_value(g); })}};
}

std::vector<ArraySpec> arrays_of_all(const ParamValues&) {
  return {declare::weight("w_qkv", "W_{qkv}", "Fused weights",
                          "Turn a token into all queries, keys and values, in place of w_q, w_k and w_v.",
                          {"d_q", "(M+2G)d'"}, Fill::absent, Role::none),
          declare::weight("b_qkv", "b_{qkv}", "Fused bias", "The same of b_q, b_k and b_v.", {"(M+2G)d'"}, Fill::absent,
                          Role::none)};
}

}  // namespace

const HeadOption& fused() {
  static const HeadOption option{
      .question = ParamQuestion::size,
      .params = {param::choice("qkv_layout", "Fused layout",
                               "How the arrays w_qkv and b_qkv are cut into queries, keys and values.",
                               {{"stacked", "Stacked", "All queries, all keys, all values, as in GPT-2."},
                                {"per_head", "Per head",
                                 "For each key head its queries, its key and its value, as in GPT-NeoX and Falcon."}},
                               {.advanced = true})},
      .weights = arrays_of_all};
  return option;
}

std::span<const FusedArray> fused_projections() {
  static const FusedArray arrays[] = {
      {"w_qkv", [](const Tensor& w, const ParamValues& p, const GivenIds& g) { return cut(w, "w_qkv", p, g); }},
      {"b_qkv", [](const Tensor& b, const ParamValues& p, const GivenIds& g) { return cut(b, "b_qkv", p, g); }}};
  return arrays;
}

}  // namespace headlight
