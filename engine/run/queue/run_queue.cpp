#include "engine/run/queue/run_queue.h"

#include <algorithm>
#include <utility>

#include "engine/core/memory.h"
#include "engine/run/run.h"

namespace headlight {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

RunQueue::RunQueue(std::function<void()> on_finished, int threads, ServedBy served_by)
    : on_finished_(std::move(on_finished)),
      pool_(served_by == ServedBy::caller ? 1 : threads),
      cache_(std::min(RunCache::usual_bytes, free_memory() / 4)) {
  if (served_by == ServedBy::own_thread) worker_ = std::thread([this] { serve(); });
}

RunQueue::~RunQueue() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
    stop_.request_stop();
  }
  wake_.notify_all();
  if (worker_.joinable()) worker_.join();
}

Outcome RunQueue::carry_out(const Request& request, std::stop_token token) {
  Outcome outcome;
  outcome.ticket = request.ticket;
  outcome.experiment = request.experiment;
  const Status status = within_memory([&] { return execute(request, std::move(token), outcome); });
  if (!status) {
    outcome.error = status.error().message;
    outcome.error_about = status.error().about;
    outcome.trace.reset();
  }
  return outcome;
}

Status RunQueue::execute(const Request& request, std::stop_token token, Outcome& outcome) {
  if (request.work) return request.work(pool_, std::move(token), progress_);
  Budget budget = Budget::of_this_machine();
  budget.pairs = request.most_pairs;
  HL_TRY(auto problem, prepare(*request.experiment, budget, &cache_, &outcome.too_large));
  outcome.problem = std::make_shared<const Problem>(std::move(problem));
  Compute compute(pool_, std::move(token), &progress_);
  HL_TRY(outcome.trace, run(*outcome.problem, compute));
  return {};
}

RunQueue::Request RunQueue::take_next() {
  const auto next = std::ranges::min_element(waiting_, [](const Request& a, const Request& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.ticket > b.ticket;
  });
  Request request = std::move(*next);
  waiting_.erase(next);
  return request;
}

void RunQueue::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    serve_next(lock);
  }
}

bool RunQueue::pump(Clock::time_point until) {
  std::unique_lock lock(mutex_);
  const bool waits = !waiting_.empty();
  while (!waiting_.empty() && Clock::now() < until) serve_next(lock);
  return waits;
}

void RunQueue::serve_next(std::unique_lock<std::mutex>& lock) {
  running_ = take_next();
  const Request request = *running_;
  stop_ = std::stop_source();
  const auto token = stop_.get_token();
  started_ = Clock::now();
  progress_ = 0;
  lock.unlock();
  Outcome outcome = carry_out(request, token);
  lock.lock();
  running_.reset();
  if (token.stop_requested()) return;
  outcome.seconds = seconds_since(started_);
  finished_.emplace_back(request.client, std::move(outcome));
  if (!on_finished_) return;
  lock.unlock();
  on_finished_();
  lock.lock();
}

template <class Which>
void RunQueue::withdraw(Which which) {
  std::erase_if(waiting_, [&](const Request& request) { return which(request.client, request.ticket); });
  std::erase_if(finished_, [&](const auto& done) { return which(done.first, done.second.ticket); });
  if (running_ && which(running_->client, running_->ticket)) stop_.request_stop();
}

std::uint64_t RunQueue::Client::ask(std::shared_ptr<const Experiment> experiment, double most_pairs) {
  return put(std::move(experiment), most_pairs, {});
}

std::uint64_t RunQueue::Client::ask(Work work) {
  return put(nullptr, 0, std::move(work));
}

std::uint64_t RunQueue::Client::put(std::shared_ptr<const Experiment> experiment, double most_pairs, Work work) {
  const std::scoped_lock lock(queue_.mutex_);
  const std::uint64_t ticket = queue_.tickets_ += between_tickets;
  queue_.waiting_.push_back({ticket, this, rank_, std::move(experiment), most_pairs, std::move(work)});
  auto& running = queue_.running_;
  if (running && rank_ < running->rank && !queue_.stop_.stop_requested()) {
    queue_.waiting_.push_back(*running);  // it begins again
    queue_.stop_.request_stop();
  }
  queue_.wake_.notify_all();
  return ticket;
}

void RunQueue::Client::withdraw(std::uint64_t ticket) {
  const std::scoped_lock lock(queue_.mutex_);
  queue_.withdraw([&](const Client* client, std::uint64_t of) { return client == this && of == ticket; });
}

void RunQueue::Client::withdraw_all() {
  const std::scoped_lock lock(queue_.mutex_);
  queue_.withdraw([&](const Client* client, std::uint64_t) { return client == this; });
}

std::optional<Outcome> RunQueue::Client::poll() {
  const std::scoped_lock lock(queue_.mutex_);
  const auto done = std::ranges::find(queue_.finished_, this, [](const auto& one) { return one.first; });
  if (done == queue_.finished_.end()) return std::nullopt;
  Outcome outcome = std::move(done->second);
  queue_.finished_.erase(done);
  return outcome;
}

bool RunQueue::Client::busy() const {
  const std::scoped_lock lock(queue_.mutex_);
  return (queue_.running_ && queue_.running_->client == this) ||
         std::ranges::find(queue_.waiting_, this, &Request::client) != queue_.waiting_.end() ||
         std::ranges::any_of(queue_.finished_, [this](const auto& done) { return done.first == this; });
}

float RunQueue::Client::progress() const {
  const std::scoped_lock lock(queue_.mutex_);
  return queue_.running_ && queue_.running_->client == this ? queue_.progress_.load(std::memory_order_relaxed) : 0;
}

double RunQueue::Client::elapsed() const {
  const std::scoped_lock lock(queue_.mutex_);
  return queue_.running_ && queue_.running_->client == this ? seconds_since(queue_.started_) : 0;
}

}  // namespace headlight
