#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/problems.h"

namespace headlight::test {

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

Tensor numbers(Shape shape, const std::vector<float>& values) {
  return Tensor::from(std::move(shape), values);
}

// Two heads of three channels; `params` come on top.
Sketch multi_head(std::string name, std::map<std::string, ParamValue> params, std::map<std::string, Shape> drawn,
                  std::map<std::string, Tensor> arrays = {}) {
  params.emplace("heads", Index{2});
  params.emplace("d_head", Index{3});
  return {"multi_head: " + std::move(name), "multi_head", std::move(params), std::move(drawn), std::move(arrays)};
}

// Four queries, three keys, two heads; −∞ at places, numbers elsewhere.
Tensor planes_of_mask() {
  Tensor mask = drawn({2, 2, 4, 3}, 77);
  for (const Index cell : {0, 5, 13, 24, 25, 26, 47}) mask[cell] = minus_infinity;  // 24 to 26: all keys of one query
  return mask;
}

std::vector<Sketch> multi_head_attention() {
  const std::string causal = "causal", sinusoidal = "sinusoidal", learned = "learned";
  const Shape x{2, 5, 6};
  return {
      multi_head("self", {}, {{"x_q", x}}),
      multi_head("one token, one channel", {{"heads", Index{1}}, {"d_head", Index{1}}}, {{"x_q", {1, 1, 1}}}),
      multi_head("cross", {}, {{"x_q", {2, 4, 6}}, {"x_k", {2, 7, 5}}}),
      multi_head("values apart", {}, {{"x_q", {2, 4, 6}}, {"x_v", {2, 4, 3}}}),
      multi_head("cross, values apart, biases", {{"bias", true}},
                 {{"x_q", {1, 4, 6}}, {"x_k", {1, 7, 5}}, {"x_v", {1, 7, 2}}}),
      multi_head("one bias given", {}, {{"x_q", x}, {"b_k", {2, 3}}}),
      multi_head("causal", {{"mask", causal}, {"positions", sinusoidal}}, {{"x_q", x}}),
      multi_head("ALiBi in three heads, from the fourth key on",
                 {{"heads", Index{3}}, {"relative", std::string("alibi")}, {"query_offset", Index{3}}}, {{"x_q", x}}),
      multi_head("ALiBi with slopes given, causal, cross", {{"relative", std::string("alibi")}, {"mask", causal}},
                 {{"x_q", {1, 4, 6}}, {"x_k", {1, 7, 5}}, {"slopes", {2}}}),
      multi_head("T5 buckets, in both directions",
                 {{"relative", std::string("t5")}, {"buckets", Index{6}}, {"max_distance", Index{4}}, {"scale", 1.0}},
                 {{"x_q", {1, 6, 6}}}),
      multi_head("T5 buckets of the past, causal, from the fourth key on",
                 {{"relative", std::string("t5")},
                  {"buckets", Index{4}},
                  {"max_distance", Index{5}},
                  {"bucket_direction", std::string("past")},
                  {"query_offset", Index{3}},
                  {"mask", causal}},
                 {{"x_q", {2, 4, 6}}, {"x_k", {2, 7, 5}}}),
      multi_head("Shaw, keys and values", {{"relative", std::string("shaw")}, {"clip", Index{2}}}, {{"x_q", x}}),
      multi_head(
          "Shaw with a table for each head, cross, turned, dropout",
          {{"relative", std::string("shaw")},
           {"clip", Index{1}},
           {"rotary", std::string("half")},
           {"dropout", 0.3},
           {"query_offset", Index{2}}},
          {{"x_q", {1, 4, 6}}, {"x_k", {1, 7, 5}}, {"relative_keys", {2, 3, 3}}, {"relative_values", {2, 3, 3}}}),
      multi_head("Shaw for keys alone, a scale for each head, causal",
                 {{"relative", std::string("shaw_keys")}, {"clip", Index{0}}, {"mask", causal}},
                 {{"x_q", x}, {"logit_scale", {2}}}),
      multi_head("Transformer-XL, causal", {{"relative", std::string("transformer_xl")}, {"mask", causal}},
                 {{"x_q", x}}),
      multi_head("Transformer-XL with a memory, one key head, a scale for each head",
                 {{"relative", std::string("transformer_xl")}, {"kv_heads", Index{1}}, {"query_offset", Index{3}}},
                 {{"x_q", {2, 4, 6}}, {"x_k", {2, 7, 5}}, {"logit_scale", {2}}}),
      multi_head("Transformer-XL, differential, from far before",
                 {{"relative", std::string("transformer_xl")}, {"differential", true}, {"query_offset", Index{-9}}},
                 {{"x_q", x}}),
      multi_head("causal, two queries before the first key", {{"mask", causal}, {"query_offset", Index{-2}}},
                 {{"x_q", x}}, {{"valid_lens", numbers({2}, {4, 2})}}),
      multi_head("causal, more queries than keys", {{"mask", causal}}, {{"x_q", {1, 6, 6}}, {"x_k", {1, 3, 6}}}),
      multi_head("learned positions, cross", {{"positions", learned}}, {{"x_q", {2, 4, 6}}, {"x_k", {2, 3, 5}}}),
      multi_head("positions in the tokens, pre-norm",
                 {{"positions_to", std::string("inputs")}, {"block", std::string("pre_norm")}},
                 {{"x_q", x}, {"p_q", {5, 6}}}),
      multi_head("positions in the tokens, cross", {{"positions", learned}, {"positions_to", std::string("inputs")}},
                 {{"x_q", {2, 4, 6}}, {"x_k", {2, 3, 5}}}),
      multi_head("a position table for each batch", {}, {{"x_q", x}, {"p_q", x}}),
      multi_head("positions of rank 2 on the keys alone", {}, {{"x_q", x}, {"p_k", {5, 6}}}),
      multi_head("valid lengths", {}, {{"x_q", x}}, {{"valid_lens", numbers({2}, {3, 0})}}),
      multi_head("valid lengths by query, causal", {{"mask", causal}}, {{"x_q", x}},
                 {{"valid_lens", numbers({2, 5}, {5, 4, 0, 2, 1, 5, 5, 5, 1, 0})}}),
      multi_head("padding mask", {}, {{"x_q", x}},
                 {{"key_padding_mask", numbers({2, 5}, {0, 1, 0, 0, 1, 1, 1, 1, 1, 1})}}),
      multi_head("added mask", {}, {{"x_q", {2, 2, 6}}},
                 {{"attn_mask", numbers({2, 2}, {0, minus_infinity, minus_infinity, minus_infinity})}}),
      multi_head("all masks together", {{"mask", causal}}, {{"x_q", {2, 4, 6}}, {"x_k", {2, 3, 6}}},
                 {{"attn_mask", planes_of_mask()},
                  {"valid_lens", numbers({2}, {3, 2})},
                  {"key_padding_mask", numbers({2, 3}, {0, 0, 0, 0, 1, 0})}}),
      multi_head("added mask for each head", {}, {{"x_q", x}, {"attn_mask", {1, 2, 5, 5}}}),
      multi_head("prefix", {{"mask", std::string("prefix")}, {"prefix_length", Index{2}}}, {{"x_q", x}}),
      multi_head("prefix lengths, from the second key on",
                 {{"mask", std::string("prefix")}, {"query_offset", Index{1}}}, {{"x_q", x}},
                 {{"prefix_lens", numbers({2}, {3, 0})}}),
      multi_head("window before, causal, with a sink",
                 {{"mask", causal}, {"window_left", Index{1}}, {"sink_tokens", Index{1}}}, {{"x_q", x}}),
      multi_head("dilated window on both sides",
                 {{"window_left", Index{1}}, {"window_right", Index{2}}, {"window_dilation", Index{2}}},
                 {{"x_q", {1, 7, 6}}}),
      multi_head("every other key, two global tokens",
                 {{"window_dilation", Index{2}}, {"global_tokens", Index{2}}, {"query_offset", Index{1}}},
                 {{"x_q", x}}),
      multi_head("chunks and those before, queries before the first key",
                 {{"chunk", Index{2}}, {"chunk_left", Index{1}}, {"query_offset", Index{-3}}}, {{"x_q", x}}),
      multi_head("window, chunk, sinks and global tokens, padding",
                 {{"window_left", Index{2}},
                  {"window_right", Index{0}},
                  {"chunk", Index{3}},
                  {"chunk_right", Index{1}},
                  {"sink_tokens", Index{1}},
                  {"global_tokens", Index{1}}},
                 {{"x_q", {2, 6, 6}}}, {{"valid_lens", numbers({2}, {6, 4})}}),
      multi_head("block layout, causal, a sink", {{"mask", causal}, {"chunk", Index{2}}, {"sink_tokens", Index{1}}},
                 {{"x_q", x}}, {{"block_layout", numbers({3, 3}, {1, 0, 0, 0, 1, 0, 1, 0, 1})}}),
      multi_head("block layout for each head, cross, differential", {{"chunk", Index{3}}, {"differential", true}},
                 {{"x_q", {2, 5, 6}}, {"x_k", {2, 7, 5}}},
                 {{"block_layout", numbers({2, 2, 3}, {1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1})}}),
      multi_head("segments, causal", {{"mask", causal}}, {{"x_q", x}}, {{"segments_q", numbers({5}, {0, 0, 1, 1, 7})}}),
      multi_head("segments of each batch, cross", {}, {{"x_q", {2, 2, 6}}, {"x_k", {2, 3, 6}}},
                 {{"segments_q", numbers({2, 2}, {0, 1, 2, 2})}, {"segments_k", numbers({2, 3}, {0, 0, 1, 2, 5, 2})}}),
      multi_head("what only lets in hides nothing", {{"sink_tokens", Index{2}}}, {{"x_q", x}}),
      multi_head("added mask for each batch", {}, {{"x_q", x}, {"attn_mask", {2, 1, 5, 5}}}),
      multi_head("free scale and temperature", {{"scale", -0.75}, {"temperature", 0.5}}, {{"x_q", x}}),
      multi_head("capped, causal", {{"softcap", 0.5}, {"mask", causal}}, {{"x_q", x}}),
      multi_head("queries and keys of length 1", {{"qk_norm", std::string("l2")}, {"temperature", 2.0}}, {{"x_q", x}}),
      multi_head("a scale for each head, ALiBi",
                 {{"qk_norm", std::string("l2")}, {"relative", std::string("alibi")}, {"temperature", 0.5}},
                 {{"x_q", x}, {"logit_scale", {2}}}),
      multi_head("a scale for each head", {{"qk_norm", std::string("l2")}}, {{"x_q", x}, {"logit_scale", {2}}}),
      multi_head("layer norm of queries and keys, for each head",
                 {{"qk_norm", std::string("layer_norm")}, {"norm_epsilon", 1e-3}},
                 {{"x_q", x}, {"q_gamma", {2, 3}}, {"q_beta", {2, 3}}, {"k_gamma", {3}}, {"k_beta", {3}}}),
      multi_head("RMS norm of queries and keys, cross", {{"qk_norm", std::string("rms_norm")}},
                 {{"x_q", x}, {"x_k", {2, 3, 4}}, {"q_gamma", {3}}, {"k_gamma", {2, 3}}}),
      multi_head("neighbouring channels turned, from the third place on",
                 {{"rotary", std::string("interleaved")}, {"rotary_base", 100.0}, {"query_offset", Index{2}}},
                 {{"x_q", x}, {"x_k", {2, 7, 5}}}),
      multi_head("half against half, some channels, normed",
                 {{"rotary", std::string("half")},
                  {"rotary_fraction", 0.8},
                  {"d_head", Index{5}},
                  {"rotary_offset", Index{-4}},
                  {"qk_norm", std::string("rms_norm")}},
                 {{"x_q", x}}),
      multi_head("turned by frequencies given", {{"rotary", std::string("half")}, {"d_head", Index{4}}},
                 {{"x_q", x}, {"rotary_frequencies", {2}}}),
      multi_head("a sink beside the keys, causal, rows without a key",
                 {{"normalize", std::string("softmax_sink")}, {"mask", causal}, {"query_offset", Index{-1}}},
                 {{"x_q", x}, {"sink_logits", {2}}}),
      multi_head("a 1 in the denominator", {{"normalize", std::string("softmax_sink")}}, {{"x_q", x}}),
      multi_head("sigmoids", {{"normalize", std::string("sigmoid")}, {"dropout", 0.3}}, {{"x_q", x}}),
      multi_head("sigmoids with a bias, padding", {{"normalize", std::string("sigmoid")}, {"sigmoid_bias", 0.5}},
                 {{"x_q", x}}, {{"valid_lens", numbers({2}, {3, 0})}}),
      multi_head("sparsemax, valid lengths", {{"normalize", std::string("sparsemax")}, {"scale", 1.0}}, {{"x_q", x}},
                 {{"valid_lens", numbers({2}, {3, 0})}}),
      multi_head("entmax, causal", {{"normalize", std::string("entmax15")}, {"scale", 2.0}, {"mask", causal}},
                 {{"x_q", x}}, {{"valid_lens", numbers({2, 5}, {5, 4, 0, 2, 1, 5, 5, 5, 1, 0})}}),
      multi_head("dropout", {{"dropout", 0.4}, {"dropout_seed", Index{3}}, {"mask", causal}}, {{"x_q", x}}),
      multi_head("no output projection", {{"output_projection", false}}, {{"x_q", x}}),
      multi_head("merged without a transpose", {{"mistake", std::string("merge_without_transpose")}}, {{"x_q", x}}),
      multi_head("masked after the softmax, with padding",
                 {{"mistake", std::string("mask_after_softmax")}, {"mask", causal}, {"dropout", 0.3}}, {{"x_q", x}},
                 {{"valid_lens", numbers({2}, {3, 0})}}),
      multi_head("masked after a softmax with a sink",
                 {{"mistake", std::string("mask_after_softmax")},
                  {"mask", causal},
                  {"normalize", std::string("softmax_sink")}},
                 {{"x_q", x}}),
      multi_head("wide output", {}, {{"x_q", x}, {"w_o", {6, 9}}}),
  };
}

std::vector<Sketch> shared_heads() {
  const std::string causal = "causal", both = "both";
  const Shape x{2, 5, 6};
  const std::map<std::string, Shape> lambdas{
      {"lambda_q1", {3}}, {"lambda_k1", {3}}, {"lambda_q2", {3}}, {"lambda_k2", {3}}};
  std::map<std::string, Shape> learned = lambdas;
  learned.insert({{"x_q", x}, {"head_gamma", {6}}});
  return {
      multi_head("two key heads for six, causal, turned, normed",
                 {{"heads", Index{6}},
                  {"kv_heads", Index{2}},
                  {"mask", causal},
                  {"rotary", std::string("half")},
                  {"qk_norm", std::string("rms_norm")}},
                 {{"x_q", x}, {"b_k", {2, 3}}, {"b_v", {2, 3}}, {"q_gamma", {6, 3}}, {"k_gamma", {2, 3}}}),
      multi_head("one key head for three, cross, dropout",
                 {{"heads", Index{3}}, {"kv_heads", Index{1}}, {"dropout", 0.3}},
                 {{"x_q", {2, 4, 6}}, {"x_k", {2, 7, 5}}}),
      multi_head("wide values of shared heads, Shaw",
                 {{"heads", Index{4}},
                  {"kv_heads", Index{2}},
                  {"d_value", Index{5}},
                  {"relative", std::string("shaw")},
                  {"clip", Index{1}}},
                 {{"x_q", x}, {"relative_values", {4, 3, 5}}}),
      multi_head("positions of a grid", {{"positions", std::string("sinusoidal_2d")}, {"grid_columns", Index{3}}},
                 {{"x_q", {2, 6, 8}}}),
      multi_head("talking heads, with biases", {{"heads", Index{3}}, {"talking_heads", both}, {"bias", true}},
                 {{"x_q", x}}),
      multi_head("talking scores, capped, causal",
                 {{"talking_heads", std::string("logits")}, {"softcap", 0.5}, {"mask", causal}}, {{"x_q", x}}),
      multi_head("talking weights, masks that differ by head", {{"talking_heads", std::string("weights")}},
                 {{"x_q", {2, 4, 6}}, {"x_k", {2, 3, 6}}}, {{"attn_mask", planes_of_mask()}}),
      multi_head("differential", {{"differential", true}, {"lambda_init", 0.5}}, learned),
      multi_head("differential of shared keys, causal, turned, dropout",
                 {{"heads", Index{4}},
                  {"kv_heads", Index{2}},
                  {"differential", true},
                  {"mask", causal},
                  {"dropout", 0.3},
                  {"rotary", std::string("interleaved")}},
                 {{"x_q", x}}),
      multi_head(
          "differential, ALiBi, a scale and a sink for each head, masks by head",
          {{"differential", true}, {"relative", std::string("alibi")}, {"normalize", std::string("softmax_sink")}},
          {{"x_q", x}, {"logit_scale", {2}}, {"sink_logits", {2}}, {"attn_mask", {1, 2, 5, 5}}}),
      multi_head(
          "differential, T5 buckets",
          {{"differential", true}, {"relative", std::string("t5")}, {"buckets", Index{6}}, {"max_distance", Index{4}}},
          {{"x_q", x}}),
      multi_head("differential, Shaw", {{"differential", true}, {"relative", std::string("shaw")}, {"clip", Index{1}}},
                 {{"x_q", x}, {"relative_keys", {2, 3, 3}}}),
  };
}

std::vector<Sketch> without_softmax() {
  const auto linear = [](std::string name, std::map<std::string, ParamValue> params, std::map<std::string, Shape> drawn,
                         std::map<std::string, Tensor> arrays = {}) {
    params.emplace("heads", Index{2});
    params.emplace("d_head", Index{3});
    return Sketch{"linear_attention: " + std::move(name), "linear_attention", std::move(params), std::move(drawn),
                  std::move(arrays)};
  };
  const std::string causal = "causal", relu = "relu";
  const Shape x{2, 5, 6};
  return {
      linear("self", {}, {{"x_q", x}}),
      linear("cross, biases", {{"bias", true}}, {{"x_q", {2, 4, 6}}, {"x_k", {2, 7, 5}}, {"x_v", {2, 7, 2}}}),
      linear("causal", {{"mask", causal}}, {{"x_q", x}}),
      linear("causal, more queries than keys, valid lengths", {{"mask", causal}},
             {{"x_q", {2, 6, 6}}, {"x_k", {2, 4, 6}}}, {{"valid_lens", numbers({2}, {3, 0})}}),
      linear("padding", {}, {{"x_q", x}}, {{"key_padding_mask", numbers({2, 5}, {0, 1, 0, 0, 1, 1, 1, 1, 1, 1})}}),
      linear("ReLU, one channel", {{"feature_map", relu}, {"d_head", Index{1}}}, {{"x_q", x}}),
      linear("random features, causal, valid lengths",
             {{"feature_map", std::string("favor")}, {"features", Index{4}}, {"mask", causal}}, {{"x_q", x}},
             {{"valid_lens", numbers({2}, {3, 0})}}),
      linear("random features, cross", {{"feature_map", std::string("favor")}},
             {{"x_q", {2, 4, 6}}, {"x_k", {2, 7, 5}}, {"w_random", {2, 3, 3}}}),
      linear("no output projection", {{"output_projection", false}}, {{"x_q", x}}),
  };
}

std::vector<Sketch> multiplicative() {
  const auto luong = [](std::string name, const char* score, std::map<std::string, Shape> drawn,
                        std::map<std::string, Tensor> arrays = {}, bool attentional = true) {
    return Sketch{"luong: " + std::move(name),
                  "luong",
                  {{"score", std::string(score)}, {"hidden", Index{3}}, {"attentional", attentional}},
                  std::move(drawn),
                  std::move(arrays)};
  };
  return {
      luong("dot, context alone", "dot", {{"x_q", {2, 4, 5}}}, {}, false),
      luong("dot", "dot", {{"x_q", {2, 3, 5}}, {"x_k", {2, 4, 5}}, {"x_v", {2, 4, 2}}}),
      luong("general, padding", "general", {{"x_q", {2, 3, 5}}, {"x_k", {2, 4, 2}}},
            {{"key_padding_mask", numbers({2, 4}, {0, 1, 0, 0, 1, 1, 1, 1})}}),
      luong("concat, valid lengths by query", "concat", {{"x_q", {1, 3, 5}}, {"x_k", {1, 4, 2}}},
            {{"valid_lens", numbers({1, 3}, {4, 0, 1})}}),
  };
}

std::vector<Sketch> without_queries_of_keys() {
  const std::string causal = "causal";
  const Shape x{2, 4, 5};
  const auto latent = [](std::string name, std::map<std::string, ParamValue> params, std::map<std::string, Shape> drawn,
                         std::map<std::string, Tensor> arrays = {}) {
    params.insert({{"heads", Index{2}}, {"d_head", Index{3}}, {"kv_rank", Index{2}}});
    return Sketch{"mla: " + std::move(name), "mla", std::move(params), std::move(drawn), std::move(arrays)};
  };
  return {
      latent("self", {}, {{"x_q", x}}),
      latent("both latents normed, causal, half, wide values",
             {{"q_rank", Index{3}},
              {"d_rotary", Index{2}},
              {"d_value", Index{4}},
              {"latent_norm", std::string("rms_norm")},
              {"rotary", std::string("half")},
              {"mask", causal}},
             {{"x_q", x}, {"q_latent_gamma", {3}}, {"b_o", {5}}}),
      latent("memory, window, a sink, valid lengths",
             {{"query_offset", Index{3}},
              {"rotary_offset", Index{-2}},
              {"window_left", Index{1}},
              {"sink_tokens", Index{1}},
              {"temperature", 0.5},
              {"scale", 0.3},
              {"output_projection", false}},
             {{"x_q", {2, 3, 5}}, {"x_k", {2, 6, 4}}}, {{"valid_lens", numbers({2}, {6, 0})}}),
      latent("block layout for each head", {{"chunk", Index{2}}}, {{"x_q", x}},
             {{"block_layout", numbers({2, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 1})}}),
      {"aft: plain", "aft", {{"d_head", Index{3}}}, {{"x", x}}, {}},
      {"aft: causal, biases, valid lengths",
       "aft",
       {{"d_head", Index{2}}, {"mask", causal}, {"bias", true}},
       {{"x", x}},
       {{"valid_lens", numbers({2}, {3, 0})}}},
      {"aft: one channel, padding",
       "aft",
       {{"d_head", Index{1}}, {"output_projection", false}},
       {{"x", x}},
       {{"key_padding_mask", numbers({2, 4}, {0, 1, 0, 0, 1, 1, 1, 1})}}},
      {"bahdanau_decoder: a source, a first state",
       "bahdanau_decoder",
       {{"hidden", Index{3}}},
       {{"x_k", {2, 4, 5}}, {"y", {2, 3, 2}}, {"s_0", {2, 3}}},
       {}},
      {"bahdanau_decoder: of itself, valid lengths",
       "bahdanau_decoder",
       {{"hidden", Index{2}}},
       {{"y", x}},
       {{"valid_lens", numbers({2}, {3, 0})}}},
  };
}

std::vector<Sketch> windows_of_pictures() {
  const auto swin = [](std::string name, Index window, Index shift, Shape x,
                       std::map<std::string, ParamValue> params = {}) {
    params.insert({{"heads", Index{2}}, {"d_head", Index{3}}, {"window", window}, {"shift", shift}});
    return Sketch{"swin: " + std::move(name), "swin", std::move(params), {{"x", std::move(x)}}, {}};
  };
  return {
      swin("windows", 2, 0, {2, 3, 4, 6}),
      swin("shifted, biases, other output", 3, 1, {1, 3, 3, 6}, {{"bias", true}, {"out_channels", Index{5}}}),
      swin("shifted by half a window", 2, 1, {2, 2, 4, 4}),
      swin("windows of one pixel", 1, 0, {1, 2, 2, 3}),
  };
}

std::vector<Sketch> multi_head_blocks() {
  const std::string post_norm = "post_norm", pre_norm = "pre_norm", sinusoidal = "sinusoidal";
  const Shape x{2, 5, 6};
  return {
      multi_head("post-norm", {{"block", post_norm}}, {{"x_q", x}, {"ln_gamma", {6}}, {"ln_beta", {6}}}),
      multi_head("post-norm layer", {{"block", post_norm}, {"ffn", true}, {"bias", true}},
                 {{"x_q", x}, {"x_k", {2, 3, 6}}}),
      multi_head("pre-norm", {{"block", pre_norm}}, {{"x_q", x}}),
      multi_head("pre-norm layer with positions",
                 {{"block", pre_norm}, {"ffn", true}, {"d_ff", Index{7}}, {"positions", sinusoidal}}, {{"x_q", x}}),
      multi_head("pre-norm, cross", {{"block", pre_norm}, {"positions", sinusoidal}}, {{"x_q", x}, {"x_k", {2, 3, 4}}}),
      multi_head("pre-norm without output projection", {{"block", pre_norm}, {"output_projection", false}},
                 {{"x_q", x}}),
      multi_head("bare with feed-forward", {{"ffn", true}}, {{"x_q", x}, {"ln2_gamma", {6}}, {"ln2_beta", {6}}}),
      multi_head("gated by SiLU, RMS norm",
                 {{"block", pre_norm},
                  {"ffn", true},
                  {"norm", std::string("rms_norm")},
                  {"ffn_activation", std::string("silu")},
                  {"ffn_gated", true},
                  {"norm_epsilon", 1e-3}},
                 {{"x_q", x}, {"ln_gamma", {6}}, {"ln2_gamma", {6}}, {"b_3", {24}}}),
      multi_head("post-norm, GELU",
                 {{"block", post_norm}, {"ffn", true}, {"ffn_activation", std::string("gelu")}, {"bias", true}},
                 {{"x_q", x}}),
      multi_head("parallel, GELU by tanh",
                 {{"block", std::string("parallel")}, {"ffn", true}, {"ffn_activation", std::string("gelu_tanh")}},
                 {{"x_q", x}, {"b_1", {24}}}),
      multi_head("parallel without feed-forward", {{"block", std::string("parallel")}}, {{"x_q", x}}),
      multi_head("parallel with two norms, gated",
                 {{"block", std::string("parallel_two_norms")},
                  {"ffn", true},
                  {"ffn_activation", std::string("quick_gelu")},
                  {"ffn_gated", true}},
                 {{"x_q", x}, {"ln2_gamma", {6}}}),
      multi_head("norms on both sides",
                 {{"block", std::string("sandwich_norm")}, {"ffn", true}, {"norm", std::string("rms_norm")}},
                 {{"x_q", x}, {"ln_post_gamma", {6}}, {"ln2_post_gamma", {6}}}),
      multi_head("norms on both sides, attention alone", {{"block", std::string("sandwich_norm")}},
                 {{"x_q", x}, {"ln_post_gamma", {6}}, {"ln_post_beta", {6}}}),
  };
}

std::vector<Sketch> other_sequences() {
  const auto additive = [](std::string name, std::map<std::string, Shape> drawn,
                           std::map<std::string, Tensor> arrays = {}) {
    return Sketch{
        "additive: " + std::move(name), "additive", {{"hidden", Index{3}}}, std::move(drawn), std::move(arrays)};
  };
  const std::string key_content = "key_content_only";
  return {
      additive("self", {{"x_q", {2, 4, 5}}}),
      additive("one pair", {{"x_q", {1, 1, 1}}}),
      additive("cross, all widths apart", {{"x_q", {2, 3, 5}}, {"x_k", {2, 4, 2}}, {"x_v", {2, 4, 6}}}),
      additive("keys apart", {{"x_q", {1, 3, 5}}, {"x_k", {1, 4, 2}}}),
      additive("values apart", {{"x_q", {1, 3, 5}}, {"x_v", {1, 3, 2}}}),
      additive("valid lengths", {{"x_q", {2, 3, 5}}, {"x_k", {2, 4, 2}}}, {{"valid_lens", numbers({2}, {2, 0})}}),
      additive("valid lengths by query", {{"x_q", {1, 3, 5}}}, {{"valid_lens", numbers({1, 3}, {3, 0, 1})}}),
      {"key_content_only: two heads", key_content, {{"heads", Index{2}}, {"d_head", Index{3}}}, {{"x", {2, 4, 5}}}, {}},
      {"key_content_only: one of everything",
       key_content,
       {{"heads", Index{1}}, {"d_head", Index{1}}},
       {{"x", {1, 1, 1}}},
       {}},
      {"key_content_only: norm given",
       key_content,
       {{"heads", Index{3}}, {"d_head", Index{2}}},
       {{"x", {1, 3, 4}}, {"ln_gamma", {4}}, {"ln_beta", {4}}},
       {}},
  };
}

Sketch non_local(std::string name, std::map<std::string, ParamValue> params, Shape x,
                 std::map<std::string, Shape> given = {}) {
  given.emplace("x", std::move(x));
  return {"non_local: " + std::move(name), "non_local", std::move(params), std::move(given), {}};
}

std::vector<Sketch> non_local_blocks() {
  const std::string gaussian = "gaussian", dot_product = "dot_product", concatenation = "concatenation";
  const Index signal = 1, video = 3;
  const Shape picture{2, 4, 3, 5};
  const std::map<std::string, Shape> biases{{"b_theta", {2}}, {"b_phi", {2}}, {"b_g", {2}}, {"b_z", {4}}};
  const std::map<std::string, Shape> norms{{"bn_gamma", {4}}, {"bn_beta", {4}}, {"bn_mean", {4}}};
  return {
      non_local("picture", {{"batch_norm", false}}, picture),
      non_local("picture, normed", {}, picture, norms),
      non_local("picture, pooled, normed, biases", {{"sub_sample", true}, {"bias", true}}, picture, norms),
      non_local("picture, pooled", {{"sub_sample", true}, {"batch_norm", false}}, {1, 3, 4, 4}),
      non_local("one pixel, one channel", {}, {1, 1, 1, 1}),
      non_local("signal", {{"dimension", signal}, {"inter_channels", Index{3}}}, {2, 4, 6}, {{"b_g", {3}}}),
      non_local("signal, pooled", {{"dimension", signal}, {"sub_sample", true}}, {2, 4, 7}),
      non_local("video", {{"dimension", video}, {"batch_norm", false}}, {2, 4, 3, 2, 3}, biases),
      non_local("video, pooled", {{"dimension", video}, {"sub_sample", true}}, {1, 4, 3, 4, 5}),
      non_local("gaussian", {{"mode", gaussian}}, picture),
      non_local("gaussian, pooled", {{"mode", gaussian}, {"sub_sample", true}, {"bias", true}}, picture),
      non_local("dot product", {{"mode", dot_product}}, picture, biases),
      non_local("dot product, pooled", {{"mode", dot_product}, {"sub_sample", true}}, picture),
      non_local("concatenation", {{"mode", concatenation}, {"bias", true}}, picture),
      non_local("concatenation, pooled", {{"mode", concatenation}, {"sub_sample", true}}, picture),
  };
}

// Two heads of four channels; `params` come on top.
Sketch stand_alone_2d(std::string name, std::map<std::string, ParamValue> params, Shape x,
                      std::map<std::string, Shape> given = {}) {
  params.emplace("heads", Index{2});
  params.emplace("mid_channels", Index{4});
  given.emplace("x", std::move(x));
  return {"stand_alone_2d: " + std::move(name), "stand_alone_2d", std::move(params), std::move(given), {}};
}

std::vector<Sketch> stand_alone_pictures() {
  const std::string zero = "zero", d_head = "sqrt_d_head", none = "none";
  const Index three = 3, five = 5;
  const Shape rectangle{2, 3, 3, 4};
  const std::map<std::string, Shape> biases{{"b_q", {2, 4}}, {"b_v", {2, 4}}, {"b_o", {3}}};
  return {
      stand_alone_2d("square", {}, {2, 3, 3, 3}),
      stand_alone_2d("rectangle, tables larger than needed", {{"max_position", Index{6}}}, rectangle),
      stand_alone_2d("tables given, other output", {{"out_channels", five}}, rectangle,
                     {{"row_embedding", {9, 2}}, {"col_embedding", {9, 2}}}),
      stand_alone_2d("width of a head, biases", {{"normalizer", d_head}, {"bias", true}}, {1, 2, 4, 2}),
      stand_alone_2d("not divided", {{"normalizer", none}, {"bias", true}}, rectangle),
      stand_alone_2d("window, not divided", {{"extent", three}, {"normalizer", none}}, rectangle),
      stand_alone_2d("some biases given", {}, rectangle, biases),
      stand_alone_2d("content and position out of balance", {{"content", 0.5}, {"position", 1.75}}, rectangle),
      stand_alone_2d("one pixel", {{"mid_channels", Index{2}}, {"heads", Index{1}}}, {1, 1, 1, 1}),
      stand_alone_2d("window", {{"extent", three}, {"bias", true}}, rectangle),
      stand_alone_2d("window, width of a head", {{"extent", three}, {"normalizer", d_head}}, rectangle),
      stand_alone_2d("window, zeros outside", {{"extent", three}, {"padding", zero}}, rectangle, biases),
      stand_alone_2d("window larger than the picture", {{"extent", five}}, rectangle),
      stand_alone_2d("window larger than the picture, zeros outside", {{"extent", five}, {"padding", zero}},
                     {1, 2, 2, 6}),
      stand_alone_2d("window of one pixel", {{"extent", Index{1}}, {"padding", zero}}, rectangle),
      stand_alone_2d("window round one pixel", {{"extent", three}, {"max_position", Index{4}}}, {1, 2, 1, 1}),
  };
}

Sketch memory_block(std::string name, std::map<std::string, ParamValue> params, Shape x) {
  params.emplace("heads", Index{2});
  params.emplace("d_head", Index{3});
  return {"memory_block: " + std::move(name), "memory_block", std::move(params), {{"x", std::move(x)}}, {}};
}

std::vector<Sketch> memory_blocks() {
  const std::string masked = "masked", none = "none";
  const Index five = 5, one = 1;
  const Shape x{2, 3, 3, 4};
  return {
      memory_block("zeros outside", {}, x),
      memory_block("masked outside", {{"padding", masked}}, x),
      memory_block("larger than the picture", {{"extent", five}}, {1, 2, 2, 6}),
      memory_block("larger than the picture, masked", {{"extent", five}, {"padding", masked}}, {1, 2, 6, 2}),
      memory_block("not divided", {{"normalizer", none}}, x),
      memory_block("not divided, masked outside", {{"normalizer", none}, {"padding", masked}}, x),
      memory_block("one pixel of one channel", {{"heads", one}, {"d_head", one}}, {1, 1, 1, 1}),
      memory_block("a window of one pixel, masked", {{"extent", one}, {"padding", masked}}, x),
  };
}

std::vector<Sketch> given_maps() {
  const std::string softmax = "softmax", rows = "rows";
  constexpr float hidden = -std::numeric_limits<float>::infinity();
  const Tensor weights =
      Tensor::from({1, 2, 2, 3}, std::vector<float>{1, 0, 0, 0.5F, 0.25F, 0.25F, 0, 0, 0, 0.5F, 0, 0.5F});
  const Tensor scores = Tensor::from({1, 1, 2, 2}, std::vector<float>{1, hidden, hidden, hidden});
  return {{"given: weights", "given", {}, {}, {{"weights", weights}}},
          {"given: no weights", "given", {}, {{"weights", {1, 2, 3, 3}}}, {}},
          {"given: two layers",
           "given",
           {},
           {{"layer1/weights", {2, 2, 3, 4}}},
           {{"layer0/weights", drawn({2, 2, 3, 4}, 7)}}},
          {"given: layers of scores",
           "given",
           {{"normalize", softmax}},
           {{"layer0/weights", {2, 1, 3, 4}}, {"layer1/weights", {2, 1, 3, 4}}},
           {}},
          {"given: hidden scores", "given", {{"normalize", softmax}}, {}, {{"weights", scores}}},
          {"given: rows to 1", "given", {{"normalize", rows}}, {}, {{"weights", weights}}}};
}

}  // namespace

std::vector<Sketch> all_sketches() {
  std::vector<Sketch> all;
  for (auto* list :
       {multi_head_attention, shared_heads, multi_head_blocks, without_softmax, multiplicative, without_queries_of_keys,
        other_sequences, non_local_blocks, stand_alone_pictures, windows_of_pictures, memory_blocks, given_maps})
    for (auto& sketch : list()) all.push_back(std::move(sketch));
  return all;
}

}  // namespace headlight::test
