// Gradients of a logit through a whole model, against central differences of the logit itself, run to its end with one
// weight moved.
#include "engine/run/model_gradient.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/models/inputs.h"
#include "engine/models/model_experiment.h"
#include "tests/catch.h"

using namespace headlight;
namespace fs = std::filesystem;

namespace {

const fs::path models = fs::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/models";

struct Opened {
  ModelExperiment experiment;
  std::shared_ptr<const Model> model;
  ModelInput input;
  ThreadPool pool{2};
  std::unique_ptr<ModelRunner> runner;
  Trace trace;

  explicit Opened(const std::string& name) {
    const auto parsed = parse_model_experiment(R"({"model": ".", "inputs": {"tokens": {"ids": [1, 5, 9, 2, 5]}}})",
                                               models / name, "test");
    REQUIRE(parsed);
    experiment = *parsed;
    auto opened = Model::open(models / name);
    REQUIRE(opened);
    model = std::move(*opened);
    auto made = model_input(*model, experiment);
    if (!made) FAIL(made.error().message);
    input = std::move(*made);
    runner = std::make_unique<ModelRunner>(*model, input, pool);
    auto ran = runner->run(experiment, KeptOfLayers{true, {}});
    if (!ran) FAIL(ran.error().message);
    trace = std::move(*ran);
  }

  // The logit, with one weight of a layer's map moved by so much.
  double logit_with(const LogitAsked& asked, std::size_t layer, Index head, Index query, Index key, float by) {
    const ModelPlan& plan = model->plan();
    const auto order = plan.order();
    Streams streams{trace.find(plan.steps_of(order[layer]) + "input")->values, nullptr};
    for (std::size_t at = layer; at < order.size(); ++at) {
      const auto prepared = runner->prepare(order[at], streams);
      REQUIRE(prepared);
      Problem problem = **prepared;
      if (at == layer) {
        const auto plain = runner->record(order[at], problem, {});
        REQUIRE(plain);
        const Step& map = *(*plain)->map();
        const Index flat = (head * map.tensor().dim(2) + query) * map.tensor().dim(3) + key;
        Edit edit;
        edit.array = map.info.id;
        edit.at = {Span{0, 0}, Span{head, head}, Span{query, query}, Span{key, key}};
        edit.values = {static_cast<double>(map.tensor()[flat]) + by};
        problem.edits.push_back(edit);
      }
      const auto ran = runner->record(order[at], problem, {});
      if (!ran) FAIL(ran.error().message);
      const auto next = runner->stream_after(order[at], streams, **ran);
      REQUIRE(next);
      streams.x = *next;
    }
    const auto heads = runner->heads(*streams.x);
    REQUIRE(heads);
    const Tensor& logits = *heads->logits;
    const Index row = (logits.dim(1) - 1) * logits.dim(2);
    return static_cast<double>(logits[row + asked.token]) - (asked.against ? logits[row + *asked.against] : 0.0F);
  }
};

}  // namespace

TEST_CASE("gradients of a logit are what the logit changes by, through every kind of plain layer") {
  for (const std::string name :
       {"gpt2", "llama", "mistral", "qwen2", "qwen3", "gemma", "gemma3", "phi3", "gpt_neox", "gpt_neox_in_turn"}) {
    INFO(name);
    Opened opened(name);
    for (const std::optional<Index> against : {std::optional<Index>(), std::optional<Index>(3)}) {
      const LogitAsked asked{.token = 2, .against = against};
      const auto made = gradients_of_logit(*opened.runner, opened.trace, asked);
      if (!made) FAIL(made.error().message);
      CHECK(made->logit == Approx(opened.logit_with(asked, 0, 0, 0, 0, 0)).margin(2e-5));
      for (std::size_t layer = 0; layer < made->weights.size(); ++layer) {
        const Tensor& gradients = made->gradients[layer];
        const Index heads = gradients.dim(0), n = gradients.dim(1);
        double largest = 0;
        for (Index i = 0; i < gradients.size(); ++i)
          largest = std::max(largest, std::abs(static_cast<double>(gradients[i])));
        for (Index head = 0; head < heads; ++head)
          for (Index query = 0; query < n; ++query) {
            const Index key = (query * 2 + head) % (query + 1);  // one that it sees
            constexpr float by = 0.01F;
            const double differs = (opened.logit_with(asked, layer, head, query, key, by) -
                                    opened.logit_with(asked, layer, head, query, key, -by)) /
                                   (2.0 * by);
            const double gradient = gradients[(head * n + query) * n + key];
            INFO("layer " << layer << " head " << head << " query " << query << " key " << key);
            CHECK(gradient == Approx(differs).margin(0.02 * largest + 2e-4));
          }
      }
    }
  }
}

TEST_CASE("relevance begins as each token's own, and grows by what pushes the logit up") {
  Opened opened("gpt2");
  const auto made = gradients_of_logit(*opened.runner, opened.trace, {.token = 2, .against = 3});
  REQUIRE(made);
  const Index n = made->relevance.dim(0);
  REQUIRE(n == 5);
  CHECK(made->place == 4);
  // By the formula once more, in its plain order.
  std::vector<double> relevance(static_cast<std::size_t>(n * n), 0);
  for (Index i = 0; i < n; ++i) relevance[static_cast<std::size_t>(i * n + i)] = 1;
  for (std::size_t layer = 0; layer < made->weights.size(); ++layer) {
    const Tensor &a = made->weights[layer], &g = made->gradients[layer];
    std::vector<double> next = relevance;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        for (Index k = 0; k < n; ++k)
          for (Index m = 0; m < a.dim(0); ++m)
            next[static_cast<std::size_t>(i * n + j)] +=
                std::max(0.0, static_cast<double>(a[(m * n + i) * n + k]) * g[(m * n + i) * n + k]) /
                static_cast<double>(a.dim(0)) * relevance[static_cast<std::size_t>(k * n + j)];
    relevance = next;
  }
  for (Index i = 0; i < n * n; ++i)
    CHECK(made->relevance[i] == Approx(relevance[static_cast<std::size_t>(i)]).margin(1e-5));
  for (Index i = 0; i < n; ++i) CHECK(made->relevance[i * n + i] >= 1);
  double all = 0;
  for (Index i = 0; i < made->weights[0].size() / made->weights[0].dim(0); ++i)
    all += static_cast<double>(made->weights[0][i]) * made->gradients[0][i];
  CHECK(made->of_head(0, 0) == Approx(all));
}

TEST_CASE("what has no such gradients says why") {
  Opened bert("bert");
  const auto transformed = gradients_of_logit(*bert.runner, bert.trace, {.token = 2});
  REQUIRE_FALSE(transformed);
  CHECK_THAT(transformed.error().message, ContainsSubstring("more than the last norm and one product"));
  Opened gpt2("gpt2");
  CHECK_THAT(gradients_of_logit(*gpt2.runner, gpt2.trace, {.token = 999}).error().message,
             ContainsSubstring("token 999: there are"));
  CHECK_THAT(gradients_of_logit(*gpt2.runner, gpt2.trace, {.place = 5, .token = 1}).error().message,
             ContainsSubstring("place 5: there are 5"));
}
