// Gradients of logits with respect to attention weights: against differences of the logit itself, in every kind of
// layer.
#include "engine/run/logit_gradients.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/learn/training_file.h"
#include "engine/learn/training_folder.h"
#include "engine/models/inputs.h"
#include "engine/run/step_input.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

namespace fs = std::filesystem;

const fs::path models = fs::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/models";

// A model that has run.
struct RunResult {
  ModelExperiment experiment;
  std::shared_ptr<const StoredModel> model;
  ModelInput input;
  ThreadPool pool{1};
  std::unique_ptr<ModelRunner> runner;
  Trace trace;
  KeptProblems problems;

  RunResult(const std::string& json, const fs::path& folder) {
    experiment = *parse_model_experiment(json, folder, "input.json");
    model = *StoredModel::open(folder / experiment.model);
    if (!experiment.tokens && !model->plan().example.empty())
      experiment.tokens = TokensInput{model->plan().example, {}, {}, {}};
    input = *model_input(*model, experiment);
    runner = std::make_unique<ModelRunner>(*model, input, pool);
    auto ran = runner->run(experiment, {.maps = true, .all_of = {}});
    if (!ran) FAIL(ran.error().message);
    trace = std::move(*ran);
  }
  Result<LogitGradients> gradients(const LogitAsked& asked) {
    return logit_gradients(*runner, trace, asked, experiment.ablate);
  }
  const ModelPlan& plan() const { return model->plan(); }
};

std::unique_ptr<RunResult> ran_of(const std::string& name) {
  std::ostringstream json;
  json << std::ifstream(models / name / "input.json", std::ios::binary).rdbuf();
  return std::make_unique<RunResult>(json.str(), models / name);
}

struct Cell {
  Index layer, head, query, key;
};

// What is asked for where a weight is set to another number.
double with_weight(RunResult& ran, const LogitAsked& asked, const Cell& cell, double weight) {
  const ModelPlan& plan = ran.plan();
  Streams streams{ran.trace.find(plan.steps_of({cell.layer}) + "input")->values, nullptr};
  for (Index l = cell.layer; l < plan.layers; ++l) {
    Problem problem = *ran.problems.get(*ran.runner, {l}, streams);
    if (l == cell.layer) {
      const Step* map = ran.trace.find(plan.steps_of({l}) + "weights");
      REQUIRE(map);
      Edit edit{.array = "weights", .at = {}, .values = {weight}};
      for (const Index at : {asked.item, cell.head, cell.query, cell.key}) edit.at.push_back(Span{at, at});
      problem.edits.push_back(edit);
    }
    const auto one = ran.runner->record({l}, problem, heads_off_in(ran.experiment.ablate, {l}));
    REQUIRE(one);
    streams.x = *ran.runner->stream_after({l}, streams, **one);
  }
  return ran.runner->logit_gradient(*streams.x, asked)->value;
}

// The difference quotient, of two widths so that the cubic term goes out; nothing where it bends between them.
std::optional<double> slope(RunResult& ran, const LogitAsked& asked, const Cell& cell, double weight) {
  const auto over = [&](double h) {
    return (with_weight(ran, asked, cell, weight + h) - with_weight(ran, asked, cell, weight - h)) / (2 * h);
  };
  const double narrow = over(0.005), wide = over(0.01);
  if (std::abs(narrow - wide) > 1e-3 * (1 + std::abs(narrow))) return std::nullopt;
  return (4 * narrow - wide) / 3;
}

// Of every third weight that is not 0, for the difference of two logits.
void check_gradients(RunResult& ran) {
  const Index n = ran.trace.find("layer0/input")->tensor().dim(1),
              items = ran.trace.find("layer0/input")->tensor().dim(0);
  const LogitAsked asked{items - 1, n - 1, 4, 2};
  const auto made = ran.gradients(asked);
  if (!made) FAIL(made.error().message);
  const Tensor& logits = ran.trace.find("logits")->tensor();
  const float* row = logits.data() + ((items - 1) * n + n - 1) * logits.dim(-1);
  CHECK(std::abs(made->value - (static_cast<double>(row[4]) - row[2])) < 1e-5 * (1 + std::abs(made->value)));
  double largest = 0, off = 0;
  Index checked = 0, bent = 0;
  for (Index l = 0; l < ran.plan().layers; ++l) {
    const Tensor &weights = made->weights[static_cast<std::size_t>(l)],
                 &gradients = made->gradients[static_cast<std::size_t>(l)];
    for (Index at = l; at < weights.size(); at += 3) {
      if (weights[at] == 0) continue;
      const Cell cell{l, at / (n * n), at / n % n, at % n};
      const auto wanted = slope(ran, asked, cell, weights[at]);
      ++(wanted ? checked : bent);
      if (!wanted) continue;
      largest = std::max(largest, std::abs(*wanted));
      off = std::max(off, std::abs(*wanted - gradients[at]));
    }
  }
  CHECK(checked > 5 + 5 * bent);
  CHECK(largest > 1e-3);
  CHECK(off < 1e-2 * largest + 1e-4);
}

void learn_a_little(const std::string& train, const fs::path& folder) {
  ThreadPool pool(2);
  Compute compute(pool);
  std::vector<std::string> notices;
  auto plan = learn::parse_training(R"({"train": )" + train + "}", {}, "test", notices);
  if (!plan) FAIL(plan.error().message);
  const auto training = learn::Training::make(std::move(*plan), compute);
  REQUIRE(training);
  while ((*training)->step() < 3) (*training)->take_step(compute);
  const auto figures = (*training)->measure(compute);
  REQUIRE(figures);
  REQUIRE(learn::write_training(folder, **training, {{}, {{3, *figures}}}));
}

}  // namespace

TEST_CASE("gradients of a logit are its differences, in layers of every architecture") {
  std::set<std::string> refused;
  for (const auto& folder : fs::directory_iterator(models)) {
    const std::string name = folder.path().filename().string();
    INFO(name);
    const auto ran = ran_of(name);
    const auto made = ran->gradients({});
    if (made) {
      check_gradients(*ran);
      continue;
    }
    refused.insert(name);
    CHECK((made.error().message.find("one stack of layers") != std::string::npos ||
           made.error().message.find("no logits of tokens") != std::string::npos));
  }
  CHECK(refused == std::set<std::string>{"bart", "bert", "clip", "deit", "dinov2", "swin", "t5", "t5_encoder",
                                         "t5_encoder_embedded", "t5_gated", "t5_start", "whisper"});
}

TEST_CASE("gradients of a logit are its differences where a network that learned has norms and sums of its own") {
  for (const char* train : {R"({"task": "repeat", "options": {"d": 16}})",
                            R"({"task": "repeat", "options": {"block": "bare", "d": 16, "positions": "learned"}})",
                            R"({"task": "positions", "options": {"layers": 2, "d": 16}, "params": {"ffn": true}})"}) {
    INFO(train);
    const Scratch scratch;
    const fs::path folder = scratch / "learned";
    learn_a_little(train, folder);
    RunResult ran(R"({"model": "."})", folder);
    check_gradients(ran);
  }
}

TEST_CASE("relevance adds what each layer hands on to what came before") {
  const auto ran = ran_of("llama");
  const auto made = ran->gradients({0, 3, 4, {}});
  REQUIRE(made);
  const Index n = made->relevance.dim(1), heads = made->weights[0].dim(0);
  std::vector<double> before(static_cast<std::size_t>(n * n));
  for (Index i = 0; i < n; ++i) before[static_cast<std::size_t>(i * n + i)] = 1;
  for (Index l = 0; l < made->relevance.dim(0); ++l) {
    const Tensor &weights = made->weights[static_cast<std::size_t>(l)],
                 &gradients = made->gradients[static_cast<std::size_t>(l)];
    const auto mean = [&](Index i, Index k) {
      double sum = 0;
      for (Index m = 0; m < heads; ++m) {
        const Index at = (m * n + i) * n + k;
        sum += std::max(0.0, static_cast<double>(weights[at]) * gradients[at]);
      }
      return sum / static_cast<double>(heads);
    };
    std::vector<double> now = before;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        for (Index k = 0; k < n; ++k)
          now[static_cast<std::size_t>(i * n + j)] += mean(i, k) * before[static_cast<std::size_t>(k * n + j)];
        CHECK(std::abs(made->relevance[(l * n + i) * n + j] - now[static_cast<std::size_t>(i * n + j)]) < 1e-5);
      }
    before = now;
  }
  // What comes later than the place that is asked for has no part in its logit, nor has a hidden key in any.
  CHECK(made->relevance[(n - 1) * n + 0] == 0);
  CHECK(made->relevance[(made->relevance.dim(0) * n - n + 3) * n] > 0);
}

TEST_CASE("what no gradient of a logit can be of is refused in a line") {
  const auto ran = ran_of("gpt2");
  const auto said = [&](const LogitAsked& asked) { return ran->gradients(asked).error().message; };
  CHECK(said({2, 0, 0, {}}) == "item 2 is not there: it must be 0 to 1");
  CHECK(said({0, 5, 0, {}}) == "place 5 is not there: it must be 0 to 4");
  CHECK(said({0, 0, 11, {}}) == "token 11 is not there: it must be 0 to 10");
  CHECK(said({0, 0, 1, 11}) == "token 11 is not there: it must be 0 to 10");
}
