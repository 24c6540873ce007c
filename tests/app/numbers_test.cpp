// Numbers that are typed, stepped and dragged; lists and panels that the keyboard and the wheel go through.
#include <fmt/core.h>

#include "app/actions/update.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

const ParamValues& params(const Driver& driver) {
  return driver.model().document.experiment->params;
}

void type_number(Driver& driver, const std::string& path, const std::string& number, Key key = Key::enter) {
  driver.click(path);
  driver.type(number);
  driver.press(key);
}

bool has_focus(const Driver& driver, const std::string& path) {
  return driver.shows(path) && driver.widget(path).state == "focused";
}

void tab_to(Driver& driver, const std::string& path) {
  for (int i = 0; i < 120 && !has_focus(driver, path); ++i) driver.press(Key::tab);
  REQUIRE(has_focus(driver, path));
}

Experiment picture_experiment() {
  auto experiment = read_experiment(HEADLIGHT_SOURCE_DIR "/assets/examples/image.headlight");
  REQUIRE(experiment);
  return *experiment;
}

}  // namespace

TEST_CASE("exact numbers are typed into steppers and beside sliders") {
  Driver driver;
  type_number(driver, "params/heads", "12");
  CHECK(params(driver).integer("heads") == 12);
  type_number(driver, "params/temperature/number", "2");
  CHECK(params(driver).real("temperature") == 2.0);
  CHECK(driver.widget("params/temperature/number").value == "2.00");
  type_number(driver, "params/temperature/number", "0,021");
  CHECK(params(driver).real("temperature") == 0.021);
  CHECK(driver.widget("params/temperature/number").value == "0.021");
  CHECK(undo_name(driver.model().history) == "temperature");
  driver.session().act(Undo{});
  driver.settle();
  CHECK(params(driver).real("temperature") == 2.0);
  CHECK(driver.model().document.look.head == 2);  // no digit chose a head
}

TEST_CASE("a number out of its range says what is allowed, and Escape gives it up") {
  Driver driver;
  const auto heads = params(driver).integer("heads");
  type_number(driver, "params/heads", "99999999");
  CHECK(params(driver).integer("heads") == heads);
  REQUIRE(driver.shows("params/heads/error"));
  CHECK(driver.widget("params/heads/error").value.find("from 1 to") != std::string::npos);
  driver.type("x");
  CHECK_FALSE(driver.shows("params/heads/error"));
  driver.press(Key::enter);
  CHECK(driver.widget("params/heads/error").value.starts_with("A whole number from 1"));
  driver.press(Key::escape);
  CHECK_FALSE(driver.shows("params/heads/error"));
  CHECK(params(driver).integer("heads") == heads);
  CHECK(driver.widget("params/heads").value == std::to_string(heads));
  type_number(driver, "params/temperature/number", "nan");
  CHECK(params(driver).real("temperature") == 1.0);
  driver.press(Key::escape);
}

TEST_CASE("a number takes digits while it has the focus, and steps by arrows") {
  Driver driver;
  driver.press(Key::escape);
  tab_to(driver, "params/heads");
  driver.press(Key::up);
  CHECK(params(driver).integer("heads") == 9);
  driver.press(Key::down);
  driver.press(Key::down);
  CHECK(params(driver).integer("heads") == 7);
  const auto head = driver.model().document.look.head;
  send_key(Key::one, true);
  send_text("1");
  driver.frame();
  send_key(Key::one, false);
  driver.frame();
  driver.type("1");
  driver.press(Key::enter);
  CHECK(params(driver).integer("heads") == 11);
  CHECK(driver.model().document.look.head == head);
  CHECK_FALSE(driver.model().document.look.pinned);
  CHECK(has_focus(driver, "params/heads"));
  driver.press(Key::enter);
  driver.type("3");
  driver.press(Key::tab);  // leaving takes it over
  CHECK(params(driver).integer("heads") == 3);
}

TEST_CASE("the wheel scrolls the panel and changes no number") {
  Driver driver(1600, 800, 1);
  const auto before = driver.model().document.experiment->params;
  const auto turn = [&](float lines) {
    send_wheel(lines);
    driver.empty_queue();
  };
  driver.move_to({150, 300});
  turn(-4);
  for (const char* path : {"params/heads", "params/d_head", "params/choice/rotary"}) {
    const float y = driver.widget(path).rect.y;
    driver.move_to(driver.widget(path).rect.middle());
    turn(1);
    CHECK(driver.widget(path).rect.y > y);
    turn(-1);
    CHECK(driver.widget(path).rect.y == y);
    CHECK(driver.model().document.experiment->params == before);
  }
}

TEST_CASE("a window begins with three pixels and stays odd") {
  Driver driver(1600, 1600, 1, picture_experiment());
  driver.click("mechanism");
  driver.click("mechanism/Stand-alone 2-D");
  REQUIRE(driver.shows("params/extent"));
  driver.session().act(SetParam{"extent", ParamValue(std::monostate{}), false});
  driver.settle();
  CHECK(driver.widget("params/extent").value == "auto");
  driver.click("params/extent/+");
  CHECK(params(driver).integer("extent") == 3);
  driver.click("params/extent/+");
  CHECK(params(driver).integer("extent") == 5);
  type_number(driver, "params/extent", "8");
  CHECK(params(driver).integer("extent") == 5);
  CHECK(driver.widget("params/extent/error").value == "8 is not allowed: 1, 3, 5 …");
  driver.press(Key::escape);
  driver.click("params/extent/-");
  driver.click("params/extent/-");
  CHECK(params(driver).is_automatic("extent"));
  type_number(driver, "params/extent", "7");
  CHECK(params(driver).integer("extent") == 7);
  type_number(driver, "params/extent", "auto");
  CHECK(params(driver).is_automatic("extent"));
}

TEST_CASE("how many dimensions is chosen among those that the input has") {
  Driver driver(1600, 1600, 1, picture_experiment());
  driver.click("mechanism");
  driver.click("mechanism/Non-local");
  REQUIRE(driver.shows("params/dimension/2"));
  CHECK(driver.widget("params/dimension/2").state == "selected");
  CHECK(driver.widget("params/dimension/1").state == "disabled");
  driver.click("params/dimension/1");
  CHECK(driver.widget("params/dimension/2").state == "selected");
}

TEST_CASE("arrows step a number that is being typed, from what stands there") {
  Driver driver;
  driver.click("params/heads");
  driver.press(Key::up);
  CHECK(params(driver).integer("heads") == 9);
  CHECK(driver.widget("params/heads").value == "9");
  driver.press(Key::up);
  CHECK(params(driver).integer("heads") == 10);
  driver.click("params/heads");
  send_text("3");
  driver.frame();
  driver.press(Key::down);
  CHECK(params(driver).integer("heads") == 2);
  driver.click("params/heads");
  send_text("0");
  driver.frame();
  driver.press(Key::down);  // 0 heads are none: it stays to be mended
  CHECK(params(driver).integer("heads") == 2);
  driver.press(Key::escape);
}

TEST_CASE("an open list takes the arrow keys itself and its tooltip rests") {
  Driver driver;
  driver.click_at(driver.cell(7, 4));
  const auto look = driver.model().document.look;
  driver.click("preset");
  REQUIRE(driver.shows("preset/Plain attention"));
  for (int i = 0; i < 40; ++i) driver.frame();
  CHECK_FALSE(driver.shows("message"));
  driver.press(Key::home);
  driver.press(Key::down);
  CHECK(driver.model().document.look == look);
  driver.press(Key::up);
  const std::string first = driver.widget("preset/Plain attention").state;
  driver.press(Key::enter);
  CHECK_FALSE(driver.shows("preset/Plain attention"));
  CHECK(driver.model().document.look == look);
  CHECK(first == "focused");
  CHECK(params(driver).choice("mask") == "none");
  driver.click("preset");
  driver.press(Key::escape);
  CHECK_FALSE(driver.shows("preset/Plain attention"));
  CHECK(driver.model().document.look.pinned);
}

TEST_CASE("Tab brings what it comes to into sight") {
  Driver driver(1366, 600, 1);
  int seen = 0;
  for (int i = 0; i < 150; ++i) {
    driver.press(Key::tab);
    for (const auto& [path, widget] : driver.log()) {
      const bool in_panel = path.starts_with("params/") || path.starts_with("weights/") || path == "mechanism";
      if (widget.state != "focused" || !in_panel) continue;
      INFO(path);
      CHECK(widget.seen.h >= widget.rect.h - 1);
      ++seen;
    }
  }
  CHECK(seen > 8);
}

TEST_CASE("what a parameter is for stands beside it, not on the next one") {
  Driver driver(1600, 1600);
  driver.move_to(driver.widget("params/temperature").rect.middle());
  for (int i = 0; i < 40; ++i) driver.frame();
  REQUIRE(driver.shows("message"));
  CHECK(driver.widget("message").rect.x >= driver.widget("params/temperature").rect.right());
}

TEST_CASE("Shift and a click ask another pixel and keep the pinned key") {
  Driver driver(1600, 1000, 1, picture_experiment());
  REQUIRE(driver.shows("picture"));
  const Rect box = driver.widget("picture").rect;
  driver.click("picture");
  REQUIRE(driver.model().document.look.pinned);
  const Selection before = driver.model().document.look.selection;
  send_modifiers({.shift = true});
  driver.move_to({box.x + box.w / 4, box.y + box.h / 4});
  send_mouse_button(0, true);
  send_mouse_button(0, false);
  driver.empty_queue();
  send_modifiers({});
  driver.empty_queue();
  CHECK(driver.model().document.look.selection.query != before.query);
  CHECK(driver.model().document.look.selection.key == before.key);
  CHECK(driver.model().document.look.pinned);
}

TEST_CASE("the size of the window is typed and stepped by quarters") {
  Driver driver;
  driver.click("top/appearance");
  type_number(driver, "appearance/scale", "200");
  CHECK(driver.model().settings.scale == 2.0F);
  type_number(driver, "appearance/scale", "110");
  CHECK(driver.model().settings.scale == 2.0F);
  driver.press(Key::escape);
  CHECK(driver.model().dialog == Dialog::appearance);  // the number alone was given up
  driver.click("appearance/scale/-");
  CHECK(driver.model().settings.scale == 1.75F);
}
