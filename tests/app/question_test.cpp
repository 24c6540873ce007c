// What a class is asked is held to the trace: the winner is the largest weight that the row sees, what stands beside it
// is seen too, and where nobody wins alone nothing is asked.
#include "app/reading/questions/question.h"

#include <algorithm>
#include <cmath>

#include "app/reading/cell_trace.h"
#include "app/reading/slice.h"
#include "engine/run/inputs.h"
#include "tests/catch.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// By the explanations alone, cell by cell: what each key of the row weighs, as far as it is seen.
std::vector<std::pair<Index, double>> seen_keys(const Trace& trace, const RowOf& of) {
  const Step& map = *trace.map();
  const Slice slice = slice_of(map, {.batch = of.batch, .head = of.head, .flat = true});
  const Index row = *selected_along(slice.rows, {.query = of.query});
  std::vector<std::pair<Index, double>> seen;
  for (Index key = 0; key < slice.matrix.columns; ++key)
    if (const Index cell = slice.cell_at(row, key); why_masked(trace, map, cell).empty())
      seen.emplace_back(key, map.tensor()[cell]);
  return seen;
}

void check(const Trace& trace, const RowOf& of, const PositionWords& words = {}) {
  const auto seen = seen_keys(trace, of);
  const Question question = question_of(trace, *trace.map(), of, words);
  std::vector<double> weights;
  bool finite = true;
  for (const auto& [key, weight] : seen) {
    weights.push_back(weight);
    finite = finite && std::isfinite(weight);
  }
  std::ranges::sort(weights, std::greater());
  const bool wins = finite && seen.size() > 1 && weights[0] - weights[1] > 1e-6 * std::abs(weights[0]);
  INFO("head " << of.head << ", query " << of.query << ": " << question.why_none);
  REQUIRE(question.choices.empty() != wins);
  REQUIRE(question.why_none.empty() == wins);
  if (!wins) return;
  CHECK(question.choices.size() == std::min(seen.size(), most_choices));
  CHECK(question.choices[question.winner].weight == weights[0]);
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const auto& choice = question.choices[i];
    const auto found = std::ranges::find(seen, choice.key, &std::pair<Index, double>::first);
    REQUIRE(found != seen.end());
    CHECK(choice.weight == found->second);
    CHECK((i == question.winner) == (choice.weight == weights[0]));
    CHECK((i == 0 || question.choices[i - 1].key < choice.key));
    CHECK_FALSE(choice.relation.empty());
  }
}

RanExperiment run_json(const std::string& json) {
  return ran(parse_experiment(json, HEADLIGHT_SOURCE_DIR "/assets/examples", "test"));
}

std::string text_experiment(const std::string& text, const std::string& more) {
  return fmt::format(R"({{"headlight": 1, "variant": "multi_head", "params": {{"heads": 2, "d_head": 4{}}},
                         "inputs": {{"x_q": {{"text": "{}"}}}}, "weights": {{"init": "xavier_normal", "seed": 3}}}})",
                     more, text);
}

}  // namespace

TEST_CASE("every row of the sentence asks for its largest weight") {
  const auto run = ran(example("causal"));
  const Step& map = *run.trace->map();
  for (Index head = 0; head < run.problem->extent(AxisRole::head); ++head) {
    for (Index query = 0; query < map.axis(AxisRole::query)->size; ++query) check(*run.trace, {0, head, query});
    const auto told = example_query(*run.trace, map, 0, head);
    REQUIRE(told);
    CHECK(question_of(*run.trace, map, {0, head, *told}, {}).choices.size() == most_choices);
  }
}

TEST_CASE("the row that is asked about is one that the head's sentence is about") {
  const auto run =
      run_json(R"({"headlight": 1, "variant": "multi_head", "params": {"heads": 8, "d_head": 8, "mask": "causal",
      "positions": "sinusoidal"}, "inputs": {"x_q": {"text": "to be or not to be"}}, "weights": {"init": "textbook"}})");
  const Step& map = *run.trace->map();
  for (std::size_t head = 0; head < run.trace->heads.size(); ++head) {
    INFO(run.trace->heads[head].name);
    const auto told = example_query(*run.trace, map, 0, static_cast<Index>(head));
    REQUIRE(told);
    CHECK(*told >= 2);
    if (run.trace->heads[head].need == KeyNeed::after_same_word) CHECK((*told == 5 || *told == 6));
  }
  // Without a mask, too, the start token is not asked what it looks at.
  const auto shells = run_json(R"({"headlight": 1, "variant": "multi_head", "params": {"heads": 8, "d_head": 8,
      "positions": "sinusoidal"}, "inputs": {"x_q": {"text": "she sells sea shells"}}, "weights": {"init": "textbook"}})");
  for (Index head = 0; head < 8; ++head) CHECK(example_query(*shells.trace, *shells.trace->map(), 0, head) != 0);
}

TEST_CASE("what weighs nearly as much as the winner is right, too") {
  Question question;
  question.choices.resize(3);
  question.choices[0].weight = 0.485;
  question.choices[1].weight = 0.491;
  question.choices[2].weight = 0.024;
  question.winner = 1;
  CHECK(question.wins(0));
  CHECK(question.wins(1));
  CHECK_FALSE(question.wins(2));
}

TEST_CASE("choices say what they are to the word that asks") {
  const auto run = ran(example_experiment());
  const Step& map = *run.trace->map();
  Index induction = 0;
  while (run.trace->heads[static_cast<std::size_t>(induction)].need != KeyNeed::after_same_word) ++induction;
  const Question question = question_of(*run.trace, map, {0, induction, 9}, {.one = "word"});
  CHECK(question.asker == "cat");
  CHECK(question.nth == 2);
  std::vector<std::string> said;
  for (const auto& choice : question.choices)
    said.push_back(fmt::format("{} {}: {}", choice.name, choice.number, choice.relation));
  CHECK(said == std::vector<std::string>{"the 1: the first word", "cat 2: the same word, earlier",
                                         "sat 3: what came after it", "the 8: the word just before"});
  CHECK(question.winner == 2);
}

TEST_CASE("rows that see few keys, or whose keys weigh the same, ask for less or for nothing") {
  const auto causal = run_json(text_experiment("one two three four five", R"(, "mask": "causal")"));
  for (Index query = 0; query < 6; ++query) {
    check(*causal.trace, {0, 0, query});
    const auto choices = question_of(*causal.trace, *causal.trace->map(), {0, 0, query}, {}).choices.size();
    CHECK(choices == (query == 0 ? 0U : std::min<std::size_t>(static_cast<std::size_t>(query) + 1, 4)));
  }
  // Words that are alike, without positions: the same weight for each.
  const auto same = run_json(R"({"headlight": 1, "variant": "multi_head", "params": {"heads": 1, "d_head": 4},
      "inputs": {"x_q": {"text": "cat cat cat", "start_token": false}}, "weights": {"init": "xavier_normal"}})");
  const Question tie = question_of(*same.trace, *same.trace->map(), {0, 0, 1}, {});
  CHECK(tie.choices.empty());
  CHECK(tie.why_none == "cat (0) and cat (1) have the same weight: no key of this row wins alone.");
  CHECK_FALSE(example_query(*same.trace, *same.trace->map(), 0, 0));
  const Question none = question_of(*same.trace, *same.trace->map(), {0, 0, 99}, {});
  CHECK(none.choices.empty());
  CHECK_FALSE(none.why_none.empty());
}

TEST_CASE("keys of another text, of a picture and of pooled places are described where they lie") {
  const auto cross = ran(example("cross-attention"));
  for (Index query = 0; query < cross.trace->map()->axis(AxisRole::query)->size; ++query)
    check(*cross.trace, {0, 0, query}, {.one = "word", .one_sequence = false});
  const auto last = cross.trace->map()->axis(AxisRole::query)->size - 1;
  for (const auto& choice : question_of(*cross.trace, *cross.trace->map(), {0, 0, last}, {"word", false}).choices)
    CHECK(choice.relation.find("just") == std::string::npos);

  const auto picture = ran(example("relative"));
  const Step& map = *picture.trace->map();
  const auto told = example_query(*picture.trace, map, 0, 0);
  REQUIRE(told);
  check(*picture.trace, {0, 0, *told}, {.one = "place"});
  const Grid& grid = *map.axis(AxisRole::query)->grid;
  for (const auto& choice : question_of(*picture.trace, map, {0, 0, *told}, {.one = "place"}).choices) {
    INFO(choice.name << ": " << choice.relation);
    CHECK(choice.name == fmt::format("row {}, column {}", choice.key / grid.columns, choice.key % grid.columns));
    const Index down = choice.key / grid.columns - *told / grid.columns,
                right = choice.key % grid.columns - *told % grid.columns;
    if (down == 0 && right == 0) CHECK(choice.relation == "the place itself");
    if (down > 0) CHECK(choice.relation.find(fmt::format("{} down", down)) == 0);
    if (down < 0) CHECK(choice.relation.find(fmt::format("{} up", -down)) == 0);
    if (right > 0) CHECK(choice.relation.find(fmt::format("{} right", right)) != std::string::npos);
    if (right < 0) CHECK(choice.relation.find(fmt::format("{} left", -right)) != std::string::npos);
  }
}

TEST_CASE("what stands beside the winner on a fine picture lies apart") {
  const auto run = ran(example("image"));
  const Step& map = *run.trace->map();
  const Grid& grid = *map.axis(AxisRole::query)->grid;
  REQUIRE(grid.rows >= 12);
  const Index query = grid.rows / 2 * grid.columns + grid.columns / 2;
  for (Index head = 0; head < map.extent(AxisRole::head); ++head) {
    const Question question = question_of(*run.trace, map, {0, head, query}, {.one = "place"});
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      const auto& choice = question.choices[i];
      if (choice.weight >= question.choices[question.winner].weight / 2) continue;  // it had to be among them
      INFO("head " << head << ": " << choice.relation);
      const Index down = choice.key / grid.columns - grid.rows / 2,
                  right = choice.key % grid.columns - grid.columns / 2;
      CHECK((down == 0 || std::abs(down) == grid.rows / 6));
      CHECK((right == 0 || std::abs(right) == grid.columns / 6));
    }
  }
}
