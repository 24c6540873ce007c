#include "engine/run/queue/runner.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <semaphore>
#include <thread>

#include "engine/run/queue/run_queue.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

std::shared_ptr<const Experiment> sentence(std::string text) {
  Experiment experiment = example_experiment();
  std::get<TextInput>(experiment.inputs["x_q"]).text = std::move(text);
  return std::make_shared<const Experiment>(std::move(experiment));
}

// Long enough to be met under way.
std::shared_ptr<const Experiment> long_run() {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "word ";
  return sentence(text);
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
  RunQueue queue;
  Runner runner(queue);
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
  RunQueue queue([&] { ++woken; });
  Runner runner(queue);
  std::uint64_t last = 0;
  for (int i = 0; i < 200; ++i)
    last = runner.submit(sentence(std::string(static_cast<std::size_t>(i % 20) + 1, 'a') + " b"));
  std::optional<Outcome> outcome;
  do outcome = wait_for(runner);
  while (outcome && outcome->ticket != last);
  REQUIRE(outcome);
  CHECK(outcome->problem->labels.at("n_q").at(1).size() == 199 % 20 + 1);
  CHECK_FALSE(runner.poll());
  // A result can be polled before its news is told.
  for (int i = 0; i < 20000 && woken == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(woken.load() >= 1);
}

TEST_CASE("a run that cannot be prepared says why and the runner goes on") {
  RunQueue queue;
  Runner runner(queue);
  runner.submit(std::make_shared<const Experiment>(default_experiment("multi_head")));
  const auto failed = wait_for(runner);
  REQUIRE(failed);
  CHECK_FALSE(failed->trace);
  CHECK(failed->error.find("x_q is missing") != std::string::npos);
  runner.submit(sentence("a b"));
  CHECK(wait_for(runner)->trace);
}

TEST_CASE("a run that is cancelled under way leaves nothing behind, and the runner goes on") {
  RunQueue queue;
  Runner runner(queue);
  const auto cancelled = runner.submit(long_run());
  while (runner.progress() == 0 && runner.busy()) std::this_thread::yield();
  REQUIRE(runner.busy());
  runner.cancel();
  while (runner.busy()) std::this_thread::yield();
  CHECK_FALSE(runner.poll());
  CHECK(runner.elapsed() == 0);
  const auto next = runner.submit(sentence("a b"));
  CHECK(next > cancelled);
  const auto outcome = wait_for(runner);
  REQUIRE(outcome);
  CHECK(outcome->ticket == next);
}

TEST_CASE("what is done stays valid when the next is asked for and cancelled") {
  std::atomic<int> done = 0;
  RunQueue queue([&] { ++done; });
  Runner runner(queue);
  const auto first = runner.submit(sentence("a b"));
  while (done == 0) std::this_thread::yield();
  runner.submit(long_run());
  runner.cancel();
  const auto outcome = wait_for(runner);
  REQUIRE(outcome);
  CHECK(outcome->ticket == first);
}

TEST_CASE("main runs come before side runs, and among equals the newest first") {
  std::binary_semaphore all_asked(0);
  std::mutex mutex;
  std::vector<std::uint64_t> order;
  std::atomic<int> told = 0;  // the last thing that the worker does with what is here
  RunQueue::Client *main_runs = nullptr, *side_runs = nullptr;
  RunQueue queue([&] {
    for (auto* client : {main_runs, side_runs})
      while (const auto outcome = client->poll()) {
        const std::scoped_lock lock(mutex);
        order.push_back(outcome->ticket);
      }
    if (order.size() == 1) all_asked.acquire();  // the worker waits here until all others are asked for
    ++told;
  });
  RunQueue::Client main(queue, RunRank::main), side(queue, RunRank::side);
  main_runs = &main;
  side_runs = &side;
  const auto gate = main.ask(sentence("gate"), 0);
  const auto how_many = [&] {
    const std::scoped_lock lock(mutex);
    return order.size();
  };
  while (how_many() == 0) std::this_thread::yield();
  const auto a = side.ask(sentence("a"), 0), b = side.ask(sentence("b"), 0), c = main.ask(sentence("c"), 0),
             withdrawn = side.ask(sentence("d"), 0), e = side.ask(sentence("e"), 0);
  side.withdraw(withdrawn);
  all_asked.release();
  while (told < 5) std::this_thread::yield();
  CHECK(order == std::vector<std::uint64_t>{gate, c, e, b, a});
  CHECK_FALSE(side.busy());
}

TEST_CASE("an outcome that nobody has taken keeps its client busy") {
  std::atomic<int> finished = 0;
  RunQueue queue([&] { ++finished; }, 1);
  RunQueue::Client client(queue, RunRank::side);
  client.ask(sentence("a"), 0);
  while (finished == 0) std::this_thread::yield();
  CHECK(client.busy());
  CHECK(client.poll());
  CHECK_FALSE(client.busy());
}

TEST_CASE("a side run makes room for a main run and begins again after it") {
  RunQueue queue({}, 1);
  Runner runner(queue);
  SideRuns sides(queue);
  sides.ask("long", long_run());
  while (queue.progress() == 0) std::this_thread::yield();
  runner.submit(sentence("a b"));
  CHECK(wait_for(runner));
  CHECK(sides.busy());
  REQUIRE_FALSE(sides.poll());
  std::optional<std::pair<std::string, Outcome>> done;
  for (int i = 0; i < 20000 && !(done = sides.poll()); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  REQUIRE(done);
  CHECK(done->first == "long");
  CHECK(done->second.trace);
  CHECK_FALSE(sides.busy());
}

TEST_CASE("under a key the newest experiment counts, and what is dropped is not delivered") {
  RunQueue queue({}, 1);
  SideRuns sides(queue);
  sides.ask("mode a", long_run());
  sides.ask("mode b", long_run());
  sides.ask("other", sentence("of another"));
  sides.ask("mode a", sentence("newer"));
  sides.ask("mode a", sentence("newer"));  // is asked already
  sides.drop("mode b");
  std::map<std::string, Index> tokens;
  for (int i = 0; i < 20000 && sides.busy(); ++i) {
    while (const auto done = sides.poll()) {
      CHECK_FALSE(tokens.contains(done->first));
      tokens[done->first] = done->second.problem->dim("n_q");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(tokens == std::map<std::string, Index>{{"mode a", 2}, {"other", 3}});
}

TEST_CASE("a client that goes leaves the queue to the others") {
  RunQueue queue({}, 1);
  Runner runner(queue);
  {
    SideRuns sides(queue);
    sides.ask("long", long_run());
    while (queue.progress() == 0) std::this_thread::yield();
  }
  runner.submit(sentence("a b"));
  CHECK(wait_for(runner));
}

TEST_CASE("a queue that its caller serves makes the same runs in the same order, without a thread") {
  const std::vector<std::string> texts{"a b", "one two three", "a"};
  const auto asked_of = [&](RunQueue::Client& client) {
    std::vector<std::uint64_t> tickets;
    for (const auto& text : texts) tickets.push_back(client.ask(sentence(text), 0));
    // It cannot be prepared.
    tickets.push_back(client.ask(std::make_shared<const Experiment>(default_experiment("multi_head")), 0));
    return tickets;
  };
  RunQueue served, pumped({}, 0, ServedBy::caller);
  RunQueue::Client theirs(served, RunRank::side), ours(pumped, RunRank::side);
  const auto asked = asked_of(ours);
  REQUIRE(asked_of(theirs) == asked);
  std::map<std::uint64_t, Outcome> expected;
  for (int i = 0; i < 20000 && expected.size() < 4; ++i) {
    if (auto outcome = theirs.poll()) expected[outcome->ticket] = std::move(*outcome);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(expected.size() == 4);

  pumped.pump(RunQueue::Clock::now());  // there is no time
  CHECK_FALSE(ours.poll());
  CHECK(ours.busy());
  pumped.pump(RunQueue::Clock::now() + std::chrono::minutes(1));
  std::vector<std::uint64_t> order;
  while (const auto outcome = ours.poll()) {
    order.push_back(outcome->ticket);
    const Outcome& other = expected.at(outcome->ticket);
    CHECK(outcome->error == other.error);
    REQUIRE(static_cast<bool>(outcome->trace) == static_cast<bool>(other.trace));
    if (!outcome->trace) continue;
    REQUIRE(outcome->trace->steps.size() == other.trace->steps.size());
    for (std::size_t i = 0; i < other.trace->steps.size(); ++i) {
      const Tensor &mine = outcome->trace->steps[i].tensor(), &its = other.trace->steps[i].tensor();
      REQUIRE(mine.shape() == its.shape());
      CHECK(std::memcmp(mine.data(), its.data(), static_cast<std::size_t>(its.size()) * sizeof(float)) == 0);
    }
  }
  CHECK(order == std::vector<std::uint64_t>(asked.rbegin(), asked.rend()));
  CHECK_FALSE(ours.busy());
}

TEST_CASE("a run that withdraws itself while it is pumped is not delivered") {
  RunQueue queue({}, 0, ServedBy::caller);
  RunQueue::Client client(queue, RunRank::main);
  client.ask([&](ThreadPool&, const std::stop_token& stop, std::atomic<float>&) -> Status {
    client.withdraw_all();
    return stop.stop_requested() ? Status() : fail("it was not told to stop");
  });
  queue.pump(RunQueue::Clock::now() + std::chrono::minutes(1));
  CHECK_FALSE(client.poll());
  CHECK_FALSE(client.busy());
}
