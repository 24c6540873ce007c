// A step in sentences: of every variant, and of what is looked at in the window.
#include "app/reading/description.h"

#include <cmath>

#include "app/reading/printed.h"
#include "engine/io/experiment.h"
#include "engine/variants/variant.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the row and the cell that are chosen are said with the trace's numbers") {
  const RanExperiment run = ran(example_experiment());
  const Step& weights = *run.trace->find("weights");
  const std::string whole = describe(*run.trace, weights, {.head = 2});
  CHECK(whole.starts_with(
      "Attention weights of head 2, Induction: 12 queries by 12 keys. A mask hides 66 of the 144 cells.\n"));
  CHECK(has(whole, "Its queries are: ⟨s⟩ the cat sat on the mat because the cat was warm.\n"));
  CHECK(has(whole, "The largest is 1.000, from "));
  const std::string row = describe(*run.trace, weights, {.head = 2, .selection = {.query = 9}});
  CHECK(has(row, fmt::format("cat (9) gives {} to sat (3), ", number_text(weights.tensor()[(2 * 12 + 9) * 12 + 3]))));
  CHECK(has(row, "2 keys are hidden from it"));
  CHECK_FALSE(has(row, "At cat (9)"));
  const std::string cell = describe(*run.trace, weights, {.head = 2, .selection = {.query = 9, .key = 3}});
  CHECK(has(cell, "At cat (9) and sat (3) the weight is 0.9520: dot product "));
  const std::string hidden = describe(*run.trace, weights, {.head = 2, .selection = {.query = 3, .key = 9}});
  CHECK(has(hidden, "Sat (3) does not see cat (9): masked by causal: key 9 comes after query 3."));
  CHECK(has(describe(*run.trace, *run.trace->find("output"), {.selection = {.query = 9}}),
            "Induction: cat is made of 95 % sat, 5 % ⟨s⟩.\n"));
  CHECK(has(describe(*run.trace, weights, {.head = 2, .selection = {.query = 3}}), "sat (3) gives "));
}

TEST_CASE("every step of every variant is said in whole lines, and what is largest is") {
  std::size_t said = 0;
  for (const Variant* variant : all_variants())
    for (const std::string& json : variant->samples()) {
      const RanExperiment run = ran(parse_experiment(json, HEADLIGHT_SOURCE_DIR "/assets/examples", ""));
      for (const auto* list : {&run.trace->sources, &run.trace->steps})
        for (const Step& step : *list) {
          INFO(json << " " << step.info.id);
          const std::string whole = describe(*run.trace, step, {});
          CHECK(whole.ends_with(".\n"));
          CHECK_FALSE(has(whole, "\n\n"));
          CHECK_FALSE(has(whole, "  "));
          CHECK_FALSE(has(whole, ".."));
          CHECK_FALSE(has(whole, "nan"));
          const std::string row = describe(*run.trace, step, {.selection = {.query = 0, .key = 0, .channel = 0}});
          CHECK(row.ends_with(".\n"));
          if (step.axis(AxisRole::query)) CHECK(row != whole);
          ++said;
        }
    }
  CHECK(said > 500);
}

TEST_CASE("what is shown is copied as a description") {
  Driver driver(1600, 1000, 1, example_experiment());
  driver.session().act(ShowStep{"scores"});
  driver.settle();
  driver.session().act(CopyDescription{});
  driver.settle();
  CHECK(driver.clipboard().starts_with("Scores of head "));
}
