// What figures are asked for: settings and their texts, what they make of a trace, words, numbers, recipes.
#include "app/figures/figure_request.h"

#include <charconv>
#include <cmath>
#include <filesystem>

#include "app/figures/figure_files.h"
#include "app/figures/figure_recipe.h"
#include "app/text/font_set.h"
#include "engine/io/npy.h"
#include "engine/picture/color_vision.h"
#include "tests/catch.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

OwnedFigure figure(const RanExperiment& run, const FigureRequest& request) {
  auto owned = figure_of(*run.trace, *run.problem, request);
  if (!owned) FAIL(owned.error().message);
  return std::move(*owned);
}

FigureRequest request_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  FigureRequest request;
  for (const auto& [key, text] : settings) {
    const Status set = set_figure(request, key, text);
    if (!set) FAIL(set.error().message);
  }
  return request;
}

std::string refusal(const std::string& key, const std::string& text) {
  FigureRequest request;
  const Status set = set_figure(request, key, text);
  return set ? "" : set.error().message;
}

}  // namespace

TEST_CASE("every setting has a text that sets it again, and the command says what is not usual") {
  const FigureRequest request = request_of({{"step", "weights,scores"},
                                            {"as", "matrix"},
                                            {"head", "0,3-5"},
                                            {"average", "true"},
                                            {"layers", "a.headlight,b.headlight"},
                                            {"part", "cross"},
                                            {"layer-names", "x|y|z"},
                                            {"panel-titles", "L5 H3|L5 H4"},
                                            {"row-name", "from"},
                                            {"column-name", "none"},
                                            {"bar-label", "attention"},
                                            {"blank-masked", "true"},
                                            {"minus", "head:2"},
                                            {"batch", "1"},
                                            {"query", "9"},
                                            {"key", "3"},
                                            {"after", "5"},
                                            {"frame", "2"},
                                            {"columns", "2"},
                                            {"marks", "numbers"},
                                            {"title", "it's a title"},
                                            {"caption", "none"},
                                            {"alt", "words"},
                                            {"width", "icml-column"},
                                            {"exact-width", "true"},
                                            {"height", "170mm"},
                                            {"dpi", "600"},
                                            {"font", "serif"},
                                            {"text", "7.5"},
                                            {"min-text", "5.7"},
                                            {"grid", "true"},
                                            {"transparent", "true"},
                                            {"colors", "viridis"},
                                            {"range", "0:0.5"},
                                            {"shared", "false"},
                                            {"bar", "beside"},
                                            {"spacing", "row-max"},
                                            {"numbers", "top"},
                                            {"top", "2"},
                                            {"recipe", "false"}});
  const auto settings = settings_of(request);
  CHECK(settings.size() == figure_settings().size());  // each of them is changed
  FigureRequest again;
  for (const auto& [key, text] : settings) REQUIRE(set_figure(again, key, text));
  CHECK(again == request);
  CHECK(request.heads == std::vector<Index>{0, 3, 4, 5});
  CHECK(settings_of(FigureRequest{}).empty());
  const FigureRequest layers = request_of({{"layers", "a.json"}, {"layers", "0,3-5"}});
  CHECK((layers.layers.empty() && layers.run_layers == std::vector<Index>{0, 3, 4, 5}));
  CHECK(setting_of(layers, "layers") == "0,3,4,5");
  CHECK(setting_of(request_of({{"layers", "all"}}), "layers") == "all");
  CHECK(figure_command(request_of({{"head", "2"}, {"title", "it's"}, {"grid", "true"}, {"shared", "false"}}),
                       "my file.json", "f.pdf") ==
        "headlight render 'my file.json' --head 2 --title 'it'\\''s' --grid --shared=false -o f.pdf");
}

TEST_CASE("a setting that cannot be is refused by its flag") {
  CHECK(refusal("head", "x") == "--head is x: it must be all, or numbers counted from 0, such as 2 or 0,3-5");
  CHECK(refusal("range", "1:0") == "--range is 1:0: it must be auto, or LOW:HIGH such as 0:1");
  CHECK(refusal("range", "0:inf") != "");
  CHECK(refusal("width", "wide").starts_with("--width is wide: it must be a length from 1in to 80in"));
  CHECK(refusal("colors", "jet") ==
        "--colors is jet: it must be one of auto, dusk, beam, tide, tide_dark, viridis, cividis, magma, grey");
  CHECK(refusal("dpi", "1e9") == "--dpi is 1e9: it must be a number from 36 to 2400");
  CHECK(refusal("spacing", "sqrt") != "");
  CHECK(refusal("bar", "left") == "--bar is left: it must be one of auto, beside, below, none");
  CHECK(refusal("nothing", "1") == "\"nothing\" is no setting of a figure");
  FigureRequest small = request_of({{"min-text", "9"}});
  CHECK_FALSE(page_options(small));
  CHECK(page_options(request_of({{"bar", "none"}}))->bar == BarPlace::none);
  CHECK(page_options(request_of({{"width", "25.4"}}))->width == Approx(72));  // millimetres
}

TEST_CASE("panels are heads, steps, frames and kinds, each on an honest scale") {
  const RanExperiment run = ran(example_experiment());
  const OwnedFigure all = figure(run, request_of({{"step", "weights"}}));
  REQUIRE(all.figure.panels.size() == 8);
  CHECK(all.figure.panels[2].mark == "c");
  CHECK(all.figure.panels[2].title == "Induction");
  CHECK_FALSE(all.figure.panels[0].range);
  CHECK(all.figure.shared_by == "shared by all heads");
  const OwnedFigure own = figure(run, request_of({{"step", "scores"}, {"shared", "false"}, {"head", "0,2"}}));
  REQUIRE(own.figure.panels.size() == 2);
  REQUIRE(own.figure.panels[0].range);
  CHECK_FALSE(*own.figure.panels[0].range == *own.figure.panels[1].range);
  const OwnedFigure steps = figure(run, request_of({{"step", "scores,weights"}, {"head", "2"}}));
  REQUIRE(steps.figure.panels.size() == 2);
  CHECK(steps.figure.panels[1].range->high == 1);  // a bar each: they do not compare
  CHECK(steps.figure.panels[0].range->is_signed());
  const OwnedFigure bars =
      figure(run, request_of({{"step", "weights"}, {"as", "bars"}, {"query", "9"}, {"head", "2"}}));
  CHECK(bars.figure.panels[0].kind == PanelKind::bars);
  CHECK(bars.figure.panels[0].cells.rows == 1);
  CHECK(bars.figure.panels[0].cells.at(0, 3) == run.trace->find("weights")->tensor().at({0, 2, 9, 3}));
  const auto logged = figure_of(*run.trace, *run.problem, request_of({{"step", "scores"}, {"spacing", "log"}}));
  REQUIRE_FALSE(logged);
  CHECK(logged.error().message.find("--spacing log needs numbers above 0") == 0);
  const auto no_picture = figure_of(*run.trace, *run.problem, request_of({{"as", "picture"}}));
  CHECK_FALSE(no_picture);
  CHECK_FALSE(figure_of(*run.trace, *run.problem, request_of({{"head", "8"}})));
  CHECK_FALSE(figure_of(*run.trace, *run.problem, request_of({{"query", "12"}})));
}

TEST_CASE("pictures lie under their weights, windows where they are, frames side by side") {
  const RanExperiment picture = ran(example("relative"));
  const OwnedFigure over = figure(picture, request_of({{"query", "685"}, {"key", "720"}}));
  const Panel& panel = over.figure.panels[3];
  CHECK(panel.kind == PanelKind::picture);
  CHECK(panel.picture->width == 512);
  CHECK(panel.picture_grid.rows == 32);
  REQUIRE(panel.highlights.size() == 2);
  CHECK(panel.highlights[0].row == 21);
  CHECK(panel.highlights[0].column == 13);
  CHECK(panel.highlights[1].row == 22);
  CHECK(over.figure.range.spacing == Spacing::logarithmic);
  CHECK(figure(picture, request_of({{"as", "map"}})).figure.panels[0].kind == PanelKind::map);
  CHECK(figure(picture, request_of({{"as", "matrix"}})).figure.panels[0].cells.rows == 1024);

  CHECK(figure(picture, request_of({{"step", "k"}, {"query", "685"}})).figure.panels[0].highlights.empty());

  const RanExperiment window = ran(example("window"));
  const Panel block = figure(window, request_of({{"query", "684"}})).figure.panels[0];
  CHECK(block.place.row == 20);
  CHECK(block.place.column == 11);

  const RanExperiment video = ran(example("video"));
  const OwnedFigure frames = figure(video, request_of({{"query", "3788"}}));
  REQUIRE(frames.figure.panels.size() == 8);
  CHECK(frames.figure.panels[5].title == "frame 5");
  CHECK(frames.figure.panels[3].highlights.size() == 1);  // the query is in frame 3
  CHECK(frames.figure.panels[5].highlights.empty());
  CHECK(figure(video, request_of({{"query", "3788"}, {"frame", "5"}})).figure.panels.size() == 1);
}

TEST_CASE("words are written from the numbers") {
  const RanExperiment run = ran(example_experiment());
  const OwnedFigure all = figure(run, request_of({}));
  const std::string caption = caption_of(all.figure), alt = alt_of(all.figure);
  CHECK(
      caption.starts_with("Attention weights in 8 panels. Rows are queries and columns are keys (12 × 12), "
                          "so every row adds up to 1. Hatched cells are masked."));
  CHECK(caption.ends_with("All panels share one linear scale from 0 to 1."));
  CHECK(alt.find("(c) Induction: greatest is 1 in 6 cells, first at query “the” (1), key “⟨s⟩”.") != std::string::npos);
  CHECK(alt.size() < 2000);
  FigureRequest own;
  own.alt = "mine";
  CHECK(figure(run, own).figure.description == "mine");
}

TEST_CASE("heads that do nothing of what they are named after say so in the words of a figure") {
  const auto words_of = [](const char* text, const char* positions, const std::string& heads) {
    Experiment experiment = example_experiment();
    std::get<TextInput>(experiment.inputs["x_q"]).text = text;
    experiment.params.set("positions", std::string(positions));
    const RanExperiment run = ran(experiment);
    const OwnedFigure made = figure(run, request_of({{"head", heads}}));
    CHECK(made.figure.description.find(made.figure.remark) != std::string::npos);
    return caption_of(made.figure);
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const std::string no_words = words_of("green ideas sleep furiously", "sinusoidal", "all");
  CHECK(
      has(no_words,
          " (c) Induction finds nothing here that it looks for. (g) Function words looks at everything nearly alike."));
  const std::string no_places = words_of("the cat sat on the mat because the cat was warm", "none", "all");
  CHECK(has(no_places,
            "(a) Previous token, (e) Local window, (f) Two back and (h) Broad look at everything nearly alike."));
  CHECK(has(words_of("green ideas sleep furiously", "sinusoidal", "2"),
            " This head finds nothing here that it looks for."));
  const std::string all = words_of("the cat sat on the mat because the cat was warm", "sinusoidal", "all");
  CHECK_FALSE(has(all, "nothing here that"));
  CHECK_FALSE(has(all, "alike"));
}

TEST_CASE("weights of many words are coloured by powers of ten, from below what all the same would be") {
  Experiment experiment = example_experiment();
  std::string text;
  for (int i = 0; i < 99; ++i) text += fmt::format("w{} ", i);
  std::get<TextInput>(experiment.inputs["x_q"]).text = text;
  const RanExperiment run = ran(experiment);
  const OwnedFigure map = figure(run, request_of({}));
  CHECK(map.figure.range == ValueRange{1e-3F, 1, Spacing::logarithmic});
  CHECK(caption_of(map.figure).find("scale from 0.001 to 1; smaller numbers are drawn as its lower end.") !=
        std::string::npos);
  CHECK(figure(run, request_of({{"spacing", "linear"}})).figure.range.spacing == Spacing::linear);
  CHECK(figure(run, request_of({{"as", "bars"}, {"query", "5"}})).figure.range.spacing == Spacing::linear);
  CHECK(figure(run, request_of({{"step", "scores"}})).figure.range.spacing == Spacing::linear);
  CHECK(figure(ran(example_experiment()), request_of({})).figure.range.spacing == Spacing::linear);
}

TEST_CASE("the numbers beside a figure are those that are drawn, bit for bit") {
  const RanExperiment run = ran(example_experiment());
  const auto files = figure_files(*run.trace, *run.problem, *run.experiment, request_of({{"step", "scaled_scores"}}),
                                  "fig.svg", {true, true, true}, HEADLIGHT_FONT_FOLDER);
  if (!files) FAIL(files.error().message);
  REQUIRE(files->size() == 4);
  const Tensor& scores = run.trace->find("scaled_scores")->tensor();
  CHECK(std::string_view((*files)[2].bytes).ends_with(bytes_of(scores)));  // the .npy
  const std::string& csv = (*files)[1].bytes;
  std::size_t at = 0;
  Index cell = 0;
  bool same = true;
  while (at < csv.size()) {
    const auto end = csv.find("\r\n", at);
    std::string line = csv.substr(at, end - at);
    at = end + 2;
    const bool head = line.empty() || line.starts_with("(");
    if (head) continue;
    for (Index c = 0; c < 12; ++c) {
      const auto comma = line.rfind(',');
      float value = 0;
      std::from_chars(line.data() + comma + 1, line.data() + line.size(), value);
      same = same && value == scores[cell + 11 - c];
      line.resize(comma);
    }
    cell += 12;
  }
  CHECK(same);
  CHECK(cell == scores.size());
}

TEST_CASE("a recipe brings experiment and request back, and a broken one says so") {
  const RanExperiment run = ran(example("causal"));
  const FigureRequest request = request_of({{"head", "2"}, {"width", "89mm"}});
  const auto recipe = parse_recipe(recipe_text(*run.experiment, request, {}, run.experiment->folder),
                                   run.experiment->folder, "fig.pdf");
  if (!recipe) FAIL(recipe.error().message);
  CHECK(recipe->request == request);
  CHECK(recipe->experiment.variant == run.experiment->variant);
  CHECK(recipe->experiment.params == run.experiment->params);
  CHECK(recipe->experiment.inputs == run.experiment->inputs);
  CHECK(recipe->experiment.weights == run.experiment->weights);
  Experiment elsewhere = *run.experiment;  // the view is not the figure's: it may change, and the recipe stays
  elsewhere.view.query = 1;
  CHECK(recipe_text(elsewhere, request, {}, run.experiment->folder) ==
        recipe_text(*run.experiment, request, {}, run.experiment->folder));
  CHECK(parse_recipe("{}", ".", "f").error().message == "f: its recipe is damaged: open the experiment itself");
  CHECK_FALSE(parse_recipe("", ".", "f"));
  CHECK_FALSE(parse_recipe(R"({"experiment":{"variant":"multi_head"},"figure":{"dpi":"x"}})", ".", "f"));
}

TEST_CASE("colours as others see them") {
  for (const Vision vision : all_visions) {
    CHECK(simulate_vision(rgb(0x000000), vision) == rgb(0x000000));
    const Color white = simulate_vision(rgb(0xFFFFFF), vision);
    CHECK(std::abs(static_cast<int>(white.r) - 255) <= 1);
    CHECK(std::abs(static_cast<int>(white.b) - 255) <= 1);
  }
  const Color red = simulate_vision(rgb(0xFF0000), Vision::grey);  // luminance 0.2126
  CHECK(red.r == red.g);
  CHECK(red.r == 127);
  const Color a = simulate_vision(rgb(0xD04040), Vision::deutan), b = simulate_vision(rgb(0x808030), Vision::deutan);
  CHECK(std::abs(static_cast<int>(a.g) - static_cast<int>(a.r)) < 60);  // red and olive come close
  CHECK(std::abs(static_cast<int>(a.r) - static_cast<int>(b.r)) < 60);
  CHECK(simulate_vision(rgb(0x123456), Vision::normal) == rgb(0x123456));
}
