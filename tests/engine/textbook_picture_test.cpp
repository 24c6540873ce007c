// Hand-made weights for pictures, frames and signals do what their sentences say.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/io/experiment.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::test;

namespace {

namespace fs = std::filesystem;

// Sky over grass, a red house, a red ball far from it: colours by cell.
int color_at(Index r, Index c, Index rows, Index columns) {
  const bool house = r >= rows / 2 && r < rows * 3 / 4 && c >= 1 && c < columns / 3;
  const bool ball = r >= rows - 3 && r < rows - 1 && c >= columns - 3 && c < columns - 1;
  if (house || ball) return 2;
  return r < rows / 2 ? 0 : 1;
}

constexpr Color colors[] = {{120, 180, 235, 255}, {90, 160, 70, 255}, {205, 45, 45, 255}};

fs::path write_picture(Index rows, Index columns) {
  Image image = filled_image(columns, rows, colors[0]);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) image.set(c, r, colors[color_at(r, c, rows, columns)]);
  static const Scratch scratch;  // as long as the tests run
  const fs::path path = scratch / fmt::format("{}x{}.png", rows, columns);
  const auto png = encode_png(image);
  REQUIRE(png);
  REQUIRE(write_file(path, *png));
  return path;
}

struct Run {
  Problem problem;
  Trace trace;
};

Run run_json(const std::string& json) {
  const auto experiment = parse_experiment(json, {}, "");
  if (!experiment) FAIL(experiment.error().message);
  auto problem = prepare(*experiment);
  if (!problem) FAIL(problem.error().message);
  for (const auto& warning : problem->warnings) FAIL(warning);
  auto trace = run(*problem);
  if (!trace) FAIL(trace.error().message);
  return {std::move(*problem), std::move(*trace)};
}

Run run_picture(const std::string& variant, const std::string& params, Index rows, Index columns,
                const std::string& input = "x") {
  return run_json(
      fmt::format(R"({{"variant": "{}", "params": {{{}}}, "inputs": {{"{}": {{"image": "{}", "size": [{}, {}]}}}},
                                  "weights": {{"init": "textbook"}}}})",
                  variant, params, input, write_picture(rows, columns).string(), rows, columns));
}

// The share of a row of weights on the keys that the test accepts.
double share(const Tensor& weights, Index head, Index query, const auto& accepted) {
  const Index n_k = weights.dim(3);
  double sum = 0;
  for (Index j = 0; j < n_k; ++j)
    if (accepted(j)) sum += weights.at({0, head, query, j});
  return sum;
}

Index argmax(const Tensor& weights, Index head, Index query) {
  Index best = 0;
  for (Index j = 1; j < weights.dim(3); ++j)
    if (weights.at({0, head, query, j}) > weights.at({0, head, query, best})) best = j;
  return best;
}

// Heads by name, on queries away from the borders.
void check_head(const Run& result, Index head, const std::string& name, Index rows, Index columns) {
  const Tensor& weights = result.trace.find("weights")->tensor();
  const Index above = rows >= 12 ? 4 : rows >= 6 ? 2 : 1;
  for (Index r = above; r < rows - 1; r += 2)
    for (Index c = 2; c < columns - 2; c += 3) {
      INFO(name << " at " << r << ", " << c);
      const Index query = r * columns + c;
      const int own = color_at(r, c, rows, columns);
      const auto same_color = [&](Index j) { return color_at(j / columns, j % columns, rows, columns) == own; };
      if (name == "Same colour") CHECK(share(weights, head, query, same_color) > 0.95);
      if (name == "Same row") CHECK(share(weights, head, query, [&](Index j) { return j / columns == r; }) > 0.7);
      if (name == "Same column") CHECK(share(weights, head, query, [&](Index j) { return j % columns == c; }) > 0.7);
      if (name.ends_with(" above")) CHECK(argmax(weights, head, query) == (r - above) * columns + c);
      if (name == "Left neighbour") CHECK(argmax(weights, head, query) == query - 1);
      if (name == "Nearby") CHECK(argmax(weights, head, query) == query);
      if (name == "Colour, nearby") {
        CHECK(share(weights, head, query, same_color) > 0.95);
        CHECK(argmax(weights, head, query) == query);
      }
    }
}

}  // namespace

TEST_CASE("heads of scaled dot-product attention do what they say on pictures") {
  const Index sizes[][2] = {{16, 16}, {8, 8}, {12, 20}};
  for (const auto& [rows, columns] : sizes) {
    INFO(rows << "×" << columns);
    const Run result = run_picture("multi_head", "", rows, columns, "x_q");
    REQUIRE(result.trace.heads.size() == 8);
    for (Index m = 0; m < 8; ++m)
      check_head(result, m, result.trace.heads[static_cast<std::size_t>(m)].name, rows, columns);
  }
  const Run narrow = run_picture("multi_head", R"("d_head": 2)", 8, 8, "x_q");
  CHECK(narrow.trace.heads[0].sentence.find("It would need 4 channels and has 2") != std::string::npos);
  const Run many = run_picture("multi_head", R"("heads": 10)", 8, 8, "x_q");
  CHECK(many.trace.heads[8].name == "Same colour 2");
}

TEST_CASE("a head too narrow for all it compares compares less, says so, and is never something else") {
  const auto sentence = [](const Run& result, std::size_t head) { return result.trace.heads[head].sentence; };
  const Run four = run_picture("multi_head", R"("d_head": 4)", 16, 16, "x_q");
  check_head(four, 0, "Same colour", 16, 16);
  check_head(four, 3, "Same colour", 16, 16);  // what is left of "Colour, nearby"
  CHECK(sentence(four, 3).ends_with("would need 6 channels and has 4: it compares colours alone, near or far."));
  const Run six = run_picture("multi_head", R"("d_head": 6)", 16, 16, "x_q");
  check_head(six, 3, "Colour, nearby", 16, 16);
  CHECK(sentence(six, 3).find("would need") == std::string::npos);
  const Run two = run_picture("multi_head", R"("d_head": 2)", 16, 16, "x_q");
  const Tensor& weights = two.trace.find("weights")->tensor();
  check_head(two, 1, "Same row", 16, 16);
  for (Index query = 100; query < 120; ++query) {
    CHECK(argmax(weights, 2, query) / 16 == query / 16 - 4);                      // four above: its row
    CHECK(argmax(weights, 5, query) / 16 == query / 16);                          // nearby: its row
    if (query % 16 > 0) CHECK(argmax(weights, 7, query) % 16 == query % 16 - 1);  // left neighbour: its column
    CHECK(weights.at({0, 0, query, 3}) == Approx(1.0 / 256));                     // same colour: nothing is left
  }
  CHECK(sentence(two, 0).ends_with("it looks at everything alike."));
  CHECK(run_picture("multi_head", R"("heads": 2)", 8, 8, "x_q").trace.heads.size() == 2);
}

TEST_CASE("a window names the offset that it has room for") {
  for (const auto& [extent, name] :
       {std::pair{3, "One above"}, {5, "Two above"}, {7, "Three above"}, {9, "Four above"}}) {
    const Run result = run_picture("stand_alone_2d", fmt::format(R"("extent": {})", extent), 16, 16);
    const Tensor& weights = result.trace.find("weights")->tensor();
    const Index reach = extent / 2, above = std::min<Index>(4, reach);
    CHECK(result.trace.heads[2].name == name);
    CHECK(argmax(weights, 2, 8 * 16 + 8) == (reach - above) * extent + reach);
  }
  const Run zeros = run_picture("stand_alone_2d", R"("extent": 3, "padding": "zero")", 8, 8);
  CHECK(zeros.trace.heads[0].sentence.find("takes part") != std::string::npos);
}

TEST_CASE("bright spots are where the picture is brighter than round about") {
  const Run result = run_picture("multi_head", "", 16, 16, "x_q");
  const Tensor& weights = result.trace.find("weights")->tensor();
  const Tensor& x = result.trace.find("x_q")->tensor();
  CHECK(x.at({0, argmax(weights, 6, 40), 9}) > 0.05F);  // the contrast channel
  CHECK(argmax(weights, 6, 40) == argmax(weights, 6, 200));
}

TEST_CASE("stand-alone attention reads colour from content and places from its tables") {
  for (const char* normalizer : {"sqrt_in_channels", "sqrt_d_head", "none"}) {
    INFO(normalizer);
    const Run result = run_picture("stand_alone_2d", fmt::format(R"("normalizer": "{}")", normalizer), 16, 16);
    REQUIRE(result.trace.heads.size() == 4);
    for (Index m = 0; m < 4; ++m) check_head(result, m, result.trace.heads[static_cast<std::size_t>(m)].name, 16, 16);
  }
  // Without content only places are left, and without position only colours.
  const Run places = run_picture("stand_alone_2d", R"("content": 0)", 16, 16);
  const Tensor& flat = places.trace.find("weights")->tensor();
  CHECK(flat.at({0, 0, 100, 3}) == Approx(1.0 / 256));
  const Run colors_alone = run_picture("stand_alone_2d", R"("position": 0)", 16, 16);
  check_head(colors_alone, 3, "Same colour", 16, 16);
}

TEST_CASE("a non-local block finds its colour in every frame, and says so by its mode") {
  std::string frames;
  for (int i = 0; i < 8; ++i)
    frames += fmt::format(R"({}"{}/assets/examples/scene_{}.png")", i ? ", " : "", HEADLIGHT_SOURCE_DIR, i);
  const auto json = [&](const std::string& params) {
    return fmt::format(R"({{"variant": "non_local", "params": {{{}}}, "inputs": {{"x": {{"frames": [{}]}}}},
                           "weights": {{"init": "textbook"}}}})",
                       params, frames);
  };
  const Run result = run_json(json(R"("batch_norm": false)"));
  const Tensor& weights = result.trace.find("weights")->tensor();
  const Tensor& x = result.trace.find("x")->tensor();  // (1, 13, 8, 16, 16)
  const auto redness = [&](Index p) { return x[p] - std::max(x[2048 + p], x[2 * 2048 + p]); };
  const auto red = [&](Index p) { return redness(p) > 0.25F; };
  Index query = 0;  // the reddest: a cell wholly of the car or the roof
  for (Index p = 0; p < 2048; ++p)
    if (redness(p) > redness(query)) query = p;
  CHECK(share(weights, 0, query, red) > 0.95);
  for (Index frame = 0; frame < 8; ++frame)  // the ball is in every frame
    CHECK(share(weights, 0, query, [&](Index p) { return p / 256 == frame; }) > 0.02);
  CHECK(result.trace.heads[0].name == "Same colour");
  CHECK(result.trace.heads[0].sentence == "Finds the same colour anywhere in every frame, however far away.");
  // Pooled keys may be of no pixel's colour.
  const Run pooled = run_json(json(R"("batch_norm": false, "sub_sample": true)"));
  CHECK(pooled.trace.heads[0].sentence.starts_with("Finds keys of its own colour in every frame, however far away."));
  CHECK(pooled.trace.heads[0].sentence.ends_with("and may be missed."));
  const Run concatenation = run_json(json(R"("mode": "concatenation", "batch_norm": false)"));
  const Tensor& found = concatenation.trace.find("weights")->tensor();
  CHECK(red(argmax(found, 0, query)));
  CHECK(run_json(json(R"("mode": "dot_product")")).trace.heads[0].name == "Similar colour");
  CHECK(run_json(json(R"("mode": "gaussian")")).trace.heads[0].name == "The input itself");
}

TEST_CASE("a non-local block weighs its own colour most, and reds answer one another in a sum") {
  const auto in_mode = [](const char* mode) {
    return run_picture("non_local", fmt::format(R"("mode": "{}", "batch_norm": false)", mode), 12, 20);
  };
  const auto color = [](Index j) { return color_at(j / 20, j % 20, 12, 20); };
  for (const char* mode : {"embedded_gaussian", "dot_product"}) {
    INFO(mode);
    const Run result = in_mode(mode);
    const Tensor& weights = result.trace.find("weights")->tensor();
    for (Index query = 0; query < 240; query += 7) CHECK(color(argmax(weights, 0, query)) == color(query));
    if (result.trace.heads[0].name == "Similar colour") CHECK(weights.at({0, 0, 0, 239}) < 0);  // grass for the sky
  }
  const Run sum = in_mode("concatenation");
  const Tensor& weights = sum.trace.find("weights")->tensor();
  const Index red = 6 * 20 + 2;
  REQUIRE(color(red) == 2);
  for (Index query = 0; query < 240; query += 7) {
    CHECK(color(argmax(weights, 0, query)) == 2);
    CHECK((weights.at({0, 0, query, 239}) > 0) == (color(query) == 2));  // only reds hear the grass
  }
}

TEST_CASE("features of additive attention compare colours, as many as there are features for") {
  const Run result = run_picture("additive", "", 16, 16, "x_q");
  const Tensor& weights = result.trace.find("weights")->tensor();
  for (Index query = 3; query < 256; query += 11)
    CHECK(share(weights, 0, query, [&](Index j) {
            return color_at(j / 16, j % 16, 16, 16) == color_at(query / 16, query % 16, 16, 16);
          }) > 0.8);
  const Run narrow = run_picture("additive", R"("hidden": 4)", 8, 8, "x_q");
  CHECK(narrow.trace.heads[0].sentence.ends_with("With 4 features it compares red and green alone."));
}

TEST_CASE("a memory block looks across edges in its window") {
  const Run result = run_picture("memory_block", R"("padding": "masked", "heads": 2)", 16, 16);
  const Tensor& weights = result.trace.find("weights")->tensor();  // (1, 2, 256, 9)
  CHECK(result.trace.heads[0].name == "Edges");
  const Index rows = 16, r = rows / 2 - 1, c = 8;  // the last row of sky: grass lies below
  const Index query = r * 16 + c;
  for (Index j = 6; j < 9; ++j) CHECK(weights.at({0, 0, query, j}) > 0.25F);
  CHECK(share(weights, 1, query, [](Index j) { return j < 6; }) > 0.95);
}

TEST_CASE("signals are compared by value and time") {
  const std::string path = fmt::format("{}/assets/examples/signal.csv", HEADLIGHT_SOURCE_DIR);
  const auto json = [&](const std::string& variant, const std::string& input) {
    return fmt::format(
        R"({{"variant": "{}", "inputs": {{"{}": {{"signal": "{}"}}}}, "weights": {{"init": "textbook"}}}})", variant,
        input, path);
  };
  const Run heads = run_json(json("multi_head", "x_q"));
  const Tensor& weights = heads.trace.find("weights")->tensor();
  const Tensor& x = heads.trace.find("x_q")->tensor();
  for (Index i = 2; i < 62; i += 7) {
    CHECK(argmax(weights, 1, i) == i - 1);
    CHECK(argmax(weights, 3, i) == i);
    CHECK(std::abs(x.at({0, argmax(weights, 0, i), 0}) - x.at({0, i, 0})) < 0.2F);
  }
  CHECK(run_json(json("non_local", "x")).trace.heads[0].name == "Same value");
  const Run additive = run_json(json("additive", "x_q"));
  const Tensor& bumps = additive.trace.find("weights")->tensor();
  for (Index i = 2; i < 62; i += 7)
    CHECK(share(bumps, 0, i, [&](Index j) { return std::abs(x.at({0, j, 0}) - x.at({0, i, 0})) < 0.6F; }) > 0.7);
}

TEST_CASE("key content only looks at what stands out in a picture") {
  const Run result = run_picture("key_content_only", "", 16, 16);
  const Tensor& weights = result.trace.find("weights")->tensor();
  CHECK(result.trace.heads[1].name == "Red things");
  CHECK(share(weights, 1, 0, [](Index j) { return color_at(j / 16, j % 16, 16, 16) == 2; }) > 0.8);
  CHECK(argmax(weights, 2, 0) < 16);  // the top row
}

TEST_CASE("words are found again by a non-local block over text") {
  const Run result = run_json(
      R"({"variant": "non_local", "inputs": {"x": {"text": "the cat sat on the mat"}}, "weights": {"init": "textbook"}})");
  const Tensor& weights = result.trace.find("weights")->tensor();
  CHECK(share(weights, 0, 1, [](Index j) { return j == 1 || j == 5; }) > 0.8);
}

TEST_CASE("what cannot be read is drawn instead, with a warning") {
  const auto experiment = parse_experiment(
      fmt::format(R"({{"variant": "stand_alone_2d", "params": {{"mid_channels": 4}}, "inputs": {{"x": {{"image":
      "{}", "size": [8, 8]}}}}, "weights": {{"init": "textbook"}}}})",
                  write_picture(8, 8).string()),
      {}, "");
  REQUIRE(experiment);
  const auto problem = prepare(*experiment);
  REQUIRE(problem);
  REQUIRE(problem->warnings.size() == 1);
  CHECK(problem->warnings[0].find("xavier_normal") != std::string::npos);
  CHECK(problem->warnings[0].find("by hand from this input") != std::string::npos);
  CHECK(problem->heads.empty());
}

TEST_CASE("a mechanism without weights made by hand says that it has none, not that the input is at fault") {
  const auto experiment = parse_experiment(
      R"({"variant": "linear_attention", "inputs": {"x_q": {"text": "the cat sat"}}, "weights": {"init": "textbook"}})",
      {}, "");
  REQUIRE(experiment);
  const auto problem = prepare(*experiment);
  REQUIRE(problem);
  REQUIRE(problem->warnings.size() == 1);
  CHECK(problem->warnings[0] ==
        "Linear attention: no weights are made by hand for this mechanism, so xavier_normal weights are used");
}
