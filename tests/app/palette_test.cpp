// The table of actions as a person meets it: keys that share a chord, the table of keys, and the palette, by hand.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <set>
#include <sstream>

#include "app/actions/action_table.h"
#include "app/panels/dialogs/parts.h"
#include "app/panels/screen/parts.h"
#include "app/widgets/icons.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

const PaletteFound& found(Driver& driver) {
  return driver.memory().get<PaletteMemory>().found;
}

std::vector<std::string> labels(const PaletteFound& found) {
  std::vector<std::string> list;
  for (const auto& entry : found.entries) list.push_back(entry.label);
  return list;
}

std::string first_of(const Model& model, const std::string& typed) {
  const auto found = find_in_palette(palette_entries(model), typed, {});
  return found.entries.empty() ? "nothing" : found.entries.front().label;
}

void open_palette(Driver& driver) {
  driver.press(Key::k, {.ctrl = true});
  driver.frame();
  REQUIRE(driver.shows("palette/field"));
}

}  // namespace

TEST_CASE("every chord of the table is a key, every icon is drawn, and no two commands have one name") {
  std::set<std::string_view> ids;
  for (const ActionRow& row : action_table())
    for (const Command& command : row.commands) {
      INFO(command.id);
      CHECK(ids.insert(command.id).second);
      CHECK_FALSE(command.label.empty());
      CHECK((command.icon.empty() || icon_named(command.icon)));
      CHECK(row.section != Section::none);
      for (const auto chord : command.chords) {
        INFO(chord);
        CHECK(chord_of_text(chord));
      }
    }
  CHECK(ids.size() > 50);
  CHECK_FALSE(chord_of_text("Ctrl Banana"));
  CHECK_FALSE(chord_of_text("Meta Z"));
}

TEST_CASE("an arrow moves the step, and the cell once one is pinned") {
  Driver driver;
  driver.settle();
  driver.session().act(Release{});
  driver.session().act(GoStage{3});
  driver.press(Key::left);
  CHECK(driver.model().stage() == 2);
  driver.session().act(ShowStep{"weights"});
  driver.session().act(Select{{9, 3}, true});
  driver.frame();
  driver.press(Key::left);
  CHECK(driver.model().document.look.selection.key == 2);
  CHECK(driver.model().document.look.step == "weights");
  driver.press(Key::escape);
  CHECK_FALSE(driver.model().document.look.pinned);
  driver.press(Key::enter);
  CHECK(driver.model().document.look.pinned);
  CHECK(driver.model().document.look.selection.key == 2);
}

TEST_CASE("Escape does one thing at a time, the nearest first") {
  Driver driver;
  driver.settle();
  driver.session().act(Select{{9, 3}, true});
  driver.session().act(ShowScreen{Screen::figure});
  driver.session().act(ShowDialog{Dialog::keys});
  driver.frame();
  driver.press(Key::escape);
  CHECK(driver.model().dialog == Dialog::none);
  CHECK(driver.model().screen == Screen::figure);
  driver.press(Key::escape);
  CHECK(driver.model().screen == Screen::explore);
  CHECK(driver.model().document.look.pinned);
  driver.press(Key::escape);
  CHECK_FALSE(driver.model().document.look.pinned);
}

TEST_CASE("a name that is none is answered with those that there are") {
  Driver driver;
  const Model& model = driver.model();
  CHECK(why_not(ShowStep{"weights"}, model).empty());
  CHECK_THAT(why_not(ShowStep{"nonsense"}, model),
             ContainsSubstring("no step nonsense") && ContainsSubstring("weights"));
  CHECK(why_not(SetVariant{"luong"}, model).empty());
  CHECK_THAT(why_not(SetVariant{"nonsense"}, model), ContainsSubstring("no mechanism nonsense"));
  CHECK(why_not(SetParam{"heads", Index{4}, false}, model).empty());
  CHECK_THAT(why_not(SetParam{"haeds", Index{4}, false}, model),
             ContainsSubstring("haeds") && ContainsSubstring("heads"));
  CHECK_THAT(why_not(SetParam{"heads", Index{-4}, false}, model), ContainsSubstring("heads"));
}

TEST_CASE("the undo list, the top bar and the palette call an action by one name") {
  Driver driver;
  driver.settle();
  driver.session().act(SetParam{"temperature", 0.5, false});
  driver.settle();
  CHECK(undo_name(driver.model().history) == "temperature");
  CHECK(undo_name_of(SetParam{"temperature", 1.0, false}, driver.model()) == "temperature");
  CHECK(hint_of("undo", driver.model()) == "Undo temperature (Ctrl Z)");
  CHECK(first_of(driver.model(), "undo") == "Undo");
  CHECK(why_not(Undo{}, driver.model()).empty());
  CHECK(why_not(Redo{}, driver.model()) == "There is nothing to redo");
}

TEST_CASE("the guide's table of keys is the table of actions") {
  std::ostringstream text;
  text << std::ifstream(HEADLIGHT_SOURCE_DIR "/docs/guide/keys.md").rdbuf();
  const std::string guide = text.str();
  std::string table;
  for (const KeyLine& line : key_lines())
    table += fmt::format("| `{}` | {} |\n", fmt::join(line.chords, "`, `"), line.does);
  INFO("docs/guide/keys.md must have these lines, and no other keys between them:\n" << table);
  CHECK(guide.find(table) != std::string::npos);
}

TEST_CASE("the guide lists every action that scripts may ask for") {
  std::ostringstream text;
  text << std::ifstream(HEADLIGHT_SOURCE_DIR "/docs/guide/command-line.md").rdbuf();
  const std::string guide = text.str();
  const auto list = guide.substr(guide.find("Actions for `--do`"));
  for (const ActionRow& row : action_table()) {
    INFO(row.id);
    CHECK((list.find(fmt::format("`{}`", row.id)) != std::string::npos ||
           list.find(fmt::format("`{} ", row.id)) != std::string::npos));
  }
}

TEST_CASE("the palette finds by words in any order, by parts and by letters, best first") {
  Driver driver;
  driver.settle();
  const Model& model = driver.model();
  CHECK(first_of(model, "causal") == "Mask: Causal");
  CHECK(first_of(model, "CAUSAL mask") == "Mask: Causal");
  CHECK(first_of(model, "dark") == "Theme: dark");
  CHECK(first_of(model, "expfig") == "Export a figure");
  CHECK(first_of(model, "viridis") == "Colour map: viridis");
  CHECK(first_of(model, "additive") == "Mechanism: Additive");
  CHECK(first_of(model, "step weights") == "Step: Attention weights");
  CHECK(first_of(model, "token sink") == "Head 3");  // by its name
  CHECK(first_of(model, "150 size") == "Size: 150 %");
  CHECK(first_of(model, "temperature 0.5") == "Temperature: 0.5");
  CHECK(first_of(model, "temperature 2") == "Temperature: 2");  // not the question that has its name
  CHECK(first_of(model, "pin 2 1") == "pin 2 1");
  CHECK(first_of(model, "remove positions") == "What if: Positions off");
  CHECK(first_of(model, "without mask") == "What if: No mask");
  CHECK(first_of(model, "zzz") == "nothing");
  // What cannot be done stands behind what can, and says why.
  const auto redo = find_in_palette(palette_entries(model), "redo", {});
  REQUIRE_FALSE(redo.entries.empty());
  CHECK(redo.entries.front().why_not == "There is nothing to redo");
  CHECK(actions_of(redo.entries.front(), model).empty());
  const auto heads = find_in_palette(palette_entries(model), "temperature -5", {});
  REQUIRE_FALSE(heads.entries.empty());
  CHECK(heads.entries.front().why_not == "It cannot be -5");
  // Many are bounded, and counted.
  const auto many = find_in_palette(palette_entries(model), "e", {});
  CHECK(many.entries.size() == most_found);
  CHECK(many.left_out > 0);
}

TEST_CASE("what the palette offers is what the table allows, and reads back") {
  for (const char* variant : {"multi_head", "non_local", "stand_alone_2d"}) {
    Driver driver;
    driver.settle();
    driver.session().act(SetVariant{variant});
    driver.settle();
    const auto entries = palette_entries(driver.model());
    CHECK(entries.size() > 100);
    CHECK(entries.size() < 750);
    std::set<std::string> keys;
    for (const auto& entry : entries) {
      INFO(entry.label << " " << entry.key);
      CHECK(keys.insert(entry.key).second);
      CHECK_FALSE(entry.section.empty());
      if (entry.action) CHECK(parse_action(to_text(*entry.action)));
    }
  }
}

TEST_CASE("the palette opens, is typed into, walked through and closed, and does what is chosen") {
  Driver driver;
  driver.settle();
  open_palette(driver);
  CHECK(found(driver).entries.size() > 5);  // what is of most use
  driver.type("causal");
  CHECK(labels(found(driver)).front() == "Mask: Causal");
  driver.press(Key::enter);
  driver.settle();
  CHECK(driver.model().dialog == Dialog::none);
  CHECK(driver.model().document.experiment->params.choice("mask") == "causal");

  open_palette(driver);  // the last one first
  CHECK(labels(found(driver)).front() == "Mask: Causal");
  CHECK(found(driver).entries.front().now);
  driver.type("theme");
  driver.press(Key::down);
  CHECK(driver.memory().get<PaletteMemory>().lit == 1);
  driver.press(Key::up);
  driver.press(Key::up);
  CHECK(driver.memory().get<PaletteMemory>().lit == static_cast<int>(found(driver).entries.size()) - 1);
  driver.press(Key::home);
  CHECK(driver.memory().get<PaletteMemory>().lit == 0);
  driver.press(Key::escape);
  driver.frame();
  CHECK_FALSE(driver.shows("palette/field"));
  CHECK(driver.model().settings.theme == ThemeName::light);
  driver.press(Key::k, {.ctrl = true});
  driver.frame();
  CHECK(driver.shows("palette/field"));
  driver.press(Key::k, {.ctrl = true});
  driver.frame();
  CHECK_FALSE(driver.shows("palette/field"));
}

TEST_CASE("the palette answers to the pointer: a row, the wheel, and the ground beside it") {
  Driver driver;
  driver.settle();
  driver.click("top/palette");
  driver.frame();
  REQUIRE(driver.shows("palette/field"));
  driver.type("e");
  const Rect first = driver.widget("palette/0").rect;
  driver.move_to(first.middle());
  send_wheel(-3);
  driver.frame();
  driver.frame();
  CHECK_FALSE(driver.shows("palette/0"));  // scrolled away, and not drawn
  driver.press(Key::end);
  CHECK(driver.shows(fmt::format("palette/{}", found(driver).entries.size() - 1)));
  driver.click_at({4, 500});
  driver.frame();
  CHECK(driver.model().dialog == Dialog::none);
  driver.click("top/palette");
  driver.frame();
  driver.type("dark");
  driver.click("palette/0");
  driver.frame();
  CHECK(driver.model().settings.theme == ThemeName::dark);
}

TEST_CASE("the palette opens within a text field, which has the keyboard again afterwards") {
  Driver driver;
  driver.settle();
  driver.click("input/x_q");
  driver.type("a cat ");
  driver.settle();
  const std::string before = *driver.model().text_of("x_q");
  const auto cursor = driver.widget("input/x_q/cursor").value;
  open_palette(driver);
  driver.type("dark");
  driver.press(Key::enter);
  driver.frame();
  CHECK(driver.model().settings.theme == ThemeName::dark);
  CHECK(*driver.model().text_of("x_q") == before);
  CHECK(driver.widget("input/x_q").state == "focused");
  CHECK(driver.widget("input/x_q/cursor").value == cursor);
  driver.type("z");
  driver.settle();
  CHECK(driver.model().text_of("x_q")->size() == before.size() + 1);
}

TEST_CASE("the palette searches once for what is typed, and not in frames where nothing changed") {
  Driver driver;
  driver.settle();
  open_palette(driver);
  driver.settle();
  driver.type("head");
  driver.settle();
  const auto searches = driver.memory().get<PaletteMemory>().searches;
  for (int i = 0; i < 10; ++i) driver.frame();
  CHECK(driver.memory().get<PaletteMemory>().searches == searches);
  driver.type("s");
  CHECK(driver.memory().get<PaletteMemory>().searches == searches + 1);
}

TEST_CASE("an action of another screen shows that screen first") {
  Driver driver;
  driver.settle();
  open_palette(driver);
  driver.type("viridis");
  driver.press(Key::enter);
  driver.settle();
  CHECK(driver.model().screen == Screen::figure);
  CHECK(driver.model().document.figure.colors == Colormap::viridis);
  open_palette(driver);
  driver.type("head 2");
  driver.press(Key::enter);
  driver.settle();
  CHECK(driver.model().screen == Screen::explore);
  CHECK(driver.model().document.look.head == 2);
}

TEST_CASE("whether there is unsaved work is found when the document changes, not when it is asked") {
  Model model;
  load_first(model, example_experiment(), {});
  CHECK_FALSE(model.changed());
  const auto before = model.revision();
  update(model, SetHover{});
  CHECK(model.revision() == before);
  const auto text = model.text();
  update(model, SetHead{2});
  CHECK(model.text() == text);  // the experiment is the same: it is not put into words again
  update(model, SetParam{"temperature", 0.25, false});
  CHECK(model.text() != text);
  CHECK(model.changed());
  update(model, Undo{});
  CHECK_FALSE(model.changed());  // the bytes are those that were saved
  update(model, SetParam{"temperature", 0.5, false});
  CHECK(model.changed());
  update(model, Undo{});
  CHECK_FALSE(model.changed());
}
