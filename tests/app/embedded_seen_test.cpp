// A file that is saved with its inputs: what the window says before, what the file holds, how undo, recovery and
// figures take it. And the small pictures of recent files.
#include <fstream>

#include "app/figures/figure_recipe.h"
#include "app/model/browse.h"
#include "app/reading/slice.h"
#include "app/session/thumbnails.h"
#include "engine/io/file.h"
#include "engine/run/embed.h"
#include "tests/app/model_folder.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most = 1 << 22;

// An experiment with a picture beside it, in a folder that can be left behind.
struct Lesson : Scratch {
  fs::path here = *this / "here", file = here / "lesson.headlight", one = *this / "one.headlight";

  Lesson() {
    fs::create_directory(here);
    fs::copy_file(HEADLIGHT_SOURCE_DIR "/assets/examples/scene.png", here / "scene.png");
    REQUIRE(write_file(file, R"({"variant": "non_local", "inputs": {"x": {"image": "scene.png", "size": [4, 6]}}})"));
  }
  Surroundings surroundings() const {
    Surroundings s;
    s.state = *this / "state";
    s.settings = *this / "settings.json";
    s.cache = *this / "cache";
    s.fonts = HEADLIGHT_FONT_FOLDER;
    return s;
  }
};

void act(Session& session, const Action& action) {
  session.act(action);
  session.finish_files();
  REQUIRE(session.settle());
}

std::vector<float> output_of(const Model& model) {
  REQUIRE(model.trace());
  const auto values = model.trace()->steps.back().tensor().values();
  return {values.begin(), values.end()};
}

std::string text_of(const fs::path& path) {
  return read_file(path, most).value_or("");
}

}  // namespace

TEST_CASE("a file saved with its inputs opens where they are not, and stays so; undo takes them out again") {
  const Lesson lesson;
  Session session(*read_experiment(lesson.file), lesson.file, {});
  REQUIRE(session.settle());
  const auto expected = output_of(session.model());
  act(session, SaveWithInputs{lesson.one});
  CHECK(session.model().path == lesson.one);
  CHECK_FALSE(session.model().changed());
  CHECK(undo_name(session.model().history) == "putting its inputs into the file");
  const std::string saved = text_of(lesson.one);
  CHECK(saved.find("base64") != std::string::npos);
  fs::rename(lesson.here / "scene.png", lesson.here / "gone.png");

  Session other(example_experiment(), {}, {});
  act(other, Open{lesson.one});
  CHECK(output_of(other.model()) == expected);
  CHECK(other.model().notices.empty());
  act(other, SetHead{0});
  act(other, Save{});
  CHECK(text_of(lesson.one) == saved);
  act(other, SetVariant{"stand_alone_2d"});  // another mechanism of the same picture
  CHECK(other.model().error.empty());
  act(other, Save{lesson / "second.headlight"});
  CHECK(text_of(lesson / "second.headlight").find("base64") != std::string::npos);

  fs::rename(lesson.here / "gone.png", lesson.here / "scene.png");
  act(session, Undo{});
  CHECK(session.model().changed());
  act(session, Save{});
  act(session, Decide{Decision::replace});  // the other window has saved it since
  CHECK(text_of(lesson.one).find("base64") == std::string::npos);
  CHECK(text_of(lesson.one).find("here/scene.png") != std::string::npos);
  act(session, Redo{});
  act(session, Save{});
  CHECK(text_of(lesson.one) == saved);
}

TEST_CASE("what is changed while a file is saved with its inputs is neither in it nor lost") {
  const Lesson lesson;
  Session session(*read_experiment(lesson.file), lesson.file, {});
  REQUIRE(session.settle());
  session.act(SaveWithInputs{lesson.one});
  session.act(SetGrid{"x", {3, 5}});
  REQUIRE(session.settle());
  CHECK(session.model().path == lesson.one);
  CHECK(session.model().changed());
  CHECK(undo_name(session.model().history) == "grid");
  const std::string saved = text_of(lesson.one);
  CHECK(saved.find("base64") != std::string::npos);
  act(session, Undo{});
  act(session, SaveWithInputs{lesson / "second.headlight"});
  CHECK(text_of(lesson / "second.headlight") == saved);
}

TEST_CASE("what is opened or written while a file is saved with its inputs keeps its own file and numbers") {
  const Lesson lesson;
  const fs::path other = lesson / "other.headlight";
  REQUIRE(write_experiment(example_experiment(), other));
  const std::string before = text_of(other);
  {
    Session session(*read_experiment(lesson.file), lesson.file, {});
    REQUIRE(session.settle());
    session.act(Open{other});
    session.act(SaveWithInputs{lesson.one});
    session.finish_files();
    REQUIRE(session.settle());
    CHECK(session.model().path == other);
    CHECK_FALSE(session.model().changed());
    CHECK(text_of(lesson.one).find("base64") != std::string::npos);
    act(session, SetParam{"temperature", 2.0, false});
    act(session, Save{});
    CHECK(text_of(other) != before);
    CHECK(text_of(lesson.one).find("base64") != std::string::npos);
  }
  fs::remove(lesson.one);
  Session session(*read_experiment(lesson.file), lesson.file, {});
  REQUIRE(session.settle());
  session.act(SaveWithInputs{lesson.one});
  session.act(SetGrid{"x", {3, 5}});
  session.act(Save{lesson.one});  // after the first, which is no file of somebody else then
  session.finish_files();
  REQUIRE(session.settle());
  CHECK(session.model().dialog == Dialog::none);
  CHECK(text_of(lesson.one).find("base64") == std::string::npos);
  CHECK_FALSE(session.model().changed());
  CHECK(session.model().path == lesson.one);
}

TEST_CASE("work with its inputs in it is recovered without the files") {
  const Lesson lesson;
  std::vector<float> expected;
  {
    Session session(*read_experiment(lesson.file), lesson.file, lesson.surroundings());
    REQUIRE(session.settle());
    act(session, SaveWithInputs{lesson.one});
    act(session, SetGrid{"x", {3, 5}});
    expected = output_of(session.model());
  }
  fs::remove_all(lesson.here);
  fs::remove(lesson.one);
  Session session(example_experiment(), {}, lesson.surroundings());
  REQUIRE(session.model().recoverable.size() == 1);
  act(session, Recover{0});
  CHECK(output_of(session.model()) == expected);
}

TEST_CASE("the dialog says what goes into the file and how large that is; what cannot go into it is not written") {
  const Lesson lesson;
  Driver driver(1366, 768, 1, *read_experiment(lesson.file));
  driver.settle();
  act(driver, ShowDialog{Dialog::save_with_inputs});
  const auto bytes = fs::file_size(lesson.here / "scene.png");
  const auto files = files_to_embed(*driver.model().document.experiment);
  REQUIRE((files && files->size() == 1));
  CHECK(files->front().bytes == bytes);
  const std::string said = driver.widget("dialog/inputs").value;
  CHECK(said.starts_with("The file holds scene.png ("));
  CHECK(said.ends_with(size_in_words(embedded_size(*files)) + " of it."));
  std::ofstream(lesson.here / "scene.png", std::ios::app) << std::string(5 << 20, 'x');
  act(driver, ShowDialog{Dialog::none});
  act(driver, ShowDialog{Dialog::save_with_inputs});
  CHECK(driver.widget("dialog/inputs").value.find("at most 4 MB go into an experiment") != std::string::npos);
  act(driver, SaveWithInputs{lesson.one});
  CHECK_FALSE(fs::exists(lesson.one));
  CHECK(driver.model().notices.back().level == Notice::Level::error);
}

TEST_CASE("what is embedded is looked into like a file") {
  const Scratch scratch;
  const auto read = parse_experiment(
      R"({"variant": "multi_head", "inputs": {"x_q": {"signal": "s.csv"}},
          "files": {"s.csv": {"base64": "YSxiCjEsMgozLDQK"}}})",
      scratch / "", "e");
  REQUIRE(read);
  Driver driver(1600, 1000, 1, *read);
  driver.settle();
  REQUIRE(driver.model().preview);
  REQUIRE(driver.model().preview->signal);
  CHECK(driver.model().preview->signal->columns == std::vector<std::string>{"a", "b"});
}

TEST_CASE("the recipe of a figure with its inputs in it needs no other file") {
  const Lesson lesson;
  const auto made = embedded(*read_experiment(lesson.file));
  REQUIRE(made);
  FigureRequest request;
  const std::string text = recipe_text(*made, request, {}, lesson / "figures");
  CHECK(text.find("\"sum\"") == std::string::npos);
  fs::remove_all(lesson.here);
  const auto recipe = parse_recipe(text, lesson / "elsewhere", "fig.pdf");
  REQUIRE(recipe);
  CHECK(recipe->files.empty());
  CHECK(recipe_text(recipe->experiment, request, {}, lesson / "figures") == text);
  Session session(recipe->experiment, {}, {});
  REQUIRE(session.settle());
  CHECK(session.model().error.empty());
}

TEST_CASE("recent files have small pictures of their maps, which say nothing where they are damaged") {
  const Lesson lesson;
  const ModelFolder folder;
  const fs::path text = lesson / "text.headlight", model = lesson / "model.headlight";
  REQUIRE(write_experiment(example_experiment(), text));
  REQUIRE(write_model_experiment(folder.reads("abc a"), model));
  Session session(example_experiment(), {}, lesson.surroundings());
  for (const fs::path& path : {lesson.file, text, model}) {
    act(session, Open{path});
    session.finish_keeping();
    CHECK(fs::exists(thumbnail_file(lesson / "cache", path, true)));
  }
  act(session, ShowDialog{Dialog::open});
  REQUIRE(session.model().thumbnails);
  const auto& pictures = session.model().thumbnails->light;
  REQUIRE(pictures.size() == 3);
  CHECK(session.model().thumbnails->dark.size() == 3);
  CHECK_FALSE(session.model().thumbnails->dark.at(text).rgba == pictures.at(text).rgba);
  const Image& tall = pictures.at(text);
  CHECK((tall.width == thumbnail_side && tall.height == thumbnail_side));
  CHECK_FALSE(tall.at(2, 2) == tall.at(thumbnail_side - 3, 2));  // the first query sees the first key, and not the last
  CHECK(pictures.at(lesson.file).width > pictures.at(lesson.file).height);
  // What was changed since is not what opens.
  act(session, Open{text});
  session.finish_keeping();
  const std::string before = text_of(thumbnail_file(lesson / "cache", text, false));
  act(session, SetHead{1});
  act(session, SetText{"x_q", "two words", false});
  session.finish_keeping();
  CHECK(text_of(thumbnail_file(lesson / "cache", text, false)) == before);
  act(session, Save{});
  session.finish_keeping();
  CHECK_FALSE(text_of(thumbnail_file(lesson / "cache", text, false)) == before);
  REQUIRE(write_file(thumbnail_file(lesson / "cache", text, false), "no picture"));
  fs::remove(thumbnail_file(lesson / "cache", model, false));
  act(session, ShowDialog{Dialog::none});
  act(session, ShowDialog{Dialog::open});
  CHECK(session.model().thumbnails->light.size() == 1);
  CHECK(session.model().notices.empty());
}

TEST_CASE("there are not more small pictures than are kept, and the newest stay") {
  const Scratch scratch;
  const MapToShrink map = [] { return Tensor::from({1, 2}, std::vector<float>{0, 1}); };
  fs::path last;
  for (std::size_t i = 0; i < most_thumbnails + 3; ++i) {
    const std::string of = fmt::format("/a/{}.headlight", i);
    last = thumbnail_file(scratch / "", of, true);
    write_thumbnails(map, scratch / "", of);
  }
  CHECK(fs::exists(last));
  const auto folder = fs::directory_iterator(last.parent_path());
  CHECK(static_cast<std::size_t>(std::distance(begin(folder), end(folder))) == most_thumbnails);
}
