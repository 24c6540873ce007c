// Copies of a lesson on paper: each has its own numbers, of which all that the lesson says is so, and the choices stand
// in other orders.
#include "app/session/lesson_copies.h"

#include <set>

#include "app/lessons/printing.h"
#include "app/session/lesson_play.h"
#include "app/session/lesson_print.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

ParsedLesson lesson_of(const std::string& draws, const std::string& check) {
  return read_lesson_text(fmt::format(R"(---
title: Small
{}---

``` experiment
{{"variant": "multi_head", "params": {{"heads": 1, "d_head": 2}},
  "inputs": {{"x_q": {{"array": [[[2, 0], [0, 2], [2, 1]]], "tokens": ["red", "fox", "runs"]}}}}, "weights": {{"init": "identity"}}}}
```

# One

*runs* is {{x_q[runs]}} and scores {{5.0 = scores[runs, runs]}}; *{{"runs" = argmax scores[runs, :]}}* wins.

``` show
step scores
row runs
```

``` ask choice
Who?
- red
- fox
- runs
answer: argmax scores[runs, :]
```

``` check
{}
```
)",
                                      draws, check),
                          "small", {});
}

}  // namespace

TEST_CASE("each copy has its own numbers, and the lesson's words are true of them") {
  const ParsedLesson read = lesson_of("draws: x_q from 0 to 3\n", "scores[runs, red] != scores[runs, fox]");
  for (const auto& mistake : check_lesson(read).mistakes) FAIL_CHECK(line_of("f", mistake));
  std::set<std::string> said;
  std::set<std::size_t> places;
  for (int number = 1; number <= 12; ++number) {
    const auto copy = lesson_copy(read, 7, number);
    REQUIRE(copy);
    REQUIRE(copy->mistakes.empty());
    const PlayedStep& step = copy->steps[0];
    const std::string words = plain_text(step.texts[0]);
    said.insert(words);
    const Tensor& x = step.asked.outcome.trace->find("x_q")->tensor();
    const Tensor& scores = step.asked.outcome.trace->find("scores")->tensor();
    CHECK(words.starts_with(fmt::format("runs is ({:.0f}, {:.0f}) and scores {:.1f}; ", x[4], x[5], scores[8])));
    for (Index i = 0; i < x.size(); ++i) CHECK((x[i] >= 0 && x[i] <= 3 && x[i] == std::round(x[i])));
    CHECK(scores[6] != scores[7]);
    // The right choice is the key with the largest score, wherever it stands now.
    const std::size_t right = step.truth->option;
    places.insert(right);
    const std::string name = copy->lesson->steps[0].ask->options[right].plain;
    CHECK(plain_text(step.question.options[right]) == name);
    const std::vector<std::string> names{"red", "fox", "runs"};
    for (std::size_t k = 0; k < 3; ++k)
      if (names[k] != name)
        CHECK(scores[6 + static_cast<Index>(k)] < scores[6 + std::ranges::find(names, name) - names.begin()]);
    CHECK(words.find(fmt::format("; {} wins.", name)) != std::string::npos);
  }
  CHECK(said.size() >= 10);
  CHECK(places.size() == 3);
  CHECK(plain_text(lesson_copy(read, 7, 1)->steps[0].texts[0]) == "runs is (2, 1) and scores 5.0; runs wins.");
  CHECK(plain_text(lesson_copy(read, 7, 5)->steps[0].texts[0]) ==
        plain_text(lesson_copy(read, 7, 5)->steps[0].texts[0]));
  CHECK(plain_text(lesson_copy(read, 8, 5)->steps[0].texts[0]) !=
        plain_text(lesson_copy(read, 7, 5)->steps[0].texts[0]));
}

TEST_CASE("what no numbers leave true is told, and so are draws of nothing") {
  const auto never = lesson_copy(lesson_of("draws: x_q from 0 to 3\n", "scores[runs, runs] = 200"), 1, 2);
  REQUIRE_FALSE(never);
  CHECK(never.error().message.starts_with(
      "200 draws of x_q break what the lesson says; the first in line 29: this does "));
  const auto mistake = [](const std::string& draws) {
    const auto mistakes = check_lesson(lesson_of(draws, "1 = 1")).mistakes;
    return mistakes.empty() ? std::string() : line_of("f", mistakes.front());
  };
  CHECK(mistake("draws: x_q 0 3\n") ==
        "f:3:8: draws names an input and a range of whole numbers, such as x_q from 0 to 3");
  CHECK(mistake("draws: x_q from 3 to 0\n").starts_with("f:3:8: draws names"));
  CHECK(mistake("draws: x_y from 0 to 3\n").starts_with("f:3:8: x_y is no input whose numbers are written out"));
}

TEST_CASE("on every copy a deed is still to be done, and its solution does it") {
  const ParsedLesson read = read_lesson_text(R"(---
draws: x_q from 0 to 3
---

``` experiment
{"variant": "multi_head", "params": {"heads": 1, "d_head": 2},
  "inputs": {"x_q": {"array": [[[2, 0], [0, 2], [2, 1]]], "tokens": ["red", "fox", "runs"]}}, "weights": {"init": "identity"}}
```

# One

``` ask do
Let *runs* look more at *fox*.
until: scores[runs, fox] > scores[runs, red]
solution: edit {"array": "x_q", "at": [0, 1, 0], "set": 9}
```
)",
                                             "small", {});
  for (const auto& mistake : check_lesson(read).mistakes) FAIL_CHECK(line_of("f", mistake));
  for (int number = 1; number <= 20; ++number) {
    const auto copy = lesson_copy(read, 1, number);
    REQUIRE(copy);
    const PlayedStep& step = copy->steps[0];
    const Tensor &asked = step.asked.outcome.trace->find("scores")->tensor(),
                 &done = step.answered.outcome.trace->find("scores")->tensor();
    CHECK(asked[7] <= asked[6]);
    CHECK(done[7] > done[6]);
  }
}

TEST_CASE("without draws the numbers stay, and the choices stand in other orders") {
  const ParsedLesson read = lesson_of("", "1 = 1");
  std::set<std::size_t> places;
  for (int number = 1; number <= 12; ++number) {
    const auto copy = lesson_copy(read, 1, number);
    REQUIRE(copy);
    CHECK(plain_text(copy->steps[0].texts[0]) == "runs is (2, 1) and scores 5.0; runs wins.");
    CHECK(copy->lesson->steps[0].ask->options[copy->steps[0].truth->option].plain == "runs");
    places.insert(copy->steps[0].truth->option);
  }
  CHECK(places.size() == 3);
}
