// What a class is asked besides which key wins: held to runs with and without the change, to the heads' maps and to the
// weights of the row; and questions that the notes ask.
#include "app/actions/slide_questions.h"

#include <cmath>
#include <set>

#include "app/lessons/note_question.h"
#include "app/reading/questions/other_questions.h"
#include "engine/variants/variant.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

double weight(const Trace& trace, Index head, Index query, Index key) {
  const Tensor& map = trace.map()->tensor();
  return static_cast<double>(map[(head * map.dim(-2) + query) * map.dim(-1) + key]);
}

// "0.95": as the class reads it.
std::string hundredths(double number) {
  return fmt::format("{:.2f}", number);
}

std::size_t rights(const Question& question) {
  return static_cast<std::size_t>(std::ranges::count_if(question.choices, &CandidateKey::right));
}

const std::string notes =
    "Begin here.\n\n``` ask choice\nWhy does *cat* look at *sat*?\n- it is near\n- it came after the first *cat* if "
    "weights[h2, \"cat\"#2, sat] > 0.5\n- it is a verb\nbecause: It gives {0.95 = weights[h2, \"cat\"#2, sat]}.\n```\n"
    "Then go on.";

}  // namespace

TEST_CASE("more or less is what a run with the change says, and its map is shown with the answer") {
  Driver driver(1920, 1080);
  act(driver, SetHead{2});
  act(driver, Select{{9, 3}, true});
  driver.press(Key::f5);
  std::set<std::string> changes, answers;
  for (const std::string& id : slide_question_ids(driver.model())) {
    if (!run_change(id)) continue;
    INFO(id);
    changes.insert(id);
    act(driver, AskAboutSlide{id});
    const Question question = question_of_slide(driver.model());
    REQUIRE(question.about == AskAbout::change);
    REQUIRE(question.choices.size() == 3);
    CHECK(rights(question) == 1);
    const auto changed = changed_experiment(driver.model(), id);
    REQUIRE(changed);
    const RanExperiment run = ran(*changed);
    CHECK(question.before == weight(*driver.model().trace(), 2, 9, 3));
    CHECK(question.after == weight(*run.trace, 2, 9, 3));
    const std::string before = hundredths(question.before), after = hundredths(question.after);
    std::string right = after == before ? "the same" : "less";
    if (std::stod(after) > std::stod(before)) right = "more";
    CHECK(question.choices[question.winner].name == right);
    answers.insert(right);
    // Nothing of the row is hidden, for it is what the question is about.
    CHECK(driver.widget("present/map").rect.w > 0);
    driver.press(Key::page_down);
    CHECK(driver.widget("present/title").value.find(question.happens) != std::string::npos);
    driver.press(Key::page_up);
    CHECK(driver.widget("present/title").value.find(question.happens) == std::string::npos);
  }
  // A row that sees one key says so, whatever is asked of it.
  act(driver, AskAboutSlide{"scale-off"});
  act(driver, Ask{0});
  CHECK(question_of_slide(driver.model()).choices.empty());
  CHECK(question_of_slide(driver.model()).why_none == "This row sees one key alone: there is nothing to choose.");
  CHECK(changes == std::set<std::string>{"scale-off", "temperature-2", "no-mask", "positions-off", "head-off"});
  CHECK(answers.contains("less"));
  CHECK(answers.contains("the same"));
}

TEST_CASE("which head it is, is one that has this map") {
  std::size_t asked = 0;
  for (const Variant* variant : all_variants())
    for (const std::string& json : variant->samples()) {
      const RanExperiment run = ran(parse_experiment(json, HEADLIGHT_SOURCE_DIR "/assets/examples", ""));
      const Step* map = run.trace->map();
      if (!map) continue;
      for (Index head = 0; head < heads_of(*map); ++head) {
        INFO(json << " head " << head);
        const Question question = head_question(*run.trace, *map, {0, head, 0});
        CHECK(question.choices.empty() != question.why_none.empty());
        if (question.choices.empty()) continue;
        ++asked;
        std::set<std::string> names;
        for (const auto& choice : question.choices) names.insert(choice.name);
        CHECK(names.size() == question.choices.size());
        const std::string& name = run.trace->heads[static_cast<std::size_t>(head)].name;
        CHECK(std::ranges::any_of(question.choices, [&](const auto& c) { return c.right && c.name == name; }));
        CHECK(rights(question) < question.choices.size());
      }
    }
  CHECK(asked >= 8);
  Driver driver(1920, 1080);
  act(driver, SetHead{2});
  driver.press(Key::f5);
  act(driver, AskAboutSlide{"head"});
  act(driver, Cover{false, Covered::head});
  CHECK(driver.widget("present/title").value == "Head 2");  // whatever else is shown
  driver.press(Key::page_down);
  CHECK(driver.widget("present/title").value == "Head 2: Induction");
}

TEST_CASE("what a row becomes is in the shares of its weights, and every other answer is not") {
  const RanExperiment run = ran(example_experiment());
  const Step& map = *run.trace->map();
  std::size_t asked = 0;
  for (Index head = 0; head < 8; ++head)
    for (Index query = 0; query < 12; ++query) {
      INFO("head " << head << " query " << query);
      const RowOf row{0, head, query};
      const Question question = mix_question(question_of(*run.trace, map, row, {}), *run.trace, row);
      if (question.choices.empty()) continue;
      ++asked;
      CHECK(rights(question) == 1);
      std::set<std::string> names;
      for (const auto& choice : question.choices) {
        names.insert(choice.name);
        // "95 % sat, 5 % ⟨s⟩": the first share is that of a key of this name.
        const auto space = choice.name.find(" % ");
        REQUIRE(space != std::string::npos);
        const double share = std::stod(choice.name.substr(0, space)) / 100;
        const std::string key = choice.name.substr(space + 3, choice.name.find(',') - space - 3);
        bool holds = false;
        for (Index k = 0; k < 12; ++k)
          holds = holds || ((label_of(&map.info.axes[3], k, 0) == key ||
                             fmt::format("{} ({})", label_of(&map.info.axes[3], k, 0), k) == key) &&
                            std::abs(weight(*run.trace, head, query, k) - share) < 0.0051);
        if (choice.right) CHECK(holds);
        if (choice.name.find(',') == std::string::npos && !choice.right && choice.relation != "equal parts")
          CHECK_FALSE(holds);
      }
      CHECK(names.size() == question.choices.size());
    }
  CHECK(asked > 60);
}

TEST_CASE("the notes ask the first question, and who presents does not read it twice") {
  Experiment experiment = example_experiment();
  experiment.notes = notes;
  Driver driver(1920, 1080, 1, experiment);
  driver.lay_notes({1920, 0, 1366, 768});
  driver.press(Key::f5);
  driver.press(Key::i);
  CHECK(slide_question_id(driver.model()) == "own-1");
  const Question question = question_of_slide(driver.model());
  CHECK(question.asked == "Why does cat look at sat?");
  REQUIRE(question.choices.size() == 3);
  CHECK(question.winner == 1);
  CHECK(driver.widget("notes/written").value == "Begin here.\n\nThen go on.");
  CHECK(driver.widget("notes/choice/B").state == "winner");
  driver.press(Key::b, {.shift = true});
  driver.press(Key::b);
  CHECK(driver.model().present.slides[0].answer == 2);
  driver.press(Key::page_down);
  CHECK(driver.widget("present/choice/B").state == "selected");
  // Another question begins without answer and hands, and back again.
  driver.press(Key::page_up);
  driver.press(Key::q);
  CHECK(slide_question_id(driver.model()) == "winner");
  CHECK(driver.model().present.slides[0].answer == 0);
  CHECK(driver.model().present.slides[0].hands.empty());
  driver.press(Key::q, {.shift = true});
  CHECK(slide_question_id(driver.model()) == "own-1");
  driver.press(Key::q, {.shift = true});
  CHECK(slide_question_id(driver.model()) == "head");
  act(driver, AskAboutSlide{"own-7"});  // what is not there is not asked
  CHECK(slide_question_id(driver.model()) == "head");
}

TEST_CASE("a question of the notes about a row hides that row until the answer") {
  Experiment experiment = example_experiment();
  const std::string asks = "``` ask choice\nWhere to?\n- sat if 1 = 1\n- on\nrow: ";
  experiment.notes = asks + "\"cat\"#2\n```\n";
  Driver driver(1920, 1080, 1, experiment);
  driver.press(Key::f5);
  const auto shows = [&](const std::string& words, Type type) {
    return std::ranges::any_of(driver.log().texts,
                               [&](const LoggedText& text) { return text.text == words && text.type == type; });
  };
  CHECK(look_of_slide(driver.model()).selection.query == 9);
  CHECK(question_of_slide(driver.model()).of_row);
  CHECK(shows("?", Type::presenter_label));
  driver.press(Key::page_down);
  CHECK_FALSE(shows("?", Type::presenter_label));
  CHECK(shows("to?", Type::presenter_strong));  // it stays beside its answer
  // Without a row nothing is hidden.
  experiment.notes = "``` ask choice\nWhere to?\n- sat if 1 = 1\n- on\n```\n";
  Driver open(1920, 1080, 1, experiment);
  open.press(Key::f5);
  CHECK_FALSE(question_of_slide(open.model()).of_row);
  const RanExperiment run = ran(example_experiment());
  const auto wrong = questions_in_notes(asks + "dog\n```\n", {run.experiment, run.trace});
  REQUIRE_FALSE(wrong.at(0));
  CHECK(wrong[0].error().message.starts_with("notes:5:1: no query is called “dog”"));
}

TEST_CASE("what is wrong with a question of the notes is one line with its place") {
  const RanExperiment run = ran(example_experiment());
  const LessonRun shown{run.experiment, run.trace};
  const auto error = [&](const std::string& text) {
    const auto all = questions_in_notes(text, shown);
    REQUIRE(all.size() == 1);
    return all[0] ? std::string("none") : all[0].error().message;
  };
  CHECK(error(notes) == "none");
  CHECK(error("``` ask number\nHow much?\nanswer: 1\n```") ==
        "notes:1:1: a class answers with A to D: write “ask choice” and lines that begin with “-”");
  CHECK(error("\n``` ask choice\nWhy?\n- a\n- b\nanswer: weighs\n```").starts_with("notes:6:9: "));
  CHECK(error("``` ask choice\nWhy?\n```") == "notes:1:1: answers are missing: lines that begin with “-”");
  CHECK(error("``` ask choice\nWhy?\n- a\n- b\n- c\n- d\n- e\nanswer: 1\n```").find("four answers at most") !=
        std::string::npos);
  CHECK(error("``` ask choice\nWhy?\n- {0.1 = weights[h2, q9, k3]} if 1 = 1\n- b\n```") ==
        "notes:3:4: this says 0.1: it is 0.952");
  CHECK(questions_in_notes("no questions\n``` python\nask\n```", shown).empty());
  CHECK(count_questions_in_notes(notes + "\n" + notes) == 2);
  CHECK(notes_without_questions("``` ask choice\nnever closed").empty());
}
