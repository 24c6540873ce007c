// The page of lessons: what its cards say of the runs, where its tasks lead, and a lesson on paper.
#include <fstream>

#include "app/model/lesson_scene.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/learn/task.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

const fs::path shipped = fs::path(HEADLIGHT_SOURCE_DIR) / "assets/lessons";

bool lies_in(const Driver& driver, const std::string& text, const std::string& path) {
  const Rect card = driver.widget(path).rect;
  return std::ranges::any_of(
      driver.log().texts, [&](const LoggedText& one) { return one.text == text && card.contains(one.rect.middle()); });
}

}  // namespace

TEST_CASE("a card has the numbers of its lesson's run, as bars or on the map") {
  Driver driver;
  act(driver, ShowScreen{Screen::lessons});
  for (const char* text : {".31", ".07", ".62", "red", "fox", "runs"})
    CHECK(lies_in(driver, text, "lessons/one-row-by-hand"));
  for (const auto& lesson : driver.model().learner.listed->shipped) {
    INFO(lesson.name);
    REQUIRE(lesson.played);
    const Step* map = nullptr;
    for (const auto& step : lesson.played->steps)
      if (!map && step.answered.outcome.trace) map = step.answered.outcome.trace->map();
    REQUIRE(map);
    // Every number on a card is a weight of that map.
    const Rect card = driver.widget("lessons/" + lesson.name).rect;
    std::size_t numbers = 0;
    for (const LoggedText& text : driver.log().texts) {
      if (!card.contains(text.rect.middle()) || text.text.empty() || text.text.front() != '.') continue;
      ++numbers;
      const double said = std::stod(text.text);
      CHECK(std::ranges::any_of(map->tensor().values(), [&](float weight) {
        return std::abs(static_cast<double>(weight) - said) <= 0.005001;
      }));
    }
    if (map->tensor().size() <= 9) CHECK(numbers > 0);
  }
}

TEST_CASE("the lessons stand as a list as well, and open from it") {
  Driver driver;
  act(driver, ShowScreen{Screen::lessons});
  const float card = driver.widget("lessons/masks").rect.h;
  driver.click("lessons/view/list");
  for (const auto& name : lesson_path) {
    INFO(name);
    CHECK(driver.widget("lessons/" + std::string(name)).rect.h < card / 2);
  }
  driver.click("lessons/masks");
  REQUIRE(driver.model().learner.played);
  CHECK(driver.model().learner.played->lesson->name == "masks");
}

TEST_CASE("lessons of one's own are told by their file, wherever the experiment was named") {
  const Scratch scratch;
  std::ofstream(scratch / "mine.lesson.md") << "# One\n\nText.\n";
  std::ofstream(scratch / "wrong.lesson.md") << "# One\n\n{1 = 2}\n";
  const fs::path file = scratch / "shown.headlight";
  std::ofstream(file) << R"({"variant": "multi_head", "inputs": {"x_q": {"text": "a b"}}})";
  Driver driver;
  act(driver, Open{file});
  act(driver, ShowScreen{Screen::lessons});
  REQUIRE(driver.model().learner.listed);
  CHECK(driver.model().learner.listed->own.size() == 2);
  CHECK(driver.shows("lessons/own/mine"));
  bool named = false, told = false;
  for (const auto& text : driver.log().texts) {
    named = named || text.text == "mine.lesson.md";
    told = told || text.text.find("this") != std::string::npos;
  }
  CHECK(named);
  CHECK(told);
}

TEST_CASE("each task beside the path leads to the page where it is learned") {
  Driver driver;
  act(driver, ShowScreen{Screen::lessons});
  for (const learn::Task* task : learn::all_tasks()) CHECK(driver.shows("lessons/task/" + task->info().id));
  driver.click("lessons/task/frames");
  CHECK(driver.model().screen == Screen::train);
  CHECK(training_asked(driver.model()).task->info().id == "frames");
  Driver small(1366, 768);
  act(small, ShowScreen{Screen::lessons});
  CHECK_FALSE(small.shows("lessons/task/frames"));
  CHECK(small.shows("lessons/write"));
}

TEST_CASE("a lesson is printed beside the experiment, and nothing is written over") {
  Scratch scratch;
  fs::copy_file(shipped / "one-row-by-hand.lesson.md", scratch / "mine.lesson.md");
  const fs::path experiment = scratch / "a.headlight";
  std::ofstream(experiment) << R"({"variant": "multi_head", "inputs": {"x_q": {"text": "a b"}}})";
  Driver driver;
  act(driver, Open{experiment});
  act(driver, OpenLesson{scratch / "mine.lesson.md"});
  driver.press(Key::p, {.ctrl = true});
  driver.session().settle();
  driver.settle();
  const fs::path first = scratch / "mine.pdf", second = scratch / "mine-2.pdf";
  REQUIRE(fs::exists(first));
  const auto bytes = read_file(first, 1 << 24);
  REQUIRE(bytes);
  CHECK(bytes->starts_with("%PDF"));
  std::ofstream(first) << "kept";
  driver.press(Key::p, {.ctrl = true});
  driver.session().settle();
  driver.settle();
  CHECK(fs::exists(second));
  CHECK(*read_file(first, 1 << 24) == "kept");
}

TEST_CASE("what a learner answered is saved as a table beside the experiment") {
  const Scratch scratch;
  const fs::path file = scratch / "shown.headlight";
  std::ofstream(file) << R"({"variant": "multi_head", "inputs": {"x_q": {"text": "a b"}}})";
  Driver driver;
  act(driver, Open{file});
  act(driver, OpenLesson{shipped / "masks.lesson.md"});
  act(driver, SaveAnswers{});
  CHECK_FALSE(fs::exists(scratch / "masks-answers.csv"));  // nothing is answered
  act(driver, AnswerLesson{"10"});
  act(driver, GoInLesson{1});
  act(driver, SolveInLesson{});
  act(driver, GoInLesson{3});
  driver.click("lesson/save-answers");
  driver.settle();
  const auto table = read_file(scratch / "masks-answers.csv", 1 << 16);
  REQUIRE(table);
  CHECK(table->starts_with("lesson,step,title,kind,answer,truth,right,reply\nmasks,0,No looking ahead,number,10,6,0,"));
  CHECK(table->find("\nmasks,1,Who gets the share?,choice,,") != std::string::npos);
  CHECK(std::ranges::count(*table, '\n') == 3);
}

TEST_CASE("a wrong number stands in the cell that was asked about, beside the right one") {
  Driver driver;
  act(driver, OpenLesson{shipped / "one-row-by-hand.lesson.md"});
  act(driver, GoInLesson{1});
  act(driver, AnswerLesson{"5"});
  REQUIRE(driver.shows("lesson/said-of-cell"));
  CHECK(driver.widget("lesson/said-of-cell").value == "5");
  act(driver, AskAgainInLesson{});
  CHECK_FALSE(driver.shows("lesson/said-of-cell"));
  act(driver, AnswerLesson{"4"});
  CHECK_FALSE(driver.shows("lesson/said-of-cell"));  // it is right: the cell has it
  act(driver, AskAgainInLesson{});
  act(driver, SolveInLesson{});
  CHECK_FALSE(driver.shows("lesson/said-of-cell"));  // nothing was said
}
