// What is said of a figure is true of its numbers.
#include "app/figures/figure_of.h"
#include "app/page/figure.h"
#include "app/reading/scaling.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"
#include "tests/catch.h"
#include "tests/runs.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

Tensor tensor_of(Shape shape, std::vector<float> values) {
  Tensor tensor(std::move(shape));
  std::ranges::copy(values, tensor.values().begin());
  return tensor;
}

Figure figure_of(const Tensor& tensor, PanelKind kind = PanelKind::map) {
  Figure figure;
  figure.title = "Weights";
  figure.quantity = "weight";
  Panel panel;
  panel.cells = matrix_at(tensor, {});
  panel.kind = kind;
  figure.panels = {panel};
  return figure;
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the greatest number is the greatest, and says where the diagonal is left out") {
  const Tensor even = tensor_of({2, 2}, {0.6F, 0.4F, 0.3F, 0.7F});
  CHECK(has(caption_of(figure_of(even)), "Greatest is 0.4 at query 0, key 1."));
  CHECK(has(caption_of(figure_of(even)), "Numbers named here lie off the diagonal."));
  const Tensor diagonal = tensor_of({2, 2}, {1, 0, 0.001F, 0.999F});  // nothing else is worth a word
  CHECK(has(caption_of(figure_of(diagonal)), "Greatest is 1 at query 0, key 0."));
  CHECK_FALSE(has(caption_of(figure_of(diagonal)), "off the diagonal"));
  Figure square = figure_of(even);
  square.row_axis = {"row", Role::none};
  square.column_axis = {"column", Role::none};
  CHECK(has(caption_of(square), "Greatest is 0.7 at 1, 1."));
  const Tensor negative = tensor_of({1, 3}, {0.1F, -0.5F, 0.2F});
  Figure minus = figure_of(negative);
  minus.range = {-1, 1};
  CHECK(has(caption_of(minus), "Furthest from 0 is −0.5 at query 0, key 1."));
  const Tensor values = tensor_of({1, 3}, {0.2F, 0.5F, 0.3F});
  Figure twins = figure_of(values);
  twins.panels[0].row_labels = {"a"};
  twins.panels[0].column_labels = {"the", "the", "cat"};
  CHECK(has(caption_of(twins), "Greatest is 0.5 at query “a”, key “the” (1)."));
}

TEST_CASE("rows add up to 1 only where they do") {
  const Tensor one = tensor_of({2, 2}, {0.5F, 0.5F, 1, masked_value}), none = tensor_of({2, 2}, {0.5F, 0.5F, 0, 0}),
               broken = tensor_of({1, 2}, {NAN, 0.5F});
  CHECK(has(caption_of(figure_of(one)), "so every row adds up to 1. Hatched cells are masked."));
  CHECK_FALSE(has(caption_of(figure_of(none)), "adds up"));
  CHECK_FALSE(has(caption_of(figure_of(broken)), "adds up"));
  CHECK(has(caption_of(figure_of(broken)), "1 cell is not a number, and crossed out."));
  CHECK(has(alt_of(figure_of(broken)), "1 cell is not a number"));
}

TEST_CASE("numbers beyond the scale, and scales that differ, are said") {
  const Tensor values = tensor_of({1, 2}, {0.2F, 0.8F});
  Figure figure = figure_of(values);
  CHECK(caption_of(figure).ends_with("The colours run on a linear scale from 0 to 1."));
  figure.range = {0, 0.5F};
  CHECK(caption_of(figure).ends_with("linear scale from 0 to 0.5; numbers beyond it are drawn as its ends."));
  figure.range = {0.1F, 1, Spacing::logarithmic};
  CHECK_FALSE(has(caption_of(figure), "beyond"));
  figure.panels.push_back(figure.panels[0]);
  figure.panels[1].range = ValueRange{0, 2};
  CHECK(caption_of(figure).ends_with("Scales differ from panel to panel; each has its bar."));
}

TEST_CASE("bars and lines are called so, and bars say whose they are") {
  const Tensor row = tensor_of({1, 3}, {0.2F, 0.5F, 0.3F}), square = tensor_of({2, 2}, {0.5F, 0.5F, 1, masked_value});
  Figure bars = figure_of(row, PanelKind::bars);
  bars.query = "query “cat”";
  CHECK(has(caption_of(bars), "Bars are the row of query “cat” over 3 keys."));
  CHECK(has(caption_of(bars), "Greatest is 0.5 at key 1. The bars stand on a linear scale from 0 to 1."));
  CHECK(alt_of(bars).starts_with("Bar chart of Weights, 3 bars, for query “cat”."));
  bars.title = "Weights, query “cat”";
  CHECK(alt_of(bars).starts_with("Bar chart of Weights, query “cat”, 3 bars."));
  const Figure lines = figure_of(square, PanelKind::lines);
  CHECK(alt_of(lines).starts_with("Lines of Weights, 2 rows by 2 columns."));
  CHECK_FALSE(has(caption_of(lines), "Hatched"));
}

TEST_CASE("what many cells share is no peak, and what panels do not share is not said of all") {
  const Tensor even = tensor_of({1, 4}, {0.25F, 0.25F, 0.25F, 0.25F}), tie = tensor_of({1, 3}, {0.4F, 0.4F, 0.2F});
  CHECK(has(caption_of(figure_of(even)), "0.25 everywhere."));
  CHECK(has(caption_of(figure_of(tie)), "Greatest is 0.4 in 2 cells, first at query 0, key 0."));
  Figure mixed = figure_of(even);
  mixed.panels.push_back(mixed.panels[0]);
  mixed.panels[1].cells = matrix_at(tie, {});
  CHECK_FALSE(has(caption_of(mixed), "1 × 4"));
  CHECK(has(alt_of(mixed), "Grid of 2 heatmaps of Weights, of several sizes."));
  mixed.column_axis = {};
  CHECK_FALSE(has(caption_of(mixed), "Rows are"));
  CHECK(has(alt_of(mixed), "at query 0, column 0"));
}

TEST_CASE("a picture without a query is not said to look") {
  const Tensor cells = tensor_of({1, 2}, {3, -4});
  Figure figure = figure_of(cells, PanelKind::picture);
  figure.quantity = "value";
  figure.range = {-4, 4};
  figure.panels[0].picture_grid = {1, 1, 2};
  CHECK(has(caption_of(figure), "Colour shows the value at each place of the picture."));
  figure.query = "the query at 0, 1";
  figure.quantity = "score";
  CHECK(has(caption_of(figure), "Colour shows, for the query at 0, 1, the score of each place of the picture."));
  figure.panels[0].place = {0, -1, 1, 1};
  figure.panels[0].cells.columns = 1;
  CHECK(has(caption_of(figure), "at 0, −1, outside the picture"));
}

TEST_CASE("numbers that only look alike are no tie, and what is not 1 is not called 1") {
  const Tensor near = tensor_of({1, 3}, {0.99991F, 0.99982F, 0.99948F}), one = tensor_of({1, 2}, {1, 1});
  CHECK(has(caption_of(figure_of(near)), "Greatest is 0.9999 at query 0, key 0."));
  CHECK(has(caption_of(figure_of(one)), "1 everywhere"));
  const Tensor nearly = tensor_of({1, 4}, {1, 0.9999995F, 1, 0.2F}), below = tensor_of({1, 2}, {0.9999995F, 0.2F});
  CHECK(has(caption_of(figure_of(nearly)), "Greatest is 1 in 2 cells, first at query 0, key 0."));
  CHECK(has(caption_of(figure_of(below)), "Greatest is 0.9999995 at query 0, key 0."));
}

namespace {

// Attention over a picture of 2 × 2 between a class token and a word, as many queries as keys or so few.
struct Dump {
  Scratch folder;
  RanExperiment run;

  explicit Dump(const std::string& queries_and_keys) {
    REQUIRE(write_file(folder / "p.png", *encode_png(filled_image(4, 4, rgb(0x808080)))));
    run = ran(parse_experiment(R"({"variant": "given", "inputs": {"weights": {)" + queries_and_keys + "}}}",
                               folder / "", "dump.json"));
  }
  Result<OwnedFigure> asked(std::optional<Index> query, std::optional<Index> key) const {
    FigureRequest request;
    request.kind = FigureKind::picture;
    request.query = query;
    request.key = key;
    return app::figure_of(*run.trace, *run.problem, request);
  }
  OwnedFigure figure(std::optional<Index> query, std::optional<Index> key = {}) const {
    auto made = asked(query, key);
    if (!made) FAIL(made.error().message);
    return std::move(*made);
  }
};

std::string uniform(Index queries, Index keys) {
  std::string text = "[";
  for (Index i = 0; i < queries; ++i) {
    text += i > 0 ? ", [" : "[";
    for (Index j = 0; j < keys; ++j) text += fmt::format("{}{}", j > 0 ? ", " : "", 1.0 / static_cast<double>(keys));
    text += "]";
  }
  return text + "]";
}

}  // namespace

TEST_CASE("who asks beside a picture has a name and no mark, and keys are counted as the run counts them") {
  const Dump dump(R"("array": )" + uniform(6, 6) +
                  R"(, "image": "p.png", "grid": [2, 2], "offset": 1, "tokens": ["CLS", "word"])");
  struct Case {
    Index query;
    const char* name;
    std::optional<CellPlace> mark;
  };
  for (const Case& c : {Case{0, "query “CLS”", {}}, Case{1, "the query at 0, 0", CellPlace{0, 0}},
                        Case{3, "the query at 1, 0", CellPlace{1, 0}}, Case{5, "query “word”", {}}}) {
    INFO(c.name);
    const OwnedFigure owned = dump.figure(c.query);
    const Figure& figure = owned.figure;
    CHECK(has(caption_of(figure), c.name));
    CHECK(has(caption_of(figure), "(blue)") == c.mark.has_value());
    const Panel& panel = figure.panels.front();
    CHECK(panel.query_marked == c.mark.has_value());
    REQUIRE(panel.highlights.size() == (c.mark ? 1 : 0));
    if (c.mark) CHECK((panel.highlights[0].row == c.mark->row && panel.highlights[0].column == c.mark->column));
  }
  const OwnedFigure key = dump.figure(0, 4);  // the last patch
  CHECK(has(caption_of(key.figure), "The key at 1, 1 is framed."));
  CHECK_FALSE(key.figure.panels.front().query_marked);
  // The word lies on no picture: what the patches give it does.
  const OwnedFigure word = dump.figure({}, 5);
  CHECK(word.figure.panels.front().cells.columns * word.figure.panels.front().cells.rows == 4);
  CHECK(has(word.figure.title, "weights on “word”"));
  CHECK(dump.asked(0, 5).error().message ==
        "--key 5 lies beside the picture: leave --query out to see its weights over it");
  const OwnedFigure both = dump.figure(2, 4);
  CHECK(has(caption_of(both.figure), "The key at 1, 1 is framed too."));
}

TEST_CASE("each item of a batch is called by its own words") {
  const std::string map = uniform(2, 2);
  const RanExperiment run =
      ran(parse_experiment(R"({"variant": "given", "inputs": {"weights": {"axes": "bqk", "array": [)" + map + ", " +
                               map + R"(], "tokens": [["the", "cat"], ["the", "dog"]]}}})",
                           {}, "batch.json"));
  FigureRequest request;
  request.kind = FigureKind::bars;
  request.batch = 1;
  request.query = 1;
  const auto made = app::figure_of(*run.trace, *run.problem, request);
  REQUIRE(made);
  CHECK(made->figure.panels.front().column_labels == std::vector<std::string>{"the", "dog"});
  CHECK(has(caption_of(made->figure), "query “dog”"));
  CHECK_FALSE(has(caption_of(made->figure), "cat"));
}

TEST_CASE("a picture of keys is one row, which is alike only where all its cells are") {
  for (const char* kind : {"offsets", "map"}) {
    const RanExperiment run = ran(parse_experiment(R"({"variant": "stand_alone_2d",
        "params": {"heads": 2, "mid_channels": 8}, "inputs": {"x": {"image": "scene.png", "size": [8, 8]}},
        "weights": {"init": "textbook"}})",
                                                   HEADLIGHT_SOURCE_DIR "/assets/examples", ""));
    FigureRequest request;
    REQUIRE(set_figure(request, "as", kind));
    REQUIRE(set_figure(request, "query", "27"));
    const auto made = app::figure_of(*run.trace, *run.problem, request);
    REQUIRE(made);
    const std::string caption = caption_of(made->figure);
    INFO(caption);
    CHECK_FALSE(has(caption, "nearly alike"));  // of "Same row"
    CHECK(has(caption, "the query at 3, 3."));
  }
}

TEST_CASE("the scale of a video over its frames ends where the window's does: by the keys of all frames") {
  const RanExperiment run = ran(parse_experiment(
      R"({"variant": "non_local", "inputs": {"x": {"frames": ["scene_0.png", "scene_1.png", "scene_2.png"],
          "size": [8, 8]}}, "weights": {"init": "textbook"}})",
      HEADLIGHT_SOURCE_DIR "/assets/examples", ""));
  FigureRequest request;
  REQUIRE(set_figure(request, "as", "picture"));
  REQUIRE(set_figure(request, "query", "0"));
  const auto made = app::figure_of(*run.trace, *run.problem, request);
  if (!made) FAIL(made.error().message);
  REQUIRE(made->figure.panels.size() == 3);
  INFO(made->figure.range.low << " " << made->figure.range.high);
  const Step& map = *run.trace->map();
  CHECK(made->figure.range == shown_range(map, 0, 0, {}, 0));  // of its row: 192 keys, 64 a frame
}
