#include "engine/learn/part_experiment.h"

#include <algorithm>
#include <utility>

namespace headlight::learn {

namespace {

// Of a batch the item alone, which stays a batch of one.
Tensor item_of(const Tensor& whole, Index item) {
  const Index each = whole.size() / whole.dim(0);
  Shape shape = whole.shape();
  shape.front() = 1;
  return Tensor::from(std::move(shape),
                      whole.values().subspan(static_cast<std::size_t>(item * each), static_cast<std::size_t>(each)));
}

// Whether its first axis, under the shape that the array has, counts items.
bool is_batched(const ArraySpec& spec, const Tensor& tensor) {
  return std::ranges::any_of(spec.shapes, [&](const std::vector<std::string>& shape) {
    return shape.size() == tensor.shape().size() && shape.front() == "B" && tensor.dim(0) > 1;
  });
}

bool is_alias(const Problem& problem, const ArraySpec& spec) {
  return !spec.alias_of.empty() && problem.find(spec.id) == problem.find(spec.alias_of);
}

}  // namespace

Numbers example_of(const Numbers& batch, Index item) {
  Numbers example;
  for (const auto& [name, numbers] : batch)
    example[name] = numbers->dim(0) > 1 ? std::make_shared<Tensor>(item_of(*numbers, item)) : numbers;
  return example;
}

Experiment experiment_of(const Network& network, std::string_view given, Index item, const ExampleLabels& labels) {
  const Problem& problem = network.problem_of(given);
  Experiment experiment = default_experiment(problem.variant->info().id);
  for (const auto& [id, value] : problem.params)
    if (problem.params.is_given(id)) experiment.params.set(id, value);
  const auto put = [&](const ArraySpec& spec) -> LiteralInput* {
    const Tensor* tensor = problem.find(spec.id);
    if (!tensor || is_alias(problem, spec)) return nullptr;
    auto& input = experiment.inputs[spec.id];
    input = literal_input(is_batched(spec, *tensor) ? item_of(*tensor, item) : *tensor);
    return &std::get<LiteralInput>(input);
  };
  for (std::size_t i = 0; i < problem.specs.inputs.size(); ++i) {
    LiteralInput* input = put(problem.specs.inputs[i]);
    if (input && i == 0 && !labels.queries.empty()) input->labels.tokens.lists = {labels.queries};
    if (input && problem.specs.inputs[i].id == "x_k" && !labels.keys.empty())
      input->labels.tokens.lists = {labels.keys};
  }
  for (const ArraySpec& spec : problem.specs.weights) put(spec);
  return experiment;
}

Status check_part(const TrainingPlan& plan, const PartIndex& part) {
  const Index maps = std::ssize(plan.task->maps(plan.options));
  if (part.map && (*part.map < 0 || *part.map >= maps))
    return fail("map {}: it has {}, counted from 0", *part.map, maps);
  const Index examples = plan.task->held_out(plan.seed, plan.options).front().find("answers")->second->dim(0);
  if (part.example < 0 || part.example >= examples)
    return fail("example {}: {} are held out, counted from 0", part.example, examples);
  return {};
}

Result<Experiment> part_experiment(Training& training, const PartIndex& part, Compute& compute) {
  const TrainingPlan& plan = training.plan();
  HL_CHECK(training.measure(compute));
  const std::vector<ShownMap> maps = plan.task->maps(plan.options);
  const ShownMap& shown = maps[static_cast<std::size_t>(part.map.value_or(std::ssize(maps) - 1))];
  const Numbers all = plan.task->held_out(plan.seed, plan.options).front();
  const ExampleWords words = plan.task->words(example_of(all, part.example), plan.options);
  Experiment experiment = experiment_of(training.held_out(), shown.given, part.example,
                                        {shown.by_answers ? words.answered : words.read, words.read});
  experiment.notes =
      fmt::format("{}: {}, after {} steps of learning", plan.task->info().title, shown.title, training.step());
  return experiment;
}

}  // namespace headlight::learn
