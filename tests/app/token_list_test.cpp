// Tokens moved, doubled, masked, taken out and put in by their chips: the text says the same afterwards.
#include "app/actions/tokens.h"
#include "app/actions/update.h"
#include "app/platform/input.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

const std::string& text(const Driver& driver) {
  return *driver.model().text_of("x_q");
}

// What the chips say is what the text is split into.
void check_chips(const Driver& driver) {
  const TextInput& input = *text_at(driver.model(), "x_q");
  const auto tokens = tokenize(input.text, *tokenizer_by_name(input.tokenizer), input.start_token).tokens;
  REQUIRE(token_count(driver.model(), "x_q") == static_cast<Index>(tokens.size()));
  for (std::size_t i = 0; i < tokens.size(); ++i)
    CHECK(driver.widget(fmt::format("tokens/x_q/{}", i)).value == tokens[i].text);
}

void drag(Driver& driver, int from, int before) {
  const Rect to = driver.widget(fmt::format("tokens/x_q/{}", before)).rect;
  driver.move_to(driver.widget(fmt::format("tokens/x_q/{}", from)).rect.middle());
  send_mouse_button(0, true);
  driver.empty_queue();
  driver.move_to({to.x + 2, to.middle().y});
  driver.frame();
  send_mouse_button(0, false);
  driver.empty_queue();
  driver.settle();
}

Driver with(const std::string& sentence) {
  Experiment experiment = example_experiment();
  std::get<TextInput>(experiment.inputs.begin()->second).text = sentence;
  return Driver(1600, 1000, 1, experiment);
}

}  // namespace

TEST_CASE("a chip that is dragged takes its token along, and undo brings the text back") {
  Driver driver(with("the cat sat, warm."));
  driver.session().act(Select{{2, 2}, true});
  driver.settle();
  drag(driver, 2, 5);  // ⟨s⟩ the cat sat , warm .
  CHECK(text(driver) == "the sat, cat warm.");
  check_chips(driver);
  CHECK(driver.model().document.look.selection.query == 4);  // it is the same token that is looked at
  CHECK(driver.model().document.look.selection.key == 4);
  CHECK(undo_name(driver.model().history) == "moving a token");
  driver.press(Key::z, {.ctrl = true});
  driver.settle();
  CHECK(text(driver) == "the cat sat, warm.");
  CHECK(driver.model().document.look.selection.query == 2);
  // Nothing stands before the start token, and it stays.
  drag(driver, 3, 0);
  CHECK(text(driver) == "sat the cat, warm.");
  drag(driver, 0, 3);
  CHECK(text(driver) == "sat the cat, warm.");
  check_chips(driver);
}

TEST_CASE("tokens are chosen, moved, doubled, masked, taken out and put in by keys alone") {
  Driver driver(with("the cat sat"));
  driver.settle();
  driver.session().act(PickToken{{"x_q", 1}});
  driver.settle();
  driver.press(Key::right, {.ctrl = true});
  driver.settle();
  CHECK(text(driver) == "cat the sat");
  driver.press(Key::d, {.ctrl = true, .shift = true});
  driver.settle();
  CHECK(text(driver) == "cat the the sat");
  check_chips(driver);
  for (int i = 0; i < 60 && driver.model().document.look.mode == ViewMode::map; ++i) {
    driver.press(Key::tab);
    if (driver.memory().ui.focus == "tokens/x_q") break;
  }
  REQUIRE(driver.memory().ui.focus == "tokens/x_q");
  driver.press(Key::right);
  driver.press(Key::erase);
  driver.settle();
  CHECK(text(driver) == "cat the sat");
  driver.press(Key::enter);
  driver.type("big");
  driver.press(Key::enter);
  driver.settle();
  CHECK(text(driver) == "cat the sat big");
  check_chips(driver);
  CHECK(driver.memory().ui.focus == "tokens/x_q");
  driver.press(Key::m);
  driver.settle();
  CHECK(masked_tokens(driver.model(), "x_q") == std::set<Index>{4});
  const Step& map = *driver.model().trace()->map();
  for (Index i = 0; i < 5; ++i) CHECK(map.tensor().at({0, 2, i, 4}) == 0);
  CHECK(driver.model().document.experiment->edits.size() == 1);
  driver.press(Key::m);
  driver.settle();
  CHECK(masked_tokens(driver.model(), "x_q").empty());
}

TEST_CASE("two clicks mask a token, + puts one in, and Esc leaves the text as it was") {
  Driver driver(with("the cat sat"));
  driver.settle();
  const app::Point chip = driver.widget("tokens/x_q/2").rect.middle();
  driver.click_at(chip);
  driver.click_at(chip);
  driver.settle();
  CHECK(masked_tokens(driver.model(), "x_q") == std::set<Index>{2});
  driver.click("tokens/x_q/+");
  driver.frame();
  REQUIRE(driver.shows("tokens/x_q/new"));
  driver.type("on a mat");
  driver.press(Key::escape);
  driver.settle();
  CHECK(text(driver) == "the cat sat");
  CHECK_FALSE(driver.shows("tokens/x_q/new"));
  driver.click("tokens/x_q/+");
  driver.frame();
  driver.type("on a mat");
  driver.press(Key::enter);
  driver.settle();
  CHECK(text(driver) == "the cat sat on a mat");
  check_chips(driver);
}

TEST_CASE("what would be split otherwise is refused with a reason, and moved positions come first") {
  Experiment experiment = example_experiment();
  auto& input = std::get<TextInput>(experiment.inputs.begin()->second);
  input.text = "é!";
  input.tokenizer = "bytes";
  Driver driver(1600, 1000, 1, experiment);
  driver.settle();
  driver.session().act(MoveToken{{"x_q", 1}, 3});
  CHECK(text(driver) == "é!");
  REQUIRE(driver.model().notices.size() == 1);
  CHECK(driver.model().notices[0].text.find("would not be split") != std::string::npos);
  CHECK(driver.model().history.undo.empty());
  driver.session().act(Arrange{Shuffle{1}});
  driver.settle();
  CHECK(why_not_tokens(driver.model(), "x_q") == "The positions are moved about: put them back first");
  driver.session().act(RemoveToken{{"x_q", 3}});
  CHECK(text(driver) == "é!");
}
