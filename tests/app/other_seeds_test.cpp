// Other seeds on the Train page: trained while the one that is shown rests, told by the steps they learned at, and
// given up.
#include <fmt/core.h>

#include "app/actions/action_table.h"
#include "app/model/other_seeds.h"
#include "engine/core/parallel.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// On the page, with a task whose steps take next to nothing.
struct OnPage {
  Driver driver;
  explicit OnPage(Index steps) {
    act(ShowScreen{Screen::train});
    act(ChooseTask{"order"});
    for (const auto& [id, value] : {std::pair{"length", Index{4}}, {"symbols", Index{6}}, {"d", Index{16}}})
      act(SetTraining{id, value});
    act(SetTrainSteps{steps});
    act(SetTrainSeed{7});
  }
  const TrainingShown& shown() const { return driver.model().training; }
  const OtherSeeds& seeds() const { return shown().seeds; }
  void act(const Action& action) { app::act(driver, action); }
};

// What a training without a window comes to at its end.
std::shared_ptr<const learn::FilmFrame> alone(learn::TrainingPlan plan, std::uint64_t seed) {
  ThreadPool pool(1);
  Compute compute(pool);
  plan.seed = seed;
  auto filming = learn::Filming::begin(plan, compute);
  REQUIRE(filming);
  while ((*filming)->film().has_more_steps()) REQUIRE((*filming)->take_step(false, compute));
  return (*filming)->film().newest;
}

}  // namespace

TEST_CASE("four other seeds are trained to the bits that they come to alone, and then nothing runs") {
  OnPage page(12);
  page.act(TrainTo{12});
  page.driver.click("train/seeds");
  page.driver.move_to({800, 5});  // no help of the button is to come
  page.driver.settle();
  CHECK_FALSE(page.seeds().running);
  REQUIRE(page.seeds().films.size() == 4);
  for (std::uint64_t i = 0; i < 4; ++i) {
    const learn::Film& film = *page.seeds().films[i];
    const auto frame = alone(training_asked(page.driver.model()), 8 + i);
    CHECK(film.plan->seed == 8 + i);
    CHECK(film.newest->step == 12);
    CHECK(film.newest->loss == frame->loss);
    CHECK(film.newest->figures == frame->figures);
    CHECK(film.newest->maps.empty());  // are let go
  }
  CHECK(page.driver.widget("train/seeds/learned").value ==
        "Seeds 7–11: learned at step never, never, never, never, never.");
  CHECK(why_not(TrainSeeds{true}, page.driver.model()) == "They have been trained");
  CHECK(page.driver.next_redraw() > page.driver.now() + 1e6);
  page.act(TrainAgain{});
  CHECK(page.seeds().films.size() == 4);  // of the same options
  page.act(SetTraining{"heads", Index{2}});
  CHECK(page.seeds().films.empty());
}

TEST_CASE("when they learned it is what their films say") {
  TrainingShown shown;
  const auto film = [](std::uint64_t seed, std::vector<double> accuracy, bool broken = false) {
    learn::Film made;
    learn::TrainingPlan plan = default_plan(*learn::find_task("order"));
    plan.seed = seed;
    plan.steps = 2;
    made.plan = std::make_shared<const learn::TrainingPlan>(plan);
    made.schedule[0] = learn::first_settings(plan);
    for (const double share : accuracy) {
      learn::FilmFrame frame;
      frame.step = std::ssize(made.frames);
      frame.figures["accuracy"] = share;
      made.frames.push_back(std::make_shared<const learn::FilmFrame>(frame));
    }
    made.newest = made.frames.back();
    made.step = made.newest->step;
    if (broken) made.broken = learn::NonFiniteAt{made.step, "loss"};
    return made;
  };
  shown.film = std::make_shared<const learn::Film>(film(1, {0, 0.95}));
  shown.seeds.of = shown.film->plan;
  CHECK(seeds_in_words(shown) == "Seed 1: learned at step 1.");
  receive_seed(shown.seeds, film(2, {0, 0.1}));
  receive_seed(shown.seeds, film(2, {0, 0.1, 0.91}));  // in place of what it was
  receive_seed(shown.seeds, film(3, {0, 0.1, 0.2}));
  receive_seed(shown.seeds, film(4, {0, 0.1}, true));
  receive_seed(shown.seeds, film(5, {0, 0.1}));
  CHECK(seeds_in_words(shown) == "Seeds 1–5: learned at step 1, 2, never, no number, not yet.");
  learn::Film turned = *shown.film;
  turned.schedule[1] = {1, 32};
  shown.film = std::make_shared<const learn::Film>(turned);
  CHECK(seeds_in_words(shown) == "Seeds 2–5: learned at step 2, never, no number, not yet.");
}

TEST_CASE("they wait while the one that is shown plays, and Escape gives up the one under way") {
  OnPage page(100000);
  page.act(SetPace{1});
  page.act(PlayTraining{true});
  page.act(TrainSeeds{true});
  CHECK(page.seeds().running);
  for (const auto& film : page.seeds().films) CHECK(film->step == 0);
  page.driver.session().act(PlayTraining{false});
  for (int i = 0; i < 1000 && (page.seeds().films.empty() || page.seeds().films[0]->step < 3); ++i) page.driver.frame();
  REQUIRE(page.seeds().films.size() == 1);
  CHECK(page.seeds().films[0]->step >= 3);
  page.driver.press(Key::escape);
  page.driver.settle();
  CHECK_FALSE(page.seeds().running);
  CHECK(page.seeds().films.empty());
  CHECK(why_not(TrainSeeds{false}, page.driver.model()) == "No other seeds are trained");
}
