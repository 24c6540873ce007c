// Gradient × attention beside rollout: the maps of the window are those of the engine, of the token that is likeliest
// after the place that is looked at.
#include <algorithm>
#include <cmath>

#include "app/actions/action_table.h"
#include "app/actions/exports.h"
#include "app/figures/figure_of.h"
#include "app/model/relevance.h"
#include "engine/run/logit_gradients.h"
#include "tests/app/model_folder.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

void check(const app::Model& model, Index place) {
  const NetworkRun& run = *model.net.run;
  const RelevanceMaps& made = model.net.relevance;
  INFO(made.why_none);
  REQUIRE_FALSE(made.steps.empty());
  CHECK(made.place == place);
  CHECK(made.token == run.likely(place).front().number);
  ThreadPool pool(1);
  ModelRunner runner(*run.model, run.input, pool);
  const auto all = logit_gradients(runner, run.trace, {0, place, made.token, {}}, run.asked.ablate);
  REQUIRE(all);
  CHECK(made.value == Approx(all->value));
  REQUIRE(static_cast<Index>(made.steps.size()) == all->relevance.dim(0));
  const Index n = all->relevance.dim(1);
  double of_others = 0;
  for (Index l = 0; l < all->relevance.dim(0); ++l)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const float shown = made.steps[static_cast<std::size_t>(l)].tensor()[i * n + j],
                    whole = all->relevance[(l * n + i) * n + j];
        if (j > i) {
          CHECK(whole == 0);
          CHECK(is_masked(shown));
        } else {
          CHECK(shown == whole - (i == j ? 1 : 0));
          of_others += static_cast<double>(shown);
        }
      }
  CHECK(of_others > 0);
}

}  // namespace

TEST_CASE("relevance is of the likeliest token after the query, and follows another query and another text") {
  const ModelFolder folder;
  Driver driver(1600, 1000, 1);
  driver.session().act(Open{folder.model});
  driver.session().finish_files();
  driver.settle();
  REQUIRE(driver.model().net.run);
  CHECK(driver.model().net.relevance.steps.empty());  // nobody has asked
  act(driver, ViewLayers{LayersView::relevance});
  REQUIRE(driver.session().settle());
  driver.settle();
  const Index last = driver.model().net.run->output_part().queries() - 1;
  check(driver.model(), driver.model().document.network->look.query.value_or(last));
  CHECK(driver.shows("layers/of/0"));
  const std::string token = driver.model().net.run->token(driver.model().net.relevance.token);
  CHECK(driver.widget("layers/view/words").value.find("“" + token + "”") != std::string::npos);
  act(driver, ChoosePair{{.query = 2}});
  REQUIRE(driver.session().settle());
  check(driver.model(), 2);
  act(driver, SwitchHead{});
  REQUIRE(driver.session().settle());
  check(driver.model(), 2);
  act(driver, ViewLayers{LayersView::rollout});
  CHECK(driver.shows("layers/of/0"));
}

namespace {

// The figure that is shown has the maps of that place, layer by layer, and names their token.
void check_figure(const app::Model& model, Index place) {
  check(model, place);
  const NetworkRun& run = *model.net.run;
  const Outcome& of = model.figure_source();
  REQUIRE(of.trace);
  const auto drawn = figure_of(*of.trace, *of.problem, model.document.figure, {});
  INFO((drawn ? "" : drawn.error().message));
  REQUIRE(drawn);
  const Figure& figure = drawn->figure;
  REQUIRE(static_cast<Index>(figure.panels.size()) == run.plan().layers);
  const Index n = run.output_part().queries();
  for (Index l = 0; l < run.plan().layers; ++l)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const float drawn_here = figure.panels[static_cast<std::size_t>(l)].cells.at(i, j),
                    made = model.net.relevance.steps[static_cast<std::size_t>(l)].tensor()[i * n + j];
        CHECK((drawn_here == made || (is_masked(drawn_here) && is_masked(made))));
      }
  CHECK(figure.quantity == "relevance");
  CHECK(figure.title.find(fmt::format("Gradient × attention of “{}” after “{}” ({})",
                                      run.token(run.likely(place).front().number),
                                      run.output_part().query_words[static_cast<std::size_t>(place)], place)) == 0);
  CHECK(figure.remark.find("(Chefer, Gur and Wolf 2021).") != std::string::npos);
  CHECK(figure.remark.find("adds up") == std::string::npos);
}

}  // namespace

TEST_CASE("a figure shows the relevance that is looked at, and that of another place where it asks for one") {
  for (const bool few : {false, true}) {
    INFO("few maps are kept: " << few);
    const ModelFolder folder;
    Surroundings surroundings;
    surroundings.fonts = HEADLIGHT_FONT_FOLDER;
    if (few) surroundings.room_for_maps = 1;
    Session session(folder.reads("abcd"), {}, surroundings);
    const auto act = [&](const Action& action) {
      session.act(action);
      session.finish_files();
      REQUIRE(session.settle());
    };
    REQUIRE(session.settle());
    const app::Model& model = session.model();
    REQUIRE(model.net.run);
    CHECK(model.net.run->few_maps.empty() != few);
    act(ViewLayers{LayersView::relevance});
    act(ChoosePair{{.query = 2}});
    act(ShowScreen{Screen::figure});
    REQUIRE(model.screen == Screen::figure);
    CHECK(model.document.figure.after == 2);
    check_figure(model, 2);
    CHECK(why_not_figured(model).empty());
    act(SetFigure{"after", "1"});
    check_figure(model, 1);
    act(SetFigure{"after", "400"});
    CHECK(why_not_figured(model) == "--after is 400: it must be from 0 to 3");
    act(SetFigure{"after", "1"});
    act(SetFigure{"step", "auto"});
    CHECK(why_not_figured(model).empty());
    CHECK(command_of(model).find("--after") == std::string::npos);
  }
}

TEST_CASE("what relevance is of is said in full, and a figure that cannot be is not offered") {
  Driver driver;
  const ModelFolder folder;
  driver.session().act(Open{folder.model});
  driver.session().finish_files();
  driver.settle();
  act(driver, ViewLayers{LayersView::relevance});
  REQUIRE(driver.session().settle());
  driver.settle();
  const auto said = std::ranges::find_if(
      driver.log().texts, [](const LoggedText& text) { return text.text.starts_with("relevance to the logit"); });
  REQUIRE(said != driver.log().texts.end());
  CHECK_FALSE(said->cut);
  act(driver, ShowScreen{Screen::figure});
  REQUIRE(driver.session().settle());
  driver.settle();
  CHECK(driver.widget("figure/save").state.empty());
  act(driver, SetFigure{"after", "400"});
  REQUIRE(driver.session().settle());
  driver.settle();
  CHECK(driver.widget("figure/save").state == "disabled");
}

TEST_CASE("where no logit can be followed back, the view is not there and says why") {
  Driver driver;
  CHECK(why_not(Action(ViewLayers{LayersView::relevance}), driver.model()) != "");
  driver.session().act(Open{std::filesystem::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/models/t5"});
  driver.session().finish_files();
  driver.settle();
  REQUIRE(driver.model().net.run);
  CHECK(why_not(Action(ViewLayers{LayersView::relevance}), driver.model()) ==
        "Gradient × attention is of models of one stack of layers");
  act(driver, ViewLayers{LayersView::relevance});
  CHECK(driver.model().document.network->look.view != LayersView::relevance);
}
