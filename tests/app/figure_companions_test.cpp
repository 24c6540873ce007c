// Figures of more than one run or matrix: differences, layers by heads, keys by their offset, and what they are made
// from again.
#include <algorithm>

#include "app/figures/figure_files.h"
#include "app/figures/figure_of.h"
#include "app/figures/figure_recipe.h"
#include "app/reading/key_place.h"
#include "app/session/session.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "tests/catch.h"
#include "tests/runs.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

Companion companion(Result<Experiment> experiment) {
  auto [asked, problem, trace] = ran(std::move(experiment));
  return {std::move(asked), std::move(problem), std::move(trace), "", 1};
}

Experiment causal(int seed, int heads = 4) {
  auto experiment =
      parse_experiment(fmt::format(R"({{"variant":"multi_head","params":{{"heads":{},"d_head":8,"mask":"causal"}},
                     "inputs":{{"x_q":{{"text":"one two three four"}}}},"weights":{{"init":"normal","seed":{}}}}})",
                                   heads, seed),
                       ".", "causal");
  if (!experiment) FAIL(experiment.error().message);
  return std::move(*experiment);
}

Experiment picture(const std::string& variant, const std::string& params, Index side, Index channels) {
  std::string values;
  for (Index i = 0; i < channels * side * side; ++i) {
    if (i % (side * side) == 0) values += i ? "]],[" : "[";
    values += i % side == 0 ? (i % (side * side) ? "],[" : "[") : ",";
    values += fmt::format("{}", i * 37 % 11 - 5);
  }
  auto experiment = parse_experiment(
      fmt::format(R"({{"variant":"{}","params":{{{}}},"inputs":{{"x":[[{}]]]]}},"weights":{{"init":"normal"}}}})",
                  variant, params, values),
      ".", "picture");
  if (!experiment) FAIL(experiment.error().message);
  return std::move(*experiment);
}

FigureRequest request_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  FigureRequest request;
  for (const auto& [key, text] : settings)
    if (const Status set = set_figure(request, key, text); !set) FAIL(set.error().message);
  return request;
}

Result<OwnedFigure> figure(const Companion& of, const FigureRequest& request, const Companions& companions = {}) {
  return figure_of(*of.trace, *of.problem, request, companions);
}

std::string error_of(const Result<OwnedFigure>& made) {
  return made ? "" : made.error().message;
}

}  // namespace

TEST_CASE("a difference is what is drawn, on a scale with zero in its middle") {
  const Companion a = companion(causal(1)), b = companion(causal(2));
  const Companions companions{{"b", b}};
  const auto made = figure(a, request_of({{"minus", "b"}}), companions);
  REQUIRE(made);
  REQUIRE(made->figure.panels.size() == 4);
  CHECK(made->figure.range.is_signed());
  CHECK(made->figure.range.low == -made->figure.range.high);
  CHECK(made->figure.title == "Attention weights minus those of b");
  CHECK(made->figure.quantity == "difference in weight");
  float greatest = 0;
  for (Index head = 0; head < 4; ++head)
    for (Index q = 0; q < 5; ++q)
      for (Index k = 0; k < 5; ++k) {
        const float drawn = made->figure.panels[static_cast<std::size_t>(head)].cells.at(q, k);
        const float x = a.trace->find("weights")->tensor().at({0, head, q, k});
        const float y = b.trace->find("weights")->tensor().at({0, head, q, k});
        if (k > q) {
          CHECK(is_masked(drawn));
        } else {
          CHECK(drawn == x - y);
          greatest = std::max(greatest, std::abs(drawn));
        }
      }
  CHECK(greatest > 0.1F);
  CHECK(made->figure.range.high == greatest);

  const auto heads = figure(a, request_of({{"minus", "head:1"}}));
  REQUIRE(heads);
  REQUIRE(heads->figure.panels.size() == 3);  // not itself
  CHECK(heads->figure.panels[1].title == "Head 2");
  CHECK(heads->figure.title == "Attention weights minus head 1");
  CHECK(heads->figure.panels[1].cells.at(4, 2) ==
        a.trace->find("weights")->tensor().at({0, 2, 4, 2}) - a.trace->find("weights")->tensor().at({0, 1, 4, 2}));
  const auto steps = figure(a, request_of({{"step", "scores"}, {"minus", "step:scaled_scores"}, {"head", "0"}}));
  REQUIRE(steps);
  CHECK(steps->figure.panels[0].cells.at(4, 2) ==
        a.trace->find("scores")->tensor().at({0, 0, 4, 2}) - a.trace->find("scaled_scores")->tensor().at({0, 0, 4, 2}));
}

TEST_CASE("what cannot be taken away is said") {
  const Companion a = companion(causal(1));
  CHECK(error_of(figure(a, request_of({{"minus", "head:4"}}))) == "--minus is head:4: weights has the heads 0 to 3");
  CHECK(error_of(figure(a, request_of({{"minus", "step:nothing"}}))).starts_with("there is no step \"nothing\""));
  CHECK(error_of(figure(a, request_of({{"minus", "step:q"}}))).starts_with("--minus: weights is 5 × 5 and"));
  CHECK(error_of(figure(a, request_of({{"minus", "b"}}))) == "--minus: b is still running");
  Companion broken;
  broken.error = "b: not there";
  CHECK(error_of(figure(a, request_of({{"minus", "b"}}), {{"b", broken}})) == "--minus: b: not there");
  FigureRequest request;
  CHECK_FALSE(set_figure(request, "minus", "head:x"));
  CHECK_FALSE(set_figure(request, "minus", "step:"));
  REQUIRE(set_figure(request, "layers", " a, ,b,"));
  CHECK(request.layers == std::vector<std::string>{"a", "b"});
}

TEST_CASE("layers stand below each other, on the scale of all of them") {
  const Companion a = companion(causal(1)), b = companion(causal(2)), c = companion(causal(3, 2));
  const auto made = figure(a, request_of({{"layers", "b"}, {"step", "scores"}}), {{"b", b}});
  REQUIRE(made);
  REQUIRE(made->figure.panels.size() == 8);
  CHECK(made->figure.grid_columns == 4);
  CHECK(made->figure.panels[5].title == "Layer 1, Head 1");
  CHECK(made->figure.panels[5].cells.at(1, 0) == b.trace->find("scores")->tensor().at({0, 1, 1, 0}));
  const Extent all = united(extent_of(a.trace->find("scores")->tensor().values()),
                            extent_of(b.trace->find("scores")->tensor().values()));
  CHECK(made->figure.range.high == std::max(-all.least, all.greatest));
  CHECK(made->figure.shared_by == "shared by all panels");
  CHECK(error_of(figure(a, request_of({{"layers", "c"}}), {{"c", c}}))
            .starts_with("--layers: c has 2 panels where the first experiment has 4"));
  CHECK(error_of(figure(a, request_of({{"layers", "c"}, {"head", "3"}}), {{"c", c}})) ==
        "--layers: c: --head is 3: it must be from 0 to 1");
}

TEST_CASE("a grid names its columns only where all rows have the same") {
  const Companion a = companion(causal(1)), b = companion(causal(2)), named = companion(example("causal"));
  const auto same = figure(a, request_of({{"layers", "b"}}), {{"b", b}});
  REQUIRE(same);
  CHECK(same->figure.column_titles == std::vector<std::string>{"Head 0", "Head 1", "Head 2", "Head 3"});
  CHECK(same->figure.row_titles == std::vector<std::string>{"Layer 0", "Layer 1"});
  // Titles of one's own change no panel's place.
  const auto titled = figure(a, request_of({{"layers", "b"}, {"panel-titles", "p|q|r|s|t|u|v|w"}}), {{"b", b}});
  REQUIRE(titled);
  CHECK(titled->figure.grid_columns == 4);
  CHECK((titled->figure.row_titles.empty() && titled->figure.panels[7].title == "w"));
  // Other heads, and other tokens: a query that the second has not is no hindrance to maps of all of them.
  const auto other = figure(named, request_of({{"layers", "a"}, {"head", "0-3"}, {"query", "11"}}), {{"a", a}});
  if (!other) FAIL(other.error().message);
  CHECK(other->figure.column_titles.empty());
  CHECK(other->figure.panels[0].title == "Layer 0, Previous token");
  CHECK(other->figure.panels[4].title == "Layer 1, Head 0");
  CHECK(error_of(
            figure(named, request_of({{"layers", "a"}, {"head", "0-3"}, {"query", "11"}, {"as", "bars"}}), {{"a", a}}))
            .starts_with("--layers: a: --query is 11"));
}

TEST_CASE("rows of their own greatest are queries, of which a picture of keys is one") {
  const Companion run = companion(picture("stand_alone_2d", R"("heads":2,"mid_channels":4,"out_channels":3)", 4, 3));
  const auto made = figure(run, request_of({{"spacing", "row-max"}}));
  REQUIRE(made);
  for (const Panel& panel : made->figure.panels) {
    REQUIRE(panel.range);
    CHECK(panel.range->spacing == Spacing::linear);
    CHECK(panel.range->high == extent_of(panel.cells).greatest);
  }
  const auto mixed = figure(run, request_of({{"step", "v,weights"}, {"as", "map"}}));
  REQUIRE(mixed);
  CHECK(mixed->figure.quantity == "number");
}

TEST_CASE("offsets put the query in the middle and leave out what it does not reach") {
  const Companion run = companion(picture("stand_alone_2d", R"("heads":2,"mid_channels":4,"out_channels":3)", 4, 3));
  const auto made = figure(run, request_of({{"step", "position_scores"}, {"as", "offsets"}, {"query", "6"}}));
  if (!made) FAIL(made.error().message);
  const Panel& panel = made->figure.panels[1];
  REQUIRE(panel.cells.rows == 7);
  REQUIRE(panel.cells.columns == 7);
  CHECK(panel.first_row == -3);
  const Tensor& scores = run.trace->find("position_scores")->tensor();
  Index reached = 0;
  for (Index r = -3; r <= 3; ++r)
    for (Index c = -3; c <= 3; ++c) {
      const float drawn = panel.cells.at(r + 3, c + 3);
      const Index row = 1 + r, column = 2 + c;  // query 6 of a side of 4 is at 1, 2
      if (row < 0 || row > 3 || column < 0 || column > 3) {
        CHECK(is_masked(drawn));
      } else {
        ++reached;
        CHECK(drawn == scores.at({0, 1, 6, row * 4 + column}));
      }
    }
  CHECK(reached == 16);
  CHECK(caption_of(made->figure).find("Hatched cells are outside the picture.") != std::string::npos);
  const auto table = figure(run, request_of({{"step", "v"}, {"as", "offsets"}}));
  CHECK(error_of(table) == "--as offsets needs a step of queries and keys on a grid: v has none");
}

TEST_CASE("pooled keys are no window round the query, even where their grid is square and odd") {
  const Companion run = companion(picture("non_local", R"("dimension":2,"sub_sample":true)", 6, 2));
  const Step& weights = *run.trace->find("weights");
  const Slice slice = slice_of(weights, {0, 0, 0, {0, {}, {}, {}, {}}, false});
  REQUIRE(slice.grid.rows == 3);
  CHECK_FALSE(is_window(slice));
  CHECK(error_of(figure(run, request_of({{"as", "offsets"}})))
            .starts_with("--as offsets: the keys of weights lie on another grid than the queries, 3 × 3 and 6 × 6"));
  const Companion local = companion(picture("memory_block", R"("extent":3,"heads":1)", 5, 2));
  const Slice window = slice_of(*local.trace->find("weights"), {0, 0, 0, {7, {}, {}, {}, {}}, false});
  CHECK(is_window(window));
  CHECK(offsets_of(window, 7)->first_row == -1);
}

TEST_CASE("what is saved beside a figure is the trace's, also where it is drawn masked") {
  const Companion run = companion(causal(1));
  const auto files = figure_files(*run.trace, *run.problem, *run.experiment, request_of({}), "f.svg",
                                  {true, true, false}, HEADLIGHT_FONT_FOLDER);
  if (!files) FAIL(files.error().message);
  CHECK(std::string_view(files->back().bytes).ends_with(bytes_of(run.trace->find("weights")->tensor())));
  CHECK((*files)[1].bytes.find("inf") == std::string::npos);
}

TEST_CASE("nothing is written over what the experiment reads, and a figure elsewhere finds it again") {
  const Scratch scratch;
  REQUIRE(write_file(scratch / "x.csv", "1\n2\n3\n4\n"));
  REQUIRE(write_file(scratch / "e.headlight",
                     R"({"variant":"multi_head","inputs":{"x_q":{"signal":"x.csv"}},"weights":{"init":"normal"}})"));
  const Companion run = companion(read_experiment(scratch / "e.headlight"));
  const auto made = [&](const std::string& name, bool csv) {
    return figure_files(*run.trace, *run.problem, *run.experiment, request_of({}), scratch / name, {csv, false, false},
                        HEADLIGHT_FONT_FOLDER);
  };
  REQUIRE(made("x.svg", false));
  const auto files = made("x.svg", true);
  REQUIRE(files);
  const auto reads = files_read_for(*run.experiment, {}, request_of({{"font", (scratch / "f.otf").string()}}));
  const Status refused = write_figure_files(*files, scratch / "x.svg", reads);
  REQUIRE_FALSE(refused);
  CHECK_FALSE(std::filesystem::exists(scratch / "x.svg"));  // nor is the other
  REQUIRE(write_file(scratch / "f.otf", "a font"));
  CHECK_FALSE(check_not_input(reads, scratch / "f.otf"));
  std::filesystem::create_directory(scratch / "frames");
  REQUIRE(write_file(scratch / "0.png", "a picture"));
  std::filesystem::create_symlink(scratch / "0.png", scratch / "frames/a.png");
  Experiment frames;
  frames.inputs["x"] = FramesInput{{(scratch / "frames").string()}, {}, "described"};
  CHECK_FALSE(check_may_write(frames, scratch / "0.png"));
  CHECK_FALSE(check_may_write(frames, scratch / "frames/new.png"));
  CHECK(check_may_write(frames, scratch / "new.png"));
  CHECK(refused.error().message.find("x.csv: the experiment reads this file") != std::string::npos);
  CHECK_FALSE(check_may_write(*run.experiment, scratch / "e.headlight"));
  const auto deep = made("a/b/y.svg", false);
  REQUIRE(deep);
  const auto recipe = recipe_of(deep->front().bytes);
  REQUIRE(recipe);
  const auto again = parse_recipe(*recipe, scratch / "a/b", "y.svg");
  REQUIRE(again);
  CHECK(std::get<SignalInput>(again->experiment.inputs.at("x_q")).path == "../../x.csv");
}

TEST_CASE("a setting that is no text is refused") {
  FigureRequest request;
  const Status set = set_figure(request, "title", "\xFF\xFE");
  REQUIRE_FALSE(set);
  CHECK(set.error().message.starts_with("--title: what it is given is no text"));
  CHECK(set_figure(request, "title", "кот"));
}

TEST_CASE("a recipe holds the further experiments") {
  const Companion a = companion(causal(1)), b = companion(causal(2));
  const FigureRequest request = request_of({{"layers", "b.headlight"}, {"minus", "c.headlight"}});
  const std::string text = recipe_text(*a.experiment, request, {{"b.headlight", b}, {"c.headlight", a}}, ".");
  const auto recipe = parse_recipe(text, ".", "f.pdf");
  if (!recipe) FAIL(recipe.error().message);
  CHECK(recipe->request == request);
  REQUIRE(recipe->companions.size() == 2);
  CHECK(recipe->companions.at("b.headlight").weights == b.experiment->weights);
  CHECK(recipe->companions.at("c.headlight").weights == a.experiment->weights);
}

TEST_CASE("the session runs what its figure reads, and says what is missing") {
  const Scratch scratch;
  const std::string path = (scratch / "b.headlight").string();
  REQUIRE(write_experiment(causal(2), path));
  Session session(causal(1), {}, {});
  REQUIRE(session.settle());
  session.act(ShowScreen{Screen::figure});
  session.act(SetFigure{"minus", path, false});
  REQUIRE(session.settle());
  REQUIRE(session.model().companions.contains(path));
  const Model& model = session.model();
  const auto made = figure_of(*model.trace(), *model.shown.problem, model.document.figure, model.companions);
  REQUIRE(made);
  CHECK(made->figure.quantity == "difference in weight");
  session.act(SetFigure{"minus", path + "x", false});
  REQUIRE(session.settle());
  CHECK(model.companions.size() == 1);  // the other was let go
  CHECK(model.companions.begin()->second.error.find("b.headlightx") != std::string::npos);
}

TEST_CASE("a figure's recipe is written although the folder that the program runs in is gone") {
  const auto before = std::filesystem::current_path();
  const Companion of = companion(causal(1));
  {
    const Scratch gone;
    std::filesystem::create_directory(gone / "x");
    std::filesystem::current_path(gone / "x");
  }
  const std::string recipe = recipe_text(*of.experiment, FigureRequest{}, {}, ".");
  std::filesystem::current_path(before);
  CHECK(recipe.find("\"headlight_figure\":1") != std::string::npos);
}

TEST_CASE("of shifted windows the pixels are subtracted, not the places of the windows") {
  const auto shifted = [](int by) {
    return companion(picture("swin", fmt::format(R"("window":3,"heads":1,"d_head":4,"shift":{})", by), 6, 3));
  };
  const Companion run = shifted(1), other = shifted(0);
  FigureRequest request = request_of({{"as", "map"}, {"minus", "other.headlight"}});
  const auto made = figure(run, request, {{"other.headlight", other}});
  REQUIRE(made);
  const Step &a = *run.trace->map(), &b = *other.trace->map();
  const Axis &keys = *a.axis(AxisRole::key), &others = *b.axis(AxisRole::key);
  Index met = 0, apart = 0;
  for (Index query = 0; query < 36; ++query)
    for (Index place = 0; place < 9; ++place) {
      float taken = 0;  // of a pixel that is no key there
      for (Index j = 0; j < 9; ++j)
        if (others.position_of(query, j) == keys.position_of(query, place)) {
          taken = b.tensor()[query * 9 + j];
          met += j != place;
        }
      apart += taken == 0;
      const float cell = made->figure.panels.front().cells.at(query, place);
      if (!is_masked(cell)) CHECK(cell == a.tensor()[query * 9 + place] - taken);
    }
  CHECK((met > 0 && apart > 0));
  CHECK(caption_of(made->figure).find("outside of the first’s window, and left out.") != std::string::npos);
}
