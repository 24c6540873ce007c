// What the tasks are there for: each is learned by its network, and is not where the one thing is left out that it
// takes. Seeds and sizes are those that people see first.
#include <string>

#include "engine/learn/training_file.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::learn;

namespace {

Figures learned(const std::string& task, const std::string& options, Index steps, int seed = 7) {
  std::vector<std::string> notices;
  const auto plan =
      parse_training(fmt::format(R"({{"train": {{"task": "{}", "options": {}, "steps": {}, "seed": {}}}}})", task,
                                 options, steps, seed),
                     {}, task, notices);
  if (!plan) FAIL(plan.error().message);
  ThreadPool pool;
  Compute compute(pool);
  const auto training = Training::make(*plan, compute);
  if (!training) FAIL(training.error().message);
  while ((*training)->step() < steps) (*training)->take_step(compute);
  const auto figures = (*training)->measure(compute);
  REQUIRE(figures);
  return *figures;
}

}  // namespace

TEST_CASE("two layers learn to repeat, one does not") {
  const Figures two = learned("repeat", "{}", 200), one = learned("repeat", R"({"layers": 1})", 200);
  CHECK(two.at("accuracy") > 0.95);
  CHECK(two.at("induction") > 0.7);
  CHECK(two.at("previous_any") > 0.5);
  CHECK(one.at("accuracy") < 0.3);
  CHECK(one.at("induction") < 0.3);
}

TEST_CASE("an order is reversed by places alone, copied without them, and sorted by symbols") {
  CHECK(learned("order", "{}", 100).at("looked_at") > 0.85);
  CHECK(learned("order", R"({"positions": "none"})", 200).at("accuracy") < 0.4);
  CHECK(learned("order", R"({"positions": "none", "kind": "copy"})", 300).at("accuracy") > 0.9);
  const std::string sort =
      R"({"kind": "sort", "positions": "none", "block": "pre_norm", "residual": 1, "d": 64, "lr": 0.01})";
  CHECK(learned("order", sort, 200).at("accuracy") > 0.7);
}

TEST_CASE("what positions say is carried over, or is not") {
  const Figures rotary = learned("positions", "{}", 200),
                learnt = learned("positions", R"({"positions": "learned"})", 200);
  CHECK(rotary.at("accuracy") > 0.9);
  CHECK(rotary.at("accuracy_far") > 0.7);
  CHECK(learnt.at("accuracy") > 0.9);
  CHECK(learnt.at("accuracy_far") < 0.3);
}

TEST_CASE("letters are aligned with the date that they say") {
  const Figures figures = learned("dates", "{}", 250);
  CHECK(figures.at("whole") > 0.6);
  CHECK(figures.at("aligned") > 0.4);
  CHECK(learned("dates", R"({"encoder_layers": 0})", 150).at("whole") < 0.1);
}

TEST_CASE("tables of offsets peak where a pixel is asked for, and one head is not enough for two of them") {
  const Figures shift = learned("picture", "{}", 150);
  CHECK(shift.at("error") < 0.05);
  CHECK(shift.at("told_by_tables") == 1);
  CHECK(learned("picture", R"({"task": "edge"})", 250).at("error") < 0.05);
  CHECK(learned("picture", R"({"task": "edge", "heads": 1})", 250).at("error") == Approx(0.5).margin(0.04));
}

TEST_CASE("a dot is found in the frame before by its colour, and not without softmax") {
  CHECK(learned("frames", "{}", 150).at("looked_at") > 0.85);
  CHECK(learned("frames", R"({"mode": "dot_product"})", 150).at("error") > 0.3);
}

TEST_CASE("a text is learned by heart") {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "she sells sea shells by the sea shore, and ";
  const std::string options = fmt::format(R"({{"text": "{}", "length": 24}})", text);
  CHECK(learned("text", options, 100).at("loss") < 0.3);
}

TEST_CASE("every task says what it is in words of its own") {
  CHECK(all_tasks().size() == 7);
  for (const Task* task : all_tasks()) {
    INFO(task->info().id);
    CHECK(find_task(task->info().id) == task);
    CHECK(task->info().lesson.size() > 20);
    CHECK(task->info().usual_steps > 0);
    CHECK(task->counter_tests().size() > 1);
    bool names_its_figure = false;
    for (const FigureWords& figure : task->figures()) {
      CHECK(figure.help.ends_with("."));
      names_its_figure = names_its_figure || figure.id == task->info().learned;
    }
    CHECK(names_its_figure);
    const ParamValues defaults = ParamValues::defaults(task->options());
    for (const ParamSpec& spec : task->options()) {
      INFO(spec.id);
      CHECK(spec.help.ends_with("."));
      CHECK(check_param(spec, defaults.get(spec.id)));
    }
    for (const CounterTest& test : task->counter_tests()) {
      INFO(test.title);
      CHECK_FALSE(test.expected.empty());
      TaskOptions options{.values = defaults, .texts = {}, .params = {}};
      for (const auto& [id, value] : test.changed) CHECK(options.values.set(id, value));
      if (!task->reads_text()) CHECK(task->check(options));
    }
  }
}
