// Opening, saving and leaving: nothing that a person does is lost, by the session alone.
#include <chrono>
#include <filesystem>
#include <fstream>

#include "app/model/browse.h"
#include "app/reading/inputs.h"
#include "app/session/opening.h"
#include "app/session/session.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "tests/catch.h"
#include "tests/picture_files.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most = 1 << 20;

// A folder of its own with two experiments in it.
struct Folder {
  const Scratch scratch;
  const fs::path path = scratch.path();
  fs::path cat = path / "cat.headlight", dog = path / "dog.headlight";

  Folder() {
    put(cat, "a cat");
    put(dog, "a dog");
  }
  static void put(const fs::path& file, const char* text) {
    Experiment experiment = example_experiment();
    experiment.inputs["x_q"] = TextInput{.text = text};
    REQUIRE(write_experiment(experiment, file));
  }
};

// Waits for what is read, not for the run.
void act(Session& session, const Action& action) {
  session.act(action);
  session.finish_files();
}

std::string text_of(const Session& session) {
  return *session.model().text_of("x_q");
}

void change(Session& session) {
  act(session, SetText{"x_q", "changed", false});
}

}  // namespace

TEST_CASE("opening asks where work is unsaved, and does as it is told") {
  const Folder folder;
  Session session(example_experiment(), {}, {});
  change(session);
  act(session, Open{folder.cat});
  CHECK(session.model().dialog == Dialog::leave);
  CHECK(text_of(session) == "changed");
  act(session, Decide{Decision::cancel});
  CHECK(session.model().dialog == Dialog::none);
  CHECK(text_of(session) == "changed");
  act(session, Decide{Decision::discard});  // nothing waits any more
  CHECK(text_of(session) == "changed");
  act(session, Open{folder.cat});
  act(session, Decide{Decision::discard});
  CHECK(text_of(session) == "a cat");
  CHECK(session.model().title() == "cat.headlight");
  CHECK_FALSE(session.model().changed());
  act(session, Open{folder.dog});  // nothing is unsaved: nothing is asked
  CHECK(text_of(session) == "a dog");
}

TEST_CASE("saving first leads on to what was asked for, through a name and a file that is there") {
  const Folder folder;
  Session session(example_experiment(), {}, {});
  change(session);
  act(session, Open{folder.cat});
  act(session, Decide{Decision::save});
  REQUIRE(session.model().dialog == Dialog::save);  // it has no name yet
  act(session, Save{folder.dog});
  REQUIRE(session.model().dialog == Dialog::replace);
  act(session, Decide{Decision::other_name});
  REQUIRE(session.model().dialog == Dialog::save);
  act(session, Save{folder.path / "new.headlight"});
  CHECK(text_of(session) == "a cat");
  const auto saved = read_experiment(folder.path / "new.headlight");
  REQUIRE(saved);
  CHECK(std::get<TextInput>(saved->inputs.at("x_q")).text == "changed");
}

TEST_CASE("a new one, dropped files and quitting ask too; a changed view alone does not") {
  const Folder folder;
  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  act(session, SetHead{5});
  CHECK(session.model().view_changed());
  act(session, Open{folder.cat});
  CHECK(session.model().title() == "cat.headlight");
  REQUIRE(session.settle());
  CHECK_FALSE(session.model().view_changed());
  change(session);
  act(session, New{});
  CHECK(session.model().dialog == Dialog::leave);
  act(session, Decide{Decision::cancel});
  act(session, Quit{});
  CHECK(session.model().dialog == Dialog::leave);
  CHECK_FALSE(session.wants_to_quit());
  act(session, Decide{Decision::save});
  CHECK(session.wants_to_quit());
  CHECK(std::get<TextInput>(read_experiment(folder.cat)->inputs.at("x_q")).text == "changed");
}

TEST_CASE("quitting while a file is saved waits for it, and a save that fails keeps the work and says so") {
  const Folder folder;
  Session session(example_experiment(), {}, {});
  change(session);
  session.act(Save{folder.path / "none" / "new.headlight"});
  CHECK(session.model().saving == 1);
  session.act(Quit{});
  CHECK(session.model().dialog == Dialog::none);  // it is not known yet whether anything is lost
  session.finish_files();
  CHECK(session.model().saving == 0);
  CHECK_FALSE(session.wants_to_quit());
  CHECK(session.model().changed());
  CHECK(session.model().path.empty());
  REQUIRE_FALSE(session.model().notices.empty());
  CHECK(session.model().notices.back().level == Notice::Level::error);

  session.act(Save{folder.path / "new.headlight"});
  session.act(Quit{});
  CHECK_FALSE(session.wants_to_quit());
  session.finish_files();
  CHECK(session.wants_to_quit());
  CHECK(std::get<TextInput>(read_experiment(folder.path / "new.headlight")->inputs.at("x_q")).text == "changed");
}

TEST_CASE("saves are carried out in their order, and what is changed after them is asked about") {
  const Folder folder;
  const fs::path file = folder.path / "new.headlight";
  Session session(example_experiment(), {}, {});
  change(session);
  session.act(Save{file});
  session.act(SetText{"x_q", "second", false});
  session.act(Save{file});  // what the first wrote is not somebody else's
  session.act(SetText{"x_q", "third", false});
  session.act(Open{folder.cat});
  session.finish_files();
  CHECK(std::get<TextInput>(read_experiment(file)->inputs.at("x_q")).text == "second");
  CHECK(session.model().path == file);
  CHECK(session.model().changed());
  CHECK(session.model().dialog == Dialog::leave);
  act(session, Decide{Decision::save});
  CHECK(text_of(session) == "a cat");
  CHECK(std::get<TextInput>(read_experiment(file)->inputs.at("x_q")).text == "third");
}

TEST_CASE("undo goes back over opening, with the file, its title and what was unsaved in it") {
  const Folder folder;
  Session session(example_experiment(), {}, {});
  act(session, Open{folder.cat});
  change(session);
  act(session, Open{folder.dog});
  act(session, Decide{Decision::discard});
  CHECK(undo_name(session.model().history) == "opening dog.headlight");
  act(session, Undo{});
  CHECK(session.model().title() == "cat.headlight");
  CHECK(session.model().path == folder.cat);
  CHECK(text_of(session) == "changed");
  CHECK(session.model().changed());
  act(session, Undo{});
  CHECK(text_of(session) == "a cat");
  CHECK_FALSE(session.model().changed());
  act(session, Undo{});
  CHECK(session.model().title() == "Example");
  for (int i = 0; i < 3; ++i) act(session, Redo{});
  CHECK(session.model().title() == "dog.headlight");
  CHECK_FALSE(session.model().changed());
  REQUIRE(session.settle());
  CHECK(session.model().trace()->find("weights")->tensor().dim(-1) == 3);
}

TEST_CASE("saving asks before it writes over a file that is not the one open") {
  const Folder folder;
  Session session(example_experiment(), {}, {});
  const std::string before = *read_file(folder.dog, most);
  act(session, Save{folder.dog});
  REQUIRE(session.model().dialog == Dialog::replace);
  CHECK(session.model().replacing.question.starts_with("dog.headlight is there already."));
  CHECK(*read_file(folder.dog, most) == before);
  act(session, Decide{Decision::cancel});
  CHECK(*read_file(folder.dog, most) == before);
  act(session, Save{folder.dog});
  act(session, Decide{Decision::replace});
  CHECK(*read_file(folder.dog, most) != before);
  CHECK(session.model().path == folder.dog);
  change(session);
  act(session, Save{});  // its own file by now
  CHECK(session.model().dialog == Dialog::none);
  CHECK_FALSE(session.model().changed());
}

TEST_CASE("saving asks where another window saved the file meanwhile") {
  const Folder folder;
  Session one(example_experiment(), {}, {}), other(example_experiment(), {}, {});
  act(one, Open{folder.cat});
  act(other, Open{folder.cat});
  act(other, SetText{"x_q", "theirs", false});
  act(other, Save{});
  fs::last_write_time(folder.cat, fs::last_write_time(folder.cat) + std::chrono::seconds(2));
  change(one);
  act(one, Save{});
  REQUIRE(one.model().dialog == Dialog::replace);
  CHECK(one.model().replacing.question.starts_with("cat.headlight has changed on disk since it was opened here."));
  CHECK(std::get<TextInput>(read_experiment(folder.cat)->inputs.at("x_q")).text == "theirs");
  act(one, Decide{Decision::replace});
  CHECK(std::get<TextInput>(read_experiment(folder.cat)->inputs.at("x_q")).text == "changed");
}

TEST_CASE("what another window saved can be loaded instead, and Ctrl Z brings back what was changed here") {
  const Folder folder;
  Session one(example_experiment(), {}, {});
  act(one, Open{folder.cat});
  change(one);
  act(one, Quit{});  // it asks, one saves, and the file is another
  Folder::put(folder.cat, "theirs, longer");
  act(one, Decide{Decision::save});
  REQUIRE(one.model().dialog == Dialog::replace);
  act(one, Decide{Decision::reload});
  CHECK_FALSE(one.wants_to_quit());
  CHECK(one.model().dialog == Dialog::none);
  CHECK(text_of(one) == "theirs, longer");
  CHECK_FALSE(one.model().changed());
  act(one, Undo{});
  CHECK(text_of(one) == "changed");
  act(one, Save{});  // and it is not forgotten that this is the older one
  CHECK(one.model().dialog == Dialog::replace);
  act(one, Decide{Decision::cancel});
  act(one, Save{folder.dog});
  REQUIRE(one.model().dialog == Dialog::replace);
  act(one, Decide{Decision::reload});  // another file is not reloaded
  CHECK(one.model().dialog == Dialog::replace);
  CHECK(text_of(one) == "changed");
}

TEST_CASE("one who goes on working on a file that has changed on disk is told so, once, until it is saved") {
  const Folder folder;
  Surroundings surroundings;
  surroundings.state = folder.path / "state";
  Session session(example_experiment(), {}, surroundings);
  act(session, Open{folder.cat});
  const auto told = [&] {
    session.finish_keeping();
    session.poll(0);
    return std::ranges::count_if(session.model().notices, [](const Notice& notice) {
      return notice.text.starts_with("cat.headlight has changed on disk");
    });
  };
  change(session);
  CHECK(told() == 0);
  Folder::put(folder.cat, "theirs, longer");
  CHECK(told() == 0);  // at rest nothing is looked at
  act(session, SetText{"x_q", "changed again", false});
  CHECK(told() == 1);
  act(session, SetText{"x_q", "and again", false});
  CHECK(told() == 1);
  act(session, Save{});
  act(session, Decide{Decision::replace});
  CHECK(told() == 0);
}

TEST_CASE("nothing is written over a file that the run reads") {
  const Folder folder;
  const fs::path picture = folder.path / "scene.png";
  fs::copy_file(HEADLIGHT_SOURCE_DIR "/assets/examples/scene.png", picture);
  const std::string before = *read_file(picture, most);
  Session session(example_experiment(), {}, {});
  act(session, Open{picture});
  REQUIRE(session.settle());
  act(session, Save{picture});
  CHECK(session.model().notices.back().level == Notice::Level::error);
  CHECK(session.model().dialog == Dialog::none);
  CHECK(*read_file(picture, most) == before);
}

TEST_CASE("figures and worksheets ask before they write over a file, figures not where this window made it") {
  const Folder folder;
  const fs::path figure = folder.path / "fig.svg", sheet = folder.path / "sheet.pdf";
  REQUIRE(write_file(figure, "mine"));
  REQUIRE(write_file(sheet, "mine"));
  Surroundings surroundings;
  surroundings.fonts = HEADLIGHT_FONT_FOLDER;
  Session session(example_experiment(), {}, surroundings);
  REQUIRE(session.settle());
  for (const Action& save : {Action(SaveFigure{figure}), Action(SaveSheet{sheet})}) {
    const fs::path& file = save.as<SaveFigure>() ? figure : sheet;
    act(session, save);
    REQUIRE(session.settle());
    REQUIRE(session.model().dialog == Dialog::replace);
    CHECK(*read_file(file, most) == "mine");
    act(session, Decide{Decision::replace});
    REQUIRE(session.settle());
    CHECK(*read_file(file, std::uint64_t{1} << 24) != "mine");
    act(session, save);
    REQUIRE(session.settle());
    CHECK((session.model().dialog == Dialog::replace) == (file == sheet));  // another sheet has other numbers
    if (file == sheet) act(session, Decide{Decision::cancel});
    REQUIRE(write_file(file, "of another window"));
    act(session, save);
    REQUIRE(session.model().dialog == Dialog::replace);
    CHECK(*read_file(file, most) == "of another window");
    act(session, Decide{Decision::cancel});
  }
}

TEST_CASE("an example is a beginning: saving it asks for a name") {
  Surroundings surroundings;
  surroundings.examples = HEADLIGHT_SOURCE_DIR "/assets/examples";
  Session session(example_experiment(), {}, surroundings);
  act(session, Open{surroundings.examples / "image.headlight"});
  CHECK(session.model().title() == "image");
  CHECK(session.model().path.empty());
  REQUIRE(session.settle());
  REQUIRE(session.model().trace());
  act(session, Save{});
  CHECK(session.model().dialog == Dialog::save);
}

TEST_CASE("an animation of one frame is a picture, and nothing is read before it is asked for") {
  const Folder folder;
  Session session(example_experiment(), {}, {});
  session.act(Open{folder.path / "none.gif"});
  CHECK(session.model().notices.empty());  // it is read elsewhere
  session.finish_files();
  REQUIRE_FALSE(session.model().notices.empty());
  CHECK(session.model().notices.back().text.find("does not exist") != std::string::npos);
  const std::string two_colors("\0\0\0\xff\xff\xff", 6);
  const fs::path still = folder.path / "still.gif", moving = folder.path / "moving.gif";
  REQUIRE(write_file(still, test::gif_bytes(1, 1, two_colors, {{.indices = "\1"}})));
  REQUIRE(write_file(moving, test::gif_bytes(1, 1, two_colors, {{.indices = "\1"}, {.indices = "\1"}})));
  act(session, Open{still});
  CHECK(std::holds_alternative<ImageInput>(*session.model().input(session.model().primary_input())));
  act(session, Open{moving});
  CHECK(std::holds_alternative<FramesInput>(*session.model().input(session.model().primary_input())));
}

TEST_CASE("a file that cannot be read takes nobody's place, and one line says why") {
  const Folder folder;
  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  const InputSpec before = *session.model().input("x_q");
  for (const auto& [name, bytes, words] :
       {std::tuple("bad.png", "no picture", "this is not a PNG, JPEG, GIF or BMP picture"),
        std::tuple("bad.csv", "a,b\n1,x\n", "line 2"),
        std::tuple("bad.xyz", "hello", "this is no file that opens here"),
        std::tuple("bad.webp", "RIFF1234WEBPVP8 ", "this is a WebP picture: save it as a PNG"),
        std::tuple("bad.txt", "\xff\xfe", "UTF-8"), std::tuple("empty.txt", "\n", "there is no text in it")}) {
    INFO(name);
    REQUIRE(write_file(folder.path / name, bytes));
    act(session, Open{folder.path / name});
    REQUIRE_FALSE(session.model().notices.empty());
    const std::string& text = session.model().notices.back().text;
    INFO(text);
    CHECK(text.find(words) != std::string::npos);
    CHECK(text.find(name) != std::string::npos);
    CHECK(text.find("JSON") == std::string::npos);
    CHECK(*session.model().input("x_q") == before);
    CHECK(session.model().error.empty());
  }
  REQUIRE(write_file(folder.path / "good.txt", "one two"));
  act(session, Open{folder.path / "good.txt"});
  CHECK(session.model().notices.empty());  // what was said of the others is over
}

TEST_CASE("a text that is dropped is the input, split as the one before, and undo takes it back") {
  const Folder folder;
  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  act(session, SetTokenizer{"x_q", "characters"});
  const InputSpec before = *session.model().input("x_q");
  REQUIRE(write_file(folder.path / "a.txt", "\xEF\xBB\xBFthe dog\r\nsat\r\n"));
  act(session, Open{folder.path / "a.txt"});
  REQUIRE(session.settle());
  const auto& text = std::get<TextInput>(*session.model().input("x_q"));
  CHECK(text.text == "the dog\nsat");
  CHECK(text.tokenizer == "characters");
  act(session, Undo{});
  CHECK(*session.model().input("x_q") == before);
}

TEST_CASE("arrays open by name; where no name tells, it is asked which is the input and what its axes mean") {
  const Folder folder;
  const fs::path map = folder.path / "fm.npy", layers = folder.path / "layers.npz", named = folder.path / "named.npz",
                 plain = folder.path / "x.npy", deep = folder.path / "deep.npy";
  const Tensor feature_map({16, 7, 9}), tokens({1, 5, 32});
  REQUIRE(write_npy(map, feature_map));
  REQUIRE(write_npy(plain, tokens));
  REQUIRE(write_npy(deep, Tensor({1, 1, 1, 1, 2, 2})));
  REQUIRE(write_npz(layers, {{"layer1", tokens}, {"layer2", feature_map}}));
  REQUIRE(write_npz(named, {{"x_q", tokens}}));
  Session session(example_experiment(), {}, {});
  const auto input = [&] { return std::get<FileInput>(*session.model().input(session.model().primary_input())); };
  act(session, Open{map});
  REQUIRE(session.model().dialog == Dialog::arrays);
  CHECK(session.model().document.experiment->inputs.at("x_q") == example_experiment().inputs.at("x_q"));  // not yet
  act(session, Decide{Decision::cancel});
  CHECK_FALSE(session.model().arrays_opened);
  act(session, SetVariant{"stand_alone_2d"});
  CHECK(session.model().notices.size() == 1);  // that the picture comes with the program
  act(session, SetInput{"x", FileInput{map.string(), "", "chw"}});
  CHECK(session.model().notices.empty());
  REQUIRE(session.settle());
  CHECK(session.model().error.empty());
  CHECK(session.model().shown.problem->find("x")->shape() == Shape{1, 16, 7, 9});
  // A sequence is none of a mechanism of pictures: one comes that takes it, in the same step of undo.
  act(session, SetInput{"x", FileInput{map.string(), "", "bnc"}});
  CHECK(session.model().document.experiment->variant == "multi_head");
  REQUIRE(session.model().notices.size() == 1);
  CHECK(session.model().notices.front().text.find("takes no array of positions in a row") != std::string::npos);
  act(session, Undo{});
  CHECK(session.model().document.experiment->variant == "stand_alone_2d");
  act(session, New{});
  act(session, Decide{Decision::discard});
  act(session, Open{layers});
  REQUIRE(session.model().dialog == Dialog::arrays);
  CHECK(session.model().arrays_opened->arrays.size() == 2);
  act(session, Decide{Decision::cancel});
  act(session, Open{plain});  // one item of positions and channels: nothing to ask
  CHECK(session.model().dialog == Dialog::none);
  CHECK(input().axes.empty());
  REQUIRE(session.settle());
  CHECK(session.model().error.empty());
  act(session, Open{deep});
  REQUIRE_FALSE(session.model().notices.empty());
  CHECK(session.model().notices.back().text.find("one to five axes") != std::string::npos);
  act(session, Open{named});
  CHECK(session.model().document.experiment->arrays == named.string());
}

TEST_CASE("the likeliest meaning of axes is by their extents and by what the mechanism takes") {
  const Variant &text = *find_variant("multi_head"), &picture = *find_variant("stand_alone_2d");
  CHECK(likely_axes({16, 7, 9}, picture) == "chw");
  CHECK(likely_axes({7, 9, 3}, picture) == "hwc");
  CHECK(likely_axes({7, 9, 3}, text) == "hwc");
  CHECK(likely_axes({3, 32, 32}, text) == "chw");
  CHECK(likely_axes({1, 12, 64}, text) == "bnc");
  CHECK(likely_axes({8, 12, 64}, text) == "bnc");
  CHECK(likely_axes({2, 16, 7, 9}, picture) == "bchw");
  CHECK(likely_axes({2, 16, 16, 3}, picture) == "bhwc");
  CHECK(likely_axes({12, 64}, text) == "nc");
  CHECK(likely_axes({1, 3, 8, 16, 16}, picture) == "bcthw");
  CHECK(likely_axes({1, 8, 16, 16, 3}, picture) == "bthwc");
  CHECK(likely_axes({2, 2, 2, 2, 2, 2}, text).empty());
}

TEST_CASE("a look into a signal says its columns and samples") {
  const Folder folder;
  REQUIRE(write_file(folder.path / "s.csv", "t,left,right\n0,1,2\n1,3,4\n"));
  const Preview preview = preview_of(folder.path / "s.csv");
  REQUIRE(preview.signal);
  CHECK(preview.signal->columns == std::vector<std::string>{"t", "left", "right"});
  CHECK(preview.signal->samples == 2);
  CHECK(preview.signal->rate == 0);
}
