#include "engine/learn/network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/memory.h"
#include "engine/core/mistake.h"
#include "engine/core/random.h"
#include "engine/run/prepare.h"
#include "engine/run/prepare_layer.h"
#include "engine/variants/recorder.h"

namespace headlight::learn {

// Of a part while it runs.
struct RunningPart {
  Part part;
  Problem problem;
  Trace trace;
};

namespace {

// How much goes in and out of a matrix; heads stand before both and count as channels that go out.
struct Fans {
  double in = 1, out = 1;
};
Fans fans_of(const Shape& shape, bool outputs_first) {
  const auto extent = [&](std::size_t axis) { return static_cast<double>(shape[axis]); };
  if (shape.size() < 2) return {extent(0), 1};
  Fans fans{extent(shape.size() - 2), extent(shape.size() - 1)};
  if (outputs_first) std::swap(fans.in, fans.out);
  if (shape.size() == 3) fans.out *= extent(0);
  return fans;
}

}  // namespace

void draw_weight(Tensor& to, const std::string& name, std::uint64_t seed, const Start& start, bool outputs_first) {
  if (start.rule == Start::Rule::zeros || start.rule == Start::Rule::ones) {
    std::ranges::fill(to.values(), start.rule == Start::Rule::ones ? 1.0F : 0.0F);
    return;
  }
  const Fans fans = fans_of(to.shape(), outputs_first);
  const double deviation = start.by * (start.rule == Start::Rule::xavier ? std::sqrt(2 / (fans.in + fans.out)) : 1);
  Random random(seed, name);
  const Index columns = start.transposed ? to.dim(0) : to.size(), rows = to.size() / columns;
  for (Index row = 0; row < rows; ++row)
    for (Index column = 0; column < columns; ++column)
      to[start.transposed ? column * rows + row : row * columns + column] =
          static_cast<float>(random.normal() * deviation);
}

Start start_of(const NetworkPlan& plan, const std::string& name, const ArraySpec& spec) {
  if (const auto said = plan.starts.find(name); said != plan.starts.end()) return said->second;
  if (spec.fill == Fill::ones) return {.rule = Start::Rule::ones};
  if (spec.fill == Fill::zeros || spec.id.starts_with("b_")) return {.rule = Start::Rule::zeros};
  return {};
}

struct Network::Running {
  std::vector<std::unique_ptr<RunningPart>> parts;
  Numbers inputs;
  std::map<std::string, std::shared_ptr<const Tensor>, std::less<>> arrays;     // all, by name
  std::map<std::string, std::shared_ptr<const Tensor>, std::less<>> gradients;  // of what learns, by name
  std::vector<std::string> trained;
  Replay forward, backward;
  std::uint64_t passes = 0;
};

// Records the parts one after the other, then goes back through them.
class Network::Maker {
 public:
  Maker(Running& running, Numbers& weights, std::uint64_t seed, bool learns, Compute& compute)
      : running_(running), weights_(weights), seed_(seed), learns_(learns), compute_(compute) {}

  Status forward(NetworkPlan plan) {
    plan_ = std::move(plan);
    for (Part& part : plan_.parts) HL_CHECK(run_forward(part));
    return {};
  }

  // From the loss to everything that the weights have a part in.
  void backward() {
    const std::string loss = running_.parts.back()->part.gives;
    auto one = std::make_shared<Tensor>(Shape{1});
    (*one)[0] = 1;
    running_.gradients.insert_or_assign(loss, std::move(one));
    for (std::size_t i = running_.parts.size(); i-- > 0 && !compute_.cancelled();) {
      join(running_.parts[i]->part.gives);
      run_backward(*running_.parts[i], *recorders_[i]);
    }
    for (const auto& [name, weight] : weights_) {
      join(name);
      if (running_.gradients.contains(name)) running_.trained.push_back(name);
    }
  }

  void finish() {
    for (std::size_t i = 0; i < recorders_.size(); ++i) running_.parts[i]->trace = std::move(*recorders_[i]).take();
  }

 private:
  static std::string name_of(const Part& part, const ArraySpec& spec, bool weight) {
    const auto found = part.reads.find(spec.id);
    if (found != part.reads.end()) return found->second;
    return weight ? part.prefix + spec.id : std::string();
  }

  std::shared_ptr<const Tensor> find(const std::string& name) const {
    const auto found = running_.arrays.find(name);
    return found == running_.arrays.end() ? nullptr : found->second;
  }

  void put_weight(const std::string& name, std::shared_ptr<Tensor> weight) {
    running_.arrays[name] = weight;
    weights_[name] = std::move(weight);
  }

  // What of its arrays is there, or has a shape to be drawn in.
  ArrayMap arrays_of(const Part& part, const ArraySpecs& specs) {
    ArrayMap arrays;
    for (const auto* list : {&specs.inputs, &specs.weights})
      for (const ArraySpec& spec : *list) {
        const std::string name = name_of(part, spec, list == &specs.weights);
        if (name.empty()) continue;
        const auto start = plan_.starts.find(name);
        if (!find(name) && start != plan_.starts.end() && !start->second.shape.empty()) {
          auto drawn = std::make_shared<Tensor>(start->second.shape);
          draw_weight(*drawn, name, seed_, start->second, spec.outputs_first);
          put_weight(name, std::move(drawn));
        }
        if (auto found = find(name)) arrays[spec.id] = std::move(found);
      }
    return arrays;
  }

  // Weights that a preparation has made are drawn as those of networks are.
  void draw_weights(const Part& part, Problem& problem) {
    for (const ArraySpec& spec : problem.specs.weights) {
      const auto made = problem.arrays.find(spec.id);
      const std::string name = name_of(part, spec, true);
      if (made == problem.arrays.end() || find(name)) continue;
      auto drawn = std::make_shared<Tensor>(made->second->shape());
      draw_weight(*drawn, name, seed_, start_of(plan_, name, spec), spec.outputs_first);
      made->second = drawn;
      put_weight(name, std::move(drawn));
    }
  }

  Status run_forward(Part& part) {
    IdSet given;
    for (const auto& [id, name] : part.reads) given.insert(id);
    const ArrayMap arrays = arrays_of(part, part.variant->arrays(part.params, given));
    std::optional<GradientAsked> gradient;
    if (learns_) gradient = GradientAsked{.of = part.result};
    auto prepared = prepare_arrays(*part.variant, part.params, arrays, gradient);
    if (!prepared) return fail("{}: {}", part.gives, prepared.error().message);
    Problem problem = std::move(*prepared);
    bytes_ += cost_of(problem).bytes;
    if (bytes_ > free_)
      return fail(
          "the network needs more than {} and {} is free for it: use a smaller batch, fewer layers or a smaller width",
          bytes_text(bytes_), bytes_text(free_));
    draw_weights(part, problem);
    auto running = std::make_unique<RunningPart>(RunningPart{std::move(part), std::move(problem), {}});
    auto recorder = std::make_unique<Recorder>(running->problem, compute_);
    recorder->replay_into(&running_.forward);
    running->problem.variant->record(*recorder);
    if (compute_.cancelled()) return fail("cancelled");  // what comes last is not there then
    const Step* result = recorder->finished(running->part.result);
    if (!result) mistake("{} gives no step {}", running->problem.variant->info().id, running->part.result);
    running_.arrays[running->part.gives] = result->values;
    running_.parts.push_back(std::move(running));
    recorders_.push_back(std::move(recorder));
    return {};
  }

  // What reaches an array by way of all that read it becomes one gradient.
  void join(const std::string& name) {
    const auto found = parts_of_.find(name);
    if (found == parts_of_.end()) return;
    const auto parts = std::move(found->second);
    parts_of_.erase(found);
    if (parts.size() == 1) {
      running_.gradients[name] = parts.front();
      return;
    }
    auto sum = std::make_shared<Tensor>(parts.front()->shape());
    running_.gradients[name] = sum;
    const auto add = [parts, sum](Compute&) {
      std::ranges::copy(parts.front()->values(), sum->values().begin());
      for (std::size_t i = 1; i < parts.size(); ++i)
        for (Index cell = 0; cell < sum->size(); ++cell) (*sum)[cell] += (*parts[i])[cell];
    };
    add(compute_);
    running_.backward.add(add);
  }

  bool learns(const std::string& name) const {
    return weights_.contains(name) ||
           std::ranges::any_of(running_.parts, [&](const auto& running) { return running->part.gives == name; });
  }

  void run_backward(RunningPart& running, Recorder& recorder) {
    const auto reached = running_.gradients.find(running.part.gives);
    GradientAsked& asked = *running.problem.gradient;
    std::map<std::string, std::string> wanted;  // by id: what it is called
    const auto want = [&](const std::vector<ArraySpec>& specs, bool weights) {
      for (const ArraySpec& spec : specs) {
        const std::string name = name_of(running.part, spec, weights);
        if (running.problem.find(spec.id) && learns(name)) wanted.emplace(id_in_trace(spec), name);
      }
    };
    want(running.problem.specs.inputs, false);
    want(running.problem.specs.weights, true);
    if (reached == running_.gradients.end() || wanted.empty()) {
      recorder.forget_gradients();
      return;
    }
    asked.weights = reached->second;
    for (const auto& [id, name] : wanted) asked.with_respect_to.insert(id);
    recorder.replay_into(&running_.backward);
    recorder.record_gradients();
    for (const auto& [id, name] : wanted)
      if (const Step* made = recorder.finished(gradient_id(id))) parts_of_[name].push_back(made->values);
  }

  Running& running_;
  Numbers& weights_;
  const std::uint64_t seed_;
  const bool learns_;
  Compute& compute_;
  const double free_ = Budget::of_this_machine().bytes;
  double bytes_ = 0;  // of all parts so far
  NetworkPlan plan_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
  std::map<std::string, std::vector<std::shared_ptr<const Tensor>>, std::less<>> parts_of_;
};

Network::Network() : running_(std::make_unique<Running>()) {}
Network::~Network() = default;

Result<std::unique_ptr<Network>> Network::make(NetworkPlan plan, const Numbers& batch, Numbers& weights,
                                               std::uint64_t seed, bool learns, Compute& compute) {
  std::unique_ptr<Network> network(new Network);
  Running& running = *network->running_;
  compute.begin_pass(0);
  for (const auto& [name, weight] : weights) running.arrays[name] = weight;
  for (const auto& [name, numbers] : batch) {
    running.inputs[name] = std::make_shared<Tensor>(*numbers);
    running.arrays[name] = running.inputs[name];
  }
  Maker maker(running, weights, seed, learns, compute);
  HL_CHECK(maker.forward(std::move(plan)));
  if (learns) maker.backward();
  maker.finish();
  if (compute.cancelled()) return fail("cancelled");
  return network;
}

void Network::read(const Numbers& batch) {
  for (const auto& [name, numbers] : batch) {
    const auto found = running_->inputs.find(name);
    if (found == running_->inputs.end() || found->second->shape() != numbers->shape())
      mistake("a batch's {} has the shape {}", name, to_string(numbers->shape()));
    std::ranges::copy(numbers->values(), found->second->values().begin());
  }
}

double Network::forward(Compute& compute) {
  compute.begin_pass(++running_->passes);
  running_->forward.run(compute);
  return array(running_->parts.back()->part.gives)[0];
}

void Network::backward(Compute& compute) {
  running_->backward.run(compute);
}

const Tensor& Network::array(std::string_view name) const {
  const auto found = running_->arrays.find(name);
  if (found == running_->arrays.end()) mistake("the network has no array {}", name);
  return *found->second;
}

std::vector<std::string> Network::trained() const {
  return running_->trained;
}

const Tensor& Network::gradient(std::string_view weight) const {
  const auto found = running_->gradients.find(weight);
  if (found == running_->gradients.end()) mistake("{} has no gradient", weight);
  return *found->second;
}

std::string Network::first_non_finite() const {
  for (const auto& running : running_->parts)
    for (const auto* list : {&running->trace.sources, &running->trace.steps})
      for (const Step& step : *list) {
        const bool masks = step.info.minus_infinity_masks;
        const bool broken = std::ranges::any_of(step.tensor().values(), [&](float value) {
          return !std::isfinite(value) && !(masks && value < 0);  // NaN < 0 is false
        });
        if (broken) return fmt::format("{}: {}", running->part.gives, step.info.id);
      }
  return {};
}

const RunningPart& Network::producer(std::string_view given) const {
  for (const auto& running : running_->parts)
    if (running->part.gives == given) return *running;
  mistake("no part of the network gives {}", given);
}

const Trace& Network::trace_of(std::string_view given) const {
  return producer(given).trace;
}

const Problem& Network::problem_of(std::string_view given) const {
  return producer(given).problem;
}

}  // namespace headlight::learn
