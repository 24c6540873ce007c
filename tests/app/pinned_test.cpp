// What is said of the pinned cell, of an input's channels and of a field that is empty: only what is so.
#include <algorithm>
#include <limits>

#include "app/reading/cell_trace.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/gui/null_backend.h"

using namespace headlight;
using namespace headlight::app;

namespace {

std::string hint(const Driver& driver) {
  return driver.widget("trace/hint").value;
}

bool says(const Driver& driver, const std::string& words) {
  return std::ranges::any_of(driver.log().texts,
                             [&](const LoggedText& text) { return text.text.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("Esc is said to release where it releases a cell that is shown") {
  Driver driver;
  driver.settle();
  CHECK(hint(driver) == "Esc releases");
  driver.press(Key::escape);
  driver.settle();
  CHECK(hint(driver) == "click a cell to pin");
  // A key alone is no cell of a map of pairs: pointing at others goes on working.
  driver.session().act(Select{{std::nullopt, 3}, true});
  driver.settle();
  CHECK(hint(driver) == "nothing kept");
  driver.move_to(driver.cell(5, 2));
  driver.settle();
  CHECK(driver.shows("trace/result"));
}

TEST_CASE("Enter pins a cell that is shown, the first where none is selected") {
  Driver driver;
  driver.press(Key::escape);
  driver.session().act(Select{{}, false});
  driver.move_to({1, 1});
  driver.settle();
  CHECK_FALSE(driver.shows("trace/result"));
  driver.press(Key::enter);
  driver.settle();
  CHECK(driver.shows("trace/result"));
  CHECK(hint(driver) == "Esc releases");
  CHECK(driver.model().document.look.selection.query == 0);
  CHECK(driver.model().document.look.selection.key == 0);
}

TEST_CASE("one token is one token, and an empty field says what to do") {
  Driver driver;
  driver.session().act(SetText{"x_q", ""});
  driver.settle();
  CHECK(says(driver, "1 token"));
  CHECK_FALSE(says(driver, "1 tokens"));
  CHECK(says(driver, "Type a sentence at the left"));
  CHECK_FALSE(driver.shows("heatmap"));
  driver.click("empty/example");
  CHECK(driver.model().dialog == Dialog::leave);  // there is something to undo
  driver.session().act(Decide{Decision::cancel});
  driver.session().act(SetText{"x_q", "an owl"});
  driver.settle();
  CHECK(driver.shows("heatmap"));
  CHECK(says(driver, "3 tokens"));
}

TEST_CASE("a long text whose first run is cancelled is not taken for an empty field") {
  Experiment experiment = example_experiment();
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "word ";
  std::get<TextInput>(experiment.inputs.at("x_q")).text = text;
  Session session(std::move(experiment), {}, {});
  session.act(Cancel{});
  REQUIRE(session.settle());
  REQUIRE_FALSE(session.model().trace());
  Driver driver;
  PanelMemory memory;
  NullPainter painter;
  driver.frame_of(session, memory, painter);
  CHECK(says(driver, "There is no result yet: the card above runs it again"));
  CHECK_FALSE(says(driver, "Type a sentence"));
}

TEST_CASE("the input says what its channels hold, as its numbers do") {
  for (const bool textbook : {true, false}) {
    Driver driver;
    if (!textbook) driver.session().act(SetWeights{"xavier_uniform", 0});
    driver.session().act(ShowStep{"x_q"});
    driver.settle();
    const Step& x = *driver.model().step();
    REQUIRE(x.info.id == "x_q");
    INFO(x.info.note);
    CHECK(x.info.note.find("Channels 0 to 11 are kept 0") != std::string::npos);
    CHECK(x.info.note.find("which word it is, the same numbers for the same word (16 to 22)") != std::string::npos);
    CHECK(x.info.note.find("23 is 5 in every token") != std::string::npos);
    const bool before = x.info.note.find("which word stood before (24 to 30)") != std::string::npos;
    const bool nothing = x.info.note.find("the others are 0") != std::string::npos;
    CHECK(before == textbook);
    CHECK(nothing == !textbook);
    const Tensor& values = x.tensor();
    for (Index i = 0; i < values.dim(1); ++i) {
      const float* row = values.data() + i * 32;
      for (Index c = 0; c < 12; ++c) CHECK(row[c] == 0);
      CHECK(row[15] == 3);
      CHECK(row[23] == 5);
      for (Index c = 0; c < 7; ++c) CHECK(row[24 + c] == (textbook && i > 0 ? row[16 + c - 32] : 0));
      CHECK(row[31] == (textbook && i == 0 ? 5 : 0));
    }
  }
}

TEST_CASE("a stage's steps are chosen by their titles, but for q, k and v") {
  Driver driver;
  driver.session().act(ShowStep{"x_q"});
  driver.settle();
  CHECK_FALSE(says(driver, "x_q"));
  driver.session().act(ShowStep{"k"});
  driver.settle();
  CHECK(driver.shows("stage_steps/k"));
  driver.session().act(ShowStep{"mask"});
  driver.settle();
  REQUIRE(driver.shows("stage_steps/masked_scores"));
  CHECK(std::ranges::none_of(driver.log().texts,
                             [](const LoggedText& text) { return text.text == "Masked scores" && text.cut; }));
}

TEST_CASE("a number beyond float32 is not said to be off by infinity") {
  Driver driver;
  driver.settle();
  Trace trace = *driver.model().trace();
  for (Step& step : trace.steps) {
    if (step.info.id != "scores") continue;
    Tensor values = step.tensor();
    values[0] = std::numeric_limits<float>::infinity();
    values[1] = std::numeric_limits<float>::quiet_NaN();
    step.values = std::make_shared<const Tensor>(std::move(values));
  }
  for (const Index cell : {0, 1}) {
    const CellTrace story = trace_cell(trace, *trace.find("scores"), cell);
    INFO(story.check);
    CHECK_FALSE(story.check_ok);
    CHECK(story.check.find("inf") == std::string::npos);
    CHECK(story.check.find("nan") == std::string::npos);
    CHECK(story.check.find("in double precision") != std::string::npos);
  }
}

TEST_CASE("labels of rows that have the room are whole") {
  Driver driver;
  driver.session().act(SetCross{true});
  driver.settle();
  for (const LoggedText& text : driver.log().texts) {
    INFO(text.text);
    CHECK_FALSE((text.cut && (text.text == "river" || text.text == "cold" || text.text == "was")));
  }
}

TEST_CASE("large type keeps the map's numbers and the choice of its scale") {
  Driver driver(1600, 1000, 2);
  driver.settle();
  CHECK(says(driver, ".95"));
  CHECK(driver.shows("scaling"));
  Driver small(1366, 768, 2);
  small.settle();
  CHECK(small.shows("scaling"));
  CHECK(small.widget("heatmap").rect.w > 400);
}
