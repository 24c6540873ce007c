// Layers of state dicts: what names mean, what is cut and transposed, what is said and refused. Numbers of a run are
// held to PyTorch's by tests/reference/make_state_dict.py.
#include "engine/layouts/layouts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/run/state_dict.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

// A file that holds what it is told to: numbers count up from 0 in each array.
class Held final : public ArraySource {
 public:
  explicit Held(std::vector<std::pair<std::string, Shape>> arrays, std::string dtype = "float32",
                const std::string& within = "") {
    within_ = within;
    files_ = {"mine.safetensors"};
    for (auto& [name, shape] : arrays) entries_.push_back({name, shape, dtype});
  }
  Result<NamedArray> read(std::size_t entry) const override {
    Tensor values(entries_[entry].shape);
    for (Index i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    return NamedArray{entries_[entry].name, std::move(values), entries_[entry].dtype, false};
  }
};

using Arrays = std::vector<std::pair<std::string, Shape>>;

Arrays attention(const std::string& before) {
  return {{before + "in_proj_weight", {12, 4}},
          {before + "in_proj_bias", {12}},
          {before + "out_proj.weight", {4, 4}},
          {before + "out_proj.bias", {4}}};
}

Arrays encoder(const std::string& before) {
  Arrays arrays = attention(before + "self_attn.");
  for (const char* norm : {"norm1", "norm2"}) {
    arrays.push_back({before + norm + ".weight", {4}});
    arrays.push_back({before + norm + ".bias", {4}});
  }
  arrays.push_back({before + "linear1.weight", {6, 4}});
  arrays.push_back({before + "linear1.bias", {6}});
  arrays.push_back({before + "linear2.weight", {4, 6}});
  arrays.push_back({before + "linear2.bias", {4}});
  return arrays;
}

Arrays operator+(Arrays a, const Arrays& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

LayerOfStateDict layer(const Arrays& arrays, const WeightsSpec& asked, Index heads = 2) {
  auto found = layer_of(Held(arrays), asked, heads, "mine.safetensors");
  if (found) note_assumed(*found, "mine.safetensors");
  if (!found) FAIL(found.error().message);
  return std::move(*found);
}

bool says(const LayerOfStateDict& found, const char* id, const ParamValue& value) {
  return std::ranges::find(found.params, std::pair(std::string(id), value)) != found.params.end();
}

std::string why_not(const Held& held, const WeightsSpec& asked, Index heads = 2) {
  const auto found = layer_of(held, asked, heads, "mine.safetensors");
  return found ? "no error" : found.error().message;
}

}  // namespace

TEST_CASE("a torch attention is cut into queries, keys and values and those into heads") {
  const auto found = layer(attention(""), {});
  const Tensor& w_k = *found.arrays.at("w_k");  // rows 4 to 7 of (12, 4)
  CHECK(w_k.shape() == Shape{2, 4, 2});
  CHECK(w_k.at({0, 0, 0}) == 16);  // row 4, column 0
  CHECK(w_k.at({0, 3, 1}) == 23);  // row 5, column 3
  CHECK(w_k.at({1, 1, 0}) == 25);  // row 6, column 1
  CHECK(found.arrays.at("b_v")->at({1, 1}) == 11);
  CHECK(found.arrays.at("w_o")->at({1, 2}) == 9);  // transposed
  CHECK(found.notices.front() == "torch.MultiheadAttention from mine.safetensors: 4 arrays used, 0 not");
}

TEST_CASE("GPT-2's matrices are not transposed, and their columns are cut") {
  const Arrays arrays{{"transformer.h.0.attn.c_attn.weight", {4, 12}},
                      {"transformer.h.0.attn.c_attn.bias", {12}},
                      {"transformer.h.0.attn.c_proj.weight", {4, 4}},
                      {"transformer.h.0.ln_1.weight", {4}},
                      {"transformer.h.0.ln_1.bias", {4}},
                      {"transformer.h.0.ln_2.weight", {4}},
                      {"transformer.h.0.ln_2.bias", {4}},
                      {"transformer.h.0.mlp.c_fc.weight", {4, 8}},
                      {"transformer.h.0.mlp.c_proj.weight", {8, 4}},
                      {"transformer.h.0.attn.bias", {1, 1, 4, 4}},
                      {"transformer.wte.weight", {9, 4}}};
  const auto found = layer(arrays, {});
  CHECK(found.arrays.at("w_k")->at({1, 2, 1}) == 2 * 12 + 4 + 3);  // row 2, the last column of the keys
  CHECK(found.arrays.at("w_o")->at({1, 2}) == 6);
  CHECK(found.arrays.at("w_1")->shape() == Shape{4, 8});
  CHECK_FALSE(found.arrays.contains("b_o"));
  CHECK(found.notices.front() == "gpt2 layer 0 of 1 from mine.safetensors: 9 arrays used, 2 not (wte)");
}

TEST_CASE("the layout that uses the most arrays wins, and layers are counted") {
  const Arrays stack = encoder("encoder.layers.0.") + encoder("encoder.layers.1.") + Arrays{{"head.weight", {3, 4}}};
  auto found = layer(stack, {.layer = 1});
  CHECK(
      found.notices[0] ==
      "torch.TransformerEncoderLayer layer 1 of 2 from mine.safetensors: 12 arrays used, 13 not (other layers, head)");
  CHECK(found.arrays.at("w_1")->shape() == Shape{4, 6});
  CHECK(found.arrays.contains("ln2_gamma"));
  found = layer(stack, {.layout = "torch.MultiheadAttention", .prefix = "encoder.layers.1.self_attn."});
  CHECK(found.notices[0].starts_with("torch.MultiheadAttention from mine.safetensors: 4 arrays used"));
  CHECK(why_not(Held(stack), {.layer = 2}) ==
        "mine.safetensors: torch.TransformerEncoderLayer has no layer 2: it has 0 to 1");
  CHECK(layouts_of(Held(stack)).front() == "torch.TransformerEncoderLayer: 2 layers at \"encoder.\"");
}

TEST_CASE("names that several layouts have are told apart by what stands round them, and by the model's type") {
  const Arrays stack = encoder("transformer.encoder.layers.0.");
  CHECK(layer(stack, {}).layout == "torch.TransformerEncoderLayer");
  for (const char* told : {"query_embed.weight", "model.class_embed.weight"})
    CHECK(layer(stack + Arrays{{told, {7, 4}}}, {}).layout == "detr");
  CHECK(layer(stack + Arrays{{"my_query_embed.weight", {7, 4}}}, {}).layout == "torch.TransformerEncoderLayer");
  // Said where nothing tells: other models have the library's names, too.
  CHECK(layer(stack, {.layout = "detr"}).notices.at(1).find("BART, OPT, Whisper") != std::string::npos);
  // A decoder's layer has all names of an encoder's.
  const Arrays decoder = encoder("layers.0.") + attention("layers.0.multihead_attn.") +
                         Arrays{{"layers.0.norm3.weight", {4}}, {"layers.0.norm3.bias", {4}}};
  CHECK(layer(decoder, {}).notices.front().starts_with("torch.TransformerDecoderLayer cross layer 0 of 1"));
  CHECK(layer(decoder, {.attention = "self"}).arrays.contains("w_1") == false);
  LayerSizes sizes(2);
  sizes.model_type = "detr";
  const auto by_type = layer_of(Held(stack), {}, sizes, "mine.safetensors");
  CHECK(by_type->layout == "detr");
  for (const std::string& notice : by_type->notices) CHECK(notice.find("nothing else in it tells") == notice.npos);
  // Of layouts that read the same arrays one is listed, where something tells which.
  const auto listed = [&](const Arrays& arrays, const char* type) {
    std::vector<std::string> ids;
    for (const LayersInFile& one : layers_of_config(Held(arrays), {.layout = type}))
      if (one.layout != "torch.MultiheadAttention") ids.push_back(one.layout);
    return ids;
  };
  using Ids = std::vector<std::string>;
  CHECK(listed(stack, "") == Ids{"torch.TransformerEncoderLayer", "detr", "torch.TransformerDecoderLayer"});
  CHECK(listed(stack, "detr") == Ids{"detr"});
  CHECK(listed(stack + Arrays{{"query_embed.weight", {7, 4}}}, "") == Ids{"detr"});
}

TEST_CASE("layers under OpenAI's names for CLIP are told apart by what stands round them, or by what is asked for") {
  const auto tower = [](const std::string& before) {
    const std::string at = before + "transformer.resblocks.0.";
    Arrays arrays = attention(at + "attn.");
    for (const char* norm : {"ln_1", "ln_2"})
      arrays = arrays + Arrays{{at + norm + ".weight", {4}}, {at + norm + ".bias", {4}}};
    return arrays + Arrays{{at + "mlp.c_fc.weight", {6, 4}}, {at + "mlp.c_proj.weight", {4, 6}}};
  };
  const Arrays whole =
      tower("visual.") + tower("") + Arrays{{"visual.conv1.weight", {4, 3, 2, 2}}, {"token_embedding.weight", {9, 4}}};
  const auto reads = [](const Arrays& arrays, const WeightsSpec& asked, const std::string& stack) {
    const auto found = layer(arrays, asked);
    const bool causal = says(found, "mask", "causal");
    return found.stack == stack && causal == (stack == "text");
  };
  const auto titles = layouts_of(Held(whole));
  CHECK((titles[0] == "clip vision: 1 layer at \"visual.\"" && titles[1] == "clip text: 1 layer"));
  CHECK(reads(whole, {.stack = "text"}, "text"));
  CHECK(reads(whole, {.stack = "vision"}, "vision"));
  CHECK(reads(whole, {.prefix = "visual."}, "vision"));
  CHECK(reads(tower("") + Arrays{{"conv1.weight", {4, 3, 2, 2}}}, {}, "vision"));
  CHECK(reads(tower("") + Arrays{{"text_projection", {4, 4}}}, {}, "text"));
  CHECK(layer(whole, {}).notices.back() ==
        "mine.safetensors: there is also clip text: say \"stack\" and \"attention\"");
  CHECK(why_not(Held(tower("")), {}) ==
        "mine.safetensors: nothing in it tells whether its layers are those of clip vision or of clip text: set "
        "weights.stack");
  CHECK(reads(tower(""), {.stack = "vision"}, "vision"));
}

TEST_CASE("a layer of timm's vision transformers opens, and one with parts of its own is refused by their names") {
  const Arrays block{{"blocks.0.attn.qkv.weight", {12, 4}},
                     {"blocks.0.attn.qkv.bias", {12}},
                     {"blocks.0.attn.proj.weight", {4, 4}},
                     {"blocks.0.attn.proj.bias", {4}},
                     {"blocks.0.mlp.fc1.weight", {8, 4}},
                     {"blocks.0.mlp.fc2.weight", {4, 8}},
                     {"blocks.0.norm1.weight", {4}},
                     {"blocks.0.norm1.bias", {4}},
                     {"blocks.0.norm2.weight", {4}},
                     {"blocks.0.norm2.bias", {4}},
                     {"cls_token", {1, 1, 4}},
                     {"head.weight", {3, 4}}};
  const auto found = layer(block, {});
  CHECK(found.notices.front() ==
        "timm.vit layer 0 of 1 from mine.safetensors: 10 arrays used, 2 not (cls_token, head)");
  CHECK(found.arrays.at("w_k")->at({1, 1, 0}) == 25);  // row 6, column 1 of (12, 4)
  for (const char* own : {"attn.q_norm.weight", "attn.relative_position_bias_table"})
    CHECK(why_not(Held(block + Arrays{{"blocks.0." + std::string(own), {4}}}), {}).find(own) != std::string::npos);
}

TEST_CASE("what data parallel and compiled modules put before names is dropped") {
  CHECK(layer(attention("module._orig_mod."), {}).arrays.size() == 8);
}

TEST_CASE("old files call their norms gamma and beta") {
  Arrays arrays = encoder("");
  for (auto& [name, shape] : arrays) {
    if (name == "norm1.weight") name = "norm1.gamma";
    if (name == "norm1.bias") name = "norm1.beta";
  }
  CHECK(layer(arrays, {}).arrays.contains("ln_gamma"));
}

TEST_CASE("what the file cannot say is assumed aloud, and a config's heads are not guessed") {
  const auto found = layer(encoder(""), {});
  CHECK(found.notices.back() ==
        "mine.safetensors: assumed, since the file does not say it: block post_norm, ffn_activation relu, norm_epsilon "
        "1e-05");
  CHECK(why_not(Held(attention("")), {}, 0) ==
        "mine.safetensors: a torch.MultiheadAttention of width 4 does not say how many heads it has: set params.heads");
}

TEST_CASE("a layer that memory has no room for is refused before it is read") {
  Arrays arrays = encoder("");
  for (auto& [name, shape] : arrays)
    if (name == "linear1.weight") shape = {Index{1} << 22, Index{1} << 20};
  const std::string said = why_not(Held(arrays), {});
  CHECK(said.starts_with("mine.safetensors: needs about 32"));  // TiB: it is laid out beside what was read
  CHECK(said.find("of memory and") != std::string::npos);
}

TEST_CASE("the prefix of a layer may begin with the key of the dict that it is in") {
  const Held held(attention("net."), "float32", "gen");
  for (const char* prefix : {"gen", "gen.", "gen.net", "gen.net."}) {
    INFO(prefix);
    CHECK(layer_of(held, {.prefix = prefix}, 2, "mine.pt"));
  }
  CHECK(why_not(held, {.prefix = "gen.other."}).find("it has torch.MultiheadAttention at \"gen.net.\"") !=
        std::string::npos);
}

TEST_CASE("state dicts that give no layer are refused") {
  CHECK(why_not(Held(attention("")), {.layout = "bert"}) ==
        "mine.safetensors: layout bert needs …attention.self.query.weight, which is not there; its names fit "
        "torch.MultiheadAttention");
  CHECK(why_not(Held(attention("")), {.layout = "brt"})
            .starts_with("weights.layout is \"brt\": it must be one of torch."));
  CHECK(why_not(Held({{"x", {2, 2}}}), {}).find("fit no layout that is known") != std::string::npos);
  CHECK(why_not(Held({{"x", {2, 2}}}), {}).ends_with("which array is which by weights.names; it holds x (2, 2)"));
  CHECK(why_not(Held(attention("")), {}, 3) ==
        "mine.safetensors: in_proj_weight has 4 rows for 3 heads: heads must divide them");
  CHECK(why_not(Held(attention(""), "int8"), {}) ==
        "mine.safetensors: in_proj_weight is of type int8: weights are floats");
  CHECK(why_not(Held(attention("") + Arrays{{"bias_k", {1, 1, 4}}}), {}).find("bias_k") != std::string::npos);
  // A layer but for an array is told by it, also where another attention is whole beside it.
  const auto without = [](Arrays arrays, const std::string& name) {
    std::erase_if(arrays, [&](const auto& array) { return array.first == name; });
    return Held(std::move(arrays));
  };
  CHECK(why_not(without(encoder("layers.0."), "layers.0.norm2.weight"), {.layout = "torch.TransformerEncoderLayer"}) ==
        "mine.safetensors: layers.0.norm2.weight is missing");
  CHECK(why_not(without(attention(""), "out_proj.weight"), {}) ==
        "mine.safetensors: its names are those of torch.MultiheadAttention, but out_proj.weight is missing");
  LayerSizes sizes(2);
  for (const auto& [layers, lacking] : {std::pair(1, ""), std::pair(2, "a.layers.1.linear2.weight")}) {
    sizes.layers = layers;
    const auto stack = layer_of(without(encoder("a.layers.0.") + encoder("a.layers.1."), "a.layers.1.linear2.weight"),
                                {.layout = "torch.TransformerEncoderLayer"}, sizes, "mine.safetensors");
    REQUIRE(stack);
    CHECK((stack->layers == 1 && stack->lacking == lacking));
  }
  CHECK(why_not(Held(attention("a.")), {.prefix = "b."}) ==
        "mine.safetensors: no layer of that stack, attention or prefix is there: it has torch.MultiheadAttention at "
        "\"a.\"");
}

TEST_CASE("what the layers of a file have in common is found once for all of them") {
  const Held held(encoder("a.layers.0.") + encoder("a.layers.1.") + encoder("a.layers.2."));
  const auto fits = fits_of_file(held);
  for (const Index number : {0, 1, 2}) {
    const auto alone = layer_of(held, {.layer = number}, 2, "mine"),
               one = layer_of(held, *fits, {.layer = number}, 2, "mine");
    REQUIRE((alone && one));
    CHECK((one->number == number && one->layers == 3 && one->notices == alone->notices));
    CHECK(one->arrays.size() == alone->arrays.size());
  }
  CHECK_FALSE(layer_of(held, *fits, {.layer = 3}, 2, "mine"));
}

namespace {

// A layer of LLaMA's names, width 4: two heads of queries, one of keys and values, three hidden numbers.
Arrays llama(const std::string& before) {
  return {{before + "self_attn.q_proj.weight", {4, 4}},     {before + "self_attn.k_proj.weight", {2, 4}},
          {before + "self_attn.v_proj.weight", {2, 4}},     {before + "self_attn.o_proj.weight", {4, 4}},
          {before + "mlp.gate_proj.weight", {3, 4}},        {before + "mlp.up_proj.weight", {3, 4}},
          {before + "mlp.down_proj.weight", {4, 3}},        {before + "input_layernorm.weight", {4}},
          {before + "post_attention_layernorm.weight", {4}}};
}

}  // namespace

TEST_CASE("what is built like LLaMA is told by the norms that it has") {
  const std::string at = "model.layers.0.";
  const Arrays qk{{at + "self_attn.q_norm.weight", {2}}, {at + "self_attn.k_norm.weight", {2}}};
  const Arrays round{{at + "pre_feedforward_layernorm.weight", {4}}, {at + "post_feedforward_layernorm.weight", {4}}};
  CHECK(layer(llama(at), {}).layout == "llama");
  const auto qwen3 = layer(llama(at) + qk, {});
  CHECK(qwen3.layout == "qwen3");
  CHECK(says(qwen3, "qk_norm", "rms_norm"));
  CHECK(qwen3.arrays.at("q_gamma")->at({1}) == 1);
  const auto gemma2 = layer(llama(at) + round, {});
  CHECK(gemma2.layout == "gemma2");
  CHECK(gemma2.arrays.at("ln_gamma")->at({2}) == 3);  // 1 + 2
  CHECK(gemma2.arrays.contains("ln_post_gamma"));
  CHECK(layer(llama(at) + round + qk, {}).layout == "gemma3");
  LayerSizes sizes(2);
  sizes.model_type = "gemma";
  CHECK(layer_of(Held(llama(at)), {}, sizes, "mine")->arrays.at("ln_gamma")->at({2}) == 3);
}

TEST_CASE("rows of queries, keys and values are parted by how many heads each has, and a gate from what it gates") {
  const std::string at = "model.layers.0.";
  const auto found = layer({{at + "self_attn.qkv_proj.weight", {8, 4}},  // two heads of two, and one of keys, of values
                            {at + "self_attn.o_proj.weight", {4, 4}},
                            {at + "mlp.gate_up_proj.weight", {6, 4}},
                            {at + "mlp.down_proj.weight", {4, 3}},
                            {at + "input_layernorm.weight", {4}},
                            {at + "post_attention_layernorm.weight", {4}}},
                           {});
  CHECK(found.layout == "phi3");
  CHECK(found.arrays.at("w_q")->shape() == Shape{2, 4, 2});
  CHECK(found.arrays.at("w_k")->shape() == Shape{1, 4, 2});
  CHECK(found.arrays.at("w_k")->at({0, 1, 0}) == 4 * 4 + 1);  // row 4
  CHECK(found.arrays.at("w_v")->at({0, 0, 1}) == 7 * 4);      // row 7
  CHECK(found.arrays.at("w_1")->at({2, 1}) == 1 * 4 + 2);
  CHECK(found.arrays.at("w_3")->at({2, 1}) == 4 * 4 + 2);  // row 1 of the last half
}

TEST_CASE("GPT-2's names are told apart by how the matrices are held, and norms may have no bias") {
  const auto names = [](Shape fused) {
    return Arrays{{"h.0.attn.c_attn.weight", std::move(fused)},
                  {"h.0.attn.c_proj.weight", {4, 4}},
                  {"h.0.ln_1.weight", {4}},
                  {"h.0.ln_2.weight", {4}},
                  {"h.0.mlp.c_fc.weight", {8, 4}},
                  {"h.0.mlp.c_proj.weight", {4, 8}}};
  };
  const auto found = layer(names({12, 4}), {});
  CHECK(found.layout == "nanogpt");
  CHECK(found.arrays.at("w_k")->at({1, 2, 1}) == 7 * 4 + 2);  // row 7
  CHECK(found.arrays.at("ln_beta")->at({3}) == 0);
  CHECK(why_not(Held(names({12, 4})), {.layout = "gpt2"}) ==
        "mine.safetensors: …attn.c_attn.weight is not held as gpt2 has it: gpt2 has (in, out), nanogpt (out, in)");
}

TEST_CASE("heads that stand apart are taken as they are, and say how many there are") {
  const auto found = layer({{"blocks.0.attn.W_Q", {2, 4, 3}},
                            {"blocks.0.attn.W_K", {2, 4, 3}},
                            {"blocks.0.attn.W_V", {2, 4, 3}},
                            {"blocks.0.attn.W_O", {2, 3, 4}},
                            {"blocks.0.mlp.W_in", {4, 5}},
                            {"blocks.0.mlp.W_out", {5, 4}},
                            {"blocks.0.attn.mask", {9, 9}}},
                           {}, 0);
  CHECK(found.layout == "transformer_lens");
  CHECK(found.heads == 2);
  CHECK(found.arrays.at("w_q")->at({1, 2, 1}) == 12 + 2 * 3 + 1);
  CHECK(found.arrays.at("w_o")->shape() == Shape{6, 4});
  CHECK(found.arrays.at("ln2_gamma")->at({0}) == 1);  // folded into what follows
}

TEST_CASE("a scale of channels multiplies what attention and feed-forward hand on") {
  Arrays arrays;
  const std::string at = "encoder.layer.0.";
  for (const char* name : {"attention.attention.query", "attention.attention.key", "attention.attention.value",
                           "attention.output.dense", "mlp.fc1", "mlp.fc2"}) {
    arrays.push_back({at + name + ".weight", {4, 4}});
    arrays.push_back({at + name + ".bias", {4}});
  }
  for (const char* name : {"norm1", "norm2"})
    arrays = arrays + Arrays{{at + name + ".weight", {4}}, {at + name + ".bias", {4}}};
  arrays = arrays + Arrays{{at + "layer_scale1.lambda1", {4}}, {at + "layer_scale2.lambda1", {4}}};
  const auto found = layer(arrays, {});
  CHECK(found.layout == "dinov2");
  CHECK(found.arrays.at("w_o")->at({1, 3}) == (3 * 4 + 1) * 3);  // transposed, times λ of channel 3
  CHECK(found.arrays.at("b_2")->at({2}) == 4);
  CHECK_FALSE(found.arrays.contains("scale_o"));
}

TEST_CASE("layers in windows are of swin, counted through all stages, with what stands round them beside") {
  Arrays arrays;
  for (const auto& [at, width, heads] :
       {std::tuple{"layers.0.blocks.0.", Index{4}, Index{2}}, std::tuple{"layers.0.blocks.1.", Index{4}, Index{2}},
        std::tuple{"layers.1.blocks.0.", Index{8}, Index{4}}}) {
    for (const auto& [name, out, in] :
         {std::tuple{"attn.qkv", 3 * width, width}, std::tuple{"attn.proj", width, width},
          std::tuple{"mlp.fc1", 2 * width, width}, std::tuple{"mlp.fc2", width, 2 * width}})
      arrays =
          arrays + Arrays{{at + std::string(name) + ".weight", {out, in}}, {at + std::string(name) + ".bias", {out}}};
    for (const char* name : {"norm1", "norm2"})
      arrays =
          arrays + Arrays{{at + std::string(name) + ".weight", {width}}, {at + std::string(name) + ".bias", {width}}};
    arrays.push_back({at + std::string("attn.relative_position_bias_table"), {9, heads}});
  }
  const auto open = [&](Index layer, const char* variant) {
    LayerSizes sizes;
    sizes.variant = variant;
    return layer_of(Held(arrays), {.layer = layer}, sizes, "mine.safetensors");
  };
  const auto param = [](const LayerOfStateDict& layer, std::string_view id) {
    const auto found = std::ranges::find(layer.params, id, [](const auto& one) { return one.first; });
    return found == layer.params.end() ? ParamValue() : found->second;
  };
  const auto second = open(1, "swin"), third = open(2, "swin");
  REQUIRE((second && third));
  CHECK(second->layout == "timm.swin");
  CHECK(second->layers == 3);
  CHECK(second->heads == 2);  // of the table
  CHECK(param(*second, "window") == ParamValue(Index{2}));
  CHECK(param(*second, "shift") == ParamValue(Index{1}));
  CHECK(param(*third, "shift") == ParamValue(Index{0}));  // the first of its stage
  CHECK(third->arrays.at("w_q")->shape() == Shape{4, 8, 2});
  CHECK_FALSE(third->arrays.contains("ln_gamma"));
  CHECK((third->beside.contains("ln_gamma") && third->beside.contains("w_1") && third->beside.contains("b_2")));
  CHECK(layers_in(Held(arrays)).size() == 1);  // and no word of timm.vit, whose names are among these
  CHECK(open(3, "swin").error().message == "mine.safetensors: timm.swin has no layer 3: it has 0 to 2");
  CHECK(open(0, "multi_head").error().message ==
        "mine.safetensors: its layers are of variant \"swin\" (timm.swin), and this experiment is of \"multi_head\"");
  for (auto& array : arrays)
    if (array.first.ends_with("table")) array.second = {10, 2};
  CHECK(open(0, "swin").error().message ==
        "mine.safetensors: relative_position_bias_table has 10 rows: windows of w × w have (2w − 1)²");
}

TEST_CASE("a non-local block of convolutions opens as what it is, pooled or not") {
  const auto open = [](const Arrays& arrays) {
    LayerSizes sizes;
    sizes.variant = "non_local";
    auto found = layer_of(Held(arrays), {}, sizes, "mine.pt");
    if (!found) FAIL(found.error().message);
    return std::move(*found);
  };
  const auto param = [](const LayerOfStateDict& layer, std::string_view id) {
    return std::ranges::find(layer.params, id, [](const auto& one) { return one.first; })->second;
  };
  Arrays arrays{{"nl.theta.weight", {2, 4, 1, 1}}, {"nl.phi.weight", {2, 4, 1, 1}}, {"nl.g.weight", {2, 4, 1, 1}},
                {"nl.W.weight", {4, 2, 1, 1}},     {"nl.theta.bias", {2}},          {"nl.W.bias", {4}}};
  const auto plain = open(arrays);
  CHECK(plain.layout == "non_local");
  CHECK(plain.heads == 0);
  CHECK(plain.arrays.at("w_theta")->shape() == Shape{2, 4});
  CHECK(plain.arrays.at("w_z")->at({1, 1}) == 3);
  CHECK(plain.arrays.contains("b_theta"));
  CHECK(param(plain, "dimension") == ParamValue(Index{2}));
  CHECK(param(plain, "batch_norm") == ParamValue(false));
  CHECK(param(plain, "sub_sample") == ParamValue(false));
  CHECK(plain.assumed == std::vector<std::string>{"sub_sample", "mode"});
  // Pooled, normalised, in three dimensions.
  arrays = {{"theta.weight", {2, 4, 1, 1, 1}},
            {"phi.0.weight", {2, 4, 1, 1, 1}},
            {"g.0.weight", {2, 4, 1, 1, 1}},
            {"W.0.weight", {4, 2, 1, 1, 1}},
            {"W.1.weight", {4}},
            {"W.1.bias", {4}},
            {"W.1.running_mean", {4}},
            {"W.1.running_var", {4}},
            {"W.1.num_batches_tracked", {}}};
  const auto pooled = open(arrays);
  CHECK(param(pooled, "dimension") == ParamValue(Index{3}));
  CHECK(param(pooled, "batch_norm") == ParamValue(true));
  CHECK(param(pooled, "sub_sample") == ParamValue(true));
  CHECK(pooled.arrays.at("bn_var")->shape() == Shape{4});
  arrays = {{"conv_theta.weight", {2, 4, 1}},
            {"conv_phi.weight", {2, 4, 1}},
            {"conv_g.weight", {2, 4, 1}},
            {"conv_out.weight", {4, 2, 1}}};
  CHECK(param(open(arrays), "dimension") == ParamValue(Index{1}));
}

TEST_CASE("what of a layer nobody uses is named, and refused where it acts on attention") {
  const std::string at = "layers.0.";
  CHECK(layer(llama(at) + Arrays{{at + "self_attn.k_scale", {1}}}, {}).notices.front() ==
        "llama layer 0 of 1 from mine.safetensors: 9 arrays used, 1 not (layers.0.self_attn.k_scale)");
  const auto refusal = [&](const std::string& name) {
    return why_not(Held(llama(at) + Arrays{{at + name, {4, 4}}}), {.layout = "llama"});
  };
  CHECK(refusal("self_attn.q_proj.lora_A.weight") ==
        "mine.safetensors: layers.0.self_attn.q_proj.lora_A.weight is part of an adapter: add it to the weights first "
        "(merge_and_unload()), and llama has no place for it");
  CHECK(refusal("self_attn.sinks").find("is a sink") != std::string::npos);
  CHECK(refusal("self_attn.q_norm.weight").find("is a norm") != std::string::npos);
  CHECK(refusal("attention.self.distance_embedding.weight").find("(relative_key of BERT)") != std::string::npos);
  for (const char* own : {"self_attn.g_proj.weight", "self_attn.alibi", "self_attn.pos_key_proj.weight"})
    CHECK(refusal(own).ends_with("is a part of its attention, and llama has no place for it"));
  CHECK(refusal("crossattention.c_attn.weight").find("cross-attention before its feed-forward") != std::string::npos);
  CHECK(refusal("mlp.router.weight") == "no error");  // it is named in a note
  CHECK(why_not(Held(attention("attn.") + Arrays{{"attn.logit_scale", {}}}), {}) ==
        "mine.safetensors: attn.logit_scale is a part of its attention, and torch.MultiheadAttention has no place for "
        "it");
  Arrays adapted = llama(at);
  adapted[0].first = at + "self_attn.q_proj.base_layer.weight";
  CHECK(why_not(Held(adapted), {}).find("q_proj.base_layer.weight is part of an adapter (PEFT)") != std::string::npos);
  CHECK(refusal("self_attn.rotary_emb.inv_freq") == "no error");  // says nothing that the layout does not
}

TEST_CASE("arrays by one's own names are cut as they are said to be held") {
  const Held held({{"enc.3.qkv", {4, 12}}, {"enc.3.o", {2, 2, 4}}, {"enc.3.qb", {4}}, {"n", {4}}, {"ids", {4}}});
  OwnNames own;
  for (Index part = 0; part < 3; ++part)
    own.arrays[part == 0 ? "w_q" : part == 1 ? "w_k" : "w_v"] = {"enc.{l}.qkv", "in_out", part, 3};
  own.arrays["w_o"] = {"enc.{l}.o", "heads"};
  own.arrays["b_q"] = {"enc.{l}.qb"};
  own.arrays["ln_gamma"] = {"n"};
  const auto found = layer_of_names(held, own, 3, 2, "mine");
  REQUIRE(found);
  CHECK(found->arrays.at("w_k")->at({1, 2, 0}) == 2 * 12 + 4 + 2);  // row 2, column 2 of the second part
  CHECK(found->arrays.at("w_o")->shape() == Shape{4, 4});
  CHECK(found->arrays.at("b_q")->shape() == Shape{2, 2});
  const auto why = [&](const char* id, const OwnName& name) {
    OwnNames wrong = own;
    wrong.arrays[id] = name;
    const auto made = layer_of_names(held, wrong, 3, 2, "mine");
    return made ? "no error" : made.error().message;
  };
  CHECK(why("w_v", {"enc.{l}.nothing"}) == "weights.names.w_v: enc.3.nothing is not in mine");
  CHECK(why("w_v", {"enc.{l}.qkv", "out_in", 0, 3}) ==
        "weights.names.w_v: enc.3.qkv has 4 outputs, which are no 3 equal parts");
  CHECK(why("ln_gamma", {"n", "heads"}) ==
        "weights.names.ln_gamma: n is no array of heads: held must be out_in or in_out");
  CHECK(layer_of_names(held, own, 3, 0, "mine").error().message ==
        "mine: its names do not say how many heads it has: set params.heads");
}
