// The dialogs that open and save, by keyboard and pointer, on a backend without a window.
#include <cmath>
#include <filesystem>

#include "app/model/browse.h"
#include "app/session/session.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

constexpr Modifiers ctrl{.ctrl = true};
constexpr Modifiers ctrl_shift{.ctrl = true, .shift = true};

// Experiments, pictures and a folder of frames; the document that is open is its first.
struct Desk {
  const Scratch scratch;
  const fs::path folder = scratch.path();
  Driver driver;

  Desk() {
    fs::create_directories(folder / "frames");
    for (const char* name : {"attend.headlight", "attend-more.headlight", "f10.headlight", "f2.headlight"})
      REQUIRE(write_experiment(example_experiment(), folder / name));
    for (const char* name : {"scene.png", ".hidden.png", "frames/f1.png", "frames/f2.png"})
      fs::copy_file(HEADLIGHT_SOURCE_DIR "/assets/examples/scene.png", folder / name);
    REQUIRE(write_file(folder / "notes.txt", "not for us\n"));
    REQUIRE(write_file(folder / "notes.xyz", "nothing that opens"));
    driver.session().act(Open{folder / "attend.headlight"});
    driver.settle();
  }

  void show(Key key, Modifiers held = ctrl) {
    driver.press(key, held);
    driver.settle();
  }
  bool lists(const std::string& name) const { return driver.shows("dialog/files/" + name); }
  bool is_lit(const std::string& name) const {
    return lists(name) && driver.widget("dialog/files/" + name).state == "selected";
  }
  void click_twice(const std::string& path) {
    const auto at = driver.widget(path).rect.middle();
    driver.move_to(at);
    for (int i = 0; i < 2; ++i) {
      send_mouse_button(0, true);
      driver.frame();
      send_mouse_button(0, false);
      driver.frame();
    }
    driver.settle();
  }
};

}  // namespace

TEST_CASE("a folder lists what opens, folders first, by kind, in natural order") {
  const Desk desk;
  std::vector<std::string> names;
  for (const auto& file : list_folder(desk.folder).files) names.push_back(file.name);
  CHECK(names == std::vector<std::string>{"frames", "attend.headlight", "attend-more.headlight", "f2.headlight",
                                          "f10.headlight", "notes.txt", "scene.png"});
  CHECK(list_folder(desk.folder / "none").error.find("none") != std::string::npos);
}

TEST_CASE("every kind that is said to open is listed, in small letters or capitals") {
  const std::string words(kinds_that_open());
  std::size_t kinds = 0;
  for (std::size_t dot = words.find('.'); dot + 1 < words.size(); dot = words.find('.', dot + 1)) {
    const std::string ending = words.substr(dot, words.find_first_of(",) ", dot) - dot);
    if (ending == ".json") continue;  // config.json among them
    INFO(ending);
    CHECK(kind_of_name("mine" + ending));
    ++kinds;
  }
  CHECK(kinds >= 20);
  for (const char* name : {"mine.PT", "mine.pickle", "mine.jpeg"}) CHECK(kind_of_name(name));
  CHECK_FALSE(kind_of_name("mine"));
}

TEST_CASE("a look into files says what is in them") {
  const Desk desk;
  const Preview experiment = preview_of(desk.folder / "attend.headlight");
  REQUIRE(experiment.lines.size() == 2);
  CHECK(experiment.lines[1] == "“the cat sat on the mat because the cat was warm”");
  const Preview picture = preview_of(desk.folder / "scene.png");
  REQUIRE(picture.picture);
  CHECK(std::max(picture.picture->width, picture.picture->height) <= preview_side);
  CHECK(preview_of(desk.folder / "notes.txt").lines == std::vector<std::string>{"“not for us”"});
  CHECK(preview_of(desk.folder / "frames").lines.front() == "2 pictures, as frames");
  CHECK(preview_of(desk.folder / "none.png").lines.size() == 1);
  const Listing examples = list_examples(HEADLIGHT_SOURCE_DIR "/assets/examples");
  CHECK(examples.files.size() >= 9);
  for (const auto& file : examples.files) CHECK(file.about.size() > 10);
}

TEST_CASE("the field has the keyboard: typing filters, arrows choose, Enter opens") {
  Desk desk;
  desk.show(Key::o);
  REQUIRE(desk.driver.widget("dialog/path").state == "focused");
  CHECK(desk.lists("scene.png"));
  CHECK(desk.lists("notes.txt"));
  CHECK_FALSE(desk.lists("notes.xyz"));
  CHECK_FALSE(desk.lists(".hidden.png"));
  desk.driver.type("f");
  CHECK(desk.lists("f10.headlight"));
  CHECK_FALSE(desk.lists("attend.headlight"));
  desk.driver.press(Key::down);  // the folder of frames
  desk.driver.press(Key::down);
  desk.driver.press(Key::down);
  CHECK(desk.is_lit("f10.headlight"));
  desk.driver.press(Key::enter);
  CHECK(desk.driver.model().dialog == Dialog::none);
  CHECK(desk.driver.model().title() == "f10.headlight");
}

TEST_CASE("Enter opens the first of those that were found") {
  Desk desk;
  desk.show(Key::o);
  desk.driver.type("att");  // attend.headlight, attend-more.headlight
  desk.driver.press(Key::enter);
  CHECK(desk.driver.model().title() == "attend.headlight");
  CHECK(desk.driver.model().notices.empty());
}

TEST_CASE("a name that is typed alone opens, and Tab completes it") {
  Desk desk;
  desk.show(Key::o);
  desk.driver.type("sc");
  desk.driver.press(Key::enter);  // the only one
  CHECK(std::holds_alternative<ImageInput>(*desk.driver.model().input("x_q")));
  desk.show(Key::o);
  desk.driver.type("att");
  desk.driver.press(Key::tab);
  CHECK(desk.driver.widget("dialog/path").value == "attend");
}

TEST_CASE("folders are entered by Enter and by two clicks, left by Up, and opened as frames") {
  Desk desk;
  desk.show(Key::o);
  desk.click_twice("dialog/files/frames");
  CHECK(desk.lists("f1.png"));
  desk.driver.click("dialog/up");
  REQUIRE(desk.lists("frames"));
  desk.driver.click("dialog/files/frames");
  CHECK(desk.driver.widget("dialog/preview").value == "2 pictures, as frames\n");
  desk.driver.press(Key::enter);
  REQUIRE(desk.lists("f2.png"));
  desk.driver.click("dialog/frames");
  CHECK(std::holds_alternative<FramesInput>(*desk.driver.model().input(desk.driver.model().primary_input())));
}

TEST_CASE("recent files and examples open from their own lists") {
  Desk desk;
  desk.show(Key::o);
  desk.driver.click("dialog/source/recent");
  REQUIRE(desk.lists("attend.headlight"));
  desk.driver.click("dialog/source/examples");
  desk.driver.settle();
  REQUIRE(desk.lists("signal.headlight"));
  desk.click_twice("dialog/files/relative.headlight");
  CHECK(desk.driver.model().title() == "relative");
}

TEST_CASE("saving has folders too, Enter saves, and a file that is there is asked about with Cancel ready") {
  Desk desk;
  desk.show(Key::s, ctrl_shift);
  REQUIRE(desk.driver.widget("dialog/path").value == "attend.headlight");
  CHECK(desk.lists("frames"));
  desk.driver.press(Key::a, ctrl);
  desk.driver.type("f2.headlight");
  desk.driver.press(Key::enter);
  REQUIRE(desk.driver.model().dialog == Dialog::replace);
  CHECK(desk.driver.widget("dialog/cancel").state == "focused");
  desk.driver.press(Key::enter);
  CHECK(desk.driver.model().dialog == Dialog::none);
  CHECK(desk.driver.model().title() == "attend.headlight");
  desk.show(Key::s, ctrl_shift);
  desk.driver.press(Key::a, ctrl);
  desk.driver.type("frames/new");
  desk.driver.press(Key::enter);
  CHECK(fs::exists(desk.folder / "frames" / "new.headlight"));
  CHECK(desk.driver.model().path == desk.folder / "frames" / "new.headlight");
}

TEST_CASE("what is unsaved is asked about by keyboard, and the title says what there is to save") {
  Desk desk;
  CHECK(desk.driver.widget("top/state").value == "Saved");
  desk.driver.press(Key::four);
  CHECK(desk.driver.widget("top/state").value == "Edited");  // another head
  desk.driver.press(Key::one);
  desk.driver.press(Key::two);
  CHECK(desk.driver.widget("top/state").value == "Saved");
  desk.driver.session().act(SetText{"x_q", "new work", false});
  desk.show(Key::o);
  desk.driver.type("f2");
  desk.driver.press(Key::enter);
  REQUIRE(desk.driver.shows("dialog/question"));
  CHECK(desk.driver.widget("dialog/save").state == "focused");
  desk.driver.press(Key::escape);
  CHECK(*desk.driver.model().text_of("x_q") == "new work");
  desk.show(Key::o);
  desk.driver.type("f2");
  desk.driver.press(Key::enter);
  desk.driver.press(Key::tab);
  desk.driver.press(Key::enter);  // Go on without saving
  CHECK(desk.driver.model().title() == "f2.headlight");
  desk.driver.press(Key::z, ctrl);
  CHECK(desk.driver.model().title() == "attend.headlight");
  CHECK(*desk.driver.model().text_of("x_q") == "new work");
}

TEST_CASE("an array of scores, which nothing tells from channels, is read as attention where somebody says so") {
  Desk desk;
  Driver& driver = desk.driver;
  Tensor scores({3, 4, 6, 6});
  for (Index i = 0; i < scores.size(); ++i) scores[i] = static_cast<float>(i * 7 % 13) - 6;
  REQUIRE(write_npy(desk.folder / "scores.npy", scores));
  driver.session().act(Open{desk.folder / "scores.npy"});
  driver.settle();
  CHECK(driver.widget("dialog/axes/bchw").state == "selected");
  CHECK(driver.widget("dialog/axes/lhqk").value == "attention: 3 layers · 4 heads · 6 queries · 6 keys");
  driver.click("dialog/axes/lhqk");
  driver.click("dialog/take");
  driver.settle();
  CHECK(driver.model().document.experiment->variant == "given");
  act(driver, SetParam{"normalize", std::string("softmax")});
  const Step* map = driver.model().trace()->find("layer1/weights");
  REQUIRE(map);
  double sum = 0;
  for (Index j = 0; j < 6; ++j) sum += std::exp(scores[(4 + 2) * 36 + 3 * 6 + j]);
  CHECK(map->tensor()[2 * 36 + 3 * 6 + 4] == Approx(std::exp(scores[(4 + 2) * 36 + 3 * 6 + 4]) / sum));
  act(driver, SetMode{ViewMode::layers});
  CHECK(driver.shows("layers/2/3"));
  act(driver, Undo{});
  act(driver, Undo{});
  act(driver, Undo{});
  CHECK(driver.model().document.experiment->variant != "given");
}

TEST_CASE("the meaning of axes and the array are chosen by keyboard or pointer, and can be changed at the left") {
  Desk desk;
  Driver& driver = desk.driver;
  REQUIRE(write_npz(desk.folder / "maps.npz", {{"early", Tensor({9, 11, 3})}, {"late", Tensor({2, 16, 5, 6})}}));
  driver.session().act(Open{desk.folder / "maps.npz"});
  driver.settle();
  REQUIRE(driver.shows("dialog/take"));
  CHECK(driver.widget("dialog/axes/hwc").state == "selected");
  CHECK(driver.widget("dialog/axes/chw").value == "9 channels · 11 rows · 3 columns");
  driver.click("dialog/array");
  driver.click("dialog/array/late (2, 16, 5, 6)");
  REQUIRE(driver.shows("dialog/axes/bchw"));
  CHECK(driver.widget("dialog/axes/bchw").state == "selected");
  driver.press(Key::down);
  CHECK(driver.widget("dialog/axes/bhwc").state == "selected");
  driver.click("dialog/axes/tchw");
  driver.press(Key::enter);  // the usual answer kept the keyboard
  driver.settle();
  CHECK_FALSE(driver.shows("dialog/take"));
  const auto input = [&] {
    return std::get<FileInput>(*driver.session().model().input(driver.session().model().primary_input()));
  };
  CHECK(input().member == "late");
  CHECK(input().axes == "tchw");
  REQUIRE(driver.shows("input/axes"));
  driver.click("input/axes");
  driver.click("input/axes/BCHW");
  driver.settle();
  CHECK(input().axes == "bchw");
  CHECK(driver.widget("input/axes/words").value == "2 items · 16 channels · 5 rows · 6 columns.");
  CHECK(driver.session().model().error.empty());
  driver.session().act(Open{desk.folder / "maps.npz"});
  driver.settle();
  driver.press(Key::escape);
  driver.settle();
  CHECK_FALSE(driver.shows("dialog/take"));
  CHECK(input().axes == "bchw");
}
