// A training on a thread of its own: what it keeps, how it is told what to do, and that it rests. Runs under the thread
// sanitizer too.
#include "app/session/trainer.h"

#include <chrono>
#include <cmath>
#include <thread>

#include "app/model/training.h"
#include "engine/core/parallel.h"
#include "engine/learn/training_folder.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// Small, so that a step takes next to nothing.
learn::TrainingPlan small_plan(Index steps = 200) {
  learn::TrainingPlan plan = default_plan(*learn::find_task("order"));
  plan.options.values.set("length", Index{4});
  plan.options.values.set("symbols", Index{6});
  plan.options.values.set("batch", Index{8});
  plan.options.values.set("d", Index{16});
  plan.steps = steps;
  return plan;
}

// The newest news, once there is nothing more to come.
TrainerNews rest(Trainer& trainer) {
  TrainerNews last;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (trainer.busy() || trainer.playing()) {
    REQUIRE(std::chrono::steady_clock::now() < end);
    if (auto news = trainer.poll()) last = std::move(*news);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (auto news = trainer.poll()) last = std::move(*news);
  return last;
}

// What a training without a thread comes to at that step, with what is changed on the way.
std::shared_ptr<const learn::FilmFrame> alone(const learn::TrainingPlan& plan, Index step,
                                              const learn::Schedule& turned = {}) {
  ThreadPool pool(1);
  Compute compute(pool);
  auto filming = learn::Filming::begin(plan, compute);
  REQUIRE(filming);
  while ((*filming)->film().step < step) {
    if (const auto now = turned.find((*filming)->film().step); now != turned.end())
      REQUIRE((*filming)->set(now->second, compute));
    REQUIRE((*filming)->take_step(false, compute));
  }
  REQUIRE((*filming)->measure(compute));
  return (*filming)->film().newest;
}

void check_same(const learn::FilmFrame& a, const learn::FilmFrame& b) {
  CHECK(a.step == b.step);
  CHECK(a.figures == b.figures);
  REQUIRE(a.maps.size() == b.maps.size());
  for (std::size_t i = 0; i < a.maps.size(); ++i) CHECK(std::ranges::equal(a.maps[i]->values(), b.maps[i]->values()));
  CHECK(std::ranges::equal(a.prediction->values(), b.prediction->values()));
}

}  // namespace

TEST_CASE("a trainer takes the steps that a training takes, and keeps what it said it keeps") {
  Trainer trainer;
  trainer.begin(small_plan());
  const TrainerNews first = rest(trainer);
  REQUIRE(first.film);
  CHECK(first.film->step == 0);
  CHECK(first.film->frames.size() == 1);
  trainer.play_to(112);
  const TrainerNews news = rest(trainer);
  REQUIRE(news.film);
  CHECK(news.film->step == 112);
  CHECK_FALSE(trainer.playing());
  CHECK(news.film->frames.size() == 103);  // 0 to 100, 105, 110
  CHECK(news.film->newest->step == 112);   // it is seen where it rests
  check_same(*news.film->newest, *alone(small_plan(), 112));
  CHECK(news.film->snapshots == 5);
  std::size_t bytes = 0;
  for (const auto& frame : news.film->frames) bytes += frame->bytes();
  CHECK(news.film->frame_bytes == bytes);
}

TEST_CASE("a step that was not kept is made again to the same bits, whatever was turned, and nothing else changes") {
  Trainer trainer;
  trainer.begin(small_plan());
  trainer.play_to(104);
  rest(trainer);
  trainer.apply_settings({0.02, 8});
  trainer.play_to(120);
  rest(trainer);
  trainer.apply_settings({0.02, 20});
  trainer.play_to(140);
  const learn::Schedule turned{{104, {0.02, 8}}, {120, {0.02, 20}}};
  const TrainerNews before = rest(trainer);
  for (const Index step : {103, 107, 121, 131}) {
    CHECK_FALSE(before.film->frame_at(step));
    trainer.look_at(step);
    const TrainerNews news = rest(trainer);
    REQUIRE(news.asked);
    check_same(*news.asked, *alone(small_plan(), step, turned));
  }
  trainer.play_to(150);
  check_same(*rest(trainer).film->newest, *alone(small_plan(), 150, turned));
}

TEST_CASE("a folder that was saved goes on with the bits that would have come, and is not written over") {
  const Scratch scratch;
  Trainer trainer;
  trainer.begin(small_plan());
  trainer.play_to(7);
  rest(trainer);
  trainer.save(scratch / "net");
  TrainerNews news = rest(trainer);
  REQUIRE(news.saved);
  CHECK(news.saved->error.empty());
  CHECK(news.saved->step == 7);
  const auto opened = learn::open_training(scratch / "net");
  REQUIRE(opened);
  CHECK(opened->snapshot.step == 7);
  CHECK(opened->curves.losses.size() == 7);
  CHECK(opened->curves.figures.size() == 8);
  ThreadPool pool(1);
  Compute compute(pool);
  auto training = learn::Training::make(opened->plan, compute);
  REQUIRE(training);
  REQUIRE((*training)->restore(opened->snapshot));
  for (int step = 7; step < 12; ++step) (*training)->take_step(compute);
  const auto figures = (*training)->measure(compute);
  REQUIRE(figures);
  CHECK(figures->at("loss") == alone(small_plan(), 12)->loss);
  trainer.save(scratch / "net");
  news = rest(trainer);
  REQUIRE(news.saved);
  CHECK(news.saved->error.ends_with("net holds a training already: choose another name"));
  trainer.save(scratch / "net" / "config.json" / "x");  // no folder can be there
  news = rest(trainer);
  CHECK_FALSE(news.saved->error.empty());
  trainer.take_step();
  CHECK(rest(trainer).film->step == 8);  // and nothing was lost
}

TEST_CASE("a batch that cannot be is refused while it learns: it rests until another is asked for") {
  Trainer trainer;
  trainer.begin(small_plan());
  trainer.play_to(5);
  rest(trainer);
  trainer.apply_settings({0.01, 0});
  trainer.play_to(10);
  const TrainerNews refused = rest(trainer);
  CHECK_FALSE(refused.error.empty());
  REQUIRE(refused.film);
  CHECK(refused.film->step == 5);
  CHECK(refused.film->schedule.size() == 1);
  CHECK_FALSE(trainer.playing());
  trainer.apply_settings({0.01, 4});
  CHECK(rest(trainer).error.empty());
  trainer.play_to(10);
  check_same(*rest(trainer).film->newest, *alone(small_plan(), 10, {{5, {0.01, 4}}}));
}

TEST_CASE("a folder knows what was turned, and any of its steps is made again with it") {
  const Scratch scratch;
  Trainer trainer;
  trainer.begin(small_plan());
  trainer.play_to(4);
  rest(trainer);
  trainer.apply_settings({0.02, 8});
  trainer.play_to(5);
  rest(trainer);
  trainer.apply_settings({0.02, 12});
  trainer.play_to(7);
  rest(trainer);
  trainer.save(scratch / "net");
  REQUIRE(rest(trainer).saved);
  const auto opened = learn::open_training(scratch / "net");
  REQUIRE(opened);
  const learn::Schedule turned{{4, {0.02, 8}}, {5, {0.02, 12}}};
  CHECK(opened->curves.schedule == turned);
  const learn::StepSettings first{1, 2};
  CHECK(learn::settings_at(turned, 3, first) == first);
  CHECK(learn::settings_at(turned, 4, first).batch == 8);
  ThreadPool pool(1);
  Compute compute(pool);
  const auto training = learn::training_at(scratch / "net", 6, compute);
  REQUIRE(training);
  const auto figures = (*training)->measure(compute);
  REQUIRE(figures);
  CHECK(figures->at("loss") == alone(small_plan(), 6, turned)->loss);
}

TEST_CASE("slopes come with every frame while somebody wants them") {
  Trainer trainer;
  trainer.want_slopes(true);
  trainer.begin(small_plan());
  trainer.play_to(3);
  const TrainerNews news = rest(trainer);
  for (const auto& frame : news.film->frames) CHECK(frame->slopes);
  trainer.want_slopes(false);
  trainer.take_step();
  CHECK_FALSE(rest(trainer).film->newest->slopes);
}

TEST_CASE("heads change where it stands, are measured there, and at its end there are more steps for them") {
  learn::TrainingPlan plan = small_plan(40);
  plan.options.values.set("layers", Index{2});
  plan.options.values.set("heads", Index{2});
  Trainer trainer;
  trainer.begin(plan);
  trainer.play_to(30);
  const TrainerNews before = rest(trainer);
  CHECK(before.film->heads.size() == 4);
  trainer.change_head({1, 0}, learn::HeadChange::To::redrawn);
  trainer.change_head({0, 1}, learn::HeadChange::To::off);
  trainer.measure_heads();
  const TrainerNews changed = rest(trainer);
  CHECK(changed.film->plan->changes.size() == 2);
  CHECK(changed.film->newest->step == 30);
  CHECK(changed.film->newest->loss != before.film->newest->loss);
  REQUIRE(changed.heads);
  CHECK(changed.heads->step == 30);
  CHECK(changed.heads->importance.alone.size() == 3);
  CHECK(changed.heads->importance.whole.at("loss") == changed.film->newest->loss);
  trainer.play();
  CHECK(rest(trainer).film->step == 40);
  trainer.change_head({0, 1}, learn::HeadChange::To::on);
  trainer.play();
  const TrainerNews end = rest(trainer);
  CHECK(end.film->step == 140);
  plan.changes = end.film->plan->changes;
  plan.steps = 140;
  check_same(*end.film->newest, *alone(plan, 140));
}

TEST_CASE("single steps are seen one by one, and at its end there are no more") {
  Trainer trainer;
  trainer.begin(small_plan(3));
  for (Index i = 1; i <= 5; ++i) {
    trainer.take_step();
    const TrainerNews news = rest(trainer);
    if (i <= 3) CHECK(news.film->newest->step == i);
  }
  trainer.play();
  rest(trainer);
  CHECK_FALSE(trainer.playing());
  CHECK_FALSE(trainer.busy());
}

TEST_CASE("playing goes by its pace until it is paused, and then nothing moves") {
  Trainer trainer;
  trainer.begin(small_plan(100000));
  rest(trainer);
  trainer.set_pace(100);
  trainer.play();
  CHECK(trainer.playing());
  const auto begun = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  trainer.pause();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const TrainerNews news = rest(trainer);
  REQUIRE(news.film);
  CHECK(news.film->step > 0);
  CHECK(static_cast<double>(news.film->step) <= seconds * 100 + 2);
  CHECK(news.film->newest->step == news.film->step);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  CHECK_FALSE(trainer.poll());
}

TEST_CASE("until it is learned: it stops at the first step that is measured to have") {
  Trainer trainer;
  trainer.set_pace(0);
  trainer.begin(small_plan(2000));
  trainer.play(true);
  const TrainerNews news = rest(trainer);
  REQUIRE(news.film);
  CHECK(news.film->step < 2000);
  CHECK(news.film->has_learned(*news.film->newest));
  CHECK(news.film->learned_at() == news.film->step);
}

TEST_CASE("another plan takes the place of one that is under way, and who goes waits for nothing") {
  Trainer trainer;
  trainer.set_pace(0);
  trainer.begin(default_plan(*learn::find_task("repeat")));
  trainer.play();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  trainer.begin(small_plan());
  const TrainerNews news = rest(trainer);
  REQUIRE(news.film);
  CHECK(news.film->plan->task->info().id == "order");
  CHECK(news.film->step == 0);
  CHECK_FALSE(trainer.playing());
  trainer.begin(default_plan(*learn::find_task("repeat")));
  trainer.play();
}

TEST_CASE("options that do not go together are told, and a loss that is no number: what is whole stays") {
  Trainer trainer;
  learn::TrainingPlan plan = small_plan();
  plan.options.values.set("heads", Index{3});
  trainer.begin(plan);
  const TrainerNews refused = rest(trainer);
  CHECK_FALSE(refused.film);
  CHECK(refused.error.find("heads 3 does not divide") != std::string::npos);
  CHECK_FALSE(trainer.has_begun());
  plan = small_plan();
  plan.options.values.set("lr", 1e30);
  trainer.begin(plan);
  trainer.play_to(50);
  const TrainerNews broken = rest(trainer);
  REQUIRE(broken.film);
  REQUIRE(broken.film->broken);
  CHECK(broken.film->broken->step >= 1);
  CHECK_FALSE(broken.film->broken->array.empty());
  CHECK(std::isfinite(broken.film->newest->loss));
  CHECK_FALSE(trainer.playing());
}

TEST_CASE("what is kept stays within its room, the first and the newest with it") {
  ThreadPool pool(1);
  Compute compute(pool);
  const auto first = alone(small_plan(), 0);
  const learn::Filming::Room room{first->bytes() * 20, 100000};
  auto filming = learn::Filming::begin(small_plan(), compute, room);
  REQUIRE(filming);
  while ((*filming)->film().has_more_steps()) REQUIRE((*filming)->take_step(false, compute));
  const learn::Film& film = (*filming)->film();
  CHECK(film.frame_bytes <= room.frames);
  CHECK(film.snapshot_bytes <= room.snapshots);
  CHECK(film.frames.front()->step == 0);
  CHECK(film.newest->step == 200);
  const auto made = (*filming)->replay(77, compute);
  REQUIRE(made);
  check_same(**made, *alone(small_plan(), 77));
}

TEST_CASE("served by its caller it takes steps when it is pumped") {
  Trainer trainer({}, ServedBy::caller);
  trainer.begin(small_plan());
  trainer.play_to(20);
  CHECK(trainer.busy());
  std::optional<TrainerNews> last;
  for (int i = 0; i < 10000 && (trainer.busy() || trainer.playing()); ++i) {
    trainer.pump(std::chrono::steady_clock::now() + std::chrono::milliseconds(5));
    if (auto news = trainer.poll()) last = std::move(news);
  }
  REQUIRE(last);
  CHECK(last->film->step == 20);
}
