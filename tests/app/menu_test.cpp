// The menus of cells, rows, heads and tokens, by pointer and by keys; and what was done as a list.
#include <algorithm>

#include "app/actions/palette.h"
#include "app/actions/update.h"
#include "app/platform/input.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

void right_click(Driver& driver, app::Point at) {
  driver.move_to(at);
  send_mouse_button(1, true);
  send_mouse_button(1, false);
  driver.empty_queue();
}

std::vector<std::string> lines(const Driver& driver, const std::string& path = "menu") {
  std::vector<std::string> found;
  for (int i = 0; driver.shows(fmt::format("{}/{}", path, i)); ++i)
    found.push_back(driver.widget(fmt::format("{}/{}", path, i)).value);
  return found;
}

bool offers(const Driver& driver, const std::string& words) {
  const auto all = lines(driver);
  return std::ranges::any_of(all, [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

void choose(Driver& driver, const std::string& words) {
  const auto all = lines(driver);
  const auto found =
      std::ranges::find_if(all, [&](const std::string& line) { return line.find(words) != std::string::npos; });
  REQUIRE(found != all.end());
  driver.click(fmt::format("menu/{}", found - all.begin()));
  driver.settle();
}

}  // namespace

TEST_CASE("the right button selects a cell, a row, a head or a token and lists what can be done with it") {
  Driver driver;
  driver.settle();
  right_click(driver, driver.cell(7, 2));
  CHECK(driver.model().dialog == Dialog::menu);
  CHECK(driver.model().document.look.selection.query == 7);
  CHECK(driver.model().document.look.selection.key == 2);
  CHECK(driver.model().document.look.pinned);
  for (const char* words : {"number", "trace", "row's numbers", "Paste", "cut key 2", "all weight on key 2",
                            "Set this number", "Masks", "Present", "Release"})
    CHECK(offers(driver, words));
  CHECK_FALSE(offers(driver, "Switch head"));
  driver.press(Key::escape);
  CHECK(driver.model().dialog == Dialog::none);
  CHECK(driver.model().document.look.pinned);

  const LoggedWidget map = driver.widget("heatmap");
  right_click(driver, {map.rect.x - 20, driver.cell(4, 0).y});
  CHECK(driver.model().menu_of == MenuTarget::row);
  CHECK(driver.model().document.look.selection.query == 4);
  CHECK(driver.model().document.look.selection.key == 2);
  CHECK(offers(driver, "Numbers of one row"));
  choose(driver, "Numbers of one row");
  CHECK(driver.model().document.look.mode == ViewMode::numbers);
  driver.session().act(SetMode{ViewMode::map});
  driver.settle();

  right_click(driver, driver.widget("heads/4").rect.middle());
  CHECK(driver.model().menu_of == MenuTarget::head);
  CHECK(driver.model().document.look.head == 4);
  choose(driver, "switch head 4 off");
  REQUIRE(driver.model().document.experiment->edits.size() == 1);
  CHECK(driver.model().document.experiment->edits[0].make == Edit::Make::zero);
  CHECK(driver.model().dialog == Dialog::none);

  right_click(driver, driver.widget("tokens/x_q/5").rect.middle());
  CHECK(driver.model().menu_of == MenuTarget::token);
  CHECK(driver.model().document.look.selection.query == 5);
  CHECK(offers(driver, "Duplicate the token"));
  CHECK(offers(driver, "Hide the token"));
  // Beside the list it is closed, and nothing else is done.
  const Model before = driver.model();
  driver.click_at({driver.widget("menu").rect.right() + 40, driver.widget("menu").rect.bottom() + 40});
  CHECK(driver.model().dialog == Dialog::none);
  CHECK(driver.model().document.look == before.document.look);
}

TEST_CASE("the menu opens by keys beside what is selected, and each of its lines is one of the palette's") {
  Driver driver;
  driver.session().act(Select{{9, 3}, true});
  driver.settle();
  const app::Point cell = driver.cell(9, 3);
  for (const bool key : {true, false}) {
    key ? driver.press(Key::menu) : driver.press(Key::f10, {.shift = true});
    REQUIRE(driver.model().dialog == Dialog::menu);
    const Rect card = driver.widget("menu").rect;
    CHECK(std::abs(card.x - cell.x) < 60);
    CHECK(card.contains({cell.x, cell.y}) == false);
    CHECK(driver.widget("menu/0").state == "focused");
    driver.press(Key::escape);
  }
  for (const MenuTarget of : {MenuTarget::cell, MenuTarget::row, MenuTarget::head, MenuTarget::token}) {
    driver.session().act(ShowMenu{of});
    driver.settle();
    const auto all = palette_entries(driver.model());
    const auto shown = lines(driver);
    CHECK(shown.size() >= 4);
    for (const std::string& line : shown) CHECK(std::ranges::count(all, line, &PaletteEntry::label) == 1);
  }
  // Down to the number of the cell: the palette asks for it.
  driver.session().act(ShowMenu{MenuTarget::cell});
  driver.settle();
  choose(driver, "Set this number");
  CHECK(driver.model().dialog == Dialog::palette);
  driver.type("0.25");
  driver.press(Key::enter);
  driver.settle();
  REQUIRE(driver.model().document.experiment->edits.size() == 1);
  CHECK(driver.model().document.experiment->edits[0].values == std::vector<double>{0.25});
}

TEST_CASE("what was done is a list, and any line of it leads there at once and back") {
  Driver driver;
  driver.settle();
  const std::string first = to_json(*driver.model().document.experiment, {});
  driver.session().act(SetParam{"temperature", 2.0, false});
  driver.session().act(SetParam{"mask", std::string("none"), false});
  driver.session().act(SetHead{4});
  driver.session().act(SetText{"x_q", "an owl"});
  driver.settle();
  const std::string last = to_json(*driver.model().document.experiment, {});
  driver.click("top/history");
  CHECK(lines(driver, "history") ==
        std::vector<std::string>{"Text", "Head", "Mask", "Temperature", "As it was opened"});
  CHECK(driver.widget("history/0").state == "focused");
  driver.click("history/2");
  driver.settle();
  CHECK(driver.model().dialog == Dialog::none);
  CHECK(undo_name(driver.model().history) == "mask");
  CHECK(redo_name(driver.model().history) == "head");
  CHECK(driver.model().document.look.head != 4);
  driver.press(Key::h, {.ctrl = true});
  REQUIRE(lines(driver, "history").size() == 5);
  CHECK(driver.widget("history/2").state == "focused");
  driver.press(Key::end);
  driver.press(Key::enter);
  driver.settle();
  CHECK(to_json(*driver.model().document.experiment, {}) == first);
  CHECK(driver.model().history.redo.size() == 4);
  driver.session().act(GoInHistory{100});
  driver.settle();
  CHECK(to_json(*driver.model().document.experiment, {}) == last);
  CHECK(driver.model().shown.experiment->inputs == driver.model().document.experiment->inputs);
  driver.session().act(GoInHistory{-1});
  CHECK(redo_name(driver.model().history) == "text");
}
