// Unsaved work outlives its window, and how the window looks is remembered.
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <regex>

#include "app/platform/posix/screens.h"
#include "app/session/session.h"
#include "engine/io/file.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

struct Home {
  const Scratch scratch;
  const fs::path path = scratch / "home";  // nothing has made it
  Surroundings surroundings() const {
    Surroundings s;
    s.state = path / "state";
    s.settings = path / "config" / "settings.json";
    return s;
  }
  std::size_t kept() const {
    std::size_t count = 0;
    std::error_code error;
    for (fs::directory_iterator at(path / "state", error), end; !error && at != end; at.increment(error))
      count += at->path().extension() == ".work";
    return count;
  }
};

// A session that ends without being asked to, as a killed one does; its work is on the disk.
void leave_work(const Home& home, const char* text) {
  Session session(example_experiment(), {}, home.surroundings());
  REQUIRE(session.settle());
  session.act(SetText{"x_q", text, false});
  session.act(SetHead{5});
  session.finish_keeping();
}

}  // namespace

TEST_CASE("work that is not saved is kept, and the next start offers it") {
  const Home home;
  leave_work(home, "kept work");
  REQUIRE(home.kept() == 1);
  Session session(example_experiment(), {}, home.surroundings());
  REQUIRE(session.model().recoverable.size() == 1);
  CHECK(session.model().recoverable.front().name == "Example");
  CHECK(session.model().recoverable.front().time.size() == std::string("2026-03-14 15:09").size());
  session.act(Recover{0});
  CHECK(session.model().recoverable.empty());
  CHECK(*session.model().text_of("x_q") == "kept work");
  CHECK(session.model().document.look.head == 5);
  CHECK(session.model().changed());  // it is in no file
  session.finish_keeping();
  CHECK(home.kept() == 1);  // as this window's own
  session.act(Undo{});
  CHECK(*session.model().text_of("x_q") != "kept work");
}

TEST_CASE("no two windows are offered the same work, and what is discarded is gone") {
  const Home home;
  leave_work(home, "one");
  leave_work(home, "two");
  {
    Session first(example_experiment(), {}, home.surroundings());
    REQUIRE(first.model().recoverable.size() == 2);
    Session second(example_experiment(), {}, home.surroundings());
    CHECK(second.model().recoverable.empty());
    first.act(DiscardRecovered{1});
    CHECK(first.model().recoverable.size() == 1);
  }
  Session third(example_experiment(), {}, home.surroundings());  // what was not decided is offered again
  CHECK(third.model().recoverable.size() == 1);
}

TEST_CASE("of several works one card stands over the map, and the next comes when it is dealt with") {
  const Home home;
  for (const char* text : {"one", "two", "three"}) leave_work(home, text);
  Session session(example_experiment(), {}, home.surroundings());
  REQUIRE(session.settle());
  Driver driver;
  PanelMemory memory;
  NullPainter painter;
  const auto words = [&] {
    driver.frame_of(session, memory, painter);
    return driver.widget("recover").value;
  };
  CHECK(words().ends_with(". 2 older ones come after it."));
  session.act(DiscardRecovered{0});
  CHECK(words().ends_with(". 1 older one comes after it."));
  session.act(DiscardRecovered{0});
  CHECK(words().find("older") == std::string::npos);
  session.act(DiscardRecovered{0});
  driver.frame_of(session, memory, painter);
  CHECK_FALSE(driver.shows("recover"));
}

TEST_CASE("saving, undoing everything and quitting leave nothing to recover") {
  const Home home;
  Session session(example_experiment(), {}, home.surroundings());
  session.act(SetText{"x_q", "changed", false});
  session.finish_keeping();
  CHECK(home.kept() == 1);
  session.act(Undo{});
  session.finish_keeping();
  CHECK(home.kept() == 0);
  session.act(Redo{});
  session.act(Save{home.path / "a.headlight"});
  session.finish_files();
  session.finish_keeping();
  CHECK(home.kept() == 0);
  session.act(SetText{"x_q", "changed again", false});
  session.finish_keeping();
  CHECK(home.kept() == 1);
  session.act(Quit{});
  session.act(Decide{Decision::discard});
  CHECK(session.wants_to_quit());
  CHECK(home.kept() == 0);
}

TEST_CASE("recovered work knows its file, and whether that was changed meanwhile") {
  const Home home;
  fs::create_directories(home.path);
  const fs::path file = home.path / "mine.headlight";
  REQUIRE(write_experiment(example_experiment(), file));
  {
    Session session(*read_experiment(file), file, home.surroundings());
    session.act(SetText{"x_q", "better", false});
  }
  REQUIRE(home.kept() == 1);
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(2));
  Session session(example_experiment(), {}, home.surroundings());
  REQUIRE(session.model().recoverable.size() == 1);
  CHECK(session.model().recoverable.front().name == "mine.headlight");
  session.act(Recover{0});
  CHECK(session.model().path == file);
  session.act(Save{});
  session.finish_files();
  CHECK(session.model().dialog == Dialog::replace);
}

TEST_CASE("damaged work is not offered, and stays where it is") {
  const Home home;
  fs::create_directories(home.path / "state");
  REQUIRE(write_file(home.path / "state" / "window-1-0.work", "{\"headlight_work\": 99}"));
  Session session(example_experiment(), {}, home.surroundings());
  CHECK(session.model().recoverable.empty());
  CHECK(home.kept() == 1);
  CHECK_FALSE(fs::exists(home.path / "state" / "window-1-0.lock"));
}

TEST_CASE("what is kept of somebody's work is for that user alone") {
  const Home home;
  fs::create_directories(home.path / "state");
  leave_work(home, "mine");
  for (const fs::directory_entry& entry : fs::directory_iterator(home.path / "state")) {
    INFO(entry.path().string());
    CHECK((entry.status().permissions() & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
  }
}

TEST_CASE("a file that somebody deleted is written anew, and that is said") {
  const Home home;
  fs::create_directories(home.path);
  const fs::path file = home.path / "mine.headlight";
  REQUIRE(write_experiment(example_experiment(), file));
  Session session(*read_experiment(file), file, home.surroundings());
  session.act(SetText{"x_q", "better", false});
  fs::remove(file);
  session.act(Save{});
  session.finish_files();
  CHECK(fs::exists(file));
  REQUIRE_FALSE(session.model().notices.empty());
  CHECK(session.model().notices.back().text == "mine.headlight had been deleted: it was written anew");
}

TEST_CASE("theme, size, motion and recent files are remembered; what a flag set is not") {
  const Home home;
  fs::create_directories(home.path);
  const fs::path file = home.path / "a.headlight";
  REQUIRE(write_experiment(example_experiment(), file));
  {
    Session session(example_experiment(), {}, home.surroundings());
    Settings flags;
    flags.scale = 2;
    session.use_settings(flags);
    session.act(SetTheme{ThemeName::dark});
    session.act(SetExpert{true});
    session.act(SetStart{StartWith::left});
    session.act(Open{file});
    session.finish_files();
    session.remember_open();
    session.remember_window({10, 20, 1200, 800, false});
    session.remember_folds({{ParamQuestion::positions, ParamQuestion::weights}, true});
  }
  const auto remembered = read_settings(home.surroundings().settings);
  REQUIRE(remembered);
  CHECK(remembered->folds == Folds{{ParamQuestion::positions, ParamQuestion::weights}, true});
  CHECK(remembered->settings.theme == ThemeName::dark);
  CHECK(remembered->settings.expert);
  CHECK(remembered->settings.start == StartWith::left);
  CHECK(remembered->left == file);
  CHECK(remembered->settings.scale == 1);
  CHECK(remembered->window == WindowPlace{10, 20, 1200, 800, false});
  Session next(example_experiment(), {}, home.surroundings());
  CHECK(next.model().settings.theme == ThemeName::dark);
  CHECK(next.model().recent == std::vector<fs::path>{file});
}

TEST_CASE("a window writes what it changed, and leaves what another changed meanwhile") {
  const Home home;
  Session one(example_experiment(), {}, home.surroundings()), other(example_experiment(), {}, home.surroundings());
  one.act(SetTheme{ThemeName::dark});
  one.finish_keeping();
  other.act(SetScale{1.5F});
  other.finish_keeping();
  one.remember_window({10, 20, 1200, 800, false});
  one.finish_keeping();
  const auto remembered = read_settings(home.surroundings().settings);
  REQUIRE(remembered);
  CHECK(remembered->settings.theme == ThemeName::dark);
  CHECK(remembered->settings.scale == 1.5F);
  CHECK(remembered->window == WindowPlace{10, 20, 1200, 800, false});
}

TEST_CASE("a window that is larger than the screen is made as large as that, and lies on it") {
  const auto fitted = [](const WindowFrame& room, const WindowFrame& frame) {
    const WindowFrame is = fitted_to(room, frame);
    return std::array{is.x, is.y, is.width, is.height};
  };
  const WindowFrame screen{0, 32, 1366, 736}, beside{1366, 0, 1920, 1080};
  CHECK(fitted(screen, {100, 50, 1600, 1000}) == std::array{0, 72, 1366, 696});  // with room for its title
  CHECK(fitted(screen, {300, 60, 1300, 900}) == std::array{66, 72, 1300, 696});
  CHECK(fitted(screen, {700, 60, 800, 600}) == std::array{700, 60, 800, 600});
  CHECK(fitted(beside, {1400, 20, 2400, 900}) == std::array{1366, 40, 1920, 900});
}

TEST_CASE("settings of a newer version stay, and a broken file is one line") {
  const Home home;
  const fs::path file = home.surroundings().settings;
  fs::create_directories(file.parent_path());
  REQUIRE(write_file(
      file,
      R"({"theme": "sepia", "scale": 99, "folded": ["visible", "colour", 7], "zoom": {"map": 2}, "window": {"x": "left", "tab": 1}})"));
  const auto read = read_settings(file);
  REQUIRE(read);
  CHECK(read->settings.theme == ThemeName::light);
  CHECK(read->settings.scale == 3);
  CHECK(read->folds == Folds{{ParamQuestion::visible}, false});
  CHECK_FALSE(read->window);
  Remembered remembered = *read;
  remembered.window = WindowPlace{};
  REQUIRE(write_settings(file, remembered, *read));
  const std::string text = *read_file(file, 1 << 20);
  CHECK(text.find("\"map\": 2") != std::string::npos);
  CHECK(text.find("\"tab\": 1") != std::string::npos);
  REQUIRE(write_file(file, "{\"theme\": "));
  Session session(example_experiment(), {}, home.surroundings());
  REQUIRE(session.model().notices.size() == 1);
  CHECK(session.model().notices.front().text.find("so the usual settings are used") != std::string::npos);
  session.act(SetScale{1.5F});
  session.finish_keeping();
  CHECK(read_settings(file)->settings.scale == 1.5F);
  CHECK(*read_file(fs::path(file) += ".broken", 1 << 20) == "{\"theme\": ");
}

TEST_CASE("without a folder nothing is kept and nothing remembered") {
  const Home home;
  Session session(example_experiment(), {}, {});
  session.act(SetTheme{ThemeName::dark});
  session.act(SetText{"x_q", "changed", false});
  session.finish_keeping();
  CHECK_FALSE(fs::exists(home.path));
}

TEST_CASE("a network that was learning when its window ended goes on with the same bits") {
  const Home home;
  std::shared_ptr<const learn::FilmFrame> newest;
  {
    Session session(example_experiment(), {}, home.surroundings());
    session.act(ShowScreen{Screen::train});
    REQUIRE(session.settle());
    session.act(TrainTo{8});
    REQUIRE(session.settle());
    session.act(SetTraining{"lr", 0.01});
    session.act(SetTraining{"batch", Index{16}});
    REQUIRE(session.settle());  // they are turned
    session.act(TrainTo{14});
    REQUIRE(session.settle());
    newest = session.model().training.film->newest;
    session.finish_keeping();
  }
  REQUIRE(newest->step == 14);
  Session session(example_experiment(), {}, home.surroundings());
  REQUIRE(session.model().recoverable.size() == 1);
  CHECK(session.model().recoverable.front().name == "Repeat after 14 steps of training");
  session.act(Recover{0});
  CHECK(session.model().screen == Screen::train);
  REQUIRE(session.settle());
  const learn::Film& film = *session.model().training.film;
  CHECK(film.step == 14);
  CHECK(film.newest->loss == newest->loss);
  CHECK(std::ranges::equal(film.newest->maps.back()->values(), newest->maps.back()->values()));
  CHECK(training_asked(session.model()).options.values.real("lr") == 0.01);
  CHECK_FALSE(session.model().changed());
  session.act(TrainTo{15});
  REQUIRE(session.settle());
  CHECK(session.model().training.film->schedule.at(8) == learn::StepSettings{0.01, 16});
}

TEST_CASE("a training that an older version kept had one batch") {
  Work work;
  work.experiment = example_experiment();
  work.training = KeptTraining{default_plan(*learn::find_task("repeat")), {{0, {0.003, 32}}, {8, {0.01, 32}}}, 14, 300};
  const std::string now = work_text(work);
  const std::string older = std::regex_replace(now, std::regex(R"(,\s*32\s*\])"), "]");
  REQUIRE(older != now);
  for (const std::string& text : {now, older}) {
    const auto kept = parse_work(text, "kept");
    REQUIRE(kept);
    CHECK(kept->training->schedule == work.training->schedule);
  }
}
