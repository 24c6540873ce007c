// What stands beside the map, and the map itself: folding, stories, pointing while a cell is pinned, zoom.
#include <fmt/core.h>

#include <cmath>

#include "app/model/document.h"
#include "app/panels/screen/parts.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

constexpr Modifiers ctrl{.ctrl = true};

bool overlap(Rect a, Rect b) {
  const Rect both = intersection(a, b);
  return both.w > 0 && both.h > 0;
}

// Frames for so many seconds of the window's clock.
void wait(Driver& driver, double seconds) {
  for (const double until = driver.now() + seconds; driver.now() < until;) driver.frame();
}

}  // namespace

TEST_CASE("both sides fold away by keys and handles, and the map takes their room") {
  Driver driver;
  const Rect before = driver.widget("heatmap/room").rect;
  driver.press(Key::b, ctrl);
  CHECK_FALSE(driver.shows("input/x_q"));
  driver.press(Key::i, ctrl);
  CHECK_FALSE(driver.shows("trace/result"));
  CHECK(driver.widget("heatmap/room").rect.w > before.w);
  driver.click("sides/setup");
  CHECK(driver.shows("input/x_q"));
  driver.click("sides/inspector");
  CHECK(driver.shows("trace/result"));
}

TEST_CASE("cells grow with the window, beyond 60 px where there is room") {
  Driver usual(1600, 1000, 1), large(2560, 1440, 1);
  CHECK(usual.widget("heatmap").rect.w >= 12 * 38);
  CHECK(large.widget("heatmap").rect.w >= 12 * 60);
  act(large, SetText{"x_q", "a short one", false});
  CHECK(large.widget("heatmap").rect.w >= 4 * 100);
}

TEST_CASE("large text keeps labels, numbers and the strip of steps") {
  for (const auto& [width, height, scale] : {std::tuple{1920.0F, 1080.0F, 2.0F}, std::tuple{1366.0F, 768.0F, 1.5F}}) {
    Driver driver(width, height, scale);
    CHECK(driver.shows("pipeline/scores"));
    CHECK(driver.widget("heatmap").rect.w / 12 >= 28 * scale);  // where numbers begin
    CHECK(driver.widget("heatmap").rect.h / 12 >= 16 * scale);
  }
}

TEST_CASE("a click on a cell shows its story, also where the inspector is a tab or in a drawer") {
  for (const auto& [width, height, scale] : {std::tuple{1366.0F, 768.0F, 1.0F}, std::tuple{1366.0F, 768.0F, 2.0F}}) {
    Driver driver(width, height, scale);
    driver.press(Key::escape);
    CHECK_FALSE(driver.shows("trace/result"));
    driver.click_at(driver.cell(7, 4));
    REQUIRE(driver.shows("trace/result"));
    const LoggedWidget& result = driver.widget("trace/result");
    if (scale == 1) CHECK(result.seen.h >= result.rect.h - 1);
  }
}

TEST_CASE("a pinned cell that is gone is pinned no more") {
  Driver driver;
  driver.click_at(driver.cell(11, 9));
  REQUIRE(driver.model().document.look.pinned);
  act(driver, SetText{"x_q", "two words", false});
  CHECK_FALSE(driver.model().document.look.pinned);
  driver.move_to(driver.cell(1, 1));
  driver.frame();
  driver.frame();
  CHECK(driver.shows("trace/result"));
}

TEST_CASE("while a cell is pinned another under the pointer says what it is, and the pinned story stays") {
  Driver driver;
  const std::string pinned = driver.widget("trace/result").value;
  driver.move_to(driver.cell(5, 2));
  wait(driver, 0.1);
  CHECK_FALSE(driver.shows("tip"));
  wait(driver, 0.4);
  REQUIRE(driver.shows("tip"));
  CHECK(driver.widget("trace/result").value == pinned);
  CHECK(driver.widget("tip").value != pinned);
  const Rect map = driver.widget("heatmap").rect, card = driver.widget("tip").rect;
  const float w = map.w / 12, h = map.h / 12;
  CHECK_FALSE(overlap(card, {map.x, map.y + 5 * h, map.w, h}));
  CHECK_FALSE(overlap(card, {map.x + 2 * w, map.y, w, map.h}));
  const Rect head = driver.widget("heads/6").rect;
  driver.move_to({head.x + head.w * 0.3F, head.middle().y});
  wait(driver, 0.5);
  CHECK(driver.shows("tip"));
}

TEST_CASE("Ctrl and the wheel zoom about the pointer, a drag pans, 0 shows all") {
  Driver driver;
  const auto shown = [&] { return driver.widget("heatmap").value; };
  REQUIRE(shown() == "12×12");
  const auto at = driver.cell(9, 3);
  driver.move_to(at);
  send_modifiers(ctrl);
  for (int i = 0; i < 3; ++i) {
    send_wheel(1);
    driver.frame();
  }
  send_wheel(0);
  send_modifiers({});
  driver.frame();
  driver.frame();
  CHECK(shown() == "6×6");
  REQUIRE(driver.shows("heatmap/overview"));
  CHECK(driver.model().hover->selection.query == 9);  // the cell under the pointer stayed
  CHECK(driver.model().hover->selection.key == 3);
  const Selection before = driver.model().document.look.selection;
  send_mouse_button(0, true);
  driver.frame();
  driver.move_to({at.x - 120, at.y + 120});
  driver.move_to({at.x - 200, at.y + 200});
  send_mouse_button(0, false);
  driver.frame();
  CHECK(driver.model().document.look.selection == before);  // no click
  CHECK(driver.widget("heatmap/overview").value != "5,2");
  driver.move_to(at);
  driver.press(Key::zero);
  CHECK(shown() == "12×12");
  CHECK_FALSE(driver.shows("heatmap/overview"));
}

TEST_CASE("a drag along the stepper goes through the steps") {
  Driver driver;
  const Rect first = driver.widget("stepper/2").rect, last = driver.widget("stepper/6").rect;
  driver.move_to(first.middle());
  send_mouse_button(0, true);
  driver.frame();
  driver.move_to(last.middle());
  driver.frame();
  CHECK(driver.model().stage() == 6);
  send_mouse_button(0, false);
  driver.frame();
  CHECK(driver.model().stage() == 6);
}

TEST_CASE("lines of the selected query obey the threshold like all others") {
  Driver driver;
  driver.press(Key::l);
  act(driver, SetThreshold{0.5});
  const std::string few = driver.widget("lines/count").value;
  act(driver, SetThreshold{0});
  CHECK(driver.widget("lines/count").value == "78 of 78");
  CHECK(few != "78 of 78");
  act(driver, SetThreshold{1});
  const Tensor& weights = driver.model().trace()->find("weights")->tensor();
  Index ones = 0;  // weights that are 1
  for (Index cell = 0; cell < 144; ++cell) ones += weights[driver.model().document.look.head * 144 + cell] == 1;
  CHECK(ones > 0);
  CHECK(driver.widget("lines/count").value == fmt::format("{} of 78", ones));
}

TEST_CASE("lines open at the selected query of a long text") {
  Driver driver;
  std::string text = "one";
  for (int i = 0; i < 70; ++i) text += fmt::format(" w{}", i);
  act(driver, SetText{"x_q", text, false});
  act(driver, Select{{60, 3, {}, {}, {}}, true});
  driver.press(Key::l);
  REQUIRE(driver.shows("lines/query/60"));
  const Rect query = driver.widget("lines/query/60").rect;
  CHECK(query.y > 100);
  CHECK(query.bottom() < 940);
}

TEST_CASE("the parts of the screen give way in their order") {
  const Sides all;
  CHECK(plan_screen(1600, 1000, all).inspector == 352);
  const ScreenPlan laptop = plan_screen(1366, 768, all);
  CHECK((laptop.tab && laptop.left == 304 && laptop.strip == 98));
  const ScreenPlan enlarged = plan_screen(960, 540, all);
  CHECK((enlarged.left == 280 && enlarged.strip == 34 && !enlarged.in_drawer));
  const ScreenPlan tiny = plan_screen(455, 256, all);
  CHECK((tiny.in_drawer && tiny.left == 0 && tiny.strip == 0));
}

TEST_CASE("parts of the window that an experiment hides are not shown until all are asked for") {
  const std::pair<std::string, const char*> parts[] = {{"strip", "pipeline"},
                                                       {"setup", "sides/setup"},
                                                       {"heads", "heads/3"},
                                                       {"inspector", "sides/inspector"},
                                                       {"stepper", "stepper/play"}};
  // Numbers in the cells of the map: its only texts.
  const auto has_numbers = [](const Driver& driver) {
    const Rect map = driver.widget("heatmap").rect.inset(8);
    return std::ranges::any_of(driver.log().texts, [&](const LoggedText& text) { return overlap(text.rect, map); });
  };
  for (const std::string hidden : {"strip", "setup", "inspector", "heads", "stepper", "numbers"}) {
    INFO(hidden);
    Experiment experiment = example_experiment();
    experiment.view.hide = {hidden};
    Driver driver(1600, 1000, 1, experiment);
    driver.settle();
    for (const auto& [part, path] : parts) CHECK(driver.shows(path) == (part != hidden));
    CHECK(has_numbers(driver) == (hidden != "numbers"));
    CHECK(with_view(driver.model().document).view.hide == experiment.view.hide);
    act(driver, ShowAllParts{});
    for (const auto& [part, path] : parts) CHECK(driver.shows(path));
    CHECK(has_numbers(driver));
    CHECK_FALSE(why_not(Action(ShowAllParts{}), driver.model()).empty());
    act(driver, HidePart{hidden});
    CHECK(with_view(driver.model().document).view.hide == experiment.view.hide);
    CHECK(why_not(Action(HidePart{"roof"}), driver.model()).find("no part \"roof\": strip, setup") !=
          std::string::npos);
  }
}

TEST_CASE("in a small window what is not hidden of the left panel has it alone") {
  Experiment experiment = example_experiment();
  experiment.view.hide = {"setup"};
  Driver driver(1366, 768, 1, experiment);
  driver.settle();
  CHECK_FALSE(driver.shows("left/tab/setup"));
  CHECK(driver.shows("sides/setup"));  // it folds away all the same
  experiment.view.hide = {"setup", "inspector"};
  Driver bare(1366, 768, 1, experiment);
  bare.settle();
  CHECK_FALSE(bare.shows("sides/setup"));
  CHECK(bare.widget("heatmap/room").rect.x < 40);
}
