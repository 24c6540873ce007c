// Figures that differ say so, and their words can be written by hand.
#include <algorithm>

#include "app/figures/figure_files.h"
#include "app/figures/figure_of.h"
#include "app/figures/figure_recipe.h"
#include "app/page/layout.h"
#include "app/reading/step_words.h"
#include "tests/catch.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

RanExperiment sentence(const std::string& words = "one two three four", const std::string& inputs = "") {
  return ran(parse_experiment(R"({"variant":"multi_head","params":{"heads":2,"d_head":8,"mask":"causal"},
                     "inputs":{"x_q":)" +
                                  (inputs.empty() ? R"({"text":")" + words + "\"}" : inputs) +
                                  R"(},"weights":{"init":"normal","seed":3}})",
                              ".", "sentence.headlight"));
}

Figure drawn(const RanExperiment& run, std::initializer_list<std::pair<const char*, const char*>> settings) {
  FigureRequest request;
  for (const auto& [key, text] : settings)
    if (const Status status = set_figure(request, key, text); !status) FAIL(status.error().message);
  auto made = figure_of(*run.trace, *run.problem, request, {});
  if (!made) FAIL(made.error().message);
  static std::vector<std::pair<RanExperiment, OwnedFigure>> kept;  // a figure looks at cells that it does not own
  kept.emplace_back(run, std::move(*made));
  return kept.back().second.figure;
}

Page page_of(const Figure& figure, const PageOptions& options = {}) {
  const auto page = lay_out(figure, options, *FontSet::load(font_files_in(HEADLIGHT_FONT_FOLDER)), vector_grid);
  if (!page) FAIL(page.error().message);
  return *page;
}

bool says(const Page& page, const std::string& text) {
  return std::ranges::any_of(page.texts, [&](const TextItem& item) { return item.line.text == text; });
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a head without a name is called by its number, once") {
  const RanExperiment random = sentence(), textbook = ran(example_experiment());
  CHECK(head_name(*random.trace, 1) == "Head 1");
  CHECK(head_number(*random.trace, 1) == "");
  CHECK(head_name(*textbook.trace, 1) == "Same token");
  CHECK(head_number(*textbook.trace, 1) == "1");
}

TEST_CASE("an item of a batch and the query of bars stand in the title") {
  const auto batch = sentence("", "[[[1,0,0,1],[0,1,0,0]],[[0,0,1,1],[1,1,0,0]]]");
  CHECK(has(drawn(batch, {{"batch", "1"}}).title, "batch item 1"));
  CHECK_FALSE(has(drawn(batch, {}).title, "batch"));
  CHECK_FALSE(has(drawn(sentence(), {{"batch", "0"}}).title, "batch"));  // there is but one
  CHECK(has(drawn(sentence(), {{"as", "bars"}, {"query", "2"}}).title, "query “two”"));
}

TEST_CASE("captions say what a frame marks, and lines of a query are solid") {
  const auto run = sentence();
  const Figure framed = drawn(run, {{"query", "3"}, {"key", "1"}});
  CHECK(has(caption_of(framed), "The frame marks query “three”, key “one”."));
  const Figure lines = drawn(run, {{"as", "lines"}, {"query", "3"}, {"head", "0"}});
  CHECK(has(caption_of(lines), "The line of query “three” is solid, the others are faint."));
  const Figure plain = drawn(run, {{"as", "lines"}, {"head", "0"}});
  const Page one = page_of(lines), all = page_of(plain);
  REQUIRE(one.lines.size() == all.lines.size());
  int same = 0, fainter = 0;
  for (std::size_t i = 0; i < one.lines.size(); ++i) {
    same += one.lines[i].opacity == all.lines[i].opacity;
    fainter += one.lines[i].opacity < all.lines[i].opacity;
  }
  CHECK(same > 0);
  CHECK(fainter > 0);
}

TEST_CASE("where titles of panels had to shrink, the words and numbers of the bar below are no larger") {
  PageOptions narrow;
  narrow.bar = BarPlace::below;
  for (const double width : {130.0, 400.0}) {
    INFO(width);
    narrow.width = width;
    const Page page =
        page_of(drawn(ran(example_experiment()), {{"head", "0-3"}, {"columns", "4"}, {"title", "none"}}), narrow);
    double titles = 0, words = 0;
    for (const TextItem& item : page.texts) {
      if (item.line.text == "Same token") titles = item.line.size;
      if (item.line.text == "masked" || item.line.text == "0.5") words = std::max(words, item.line.size);
    }
    CHECK((titles > 0 && words > 0));
    CHECK(words <= titles);
    CHECK((titles < narrow.text_size) == (width < 200));
  }
}

TEST_CASE("words that are thinned out are said to be") {
  std::string words;
  for (int i = 0; i < 400; ++i) words += fmt::format("w{} ", i);
  const Page page = page_of(drawn(sentence(words), {{"head", "0"}}));
  const bool thinned = std::ranges::any_of(page.texts, [](const TextItem& item) {
    return item.line.text.starts_with("query ↓ (1 in ") || item.line.text.starts_with("key → (1 in ");
  });
  CHECK(thinned);
  CHECK(says(page_of(drawn(sentence(), {{"head", "0"}})), "query ↓"));
}

TEST_CASE("every word of a figure can be written by hand, and none of it is lost in the recipe") {
  const auto run = sentence();
  const Figure figure = drawn(run, {{"panel-titles", "L5 H3|L5 H4"},
                                    {"row-name", "from"},
                                    {"column-name", "none"},
                                    {"bar-label", "attention"},
                                    {"title", "Mine"}});
  const Page page = page_of(figure);
  for (const char* text : {"L5 H3", "L5 H4", "from ↓", "attention", "Mine"}) CHECK(says(page, text));
  CHECK_FALSE(says(page, "key →"));
  // Nobody knows the plural of such a word.
  CHECK(has(caption_of(drawn(run, {{"row-name", "from"}, {"column-name", "to"}})),
            "Rows are “from” and columns are “to” ("));
  CHECK(
      has(caption_of(drawn(run, {{"as", "lines"}, {"row-name", "from"}})), "Lines go from “from” at the left to keys"));
  FigureRequest request;
  REQUIRE(set_figure(request, "panel-titles", "a|b"));
  REQUIRE(set_figure(request, "bar-label", "none"));
  REQUIRE(set_figure(request, "blank-masked", "true"));
  const auto again = parse_recipe(recipe_text(*run.experiment, request, {}, "."), ".", "f.pdf");
  REQUIRE(again);
  CHECK(again->request == request);
}

TEST_CASE("words that do not all stand are said to be thinned, in words and with the file") {
  std::string words = "w0";
  for (int i = 1; i < 90; ++i) words += fmt::format(" w{}", i);
  const auto run = sentence(words);
  const auto note = [&](const char* as, const char* width) {
    PageOptions page;
    page.width = std::atof(width);
    const auto files = render_figure(drawn(run, {{"as", as}, {"head", "0"}, {"query", "3"}}), page,
                                     font_files_in(HEADLIGHT_FONT_FOLDER), FigureFormat::svg, "f");
    REQUIRE(files);
    const bool said = has(files->front().bytes, " (1 in ");
    CHECK(said == !files->front().note.empty());  // on the axis and in words
    return files->front().note;
  };
  CHECK(note("map", "200") == "Labels name one query in 4 and one key in 4.");
  CHECK(note("map", "1200").empty());
  CHECK(note("bars", "200").starts_with("Labels name one key in "));
  CHECK(note("lines", "200").starts_with("Labels name one query in "));
  const auto files =
      figure_files(*run.trace, *run.problem, *run.experiment, {}, "f.svg", {false, false, true}, HEADLIGHT_FONT_FOLDER);
  REQUIRE(files);
  CHECK(has(files->back().bytes, "Labels name one query in "));
}

TEST_CASE("layers are called after their files") {
  FigureRequest request;
  REQUIRE(set_figure(request, "layers", "a/l1.headlight,l2.headlight"));
  CHECK(with_layer_names(request, "l0.headlight").layer_names == std::vector<std::string>{"l0", "l1", "l2"});
  CHECK(with_layer_names(FigureRequest(), "l0").layer_names.empty());
  REQUIRE(set_figure(request, "layer-names", "x|y|z"));
  CHECK(with_layer_names(request, "l0").layer_names == std::vector<std::string>{"x", "y", "z"});
}

TEST_CASE("masked cells can be left blank") {
  const auto run = sentence();
  const Figure blank = drawn(run, {{"head", "0"}, {"blank-masked", "true"}}), hatched = drawn(run, {{"head", "0"}});
  CHECK(says(page_of(hatched), "masked"));
  CHECK_FALSE(says(page_of(blank), "masked"));
  CHECK(has(caption_of(blank), "Blank cells are masked."));
  const auto white = [](const Page& page) {
    return std::ranges::count_if(page.fills, [](const FillItem& fill) { return fill.color == rgb(0xFFFFFF); });
  };
  CHECK(white(page_of(blank)) == white(page_of(hatched)) + 4);  // a run of masked cells in four rows of five
}

TEST_CASE("a title follows small text, and endings may be capitals") {
  CHECK(page_options(FigureRequest()).has_value());
  PageOptions small;
  small.text_size = 7;
  const Page page = page_of(drawn(sentence(), {{"title", "Mine"}}), small);
  const auto title = std::ranges::find_if(page.texts, [](const TextItem& item) { return item.line.text == "Mine"; });
  REQUIRE(title != page.texts.end());
  CHECK(title->line.size == 7);
  CHECK(figure_format_of("a.PDF").value() == FigureFormat::pdf);
}
