// Counter-tests on the Train page: a press tries one, what it comes to stands beside what it should, and one goes back.
#include <fmt/core.h>

#include "app/actions/palette.h"
#include "app/model/counter_tests.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

const std::string one_layer = "train/counter/One layer";

struct OnPage {
  Driver driver;
  OnPage() { act(ShowScreen{Screen::train}); }
  const TrainingShown& shown() const { return driver.model().training; }
  const learn::TrainingPlan& asked() const { return training_asked(driver.model()); }
  void act(const Action& action) { app::act(driver, action); }
  // To the end of a training of so many steps, which begins again.
  void train_all(Index steps) {
    act(SetTrainSteps{steps});
    act(TrainTo{steps});
  }
};

}  // namespace

TEST_CASE("each counter-test of each task sets just its own options, and is known by them") {
  for (const learn::Task* task : learn::all_tasks()) {
    const learn::TrainingPlan usual = default_plan(*task);
    CHECK(counter_test_in(usual) == nullptr);
    learn::TrainingPlan plan = usual;
    for (const learn::CounterTest& test : task->counter_tests()) {
      INFO(task->info().id << ": " << test.title);
      plan = with_counter_test(plan, &test);  // in place of the one before
      CHECK(counter_test_in(plan) == &test);
      CHECK(counter_test_named(*task, test.title) == &test);
      for (const ParamSpec& spec : task->options()) {
        const auto changed = test.changed.find(spec.id);
        CHECK(plan.options.values.get(spec.id) == (changed == test.changed.end() ? spec.fallback : changed->second));
      }
    }
    CHECK(with_counter_test(plan, nullptr).options.values == usual.options.values);
  }
}

TEST_CASE("a press tries a counter-test with the same seed, at once, with the curve before grey behind") {
  OnPage page;
  page.act(SetTrainSeed{4});
  page.act(TrainTo{3});
  page.act(SetPace{1000});
  page.driver.click(one_layer);
  CHECK(page.asked().options.values.integer("layers") == 1);
  CHECK(page.asked().seed == 4);
  CHECK(page.shown().playing);
  CHECK(page.shown().before_words == "layers 2, same seed");
  CHECK(undo_name(page.driver.model().history) == "counter-test: one layer");
  page.act(TryCounterTest{"Scale 1"});  // in place of it
  CHECK(page.asked().options.values.integer("layers") == 2);
  page.act(Undo{});
  CHECK(page.asked().options.values.integer("layers") == 1);
  page.act(Undo{});
  CHECK(page.asked().options.values.integer("layers") == 2);
  CHECK_FALSE(page.shown().playing);
}

TEST_CASE("what a counter-test came to is what the film's last frame has, and stands there until it is tried again") {
  OnPage page;
  page.act(SetTraining{"d", Index{16}});
  page.act(TryCounterTest{"One layer"});
  page.act(PlayTraining{false});
  page.train_all(6);
  const learn::FilmFrame& last = *page.shown().film->newest;
  REQUIRE(last.step == 6);
  CHECK(page.driver.widget(one_layer + "/came-to").value == "came to, at step 6 with width 16");
  const std::string accuracy = fmt::format("{:.3f}", last.figures.find("accuracy")->second);
  CHECK(page.driver.widget(one_layer + "/came-to/accuracy").value == accuracy);
  CHECK_FALSE(page.driver.shows(one_layer + "/came-to/induction"));  // is measured on weights
  page.act(TryCounterTest{"No positions"});
  page.act(PlayTraining{false});
  page.act(TrainTo{5});
  CHECK_FALSE(page.driver.shows("train/counter/No positions/came-to"));  // not at its end
  CHECK(page.driver.widget(one_layer + "/came-to/accuracy").value == accuracy);
  page.act(TrainTo{6});
  CHECK(page.driver.shows("train/counter/No positions/came-to"));
}

TEST_CASE("back to the usual takes back what the counter-test changed, and nothing else") {
  OnPage page;
  page.act(SetTraining{"heads", Index{4}});
  page.act(TryCounterTest{"One period, one layer"});
  page.act(PlayTraining{false});
  page.driver.click("train/usual");
  CHECK(page.asked().options.values.integer("layers") == 2);
  CHECK(page.asked().options.values.integer("shortest") == 8);
  CHECK(page.asked().options.values.integer("heads") == 4);
  CHECK_FALSE(page.driver.shows("train/usual"));
  CHECK(why_not(LeaveCounterTest{}, page.driver.model()) == "No counter-test is tried");
}

TEST_CASE("a counter-test that changes the rate alone begins again too, and no number is told") {
  OnPage page;
  page.act(ChooseTask{"picture"});
  page.act(TrainTo{2});
  page.act(TryCounterTest{"Rate 0.1"});
  page.act(PlayTraining{false});
  CHECK(page.shown().before_words == "learning rate 0.01, same seed");
  CHECK(page.shown().film->plan->options.values.real(rate_option) == 0.1);
  TrainingShown broken = page.shown();
  learn::Film film = *broken.film;
  film.broken = learn::NonFiniteAt{film.step, "loss"};
  broken.film = std::make_shared<const learn::Film>(film);
  record_test_result(broken);
  CHECK(in_words(broken.test_results.begin()->second) == fmt::format("came to no number, at step {}", film.step));
}

TEST_CASE("the palette has the counter-tests of the task, by what they should come to as well") {
  OnPage page;
  page.act(TryCounterTest{"Scale 1"});
  page.act(PlayTraining{false});
  const auto entries = palette_entries(page.driver.model());
  const auto found = std::ranges::find(entries, "Counter-test: Scale 1", &PaletteEntry::label);
  REQUIRE(found != entries.end());
  CHECK(found->now);
  CHECK(why_not(TryCounterTest{"Two layers"}, page.driver.model()) == "The task has no counter-test of that name");
}
