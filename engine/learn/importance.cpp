#include "engine/learn/importance.h"

#include <algorithm>

namespace headlight::learn {

namespace {

double loss_of(const WithoutHead& without) {
  return without.figures.find("loss")->second;
}

// Each of `heads` off, beside those that are off already.
Result<std::vector<WithoutHead>> measure_each(Training& training, const TrainedHeads& heads, const TrainedHeads& off,
                                              Compute& compute) {
  std::vector<WithoutHead> measured;
  for (const TrainedHead head : heads) {
    TrainedHeads all = off;
    all.insert(head);
    HL_TRY(Figures figures, training.measure_without(all, compute));
    if (compute.cancelled()) return fail("cancelled");
    measured.push_back({head, std::move(figures)});
  }
  return measured;
}

}  // namespace

Result<HeadImportance> importance_of(Training& training, bool prunes, Compute& compute) {
  TrainedHeads on = training.heads();
  if (on.empty()) return fail("{} has no heads that can be switched off", training.plan().task->info().id);
  for (const TrainedHead head : training.heads_off()) on.erase(head);
  HeadImportance importance;
  HL_TRY(importance.whole, training.measure(compute));
  HL_TRY(importance.alone, measure_each(training, on, {}, compute));
  TrainedHeads off;
  for (auto tried = importance.alone; prunes && !on.empty();) {
    const auto least = std::ranges::min_element(tried, {}, loss_of);
    off.insert(least->head);
    on.erase(least->head);
    importance.pruned.push_back(std::move(*least));
    if (on.empty()) break;
    HL_TRY(tried, measure_each(training, on, off, compute));
  }
  std::ranges::stable_sort(importance.alone, std::ranges::greater(), loss_of);
  return importance;
}

}  // namespace headlight::learn
