// What can be changed, compared, masked, measured and presented is, by keys alone: the pointer is never sent.
#include <algorithm>

#include "app/actions/tokens.h"
#include "app/actions/update.h"
#include "app/model/presenter.h"
#include "app/platform/input.h"
#include "app/reading/edits_offered.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// Finds it by its name, as one would who has read no manual.
void ask_for(Driver& driver, const std::string& words) {
  INFO(words);
  driver.press(Key::k, {.ctrl = true});
  REQUIRE(driver.model().dialog == Dialog::palette);
  driver.type(words);
  driver.press(Key::enter);
  CHECK(driver.model().dialog != Dialog::palette);
}

void tab_to(Driver& driver, const std::string& path) {
  for (int i = 0; i < 250 && driver.memory().ui.focus != path; ++i) driver.press(Key::tab);
  INFO(path);
  REQUIRE(driver.memory().ui.focus == path);
}

void type_over(Driver& driver, const std::string& path, const std::string& number) {
  tab_to(driver, path);
  driver.press(Key::a, {.ctrl = true});
  driver.type(number);
  driver.press(Key::enter);
  driver.press(Key::escape);
}

float number_at(const Driver& driver, const char* id, std::initializer_list<Index> at) {
  const Step* step = driver.model().trace()->find(id);
  REQUIRE(step);
  return step->tensor().at(at);
}

const std::vector<Edit>& edits(const Driver& driver) {
  return driver.model().document.experiment->edits;
}

}  // namespace

TEST_CASE("cells, blocks, biases and every intervention are set by keys alone, and switched off one by one") {
  Driver driver(1600, 1000, 1);
  driver.settle();
  ask_for(driver, "step: scores");
  driver.press(Key::enter);  // pins the selected cell: query 9, key 3
  REQUIRE(driver.model().document.look.pinned);
  const Selection at = driver.model().document.look.selection;
  const Index head = driver.model().document.look.head, i = *at.query, j = *at.key;
  ask_for(driver, "set this number 2.5");
  CHECK(number_at(driver, "scores", {0, head, i, j}) == 2.5F);
  driver.press(Key::right);
  driver.press(Key::down, {.shift = true});
  driver.press(Key::right, {.shift = true});
  type_over(driver, "by hand/block", "-1.5");
  CHECK(number_at(driver, "scores", {0, head, i + 1, j + 2}) == -1.5F);
  CHECK(edits(driver).size() == 2);
  driver.press(Key::down, {.alt = true});
  CHECK(number_at(driver, "scores", {0, head, i + 2, j + 2}) == -1.5F);
  CHECK(undo_name(driver.model().history) == "moving edit 2");

  driver.clipboard() = "4\t5\n6\t7\n";
  driver.press(Key::v, {.ctrl = true});
  CHECK(edits(driver).back().values == std::vector<double>{4, 5, 6, 7});

  ask_for(driver, "biases: on");
  ask_for(driver, "array: b_q");
  REQUIRE(driver.model().step()->info.id == "b_q");
  driver.press(Key::enter);
  ask_for(driver, "set this number 0.75");
  CHECK(edits(driver).back().array == "b_q");

  ask_for(driver, "step: weights");
  for (const char* words : {"set by hand switch head off", "head uniform weights", "head permuted weights",
                            "all weight on key", "set by hand cut key"}) {
    INFO(words);
    const std::size_t before = edits(driver).size();
    ask_for(driver, words);
    CHECK(driver.model().error.empty());
    CHECK(edits(driver).size() == before + (std::string(words).find("permuted") == std::string::npos ? 1 : 0));
  }
  ask_for(driver, "edit 1: switch off");
  CHECK_FALSE(edits(driver)[0].on);
  CHECK(edits(driver)[1].on);
  driver.press(Key::z, {.ctrl = true});
  CHECK(edits(driver)[0].on);
  driver.press(Key::h, {.ctrl = true});  // the list of what was done, down to where it began
  driver.press(Key::end);
  driver.press(Key::enter);
  CHECK(edits(driver).empty());
  driver.press(Key::z, {.ctrl = true, .shift = true});
  CHECK(driver.model().history.undo.size() == 1);
}

TEST_CASE("what a change did is peeked at and kept, and A and B are compared, by keys alone") {
  Driver driver(1600, 1000, 1);
  driver.settle();
  ask_for(driver, "temperature 2");
  send_key(Key::d, true);
  for (int i = 0; i < 60; ++i) driver.frame();
  CHECK(driver.model().comparison.change_shown);
  send_key(Key::d, false);
  driver.empty_queue();
  CHECK_FALSE(driver.model().comparison.change_shown);
  driver.press(Key::d);
  CHECK(driver.model().comparison.change_shown);
  driver.press(Key::d);
  driver.press(Key::d, {.ctrl = true});
  REQUIRE(driver.model().document.held);
  ask_for(driver, "positions: none");
  CHECK(undo_name(driver.model().history) == "positions");
  ask_for(driver, "compare with a");
  REQUIRE(driver.model().screen == Screen::compare);
  CHECK(driver.widget("compare/line/Positions").state == "differs");
  driver.press(Key::x);
  CHECK(driver.model().params().choice("positions") == "sinusoidal");
  driver.press(Key::x);
  ask_for(driver, "a and b in one place");
  CHECK(driver.model().document.contrast.view == ContrastView::blink);
  ask_for(driver, "difference: b");
  // What changed most is said, and one press leads there.
  const std::string most = driver.widget("compare/most").value;
  CHECK(most.starts_with("Head "));
  tab_to(driver, "compare/most/show");
  driver.press(Key::enter);
  CHECK(driver.model().document.look.pinned);
  CHECK(most.starts_with(fmt::format("Head {}", driver.model().document.look.head)));
  ask_for(driver, "settle on b");
  CHECK_FALSE(driver.model().document.held);
}

TEST_CASE("a head is found by what it does, and what is lost without it is shown where it is, by keys alone") {
  Driver driver(1600, 1000, 1);
  driver.settle();
  ask_for(driver, "induction");
  REQUIRE(driver.model().document.look.mode == ViewMode::heads);
  driver.press(Key::menu);
  CHECK(driver.model().menu_of == MenuTarget::head);
  driver.press(Key::escape);
  ask_for(driver, "lost without it what if");
  REQUIRE(driver.model().screen == Screen::compare);
  CHECK(driver.model().step()->info.id == driver.model().document.experiment->edits.at(0).array);
  CHECK(driver.widget("compare/most").value.starts_with("Head 2 changes most."));
  const std::string words = driver.widget("compare/words-of-change").value;
  CAPTURE(words);
  CHECK(words.find("of its size, most at ") != std::string::npos);
  // Before that step nothing changes, and it is said which is the first that differs.
  ask_for(driver, "step: scores");
  CHECK(driver.widget("compare/most").value.starts_with("At this step nothing changes. The first that differs is "));
  tab_to(driver, "compare/most/show");
  driver.press(Key::enter);
  CHECK(driver.model().step()->info.id == driver.model().document.experiment->edits.at(0).array);
}

TEST_CASE("the report on heads is sorted, searched, plotted and copied by keys alone") {
  Driver driver(1600, 1000, 1);
  driver.settle();
  driver.press(Key::h, {.shift = true});
  REQUIRE(driver.model().head_report.measures);
  ask_for(driver, "heads by entropy");
  CHECK(driver.model().head_table.by == Measure::entropy);
  const Index first = driver.model().document.look.head;
  driver.press(Key::down);
  CHECK(driver.model().document.look.head != first);
  ask_for(driver, "switch off each head");
  CHECK((*driver.model().head_report.measures)[Measure::ablation].missing == Missing::nothing);
  ask_for(driver, "find heads: previous");
  CHECK(driver.shows("report/said"));
  for (const char* path : {"report/find", "report/save"}) tab_to(driver, path);
  // Any two measures as a plot, by the lists of its axes.
  for (const char* axis : {"report/plot/across", "report/plot/up"}) {
    const auto before = std::pair(driver.model().head_table.across, driver.model().head_table.up);
    tab_to(driver, axis);
    driver.press(Key::enter);
    driver.press(Key::down);
    driver.press(Key::enter);
    CHECK(std::pair(driver.model().head_table.across, driver.model().head_table.up) != before);
  }
  ask_for(driver, "copy the table of heads");
  CHECK(std::ranges::count(driver.clipboard(), '\n') >= 8);
  driver.press(Key::h);
  CHECK(driver.model().document.look.mode == ViewMode::map);
}

TEST_CASE("an empty row is asked about, explained and repaired, and cells are painted, by keys alone") {
  Driver driver(1600, 1000, 1);
  driver.settle();
  ask_for(driver, "masks: rules");
  REQUIRE(driver.model().screen == Screen::masks);
  ask_for(driver, "query 2: cat");
  ask_for(driver, "key 0:");
  driver.press(Key::enter);
  REQUIRE(driver.model().document.look.selection == Selection{2, 0});
  for (int key = 0; key < 3; ++key) {
    driver.press(Key::x);
    driver.press(Key::right);
  }
  CHECK(driver.shows("masks/empty"));
  driver.press(Key::escape);
  driver.press(Key::escape);
  REQUIRE(driver.model().screen == Screen::explore);
  ask_for(driver, "step: softmax");
  REQUIRE(driver.shows("step warning/button"));
  driver.press(Key::enter);
  driver.press(Key::f10, {.shift = true});
  const auto in_menu = [&](const std::string& label) {
    return std::ranges::any_of(driver.log(), [&](const auto& one) {
      return one.first.starts_with("menu/") && one.second.value.find(label) != std::string::npos;
    });
  };
  CHECK(in_menu("Why is this row empty?"));
  driver.press(Key::escape);
  ask_for(driver, "why empty");
  REQUIRE(driver.model().screen == Screen::masks);
  CHECK(driver.widget("masks/empty").value.find("Query 2 cat") != std::string::npos);
  tab_to(driver, "masks/repair/1");
  driver.press(Key::enter);
  CHECK_FALSE(driver.shows("masks/empty"));
  ask_for(driver, "mask rule causal: switch off");
  CHECK(driver.model().params().choice("mask") == "none");
  ask_for(driver, "copy the mask as pytorch, true hides");
  CHECK(driver.clipboard().find("torch") != std::string::npos);
}

TEST_CASE("rows, lines and two cells are read and copied by keys alone") {
  Driver driver(1600, 1000, 1);
  driver.settle();
  driver.press(Key::enter);
  driver.press(Key::right, {.shift = true});
  CHECK(driver.model().document.look.second);
  driver.press(Key::c, {.ctrl = true});
  const std::string both = driver.clipboard();
  CHECK(both.find("weights[0, 2, 9, 4]") != std::string::npos);
  driver.press(Key::c, {.ctrl = true, .shift = true});
  CHECK(driver.clipboard().find('\t') != std::string::npos);
  CHECK(driver.clipboard() != both);
  driver.press(Key::n);
  CHECK(driver.model().document.look.mode == ViewMode::numbers);
  driver.press(Key::l);
  CHECK(driver.model().document.look.mode == ViewMode::lines);
  ask_for(driver, "hide below 30");
  CHECK(driver.model().document.look.threshold == Approx(0.3));
}

TEST_CASE("a class is presented to by keys alone") {
  Driver driver(1920, 1080, 1);
  driver.settle();
  driver.press(Key::f5);
  const Presenter& present = driver.model().present;
  REQUIRE(present.on);
  driver.press(Key::two);
  CHECK(present.slides[0].answer == 2);
  driver.press(Key::page_down);
  CHECK(present.slides[0].revealed);
  driver.press(Key::s);
  CHECK(present.spotlight.query);
  driver.press(Key::f);
  CHECK(present.frozen);
  driver.press(Key::f);
  driver.press(Key::t);
  CHECK(present.timer > 0);
  driver.press(Key::period);
  CHECK(present.blank);
  driver.press(Key::period);
  driver.press(Key::escape);
  CHECK_FALSE(present.on);
}
