#include "engine/learn/training.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/learn/part_experiment.h"

namespace headlight::learn {

StepSettings first_settings(const TrainingPlan& plan) {
  return {plan.options.values.real("lr"), plan.options.values.integer("batch")};
}

StepSettings settings_at(const Schedule& schedule, Index step, const StepSettings& first) {
  const auto next = schedule.upper_bound(step);
  return next == schedule.begin() ? first : std::prev(next)->second;
}

Result<std::unique_ptr<Training>> Training::make(TrainingPlan plan, Compute& compute) {
  HL_CHECK(plan.task->check(plan.options));
  std::unique_ptr<Training> training(new Training(std::move(plan)));
  HL_CHECK(training->make_networks(compute));
  return training;
}

Status Training::make_networks(Compute& compute) {
  settings_ = first_settings(plan_);
  options_ = plan_.options;
  parts_ = plan_.task->plan(options_);
  HL_TRY(network_, network_of(options_, compute));
  std::vector<Optimizer::Learned> learned;
  for (const std::string& name : network_->trained())
    learned.push_back({name, weights_.at(name), &network_->gradient(name), nullptr, nullptr});
  optimizer_ = std::make_unique<Optimizer>(plan_.optimizer, std::move(learned));
  for (const HeadChange& change : plan_.changes) HL_CHECK(check_head(change.head));
  apply_changes();
  return {};
}

// With weights that are there, or drawn.
Result<std::unique_ptr<Network>> Training::network_of(const TaskOptions& options, Compute& compute) {
  return Network::make(plan_.task->plan(options), plan_.task->batch(plan_.seed, 0, options), weights_, plan_.seed, true,
                       compute);
}

Status Training::set(const StepSettings& settings, Compute& compute) {
  if (settings.batch != settings_.batch) {
    TaskOptions options = options_;
    options.values.set("batch", settings.batch);
    HL_CHECK(plan_.task->check(options));
    HL_TRY(network_, network_of(options, compute));
    options_ = std::move(options);
    optimizer_->bind_gradients([this](const std::string& weight) { return &network_->gradient(weight); });
  }
  settings_ = settings;
  return {};
}

double Training::take_step(Compute& compute) {
  network_->read(plan_.task->batch(plan_.seed, step(), options_));
  const double loss = network_->forward(compute);
  if (!std::isfinite(loss) && !broken_) broken_ = NonFiniteAt{step(), network_->first_non_finite()};
  network_->backward(compute);
  optimizer_->step(optimizer_->rate(settings_.rate, plan_.steps), compute);
  if (std::ranges::count(plan_.changes, step(), &HeadChange::step) > 0) apply_changes();
  return loss;
}

Result<Figures> Training::measure(Compute& compute) {
  if (held_out_.empty())
    for (const Numbers& batch : plan_.task->held_out(plan_.seed, plan_.options)) {
      HL_TRY(auto network, Network::make(parts_, batch, weights_, plan_.seed, false, compute));
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
    HL_TRY(example_, Network::make(parts_, first, weights_, plan_.seed, true, compute));
  }
  return slopes_of(*example_, plan_.task->maps(plan_.options), compute);
}

// ---- Heads

namespace {

// By what a head hands on.
const OwnCells& output_of(const std::vector<OwnCells>& own) {
  return *std::ranges::find(own, "w_o", [](const OwnCells& cells) { return cells.spec->id; });
}

template <class Do>
void each_cell(const std::vector<Cells>& all, const Do& act) {
  for (const Cells& cells : all)
    for (Index i = cells.first; i < cells.first + cells.count; ++i) act(i);
}

void restore_cells(const std::vector<OwnCells>& own, const std::vector<float>& kept, const Numbers& weights) {
  Tensor& output = *weights.find(output_of(own).weight)->second;
  std::size_t next = 0;
  each_cell(output_of(own).cells, [&](Index i) { output[i] = kept[next++]; });
}

}  // namespace

TrainedHeads Training::heads() const {
  TrainedHeads heads;
  Index map = 0;
  for (const ShownMap& shown : plan_.task->maps(plan_.options)) {
    const Part& part = *std::ranges::find(parts_.parts, shown.given, &Part::gives);
    for (Index head = 0; head < switchable_heads(part, network_->problem_of(shown.given)); ++head)
      heads.insert({map, head});
    ++map;
  }
  return heads;
}

Status Training::check_head(TrainedHead head) const {
  const TrainedHeads there = heads();
  if (there.contains(head)) return {};
  if (there.empty()) return fail("{} has no heads that can be switched off or drawn anew", plan_.task->info().id);
  return fail("there is no head {}: there are {}", name_of(head), names_of(there));
}

std::vector<OwnCells> Training::cells_of(TrainedHead head) const {
  const ShownMap shown = plan_.task->maps(plan_.options)[static_cast<std::size_t>(head.map)];
  const Part& part = *std::ranges::find(parts_.parts, shown.given, &Part::gives);
  return cells_of_head(part, network_->problem_of(shown.given), head.head);
}

void Training::apply_changes() {
  for (const auto& [head, numbers] : kept_) restore_cells(cells_of(head), numbers, weights_);
  kept_.clear();
  for (const HeadChange& change : plan_.changes)
    if (change.step == step() && change.to == HeadChange::To::redrawn) draw_anew(change.head);
  std::map<std::string, std::vector<Cells>> still;
  for (const TrainedHead head : heads_off()) {
    const std::vector<OwnCells> own = cells_of(head);
    for (const OwnCells& cells : own)
      still[cells.weight].insert(still[cells.weight].end(), cells.cells.begin(), cells.cells.end());
    kept_[head] = silence(head);
  }
  optimizer_->freeze(std::move(still));
}

std::vector<float> Training::silence(TrainedHead head) {
  const std::vector<OwnCells> own = cells_of(head);
  Tensor& output = *weights_.at(output_of(own).weight);
  std::vector<float> kept;
  each_cell(output_of(own).cells, [&](Index i) { kept.push_back(std::exchange(output[i], 0.0F)); });
  return kept;
}

Result<Figures> Training::measure_without(const TrainedHeads& heads, Compute& compute) {
  for (const TrainedHead head : heads) HL_CHECK(check_head(head));
  std::map<TrainedHead, std::vector<float>> kept;
  for (const TrainedHead head : heads)
    if (!kept_.contains(head)) kept[head] = silence(head);
  auto figures = measure(compute);
  for (const auto& [head, numbers] : kept) restore_cells(cells_of(head), numbers, weights_);
  return figures;
}

// As at the start, by another name; the optimizer knows nothing of it then.
void Training::draw_anew(TrainedHead head) {
  for (const OwnCells& own : cells_of(head)) {
    const auto found = weights_.find(own.weight);
    if (found == weights_.end()) continue;
    Tensor& weight = *found->second;
    Tensor drawn(weight.shape());
    draw_weight(drawn, fmt::format("{}/redrawn at {}", own.weight, step()), plan_.seed,
                start_of(parts_, own.weight, *own.spec), own.spec->outputs_first);
    const auto learned = std::ranges::find(optimizer_->learned(), own.weight, &Optimizer::Learned::name);
    each_cell(own.cells, [&](Index i) {
      weight[i] = drawn[i];
      if (learned != optimizer_->learned().end()) (*learned->mean)[i] = (*learned->square)[i] = 0;
    });
  }
}

Status Training::change(TrainedHead head, HeadChange::To to) {
  HL_CHECK(check_head(head));
  const bool anew = to == HeadChange::To::redrawn;
  std::erase_if(plan_.changes, [&](const HeadChange& other) {
    return other.step == step() && other.head == head && (anew || other.to != HeadChange::To::redrawn);
  });
  if (anew || heads_off().contains(head) != (to == HeadChange::To::off)) {
    const auto after = std::ranges::upper_bound(plan_.changes, step(), {}, &HeadChange::step);
    plan_.changes.insert(after, {step(), head, to});
  }
  apply_changes();
  return {};
}

Status Training::set_heads_off(const TrainedHeads& off) {
  for (const TrainedHead head : off) HL_CHECK(check_head(head));
  for (const TrainedHead head : heads())
    HL_CHECK(change(head, off.contains(head) ? HeadChange::To::off : HeadChange::To::on));
  return {};
}

// ---- Where it stood

Snapshot Training::snapshot() const {
  Snapshot snapshot{.step = step()};
  for (const auto& [name, weight] : weights_) snapshot.weights[name] = std::make_shared<Tensor>(*weight);
  for (const auto& [head, numbers] : kept_) restore_cells(cells_of(head), numbers, snapshot.weights);
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

Status Training::restore(const Snapshot& snapshot) {
  for (const auto& [name, weight] : weights_) HL_CHECK(copy_into(*weight, snapshot.weights, name, "the weight"));
  for (const Optimizer::Learned& each : optimizer_->learned()) {
    HL_CHECK(copy_into(*each.mean, snapshot.means, each.name, "the mean of gradients"));
    HL_CHECK(copy_into(*each.square, snapshot.squares, each.name, "the mean of squares"));
  }
  kept_.clear();
  optimizer_->resume_at(snapshot.step);
  apply_changes();
  broken_.reset();
  return {};
}

}  // namespace headlight::learn
