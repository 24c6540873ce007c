// A network that learned, opened again as a model: the same numbers as it had while it learned, every layer of it as an
// experiment, and what is no stack of layers or does not fit refused in a line.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/file.h"
#include "engine/io/safetensors.h"
#include "engine/learn/training_file.h"
#include "engine/learn/training_folder.h"
#include "engine/run/model_run.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "engine/run/step_input.h"
#include "engine/tokens/tokenizer.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::learn;

namespace {

namespace fs = std::filesystem;

constexpr Index steps = 12;

// Has learned for some steps, is measured, and is written into the folder.
std::unique_ptr<Training> trained(const std::string& train, const fs::path& folder, Compute& compute) {
  std::vector<std::string> notices;
  auto plan = parse_training(R"({"train": )" + train + "}", {}, "test", notices);
  if (!plan) FAIL(plan.error().message);
  auto training = Training::make(std::move(*plan), compute);
  if (!training) FAIL(training.error().message);
  while ((*training)->step() < steps) (*training)->take_step(compute);
  const auto figures = (*training)->measure(compute);
  REQUIRE(figures);
  const Status written = write_training(folder, **training, {{}, {{steps, *figures}}});
  if (!written) FAIL(written.error().message);
  return std::move(*training);
}

std::string refusal(const fs::path& folder) {
  const auto model = StoredModel::open(folder);
  if (!model) return model.error().message;
  const Status fits = check_arrays(**model);
  return fits ? "no error" : fits.error().message;
}

std::string weights_in(const fs::path& folder) {
  return read_file(folder / "model.safetensors", 1 << 20).value();
}

// How far the first item of a batch is from numbers (1, …), beside their largest.
double worst(const Tensor& batch, const Tensor& numbers) {
  double off = 0, largest = 0;
  for (Index cell = 0; cell < numbers.size(); ++cell) {
    off = std::max(off, std::abs(static_cast<double>(batch[cell]) - numbers[cell]));
    largest = std::max(largest, std::abs(static_cast<double>(numbers[cell])));
  }
  return off / largest;
}

ModelExperiment reading(const fs::path& folder, TokensInput tokens) {
  ModelExperiment experiment;
  experiment.model = folder.string();
  experiment.tokens = std::move(tokens);
  return experiment;
}

// The layer that the model ran, prepared from what a window writes for it.
Result<Trace> explored(const StoredModel& model, const ModelExperiment& asked, Index layer) {
  const ModelPlan& plan = model.plan();
  const std::string of = to_json(asked, {});
  std::optional<StepInput> places;
  if (!plan.added_places.empty()) places = StepInput{step_of_places, of, nullptr};
  HL_TRY(const Problem problem,
         prepare(layer_experiment(model, {layer}, {plan.input_step({layer}), of, nullptr}, {}, std::move(places))));
  ThreadPool pool(1);
  Compute compute(pool);
  HL_TRY(const auto trace, run(problem, compute));
  return *trace;
}

void check_opens(const std::string& train) {
  INFO(train);
  const Scratch scratch;
  const fs::path folder = scratch / "learned";
  ThreadPool pool(2);
  Compute compute(pool);
  const auto training = trained(train, folder, compute);
  const Network& network = training->held_out();

  const auto opened = StoredModel::open(folder);
  if (!opened) FAIL(opened.error().message);
  const StoredModel& model = **opened;
  const Status fits = check_arrays(model);
  if (!fits) FAIL(fits.error().message);
  const Tensor& tokens = network.array("tokens");
  std::vector<Index> ids;
  for (Index place = 0; place < tokens.dim(1); ++place) ids.push_back(static_cast<Index>(tokens[place]));

  // The text that it opens with is the example's.
  const auto tokenizer = Tokenizer::open(folder);
  if (!tokenizer) FAIL(tokenizer.error().message);
  const auto read = tokenizer->encode(model.plan().example);
  if (!read) FAIL(read.error().message);
  CHECK(std::vector<Index>(read->ids.begin(), read->ids.end()) == ids);

  const ModelExperiment asked = reading(folder, {{}, {}, {ids}, {}});
  const auto input = model_input(model, asked);
  if (!input) FAIL(input.error().message);
  ModelRunner runner(model, *input, pool);
  const auto trace = runner.run(asked, LayerRecording{true, {}});
  if (!trace) FAIL(trace.error().message);
  CHECK(worst(network.array("logits"), trace->find("logits")->tensor()) < 1e-6);
  const TrainingPlan& plan = training->plan();
  const std::vector<ShownMap> maps = plan.task->maps(plan.options);
  REQUIRE(std::ssize(maps) == model.plan().layers);
  for (Index layer = 0; layer < std::ssize(maps); ++layer) {
    const Tensor& map = trace->find(fmt::format("layer{}/weights", layer))->tensor();
    const Tensor& learned = network.trace_of(maps[static_cast<std::size_t>(layer)].given).find("weights")->tensor();
    CHECK(worst(learned, map) < 1e-6);
    const auto alone = explored(model, asked, layer);
    if (!alone) FAIL(alone.error().message);
    CHECK(worst(alone->find("weights")->tensor(), map) == 0);
  }
  CHECK(ablation_of(runner, *trace, {}).has_value());
}

}  // namespace

TEST_CASE("what has learned opens as the model that it was") {
  check_opens(R"({"task": "repeat"})");
  check_opens(R"({"task": "repeat", "options": {"positions": "learned", "d": 16}})");
  check_opens(R"({"task": "repeat", "options": {"block": "bare", "d": 16, "positions": "sinusoidal"}})");
  check_opens(R"({"task": "order"})");
  check_opens(
      R"({"task": "order", "options": {"kind": "sort", "block": "pre_norm", "positions": "none", "layers": 2}})");
  check_opens(R"({"task": "positions", "options": {"positions": "alibi", "kind": "latest"}})");
  check_opens(R"({"task": "positions", "options": {"layers": 2, "d": 16},
                  "params": {"ffn": true, "kv_heads": 2, "relative": "shaw"}})");
  const std::string text = "what is learned by heart, letter by letter, is told again from its beginning to its end. ";
  check_opens(R"({"task": "text", "options": {"text": ")" + text + text + text + text + text + text + text +
              R"(", "d": 16, "ffn": true}})");
}

TEST_CASE("symbols are typed by their names") {
  const Scratch scratch;
  ThreadPool pool(1);
  Compute compute(pool);
  trained(R"({"task": "repeat", "options": {"symbols": 45, "d": 8}})", scratch / "learned", compute);
  const auto tokenizer = Tokenizer::open(scratch / "learned");
  REQUIRE(tokenizer);
  for (const char* text : {"A B π 41 Ω", "ABπ41Ω"}) {
    const auto read = tokenizer->encode(text);
    REQUIRE(read);
    CHECK(read->ids == std::vector<std::int32_t>{0, 1, 26, 41, 39});
  }
  const auto unknown = tokenizer->encode("A?");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("no token for \"?\"") != std::string::npos);
}

TEST_CASE("a model as it was after a step is a folder within that of its training") {
  const Scratch scratch;
  const fs::path folder = scratch / "learned";
  ThreadPool pool(2);
  Compute compute(pool);
  const auto training = trained(R"({"task": "order", "options": {"d": 8}})", folder, compute);
  const auto newest = model_at(folder / "", steps, compute), fifth = model_at(folder, 5, compute);
  REQUIRE((newest && fifth));
  CHECK(fifth->filename() == "learned-5");
  CHECK(weights_in(*newest) == weights_in(folder));
  CHECK(weights_in(*fifth) != weights_in(folder));
  CHECK(refusal(*fifth) == "no error");
  CHECK_FALSE(is_training_folder(*fifth));
  const auto later = model_at(folder, steps + 1, compute), none = model_at(scratch / "nowhere", 1, compute);
  REQUIRE((!later && !none));
  CHECK(later.error().message.find("has taken 12 steps, not 13") != std::string::npos);
  CHECK(none.error().message.find("nowhere: this is no folder of a training") != std::string::npos);
}

TEST_CASE("what is no stack of layers, or does not fit, is refused in a line") {
  const Scratch scratch;
  ThreadPool pool(2);
  Compute compute(pool);
  trained(R"({"task": "dates", "options": {"level": "words", "d": 8}})", scratch / "dates", compute);
  trained(R"({"task": "frames", "options": {}})", scratch / "frames", compute);
  for (const char* folder : {"dates", "frames"})
    CHECK(refusal(scratch / folder).find("no stack of layers, which a model is: headlight train --from") !=
          std::string::npos);

  const fs::path folder = scratch / "learned";
  trained(R"({"task": "order", "options": {"d": 8, "kind": "sort"}})", folder, compute);
  const auto arrays = open_arrays(folder / "model.safetensors");
  REQUIRE(arrays);
  const auto all = read_all(**arrays);
  REQUIRE(all);
  const auto without = [&](const std::string& name, const std::string& instead) {
    std::vector<ArrayToWrite> kept;
    for (const NamedArray& array : *all)
      if (const std::string as = array.name == name ? instead : array.name; !as.empty())
        kept.push_back({as, array.values});
    REQUIRE(write_safetensors(folder / "model.safetensors", kept));
    return refusal(folder);
  };
  CHECK(without("", "") == "no error");
  CHECK(without("layer0/w_k", "").find("model.safetensors: layer0/w_k is missing") != std::string::npos);
  CHECK(without("layer0/w_k", "layer0/w_x").find("is missing") != std::string::npos);
  CHECK(without("positions", "").find("positions.weight is missing") != std::string::npos);
  without("", "");

  const auto with = [&](const std::string& was, const std::string& now) {
    auto config = read_file(folder / "config.json", 1 << 20);
    REQUIRE(config);
    const auto at = config->find(was);
    REQUIRE(at != std::string::npos);
    const std::string before = *config;
    REQUIRE(write_file(folder / "config.json", config->replace(at, was.size(), now)));
    const std::string said = refusal(folder);
    REQUIRE(write_file(folder / "config.json", before));
    return said;
  };
  CHECK(
      with(R"("symbols": 17)", R"("symbols": 16)").find("embedding.weight is (17, 8), but config.json says (16, 8)") !=
      std::string::npos);
  CHECK(with(R"("d_head": 8)", R"("d_hed": 8)").find("network: params.d_hed is not a parameter of multi_head") !=
        std::string::npos);
  CHECK(with(R"("answers": 16)", R"("answers": "all")").find("answers is \"all\"") != std::string::npos);
}
