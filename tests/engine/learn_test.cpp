// Networks that learn: their gradients against central differences in double, optimizers against their formulas, and
// trainings that can be left and gone on with. Behaviour of the tasks is in tasks_test.cpp.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/core/random.h"
#include "engine/learn/part_experiment.h"
#include "engine/learn/training_file.h"
#include "engine/learn/training_folder.h"
#include "engine/run/prepare.h"
#include "engine/variants/recorder.h"
#include "tests/catch.h"
#include "tests/engine/doubles.h"
#include "tests/engine/problems.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::learn;
using namespace headlight::test;

namespace {

TrainingPlan plan_of(const std::string& task, const std::string& options, const std::string& more = "") {
  std::vector<std::string> notices;
  auto plan =
      parse_training(fmt::format(R"({{"train": {{"task": "{}", "options": {}, "seed": 3{}}}}})", task, options, more),
                     {}, "test", notices);
  INFO(task << " " << options);
  if (!plan) FAIL(plan.error().message);
  CHECK(notices.empty());
  return *plan;
}

// The network of a plan's first step again in double precision, as a function of its weights.
class DoubleNetwork {
 public:
  DoubleNetwork(const Network& network, std::vector<Part> parts) : network_(network), parts_(std::move(parts)) {
    for (const Part& part : parts_) doubles_.emplace_back(network.trace_of(part.gives));
  }

  double loss(const std::string& weight, std::size_t cell, double by) {
    std::map<std::string, DoubleNumbers> made;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      IdSet given;
      for (const auto& [id, name] : part.reads) given.insert(id);
      const ArraySpecs specs = part.variant->arrays(part.params, given);
      const Trace& trace = network_.trace_of(part.gives);
      for (const auto* list : {&specs.inputs, &specs.weights})
        for (const ArraySpec& spec : *list) {
          if (!trace.find(id_in_trace(spec))) continue;
          const auto read = part.reads.find(spec.id);
          if (read == part.reads.end() && list == &specs.inputs) continue;
          const std::string name = read == part.reads.end() ? part.prefix + spec.id : read->second;
          DoubleNumbers& numbers = doubles_[i].of(id_in_trace(spec));
          if (const auto found = made.find(name); found != made.end())
            numbers = found->second;
          else
            numbers.assign(network_.array(name).values().begin(), network_.array(name).values().end());
          if (name == weight) numbers[cell] += by;
        }
      doubles_[i].run();
      made[part.gives] = doubles_[i].of(part.result);
    }
    return made.at(parts_.back().gives).front();
  }

 private:
  const Network& network_;
  std::vector<Part> parts_;
  std::vector<Doubles> doubles_;
};

struct Case {
  const char* task;
  const char* options;
  const char* more = "";
};
// Small, and together of every part and every way that a block is put together.
const std::vector<Case> small_networks{
    {"repeat", R"({"d": 8, "symbols": 5, "length": 4, "shortest": 2, "batch": 2})"},
    {"repeat", R"({"d": 8, "symbols": 5, "length": 3, "shortest": 2, "batch": 2, "positions": "alibi", "layers": 1})"},
    {"repeat",
     R"({"d": 8, "symbols": 5, "length": 3, "shortest": 2, "batch": 2, "residual": 0, "positions": "learned"})"},
    {"repeat", R"({"d": 4, "symbols": 4, "length": 3, "shortest": 2, "batch": 1, "layers": 1})",
     R"(, "params": {"qk_norm": "l2", "softcap": 5, "norm": "rms_norm", "ffn": true, "ffn_activation": "gelu"})"},
    {"repeat", R"({"d": 4, "symbols": 4, "length": 3, "shortest": 2, "batch": 1, "layers": 1, "positions": "none"})",
     R"(, "params": {"relative": "shaw", "clip": 2, "bias": true})"},
    {"order", R"({"d": 8, "symbols": 4, "length": 3, "batch": 2, "residual": 1, "layers": 2})"},
    {"order", R"({"d": 8, "symbols": 5, "length": 3, "batch": 2, "kind": "sort", "positions": "sinusoidal"})"},
    {"positions", R"({"d": 8, "heads": 2, "symbols": 6, "length": 6, "batch": 2, "kind": "latest"})"},
    {"dates", R"({"d": 8, "encoder_heads": 2, "hidden": 4, "batch": 1, "level": "words"})"},
    {"dates",
     R"({"d": 8, "encoder_heads": 2, "heads": 2, "batch": 1, "attention": "dot", "level": "words", "values": "contextual"})"},
    {"picture", R"({"size": 3, "mid": 4, "batch": 2, "heads": 2, "right": 1})"},
    {"picture", R"({"size": 3, "mid": 4, "batch": 1, "task": "conv", "heads": 2, "out": 2, "content": 0})"},
    {"frames", R"({"size": 2, "dots": 2, "inter": 3, "batch": 2, "scale": 0.5})"},
    {"frames", R"({"size": 2, "dots": 2, "inter": 3, "batch": 2, "mode": "dot_product", "ask": "place"})"},
    {"text",
     R"({"text": "the same again and again the same, but not the same as ever before, they say: again and the same", "length": 5, "d": 8, "heads": 2, "batch": 2, "layers": 1, "ffn": 1})"},
};

void check_gradients(const Case& of) {
  const TrainingPlan plan = plan_of(of.task, of.options, of.more);
  ThreadPool pool(2);
  Compute compute(pool);
  Numbers weights;
  const NetworkPlan parts = plan.task->plan(plan.options);
  const auto network =
      Network::make(parts, plan.task->batch(plan.seed, 0, plan.options), weights, plan.seed, true, compute);
  if (!network) FAIL(network.error().message);
  // Another batch: what was recorded with the first is carried out again.
  (*network)->read(plan.task->batch(plan.seed, 1, plan.options));
  const double loss = (*network)->forward(compute);
  (*network)->backward(compute);
  for (const Part& part : parts.parts) {
    INFO(part.gives);
    CHECK(first_disagreement((*network)->trace_of(part.gives)) == "");
  }
  DoubleNetwork doubles(**network, parts.parts);
  CHECK(loss == Approx(doubles.loss("", 0, 0)).epsilon(1e-5));
  CHECK_FALSE((*network)->trained().empty());
  Random random(5, of.options);
  for (const std::string& name : (*network)->trained()) {
    INFO(name);
    const Tensor& gradient = (*network)->gradient(name);
    float largest = 0;
    for (const float g : gradient.values()) largest = std::max(largest, std::abs(g));
    for (int tries = 0; tries < 4; ++tries) {
      const auto cell = static_cast<std::size_t>(random.uniform() * static_cast<double>(gradient.size()));
      constexpr double h = 1e-5;
      const double difference = (doubles.loss(name, cell, h) - doubles.loss(name, cell, -h)) / (2 * h);
      INFO("cell " << cell);
      CHECK(std::abs(gradient[static_cast<Index>(cell)] - difference) <= 1e-4 * static_cast<double>(largest) + 1e-7);
    }
  }
}

std::vector<double> losses_of(Training& training, Compute& compute, Index steps) {
  std::vector<double> losses;
  for (Index step = 0; step < steps; ++step) losses.push_back(training.take_step(compute));
  return losses;
}

const Case one{"order", R"({"d": 16, "batch": 8})"};

}  // namespace

TEST_CASE("gradients of networks are those of central differences, on batches that came later") {
  for (const Case& each : small_networks) {
    INFO(each.task << " " << each.options << each.more);
    check_gradients(each);
  }
}

TEST_CASE("optimizers take the steps of their formulas") {
  constexpr double rate = 0.02, decay = 0.1, longest = 1.5;
  for (const std::string type : {"adam", "adamw", "sgd"}) {
    INFO(type);
    ParamValues settings = ParamValues::defaults(optimizer_settings());
    settings.set("type", type);
    settings.set("weight_decay", decay);
    settings.set("clip", longest);
    const auto weight = std::make_shared<Tensor>(drawn({3, 5}, 1));
    Tensor gradient = drawn({3, 5}, 2);
    Optimizer optimizer(settings, {{"w", weight, &gradient, nullptr, nullptr}});
    std::vector<double> w(weight->values().begin(), weight->values().end()), m(w.size()), v(w.size());
    ThreadPool pool(2);
    Compute compute(pool);
    for (int t = 1; t <= 5; ++t) {
      gradient = drawn({3, 5}, static_cast<std::uint64_t>(10 + t));
      double squares = 0;
      for (const float g : gradient.values()) squares += static_cast<double>(g) * g;
      const double clip = std::min(1.0, longest / std::sqrt(squares));
      optimizer.step(rate, compute);
      for (std::size_t i = 0; i < w.size(); ++i) {
        double g = clip * gradient[static_cast<Index>(i)];
        if (type == "adamw")
          w[i] *= 1 - rate * decay;
        else
          g += decay * w[i];
        if (type == "sgd") {
          m[i] = 0.9 * m[i] + g;
          w[i] -= rate * m[i];
        } else {
          m[i] = 0.9 * m[i] + 0.1 * g;
          v[i] = 0.999 * v[i] + 0.001 * g * g;
          w[i] -= rate * (m[i] / (1 - std::pow(0.9, t))) / (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-8);
        }
        CHECK((*weight)[static_cast<Index>(i)] == Approx(w[i]).epsilon(1e-4).margin(1e-6));
      }
    }
    CHECK(optimizer.steps() == 5);
  }
}

TEST_CASE("a rate warms up and decays") {
  ParamValues settings = ParamValues::defaults(optimizer_settings());
  settings.set("warmup", Index{4});
  settings.set("decay", std::string("cosine"));
  Optimizer optimizer(settings, {});
  std::vector<double> rates;
  for (Index step : {0, 1, 3, 4, 12, 20}) {
    optimizer.resume_at(step);
    rates.push_back(optimizer.rate(1, 20));
  }
  CHECK(rates[0] == Approx(0.25));
  CHECK(rates[1] == Approx(0.5));
  CHECK(rates[2] == Approx(1));
  CHECK(rates[3] == Approx(1));
  CHECK(rates[4] == Approx(0.5));
  CHECK(rates[5] == Approx(0).margin(1e-12));
}

TEST_CASE("the same seed gives the same bits with any number of threads") {
  for (const Case& each :
       {Case{"repeat", R"({"d": 16, "batch": 6})"}, one, Case{"picture", R"({"size": 5, "batch": 3})"},
        Case{"frames", R"({"size": 3, "batch": 4})"}}) {
    INFO(each.task);
    std::vector<std::vector<double>> losses;
    for (const int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      Compute compute(pool);
      const auto training = Training::make(plan_of(each.task, each.options), compute);
      REQUIRE(training);
      losses.push_back(losses_of(**training, compute, 8));
      CHECK(losses.back() == losses.front());
    }
  }
}

TEST_CASE("a training goes on from a snapshot and from its folder with the bits that would have come") {
  const Scratch folder;
  ThreadPool pool(2);
  Compute compute(pool);
  auto training = Training::make(plan_of(one.task, one.options), compute);
  REQUIRE(training);
  Curves curves{losses_of(**training, compute, 5), {}};
  const Snapshot middle = (*training)->snapshot();
  const auto figures = (*training)->measure(compute);
  REQUIRE(figures);
  CHECK(figures->contains("loss"));
  for (const FigureWords& figure : (*training)->plan().task->figures()) CHECK(figures->contains(figure.id));
  curves.figures[5] = *figures;
  REQUIRE(write_training(folder / "kept", **training, curves));
  CHECK(is_training_folder(folder / "kept"));
  const std::vector<double> rest = losses_of(**training, compute, 5);
  std::vector<double> whole = curves.losses;
  whole.insert(whole.end(), rest.begin(), rest.end());
  {
    const Snapshot end = (*training)->snapshot();
    whole.push_back((*training)->take_step(compute));
    REQUIRE((*training)->restore(end));
  }

  REQUIRE((*training)->restore(middle));
  CHECK((*training)->step() == 5);
  CHECK(losses_of(**training, compute, 5) == rest);

  auto opened = open_training(folder / "kept");
  if (!opened) FAIL(opened.error().message);
  CHECK(opened->snapshot.step == 5);
  CHECK(losses_as_csv(opened->curves) == losses_as_csv(curves));
  CHECK(opened->curves.figures.at(5) == *figures);
  CHECK(to_json(opened->plan) == to_json((*training)->plan()));
  auto again = Training::make(opened->plan, compute);
  REQUIRE(again);
  REQUIRE((*again)->restore(opened->snapshot));
  CHECK(losses_of(**again, compute, 5) == rest);

  REQUIRE(write_snapshot(folder / "kept", middle));
  REQUIRE((*again)->restore(middle));
  REQUIRE(write_training(folder / "kept", **training, curves));
  for (const Index step : {0, 3, 5, 7, 10}) {
    INFO("step " << step);
    const auto then = training_at(folder / "kept", step, compute);
    if (!then) FAIL(then.error().message);
    CHECK((*then)->step() == step);
    CHECK((*then)->take_step(compute) == whole[static_cast<std::size_t>(step)]);
  }
  CHECK_FALSE(training_at(folder / "kept", 11, compute));

  auto other = Training::make(plan_of("order", R"({"d": 8, "batch": 8})"), compute);
  REQUIRE(other);
  const Status refused = (*other)->restore(opened->snapshot);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, ContainsSubstring("has the shape (17, 16): this network needs (17, 8)"));
}

TEST_CASE("a loss that is no number says at which step and in which array it was first") {
  ThreadPool pool(2);
  Compute compute(pool);
  auto training = Training::make(plan_of("order", R"({"lr": 1e30})"), compute);
  REQUIRE(training);
  Index steps = 0;
  while (!(*training)->broken() && steps++ < 20) (*training)->take_step(compute);
  REQUIRE((*training)->broken());
  CHECK((*training)->broken()->step == 1);
  CHECK_THAT((*training)->broken()->array, ContainsSubstring(": "));
}

TEST_CASE("a part of a network on one example is an experiment with the same numbers, also from its file") {
  for (const auto& [of, given, step] :
       {std::tuple{Case{"repeat", R"({"d": 8, "symbols": 5, "length": 4, "shortest": 2, "batch": 3})"}, "x2",
                   "weights"},
        std::tuple{Case{"order", R"({"d": 8, "length": 4, "batch": 2})"}, "x1", "weights"},
        std::tuple{Case{"dates", R"({"d": 8, "encoder_heads": 2, "hidden": 4, "batch": 2})"}, "found", "output"},
        std::tuple{Case{"picture", R"({"size": 4, "mid": 4, "batch": 2})"}, "said", "output"},
        std::tuple{Case{"frames", R"({"size": 3, "inter": 4, "batch": 2, "scale": 0.5})"}, "found", "head_outputs"}}) {
    INFO(of.task);
    const TrainingPlan plan = plan_of(of.task, of.options);
    ThreadPool pool(2);
    Compute compute(pool);
    Numbers weights;
    const auto network = Network::make(plan.task->plan(plan.options), plan.task->batch(plan.seed, 0, plan.options),
                                       weights, plan.seed, true, compute);
    REQUIRE(network);
    const Experiment experiment = experiment_of(**network, given, 1, {});
    for (const Experiment& each : {experiment, *parse_experiment(to_json(experiment, {}), {}, "again")}) {
      const auto problem = prepare(each);
      if (!problem) FAIL(problem.error().message);
      const auto trace = test::run(*problem);
      REQUIRE(trace);
      const Tensor &expected = (*network)->trace_of(given).find(step)->tensor(), &got = trace->find(step)->tensor();
      REQUIRE(got.size() * expected.dim(0) == expected.size());
      for (Index cell = 0; cell < got.size(); ++cell)
        REQUIRE(got[cell] == Approx(expected[got.size() + cell]).epsilon(1e-5).margin(1e-6));
    }
  }
}

TEST_CASE("of a text no more is kept than is learned, and the same is learned from what is kept") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "one  fish\n two fish, red fish ";
  const TrainingPlan plan =
      plan_of("text", fmt::format(R"({{"text": {}, "length": 8, "kilobytes": 0.5}})", nlohmann::json(text).dump()));
  CHECK(plan.options.texts.at("text").size() == 500);
  CHECK(plan.options.texts.at("text").starts_with("one fish two fish, red fish one"));
  std::vector<std::string> notices;
  const auto again = parse_training(to_json(plan), {}, "again", notices);
  REQUIRE(again);
  CHECK(again->options.texts == plan.options.texts);
}

TEST_CASE("what is to be learned is read whole, or refused in a line that says where") {
  const TrainingPlan plan = plan_of("repeat", R"({"scale": "auto", "residual": 0, "lr": 1, "clip": 2})",
                                    R"(, "steps": 7, "params": {"ffn": true}, "optimizer": {"beta1": 0.8})");
  CHECK(plan.options.values.is_automatic("scale"));
  CHECK_FALSE(plan.options.values.flag("residual"));
  CHECK(plan.options.values.real("lr") == 1);
  CHECK(plan.optimizer.real("clip") == 2);
  CHECK(plan.optimizer.real("beta1") == 0.8);
  CHECK(plan.steps == 7);
  CHECK(std::get<bool>(plan.options.params.at("ffn")));
  std::vector<std::string> notices;
  const auto again = parse_training(to_json(plan), {}, "again", notices);
  REQUIRE(again);
  CHECK(to_json(*again) == to_json(plan));

  const std::vector<std::pair<std::string, std::string>> wrong{
      {R"([])", "this is an array: a training is a JSON object"},
      {R"({"headlight": 1})", "train is missing"},
      {R"({"train": 3})", "train is 3: it must be an object"},
      {R"({"train": {"task": "repeet"}})", R"(train.task "repeet" is not known: did you mean repeat?)"},
      {R"({"train": {"task": "repeat", "options": {"layer": 2}}})",
       "train.options.layer is not an option of repeat: did you mean layers?"},
      {R"({"train": {"task": "repeat", "options": {"layers": 99999999}}})",
       "train.options.layers is 99999999: it must be"},
      {R"({"train": {"task": "repeat", "options": {"heads": 3}}})", "options.heads 3 does not divide options.d 64"},
      {R"({"train": {"task": "repeat", "options": {"symbols": 4}}})",
       "options.symbols 4 is fewer than options.length 16"},
      {R"({"train": {"task": "repeat", "params": {"headz": 4}}})",
       "train.params.headz is not a parameter of multi_head: did you mean heads?"},
      {R"({"train": {"task": "picture", "params": {"ffn": true}}})",
       "params.ffn is of multi_head, and this network has none"},
      {R"({"train": {"task": "repeat", "params": {"heads": 4}}})",
       "train.params.heads is set by the task's own options"},
      {R"({"train": {"task": "dates", "params": {"block": "bare"}}})",
       "train.params.block is set by the task's own options"},
      {R"({"train": {"options": {}}})", "train.task is missing: it is one of repeat, order"},
      {R"({"train": {"task": "repeat", "option": {}}})", "train.option is not known: did you mean options?"},
      {R"({"train": {"task": "repeat", "optimizer": {"type": "lion"}}})",
       "train.optimizer.type is \"lion\": it must be"},
      {R"({"train": {"task": "repeat", "steps": 0}})", "train.steps is 0: it must be"},
      {R"({"train": {"task": "repeat", "changes": 1}})", "train.changes is 1: it must be a list"},
      {R"({"train": {"task": "repeat", "changes": [{"step": 5, "head": "1.0"}]}})", "train.changes[0].to is missing"},
      {R"({"train": {"task": "repeat", "changes": [{"step": 5, "head": "1", "to": "off"}]}})",
       "train.changes[0].head: \"1\" is no head"},
      {R"({"train": {"task": "repeat", "changes": [{"step": 5, "head": "1.0", "to": "of"}]}})",
       "train.changes[0].to is \"of\": it must be"},
      {R"({"train": {"task": "text"}})", "options.text is empty: give a text, or \"file\" with the path of one"},
      {R"({"train": {"task": "text", "options": {"text": "short"}}})", "options.text has 5 letters"},
      {R"({"train": {"task": "text", "options": {"file": "not-there.txt"}}})", "train.options.file: not-there.txt"},
      {R"({"train": {"task": "frames", "options": {"dots": 40}}})", "options.dots 40 is more than the 36 pixels"},
      {R"({"train": {"task": "picture", "options": {"mid": 15}}})", "options.mid 15 is odd"},
  };
  for (const auto& [json, message] : wrong) {
    INFO(json);
    const auto refused = parse_training(json, {}, "task.headlight", notices);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring(message));
    CHECK(refused.error().message.starts_with("task.headlight: "));
    CHECK(refused.error().message.find('\n') == std::string::npos);
  }
}
