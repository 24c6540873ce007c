// Whatever the window shows is said in sentences, and the numbers in them are the run's.
#include "app/actions/view_description.h"

#include "app/reading/other_descriptions.h"
#include "app/reading/printed.h"
#include "engine/io/experiment.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("heads are said by their measures, which head has the most and which the least") {
  const RanExperiment run = ran(example_experiment());
  ThreadPool pool(1);
  Compute compute(pool);
  const auto measures = measure_heads(*run.trace, compute);
  REQUIRE(measures);
  const std::string words = describe_heads(*run.trace, *measures);
  CHECK(words.starts_with("8 heads, measured.\n"));
  const auto rows = measure_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& values = (*measures)[Measure(i)].values;
    if (values.empty() || !std::isfinite(values[0])) continue;
    const auto most = std::ranges::max_element(values) - values.begin();
    INFO(rows[i].title);
    CHECK(has(words, fmt::format("{}: the most in head {}, {}, {}", rows[i].title, most,
                                 run.trace->heads[static_cast<std::size_t>(most)].name,
                                 measure_text(values[static_cast<std::size_t>(most)]))));
  }
  Driver driver;
  act(driver, SetMode{ViewMode::heads});
  act(driver, CopyDescription{});
  CHECK(driver.clipboard() == words);
}

TEST_CASE("two results are said by where they differ most") {
  Driver driver;
  act(driver, SetHead{2});
  act(driver, ShowStep{"weights"});
  act(driver, HoldA{});
  driver.session().act(*parse_action("param temperature 4"));
  driver.settle();
  act(driver, ShowScreen{Screen::compare});
  act(driver, CopyDescription{});
  const std::string words = driver.clipboard();
  INFO(words);
  CHECK(words.starts_with("A is held, B is what is open.\nAttention weights: A and B differ most at "));
  const Tensor &a = driver.model().comparison.a.outcome.trace->find("weights")->tensor(),
               &b = driver.model().trace()->find("weights")->tensor();
  const Index n = a.dim(2), from = 2 * n * n;
  Index most = from;
  for (Index i = from; i < from + n * n; ++i)
    if (std::abs(b[i] - a[i]) > std::abs(b[most] - a[most])) most = i;
  CHECK(has(words, fmt::format(": {} in A, {} in B.\n", number_text(a[most]), number_text(b[most]))));
  CHECK(has(words, "The output changes by "));
  driver.session().act(*parse_action("param temperature 1"));
  driver.settle();
  act(driver, CopyDescription{});
  CHECK(has(driver.clipboard(), "Attention weights: A and B have the same numbers.\nThe output is the same.\n"));
}

TEST_CASE("a lesson's step is said with its question, and nothing that it hides") {
  const std::filesystem::path lesson =
      std::filesystem::path(HEADLIGHT_SOURCE_DIR) / "assets/lessons/one-row-by-hand.lesson.md";
  Driver driver;
  act(driver, OpenLesson{lesson});
  act(driver, GoInLesson{3});
  act(driver, CopyDescription{});
  CHECK(driver.clipboard().starts_with("Shares\nThe scores are 4, 2 and 5."));
  CHECK(has(driver.clipboard(), "What is the share of runs itself?\nA: .45\nB: .62\nC: 1.00\n"));
  CHECK(has(driver.clipboard(), "A part of the picture is hidden until this is answered.\n"));
  CHECK_FALSE(has(driver.clipboard(), "0.62"));
  act(driver, AnswerLesson{"A"});
  act(driver, CopyDescription{});
  CHECK(has(driver.clipboard(), "You said 0.45; it is 0.62.\n"));
}
