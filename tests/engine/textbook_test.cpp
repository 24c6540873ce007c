// The hand-made heads do what their names say, on sentences of several languages, measured on the weights of real runs.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "engine/inputs/text.h"
#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

constexpr const char* sentences[] = {
    "the cat sat on the mat because the cat was warm",
    "if you tell the truth you do not have to remember what you said to the man who asked you",
    "мама мыла раму и мама мыла окно а потом мама пила чай на кухне и мама пела",
    "η γάτα κάθεται στο χαλί γιατί η γάτα είναι ζεστή και η γάτα κοιμάται",
    "der Hund jagt die Katze und die Katze jagt die Maus weil der Hund die Katze jagt",
    "the cat the cat",  // 5 tokens
};

constexpr const char* long_text =
    "the miller had a cat and the cat had a basket by the stove where the old dog slept and when the miller went to "
    "the river the dog went with the miller but the cat stayed in the basket because the stove was warm and the river "
    "was cold and every night the cat told the stove what the dog had seen";

struct Run {
  std::shared_ptr<const Trace> trace;
  std::vector<std::string> tokens;
  Index n = 0;
  bool causal = true;

  Index last_key(Index query) const { return causal ? query : n - 1; }
  bool same_word(Index i, Index j) const {
    return tokens[static_cast<std::size_t>(i)] == tokens[static_cast<std::size_t>(j)];
  }
  double weight(Index head, Index query, Index key) const {
    return trace->find("weights")->tensor().at({0, head, query, key});
  }
  bool says(Index head, std::string_view words) const {
    return trace->heads[static_cast<std::size_t>(head)].sentence.find(words) != std::string::npos;
  }
};

struct Setting {
  std::string mask = "causal";
  std::string positions = "sinusoidal";
  bool start_token = true;
  Index d_model = 32;
  Index d_head = 8;
  std::string rotary = "none";
};

Run run_sentence(const std::string& text, std::uint64_t seed, const Setting& setting = {}) {
  Experiment experiment = example_experiment();
  auto& input = std::get<TextInput>(experiment.inputs["x_q"]);
  input.text = text;
  input.seed = seed;
  input.start_token = setting.start_token;
  input.d_model = setting.d_model;
  experiment.params.set("mask", setting.mask);
  experiment.params.set("positions", setting.positions);
  experiment.params.set("d_head", setting.d_head);
  experiment.params.set("rotary", setting.rotary);
  const auto problem = prepare(experiment, Budget{1e9});
  REQUIRE(problem);
  ThreadPool pool(1);
  Compute compute(pool);
  auto trace = run(*problem, compute);
  REQUIRE(trace);
  return {*trace, problem->labels.at("n_q"), problem->dim("n_q"), setting.mask == "causal"};
}

// Every sentence and the long text, three seeds, with and without the causal mask, with and without a start token.
template <class Body>
void for_every_run(Body body) {
  std::vector<const char*> texts(std::begin(sentences), std::end(sentences));
  texts.push_back(long_text);
  for (const char* text : texts)
    for (const std::uint64_t seed : {1, 2, 3})
      for (const char* mask : {"causal", "none"})
        for (const bool start_token : {true, false}) {
          INFO(text << ", seed " << seed << ", mask " << mask << ", start token " << start_token);
          body(run_sentence(text, seed, {.mask = mask, .start_token = start_token}));
        }
}

// Mean weight, over queries from `first` on, at the key `back` positions before.
double mean_at_offset(const Run& run, Index head, Index back, Index first) {
  double sum = 0;
  for (Index i = first; i < run.n; ++i) sum += run.weight(head, i, i - back);
  return sum / static_cast<double>(run.n - first);
}

}  // namespace

TEST_CASE("previous token and two back are diagonals") {
  for_every_run([](const Run& run) {
    CHECK(mean_at_offset(run, 0, 1, 1) > 0.6);
    CHECK(mean_at_offset(run, 5, 2, 2) > 0.6);
  });
}

TEST_CASE("same token stays with equal words") {
  for_every_run([](const Run& run) {
    double equal = 0;
    for (Index i = 0; i < run.n; ++i)
      for (Index j = 0; j <= run.last_key(i); ++j)
        if (run.same_word(i, j)) equal += run.weight(1, i, j);
    CHECK(equal / static_cast<double>(run.n) > 0.75);
  });
}

TEST_CASE("induction looks at what came after the same word before") {
  double worst_lift = 1e9, short_sum = 0, long_sum = 0;
  int short_count = 0, long_count = 0;
  for_every_run([&](const Run& run) {
    for (Index i = 1; i < run.n; ++i) {
      double after = 0;
      int places = 0;
      for (Index j = 1; j <= run.last_key(i); ++j)
        if (run.same_word(j - 1, i)) {
          after += run.weight(2, i, j);
          ++places;
        }
      const double uniform = static_cast<double>(places) / static_cast<double>(run.last_key(i) + 1);
      if (places == 0 || uniform > 0.3) continue;  // with so few others there is little to find
      worst_lift = std::min(worst_lift, after / uniform);
      (run.n <= 21 ? short_sum : long_sum) += after;
      ++(run.n <= 21 ? short_count : long_count);
    }
  });
  CHECK(short_count > 50);
  CHECK(short_sum / short_count > 0.7);
  CHECK(long_sum / long_count > 0.5);
  CHECK(worst_lift > 2);  // even where other words resemble it
}

TEST_CASE("the long text has 64 tokens") {
  CHECK(run_sentence(long_text, 1).n == 64);
}

TEST_CASE("the built-in example finds what came next") {
  const Run run = run_sentence(sentences[0], 1);
  CHECK(run.weight(2, 9, 3) > 0.8);
  CHECK(run.weight(2, 9, 3) < 0.97);
  CHECK(run.weight(2, 5, 2) > 0.8);
}

TEST_CASE("the sink takes the first token, with a start token and without") {
  for_every_run([](const Run& run) {
    for (Index i = 0; i < run.n; ++i) CHECK(run.weight(3, i, 0) > (run.n <= 21 ? 0.8 : 0.7));
  });
}

TEST_CASE("the local window is wide and near") {
  for_every_run([](const Run& run) {
    for (Index i = 4; i < run.n; ++i) {
      double near = 0, largest = 0;
      for (Index j = i - 4; j <= std::min(i + 4, run.last_key(i)); ++j) {
        near += run.weight(4, i, j);
        largest = std::max(largest, run.weight(4, i, j));
      }
      CHECK(near > 0.9);
      CHECK(largest < 0.5);
    }
  });
}

TEST_CASE("function words outweigh the others") {
  for_every_run([](const Run& run) {
    double on = 0, off = 0;
    int count_on = 0, count_off = 0;
    for (Index i = 0; i < run.n; ++i)
      for (Index j = 0; j <= run.last_key(i); ++j) {
        const bool function = is_function_word(run.tokens[static_cast<std::size_t>(j)]);
        (function ? on : off) += run.weight(6, i, j);
        ++(function ? count_on : count_off);
      }
    CHECK(on / count_on > 3 * off / count_off);
  });
}

TEST_CASE("broad stays near uniform") {
  for_every_run([](const Run& run) {
    for (Index i = 5; i < run.n; ++i)
      for (Index j = 0; j <= run.last_key(i); ++j)
        CHECK(run.weight(7, i, j) < 3.0 / static_cast<double>(run.last_key(i) + 1));
  });
}

TEST_CASE("without positions the positional heads are uniform and say so") {
  const Run run = run_sentence(sentences[0], 1, {.mask = "none", .positions = "none"});
  for (const Index head : {0, 4, 5, 7}) {
    CHECK(run.weight(head, 3, 7) == Approx(1.0 / 12).epsilon(1e-4));
    CHECK(run.says(head, "needs positions"));
  }
  CHECK_FALSE(run.says(3, "needs positions"));  // the start token has a flag
  CHECK(run.weight(3, 7, 0) > 0.8);
  CHECK(run.says(2, "needs positions"));
  for (Index i = 1; i < run.n; ++i) CHECK(run.weight(2, i, 0) > 0.8);
  const Run no_start = run_sentence(sentences[0], 1, {.mask = "none", .positions = "none", .start_token = false});
  for (const Index head : {2, 3}) {  // nothing marks what stands first
    CHECK(no_start.weight(head, 10, 0) == Approx(1.0 / 11).epsilon(1e-4));
    CHECK(no_start.says(head, "alike"));
  }
}

TEST_CASE("without positions nothing in the input knows the order, whatever weights") {
  const auto sorted_output = [](const char* text) {
    const Run run = run_sentence(text, 1, {.mask = "none", .positions = "none"});
    std::map<std::string, std::vector<float>> rows;
    const Tensor& output = run.trace->find("output")->tensor();
    for (Index i = 0; i < run.n; ++i)
      for (Index c = 0; c < output.dim(-1); ++c)
        rows[run.tokens[static_cast<std::size_t>(i)]].push_back(output.at({0, i, c}));
    return rows;
  };
  const auto one = sorted_output("dog bites man"), other = sorted_output("man bites dog");
  REQUIRE(one.size() == 4);
  for (const auto& [word, row] : one)
    for (std::size_t c = 0; c < row.size(); ++c) CHECK(other.at(word)[c] == Approx(row[c]).margin(1e-5));
}

TEST_CASE("heads that look for words score 8 where they find one and 5 at the first token") {
  const Run run = run_sentence(sentences[0], 1);
  const Tensor& scores = run.trace->find("scaled_scores")->tensor();
  for (const auto& [head, query, key] : {std::array<Index, 3>{2, 9, 3}, {2, 5, 2}, {1, 9, 2}, {1, 5, 1}}) {
    CHECK(scores.at({0, head, query, key}) == Approx(8).margin(0.05));
    CHECK(scores.at({0, head, query, 0}) == Approx(5).margin(0.05));
  }
  // What a division by √d, another temperature and softmax do is seen in the weights.
  CHECK(run.weight(2, 9, 3) > 0.9);
  Index low = 0, others = 0;
  for (Index i = 1; i < run.n; ++i)
    for (Index j = 1; j <= i; ++j)
      if (!run.same_word(j - 1, i)) {
        others += 1;
        low += scores.at({0, 2, i, j}) <= 2.05F;
      }
  CHECK(low > others * 9 / 10);
}

TEST_CASE("a row that finds no word rests on the first token, or the head says which words are alike") {
  Index resting = 0, said = 0;
  for (const char* text : sentences)
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Run run = run_sentence(text, seed);
      INFO(text << ", seed " << seed);
      const bool alike = run.says(2, "happen to be much alike");
      said += alike;
      for (Index i = 1; i < run.n; ++i) {
        bool found = false;
        for (Index j = 1; j <= i; ++j) found = found || run.same_word(j - 1, i);
        if (found) continue;
        ++resting;
        if (!alike) CHECK(run.weight(2, i, 0) > 0.5);
      }
    }
  CHECK(resting > 1000);
  CHECK(said > 0);
  CHECK(said < 160);
}

TEST_CASE("words that mean the same are found in the other text") {
  Experiment experiment = example_experiment();
  TextInput from, to;
  from.text = "the black cat sleeps";
  to.text = "die schwarze Katze schläft";
  const auto weights_of = [&](const std::string& means) {
    to.means = means;
    experiment.inputs["x_q"] = from;
    experiment.inputs["x_k"] = to;
    experiment.params.set("mask", std::string("none"));
    const auto problem = prepare(experiment, Budget{1e9});
    REQUIRE(problem);
    CHECK(problem->warnings.empty() == (means.find("nothing") == std::string::npos));
    ThreadPool pool(1);
    Compute compute(pool);
    const auto trace = run(*problem, compute);
    REQUIRE(trace);
    CHECK(((*trace)->heads[1].sentence.find("mean the same") != std::string::npos) == !means.empty());
    return (*trace)->find("weights")->tensor();
  };
  CHECK(weights_of("").at({0, 1, 3, 3}) < 0.1);
  for (const char* means : {"die = the, schwarze = black; Katze = cat\nschläft = sleeps",
                            "The=DIE, Black=Schwarze, cat = Katze = chat, sleeps = schläft, nothing"}) {
    const Tensor weights = weights_of(means);
    for (Index i = 1; i < 5; ++i) CHECK(weights.at({0, 1, i, i}) > 0.8);
  }
}

TEST_CASE("what a narrow head cannot do, its sentence says") {
  const Run one = run_sentence(sentences[0], 1, {.d_head = 1});
  for (const Index head : {0, 4, 5, 7}) {
    CHECK(one.weight(head, 11, 3) == Approx(1.0 / 12).epsilon(1e-4));
    CHECK(one.says(head, "looks at everything alike"));
  }
  CHECK(one.weight(3, 11, 0) > 0.8);  // a flag needs but one channel
  const Run two = run_sentence(sentences[0], 1, {.d_head = 2});
  CHECK(two.says(0, "only roughly"));
  CHECK(two.says(1, "takes some words for others"));
  const Run four = run_sentence(sentences[0], 1, {.d_head = 4});
  for (Index head = 0; head < 8; ++head) CHECK(four.says(head, "narrow") == (head == 1 || head == 2));
  CHECK(mean_at_offset(four, 0, 1, 1) > 0.6);
}

TEST_CASE("words are found again in embeddings of any width") {
  for (const Index d_model : {16, 24, 33, 64, 128}) {
    INFO("d_model " << d_model);
    const Run run = run_sentence(sentences[0], 1, {.d_model = d_model});
    CHECK(run.weight(2, 9, 3) > (d_model < 24 ? 0.65 : 0.7));
    CHECK(run.weight(2, 5, 2) > 0.7);
    CHECK(run.weight(1, 9, 2) + run.weight(1, 9, 9) > 0.7);
    CHECK(mean_at_offset(run, 0, 1, 1) > 0.6);
  }
}

TEST_CASE("where queries and keys are turned, heads find places by the turn and words by what hardly turns") {
  for (const char* rotary : {"half", "interleaved"})
    for (const char* mask : {"causal", "none"})
      for (const Index d_head : {8, 16, 64}) {
        INFO(rotary << " " << mask << " " << d_head);
        const Run run =
            run_sentence(sentences[0], 1, {.mask = mask, .positions = "none", .d_head = d_head, .rotary = rotary});
        const Run other =
            run_sentence(long_text, 2, {.mask = mask, .positions = "none", .d_head = d_head, .rotary = rotary});
        for (const Run* r : {&run, &other}) {
          CHECK(mean_at_offset(*r, 0, 1, 1) > 0.6);                          // previous token
          CHECK(mean_at_offset(*r, 5, 2, 2) > 0.6);                          // two back
          for (Index i = 0; i < r->n; ++i) CHECK(r->weight(3, i, 0) > 0.8);  // the first token
          double near = 0;
          for (Index i = 0; i < r->n; ++i)
            for (Index j = std::max<Index>(0, i - 4); j <= std::min(r->last_key(i), i + 4); ++j)
              near += r->weight(4, i, j);
          CHECK(near / static_cast<double>(r->n) > 0.85);  // the neighbourhood
        }
        for (const HeadInfo& head : run.trace->heads) CHECK_FALSE(head.name.empty());
        CHECK_FALSE(run.says(0, "needs positions"));
        if (d_head < 16) continue;                                                   // too few channels hardly turn
        CHECK(run.weight(2, 9, 3) + (run.causal ? 0 : run.weight(2, 9, 10)) > 0.7);  // what came after "cat"
        CHECK(run.weight(1, 9, 2) + run.weight(1, 9, 9) > 0.7);
      }
}

TEST_CASE("any number of heads of any width is made and named") {
  for (const Index heads : {1, 3, 20})
    for (const Index width : {1, 2, 3, 4, 16}) {
      Experiment experiment = example_experiment();
      experiment.params.set("heads", heads);
      experiment.params.set("d_head", width);
      const auto problem = prepare(experiment, Budget{1e9});
      REQUIRE(problem);
      CHECK(static_cast<Index>(problem->heads.size()) == heads);
      for (const auto& head : problem->heads) CHECK_FALSE(head.name.empty());
    }
}

TEST_CASE("heads that were made by hand claim nothing where an option changes what they do") {
  const std::vector<std::pair<std::string, ParamValue>> options{{"relative", std::string("alibi")},
                                                                {"rotary", std::string("half")},
                                                                {"qk_norm", std::string("l2")},
                                                                {"softcap", 2.0},
                                                                {"window_left", Index{3}},
                                                                {"window_dilation", Index{2}},
                                                                {"chunk", Index{4}},
                                                                {"temperature", 1.0}};
  for (const auto& [id, value] : options) {
    INFO(id);
    Experiment experiment = example_experiment();
    REQUIRE(experiment.params.set(id, value));
    const auto problem = prepare(experiment);
    REQUIRE(problem);
    CHECK(problem->heads.size() == 8);  // made by hand, whatever they do
    for (const HeadInfo& head : problem->heads) {
      CHECK(head.name.empty() == (id != "temperature"));
      CHECK(head.sentence.empty() == head.name.empty());
    }
  }
}

TEST_CASE("heads claim nothing where numbers of the run were set by hand") {
  Experiment experiment = example_experiment();
  experiment.edits.push_back({.array = "weights", .at = {}, .make = Edit::Make::uniform});
  auto problem = prepare(experiment);
  REQUIRE(problem);
  for (const HeadInfo& head : problem->heads) CHECK(head.name.empty());
  experiment.edits.front().on = false;
  problem = prepare(experiment);
  REQUIRE(problem);
  CHECK_FALSE(problem->heads.front().name.empty());
}

TEST_CASE("T5's table made by hand falls as ALiBi does, by the smallest distance of each bucket") {
  Experiment experiment = example_experiment();
  experiment.params.set("relative", std::string("t5"));
  experiment.params.set("buckets", Index{8});
  experiment.params.set("max_distance", Index{16});
  const auto problem = prepare(experiment, Budget{1e9});
  REQUIRE(problem);
  const Tensor* table = problem->find("bias_table");
  REQUIRE(table);
  REQUIRE(table->shape() == Shape{8, 8});
  // Four buckets a side: 0, 1, from 2 and, where 2 · ln(n/2) / ln 8 reaches 1, from 6; after the query from 1.
  const double nearest[] = {0, 1, 2, 6, 1, 1, 2, 6};
  for (Index bucket = 0; bucket < 8; ++bucket)
    for (Index m = 0; m < 8; ++m) CHECK(table->at({bucket, m}) == Approx(-std::pow(0.5, m + 1) * nearest[bucket]));
  for (const HeadInfo& head : problem->heads) CHECK(head.name.empty());
}
