// Who asks, who is asked and whose numbers they are, in figures of what people own: several queries, a word over the
// picture, keys of windows and pools, measures, differences of files, scales.
#include <algorithm>
#include <cmath>
#include <set>

#include "app/figures/figure_of.h"
#include "app/figures/figure_plan.h"
#include "app/page/layout.h"
#include "app/reading/key_place.h"
#include "app/reading/scaling.h"
#include "tests/catch.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

Result<OwnedFigure> made(const RanExperiment& run, const Settings& settings) {
  FigureRequest request;
  for (const auto& [key, text] : settings) HL_CHECK(set_figure(request, key, text));
  return figure_of(*run.trace, *run.problem, request);
}

OwnedFigure figure(const RanExperiment& run, const Settings& settings) {
  auto owned = made(run, settings);
  if (!owned) FAIL(owned.error().message);
  return std::move(*owned);
}

std::string refusal(const RanExperiment& run, const Settings& settings) {
  const auto owned = made(run, settings);
  return owned ? "" : owned.error().message;
}

RanExperiment parsed(const std::string& text) {
  return ran(parse_experiment(text, HEADLIGHT_SOURCE_DIR "/assets/examples", ""));
}

// Two heads, four queries that lie on the example's picture, three words as keys.
const std::string words_over_picture = R"({"variant": "given", "inputs": {"weights": {"array": [
    [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [0.5, 0.25, 0.25], [0, 1, 0]],
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.2, 0.3, 0.5]]],
  "image": "scene.png", "grid": [2, 2], "key_tokens": ["a", "red", "car"]}}})";

Extent up_to(float greatest) {
  Extent extent;
  extent.finite = 10;
  extent.least = 0;
  extent.greatest = greatest;
  return extent;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("several queries have a panel each, with a name of their own") {
  const RanExperiment run = ran(example("relative"));
  const OwnedFigure three = figure(run, {{"as", "picture"}, {"head", "1"}, {"query", "3,500"}});
  REQUIRE(three.figure.panels.size() == 2);
  CHECK(three.figure.panels[1].title == "Query at 15, 20");
  CHECK(holds(three.figure.description, "(b) Query at 15, 20: greatest is"));
  const OwnedFigure alone = figure(run, {{"as", "picture"}, {"head", "1"}, {"query", "500"}});
  for (Index r = 0; r < 32; ++r)
    for (Index c = 0; c < 32; ++c)
      if (!(three.figure.panels[1].cells.at(r, c) == alone.figure.panels[0].cells.at(r, c))) FAIL("another row");
  const OwnedFigure grid = figure(run, {{"as", "picture"}, {"query", "3,500"}});
  CHECK(grid.figure.grid_columns == 2);  // a row a head
  CHECK(refusal(ran(example("causal")), {{"query", "1,2"}}) ==
        "--query of several is of what shows one query, over a picture, as offsets or bars: weights shows all");
  CHECK(refusal(run, {{"as", "picture"}, {"query", "3,9999"}}) == "--query is 9999: it must be from 0 to 1023");
  FigureRequest request;
  REQUIRE(set_figure(request, "query", "3,500"));
  CHECK(setting_of(request, "query") == "3,500");
  CHECK(set_figure(request, "query", "3-x").error().message.starts_with("--query is 3-x: it must be a number"));
}

TEST_CASE("a word lies over the picture of those who look at it") {
  const RanExperiment run = parsed(words_over_picture);
  const OwnedFigure word = figure(run, {{"as", "picture"}, {"key", "2"}, {"head", "0"}});
  const Panel& panel = word.figure.panels.front();
  CHECK(panel.kind == PanelKind::picture);
  CHECK((panel.cells.at(0, 0) == 0.7F && panel.cells.at(0, 1) == 0.4F && panel.cells.at(1, 0) == 0.25F));
  CHECK(panel.highlights.empty());
  const std::string caption = caption_of(word.figure);
  CHECK(holds(caption, "how strongly each place of the picture looks at “car”"));
  CHECK(holds(word.figure.description, "“car”"));
  CHECK(holds(refusal(run, {{"as", "picture"}}), "--key says which key's weights lie over it, from 0 to 2"));
  CHECK(refusal(run, {{"as", "picture"}, {"key", "3"}}) == "--key is 3: it must be from 0 to 2");
}

TEST_CASE("keys of a window that others share are pixels, on the map, in bars and over the picture") {
  const RanExperiment run = parsed(R"({"variant": "swin", "params": {"heads": 1, "d_head": 4, "window": 3, "shift": 1},
    "inputs": {"x": {"image": "scene.png", "size": [6, 9]}}, "weights": {"init": "normal"}})");
  const Step& map = *run.trace->map();
  const Axis& keys = *map.axis(AxisRole::key);
  REQUIRE(keys.position_of);
  // Every place of every window, against the mechanism's own numbers of windows.
  const Tensor& windows = run.trace->find("windows")->tensor();
  for (Index query = 0; query < 54; ++query) {
    std::set<Index> met;
    for (Index place = 0; place < 9; ++place) {
      const Index pixel = keys.position_of(query, place);
      CHECK(windows[pixel] == windows[query]);
      met.insert(pixel);
    }
    CHECK(met.size() == 9);
  }
  const OwnedFigure bars = figure(run, {{"as", "bars"}, {"query", "10"}});
  const OwnedFigure over = figure(run, {{"as", "picture"}, {"query", "10"}});
  const Panel& panel = over.figure.panels.front();
  for (Index place = 0; place < 9; ++place) {
    const Index pixel = keys.position_of(10, place);
    CHECK(bars.figure.panels[0].column_labels[static_cast<std::size_t>(place)] ==
          fmt::format("{}, {}", pixel / 9, pixel % 9));
    CHECK(panel.numbers.at(pixel / 9, pixel % 9) == map.tensor()[10 * 9 + place]);
  }
  CHECK(std::isinf(panel.cells.at(5, 8)));  // far outside its window
  CHECK(holds(caption_of(over.figure), "Hatched cells are outside its window, or masked in it."));
  const OwnedFigure framed = figure(run, {{"as", "map"}, {"query", "10"}, {"key", "7"}});
  const Index pixel = keys.position_of(10, 7);
  CHECK(holds(caption_of(framed.figure),
              fmt::format("The frame marks query 10 (1, 1), key 7 ({}, {}).", pixel / 9, pixel % 9)));
  CHECK(framed.figure.panels.front().column_labels.empty());  // counted: each row has other pixels there
  // What is hatched is said and drawn, in lines over the picture.
  const auto lines_of = [](const OwnedFigure& made) {
    const auto svg = render_figure(made.figure, {}, font_files_in(HEADLIGHT_FONT_FOLDER), FigureFormat::svg, "f");
    if (!svg) FAIL(svg.error().message);
    const std::string& bytes = svg->front().bytes;
    std::size_t lines = 0;
    for (auto at = bytes.find("stroke-opacity="); at != std::string::npos; at = bytes.find("stroke-opacity=", at + 1))
      ++lines;
    return lines;
  };
  OwnedFigure blank = figure(run, {{"as", "picture"}, {"query", "10"}});
  blank.figure.blank_masked = true;
  CHECK(lines_of(over) > 20);
  CHECK(lines_of(blank) == 0);
}

TEST_CASE("what of a query's weight lies beside its picture is said") {
  const RanExperiment run = parsed(R"({"variant": "given", "inputs": {"weights": {"array": [[[
      [0.3, 0.1, 0.2, 0.3, 0.1], [0, 0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0]]]],
      "axes": "bhqk", "image": "scene.png", "grid": [2, 2]}}})");
  CHECK(holds(caption_of(figure(run, {{"as", "picture"}, {"query", "0"}}).figure),
              "0.300 of the weight lies beside the picture."));
  CHECK(holds(caption_of(figure(run, {{"as", "picture"}, {"query", "1"}}).figure), "0.000 of the weight"));
}

TEST_CASE("a measure of every head is a figure, and says where there is none") {
  const RanExperiment run = parsed(R"({"variant": "given", "inputs": {"weights": {"array": [
      [[[1, 0], [0, 1]], [[0.5, 0.5], [0.5, 0.5]]], [[[0, 1], [1, 0]], [[0.5, 0.5], [1, 0]]]], "axes": "lhqk"}}})");
  const OwnedFigure entropy = figure(run, {{"step", "measure/entropy"}});
  const MatrixView& cells = entropy.figure.panels.front().cells;
  CHECK((cells.rows == 2 && cells.columns == 2));
  CHECK((cells.at(0, 0) == 0 && cells.at(0, 1) == Approx(std::log(2)) && cells.at(1, 1) == Approx(std::log(2) / 2)));
  CHECK(holds(caption_of(entropy.figure), "Rows are layers and columns are heads (2 × 2)"));
  CHECK(entropy.figure.quantity == "entropy, nats");
  const RanExperiment two = parsed(R"({"variant": "given", "inputs": {"weights": {"array": [
      [[[1, 0], [0, 1]]], [[[0.5, 0.5], [0.5, 0.5]]]], "axes": "bhqk"}}})");
  const OwnedFigure second = figure(two, {{"step", "measure/entropy"}, {"batch", "1"}});  // of that item alone
  CHECK(second.figure.panels.front().cells.at(0, 0) == Approx(std::log(2)));
  CHECK(figure(two, {{"step", "measure/entropy"}}).figure.panels.front().cells.at(0, 0) == 0);
  CHECK(holds(refusal(run, {{"step", "measure/same"}}), "These positions have no tokens"));
  CHECK(holds(refusal(run, {{"step", "measure/nothing"}}), "no step \"measure/nothing\""));
}

TEST_CASE("what is drawn has the scale of the window, and one query alone that of its row") {
  const Scaled few{Kind::probability, 99}, many{Kind::probability, 100};
  CHECK(shown_range(few, up_to(0.1F), {}) == ValueRange{0, 0.1F});
  CHECK(shown_range(few, up_to(0.9F), {}) == ValueRange{0, 1});
  CHECK(shown_range(many, up_to(0.1F), {}) == ValueRange{1e-3F, 0.1F, Spacing::logarithmic});
  std::string row = "[";
  for (int i = 0; i < 16; ++i) row += i == 0 ? "0.0625" : ", 0.0625";
  std::string rows = "[1";
  for (int i = 1; i < 16; ++i) rows += ", 0";
  rows += "]";
  for (int i = 1; i < 16; ++i) rows += ", " + row + "]";
  const RanExperiment run = parsed(R"({"variant": "given", "inputs": {"weights": {"array": [)" + rows + "]}}}");
  const OwnedFigure map = figure(run, {}), bars = figure(run, {{"as", "bars"}, {"query", "3"}});
  CHECK(map.figure.range == shown_range(*run.trace->map(), 0, 0, {}));
  CHECK(map.figure.range == ValueRange{0, 1});
  CHECK(bars.figure.range == ValueRange{0, 0.08F});
  CHECK(shown_range(*run.trace->map(), 0, 0, {}, 3) == bars.figure.range);
}

TEST_CASE("a mask of large numbers hides as minus infinity does, where nothing is left of the weight") {
  const auto run = [](const char* number) {
    return parsed(fmt::format(R"({{"variant": "multi_head", "params": {{"heads": 1, "d_head": 4}},
      "inputs": {{"x_q": {{"text": "a b", "d_model": 8, "start_token": false}}, "attn_mask": [[0, {0}], [{0}, {0}]]}},
      "weights": {{"init": "normal"}}}})",
                              number));
  };
  for (const char* number : {"-1e9", "-65504", "-1e4"}) {
    INFO(number);
    const RanExperiment large = run(number);
    const OwnedFigure finite = figure(large, {});
    const MatrixView& cells = finite.figure.panels.front().cells;
    CHECK((std::isinf(cells.at(0, 1)) && cells.at(0, 0) == 1));
    CHECK((cells.at(1, 0) > 0 && cells.at(1, 1) > 0));  // a row of nothing else still has its weights
    CHECK(finite.figure.panels.front().numbers.at(0, 1) == 0);
    CHECK(
        large.trace->map()->warnings.front() ==
        "3 cells of attn_mask are -10000 or less, in place of −∞: they are shown as masked where no weight is left; 1 "
        "row has no visible key (first: batch 0, query 1), and its weights say nothing");
  }
  CHECK(run("-9999").trace->map()->warnings.empty());
}

TEST_CASE("keys of shifted windows are places of the picture, and share its scale") {
  const RanExperiment run = parsed(R"({"variant": "swin", "params": {"window": 4, "heads": 2},
                 "inputs": {"x": {"image": "scene.png", "size": [8, 8]}}})");
  const Step& map = *run.trace->map();
  REQUIRE(!map.axis(AxisRole::key)->grid);
  const OwnedFigure over = figure(run, {{"as", "picture"}, {"query", "3"}});
  CHECK(over.figure.range == shown_range(map, 0, 0, {}, 3));
  CHECK(over.figure.range.spacing == Spacing::linear);  // of 16 keys, though it lies over 64 places
}

TEST_CASE("one query's keys lie on a picture that is too large for those of all") {
  const RanExperiment run = parsed(R"({"variant": "swin", "params": {"window": 4, "heads": 4},
                 "inputs": {"x": {"image": "scene.png", "size": [128, 128]}}})");
  const Step& map = *run.trace->map();
  const Axis& keys = *map.axis(AxisRole::key);
  const Index query = 16000, first = (128 * 128 + query) * keys.size;  // of the second head
  const OwnedFigure over = figure(run, {{"as", "picture"}, {"head", "1"}, {"query", "16000"}});
  const Panel& panel = over.figure.panels.front();
  for (Index j = 0; j < keys.size; ++j) {
    const Index pixel = keys.position_of(query, j);
    CHECK(panel.numbers.at(pixel / 128, pixel % 128) == map.tensor()[first + j]);
  }
  CHECK(over.figure.query == "the query at 125, 0 (blue)");
  CHECK(figure(run, {{"as", "picture"}, {"head", "1"}}).figure.query == "the query at 64, 64 (blue)");
  CHECK(refusal(run, {{"as", "picture"}, {"query", "16384"}}) == "--query is 16384: it must be from 0 to 16383");
  CHECK(holds(refusal(run, {{"as", "picture"}, {"query", "0,16000"}}), "too many to lie on the picture at once"));
}

TEST_CASE("a caption names the framed pair of every mechanism as the window does") {
  int pairs = 0;
  for (const Variant* variant : all_variants())
    for (const std::string& sample : variant->samples()) {
      INFO(variant->info().id << ": " << sample);
      const RanExperiment run = ran(parse_experiment(sample, HEADLIGHT_SOURCE_DIR "/assets/examples", ""));
      const Step* map = run.trace->map();
      const Axis *queries = map ? map->axis(AxisRole::query) : nullptr,
                 *keys = map ? map->axis(AxisRole::key) : nullptr;
      if (!queries || !keys || queries->only) continue;
      for (const auto& [query, key] : {std::pair{Index{0}, keys->size - 1}, {queries->size - 1, Index{0}}}) {
        const OwnedFigure framed = figure(run, {{"step", map->info.id},
                                                {"as", "matrix"},
                                                {"head", "0"},
                                                {"query", std::to_string(query)},
                                                {"key", std::to_string(key)}});
        const std::string caption = caption_of(framed.figure);
        const auto at = caption.find("The frame marks ");
        REQUIRE(at != std::string::npos);
        const std::string marked = caption.substr(at, caption.find(". ", at) - at);
        INFO(marked);
        const std::string place = key_place(*run.trace, *map, key, query, 0).at;
        CHECK(holds(marked.substr(marked.rfind(" key ") + 1), place));
        const std::string asks =
            is_on_picture(*queries) ? place_of(*queries->grid, query) : label_of(queries, query, 0);
        CHECK(holds(marked.substr(0, marked.rfind(" key ")), asks));
        CHECK(holds(framed.figure.description, marked));
        ++pairs;
      }
    }
  CHECK(pairs > 20);
}
