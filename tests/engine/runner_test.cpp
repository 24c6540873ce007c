#include "engine/run/runner.h"

#include <chrono>
#include <thread>

#include "tests/catch.h"

using namespace headlight;

namespace {

std::shared_ptr<const Experiment> sentence(std::string text) {
  Experiment experiment = example_experiment();
  std::get<TextInput>(experiment.inputs["x_q"]).text = std::move(text);
  return std::make_shared<const Experiment>(std::move(experiment));
}

std::optional<Outcome> wait_for(Runner& runner) {
  for (int i = 0; i < 20000; ++i) {
    if (auto outcome = runner.poll()) return outcome;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("a run comes back with its ticket, its problem and its trace") {
  Runner runner;
  const auto ticket = runner.submit(sentence("one two three"));
  const auto outcome = wait_for(runner);
  REQUIRE(outcome);
  CHECK(outcome->ticket == ticket);
  REQUIRE(outcome->trace);
  CHECK(outcome->problem->dim("n_q") == 4);
  CHECK(outcome->error.empty());
}

TEST_CASE("the newest of many requests wins") {
  std::atomic<int> woken = 0;
  Runner runner([&] { ++woken; });
  std::uint64_t last = 0;
  for (int i = 0; i < 200; ++i)
    last = runner.submit(sentence(std::string(static_cast<std::size_t>(i % 20) + 1, 'a') + " b"));
  std::optional<Outcome> outcome;
  do outcome = wait_for(runner);
  while (outcome && outcome->ticket != last);
  REQUIRE(outcome);
  CHECK(outcome->problem->labels.at("n_q").at(1).size() == 199 % 20 + 1);
  CHECK_FALSE(runner.poll());
  CHECK(woken.load() >= 1);
}

TEST_CASE("a run that cannot be prepared says why and the runner goes on") {
  Runner runner;
  runner.submit(std::make_shared<const Experiment>(default_experiment("multi_head")));
  const auto failed = wait_for(runner);
  REQUIRE(failed);
  CHECK_FALSE(failed->trace);
  CHECK(failed->error.find("x_q is missing") != std::string::npos);
  runner.submit(sentence("a b"));
  CHECK(wait_for(runner)->trace);
}

TEST_CASE("a cancelled run leaves nothing behind") {
  Runner runner;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "word ";
  runner.submit(sentence(text));
  while (!runner.busy()) std::this_thread::yield();
  runner.cancel();
  for (int i = 0; i < 20000 && runner.busy(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK_FALSE(runner.busy());
}
