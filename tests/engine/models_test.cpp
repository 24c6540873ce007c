// Models: every architecture against NumPy's numbers, a layer opened again bit by bit, and what is refused.
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/io/file.h"
#include "engine/io/npz.h"
#include "engine/io/png.h"
#include "engine/models/pixels.h"
#include "engine/run/model_run.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
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

// The trace of an experiment, with `measured` its ablation.
Result<Trace> try_model(const std::string& json, const fs::path& folder, const KeptOfLayers& kept,
                        std::optional<Tensor>* measured = nullptr) {
  HL_TRY(const ModelExperiment experiment, parse_model_experiment(json, folder, "input.json"));
  HL_TRY(const auto model, Model::open(folder / experiment.model));
  HL_TRY(const ModelInput input, model_input(*model, experiment));
  ThreadPool pool(2);
  ModelRunner runner(*model, input, pool);
  HL_TRY(Trace trace, runner.run(experiment, kept));
  if (measured) {
    HL_TRY(*measured, ablation_of(runner, trace, experiment.ablate));
  }
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

// The same of a folder whose config has other words.
std::string refusal_with(const std::string& name, const std::string& field, const std::string& to) {
  const Scratch scratch;
  fs::copy(models / name, scratch / "model");
  std::string config = text_of(models / name / "config.json");
  const auto at = config.find('"' + field + '"');
  const std::string put = '"' + field + "\": " + to;
  if (at == std::string::npos)
    config.replace(config.rfind('}'), 1, ", " + put + "}");
  else
    config.replace(at, std::min(config.find(",\n", at), config.rfind("\n}")) - at, put);
  std::ofstream(scratch / "model/config.json") << config;
  const auto trace = try_model(text_of(models / name / "input.json"), scratch / "model", {});
  return trace ? "no error" : trace.error().message;
}

}  // namespace

TEST_CASE("models of every architecture give NumPy's numbers") {
  int count = 0;
  for (const auto& folder : fs::directory_iterator(models)) {
    INFO(folder.path().filename().string());
    const auto expected = read_npz(folder.path() / "expect.npz");
    REQUIRE(expected);
    std::optional<Tensor> ablation;
    const auto trace =
        try_model(text_of(folder.path() / "input.json"), folder.path(), {.maps = true, .all_of = {}}, &ablation);
    if (!trace) FAIL(trace.error().message);
    for (const NamedArray& wanted : *expected) {
      INFO(wanted.name);
      const Step* step = trace->find(wanted.name);
      const Tensor* got = step ? &step->tensor() : wanted.name == "measure/ablation" ? &*ablation : nullptr;
      REQUIRE(got);
      CHECK(worst_ratio(*got, wanted.values) <= 1);
      ++count;
    }
  }
  CHECK(count > 90);
}

TEST_CASE("a layer that is opened from its folder has the model's numbers, bit by bit") {
  for (const std::string name : {"llama", "qwen2", "gpt_neox", "gpt2"}) {
    INFO(name);
    const auto trace = try_model(R"({"model": ".", "inputs": {"tokens": {"ids": [1, 5, 9]}}})", models / name,
                                 {.maps = false, .all_of = {1}});
    REQUIRE(trace);
    Experiment experiment = default_experiment("multi_head");
    experiment.weights = WeightsSpec{};
    experiment.weights->from = (models / name).string();
    experiment.weights->layer = 1;
    const Tensor& x = trace->find("layer1/input")->tensor();
    experiment.inputs["x_q"] = LiteralInput{x.shape(), {x.values().begin(), x.values().end()}};
    const auto problem = prepare(experiment);
    if (!problem) FAIL(problem.error().message);
    ThreadPool pool(1);
    Compute compute(pool);
    const auto opened = run(*problem, compute);
    REQUIRE(opened);
    CHECK((*opened)->steps.size() > 10);
    for (const Step& step : (*opened)->steps) {
      INFO(step.info.id);
      const Step* of_model = trace->find("layer1/" + step.info.id);
      REQUIRE(of_model);
      CHECK(std::ranges::equal(step.tensor().values(), of_model->tensor().values()));
    }
    CHECK(
        std::ranges::equal(trace->find("layer1/output")->tensor().values(), trace->find("hidden")->tensor().values()));
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
      {"gpt2", R"({"tokens": {"ids": []}})", "at least one token"},
      {"gpt2", R"({"tokens": {"ids": [[1, 2], [3]]}})", "there is no padding"},
      {"gpt2", R"({"tokens": {"ids": [1], "text": "a"}})", "must have text"},
      {"gpt2", "{}", "inputs.tokens is missing"},
      {"gpt2", R"({"pixels": {"npy": "a.npy"}})", "gpt2 reads tokens"},
      {"deit", one, "deit reads a picture"},
      {"gpt2", one, "params.ablate holds [2, 0]", R"({"ablate": [[2, 0]]})"},
      {"gpt2", one, "params.top is 0", R"({"top": 0})"},
      {"gpt2", one, "params.topp is not a parameter", R"({"topp": 3})"},
  };
  for (const Case& of : cases) {
    const std::string said = refusal(of.inputs, of.model, of.params);
    INFO(said);
    CHECK(said.find(of.says) != std::string::npos);
  }
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
      {"llama", "rope_parameters", "{\"rope_type\": \"yarn\"}", "rope_type yarn"},
      {"llama", "head_dim", "2", "self_attn.q_proj.weight is (32, 8), but hidden_size is 8"},
      {"llama", "num_key_value_heads", "3", "num_key_value_heads 3 does not divide"},
      {"llama", "num_key_value_heads", "4", "self_attn.k_proj.weight is (16, 8), but hidden_size is 8"},
      {"deit", "patch_size", "3", "image_size 4 is no multiple of patch_size 3"},
  };
  for (const Case& one : cases) {
    INFO(one.model << " " << one.field << " " << one.to);
    const std::string said = refusal_with(one.model, one.field, one.to);
    INFO(said);
    CHECK(said.find(one.says) != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("a picture is prepared as its folder says") {
  const Scratch scratch;
  fs::copy(models / "deit", scratch / "model");
  const auto model = Model::open(scratch / "model");
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
