// A text of one's own on the Train page: typed, opened as a file, too short, too long to be typed, and undone.
#include <fmt/core.h>

#include "app/actions/action_table.h"
#include "app/model/first_text.h"
#include "engine/io/file.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

const std::string shells = "she sells sea shells by the sea shore, and ";

std::string many(int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += shells;
  return text;
}

struct OnPage {
  Driver driver;
  OnPage() { act(ShowScreen{Screen::train}); }
  const TrainingShown& shown() const { return driver.model().training; }
  const learn::TrainingPlan& asked() const { return training_asked(driver.model()); }
  std::string value(const std::string& path) const { return driver.widget(path).value; }
  void act(const Action& action) { app::act(driver, action); }
};

}  // namespace

TEST_CASE("the text to begin with is long enough, and what is shown of it is its last tenth") {
  OnPage page;
  page.driver.click("train/task/text");
  CHECK(page.value("train/text") == first_text_to_learn());
  CHECK(page.value("train/text/use") == "4.0 KiB: the first 4 thousand letters are used, the last tenth held out.");
  REQUIRE(page.shown().film);
  CHECK(page.shown().error.empty());
  learn::TaskOptions settled = page.asked().options;
  page.asked().task->trim(settled);
  const std::string& used = settled.texts.at("text");
  REQUIRE(used.size() == 4000);
  std::string shown;
  for (const std::string& letter : page.shown().film->example->words.read) shown += letter == "␣" ? " " : letter;
  CHECK(shown == used.substr(3600, 48));
  CHECK(page.driver.shows("train/figure/held_out"));
}

TEST_CASE("a text that is typed is learned from the start, and undo brings back the one before") {
  OnPage page;
  page.act(ChooseTask{"text"});
  page.act(TrainTo{2});
  page.act(SetTrainText{many(20)});
  CHECK(page.shown().film->step == 0);
  CHECK(page.shown().before_words == "another text, same seed");
  CHECK(text_to_learn(*page.shown().film->plan) == many(20));
  CHECK(undo_name(page.driver.model().history) == "text to learn");
  page.driver.click("train/text");
  page.driver.press(Key::end, {.ctrl = true});
  page.driver.type("!");
  page.driver.settle();
  CHECK(text_to_learn(*page.shown().film->plan) == many(20) + "!");
  page.act(Undo{});
  page.act(Undo{});
  CHECK(text_to_learn(*page.shown().film->plan) == first_text_to_learn());
}

TEST_CASE("a text file that is opened or dropped on the page is learned there, whatever the task was") {
  OnPage page;
  const Scratch folder;
  const auto file = folder / "shells.txt";
  REQUIRE(write_file(file, many(30)));
  const auto explored = *page.driver.model().text();
  page.act(Open{file});
  page.driver.session().finish_files();
  page.driver.settle();
  CHECK(page.asked().task->info().id == "text");
  CHECK(text_to_learn(*page.shown().film->plan).starts_with(shells));
  CHECK(*page.driver.model().text() == explored);  // what is open in Explore is another matter
  page.act(Undo{});
  CHECK(page.asked().task->info().id == "repeat");
}

TEST_CASE("a text that is too short or empty is told in one line, and one press goes back") {
  OnPage page;
  page.act(SetTrainText{many(30)});
  REQUIRE(page.shown().error.empty());
  page.act(SetTrainText{"she sells"});
  CHECK(page.shown().error == "The text has 9 letters, cut after Kilobytes: Length 48 needs 491 of them");
  page.driver.click("train/error/button");
  CHECK(page.shown().error.empty());
  page.act(SetTrainText{""});
  CHECK(page.shown().error == "The text is empty: give a text, or \"file\" with the path of one");
  page.act(SetTrainText{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"});
  CHECK(page.shown().error == "The text has fewer than two different letters");
}

TEST_CASE("a text that is too long to be typed is told by its size, and 20 kilobytes are there to be tried") {
  OnPage page;
  page.act(ChooseTask{"text"});
  CHECK(why_not(TryCounterTest{"20 kilobytes"}, page.driver.model()) ==
        "Give a longer text first: this one has 4.1 kilobytes");
  page.driver.click("train/counter/20 kilobytes");
  CHECK(page.asked().options.values.real("kilobytes") == 4);
  page.act(SetTrainText{many(1000)});
  CHECK_FALSE(page.driver.shows("train/text"));
  CHECK(page.value("train/text/use") == "42.0 KiB: the first 4 thousand letters are used, the last tenth held out.");
  page.act(TryCounterTest{"20 kilobytes"});
  page.act(PlayTraining{false});
  CHECK(page.asked().options.values.real("kilobytes") == 20);
  CHECK(text_to_learn(page.asked()).size() == many(1000).size());
  page.driver.click("train/text/type");
  CHECK(page.value("train/text").empty());
}
