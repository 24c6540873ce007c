#include "engine/learn/training.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/learn/part_experiment.h"

namespace headlight::learn {

Result<std::unique_ptr<Training>> Training::make(TrainingPlan plan, Compute& compute) {
  HL_CHECK(plan.task->check(plan.options));
  std::unique_ptr<Training> training(new Training(std::move(plan)));
  HL_CHECK(training->make_networks(compute));
  return training;
}

Status Training::make_networks(Compute& compute) {
  rate_ = plan_.options.values.real("lr");
  HL_TRY(network_, Network::make(plan_.task->plan(plan_.options), plan_.task->batch(plan_.seed, 0, plan_.options),
                                 weights_, plan_.seed, true, compute));
  std::vector<Optimizer::Learned> learned;
  for (const std::string& name : network_->trained())
    learned.push_back({name, weights_.at(name), &network_->gradient(name), nullptr, nullptr});
  optimizer_ = std::make_unique<Optimizer>(plan_.optimizer, std::move(learned));
  return {};
}

double Training::take_step(Compute& compute) {
  network_->read(plan_.task->batch(plan_.seed, step(), plan_.options));
  const double loss = network_->forward(compute);
  if (!std::isfinite(loss) && !broken_) broken_ = BrokenAt{step(), network_->first_broken()};
  network_->backward(compute);
  optimizer_->step(optimizer_->rate(rate_, plan_.steps), compute);
  return loss;
}

Result<Figures> Training::measure(Compute& compute) {
  if (held_out_.empty())
    for (const Numbers& batch : plan_.task->held_out(plan_.seed, plan_.options)) {
      HL_TRY(auto network, Network::make(plan_.task->plan(plan_.options), batch, weights_, plan_.seed, false, compute));
      held_out_.push_back(std::move(network));
    }
  std::vector<const Network*> networks;
  std::vector<double> losses;
  for (const auto& network : held_out_) {
    losses.push_back(network->forward(compute));
    networks.push_back(network.get());
  }
  Figures figures = plan_.task->measure(plan_.seed, plan_.options, networks);
  figures.emplace("loss", losses.front());
  return figures;
}

Result<Slopes> Training::slopes(Compute& compute) {
  if (!example_) {
    const Numbers first = example_of(plan_.task->held_out(plan_.seed, plan_.options).front(), 0);
    HL_TRY(example_, Network::make(plan_.task->plan(plan_.options), first, weights_, plan_.seed, true, compute));
  }
  return slopes_of(*example_, plan_.task->maps(plan_.options), compute);
}

Snapshot Training::snapshot() const {
  Snapshot snapshot{.step = step(), .weights = {}, .means = {}, .squares = {}};
  for (const auto& [name, weight] : weights_) snapshot.weights[name] = std::make_shared<Tensor>(*weight);
  for (const Optimizer::Learned& each : optimizer_->learned()) {
    snapshot.means[each.name] = std::make_shared<Tensor>(*each.mean);
    snapshot.squares[each.name] = std::make_shared<Tensor>(*each.square);
  }
  return snapshot;
}

namespace {

Status copy_into(Tensor& to, const Numbers& from, const std::string& name, const char* what) {
  const auto found = from.find(name);
  if (found == from.end()) return fail("{} of {} is missing", what, name);
  if (found->second->shape() != to.shape())
    return fail("{} of {} has the shape {}: this network needs {}", what, name, to_string(found->second->shape()),
                to_string(to.shape()));
  std::ranges::copy(found->second->values(), to.data());
  return {};
}

}  // namespace

Status Training::go_back_to(const Snapshot& snapshot) {
  for (const auto& [name, weight] : weights_) HL_CHECK(copy_into(*weight, snapshot.weights, name, "the weight"));
  for (const Optimizer::Learned& each : optimizer_->learned()) {
    HL_CHECK(copy_into(*each.mean, snapshot.means, each.name, "the mean of gradients"));
    HL_CHECK(copy_into(*each.square, snapshot.squares, each.name, "the mean of squares"));
  }
  optimizer_->go_on_after(snapshot.step);
  broken_.reset();
  return {};
}

}  // namespace headlight::learn
