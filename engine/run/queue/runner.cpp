#include "engine/run/queue/runner.h"

#include <algorithm>

namespace headlight {

void Runner::take_finished() {
  while (auto outcome = runs_.poll()) finished_ = std::move(outcome);
}

std::uint64_t Runner::submit(std::shared_ptr<const Experiment> experiment, double most_pairs) {
  cancel();
  return runs_.ask(std::move(experiment), most_pairs);
}

void Runner::cancel() {
  take_finished();  // what is done stays valid
  runs_.withdraw_all();
}

std::optional<Outcome> Runner::poll() {
  take_finished();
  return std::exchange(finished_, std::nullopt);
}

void SideRuns::ask(const std::string& key, std::shared_ptr<const Experiment> experiment, double most_pairs) {
  if (const auto found = asked_.find(key); found != asked_.end()) {
    if (found->second.experiment == experiment) return;
    if (to_json(*found->second.experiment, {}) == to_json(*experiment, {})) return;
    runs_.withdraw(found->second.ticket);
  }
  asked_[key] = {runs_.ask(experiment, most_pairs), experiment};
}

void SideRuns::drop(std::string_view beginning) {
  std::erase_if(asked_, [&](const auto& entry) {
    const bool goes = entry.first.starts_with(beginning);
    if (goes) runs_.withdraw(entry.second.ticket);
    return goes;
  });
}

std::optional<std::pair<std::string, Outcome>> SideRuns::poll() {
  auto outcome = runs_.poll();
  if (!outcome) return std::nullopt;
  const auto found = std::ranges::find(asked_, outcome->ticket, [](const auto& entry) { return entry.second.ticket; });
  std::pair<std::string, Outcome> done(found->first, std::move(*outcome));
  asked_.erase(found);
  return done;
}

bool SideRuns::busy(std::string_view beginning) const {
  return std::ranges::any_of(asked_, [&](const auto& entry) { return entry.first.starts_with(beginning); });
}

}  // namespace headlight
