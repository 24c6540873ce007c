// Weights that were learned once: that they are what their examples say, do what their heads say, and are asked for in
// words that a reader understands. Whether they are what learning gives is asked by tools/make_trained.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/run/trained.h"
#include "tests/catch.h"
#include "tests/runs.h"

using namespace headlight;

namespace {

RanExperiment example_of(const std::string& id) {
  return ran(example("trained-" + id));
}

// The attention weights of an example, and what stands at its places.
struct Map {
  RanExperiment run;
  const Step& step;

  explicit Map(const std::string& id) : run(example_of(id)), step(*run.trace->find("weights")) {}

  const std::vector<std::string>& words(AxisRole role) const { return step.axis(role)->labels; }
  Index heads() const { return run.problem->extent(AxisRole::head); }
  float at(Index head, Index query, Index key) const {
    const Tensor& map = step.tensor();
    const Index queries = run.problem->extent(AxisRole::query), keys = map.size() / heads() / queries;
    return map[(head * queries + query) * keys + key];
  }
  // What a query gives to the keys that are meant.
  float on(Index head, Index query, const std::function<bool(Index)>& meant) const {
    float sum = 0;
    for (Index key = 0; key < run.problem->extent(AxisRole::key); ++key)
      if (meant(key)) sum += at(head, query, key);
    return sum;
  }
};

const std::string& word(const std::vector<std::string>& words, Index place) {
  return words[static_cast<std::size_t>(place)];
}

std::string error_of(const std::string& params, const std::string& weights, const std::string& variant = "multi_head") {
  auto experiment =
      parse_experiment(R"({"variant": ")" + variant + R"(", "params": )" + params +
                           R"(, "inputs": {"x_q": {"text": "a b a b", "d_model": 64}}, "weights": )" + weights + "}",
                       {}, "");
  if (!experiment) return experiment.error().message;
  const auto problem = prepare(*experiment);
  return problem ? "" : problem.error().message;
}

}  // namespace

TEST_CASE("every trained set has an example that is its own") {
  CHECK(trained_sets().size() == 5);
  for (const TrainedSet& set : trained_sets()) {
    INFO(set.id);
    const RanExperiment run = example_of(set.id);
    CHECK(run.experiment->weights->set == set.id);
    CHECK_FALSE(run.experiment->notes.empty());
    CHECK(run.problem->warnings.empty());
    CHECK(trained_set_for(*run.problem) == &set);
    CHECK(std::ssize(run.trace->heads) == run.problem->extent(AxisRole::head));
    for (const HeadInfo& head : run.trace->heads) CHECK(head.name == set.head.name);
    for (const auto& [id, values] : set.arrays) CHECK(run.problem->find(id) == values.get());
    CHECK(std::ssize(set.arrays) == std::ssize(run.problem->given_weights));
  }
}

TEST_CASE("a set knows all that it learned with, and is found by the mechanism or by its name") {
  for (const TrainedSet& set : trained_sets()) {
    INFO(set.id);
    const RanExperiment whole = example_of(set.id);
    Experiment bare = *whole.experiment;
    bare.params = ParamValues::defaults(whole.problem->variant->params());
    if (set.variant != "multi_head") bare.weights->set.clear();
    const RanExperiment run = ran(bare);
    CHECK(run.problem->params == whole.problem->params);
    const auto map = run.trace->find("weights")->tensor().values();
    CHECK(std::ranges::equal(map, whole.trace->find("weights")->tensor().values()));
  }
}

TEST_CASE("trained weights take little room") {
  std::uintmax_t bytes = 0;
  for (const char* folder : {"trained", "examples"})
    for (const auto& file :
         std::filesystem::directory_iterator(std::filesystem::path(HEADLIGHT_SOURCE_DIR) / "assets" / folder))
      if (file.path().string().find("trained") != std::string::npos) bytes += file.file_size();
  CHECK(bytes > 100'000);
  CHECK(bytes < 2'000'000);
}

TEST_CASE("the induction head looks at what came after the earlier twins") {
  const Map map("induction");
  const auto& words = map.words(AxisRole::query);
  constexpr Index period = 10;
  REQUIRE(word(words, 0) == word(words, period));
  for (Index head = 0; head < map.heads(); ++head) {
    double sum = 0;
    for (Index query = period; query < std::ssize(words); ++query)
      sum += map.on(head, query,
                    [&](Index key) { return key > 0 && key <= query && word(words, key - 1) == word(words, query); });
    CHECK(sum / static_cast<double>(std::ssize(words) - period) > 0.9);
  }
}

TEST_CASE("the sorter looks at the next larger symbol") {
  const Map map("sorter");
  const auto& words = map.words(AxisRole::query);
  const Index bar = std::ranges::find(words, "|") - words.begin();
  std::vector<std::string> sorted(words.begin(), words.begin() + bar);
  std::ranges::sort(sorted);
  double sum = 0;
  for (Index i = 0; i < bar; ++i)
    sum += map.on(0, bar + i, [&](Index key) { return key < bar && word(words, key) == word(sorted, i); });
  CHECK(sum / static_cast<double>(bar) > 0.8);
}

TEST_CASE("characters of a date look at what says them") {
  const Map map("dates");
  const auto &said = map.words(AxisRole::query), &read = map.words(AxisRole::key);
  REQUIRE(read.size() == 28);
  const auto is_letter = [&](Index key) { return word(read, key) >= "a" && word(read, key) <= "z"; };
  for (Index query = 0; query < std::ssize(said); ++query) {
    INFO(query);
    if (word(said, query) == "-") continue;
    const bool month = query == 5 || query == 6;
    CHECK(map.on(0, query, [&](Index key) { return month ? is_letter(key) : word(read, key) == word(said, query); }) >
          0.5F);
  }
}

TEST_CASE("each pixel of the blur looks at the nine round it alike, in a picture that is new to it") {
  const Map map("blur");
  constexpr Index side = 16;
  for (const Index query : {side + 1, 7 * side + 7, 3 * side + 12, 14 * side + 5})
    for (Index down = -1; down <= 1; ++down)
      for (Index right = -1; right <= 1; ++right)
        CHECK_THAT(map.at(0, query, query + down * side + right), Catch::Matchers::WithinAbs(1 / 9.0, 0.03));
}

TEST_CASE("dots look at themselves in the frame before") {
  const Map map("dots");
  constexpr Index pixels = 36, each = 2 * pixels;
  const Tensor& x = *map.run.problem->find("x");
  const auto is_dot = [&](Index place) { return x[place] != 0 || x[each + place] != 0; };
  const auto same_colour = [&](Index a, Index b) { return x[a] == x[b] && x[each + a] == x[each + b]; };
  Index dots = 0;
  for (Index query = pixels; query < each; ++query) {
    if (!is_dot(query)) continue;
    ++dots;
    CHECK(map.on(0, query, [&](Index key) { return key < pixels && same_colour(key, query); }) > 0.9F);
  }
  CHECK(dots == 3);
}

TEST_CASE("heads that run with other choices than they learned with are not named, and that is said") {
  Experiment changed = *example_of("induction").experiment;
  changed.params.set("mask", std::string("none"));
  const RanExperiment run = ran(changed);
  CHECK(run.problem->heads.empty());
  CHECK(run.problem->warnings ==
        std::vector<std::string>{"params.mask is set to none: the trained set induction has causal"});
}

TEST_CASE("weights that are given stand in the place of trained ones") {
  Experiment changed = *example_of("dates").experiment;
  changed.inputs["w_score"] = literal_input(Tensor(Shape{64}));
  const RanExperiment run = ran(changed);
  CHECK((*run.problem->find("w_score"))[0] == 0);
  CHECK(run.problem->heads.empty());
}

TEST_CASE("what asks for trained weights that there are not is told which there are") {
  CHECK(error_of("{}", R"({"init": "trained"})") ==
        "weights.init trained: multi_head has induction and sorter: say which as weights.set");
  CHECK(error_of(R"({"heads": 4})", R"({"init": "trained"})") ==
        "weights.init trained: induction needs heads 2, d_head 32; sorter needs heads 1, d_head 64: give these params, "
        "or choose xavier_normal");
  CHECK(error_of(R"({"heads": 2})", R"({"init": "trained", "set": "sorter"})") ==
        "weights.init trained: sorter needs heads 1, d_head 64: give these params, or choose xavier_normal");
  CHECK(error_of("{}", R"({"init": "trained", "set": "sortre"})") ==
        "weights.set \"sortre\" is no trained set of multi_head: did you mean sorter?");
  CHECK(error_of("{}", R"({"init": "trained"})", "luong") ==
        "weights.init trained: there are such weights of multi_head, additive, stand_alone_2d, non_local alone: choose "
        "xavier_normal for luong");
  CHECK(error_of("{}", R"({"init": "zeros", "set": "sorter"})") ==
        ": weights.set names trained weights: add \"init\": \"trained\", or leave it out");
  CHECK(error_of(R"({"ffn": true})", R"({"init": "trained", "set": "sorter"})").find("the trained set sorter: ") == 0);
}

TEST_CASE("trained weights of another width say whose they are") {
  Experiment narrow = *example_of("sorter").experiment;
  narrow.inputs["x_q"] = TextInput{.text = "a b", .d_model = 32};
  const auto problem = prepare(narrow);
  REQUIRE_FALSE(problem);
  CHECK(problem.error().message.find("the trained set sorter: ") != std::string::npos);
}

TEST_CASE("which set is meant stays in the file") {
  const auto experiment = example("trained-blur");
  REQUIRE(experiment);
  const std::string json = to_json(*experiment, experiment->folder);
  const auto again = parse_experiment(json, experiment->folder, "");
  REQUIRE(again);
  CHECK(again->weights == experiment->weights);
  CHECK(to_json(*again, experiment->folder) == json);
}
