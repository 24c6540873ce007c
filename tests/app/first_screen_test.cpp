// What somebody sees who starts the window for the first time, and what it says of itself.
#include <set>

#include "app/actions/update.h"
#include "app/panels/inspector/parts.h"
#include "app/panels/screen/parts.h"
#include "app/panels/setup/parts.h"
#include "app/session/settings_file.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

TEST_CASE("the example opens at its first step with nothing pinned, and says where it leads") {
  Driver driver;
  act(driver, New{});  // as a window begins, too
  const auto is_first = [&] {
    return driver.model().stage() == 0 && !driver.model().document.look.pinned && !driver.shows("trace/result");
  };
  CHECK(is_first());
  CHECK(driver.widget("trace/hint").value == "nothing kept");
  float right = 0;  // brackets stand side by side under the channels that they name
  for (const char* group : {"which place", "marks", "which word", "the word before"}) {
    INFO(group);
    const LoggedWidget& bracket = driver.widget(std::string("groups/") + group);
    CHECK(bracket.rect.x > right);
    CHECK(bracket.rect.y >= driver.widget("heatmap").rect.bottom());
    right = bracket.rect.right();
  }
  CHECK(right <= driver.widget("heatmap").rect.right());
  driver.move_to(driver.cell(2, 17));
  driver.settle();
  CHECK(driver.shows("trace/result"));
  driver.click("goal/2");
  CHECK(driver.model().step() == driver.model().trace()->map());
  CHECK(driver.model().document.look.head == 2);
  CHECK_FALSE(driver.shows("goal/2"));
  act(driver, New{});
  CHECK(is_first());
}

TEST_CASE("the questions are folded until one is opened, and an experiment keeps its view") {
  CHECK(read_settings("/there/is/no/such/file")->folds.questions.size() == 4);
  Driver driver;
  CHECK(driver.model().step() == driver.model().trace()->map());
  CHECK(driver.model().document.look.pinned);
  CHECK_FALSE(driver.shows("goal/0"));
}

TEST_CASE("another step begins with its words, and the row's sentence stands with the cell's result") {
  Driver driver(1366, 768);
  act(driver, SetHead{2});
  driver.click_at(driver.cell(3, 1));  // "sat" stands for the first time
  CHECK(driver.memory().ui.scroll["inspector"] > 0);
  const LoggedWidget &result = driver.widget("trace/result"), &sentence = driver.widget("inspector/silence");
  CHECK(sentence.value.starts_with("“sat” has no earlier place"));
  CHECK(sentence.rect.y > result.rect.bottom());
  CHECK(sentence.rect.y < driver.widget("trace/row/0").rect.y);
  driver.press(Key::page_down);
  CHECK(driver.memory().ui.scroll["inspector"] == 0);
  CHECK(driver.model().document.look.pinned);
  driver.click("left/tab/setup");
  driver.press(Key::space);  // what is to be read comes forward
  CHECK(driver.memory().get<InspectorMemory>().tab);
}

TEST_CASE("play rests as long as the words of a step take to read") {
  CHECK(time_to_read("") == 0);
  CHECK(time_to_read("ten words are read in three seconds, and no faster") == 3);
  CHECK(time_to_read("  two   words ") == time_to_read("two words"));
  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  const auto words = [&] { return time_to_read(session.model().step()->info.note); };
  session.act(GoStage{2});
  REQUIRE(words() > 2 * least_rest);
  CHECK(play_delay(session.model()) == words());
  session.act(ShowStep{"weights"});
  CHECK(play_delay(session.model()) > words());  // the head's sentence is read too
  session.act(GoStage{2});
  session.poll(10);
  session.act(Play{true});
  session.poll(10 + 0.95 * words());
  CHECK(session.model().stage() == 2);
  session.poll(10 + 1.01 * words());
  CHECK(session.model().stage() == 3);
  for (const Action& hides : {Action(SetExpert{true}), Action(Fold{Side::inspector, true})}) {
    session.act(hides);
    CHECK(play_delay(session.model()) == least_rest);
    session.act(SetExpert{false});
  }
}

// ---- Keys that work here

namespace {

// What a hint says, told from what was before.
struct Before {
  Document document;
  int stage = 0;
};

bool is_done(std::string_view words, const Before& before, const Model& now) {
  const Look &was = before.document.look, &is = now.document.look;
  if (words == "move the cell") return is.pinned && is.selection != was.selection;
  if (words == "let it go") return was.pinned && !is.pinned;
  if (words == "hide the cell, or show it") return now.document.experiment != before.document.experiment;
  if (words == "what changed") return now.comparison.change_shown;
  if (words == "next step") return now.stage() == before.stage + 1;
  if (words == "pause") return !now.playing;
  if (words == "play") return now.playing;
  if (words == "back to the result") return now.screen == Screen::explore;
  if (words == "another head") return is.head != was.head;
  if (words == "keep the first cell") return is.pinned && !was.pinned;
  return false;
}

}  // namespace

TEST_CASE("every key that the line at the foot names does there what it says") {
  Driver driver;
  std::size_t named = 0;
  const auto check = [&](const std::vector<Action>& there) {
    const auto begin = [&] {
      for (const Action& action : there) driver.session().act(action);
      driver.settle();
    };
    begin();
    const auto hints = key_hints(driver.model());
    CHECK(hints.size() >= 2);
    CHECK(hints.size() <= 4);
    CHECK(driver.widget("hints/all keys").value == "?");
    for (const KeyHint& hint : hints)
      for (const std::string& chord : hint.chords) {
        begin();
        const auto is_still = [&](const KeyHint& other) { return other.words == hint.words; };
        if (std::ranges::none_of(key_hints(driver.model()), is_still)) continue;  // after a change others come first
        INFO(chord << ": " << hint.words);
        CHECK(driver.widget("hints/" + std::string(hint.words)).value.find(chord) != std::string::npos);
        const Before before{driver.model().document, driver.model().stage()};
        const auto pressed = chord_of_text(chord);
        REQUIRE((pressed && pressed->key));
        driver.press(*pressed->key, pressed->modifiers);
        CHECK(is_done(hint.words, before, driver.model()));
        ++named;
      }
  };
  const auto at = [](const char* step, ViewMode mode, bool pinned, Screen screen = Screen::explore) {
    std::vector<Action> actions{ShowScreen{screen}, Play{false},   ShowChange{false},
                                ShowStep{step},     SetMode{mode}, Select{{5, 3, std::nullopt}, true}};
    if (!pinned) actions.emplace_back(Release{});
    return actions;
  };
  for (const ViewMode mode :
       {ViewMode::map, ViewMode::lines, ViewMode::numbers, ViewMode::heads, ViewMode::mechanism, ViewMode::matrix})
    for (const char* step : {"x_q", "weights", "concat"})
      for (const bool pinned : {false, true}) {
        INFO(step << " " << static_cast<int>(mode) << " " << pinned);
        check(at(step, mode, pinned));
      }
  for (const Screen screen : {Screen::compare, Screen::masks})
    for (const bool pinned : {false, true}) {
      INFO(static_cast<int>(screen) << " " << pinned);
      check(at("weights", ViewMode::map, pinned, screen));
    }
  act(driver, SetParam{"temperature", 0.5, false});
  check(at("weights", ViewMode::map, true));
  auto playing = at("scores", ViewMode::map, false);
  playing.emplace_back(Play{true});
  check(playing);
  CHECK(named > 100);
}

TEST_CASE("the names of heads that the input leads to are of one size") {
  for (const float width : {1366.0F, 1600.0F, 1920.0F}) {
    Driver driver(width, 1000);
    act(driver, New{});
    REQUIRE(driver.shows("goal/0"));
    std::set<Type> types;
    for (const LoggedText& text : driver.log().texts)
      for (const auto& [path, widget] : driver.log())
        if (path.starts_with("goal/") && widget.rect.contains(text.rect.middle()) && widget.value == text.text)
          types.insert(text.type);
    INFO(width);
    CHECK(types.size() == 1);
  }
}
