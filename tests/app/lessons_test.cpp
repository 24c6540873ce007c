// Lessons: those that come with the program hold, mistakes are told with their place, and a lesson in the window is
// what its file says, by hand from its first step to its last.
#include "app/session/lesson_play.h"

#include <chrono>
#include <fstream>
#include <thread>

#include "app/lessons/new_lesson.h"
#include "app/session/lesson_answers.h"
#include "engine/core/system/paths.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

#ifdef HEADLIGHT_ADDRESS_SANITIZER
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

const fs::path shipped = fs::path(HEADLIGHT_SOURCE_DIR) / "assets/lessons";

const std::string beginning = R"(---
title: Small
takes: 2 minutes
---

``` experiment
{"variant": "multi_head", "params": {"heads": 1, "d_head": 2},
  "inputs": {"x_q": {"array": [[[2, 0], [0, 2], [2, 1]]], "tokens": ["red", "fox", "runs"]}}, "weights": {"init": "identity"}}
```

)";
// Line 11 of the file is the first of `steps`.
ParsedLesson lesson_of(const std::string& steps) {
  return read_lesson_text(beginning + steps, "small", {});
}

std::string first_mistake(const std::string& steps) {
  const auto played = check_lesson(lesson_of(steps));
  return played.mistakes.empty() ? "" : line_of("f", played.mistakes.front());
}

const std::string good = R"(# One

*runs* asks {5 = max scores[runs, :]}.

``` show
step weights
row runs
```

``` hide
row runs
```

``` ask number
Its share of itself?
answer: weights[runs, runs]
within: 0.02
when answer = 1: Nothing is thrown away.
else: e to each score.
hint: 34.3 of 55.3.
because: It is {0.62 = weights[runs, runs]}.
```

All three: {weights[runs, :]}.

# Two

``` ask do
Make it look at red.
until: weights[fox, red] > 0.5
solution: edit {"array": "x_q", "at": [0, 0, 1], "set": 3}
attempt: edit {"array": "x_q", "at": [0, 0, 0], "set": 3}
when x_q[red, 0] != 2: The first number is multiplied by 0, and {scores[fox, red]} stays.
```

Done.
)";

fs::path written(const Scratch& scratch, const std::string& text) {
  const fs::path file = scratch / "small.lesson.md";
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

}  // namespace

TEST_CASE("every lesson that comes with the program holds, and is on the path") {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(shipped)) {
    if (!is_lesson_file(entry.path())) continue;
    ++count;
    INFO(entry.path());
    const auto read = read_lesson(entry.path());
    REQUIRE(read);
    if (sanitized && read->lesson.name == "a-head-is-born") continue;  // it trains for a thousand steps
    const PlayedLesson played = check_lesson(*read);
    for (const auto& mistake : played.mistakes) FAIL_CHECK(line_of("", mistake));
    CHECK(std::ranges::find(lesson_path, read->lesson.name) != lesson_path.end());
    CHECK(read->lesson.minutes > 0);
    CHECK(played.steps.size() >= 4);
    if (!played.mistakes.empty()) continue;
    for (const auto& given : answers_given(played, AnswerMode::right, 1)) {
      INFO(given.step << " " << given.question << " " << given.said);
      CHECK(given.right);
    }
    for (const std::uint64_t seed : {1, 2, 3})
      for (const auto& given : answers_given(played, AnswerMode::wrong, seed)) {
        INFO(given.step << " " << given.question << " " << given.said);
        CHECK_FALSE(given.right);
      }
    for (const auto& given : answers_given(played, AnswerMode::random, 7)) {
      CHECK_FALSE(given.said.empty());
      const LessonQuestion& question = *played.lesson->steps[given.step].ask;
      const LessonTruth& truth = *played.steps[given.step].truth;
      if (question.kind == AskKind::deed) continue;
      INFO(given.step << " " << given.question << " " << given.typed);
      const auto value = parse_answer(question, truth, given.typed);  // as somebody would type it
      REQUIRE(value);
      CHECK(typed_answer(question, truth, *value) == given.typed);
      std::vector<LessonMistake> mistakes;
      const LessonScene& asked = played.steps[given.step].asked;
      CHECK(judge(question, truth, *value, make_scope(asked.shown(), asked.runs), mistakes).right == given.right);
    }
  }
  CHECK(count >= 4);
}

TEST_CASE("a network learns while a lesson is carried out, and its steps are the same in any order") {
  const auto learned = [](const std::string& name, const std::string& after) {
    return "``` try " + name + R"(
{"train": {"task": "order", "seed": 2, "options": {"d": 8, "batch": 2}})" +
           after + "}\n```\n\n";
  };
  const std::string lines = "# One\n\n" + learned("late", R"(, "after": 6)") + learned("early", R"(, "after": 0)") +
                            learned("between", R"(, "after": 3)") + learned("again", R"(, "after": 6, "example": 0)") +
                            R"(``` check
late.weights = again.weights
max abs(late.weights - between.weights) > 0.00001
max abs(early.weights - between.weights) > 0.00001
```

Text.
)";
  CHECK(first_mistake(lines).empty());
  const auto refused = [&](const std::string& more) {
    return first_mistake("# One\n\n" + learned("a", more) + "Text.\n");
  };
  CHECK(refused(R"(, "after": 1001)").find("1000") != std::string::npos);
  CHECK(refused(R"(, "after": -1)").find("after") != std::string::npos);
  CHECK(refused(R"(, "map": 7)").find("map 7: it has 1") != std::string::npos);
  CHECK(refused(R"(, "example": 700)").find("example 700") != std::string::npos);
  CHECK(refused(R"(, "aftr": 3)").find("aftr") != std::string::npos);
  CHECK(first_mistake(R"(# One

``` try a
{"train": {"task": "text", "options": {"file": "/etc/hostname"}}, "after": 0}
```

Text.
)")
            .find("lies outside of the lesson's folder") != std::string::npos);
}

TEST_CASE("a new lesson holds, and takes the place of nothing") {
  const Scratch scratch;
  const auto path = free_lesson_path(scratch / "");
  REQUIRE(write_new_lesson(path));
  const auto read = read_lesson(path);
  REQUIRE(read);
  const PlayedLesson played = check_lesson(*read);
  for (const auto& mistake : played.mistakes) FAIL_CHECK(line_of("", mistake));
  CHECK(played.steps.size() == 3);
  CHECK_FALSE(write_new_lesson(path));
  CHECK(free_lesson_path(scratch / "").filename() == "my-lesson-2.lesson.md");
  CHECK_FALSE(write_new_lesson(scratch / "lesson.txt"));
}

TEST_CASE("a sound lesson has no mistakes, and prints the numbers of its run") {
  const auto played = check_lesson(lesson_of(good));
  REQUIRE(played.mistakes.empty());
  REQUIRE(played.steps.size() == 2);
  CHECK(plain_text(played.steps[0].texts[0]) == "runs asks 5.");
  CHECK(plain_text(played.steps[0].texts.back()) == "All three: (0.31, 0.07, 0.62).");
  CHECK(plain_text(*played.steps[0].question.because) == "It is 0.62.");
  REQUIRE(played.steps[0].asked.hidden.size() == 1);
  CHECK(played.steps[0].asked.hidden[0] == LessonHidden{LessonHidden::What::row, 2, -1});
  CHECK(played.steps[0].answered.hidden.empty());
}

TEST_CASE("each mistake is one line with its place") {
  struct Case {
    const char* steps;
    const char* says;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"text\n", "f:5:1: there is no step"},
           {"# A\n{0.7 = weights[runs, runs]}\n", "f:12:2: this says 0.7: it is 0.62"},
           {"# A\n{\"red\" = argmax weights[runs, :]}\n", "f:12:2: this says \"red\": it is runs"},
           {"# A\nSo {weights[rums, red]}.\n", "f:12:13: no query is called “rums”"},
           {"# A\nSo {weights\n", "f:12:4: “}” is missing"},
           {"# A\nSo $x\n", "f:12:4: the second “$”"},
           {"# A\n``` show\nstep weigths\n```\n", "f:13:1: "},
           {"# A\n``` show\nsave x.headlight\n```\n", "f:13:1: "},
           {"# A\n``` show\nstepp weights\n```\n", "f:13:1: “stepp” is not an action: did you mean step?"},
           {"# A\n``` show\nrow cat\n```\n", "f:13:1: no query is called “cat”"},
           {"# A\n``` show\npart arows\n```\n", "f:13:1: “arows” is no part"},
           {"# A\n``` hide\nall\n```\n", "f:13:1: “all” hides nothing"},
           {"# A\n``` shwo\nstep weights\n```\n", "f:12:1: a fence called “shwo” is shown as code: did you mean show?"},
           {"# A\n``` check\nsum weights[runs, :] = 2\n```\n", "f:13:1: this does not hold"},
           {"# A\n``` check\nsum weights[runs, :]\n```\n", "f:13:1: a check is a condition"},
           {"# A\n``` ask riddle\nWhat?\nanswer: 1\n```\n", "f:12:1: “ask riddle” is no kind of question"},
           {"# A\n``` ask number\nWhat?\n```\n", "f:12:1: the answer is missing"},
           {"# A\n``` ask number\nanswer: 1\n```\n", "f:12:1: the question itself is missing"},
           {"# A\n``` ask number\nWhat?\nanswer: weights[runs, :]\n```\n", "f:14:9: the answer is 3 numbers"},
           {"# A\n``` ask number\nWhat?\nanswer: 4\nwhen answer = 4: No.\n```\n", "f:15:6: no wrong answer leads here"},
           {"# A\n``` ask number\nWhat?\nanswer: 4\nwhen answer > 5: a.\nwhen answer > 6: b.\n```\n",
            "f:16:6: no wrong answer leads here"},
           {"# A\n``` ask number\nWhat?\nanswer: 4\nanwser: 5\n```\n", "f:15:1: “anwser:” is no key of a question"},
           {"# A\n``` ask choice\nWhat?\n- 1\n- 2\nanswer: 3\n```\n", "f:16:9: none of the answers is right: it is 3"},
           {"# A\n``` ask choice\nWhat?\n- a if 1 < 2\n- b if 1 < 2\n```\n", "f:12:1: 2 of the answers are right"},
           {"# A\n``` ask do\nDo it.\nuntil: 1 > 2\nsolution: row fox\n```\n",
            "f:15:11: the solution does not lead to what until: says"},
           {"# A\n``` ask do\nDo it.\nuntil: 1 < 2\nsolution: row fox\n```\n", "f:14:8: this is so from the start"},
           {"# A\n``` ask number\nWhat?\nanswer: 1\n```\n``` ask number\nAnd?\nanswer: 2\n```\n",
            "f:16:1: a step asks once"},
           {"# A\n``` experiment\n{\"variant\": \"multi_hed\"}\n```\n", "f:12:1: "},
           {"# A\n``` experiment\n{\"variant\": \"multi_head\", \"parms\": {}}\n```\n",
            "f:12:1: experiment: parms is not a key"},
           {"# A\n``` experiment\n{\"variant\":\n 7 8}\n```\n", "parse error at line 14, column 4"},
           {"# A\n``` experiment\n{“variant”: 7}\n```\n", "its quotes are straight ones"},
           {"# A\n``` show\nmsk causal\n```\n", "f:13:1: “msk” is not an action: did you mean mask?"},
           {"# A\n``` lock\nparm mask\n```\n", "f:13:1: “parm” begins no action"},
           {"# A\n``` lock\nparam maks\n```\n", "f:13:1: “maks” is no parameter here"},
           {"# A\n``` show\nstep weights\n\nMore {text.\n# B\n",
            "f:12:1: the fence that begins here does not end before"},
           {"# A\n``` ask number\nWhat?\nanswer: 4\n\n``` show\nrow fox\n```\n",
            "the next one, in line 16: ``` on a line"},
           {"# A\n`` show\nrow fox\n``\n", "f:12:1: this is shown as code: a fence begins with three signs, ``` show"},
           {"# A\n#Then\n", "f:12:1: a heading has a blank behind its signs"},
           {"# A\n``` ask number\nWhat?\nanswer: 4\n```\n### B\n``` ask number\nAnd?\nanswer: 2\n```\n",
            "f:17:1: a step asks once: begin another step with a heading; the one in line 16"},
           {"# A\n``` ask number\nWhat?\nanswer: 4\nhint Count them.\n```\n",
            "f:15:1: “hint Count them.” stands behind the question and begins with no key"},
           {"# A\n``` ask number\nWhat?\nanswer: 4\nwithin: 0,02\n```\n", "f:15:10: a number has a point, not a comma"},
           {"# A\n``` ask choice\nWhat?\na) 1\nb) 2\nanswer: 1\n```\n", "f:12:1: there is nothing to choose from"},
           {"# A\nSo $\\frac{1$\n", "f:12:4: "},
           {"# A\n``` show\nquit\n```\n", "f:13:1: “quit” shows nothing in a lesson"},
           {"# A\n``` show\npin 7 0\n```\n", "f:13:1: 7 is no query"},
           {"# A\n{weights[runs, runs] = 0.62}\n", "f:12:2: a condition prints true or false"},
           {"# A\n{log (0 - 1)}\n", "f:12:2: there is NaN in what this comes to"},
           {"# A\n[x](javascript:alert)\n", "f:12:1: “javascript:alert” is a link that leads nowhere"},
           {"# A\n``` note\nIt is {nope}.\n```\n", "f:13:8: nothing is called “nope”"},
           {"# A\n``` ask order\nWhat?\nanswer: scores[runs, :] * 0\n```\n", "all of these are alike"},
           {"# A\n``` ask order\nWhat?\n- a by 1\n- a by 2\n```\n", "f:15:3: “a” stands here twice"},
           {"# A\n``` ask choice\nWhat?\n- a if 1 < 2\n- b\nanswer: 2\n```\n", "what is right is said twice"},
           {"# A\n``` ask drag\nWhat?\nanswer: weights[runs, :] / 0\n```\n", "not all of these numbers are finite"},
           {"# A\n``` ask number\nWhat?\nanswer: 1/3\nwithin: 0\n```\n",
            "f:15:9: nobody types 0.333 to its last digit"},
           {"# A\n``` lock\nparam mask\n```\n``` ask do\nDo.\nuntil: weights[red, runs] < 0.1\nsolution: mask "
            "causal\n```\n",
            "“mask causal” is locked in this step"},
           {"# A\n``` experiment first\n{\"variant\": \"multi_head\"}\n```\n",
            "an experiment called first stands above"},
           {"# A\n![x](none.png)\n", "f:12:1: there is no picture called none.png beside the lesson"},
           {"# A\n![x](../secret.png)\n", "lies outside of the lesson's folder"},
           {"# A\n``` try else\nexperiment ../other.headlight\n```\n", "lies outside of the lesson's folder"}}) {
    INFO(one.steps);
    const std::string mistake = first_mistake(one.steps);
    INFO(mistake);
    CHECK(mistake.find(one.says) != std::string::npos);
    CHECK(mistake.find('\n') == std::string::npos);
  }
  CHECK(first_mistake(good).empty());
  // What cannot be taken apart is told alone, and not with all that follows from it.
  CHECK(lesson_of("# A\n``` show\nstep weights\n\nMore {text.\n# B\n{1 = 2}\n").mistakes.size() == 1);
  CHECK(read_lesson_text("---\ntitel: A\n# B\nSo {x\n", "a", {}).mistakes.size() == 1);
}

TEST_CASE("what is said of a lesson as a whole is read, or told") {
  const auto read = read_lesson_text("---\ntitel: A\ntakes: soon\n---\n# A\n", "a", {});
  const auto needing = [](const std::string& other) {
    return check_lesson(read_lesson_text("---\nneeds: " + other + "\n---\n# A\n", "a", {})).mistakes;
  };
  CHECK(needing("masks").empty());
  REQUIRE(needing("nothing-such").size() == 1);
  CHECK(needing("nothing-such")[0].message.starts_with("there is no lesson called nothing-such"));
  REQUIRE(read.mistakes.size() == 2);
  CHECK(line_of("f", read.mistakes[0]) == "f:2:1: “titel” is nothing that is said of a lesson: did you mean title?");
  CHECK(line_of("f", read.mistakes[1]) == "f:3:8: takes is a number of minutes, such as 8 minutes");
}

TEST_CASE("a lesson in the window: asked, answered, gone back over, left") {
  const Scratch scratch;
  const fs::path file = written(scratch, beginning + good);
  Driver driver;
  const auto before = driver.model().document.experiment;
  act(driver, OpenLesson{file});
  const Learner& learner = driver.model().learner;
  REQUIRE(learner.played);
  CHECK(driver.model().screen == Screen::lessons);
  CHECK(driver.widget("lesson/title").value == "One");
  CHECK(driver.widget("lesson/question").value == "Its share of itself?");
  CHECK_FALSE(driver.shows("lesson/truth"));
  CHECK_FALSE(driver.shows("lesson/text/4"));  // what stands behind the question

  // Nothing of it is said to a number that is none.
  act(driver, AnswerLesson{"many"});
  CHECK(driver.widget("lesson/note").value == "a number is asked for, such as 4 or 0.62.");
  driver.click("lesson/hint");
  CHECK(driver.widget("lesson/hint/0").value == "34.3 of 55.3.");
  driver.click("lesson/number");
  driver.type("1");
  driver.click("lesson/answer");
  CHECK(driver.widget("lesson/said").value == "1");
  CHECK(driver.widget("lesson/truth").value == "0.62");
  CHECK(driver.widget("lesson/truth").state.empty());
  CHECK(driver.widget("lesson/reply").value == "Nothing is thrown away.");
  CHECK(driver.widget("lesson/because").value == "It is 0.62.");
  CHECK(driver.widget("lesson/text/4").value == "All three: (0.31, 0.07, 0.62).");

  act(driver, AskAgainInLesson{});
  CHECK_FALSE(driver.shows("lesson/truth"));
  act(driver, AnswerLesson{"0,61"});  // within what is right, and as some write it
  CHECK(driver.widget("lesson/truth").state == "right");
  CHECK_FALSE(driver.shows("lesson/reply"));

  driver.press(Key::space);
  CHECK(driver.widget("lesson/title").value == "Two");
  // A mistake is told, undone, and the deed is seen when it is done.
  driver.session().act(*parse_action(R"(edit {"array": "x_q", "at": [0, 0, 0], "set": 3})"));
  driver.settle();
  CHECK_FALSE(answered(driver.model()));
  driver.click("lesson/undo");
  driver.session().act(*parse_action(R"(edit {"array": "x_q", "at": [0, 0, 1], "set": 3})"));
  driver.settle();
  REQUIRE(answered(driver.model()));
  CHECK(answered(driver.model())->right);
  CHECK(driver.widget("lesson/done").value == "Done.");
  driver.press(Key::left);
  CHECK(driver.widget("lesson/title").value == "One");
  CHECK(driver.widget("lesson/truth").state == "right");  // what was answered stays
  driver.press(Key::escape);
  CHECK_FALSE(learner.played);
  CHECK(driver.model().document.experiment == before);
  CHECK(learner.progress.at("small").step == 0);
}

TEST_CASE("a lesson can be explored from where it stands, and undo leads back") {
  const Scratch scratch;
  const fs::path file = written(scratch, beginning + good);
  Driver driver;
  const auto before = driver.model().document.experiment;
  act(driver, OpenLesson{file});
  act(driver, ExploreLesson{});
  CHECK(driver.model().screen == Screen::explore);
  CHECK(driver.model().document.look.step == "weights");
  CHECK(driver.model().document.experiment != before);
  act(driver, Undo{});
  CHECK(driver.model().document.experiment == before);
}

TEST_CASE("the window follows the file of a lesson, and keeps the last good one") {
  const Scratch scratch;
  const fs::path file = written(scratch, beginning + good);
  Driver driver;
  act(driver, OpenLesson{file});
  act(driver, MoveInLesson{1});
  const auto wait_for = [&](const auto& so) {
    for (int i = 0; i < 400 && !so(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      driver.settle();
    }
    return so();
  };
  written(scratch, beginning + good + "\n{0.1 = weights[runs, runs]}\n");
  CHECK(wait_for([&] { return !driver.model().learner.problem.empty(); }));
  CHECK(driver.shows("lesson/problem"));
  CHECK(driver.widget("lesson/title").value == "Two");
  std::string other = beginning + good;
  other.replace(other.find("# Two"), 5, "# Then");
  written(scratch, other);
  CHECK(wait_for([&] { return driver.model().learner.problem.empty(); }));
  CHECK(driver.widget("lesson/title").value == "Then");
}

TEST_CASE("what a step keeps as it is cannot be done in it") {
  const Scratch scratch;
  std::string text = beginning + good;
  text.insert(text.find("``` ask do"), "``` lock\nparam\n```\n\n");
  Driver driver;
  act(driver, OpenLesson{written(scratch, text)});
  act(driver, MoveInLesson{1});
  const auto before = driver.model().document.experiment;
  act(driver, *parse_action("param mask causal"));
  CHECK(driver.model().document.experiment == before);
  CHECK(driver.widget("lesson/note").value == "This step keeps that as it is.");
  CHECK_FALSE(driver.shows("notice/0"));  // it is said once, where it was done
}

TEST_CASE("what cannot be run in a lesson is said in it") {
  const Scratch scratch;
  Driver driver;
  act(driver, OpenLesson{written(scratch, beginning + good)});
  act(driver, *parse_action("param kv_heads 2"));
  REQUIRE(driver.model().error == "kv_heads 2 does not divide heads 1: use 1");
  CHECK(driver.widget("error").value == driver.model().error);
  act(driver, *parse_action("param kv_heads 1"));
  CHECK_FALSE(driver.shows("error"));
}

TEST_CASE("what could not be written is said in the lesson that asked for it") {
  const Scratch scratch;
  Driver driver;
  const fs::path folder = scratch / "gone";
  fs::create_directory(folder);
  act(driver, Save{folder / "experiment.headlight"});
  act(driver, OpenLesson{written(scratch, beginning + good)});
  fs::remove_all(folder);
  act(driver, PrintLesson{});
  REQUIRE(shows_lesson(driver.model()));
  REQUIRE_FALSE(driver.model().notices.empty());
  const std::size_t last = driver.model().notices.size() - 1;
  REQUIRE(driver.model().notices[last].level == Notice::Level::error);
  CHECK(driver.widget(fmt::format("notice/{}", last)).value == driver.model().notices[last].text);
}

TEST_CASE("a lesson that was printed is said to be there, and no longer under way") {
  const Scratch scratch;
  Driver driver;
  act(driver, Save{scratch / "experiment.headlight"});
  act(driver, OpenLesson{written(scratch, beginning + good)});
  act(driver, PrintLesson{});
  const auto says = [&](const std::string& words) {
    return std::ranges::any_of(driver.model().notices,
                               [&](const Notice& notice) { return notice.text.find(words) != std::string::npos; });
  };
  CHECK(says(" has the lesson"));
  CHECK_FALSE(says("Printing"));
}

TEST_CASE("however many notes there are, a lesson's text keeps most of the height") {
  const Scratch scratch;
  Driver driver(1366, 768);
  act(driver, Save{scratch / "experiment.headlight"});
  act(driver, OpenLesson{written(scratch, beginning + good)});
  for (int i = 0; i < 25; ++i) act(driver, PrintLesson{});  // each to a name of its own
  REQUIRE(driver.model().notices.size() > 20);
  CHECK(driver.widget("lesson/note").rect.y > 768.0F / 2);  // that of the oldest that is drawn
}

TEST_CASE("what was done before a lesson can still be undone after it") {
  const auto text = [](const Driver& driver) { return std::get<TextInput>(*driver.model().input("x_q")).text; };
  for (const bool explores : {false, true}) {
    INFO(explores);
    Driver driver;
    const std::string first = text(driver);
    act(driver, SetText{"x_q", "one two", false});
    act(driver, OpenLesson{shipped / "masks.lesson.md"});
    act(driver, MoveInLesson{1});
    act(driver, explores ? Action(ExploreLesson{}) : Action(LeaveLesson{}));
    if (explores) act(driver, Undo{});
    CHECK(text(driver) == "one two");
    act(driver, Undo{});
    CHECK(text(driver) == first);
    act(driver, Redo{});
    CHECK(text(driver) == "one two");
  }
}

TEST_CASE("a lesson that is being opened is let go by Esc, and another opens after it") {
  Driver driver(1600, 1000);
  driver.session().act(ShowScreen{Screen::lessons});
  driver.settle();
  driver.session().act(OpenLesson{shipped / "a-head-is-born.lesson.md"});
  CHECK(driver.model().learner.opening);
  driver.press(Key::escape);
  CHECK_FALSE(driver.model().learner.opening);
  driver.settle();
  CHECK_FALSE(driver.model().learner.played);
  CHECK(driver.model().screen == Screen::lessons);
  driver.session().act(OpenLesson{shipped / "masks.lesson.md"});
  driver.settle();
  REQUIRE(driver.model().learner.played);
  CHECK(driver.model().learner.played->lesson->name == "masks");
}

TEST_CASE("the shipped lessons go from their first step to their last by the keyboard, in large type and small") {
  for (const auto& [width, height, scale] : {std::tuple{1280.0F, 720.0F, 1.0F}, {1600.0F, 1000.0F, 2.0F}}) {
    Driver driver(width, height, scale);
    for (const auto& entry : fs::directory_iterator(shipped)) {
      if (!is_lesson_file(entry.path())) continue;
      INFO(entry.path());
      act(driver, OpenLesson{entry.path()});
      REQUIRE(driver.model().learner.played);
      const auto steps = driver.model().learner.played->steps.size();
      act(driver, GoInLesson{0});
      for (std::size_t i = 0; i < steps; ++i) {
        INFO(i);
        CHECK(driver.model().learner.step == i);
        if (awaits_answer(driver.model())) act(driver, SolveInLesson{});
        CHECK_FALSE(awaits_answer(driver.model()));
        for (const auto& text : driver.log().texts) CHECK(text.text.find("{") == std::string::npos);
        driver.press(Key::space);
      }
      CHECK_FALSE(driver.model().learner.played);
    }
  }
}
