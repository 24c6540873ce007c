// Killed at random moments while it edits and saves: the file on the disk always opens, and what is offered again lacks
// the last second at most. HEADLIGHT_KILLS=200 kills more often than a usual run of the tests.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "app/session/session.h"
#include "engine/core/random.h"
#include "engine/io/experiment.h"
#include "engine/io/file.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

double seconds_now() {  // the same clock in all processes
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// An edit that was made, by its number, and when.
struct Made {
  double when = 0;
  int edit = 0;
};

constexpr const char* words = "edit number ";

Surroundings surroundings_in(const Scratch& home) {
  Surroundings s;
  s.state = home / "state";
  return s;
}

// Whether a window has kept work that is not saved.
bool has_recovery(const Scratch& home) {
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(home / "state", error), end; !error && at != end;
       at.increment(error))
    if (at->path().extension() == ".work") return true;
  return false;
}

// Edits on and on, and saves now and then, until it is killed. Says of each edit that it was made.
[[noreturn]] void edit_until_killed(const Scratch& home, int to, std::uint64_t seed) {
  Random random(seed, "killed");
  Session session(*read_experiment(home / "file.headlight"), home / "file.headlight", surroundings_in(home));
  for (int edit = 1;; ++edit) {
    session.act(SetText{"x_q", words + std::to_string(edit), false});
    session.act(SetHead{edit % 8});
    session.act(SetParam{"temperature", 0.5 + 0.01 * (edit % 100), true});
    if (random.uniform() < 0.05) session.act(Save{});
    session.poll(seconds_now());
    const Made made{seconds_now(), edit};
    if (::write(to, &made, sizeof made) != sizeof made) ::_exit(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(static_cast<int>(random.uniform() * 20)));
  }
}

int edit_in(const Model& model) {
  const std::string& text = *model.text_of("x_q");
  return text.starts_with(words) ? std::atoi(text.c_str() + std::string(words).size()) : 0;
}

}  // namespace

TEST_CASE("a session that is killed while it edits loses a second of work at most, and its file always opens") {
  const char* asked = std::getenv("HEADLIGHT_KILLS");
  const int times = asked ? std::atoi(asked) : 3;
  const double patience = 1 + 1;  // s: what may be lost, and a machine under load
  int recovered = 0;
  for (int round = 0; round < times; ++round) {
    CAPTURE(round);
    const Scratch home;
    REQUIRE(write_file(home / "file.headlight", to_json(example_experiment(), {})));
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    Random random(static_cast<std::uint64_t>(round), "kill");
    const auto seed = static_cast<std::uint64_t>(round);
    const pid_t child = ::fork();
    if (child == 0) edit_until_killed(home, ends[1], seed);
    REQUIRE(child > 0);
    ::close(ends[1]);
    if (round == 0) {  // as soon as there is something to recover, however slow the machine
      for (int i = 0; i < 6000 && !has_recovery(home); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(150 + static_cast<int>(random.uniform() * 2500)));
    }
    const double killed = seconds_now();
    REQUIRE(::kill(child, SIGKILL) == 0);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));  // else it ended by itself
    int owed = 0;                                                   // the last edit that is more than that old
    for (Made made; ::read(ends[0], &made, sizeof made) == sizeof made;)
      if (made.when < killed - patience) owed = made.edit;
    ::close(ends[0]);

    auto file = read_experiment(home / "file.headlight");
    REQUIRE(file);
    Session session(std::move(*file), home / "file.headlight", surroundings_in(home));
    int found = edit_in(session.model());
    REQUIRE(session.model().recoverable.size() <= 1);
    if (!session.model().recoverable.empty()) {
      session.act(Recover{0});
      for (const Notice& notice : session.model().notices) CHECK(notice.level != Notice::Level::error);
      found = std::max(found, edit_in(session.model()));
      ++recovered;
    }
    CHECK(found >= owed);
  }
  CHECK(recovered > 0);
}
