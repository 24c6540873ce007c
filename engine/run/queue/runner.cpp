#include "engine/run/queue/runner.h"

#include "engine/run/queue/run_queue.h"

namespace headlight {

struct Runner::State {
  std::unique_ptr<RunQueue> own;  // null where it is another's
  RunQueue& queue;
  RunQueue::Client runs{queue, RunRank::main};
  std::optional<Outcome> finished = {};

  // The newest alone.
  void take_finished() {
    while (auto outcome = runs.poll()) finished = std::move(outcome);
  }
};

Runner::Runner(std::function<void()> on_finished, int threads) {
  auto own = std::make_unique<RunQueue>(std::move(on_finished), threads);
  RunQueue& queue = *own;
  state_.reset(new State{std::move(own), queue});
}

Runner::Runner(RunQueue& queue) : state_(new State{nullptr, queue}) {}

Runner::~Runner() = default;

std::uint64_t Runner::submit(std::shared_ptr<const Experiment> experiment, double most_pairs) {
  cancel();
  return state_->runs.ask(std::move(experiment), most_pairs);
}

void Runner::cancel() {
  state_->take_finished();  // what is done stays valid
  state_->runs.withdraw_all();
}

std::optional<Outcome> Runner::poll() {
  state_->take_finished();
  return std::exchange(state_->finished, std::nullopt);
}

bool Runner::busy() const {
  return state_->runs.busy();
}

const RunCache& Runner::cache() const {
  return state_->queue.cache();
}

float Runner::progress() const {
  return state_->runs.progress();
}

double Runner::elapsed() const {
  return state_->runs.elapsed();
}

}  // namespace headlight
