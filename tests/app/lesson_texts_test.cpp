// What stands in a lesson's text besides words: formulas, pictures, numbers of the run as it was changed; and what is
// hidden until it is answered.
#include <fstream>

#include "app/lessons/printing.h"
#include "app/lessons/scope.h"
#include "app/session/lesson_play.h"
#include "app/session/lesson_print.h"
#include "engine/io/images/png.h"
#include "engine/picture/resize.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

const std::string beginning = R"(``` experiment
{"variant": "multi_head", "params": {"heads": 1, "d_head": 2, "mask": "causal"},
  "inputs": {"x_q": {"array": [[[2, 0], [0, 2], [2, 1]]], "tokens": ["red", "fox", "runs"]}}, "weights": {"init": "identity"}}
```

)";

fs::path written(const Scratch& scratch, const std::string& steps) {
  const fs::path file = scratch / "small.lesson.md";
  std::ofstream(file, std::ios::binary) << beginning << steps;
  return file;
}

void write_picture(const fs::path& path, Index width, Index height) {
  Image image = filled_image(width, height, {40, 90, 200, 255});
  const auto png = encode_png(image);
  REQUIRE(png);
  std::ofstream(path, std::ios::binary) << *png;
}

}  // namespace

TEST_CASE("pictures and formulas stand in the text, as large as there is room for") {
  const Scratch scratch;
  write_picture(scratch / "wide.png", 2400, 300);
  write_picture(scratch / "small.png", 40, 20);
  const fs::path file = written(scratch, R"(# One

Each score is $s = \frac{q \cdot k}{\sqrt{d}}$, divided.

![two words](wide.png) and ![one](small.png)

``` ask choice
Which is $e^{2s}$?
- $2e^{s}$ if 1 = 2
- $\left(e^{s}\right)^2$ if 1 = 1
```
)");
  Driver driver;
  act(driver, OpenLesson{file});
  const auto& played = driver.model().learner.played;
  REQUIRE(played);
  REQUIRE(played->mistakes.empty());
  CHECK(played->pictures.at("wide.png")->width == 1200);
  const LoggedWidget wide = driver.widget("lesson/picture/wide.png"), small = driver.widget("lesson/picture/small.png");
  CHECK(wide.value == "two words");
  CHECK(wide.rect.w == Approx(8 * wide.rect.h).epsilon(0.03));
  CHECK(small.rect.w == Approx(2 * small.rect.h).epsilon(0.03));
  CHECK(small.rect.w < wide.rect.w / 4);
  CHECK(small.rect.y >= wide.rect.bottom());
  CHECK(driver.shows("lesson/formula/s = \\frac{q \\cdot k}{\\sqrt{d}}"));
  CHECK(driver.shows("lesson/formula/2e^{s}"));
  CHECK(driver.widget("lesson/text/0").value == "Each score is s = (q · k)/√d, divided.");

  const auto with = lesson_pdf(*played, a4_paper, false, font_files_in(HEADLIGHT_FONT_FOLDER), 0);
  REQUIRE(with);
  CHECK(with->find("/Image") != std::string::npos);
}

TEST_CASE("a picture that cannot be read is told with its place") {
  const Scratch scratch;
  std::ofstream(scratch / "broken.png") << "no picture";
  const auto read = read_lesson(written(scratch, "# One\n\n![x](broken.png)\n"));
  REQUIRE(read);
  const auto played = check_lesson(*read);
  REQUIRE(played.mistakes.size() == 1);
  CHECK(played.mistakes[0].at.line == 8);
  CHECK(played.mistakes[0].message.find("broken.png") != std::string::npos);
}

TEST_CASE("the reason of a deed is about the run as it was done") {
  const Scratch scratch;
  const fs::path file = written(scratch, R"(# One

``` ask do
Take the mask away.
until: weights[red, runs] > 0
solution: mask none
because: It has {1 - weights[red, red]} to give; {0.49 = weights[red, runs]} went to the last.
```
)");
  const auto read = read_lesson(file);
  REQUIRE(read);
  for (const auto& mistake : check_lesson(*read).mistakes) FAIL_CHECK(line_of("f", mistake));
  Driver driver;
  act(driver, OpenLesson{file});
  act(driver, SolveInLesson{});
  CHECK(driver.widget("lesson/because").value == "It has 0.51 to give; 0.49 went to the last.");
}

TEST_CASE("params.scale is what the run's scores were multiplied by") {
  for (const std::string params :
       {R"("multi_head")", R"("multi_head", "params": {"temperature": 2})", R"("multi_head", "params": {"scale": 3})",
        R"("multi_head", "params": {"qk_norm": "l2"})",
        R"("mla", "params": {"heads": 2, "d_head": 4, "kv_rank": 3, "d_rotary": 2})"}) {
    const std::string json =
        R"({"inputs": {"x_q": {"text": "a b c"}}, "weights": {"init": "normal"}, "variant": )" + params + "}";
    INFO(json);
    const RanExperiment run = ran(parse_experiment(json, {}, ""));
    const ExpressionScope scope = make_scope({run.experiment, run.trace}, {});
    const auto number = [&](const char* words) {
      const auto value = Expression::parse(words)->evaluate(scope);
      REQUIRE(value);
      return as_number(*value).value();
    };
    const Tensor &scores = run.trace->find("scores")->tensor(), &scaled = run.trace->find("scaled_scores")->tensor();
    const auto sizes = scores.values();
    const auto most = std::ranges::max_element(sizes, {}, [](float x) { return std::abs(x); }) - sizes.begin();
    CHECK(number("params.scale") == Approx(scaled[most] / scores[most]).epsilon(1e-5));
    CHECK(number("params.scale_inverse") == Approx(scores[most] / scaled[most]).epsilon(1e-5));
  }
  // Where an array does it there is no one number.
  const RanExperiment run = ran(parse_experiment(
      R"({"variant": "multi_head", "params": {"heads": 2}, "inputs": {"x_q": {"text": "a b c"}, "logit_scale": {"array": [2, 3]}}})",
      {}, ""));
  CHECK_FALSE(Expression::parse("params.scale")->evaluate(make_scope({run.experiment, run.trace}, {})));
}

TEST_CASE("what was done instead is told at once, and what is done can be gone on with") {
  const Scratch scratch;
  const fs::path file = written(scratch, R"(# One

``` ask do
Make it look at red.
until: weights[fox, red] > 0.5
solution: edit {"array": "x_q", "at": [0, 0, 1], "set": 3}
attempt: edit {"array": "x_q", "at": [0, 0, 0], "set": 3}
when x_q[red, 0] != 2: The score is still {scores[fox, red]}.
```

It has {weights[fox, red]} now.
)");
  Driver driver;
  act(driver, OpenLesson{file});
  REQUIRE(driver.model().learner.played->mistakes.empty());
  CHECK_FALSE(driver.shows("lesson/reply"));
  const auto set = [&](int at, int number) {
    driver.session().act(
        *parse_action(fmt::format(R"(edit {{"array": "x_q", "at": [0, 0, {}], "set": {}}})", at, number)));
    driver.settle();
  };
  set(0, 3);
  CHECK(driver.widget("lesson/reply").value == "The score is still 0.");
  driver.click("lesson/undo");
  CHECK_FALSE(driver.shows("lesson/reply"));
  set(1, 3);
  CHECK(driver.widget("lesson/done").value == "Done.");
  CHECK_FALSE(driver.shows("lesson/reply"));
  const std::string first = driver.widget("lesson/text/1").value;
  CHECK(driver.shows("lesson/set/x_q/1"));  // one can go on trying
  set(1, 4);
  CHECK(driver.widget("lesson/text/1").value != first);
}

TEST_CASE("who presents a lesson sees its notes, with the answer, in a window of their own") {
  const Scratch scratch;
  const fs::path file = written(scratch, R"(# One

``` ask choice
Its score?
- 2
- 4
answer: scores[runs, red]
```

``` note
Vote first: it is {4 = scores[runs, red]}.
```

# Two

Done.
)");
  Driver driver;
  driver.lay_notes({0, 0, 1600, 1000});
  act(driver, OpenLesson{file});
  REQUIRE(driver.model().learner.played->mistakes.empty());
  driver.press(Key::f5);
  driver.press(Key::i);
  CHECK(driver.widget("notes/written").value == "Vote first: it is 4.");
  CHECK(driver.widget("notes/answer").value == "B: 4");
  CHECK(driver.widget("notes/next").value == "Next: Two");
  driver.press(Key::i);
  CHECK_FALSE(driver.shows("notes/written"));
}

TEST_CASE("words do what a lesson's line says, with tokens for places") {
  const Scratch scratch;
  const fs::path file =
      written(scratch, "# One\nThe row of {row fox: the fox} and {mask none: no mask}.\n``` show\nstep weights\n```\n");
  Driver driver;
  act(driver, OpenLesson{file});
  REQUIRE(driver.model().learner.played->mistakes.empty());
  std::vector<std::string> links;
  for (const auto& [path, widget] : driver.log())
    if (path.starts_with("lesson/link/")) links.push_back(path);
  REQUIRE(links.size() == 4);  // a word each
  driver.click(links[2]);
  CHECK(driver.model().document.look.selection.query == 1);
  driver.click(links[0]);
  CHECK(to_string(driver.model().document.experiment->params.get("mask")) == "none");
}

TEST_CASE("a word of the glossary is explained where it stands in a lesson, without a picture of what is hidden") {
  const Scratch scratch;
  const fs::path file = written(scratch, "# One\nEach *score* is a dot product: a score, then.\n# Two\nMore.\n");
  Driver driver;
  act(driver, OpenLesson{file});
  CHECK_FALSE(driver.shows("term/words"));
  driver.click("lesson/term/score");
  CHECK(driver.widget("term/words").value.starts_with("How well a query and a key fit"));
  CHECK_FALSE(driver.shows("term/picture"));
  driver.press(Key::escape);
  CHECK_FALSE(driver.shows("term/words"));
  REQUIRE(driver.model().learner.played);
  driver.click("lesson/term/score");
  driver.press(Key::space);
  CHECK(driver.widget("lesson/title").value == "Two");
  CHECK_FALSE(driver.shows("term/words"));
}

TEST_CASE("the picture of a word is of the head that shows it") {
  Driver driver;
  act(driver, ShowStep{"weights"});
  act(driver, SetHead{0});
  act(driver, ShowTerm{"induction"});
  CHECK(driver.widget("term/picture").value.find("head 2") != std::string::npos);
  act(driver, ShowTerm{"start token"});
  CHECK(driver.widget("term/picture").value.find("head 3") != std::string::npos);
  act(driver, ShowTerm{"softmax"});
  CHECK(driver.widget("term/picture").value.find("head 0") != std::string::npos);
}

TEST_CASE("nothing of what is hidden is told by what covers it") {
  const Scratch scratch;
  const fs::path file = written(scratch,
                                "# One\n``` show\nstep weights\nrow red\n```\n``` hide\nrow red\n```\n``` ask "
                                "token\nWhere?\nanswer: argmax weights[red, :]\n```\n");
  Driver driver;
  act(driver, OpenLesson{file});
  const Rect row = [&] {
    const Rect map = driver.widget("lesson/map").rect;
    return Rect{map.x, map.y, map.w, map.h / 3};
  }();
  // The cells at the row's right are masked, and look like those that are not.
  constexpr float line = 2;
  std::size_t covers = 0;
  for (const auto& fill : driver.log().fills) {
    if (!row.contains(fill.rect.middle()) || fill.rect.h <= line || fill.rect.w <= line) continue;
    ++covers;
    CHECK(fill.rect.h > row.h * 0.9F);
  }
  CHECK(covers == 3);
}
