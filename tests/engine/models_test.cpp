// Models: every architecture against NumPy's numbers, a layer opened again bit by bit, and what is refused.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/io/file.h"
#include "engine/io/images/png.h"
#include "engine/io/npz.h"
#include "engine/io/safetensors.h"
#include "engine/models/inputs.h"
#include "engine/run/model_run.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "engine/run/step_input.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

namespace fs = std::filesystem;

const fs::path models = fs::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/models";

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

using Measured = std::map<std::string, Tensor>;

// The trace of an experiment, with `measured` its ablation by the names of files.
Result<Trace> try_model(const std::string& json, const fs::path& folder, const LayerRecording& kept,
                        Measured* measured = nullptr) {
  HL_TRY(const ModelExperiment experiment, parse_model_experiment(json, folder, "input.json"));
  HL_TRY(const auto model, StoredModel::open(folder / experiment.model));
  HL_TRY(const ModelInput input, model_input(*model, experiment));
  ThreadPool pool(2);
  ModelRunner runner(*model, input, pool);
  HL_TRY(Trace trace, runner.run(experiment, kept));
  if (!measured) return trace;
  HL_TRY(const auto ablation, ablation_of(runner, trace, experiment.ablate));
  for (const auto& [part, values] : ablation)
    measured->emplace(model->plan().steps_of_part(part) + "measure/ablation", values);
  return trace;
}

// How far numbers are off, as shares of what they may be.
double worst_ratio(const Tensor& got, const Tensor& wanted) {
  if (got.shape() != wanted.shape()) return 1e9;
  double worst = 0;
  for (Index i = 0; i < got.size(); ++i)
    worst = std::max(worst, std::abs(got[i] - static_cast<double>(wanted[i])) / (2e-5 + 1e-4 * std::abs(wanted[i])));
  return worst;
}

std::string refusal(const std::string& inputs, const std::string& folder, const std::string& params) {
  const auto trace =
      try_model(R"({"model": ".", "inputs": )" + inputs + R"(, "params": )" + params + "}", models / folder, {});
  return trace ? "no error" : trace.error().message;
}

// Where the value of a field ends that begins at `at`: of a number, a word or a list.
std::size_t end_of_field(const std::string& config, std::size_t at) {
  const auto value = config.find(": ", at) + 2;
  if (config[value] == '[') return config.find(']', value) + 1;
  return std::min(config.find(",\n", at), config.rfind("\n}"));
}

// The same of a folder whose config has other words.
std::string refusal_with(const std::string& name, const std::string& field, const std::string& to,
                         std::string& said_of_shapes) {
  const Scratch scratch;
  fs::copy(models / name, scratch / "model");
  std::string config = text_of(models / name / "config.json");
  const auto at = config.find('"' + field + '"');
  const std::string put = '"' + field + "\": " + to;
  if (at == std::string::npos)
    config.replace(config.rfind('}'), 1, ", " + put + "}");
  else
    config.replace(at, end_of_field(config, at) - at, put);
  std::ofstream(scratch / "model/config.json") << config;
  const auto trace = try_model(text_of(models / name / "input.json"), scratch / "model", {});
  const auto model = StoredModel::open(scratch / "model");
  const Status fits = model ? check_arrays(**model) : Status(tl::unexpected<Error>(model.error()));
  said_of_shapes = fits ? "no error" : fits.error().message;
  return trace ? "no error" : trace.error().message;
}

struct RanAlone {
  Problem problem;
  std::shared_ptr<const Trace> trace;
};

// An experiment as it is saved, read again, and run.
RanAlone run_as_saved(const Experiment& experiment) {
  const auto read = parse_experiment(to_json(experiment, {}), {}, "opened");
  REQUIRE(read);
  auto problem = prepare(*read);
  if (!problem) FAIL(problem.error().message);
  ThreadPool pool(1);
  Compute compute(pool);
  auto trace = run(*problem, compute);
  REQUIRE(trace);
  return {std::move(*problem), std::move(*trace)};
}

// Every step of a layer alone is the model's, whose steps of it begin so.
void check_same_bits(const Trace& alone, const Trace& model, const std::string& before) {
  CHECK(alone.steps.size() > 9);
  for (const Step& step : alone.steps) {
    INFO(step.info.id);
    const Step* of_model = model.find(before + step.info.id);
    REQUIRE(of_model);
    CHECK(std::ranges::equal(step.tensor().values(), of_model->tensor().values()));
  }
}

}  // namespace

TEST_CASE("models of every architecture give NumPy's numbers") {
  int count = 0;
  for (const auto& folder : fs::directory_iterator(models)) {
    INFO(folder.path().filename().string());
    const auto expected = read_npz(folder.path() / "expect.npz");
    REQUIRE(expected);
    Measured ablation;
    const auto trace =
        try_model(text_of(folder.path() / "input.json"), folder.path(), {.maps = true, .all_of = {}}, &ablation);
    if (!trace) FAIL(trace.error().message);
    for (const NamedArray& wanted : *expected) {
      INFO(wanted.name);
      const Step* step = trace->find(wanted.name);
      const Tensor* got = step ? &step->tensor() : ablation.contains(wanted.name) ? &ablation.at(wanted.name) : nullptr;
      REQUIRE(got);
      CHECK(worst_ratio(*got, wanted.values) <= 1);
      ++count;
    }
  }
  CHECK(count > 320);
}

TEST_CASE("a layer that is opened from its folder has the model's numbers, bit by bit") {
  for (const std::string name :
       {"llama", "qwen2", "qwen3", "gemma2", "gemma3", "phi3", "opt", "esm", "gpt_neox", "gpt_neox_odd", "gpt2"}) {
    INFO(name);
    const auto trace = try_model(R"({"model": ".", "inputs": {"tokens": {"ids": [1, 5, 9]}}})", models / name,
                                 {.maps = false, .all_of = {LayerOfModel{1}}});
    REQUIRE(trace);
    Experiment experiment = default_experiment("multi_head");
    experiment.weights = WeightsSpec{};
    experiment.weights->from = (models / name).string();
    experiment.weights->layer = 1;
    const Tensor& x = trace->find("layer1/input")->tensor();
    experiment.inputs["x_q"] = literal_input(x);
    check_same_bits(*run_as_saved(experiment).trace, *trace, "layer1/");
    CHECK(
        std::ranges::equal(trace->find("layer1/output")->tensor().values(), trace->find("hidden")->tensor().values()));
  }
}

TEST_CASE("single layers of encoders and decoders give NumPy's and PyTorch's numbers") {
  int count = 0;
  for (const auto& folder : fs::directory_iterator(fs::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/layers")) {
    INFO(folder.path().filename().string());
    const auto experiment = read_experiment(folder.path() / "experiment.json");
    const auto expected = read_npz(folder.path() / "expect.npz");
    REQUIRE((experiment && expected));
    const auto problem = prepare(*experiment);
    if (!problem) FAIL(problem.error().message);
    ThreadPool pool(1);
    Compute compute(pool);
    const auto trace = run(*problem, compute);
    REQUIRE(trace);
    for (const NamedArray& wanted : *expected) {
      INFO(wanted.name);
      REQUIRE((*trace)->find(wanted.name));
      CHECK(worst_ratio((*trace)->find(wanted.name)->tensor(), wanted.values) <= 1);
      ++count;
    }
  }
  CHECK(count == 24);
}

TEST_CASE("a layer that asks an encoder says so where nothing of one is given") {
  for (const bool given : {false, true}) {
    Experiment experiment = default_experiment("multi_head");
    experiment.weights = WeightsSpec{};
    experiment.weights->from = (models / "t5").string();
    experiment.weights->stack = "decoder";
    experiment.weights->attention = "cross";
    experiment.inputs["x_q"] = LiteralInput{{1, 1, 8}, std::vector<float>(8, 0.5F)};
    if (given) experiment.inputs["x_k"] = LiteralInput{{1, 2, 8}, std::vector<float>(16, 0.5F)};
    const auto problem = prepare(experiment);
    REQUIRE(problem);
    const bool said = std::ranges::any_of(problem->warnings, [](const std::string& warning) {
      return warning.find("give it as inputs.x_k") != std::string::npos;
    });
    CHECK(said != given);
  }
}

TEST_CASE("a layer of an encoder and a decoder is opened with the stack it is of, bit by bit") {
  for (const std::string name : {"t5", "t5_gated"})
    for (const LayerOfModel layer :
         {LayerOfModel{1, ModelPart::first}, {2, ModelPart::decoder}, {1, ModelPart::cross}}) {
      INFO(name << " " << name_of(layer.part));
      const std::string of = text_of(models / name / "input.json");
      const auto trace = try_model(of, models / name, {.maps = false, .all_of = {layer}});
      const auto model = StoredModel::open(models / name);
      REQUIRE((trace && model));
      const ModelPlan& plan = (*model)->plan();
      const auto step = [&](const std::string& id) {
        return StepInput{id, (models / name / "input.json").string(), {}};
      };
      const bool cross = layer.part == ModelPart::cross;
      const Experiment opened = layer_experiment(**model, layer, step(plan.steps_of(layer) + "input"),
                                                 cross ? std::optional(step(step_of_memory(plan))) : std::nullopt);
      // Heads that are off are the model's: the layer alone has them all.
      const auto alone = run_as_saved(opened).trace;
      const auto& map = *alone->map();
      CHECK(std::ranges::equal(map.tensor().values(),
                               trace->find(plan.steps_of(layer) + map.info.id)->tensor().values()));
      CHECK((alone->find("position_bias") != nullptr) == !cross);
      CHECK(trace->find(plan.steps_of(layer) + map.info.id)->info.part == name_of(layer.part));
      if (name != "t5") check_same_bits(*alone, *trace, plan.steps_of(layer));  // has heads off
    }
}

TEST_CASE("a layer of two towers or of several stages is opened as what it is, bit by bit") {
  struct Case {
    const char* name;
    LayerOfModel layer;
    const char *variant, *read;
  };
  for (const Case& of :
       {Case{"clip", {1, ModelPart::text}, "multi_head", "text/layer1/input"},
        Case{"clip", {0, ModelPart::vision}, "multi_head", "vision/layer0/input"},
        Case{"swin", {1}, "swin", "layer1/attention_input"}, Case{"swin", {2}, "swin", "layer2/attention_input"}}) {
    INFO(of.name << " " << of.read);
    const fs::path folder = models / of.name;
    const auto trace = try_model(text_of(folder / "input.json"), folder, {.maps = false, .all_of = {of.layer}});
    const auto model = StoredModel::open(folder);
    REQUIRE((trace && model));
    const Experiment opened =
        layer_experiment(**model, of.layer, StepInput{of.read, (folder / "input.json").string(), {}});
    CHECK(opened.variant == of.variant);
    const RanAlone alone = run_as_saved(opened);
    check_same_bits(*alone.trace, *trace, (*model)->plan().steps_of(of.layer));
    // That a config says it, nobody has to assume.
    for (const std::string& note : alone.problem.notes) CHECK(note.find("assumed") == std::string::npos);
  }
  // A layer that is shifted, in windows of 2, and one whose windows are the picture.
  const auto swin = try_model(text_of(models / "swin/input.json"), models / "swin",
                              {.maps = false, .all_of = {LayerOfModel{1}, LayerOfModel{2}}});
  REQUIRE(swin);
  CHECK(swin->find("layer1/masked_scores"));
  CHECK_FALSE(swin->find("layer2/masked_scores"));
}

TEST_CASE("of two towers each runs without the other") {
  const auto text = try_model(R"({"model": ".", "inputs": {"tokens": {"ids": [1, 4, 10, 0]}}})", models / "clip", {});
  const auto both = try_model(text_of(models / "clip/input.json"), models / "clip", {});
  REQUIRE((text && both));
  CHECK_FALSE(text->find("vision/hidden"));
  CHECK_FALSE(text->find("logits_per_image"));
  const Tensor &alone = text->find("text_embeds")->tensor(), &first = both->find("text_embeds")->tensor();
  CHECK(std::ranges::equal(alone.values(), first.values().first(static_cast<std::size_t>(alone.size()))));
  const std::string ids = R"({"tokens": {"ids": [1, 4]}})";
  CHECK(refusal("{}", "clip", "{}") == "inputs.tokens and inputs.pixels are missing: clip reads one of them, or both");
  CHECK(refusal(ids, "clip", R"({"ablate": [[0, 1]]})") == "params.ablate names the encoder: clip has no encoder");
  CHECK(refusal(ids, "clip", R"({"ablate": [["text", 0, 2]]})") ==
        "params.ablate holds [\"text\", 0, 2]: clip has layers 0 to 1 and heads 0 to 1");
  CHECK(refusal(ids, "clip", R"({"ablate": [["text", 0, 1]]})") == "no error");
  CHECK(refusal(R"({"pixels": {"npy": "pixels.npz"}})", "swin", R"({"ablate": [[1, 1]]})") ==
        "params.ablate holds [1, 1]: swin has layers 0 to 2 and heads 0 to 0");
  CHECK(refusal(R"({"pixels": {"npy": "pixels.npz"}})", "swin", R"({"ablate": [[2, 1]]})") == "no error");
}

TEST_CASE("a run that goes on from a layer has the numbers of the whole run") {
  for (const std::string name : {"gpt2", "t5", "clip", "swin"}) {
    const auto experiment = parse_model_experiment(text_of(models / name / "input.json"), models / name, "input.json");
    const auto model = StoredModel::open(models / name);
    REQUIRE((experiment && model));
    const auto input = model_input(**model, *experiment);
    REQUIRE(input);
    ThreadPool pool(2);
    ModelRunner runner(**model, *input, pool);
    const auto whole = runner.run(*experiment, {});
    REQUIRE(whole);
    for (std::size_t at = 0; at < (*model)->plan().order().size(); ++at) {
      INFO(name << " from " << at);
      const auto again = runner.run(*experiment, {}, {&*whole, at});
      REQUIRE(again);
      REQUIRE(again->steps.size() == whole->steps.size());
      for (std::size_t i = 0; i < whole->steps.size(); ++i) {
        CHECK(again->steps[i].info.id == whole->steps[i].info.id);
        CHECK(std::ranges::equal(again->steps[i].tensor().values(), whole->steps[i].tensor().values()));
      }
    }
  }
}

TEST_CASE("what the weights of layers span is what it is, found or remembered") {
  const auto experiment = parse_model_experiment(text_of(models / "gpt2/input.json"), models / "gpt2", "input.json");
  const auto model = StoredModel::open(models / "gpt2");
  REQUIRE((experiment && model));
  const auto input = model_input(**model, *experiment);
  REQUIRE(input);
  ThreadPool pool(2);
  KeptModel kept(**model, 1e9);
  ModelRunner runner(**model, *input, pool, {}, nullptr, &kept);
  const Tensor* remembered = nullptr;
  LayerRecording looking;
  looking.look = [&](LayerOfModel layer, const Problem&, const Trace& trace) -> Status {
    for (const Step& source : trace.sources) {
      if (source.info.kind != Kind::weight) continue;
      INFO(source.info.id << " of layer " << layer.layer);
      REQUIRE(source.extents.size() == 1);
      const Extent want = extent_of(source.tensor().values());
      CHECK(source.extents.front().finite == want.finite);
      CHECK(source.extents.front().least == want.least);
      CHECK(source.extents.front().greatest == want.greatest);
      if (source.info.id == "w_q" && kept.extents_of(source.tensor())) remembered = source.values.get();
    }
    return {};
  };
  REQUIRE(runner.run(*experiment, looking));
  REQUIRE(runner.run(*experiment, looking));
  CHECK(remembered);
}

TEST_CASE("a decoder begins with its start token and goes on with a text that is not closed") {
  const Scratch scratch;
  fs::copy(models / "t5", scratch / "model");
  std::ofstream(scratch / "model/tokenizer.json") << R"({"version": "1.0", "added_tokens": [
      {"id": 0, "content": "<pad>", "special": true}, {"id": 1, "content": "</s>", "special": true}],
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true},
    "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}},
      {"SpecialToken": {"id": "</s>", "type_id": 0}}], "pair": [{"Sequence": {"id": "A", "type_id": 0}},
      {"Sequence": {"id": "B", "type_id": 0}}],
      "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}},
    "model": {"type": "Unigram", "unk_id": 2, "vocab": [["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["▁", -2], ["a", -1],
      ["b", -1], ["▁a", -1.5], ["c", -3]]}})";
  struct Case {
    const char* decoder;
    std::vector<Index> ids;
    std::size_t special;
  };
  for (const Case& of : {Case{"", {0}, 1}, Case{R"(, "decoder_tokens": {"text": "ab"})", {0, 6, 5}, 1},
                         Case{R"(, "decoder_tokens": {"text": ""})", {0}, 1},
                         Case{R"(, "decoder_tokens": {"ids": [5, 1]})", {5, 1}, 0}}) {
    INFO(of.decoder);
    const std::string json =
        R"({"model": "model", "inputs": {"tokens": {"text": "b a"})" + std::string(of.decoder) + "}}";
    const auto experiment = parse_model_experiment(json, scratch / ".", "input.json");
    const auto model = StoredModel::open(scratch / "model");
    REQUIRE((experiment && model));
    const auto input = model_input(**model, *experiment);
    if (!input) FAIL(input.error().message);
    CHECK(input->tokens->ids == std::vector<Index>{3, 5, 6, 1});
    CHECK(input->special() == std::vector<Index>{3});
    CHECK(input->decoder->tokens->ids == of.ids);
    CHECK(input->decoder->special().size() == of.special);
    CHECK(input->decoder->words.front().size() == of.ids.size());
  }
}

TEST_CASE("what a model cannot read is refused with a line that says why") {
  struct Case {
    const char *model, *inputs, *says;
    const char* params = "{}";
  };
  const char* one = R"({"tokens": {"ids": [1]}})";
  const Case cases[] = {
      {"gpt2", R"({"tokens": {"ids": [1, 99]}})", "inputs.tokens.ids[1] is 99: the vocabulary has 11 tokens, 0 to 10"},
      {"gpt2", R"({"tokens": {"ids": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}})",
       "10 tokens, but gpt2 has 9 positions (n_positions): shorten the text"},
      {"roberta", R"({"tokens": {"ids": [1, 2, 3, 4, 5, 6, 7, 8]}})", "8 tokens, but roberta has 7 positions"},
      {"bert", R"({"tokens": {"ids": [1], "types": [2]}})", "has a token of type 2: bert has 2 types"},
      {"bert", R"({"tokens": {"ids": [1], "types": [0, 1]}})", "inputs.tokens.types must be as many as ids"},
      {"bert", R"({"tokens": {"ids": [1, 0], "attention_mask": [1, 0]}})",
       "inputs.tokens.attention_mask is not taken: a model reads every token"},
      {"bert", R"({"tokens": {"ids": [1], "token_type_ids": [1]}})",
       "token_type_ids is not taken: the list is called types"},
      {"gpt2", R"({"tokens": {"ids": []}})", "at least one token"},
      {"gpt2", R"({"tokens": {"ids": [[1, 2], [3]]}})", "there is no padding"},
      {"gpt2", R"({"tokens": {"ids": [1], "text": "a"}})", "must have text"},
      {"gpt2", "{}", "inputs.tokens is missing"},
      {"gpt2", R"({"pixels": {"npy": "a.npy"}})", "gpt2 reads tokens"},
      {"deit", one, "deit reads a picture"},
      {"gpt2", one, "params.ablate holds [2, 0]", R"({"ablate": [[2, 0]]})"},
      {"gpt2", one, "params.top is 0", R"({"top": 0})"},
      {"gpt2", one, "gpt2 has no decoder", R"({"ablate": [["cross", 0, 0]]})"},
      {"gpt2", R"({"tokens": {"ids": [1]}, "decoder_tokens": {"ids": [1]}})", "leave out inputs.decoder_tokens"},
      {"t5", one, "params.ablate holds [\"decoder\", 3, 0]: t5 has layers 0 to 2",
       R"({"ablate": [["decoder", 3, 0]]})"},
      {"t5", one, "params.ablate holds [2, 0]: t5 has layers 0 to 1", R"({"ablate": [[2, 0]]})"},
      {"t5", one, "params.ablate holds [\"middle\",0,0]", R"({"ablate": [["middle", 0, 0]]})"},
      {"t5", R"({"tokens": {"ids": [[1], [2]]}, "decoder_tokens": {"ids": [0, 1]}})",
       "inputs.decoder_tokens has 1 texts, but inputs.tokens has 2"},
      {"t5", R"({"tokens": {"ids": [1]}, "decoder_tokens": {"ids": [0, 11]}})",
       "inputs.decoder_tokens.ids[1] is 11: the vocabulary has 11 tokens, 0 to 10"},
      {"t5", R"({"tokens": {"ids": [1]}, "decoder_tokens": {"text": "a"}})", "give inputs.decoder_tokens.ids"},
      {"gpt2", one, "params.topp is not a parameter", R"({"topp": 3})"},
  };
  for (const Case& of : cases) {
    const std::string said = refusal(of.inputs, of.model, of.params);
    INFO(said);
    CHECK(said.find(of.says) != std::string::npos);
  }
}

TEST_CASE("an encoder alone is what its config or its file says is one") {
  const char* input = R"({"model": ".", "inputs": {"tokens": {"ids": [1, 5, 9]}}})";
  const auto whole = try_model(input, models / "t5", {});
  REQUIRE(whole);
  for (const auto& [field, value] :
       {std::pair("architectures", R"(["T5EncoderModel"])"), std::pair("is_encoder_decoder", "false")}) {
    INFO(field);
    const Scratch scratch;
    fs::copy(models / "t5", scratch / "model");
    const std::string config = text_of(models / "t5/config.json");
    std::ofstream(scratch / "model/config.json") << "{\"" << field << "\": " << value << ", " << config.substr(1);
    const auto trace = try_model(input, scratch / "model", {});
    if (!trace) FAIL(trace.error().message);
    CHECK(std::ranges::equal(trace->find("encoder/final_norm")->tensor().values(),
                             whole->find("encoder/final_norm")->tensor().values()));
    CHECK((!trace->find("decoder/hidden") && !trace->find("logits")));
  }
  // Nothing says so but what the file lacks, which is said.
  const auto alone = StoredModel::open(models / "t5_encoder_embedded");
  REQUIRE(alone);
  CHECK((*alone)->plan().assumed.back() == "no decoder: the file holds none");
  CHECK((*alone)->plan().words == "encoder.embed_tokens");
}

TEST_CASE("a decoder has as many places as its own table, whatever the encoder has") {
  const auto said = [](const char* ids) {
    return refusal(R"({"features": {"npy": "features.npz"}, "decoder_tokens": {"ids": )" + std::string(ids) + "}}",
                   "whisper", "{}");
  };
  CHECK(said("[3, 8, 1, 2, 4, 5]") == "no error");  // the encoder has four places, the decoder six
  CHECK(said("[3, 8, 1, 2, 4, 5, 6]") ==
        "7 tokens, but whisper has 6 positions (max_target_positions): shorten the text");
}

TEST_CASE("configs that are false or of what is not run are refused with a line that says where") {
  struct Case {
    const char *model, *field, *to, *says;
  };
  const Case cases[] = {
      {"gpt2", "model_type", "\"mamba\"", "model_type mamba is not one that Headlight runs: gpt2, bert"},
      {"gpt2", "n_embd", "10", "transformer.wte.weight is (11, 8), but config.json says (11, 10)"},
      {"gpt2", "n_layer", "3", "holds 2 layers, but config.json says 3"},
      {"gpt2", "n_layer", "1", "holds 2 layers, but config.json says 1"},
      {"gpt2", "n_head", "3", "3 heads do not divide n_embd 8"},
      {"gpt2", "n_head", "-1", "n_head is -1: it must be a whole number from 1 to"},
      {"gpt2", "n_head", "1e400", "config.json: this is not JSON: number overflow"},
      {"gpt2", "n_embd", "99999999999", "n_embd is 99999999999"},
      {"gpt2", "vocab_size", "12", "transformer.wte.weight is (11, 8), but config.json says (12, 8)"},
      {"gpt2", "activation_function", "\"xielu\"", "activation_function xielu"},
      {"gpt2", "add_cross_attention", "true", "add_cross_attention is true"},
      {"gpt2", "quantization_config", "{}", "quantization_config"},
      {"bert", "position_embedding_type", "\"relative_key\"", "position_embedding_type relative_key"},
      {"roberta", "position_embedding_type", "\"relative_key_query\"", "position_embedding_type relative_key_query"},
      {"llama", "rope_parameters", "{\"rope_type\": \"longrope\"}", "rope_type longrope"},
      {"llama", "head_dim", "7", "all 7 channels of a head turn, and channels turn in pairs"},
      {"llama", "head_dim", "2", "self_attn.q_proj.weight is (32, 8), but hidden_size is 8"},
      {"llama", "num_key_value_heads", "3", "num_key_value_heads 3 does not divide"},
      {"llama", "num_key_value_heads", "4", "self_attn.k_proj.weight is (16, 8), but hidden_size is 8"},
      {"t5", "d_kv", "4", "SelfAttention.q.weight is (6, 8), but d_model is 8"},
      {"t5", "num_layers", "3", "the encoder holds 2 layers, but config.json says 3"},
      {"t5_gated", "num_decoder_layers", "2", "the decoder holds 3 layers, but config.json says 2"},
      {"t5", "relative_attention_num_buckets", "8", "buckets"},
      {"t5", "relative_attention_max_distance", "3", "decoder layer 0: max_distance 3 must be above 3"},
      {"t5", "feed_forward_proj", "\"gated-tanh\"", "feed_forward_proj gated-tanh is not one that Headlight runs"},
      {"t5_gated", "feed_forward_proj", "\"relu\"", "its ffn has a gate, but config.json says that it has none"},
      {"phi3", "rope_scaling", "{\"rope_type\": \"yarn\", \"mscale\": 1}", "rope_scaling: mscale is not run here"},
      {"gemma2", "layer_types", "[\"full_attention\"]", "layer_types must be a list of 2 words"},
      {"gemma3", "sliding_window_pattern", "0", "sliding_window_pattern is 0"},
      {"gemma", "use_bidirectional_attention", "true", "use_bidirectional_attention is true"},
      {"phi3", "partial_rotary_factor", "2", "partial_rotary_factor is 2: it must be at most 1"},
      {"phi3", "num_local_experts", "4",
       "phi3 has experts, which Headlight does not run: open the attention of a layer"},
      {"opt_narrow", "word_embed_proj_dim", "3", "embed_tokens.weight is (11, 4), but config.json says (11, 3)"},
      {"esm", "position_embedding_type", "\"absolute\"", "position_embedding_type absolute"},
      {"bart", "decoder_attention_heads", "4", "they must be the same"},
      {"whisper", "max_source_positions", "5", "inputs.features has shape (1, 5, 8): whisper takes (items, 5, 10)"},
      {"dinov2", "patch_size", "3", "takes patches of 3, which must divide both"},
      {"swin", "window_size", "3", "windows of 3 do not divide the 4 places of a side in stage 0"},
      {"swin", "depths", "[2, 0]", "depths must be a list of at most 8 whole numbers from 1 to 512"},
      {"swin", "depths", "[2, 1, 1]", "depths has 3 stages and num_heads 2"},
      {"swin", "num_heads", "[1, 3]", "3 heads do not divide the width of stage 1, 8"},
      {"swin", "depths", "[2, 2]", "holds 3 layers, but config.json says 4"},
      {"swin", "window_size", "4", "bias_table"},
      {"clip", "text_config_dict", "{\"hidden_act\": \"xielu\"}", "text_config: hidden_act xielu"},
      {"clip", "vision_config_dict", "[]", "vision_config_dict must be an object"},
      {"clip", "vision_config_dict", "{\"hidden_size\": 6, \"num_attention_heads\": 4}",
       "4 heads do not divide hidden_size 6"},
      {"gpt2", "activation_function", "\"quick_gelu\"", "activation_function quick_gelu"},
      {"deit", "patch_size", "3", "image_size 4 is no multiple of patch_size 3"},
  };
  for (const Case& one : cases) {
    INFO(one.model << " " << one.field << " " << one.to);
    std::string said_of_shapes;
    const std::string said = refusal_with(one.model, one.field, one.to, said_of_shapes);
    INFO(said);
    CHECK(said.find(one.says) != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
    // What is said of the arrays before any number is read, but of what does not fit its input.
    const bool of_input = std::string_view(one.says).find("takes") != std::string_view::npos;
    CHECK((of_input || said_of_shapes.find(one.says) != std::string::npos));
  }
}

TEST_CASE("the arrays of models that run are those of their configs, and no number is read to tell") {
  for (const auto& entry : fs::directory_iterator(models)) {
    INFO(entry.path().filename().string());
    const auto model = StoredModel::open(entry.path());
    REQUIRE(model);
    const Status fits = check_arrays(**model);
    if (!fits) FAIL_CHECK(fits.error().message);
    CHECK((*model)->arrays_read().empty());
  }
}

TEST_CASE("a weight that is missing or of another shape is told by its name in the file") {
  struct Case {
    const char *model, *name;
    Shape shape;  // none: it is not there
    const char* says;
  };
  const Case cases[] = {
      {"gpt2", "transformer.h.0.ln_2.weight", {}, "transformer.h.0.ln_2.weight is missing"},
      {"gpt2", "transformer.h.1.mlp.c_fc.weight", {}, "transformer.h.1.mlp.c_fc.weight is missing"},
      {"t5", "decoder.block.1.layer.1.EncDecAttention.k.weight", {}, "EncDecAttention.k.weight is missing"},
      {"t5",
       "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
       {},
       "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight is missing"},
      {"gpt2", "transformer.h.1.ln_1.weight", {8, 1}, "transformer.h.1.ln_1.weight is (8, 1), but n_embd is 8"},
      {"gpt2", "transformer.h.0.attn.c_attn.weight", {24}, "c_attn.weight is (24,), but n_embd is 8"},
      {"gpt2", "transformer.h.0.mlp.c_proj.weight", {11, 8}, "12 numbers in its ffn: it must be (12, 8)"},
      {"opt_narrow",
       "model.decoder.project_out.weight",
       {},
       "model.decoder.embed_tokens.weight is (11, 4), but config.json says (11, 8)"},
      {"swin", "classifier.bias", {5}, "classifier.bias is (5,), but config.json says (3)"},
      {"dinov2", "classifier.bias", {3}, "classifier.bias is (3,), but config.json says (4)"},
      {"deit", "distillation_classifier.bias", {4}, "distillation_classifier.bias is (4,), but config.json says (5)"},
  };
  for (const Case& one : cases) {
    INFO(one.model << " " << one.name);
    const Scratch scratch;
    fs::copy(models / one.model, scratch / "model");
    const auto arrays = read_safetensors(models / one.model / "model.safetensors").value();
    const Tensor other = one.shape.empty() ? Tensor() : Tensor(one.shape);
    std::vector<ArrayToWrite> written;
    for (const NamedArray& array : arrays)
      if (array.name != one.name)
        written.push_back({array.name, array.values});
      else if (!one.shape.empty())
        written.push_back({array.name, other});
    REQUIRE((written.size() < arrays.size() || !one.shape.empty()));
    REQUIRE(write_safetensors(scratch / "model/model.safetensors", written));
    const auto trace = try_model(text_of(models / one.model / "input.json"), scratch / "model", {});
    REQUIRE_FALSE(trace);
    INFO(trace.error().message);
    CHECK(trace.error().message.find(one.says) != std::string::npos);
    const auto model = StoredModel::open(scratch / "model");
    REQUIRE(model);
    const Status fits = check_arrays(**model);
    REQUIRE_FALSE(fits);
    CHECK(fits.error().message.find(one.says) != std::string::npos);
    CHECK((*model)->arrays_read().empty());
  }
}

TEST_CASE("classifiers whose mean is taken are of one size, which is told before they run") {
  const Scratch scratch;
  fs::copy(models / "deit", scratch / "model");
  const auto arrays = read_safetensors(models / "deit/model.safetensors").value();
  const Tensor weight(Shape{4, 8}), bias(Shape{4});
  std::vector<ArrayToWrite> written;
  for (const NamedArray& array : arrays)
    if (!array.name.starts_with("distillation_classifier.")) written.push_back({array.name, array.values});
  written.push_back({"distillation_classifier.weight", weight});
  written.push_back({"distillation_classifier.bias", bias});
  REQUIRE(write_safetensors(scratch / "model/model.safetensors", written));
  const auto trace = try_model(text_of(models / "deit/input.json"), scratch / "model", {});
  REQUIRE_FALSE(trace);
  const char* says = "cls_classifier and distillation_classifier are of different sizes";
  CHECK(trace.error().message.ends_with(says));
  const auto model = StoredModel::open(scratch / "model");
  REQUIRE(model);
  const Status fits = check_arrays(**model);
  REQUIRE_FALSE(fits);
  CHECK(fits.error().message.ends_with(says));
}

TEST_CASE("which weight the logits are read from is said where file and config differ in it") {
  struct Case {
    const char *model, *head, *words, *says;  // no words: the head is taken out
    const char* field = "";                   // that the config has besides
  };
  const Case cases[] = {
      {"gpt2", "lm_head.weight", "transformer.wte.weight",
       "the logits are tied by default to wte.weight, but model.safetensors has its own lm_head.weight, which is used; "
       "Transformers reads wte.weight"},
      {"gpt2", "lm_head.weight", "transformer.wte.weight",
       "config.json ties the logits to wte.weight, but model.safetensors has its own lm_head.weight, which is used; "
       "Transformers reads wte.weight",
       R"("tie_word_embeddings": true, )"},
      {"esm", "lm_head.decoder.weight", "esm.embeddings.word_embeddings.weight",
       "model.safetensors has lm_head.decoder.weight, but it is tied by default to embeddings.word_embeddings.weight, "
       "which the logits are read from"},
      {"t5", "lm_head.weight", "shared.weight",
       "model.safetensors has lm_head.weight, but config.json ties it to shared.weight, which the logits are read "
       "from"},
      {"llama", "lm_head.weight", nullptr,
       "model.safetensors has no lm_head.weight, and config.json does not tie it to embed_tokens.weight: no logits are "
       "made"},
  };
  for (const Case& one : cases) {
    INFO(one.model);
    const Scratch scratch;
    fs::copy(models / one.model, scratch / "model");
    const std::string plain = StoredModel::open(scratch / "model").value()->plan().head_note;
    CHECK(plain.empty());
    std::ofstream(scratch / "model/config.json")
        << "{" << one.field << text_of(models / one.model / "config.json").substr(1);
    const auto arrays = read_safetensors(models / one.model / "model.safetensors").value();
    Tensor twice;
    std::vector<ArrayToWrite> written;
    for (const NamedArray& array : arrays) {
      if (array.name != one.head) written.push_back({array.name, array.values});
      if (!one.words || array.name != one.words) continue;
      twice = array.values;
      for (float& value : twice.values()) value *= 2;
    }
    if (one.words) written.push_back({one.head, twice});
    REQUIRE(write_safetensors(scratch / "model/model.safetensors", written));
    const auto run = [&](const fs::path& folder) { return try_model(text_of(folder / "input.json"), folder, {}); };
    const auto trace = run(scratch / "model"), before = run(models / one.model);
    REQUIRE((trace && before));
    CHECK(std::ranges::any_of(trace->warnings, [](const std::string& warning) {
      return warning.find("model.safetensors") != std::string::npos;
    }));
    std::string said = StoredModel::open(scratch / "model").value()->plan().head_note;
    const std::string folder = (scratch / "model/").string();
    REQUIRE(said.find(folder) != std::string::npos);
    CHECK(said.erase(said.find(folder), folder.size()) == one.says);
    const Step *logits = trace->find("logits"), *same = before->find("logits");
    REQUIRE((same && (logits != nullptr) == (one.words != nullptr)));
    const bool own = std::string_view(one.model) == "gpt2";
    if (logits) CHECK(std::abs(logits->tensor()[0] - (own ? 2 : 1) * same->tensor()[0]) < 1e-4F);
  }
}

TEST_CASE("where a model's numbers stop being finite is said") {
  const Scratch scratch;
  fs::copy(models / "gpt2", scratch / "model");
  auto arrays = read_safetensors(models / "gpt2/model.safetensors").value();
  const auto warnings = [&] {
    std::vector<ArrayToWrite> written;
    for (const NamedArray& array : arrays) written.push_back({array.name, array.values});
    REQUIRE(write_safetensors(scratch / "model/model.safetensors", written));
    return try_model(text_of(models / "gpt2/input.json"), scratch / "model", {}).value().warnings;
  };
  CHECK(warnings().empty());
  const auto norm = std::ranges::find(arrays, "transformer.h.1.ln_1.weight", &NamedArray::name);
  norm->values[3] = std::nanf("");
  CHECK(warnings() == std::vector<std::string>{"layer 1 hands on NaN or ∞: all that follows is made of it"});
}

TEST_CASE("a picture is prepared as its folder says") {
  const Scratch scratch;
  fs::copy(models / "deit", scratch / "model");
  const auto model = StoredModel::open(scratch / "model");
  REQUIRE(model);
  const auto plain = picture_rules(**model);
  REQUIRE(plain);
  CHECK((plain->width == 4 && plain->mean[0] == 0.5 && plain->notices.size() == 1));
  std::ofstream(scratch / "model/preprocessor_config.json")
      << R"({"size": {"shortest_edge": 6}, "do_center_crop": true, "crop_size": 4, "resample": 3, "image_mean": [0, 0, 0],
             "image_std": [1, 2, 1], "rescale_factor": 1})";
  const auto rules = picture_rules(**model);
  REQUIRE(rules);
  Image image = filled_image(6, 12, {10, 20, 30});
  image.set(1, 4, {200, 100, 50});  // the first that is left of the middle
  REQUIRE(write_file(scratch / "p.png", encode_png(image).value()));
  const auto pixels = pixels_of(scratch / "p.png", *rules);
  REQUIRE(pixels);
  CHECK(pixels->shape() == Shape{1, 3, 4, 4});
  CHECK((*pixels)[0] == 200);
  CHECK((*pixels)[1] == 10);
  CHECK((*pixels)[16] == 50);  // green, by 2
  CHECK((*pixels)[32] == 50);
  std::ofstream(scratch / "model/preprocessor_config.json") << R"({"resample": 1})";
  CHECK_FALSE(picture_rules(**model));
}
