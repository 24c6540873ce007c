// Why a map is moved: slopes of weights and scores, for every task.
#include "engine/learn/film.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::learn;

namespace {

TrainingPlan plan_of(const Task& task) {
  TrainingPlan plan;
  plan.task = &task;
  plan.options = {ParamValues::defaults(task.options())};
  if (task.reads_text()) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += fmt::format("the {} cat sat on the {} mat. ", i * i, 7 * i);
    plan.options.texts["text"] = text;
  }
  return plan;
}

constexpr float hidden = -std::numeric_limits<float>::infinity();

// How far a row's slopes of scores are from α (g − Σ α g), and the largest of them.
struct Off {
  double from_rule = 0, largest = 0;
};
Off off_from_rule(const Tensor& map, const Slopes::OfMap& slopes) {
  Off off;
  const Index keys = map.dim(2);
  for (Index first = 0; first < map.size(); first += keys) {
    double together = 0;
    for (Index at = first; at < first + keys; ++at)
      if (map[at] != hidden) together += static_cast<double>(map[at]) * (*slopes.weights)[at];
    for (Index at = first; at < first + keys; ++at) {
      REQUIRE((map[at] == hidden) == ((*slopes.scores)[at] == hidden));
      if (map[at] == hidden) continue;
      const double rule = map[at] * ((*slopes.weights)[at] - together);
      off.from_rule = std::max(off.from_rule, std::abs(rule - (*slopes.scores)[at]));
      off.largest = std::max(off.largest, std::abs(rule));
    }
  }
  return off;
}

// The example's loss, from what is said of it.
double loss_of(const FilmExample& example, const Tensor& said) {
  double loss = 0;
  const Index choices = said.dim(-1);
  for (Index place = 0; place < example.right->size(); ++place) {
    const float right = (*example.right)[place];
    if (example.shares && right >= 0) loss -= std::log(said[place * choices + static_cast<Index>(right)]);
    if (!example.shares) loss += (*example.asked)[place] * std::pow(said[place] - right, 2.0);
  }
  return loss;
}

}  // namespace

TEST_CASE("slopes of scores follow from those of weights, for every task, and are of the example's own loss") {
  ThreadPool pool;
  Compute compute(pool);
  for (const Task* task : all_tasks()) {
    INFO(task->info().id);
    auto filming = Filming::begin(plan_of(*task), compute);
    REQUIRE(filming);
    CHECK_FALSE((*filming)->film().newest->slopes);  // nobody wanted them
    (*filming)->want_slopes(true);
    for (int step = 0; step < 3; ++step) REQUIRE((*filming)->take_step(true, compute));
    const FilmFrame& frame = *(*filming)->film().newest;
    REQUIRE(frame.slopes);
    CHECK(frame.slopes->loss == Approx(loss_of(*(*filming)->film().example, *frame.prediction)).epsilon(1e-3));
    REQUIRE(frame.slopes->maps.size() == frame.maps.size());
    for (std::size_t m = 0; m < frame.maps.size(); ++m) {
      INFO("map " << m);
      const Slopes::OfMap& slopes = frame.slopes->maps[m];
      REQUIRE(slopes.weights->shape() == frame.maps[m]->shape());
      REQUIRE(slopes.scores);
      const Off off = off_from_rule(*frame.maps[m], slopes);
      CHECK(off.largest > 0);
      CHECK(off.from_rule <= 1e-4 * off.largest);
    }
  }
}

TEST_CASE("a map that is no softmax has slopes of weights alone") {
  ThreadPool pool;
  Compute compute(pool);
  TrainingPlan plan = plan_of(*find_task("frames"));
  plan.options.values.set("mode", std::string("dot_product"));
  auto filming = Filming::begin(plan, compute);
  REQUIRE(filming);
  (*filming)->want_slopes(true);
  const auto frame = (*filming)->replay(0, compute);  // the kept one has none yet
  REQUIRE(frame);
  REQUIRE((*frame)->slopes);
  CHECK((*filming)->film().frame_at(0) == *frame);
  CHECK((*frame)->slopes->maps.front().weights);
  CHECK_FALSE((*frame)->slopes->maps.front().scores);
}
