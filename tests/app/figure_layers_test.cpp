// Figures of all layers of a model: what is made of their maps, how a grid of them is laid out, and the export screen.
#include <cmath>

#include "app/actions/exports.h"
#include "app/actions/update.h"
#include "app/figures/figure_files.h"
#include "app/figures/figure_layers.h"
#include "app/model/network_figure.h"
#include "app/page/layout.h"
#include "app/session/session.h"
#include "engine/measures/head_measures.h"
#include "tests/app/model_folder.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// A session that shows all layers of a model.
struct Shown {
  ModelFolder folder;
  Session session{folder.reads("abc a"), {}, {}};
  Shown() { REQUIRE(session.settle()); }
  const app::Model& model() { return session.model(); }
  const Trace& trace() { return *model().figure_source().trace; }
  OwnedFigure figure(std::initializer_list<std::pair<const char*, const char*>> settings) {
    FigureRequest request;
    for (const auto& [key, text] : settings) REQUIRE(set_figure(request, key, text));
    auto made = figure_of(trace(), *model().figure_source().problem, request);
    if (!made) FAIL(made.error().message);
    return std::move(*made);
  }
};

float map_at(const NetworkRun& run, std::size_t layer, Index head, Index query, Index key) {
  const Tensor& map = *run.parts[0].maps[layer];
  return map[(head * map.dim(2) + query) * map.dim(3) + key];
}

}  // namespace

TEST_CASE("maps of layers are drawn as they are, as their mean, rolled out, and by one query") {
  Shown of;
  const NetworkRun& run = *of.model().net.run;
  const OwnedFigure all = of.figure({{"layers", "all"}});
  REQUIRE(all.figure.panels.size() == 4);
  CHECK(all.figure.row_titles == std::vector<std::string>{"Layer 0", "Layer 1"});
  CHECK(all.figure.panels[3].cells.at(4, 2) == map_at(run, 1, 1, 4, 2));
  CHECK(std::isinf(all.figure.panels[3].cells.at(1, 2)));
  CHECK(all.figure.panels[3].numbers.at(1, 2) == 0);  // what is saved is the weight
  CHECK(csv_of(all.figure).find("inf") == std::string::npos);
  CHECK(all.figure.panels[0].column_labels == run.parts[0].query_words);
  const OwnedFigure mean = of.figure({{"layers", "1"}, {"average", "true"}});
  REQUIRE(mean.figure.panels.size() == 1);
  CHECK(std::abs(mean.figure.panels[0].cells.at(4, 2) - (map_at(run, 1, 0, 4, 2) + map_at(run, 1, 1, 4, 2)) / 2) <
        1e-6F);
  CHECK(std::isinf(mean.figure.panels[0].cells.at(1, 2)));
  const OwnedFigure row = of.figure({{"as", "layers"}, {"query", "4"}});
  REQUIRE(row.figure.panels.size() == 2);
  const OwnedFigure less = of.figure({{"as", "layers"}, {"query", "4"}, {"minus", "head:0"}});
  REQUIRE(less.figure.panels.size() == 1);
  CHECK(less.figure.panels[0].cells.at(1, 2) == map_at(run, 1, 1, 4, 2) - map_at(run, 1, 0, 4, 2));
  FigureRequest unfit;
  for (const auto& [key, text] : {std::pair("step", "rollout"), {"minus", "head:0"}})
    REQUIRE(set_figure(unfit, key, text));
  const auto refused = figure_of(of.trace(), *of.model().figure_source().problem, unfit);
  CHECK((!refused && refused.error().message.find("has no heads, so none can be taken away") != std::string::npos));
  CHECK(row.figure.panels[1].cells.at(0, 2) == map_at(run, 0, 1, 4, 2));
  CHECK(row.figure.panels[1].row_labels == std::vector<std::string>{"0", "1"});
  const OwnedFigure rolled = of.figure({{"step", "rollout"}, {"layers", "all"}});
  REQUIRE(rolled.figure.panels.size() == 2);
  for (std::size_t l = 0; l < 2; ++l)
    for (Index j = 0; j < 5; ++j)
      CHECK(std::abs(rolled.figure.panels[l].numbers.at(4, j) -
                     (*run.parts[0].rollout)[static_cast<Index>(l) * 25 + 20 + j]) < 1e-6F);
}

TEST_CASE("a figure of a measure has the numbers of each head, though hidden keys are marked") {
  Shown of;
  const PartRun& part = of.model().net.run->parts[0];
  std::size_t drawn = 0;
  for (const Measure measure : all_measures()) {
    const HeadValues& first = part.measures_of(0)[measure];
    if (!needs_only_maps(measure) || std::ranges::all_of(first.values, [](double v) { return std::isnan(v); }))
      continue;
    INFO(id_of(measure));
    const OwnedFigure made = of.figure({{"step", fmt::format("measure/{}", id_of(measure)).c_str()}});
    const MatrixView& cells = made.figure.panels.front().cells;
    for (Index l = 0; l < 2; ++l)
      for (Index m = 0; m < 2; ++m) {
        const double number = part.measures_of(l)[measure].values[static_cast<std::size_t>(m)];
        CHECK(cells.at(l, m) == Approx(number));
      }
    ++drawn;
  }
  CHECK(drawn >= 6);
}

TEST_CASE("a grid of many small maps has numbers in place of labels, and a smaller one keeps its words") {
  const FontFiles fonts = font_files_in(HEADLIGHT_FONT_FOLDER);
  const Tensor cells = Tensor::from({16, 16}, std::vector<float>(256, 0.5F));
  for (const Index heads : {4, 12, 32}) {
    Figure figure;
    figure.grid_columns = static_cast<int>(heads);
    figure.rows_are = "layer";
    figure.columns_are = "head";
    Panel panel;
    panel.cells = matrix_at(cells, {});
    panel.title = "Layer 0, Head 0";
    panel.row_labels = panel.column_labels = std::vector<std::string>(16, "word");
    figure.panels.assign(static_cast<std::size_t>(heads * heads), panel);
    for (Index m = 0; m < heads; ++m) {
      figure.column_titles.push_back(fmt::format("Head {}", m));
      figure.row_titles.push_back(fmt::format("Layer {}", m));
      figure.column_numbers.push_back(fmt::format("{}", m));
      figure.row_numbers.push_back(fmt::format("{}", m));
    }
    const auto page = lay_out(figure, {}, *FontSet::load(fonts), vector_grid);
    if (!page) FAIL(page.error().message);
    const auto count = [&](const std::string& text) {
      return std::ranges::count_if(page->texts, [&](const TextItem& item) { return item.line.text == text; });
    };
    INFO(heads);
    CHECK((count("word") > 0) == (heads == 4));
    CHECK(count("Head 1") == (heads == 4));
    CHECK(count("head →") == (heads != 4));
    CHECK(count("0") >= (heads == 4 ? 0 : 2));
    CHECK(page->row_labels_step <= (heads == 4 ? 16 : 1));  // nothing is said of labels that are not there
    for (const TextItem& text : page->texts)
      if (!text.upward) CHECK(text.origin.x + text.line.width <= page->width + 0.01);
  }
}

TEST_CASE("the export screen draws what is shown of a model, and says by which command") {
  Shown of;
  Session& session = of.session;
  const std::pair<LayersView, const char*> views[] = {{LayersView::maps, " --layers all -o layers.pdf"},
                                                      {LayersView::average, " --average --layers all "},
                                                      {LayersView::rollout, " --step rollout --layers all "},
                                                      {LayersView::token, " --layers all --as layers --query 4 "}};
  for (const auto& [view, settings] : views) {
    session.act(ViewLayers{view});
    session.act(ShowScreen{Screen::figure});
    REQUIRE(of.model().screen == Screen::figure);
    const std::string command = command_of(of.model());
    INFO(command);
    CHECK(command.find(settings) != std::string::npos);
    CHECK(command.ends_with(" --reads 'abc a'"));
    CHECK(command_is_true(of.model()));
    session.act(ShowScreen{Screen::explore});
  }
  session.act(ShowScreen{Screen::figure});
  session.act(SetFigure{"layers", "1", false});
  CHECK(of.model().document.figure.run_layers == std::vector<Index>{1});
  session.act(Undo{});
  CHECK(of.model().document.figure.run_layers->empty());
  session.act(ShowScreen{Screen::worksheet});
  CHECK(of.model().screen == Screen::figure);  // that is of one layer
  // With a head off no options say what is asked.
  session.act(SwitchHead{0, 1, false});
  REQUIRE(session.settle());
  CHECK_FALSE(command_is_true(of.model()));
  const auto task = figure_export(of.model(), of.folder / "f.svg");
  REQUIRE(task);
  const auto& source = std::get<FigureExport>(*task).source;
  REQUIRE(source.model);
  const auto recipe = parse_recipe(recipe_text(source.of(), {}, {}, of.folder / ""), of.folder / "", "f.svg");
  REQUIRE((recipe && recipe->model));
  CHECK(recipe->model->ablate == std::vector{ModelHead{0, 1}});
  CHECK(*recipe->model->tokens->text == "abc a");
}
