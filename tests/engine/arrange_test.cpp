// Positions moved about: the permutations themselves, the key of the experiment, and what each variant makes of them.
#include "engine/run/arrange.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/parallel.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

Problem problem_of(const std::string& json, const std::optional<Arrangement>& arrange) {
  auto experiment = parse_experiment(json, std::string(HEADLIGHT_SOURCE_DIR) + "/assets/examples", "");
  if (!experiment) FAIL(experiment.error().message);
  experiment->arrange = arrange;
  auto problem = prepare(*experiment);
  if (!problem) FAIL(problem.error().message);
  return std::move(*problem);
}

Tensor output_of(const Problem& problem) {
  ThreadPool pool(2);
  Compute compute(pool);
  const auto trace = run(problem, compute);
  REQUIRE(trace);
  return (*trace)->find("output")->tensor();
}

// How far the output of each position is from where it was before, once moved back; the farthest of all channels.
std::vector<float> offs(const std::string& json, const Arrangement& arrangement) {
  const Problem before = problem_of(json, {}), after = problem_of(json, arrangement);
  const Tensor was = output_of(before), now = output_of(after);
  const auto axes = position_axes(after, now.shape());
  REQUIRE(axes);
  const Tensor back = arranged(now, *axes, inverse_permutation(permutation_of(arrangement, axes->grid)));
  std::vector<float> off(static_cast<std::size_t>(axes->positions));
  for (Index i = 0; i < back.size(); ++i) {
    float& at = off[static_cast<std::size_t>(i / axes->inner % axes->positions)];
    at = std::max(at, std::abs(back[i] - was[i]));
  }
  return off;
}

float greatest(const std::vector<float>& numbers) {
  return *std::ranges::max_element(numbers);
}
Index count_off(const std::vector<float>& numbers) {
  return std::ranges::count_if(numbers, [](float off) { return off > 1e-4F; });
}

std::string multi_head(const char* positions) {
  return fmt::format(R"({{"variant":"multi_head","params":{{"positions":"{}"}},
    "inputs":{{"x_q":{{"text":"the cat sat on the mat"}}}},"weights":{{"init":"xavier_normal","seed":3}}}})",
                     positions);
}
std::string on_picture(const char* variant, const char* params) {
  return fmt::format(R"({{"variant":"{}","params":{{{}}},"inputs":{{"x":{{"image":"scene.png","size":[8,10]}}}},
    "weights":{{"init":"xavier_normal","seed":3}}}})",
                     variant, params);
}

}  // namespace

TEST_CASE("a shuffle is a permutation, each seed another, and its inverse undoes it") {
  const Grid grid{3, 4, 5};
  const auto one = permutation_of(Shuffle{1}, grid);
  auto sorted = one;
  std::ranges::sort(sorted);
  std::vector<Index> all(60);
  std::iota(all.begin(), all.end(), Index{0});
  CHECK(sorted == all);
  CHECK(one != all);
  CHECK(one == permutation_of(Shuffle{1}, grid));
  CHECK(one != permutation_of(Shuffle{2}, grid));
  CHECK(permutation_of(Shuffle{1}, {1, 1, 6}) == std::vector<Index>{2, 5, 3, 4, 1, 0});  // the same on every machine
  const auto inverse = inverse_permutation(one);
  for (std::size_t i = 0; i < one.size(); ++i)
    CHECK(inverse[static_cast<std::size_t>(one[i])] == static_cast<Index>(i));
}

TEST_CASE("a shift goes round on the grid of each frame") {
  CHECK(permutation_of(Shift{0, 1}, {1, 1, 4}) == std::vector<Index>{3, 0, 1, 2});
  CHECK(permutation_of(Shift{0, -5}, {1, 1, 4}) == std::vector<Index>{1, 2, 3, 0});
  CHECK(permutation_of(Shift{1, 0}, {2, 2, 2}) == std::vector<Index>{2, 3, 0, 1, 6, 7, 4, 5});
  CHECK(permutation_of(Shift{1, 0}, {1, 1, 3}) == std::vector<Index>{0, 1, 2});
}

TEST_CASE("attention moves along with a shuffle, and with sinusoidal positions it does not") {
  CHECK(greatest(offs(multi_head("none"), Shuffle{1})) < 1e-5F);
  CHECK(greatest(offs(multi_head("none"), Shift{0, 2})) < 1e-5F);
  CHECK(count_off(offs(multi_head("sinusoidal"), Shuffle{1})) > 0);
  CHECK(count_off(offs(multi_head("sinusoidal"), Shift{0, 1})) > 0);
}

TEST_CASE("a window with masked padding moves along with a shift but for the border, and not with a shuffle") {
  const std::string json = on_picture("stand_alone_2d", R"("extent":3,"padding":"masked")");
  const auto off = offs(json, Shift{1, 0});  // on 8×10: rows whose window the border cuts, before or after
  for (std::size_t i = 0; i < off.size(); ++i) {
    const std::size_t row = i / 10;
    INFO("row " << row);
    CHECK((off[i] > 1e-4F) == (row == 0 || row >= 6));
  }
  CHECK(count_off(offs(json, Shuffle{1})) > 60);
  CHECK(count_off(offs(on_picture("stand_alone_2d", ""), Shift{1, 0})) >
        60);  // the whole image: the wrap is seen by all
}

TEST_CASE("a non-local block moves along with any order, until it pools") {
  CHECK(greatest(offs(on_picture("non_local", R"("dimension":2,"sub_sample":false)"), Shuffle{1})) < 1e-5F);
  const std::string pooled = on_picture("non_local", R"("dimension":2,"sub_sample":true)");
  CHECK(greatest(offs(pooled, Shuffle{1})) > 1e-4F);
  CHECK(greatest(offs(pooled, Shift{1, 0})) > 1e-4F);
  CHECK(greatest(offs(pooled, Shift{2, 2})) < 1e-5F);  // whole cells of the pool
}

TEST_CASE("a causal mask stays where it is, and what it hides does not move along") {
  const std::string causal = R"({"variant":"multi_head","params":{"mask":"causal"},
    "inputs":{"x_q":{"text":"the cat sat on the mat"}},"weights":{"init":"xavier_normal","seed":3}})";
  CHECK(count_off(offs(causal, Shuffle{1})) > 0);
  CHECK(count_off(offs(causal, Shift{0, 1})) > 0);
}

TEST_CASE("additive and key-content-only attention, and a memory block") {
  const std::string additive =
      R"({"variant":"additive","inputs":{"x_q":{"text":"a b c d e"}},"weights":{"init":"xavier_normal","seed":3}})";
  CHECK(greatest(offs(additive, Shuffle{4})) < 1e-5F);
  const std::string keys =
      R"({"variant":"key_content_only","inputs":{"x":{"text":"a b c d e"}},"weights":{"init":"xavier_normal","seed":3}})";
  CHECK(greatest(offs(keys, Shuffle{4})) < 1e-5F);
  const std::string block = on_picture("memory_block", R"("extent":3)");
  CHECK(count_off(offs(block, Shuffle{1})) > 60);
  CHECK(count_off(offs(block, Shift{0, 1})) == 3 * 8);
}

TEST_CASE("tokens, pictures and shared keys move along; weights made by hand stay") {
  const std::string json = R"({"variant":"multi_head","inputs":{"x_q":{"text":"the cat sat"}}})";
  const Problem before = problem_of(json, {}), after = problem_of(json, Shift{0, 1});
  CHECK(before.labels.at("n_q").front() == after.labels.at("n_q")[1]);
  CHECK(after.labels.at("n_k").front() == "sat");
  CHECK(after.arrays.at("x_k") == after.arrays.at("x_q"));
  const auto same = [](const Tensor& a, const Tensor& b) { return std::ranges::equal(a.values(), b.values()); };
  CHECK(same(*before.find("w_q"), *after.find("w_q")));
  CHECK(same(*before.find("w_k"), *after.find("w_k")));
  const std::string scene = on_picture("memory_block", "");
  const Image was = problem_of(scene, {}).pictures.at("x")->cells[0],
              now = problem_of(scene, Shift{2, 3}).pictures.at("x")->cells[0];
  for (Index r = 0; r < was.height; ++r)
    for (Index c = 0; c < was.width; ++c) {
      const Color a = was.at(c, r), b = now.at((c + 3) % was.width, (r + 2) % was.height);
      CHECK((a.r == b.r && a.g == b.g && a.b == b.b));
    }
}

TEST_CASE("frames are moved each on its own, and shuffled together where they are one axis of positions") {
  const std::string frames = R"({"variant":"multi_head",
    "inputs":{"x_q":{"frames":["scene_0.png","scene_1.png"],"size":[3,4],"features":"rgb"}},"weights":{"init":"normal"}})";
  const Problem before = problem_of(frames, {}), after = problem_of(frames, Shift{0, 1});
  for (const std::size_t t : {std::size_t{0}, std::size_t{1}}) {
    const Color a = before.pictures.at("x_q")->cells[t].at(3, 2), b = after.pictures.at("x_q")->cells[t].at(0, 2);
    CHECK((a.r == b.r && a.g == b.g && a.b == b.b));
    CHECK(before.find("x_q")->at({0, static_cast<Index>(t) * 12 + 11, 0}) ==
          after.find("x_q")->at({0, static_cast<Index>(t) * 12 + 8, 0}));
  }
  const Problem mixed = problem_of(frames, Shuffle{1});
  const auto from = permutation_of(Shuffle{1}, {2, 3, 4});
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto f = static_cast<std::size_t>(from[i]);
    CHECK(mixed.pictures.at("x_q")->cells[i / 12].at(static_cast<Index>(i % 4), static_cast<Index>(i % 12 / 4)).g ==
          before.pictures.at("x_q")->cells[f / 12].at(static_cast<Index>(f % 4), static_cast<Index>(f % 12 / 4)).g);
  }
}

TEST_CASE("numbers are moved as inputs made from files are, and what cannot move says so") {
  const std::string json =
      R"({"variant":"multi_head","inputs":{"x_q":[[[1,2],[3,4],[5,6]]]},"weights":{"init":"normal"}})";
  const Problem after = problem_of(json, Shift{0, 1});
  CHECK(after.find("x_q")->at({0, 0, 0}) == 5);
  CHECK(after.find("x_q")->at({0, 1, 1}) == 2);
  CHECK(after.warnings.empty());
  const Problem still = problem_of(json, Shift{1, 3});
  REQUIRE(still.warnings.size() == 1);
  CHECK(still.warnings[0] == "arrange moves nothing on a row of 1×3");
}

TEST_CASE("arrange is read, kept and refused like other keys") {
  const auto read = [](const std::string& arrange) {
    return parse_experiment(R"({"variant":"multi_head","arrange":)" + arrange + "}", {}, "cat.json");
  };
  const auto error = [&](const std::string& arrange) {
    const auto experiment = read(arrange);
    return experiment ? "" : experiment.error().message;
  };
  for (const char* text : {R"({"shuffle":7})", R"({"shift":[-1,2]})"}) {
    auto experiment = read(text);
    REQUIRE(experiment);
    const std::string saved = to_json(*experiment, {});
    const auto again = parse_experiment(saved, {}, "cat.json");
    REQUIRE(again);
    CHECK(again->arrange == experiment->arrange);
    CHECK(to_json(*again, {}) == saved);
    experiment->arrange.reset();
    CHECK(to_json(*experiment, {}).find("arrange") == std::string::npos);
  }
  CHECK(read(R"({"shuffle":7})")->arrange == Arrangement(Shuffle{7}));
  const auto noted = read(R"({"shift":[0,1],"mine":1})");
  CHECK(noted->arrange == Arrangement(Shift{0, 1}));
  REQUIRE(noted->notices.size() == 1);
  CHECK(noted->notices[0].find("arrange.mine") != std::string::npos);
  auto changed = *noted;
  changed.arrange = Shuffle{2};
  CHECK(to_json(changed, {}).find("shift") == std::string::npos);
  CHECK(to_json(changed, {}).find("mine") != std::string::npos);
  Experiment fresh = default_experiment("multi_head");
  fresh.arrange = Shuffle{4};
  CHECK(parse_experiment(to_json(fresh, {}), {}, "")->arrange == fresh.arrange);
  CHECK(error("3") == "cat.json: arrange is 3: it must be an object");
  CHECK(error("{}").find("neither shuffle nor shift") != std::string::npos);
  CHECK(error(R"({"shuffle":1,"shift":[0,1]})").find("both shuffle and shift") != std::string::npos);
  CHECK(error(R"({"shuffle":-1})").find("arrange.shuffle is -1") != std::string::npos);
  for (const char* shift : {"1", "[1]", "[1,2,3]", "[0,0.5]", "[0,1e30]", "[0,18446744073709551615]", "[2000000,0]"})
    CHECK(error(std::string(R"({"shift":)") + shift + "}").find("must be [rows, columns]") != std::string::npos);
}
