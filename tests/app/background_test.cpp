// Work off the window's thread: what becomes of it, and of work that throws. Runs under the thread sanitizer too.
#include "app/session/background.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "app/session/session.h"
#include "engine/core/pause.h"
#include "tests/catch.h"
#include "tests/missing.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

void finish(Background& background) {
  for (int i = 0; i < 20000 && background.busy(); ++i) {
    background.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE_FALSE(background.busy());
}

}  // namespace

TEST_CASE("work that throws ends with an error under its name, and the next is done") {
  Names failed;
  Background background({},
                        [&](const std::string& name, const Error& error) { failed.emplace_back(name, error.message); });
  bool done = false;
  background.run("odd", []() -> Background::Taken { throw std::runtime_error("odd"); });
  finish(background);
  background.run("rights", []() -> Background::Taken {
    throw std::filesystem::filesystem_error("open", "/a", std::make_error_code(std::errc::permission_denied));
  });
  finish(background);
  background.run("memory", []() -> Background::Taken { throw std::bad_alloc(); });
  background.flush();
  finish(background);
  background.run("next", [&]() -> Background::Taken { return [&] { done = true; }; });
  finish(background);
  CHECK(done);
  REQUIRE(failed.size() == 3);
  CHECK(failed[0] == std::pair<std::string, std::string>("odd", "odd: this is a mistake in the program"));
  CHECK(failed[1].first == "rights");
  CHECK(failed[1].second.find("/a: you have no right") == 0);
  CHECK(failed[2].first == "memory");
  CHECK(failed[2].second.find("not enough memory") != std::string::npos);
}

TEST_CASE("of work that was dropped no error is told") {
  Names failed;
  std::atomic<bool> begun = false, go_on = false;
  Background background({},
                        [&](const std::string& name, const Error& error) { failed.emplace_back(name, error.message); });
  background.run("odd", [&]() -> Background::Taken {
    begun = true;
    while (!go_on) std::this_thread::yield();
    throw std::runtime_error("odd");
  });
  while (!begun) std::this_thread::yield();
  background.drop("odd");
  go_on = true;
  finish(background);
  CHECK(failed.empty());
}

TEST_CASE("where the caller serves, work is done on its thread when it is due") {
  using Clock = std::chrono::steady_clock;
  const auto later = [] { return Clock::now() + std::chrono::minutes(1); };
  Names failed;
  Background background(
      {}, [&](const std::string& name, const Error&) { failed.emplace_back(name, ""); }, ServedBy::caller);
  std::vector<int> done;
  const auto piece = [&](int number) -> Background::Work {
    return [&, number, asker = std::this_thread::get_id()]() -> Background::Taken {
      CHECK(std::this_thread::get_id() == asker);
      return [&, number] { done.push_back(number); };
    };
  };
  background.run("one", piece(1));
  background.run("late", piece(2), std::chrono::minutes(5));
  background.run("odd", []() -> Background::Taken { throw std::runtime_error("odd"); });
  background.pump(Clock::now());  // there is no time
  background.poll();
  CHECK(done.empty());
  background.pump(later());
  background.poll();
  CHECK(done == std::vector<int>{1});
  CHECK(failed.size() == 1);
  CHECK(background.busy());  // the late one waits
  background.flush();
  background.poll();
  CHECK(done == std::vector<int>{1, 2});
  CHECK_FALSE(background.busy());
}

TEST_CASE("a session without threads opens, runs and exports the same") {
  namespace fs = std::filesystem;
  if (!fs::exists("/proc/self/task")) return test::left_out("the system does not list threads (/proc/self/task)");
  const auto threads = [] {
    return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
  };
  const Scratch with, without;
  const auto work = [](const Scratch& folder, ServedBy served_by) {
    REQUIRE(write_experiment(example_experiment(), folder / "e.headlight"));
    Surroundings surroundings;
    surroundings.fonts = HEADLIGHT_FONT_FOLDER;
    surroundings.served_by = served_by;
    auto session = std::make_unique<Session>(example_experiment(), fs::path(), std::move(surroundings));
    REQUIRE(session->settle());
    session->act(Open{folder / "e.headlight"});
    REQUIRE(session->settle());
    session->act(SetParam{"heads", Index{2}, false});
    session->act(SetMode{ViewMode::heads});
    REQUIRE(session->settle());
    CHECK(session->model().head_report.measures);
    session->act(SaveArrays{});
    REQUIRE(session->settle());
    REQUIRE(session->model().trace());
    CHECK(session->model().trace()->find("weights")->tensor().dim(1) == 2);
    return session;
  };
  const auto before = threads();
  const auto alone = work(without, ServedBy::caller);
  CHECK(threads() == before);
  const auto served = work(with, ServedBy::own_thread);
  CHECK(threads() > before);  // the control
  CHECK(with.contents() == without.contents());
  CHECK(with.contents().size() == 2);
}

namespace {

// Of a pause: the session whose work pauses, and how often it did.
Session* paused_session = nullptr;
int pauses = 0;

// What a page does meanwhile: its frames take what is done, and somebody may press Esc.
void go_on_meanwhile() {
  ++pauses;
  paused_session->act(Browse{"/"});     // more waits
  CHECK_FALSE(paused_session->work());  // and waits on: it is at work
  paused_session->poll(0);
  CHECK(paused_session->model().busy);
  if (pauses == 3) paused_session->act(Cancel{});
}

}  // namespace

TEST_CASE("where a session has no thread, its frames go on in the pauses of long work, and Esc ends it") {
  Surroundings surroundings;
  surroundings.served_by = ServedBy::caller;
  Session session(example_experiment(), {}, std::move(surroundings));
  REQUIRE(session.settle());
  paused_session = &session;
  pauses = 0;
  set_pause(go_on_meanwhile);
  session.act(SetParam{"heads", Index{2}, false});
  CHECK(session.work());
  set_pause(nullptr);
  session.poll(0);
  CHECK(pauses >= 3);
  CHECK(session.model().cancelled);
  CHECK_FALSE(session.model().busy);
  const int until_cancelled = pauses;
  session.act(Run{});
  REQUIRE(session.settle());
  CHECK(session.model().trace()->find("weights")->tensor().dim(1) == 2);
  CHECK(pauses == until_cancelled);  // nothing pauses where nobody asked
}
