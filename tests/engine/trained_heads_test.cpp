// Heads of networks that learn: switched off they stand still, drawn anew they begin again and heal, all of it comes
// back to the same bits, and what each is worth is measured by leaving it out.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/learn/film.h"
#include "engine/learn/importance.h"
#include "engine/learn/training_file.h"
#include "engine/learn/training_folder.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::learn;

namespace {

constexpr const char* small = R"({"d": 16, "symbols": 8, "length": 5, "shortest": 3, "batch": 8})";

TrainingPlan plan_of(const std::string& task, const std::string& options, const std::string& more = "") {
  std::vector<std::string> notices;
  auto plan =
      parse_training(fmt::format(R"({{"train": {{"task": "{}", "options": {}, "seed": 3{}}}}})", task, options, more),
                     {}, "test", notices);
  if (!plan) FAIL(plan.error().message);
  return *plan;
}

struct Begun {
  ThreadPool pool{2};
  Compute compute{pool};
  std::unique_ptr<Training> training;

  explicit Begun(TrainingPlan plan) {
    auto made = Training::make(std::move(plan), compute);
    if (!made) FAIL(made.error().message);
    training = std::move(*made);
  }
  std::vector<double> steps(Index count) {
    std::vector<double> losses;
    for (Index i = 0; i < count; ++i) losses.push_back(training->take_step(compute));
    return losses;
  }
};

// What a head has of all weights, one after the other; `others`: all numbers that are not its own.
struct NumbersOfHead {
  std::vector<float> own, others;
};
NumbersOfHead numbers_of(const Training& training, const Numbers& weights, TrainedHead head) {
  const NetworkPlan plan = training.plan().task->plan(training.plan().options);
  const std::string given =
      training.plan().task->maps(training.plan().options)[static_cast<std::size_t>(head.map)].given;
  const Part& part = *std::ranges::find(plan.parts, given, &Part::gives);
  std::map<std::string, std::vector<Cells>> cells;
  for (const OwnCells& own : cells_of_head(part, training.held_out().problem_of(given), head.head))
    cells[own.weight] = own.cells;
  NumbersOfHead numbers;
  for (const auto& [name, weight] : weights)
    for (Index i = 0; i < weight->size(); ++i) {
      const bool is_own = std::ranges::any_of(
          cells[name], [&](const Cells& some) { return i >= some.first && i < some.first + some.count; });
      (is_own ? numbers.own : numbers.others).push_back((*weight)[i]);
    }
  return numbers;
}

void check_same(const FilmFrame& a, const FilmFrame& b) {
  CHECK(a.step == b.step);
  CHECK(a.figures == b.figures);
  for (std::size_t i = 0; i < a.maps.size(); ++i) CHECK(std::ranges::equal(a.maps[i]->values(), b.maps[i]->values()));
}

}  // namespace

TEST_CASE("a head that is off hands on nothing, gets no gradient and stands still, and comes back as it was") {
  for (const std::string optimizer : {R"({"type": "adamw", "weight_decay": 0.1, "clip": 1})", R"({"type": "sgd"})"}) {
    INFO(optimizer);
    Begun a(plan_of("repeat", small, R"(, "params": {"bias": true, "relative": "t5"}, "optimizer": )" + optimizer));
    Training& training = *a.training;
    a.steps(5);
    REQUIRE(training.measure(a.compute));
    CHECK(training.heads() == TrainedHeads{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    const TrainedHead head{1, 0};
    const Snapshot before = training.snapshot();
    const auto without = training.measure_without({head}, a.compute);
    CHECK(training.snapshot().weights.at("layer1/w_o")->values()[0] == before.weights.at("layer1/w_o")->values()[0]);
    REQUIRE(training.change(head, HeadChange::To::off));
    CHECK(training.heads_off() == TrainedHeads{head});
    const auto off = training.measure(a.compute);
    REQUIRE((without && off));
    CHECK(*without == *off);

    // Nothing reaches it.
    Numbers weights = training.weights();
    const TrainingPlan& plan = training.plan();
    const NetworkPlan parts = plan.task->plan(plan.options);
    const auto network =
        Network::make(parts, plan.task->batch(plan.seed, 9, plan.options), weights, plan.seed, true, a.compute);
    REQUIRE(network);
    const Part& part = *std::ranges::find(parts.parts, "x2", &Part::gives);
    Index zeros = 0;
    for (const OwnCells& own : cells_of_head(part, (*network)->problem_of("x2"), head.head)) {
      const bool output = own.spec->id == "w_o";
      for (const Cells& cells : own.cells)
        for (Index i = cells.first; i < cells.first + cells.count; ++i) {
          if (output) CHECK((*training.weights().at(own.weight))[i] == 0);
          if (!output) zeros += (*network)->gradient(own.weight)[i] == 0;
          if (!output) CHECK((*network)->gradient(own.weight)[i] == 0);
        }
    }
    CHECK(zeros == 3 * (16 * 8 + 8) + 32);

    a.steps(4);
    const Snapshot after = training.snapshot();
    for (const auto& [then, now] : {std::pair(&before.weights, &after.weights),
                                    {&before.means, &after.means},
                                    {&before.squares, &after.squares}}) {
      const NumbersOfHead was = numbers_of(training, *then, head), is = numbers_of(training, *now, head);
      CHECK(was.own == is.own);
      CHECK(is.own.size() == 4 * 16 * 8 + 3 * 8 + 32);
      if (then != &before.squares || optimizer.find("sgd") == std::string::npos) CHECK(was.others != is.others);
    }
    REQUIRE(training.change(head, HeadChange::To::on));
    CHECK(training.heads_off().empty());
    a.steps(1);
    CHECK(numbers_of(training, training.weights(), head).own != numbers_of(training, after.weights, head).own);
  }
}

TEST_CASE("off and on again at one step leaves no trace, and heads share what only all of them have") {
  Begun a(plan_of("repeat", small)), b(plan_of("repeat", small));
  a.steps(6);
  b.steps(6);
  REQUIRE(a.training->set_heads_off({{0, 1}, {1, 1}}));
  REQUIRE(a.training->set_heads_off({}));
  CHECK(a.training->plan().changes.empty());
  CHECK(a.steps(6) == b.steps(6));

  Begun grouped(plan_of("repeat", small, R"(, "params": {"kv_heads": 1})"));
  REQUIRE(grouped.training->measure(grouped.compute));
  CHECK(numbers_of(*grouped.training, grouped.training->weights(), {0, 1}).own.size() == 2 * 16 * 8);

  CHECK(Begun(plan_of("picture", "{}")).training->heads().empty());
  const Status refused = Begun(plan_of("frames", "{}")).training->change({0, 0}, HeadChange::To::off);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "frames has no heads that can be switched off or drawn anew");
  const Status absent = a.training->change({2, 0}, HeadChange::To::redrawn);
  REQUIRE_FALSE(absent);
  CHECK(absent.error().message == "there is no head 2.0: there are 0.0, 0.1, 1.0, 1.1");
}

TEST_CASE("a film of heads that change is made again to the same bits, and so is a training of its plan") {
  ThreadPool pool(1);
  Compute compute(pool);
  auto made = Filming::begin(plan_of("repeat", small, R"(, "steps": 170)"), compute);
  REQUIRE(made);
  Filming& filming = **made;
  const auto go_to = [&](Index step) {
    while (filming.film().step < step) REQUIRE(filming.take_step(true, compute));
  };
  std::map<Index, std::shared_ptr<const FilmFrame>> seen;
  go_to(125);
  const auto before = filming.film().newest;
  REQUIRE(filming.change({1, 0}, HeadChange::To::redrawn, compute));
  CHECK(filming.film().newest->step == 125);
  CHECK(filming.film().newest->loss != before->loss);
  CHECK(filming.film().frame_at(125) == filming.film().newest);
  seen[125] = filming.film().newest;
  go_to(137);
  REQUIRE(filming.change({0, 1}, HeadChange::To::off, compute));
  seen[137] = filming.film().newest;
  CHECK(filming.film().frame_at(137) == seen[137]);  // a step at which something was changed is kept
  for (const Index step : {141, 158, 163}) {
    go_to(step);
    seen[step] = filming.film().newest;
    if (step == 158) REQUIRE(filming.change({0, 1}, HeadChange::To::on, compute));
  }
  go_to(170);
  CHECK(filming.film().is_at_end());
  REQUIRE(filming.change({1, 1}, HeadChange::To::redrawn, compute));
  CHECK(filming.film().plan->steps == 270);
  go_to(183);
  for (const Index step : {125, 141, 163}) {
    const auto again = filming.replay(step, compute);
    REQUIRE(again);
    check_same(**again, *seen[step]);
  }
  CHECK(filming.film().plan->changes.size() == 4);

  Begun alone(plan_of("repeat", small));
  TrainingPlan plan = *filming.film().plan;
  std::vector<std::string> notices;
  const auto read = parse_training(to_json(plan), {}, "again", notices);
  REQUIRE(read);
  CHECK(to_json(*read) == to_json(plan));
  Begun whole(*read);
  whole.steps(183);
  const auto figures = whole.training->measure(whole.compute);
  REQUIRE(figures);
  CHECK(figures->at("loss") == filming.film().newest->loss);
  CHECK(whole.training->heads_off().empty());
}

TEST_CASE("a folder goes on with the heads that were off, and has every step as it was") {
  const Scratch folder;
  Begun a(plan_of("repeat", small, R"(, "steps": 40)"));
  std::vector<double> losses = a.steps(10);
  REQUIRE(write_training(folder / "kept", *a.training, {losses, {}}));
  const auto go_on = [&](Training& training) {
    REQUIRE(training.change({1, 1}, HeadChange::To::redrawn));
    REQUIRE(training.set_heads_off({{0, 0}}));
  };
  {
    auto opened = open_training(folder / "kept");
    REQUIRE(opened);
    Begun b(opened->plan);
    REQUIRE(b.training->restore(opened->snapshot));
    go_on(*b.training);
    for (const double loss : b.steps(8)) losses.push_back(loss);
    REQUIRE(write_training(folder / "kept", *b.training, {losses, {}}));
  }
  go_on(*a.training);
  CHECK(a.steps(8) == std::vector<double>(losses.begin() + 10, losses.end()));
  auto opened = open_training(folder / "kept");
  REQUIRE(opened);
  Begun b(opened->plan);
  REQUIRE(b.training->restore(opened->snapshot));
  CHECK(b.training->heads_off() == TrainedHeads{{0, 0}});
  CHECK(b.steps(5) == a.steps(5));
  for (const Index step : {4, 10, 15}) {
    INFO("step " << step);
    const auto then = training_at(folder / "kept", step, a.compute);
    REQUIRE(then);
    CHECK((*then)->heads_off().size() == (step < 10 ? 0 : 1));
    CHECK((*then)->take_step(a.compute) == losses[static_cast<std::size_t>(step)]);
  }
}

TEST_CASE("what a head is worth is measured by leaving it out, and a head drawn anew heals") {
  Begun a(plan_of("repeat", "{}"));
  a.steps(200);
  const Snapshot before = a.training->snapshot();
  const auto importance = importance_of(*a.training, true, a.compute);
  REQUIRE(importance);
  REQUIRE(importance->alone.size() == 4);
  REQUIRE(importance->pruned.size() == 4);
  CHECK(importance->whole.at("accuracy") > 0.95);
  // One of those that look at the symbol before: the other cannot stand in for it. Of the induction heads one is
  // enough.
  CHECK(importance->alone.front().head.map == 0);
  CHECK(importance->alone.front().figures.at("accuracy") < 0.7);
  CHECK(importance->alone.back().head.map == 1);
  CHECK(importance->alone.back().figures.at("accuracy") > 0.9);
  CHECK(importance->pruned.front().head == importance->alone.back().head);
  CHECK(importance->pruned.front().figures == importance->alone.back().figures);
  CHECK(importance->pruned[1].figures.at("accuracy") > 0.6);
  CHECK(importance->pruned[2].figures.at("accuracy") < 0.1);
  const Snapshot after = a.training->snapshot();
  for (const auto& [name, weight] : before.weights)
    CHECK(std::ranges::equal(weight->values(), after.weights.at(name)->values()));

  // One head of each layer learns what the two others did.
  REQUIRE(a.training->set_heads_off({importance->pruned[0].head, importance->pruned[1].head}));
  a.steps(50);
  CHECK(a.training->measure(a.compute)->at("accuracy") > 0.95);

  Begun healing(plan_of("repeat", "{}"));
  REQUIRE(healing.training->restore(before));
  for (const Index head : {0, 1}) REQUIRE(healing.training->change({0, head}, HeadChange::To::redrawn));
  CHECK(healing.training->measure(healing.compute)->at("induction") < 0.3);
  const Snapshot anew = healing.training->snapshot();
  CHECK(std::ranges::count(numbers_of(*healing.training, anew.means, {0, 1}).own, 0.0F) == 4 * 64 * 32);
  CHECK(std::ranges::count(numbers_of(*healing.training, anew.means, {1, 1}).own, 0.0F) == 0);
  healing.steps(50);
  CHECK(healing.training->measure(healing.compute)->at("induction") > 0.7);
}
