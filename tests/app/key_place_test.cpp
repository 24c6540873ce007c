// Where keys lie, in words: by offset and pixel in a window, by the pixels they stand for where they are pooled, and
// the same in the words of figures.
#include <cmath>

#include "app/reading/key_place.h"

#include "app/figures/figure_of.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"
#include "tests/catch.h"
#include "tests/runs.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// On an array of that shape: no two numbers alike.
RanExperiment on_array(const std::string& variant, const std::string& params, const Shape& shape) {
  Index count = 1;
  for (const Index size : shape) count *= size;
  auto parsed = parse_experiment(
      fmt::format(R"({{"variant":"{}","params":{},"inputs":{{"x":[[[0]]]}},"weights":{{"init":"normal","seed":5}}}})",
                  variant, params),
      ".", "array.headlight");
  if (!parsed) FAIL(parsed.error().message);
  Experiment experiment = std::move(*parsed);
  std::vector<float> numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(std::sin(static_cast<float>(i) * 1.7F));
  experiment.inputs["x"] = LiteralInput{std::move(shape), std::move(numbers)};
  return ran(Result<Experiment>(std::move(experiment)));
}

std::string place_of_key(const RanExperiment& run, Index key, std::optional<Index> query) {
  return key_place(*run.trace, *run.trace->find("weights"), key, query, 0).in_full();
}

std::string caption(const RanExperiment& run, std::initializer_list<std::pair<const char*, const char*>> settings) {
  FigureRequest request;
  for (const auto& [key, text] : settings) REQUIRE(set_figure(request, key, text));
  const auto made = figure_of(*run.trace, *run.problem, request, {});
  if (!made) FAIL(made.error().message);
  return caption_of(made->figure);
}

// The first of the greatest weights of the first head: query and key.
std::pair<Index, Index> greatest(const RanExperiment& run, std::optional<Index> of_query = {}) {
  const Tensor& weights = run.trace->find("weights")->tensor();
  const Index keys = weights.dim(-1), queries = weights.dim(-2);
  const Index first = of_query.value_or(0) * keys, end = of_query ? first + keys : queries * keys;
  Index best = first;
  for (Index i = first; i < end; ++i)
    if (weights[i] > weights[best]) best = i;
  return {best / keys, best % keys};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a window's keys lie by their offset from the query, and at a pixel") {
  const auto run = on_array("memory_block", R"({"extent":3,"heads":1,"padding":"zero"})", {1, 6, 4, 5});
  CHECK(place_of_key(run, 0, 0) == "−1, −1 · outside the picture, row −1, column −1");
  CHECK(place_of_key(run, 1, 0) == "−1, 0 · outside the picture, row −1");
  CHECK(place_of_key(run, 3, 0) == "0, −1 · outside the picture, column −1");
  CHECK(place_of_key(run, 5, 0) == "0, +1 · pixel 0, 1");
  CHECK(place_of_key(run, 8, 7) == "+1, +1 · pixel 2, 3");
  CHECK(place_of_key(run, 8, 19) == "+1, +1 · outside the picture, row 4, column 5");
  CHECK(place_of_key(run, 8, {}) == "+1, +1");
  CHECK(key_place(*run.trace, *run.trace->find("weights"), 0, 0, 0).outside);
  CHECK(query_text(*run.trace->find("weights"), 7 * 9 + 2) == "1, 2");
}

TEST_CASE("pooled keys lie on the pixels, frames and samples that they stand for") {
  const auto picture = on_array("non_local", R"({"dimension":2,"sub_sample":true})", {1, 4, 4, 6});
  CHECK(place_of_key(picture, 0, 0) == "0–1, 0–1");
  CHECK(place_of_key(picture, 5, 0) == "2–3, 4–5");
  const auto video = on_array("non_local", R"({"dimension":3,"sub_sample":true})", {1, 4, 2, 4, 6});
  CHECK(place_of_key(video, 7, 0) == "t1 0–1, 2–3");
  const auto signal = on_array("non_local", R"({"dimension":1,"sub_sample":true})", {1, 4, 8});
  CHECK(place_of_key(signal, 3, 0) == "6–7");
  const auto whole = on_array("non_local", R"({"dimension":2})", {1, 4, 4, 6});
  CHECK(place_of_key(whole, 8, 0) == "1, 2");
}

TEST_CASE("figures name keys by where they lie") {
  const auto window = on_array("memory_block", R"({"extent":3,"heads":1,"padding":"zero"})", {1, 6, 4, 5});
  auto [query, key] = greatest(window);
  const std::string place = place_of_key(window, key, query);
  CHECK(has(caption(window, {{"as", "matrix"}}),
            fmt::format("at query {} ({}, {}), key {} ({}).", query, query / 5, query % 5, key, place)));
  key = greatest(window, 7).second;
  CHECK(has(caption(window, {{"as", "bars"}, {"query", "7"}}),
            fmt::format("at key {} ({}).", key, place_of_key(window, key, 7))));
  const auto pooled = on_array("non_local", R"({"dimension":2,"sub_sample":true})", {1, 4, 4, 6});
  std::tie(query, key) = greatest(pooled);
  CHECK(has(caption(pooled, {{"as", "matrix"}}),
            fmt::format("query {} ({}, {}), key {} ({}–{}, {}–{}).", query, query / 6, query % 6, key, key / 3 * 2,
                        key / 3 * 2 + 1, key % 3 * 2, key % 3 * 2 + 1)));
  CHECK(has(caption(window, {{"as", "matrix"}, {"query", "7"}, {"key", "8"}}),
            "The frame marks query 7 (1, 2), key 8 (+1, +1 · pixel 2, 3)."));
}

TEST_CASE("a place of one picture is no place of another, not even where both have the same grid") {
  const Scratch folder;
  for (const auto& [name, color] : {std::pair{"a.png", 0x808080}, {"b.png", 0x203040}})
    REQUIRE(write_file(folder / name, *encode_png(filled_image(4, 4, rgb(static_cast<std::uint32_t>(color))))));
  const auto on = [&](const char* keys) {
    return ran(parse_experiment(
        fmt::format(R"({{"variant": "given", "params": {{"normalize": "rows"}}, "inputs": {{"weights": {{"array":
          [[4, 1, 1, 1], [1, 4, 1, 1], [1, 1, 4, 1], [1, 1, 1, 4]], "image": "a.png", "grid": [2, 2]{}}}}}}})",
                    keys),
        folder / "", "given.json"));
  };
  const auto picture_of = [](const RanExperiment& run, const char* query) {
    FigureRequest request;
    REQUIRE(set_figure(request, "as", "picture"));
    REQUIRE(set_figure(request, "query", query));
    auto made = figure_of(*run.trace, *run.problem, request, {});
    if (!made) FAIL(made.error().message);
    return std::move(*made);
  };
  for (const char* keys : {R"(, "key_image": "b.png", "key_grid": [2, 2])", ""}) {
    INFO(keys);
    const auto run = on(keys);
    const bool one = !*keys;
    const OwnedFigure owned = picture_of(run, "3");
    const Panel& panel = owned.figure.panels.front();
    CHECK(panel.highlights.size() == (one ? 1U : 0U));
    CHECK(has(caption_of(owned.figure), "the query at 1, 1"));
    CHECK(has(caption_of(owned.figure), "(blue)") == one);
    CHECK(panel.picture->at(0, 0).b == (one ? 0x80 : 0x40));  // the keys' own picture
    const Step& map = *run.trace->find("weights");
    const Axis &queries = *map.axis(AxisRole::query), &asked = *map.axis(AxisRole::key);
    CHECK(share_a_picture(*run.problem, queries, asked) == one);
    CHECK(pictures_of_positions(*run.problem, &queries)->cells[0].at(0, 0).b == 0x80);
    FigureRequest offsets;
    REQUIRE(set_figure(offsets, "as", "offsets"));
    CHECK(figure_of(*run.trace, *run.problem, offsets, {}).has_value() == one);
  }
}

TEST_CASE("rows and columns of pooled keys are called after the pixels that they stand for") {
  const auto pooled = on_array("non_local", R"({"dimension":2,"sub_sample":true})", {1, 4, 4, 6});
  FigureRequest request;
  REQUIRE(set_figure(request, "as", "map"));
  const auto made = figure_of(*pooled.trace, *pooled.problem, request, {});
  REQUIRE(made);
  const Panel& panel = made->figure.panels.front();
  CHECK(panel.row_labels == std::vector<std::string>{"0–1", "2–3"});
  CHECK(panel.column_labels == std::vector<std::string>{"0–1", "2–3", "4–5"});
  CHECK(has(caption_of(made->figure), "places of the picture, for the query at 2, 3."));
}
