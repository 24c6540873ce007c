// Gradient × attention beside rollout: the maps of the window are those of the engine, of the token that is likeliest
// after the place that is looked at.
#include <cmath>

#include "app/actions/action_table.h"
#include "app/model/network_run.h"
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
  REQUIRE(made.maps);
  CHECK(made.place == place);
  CHECK(made.token == run.likely(place).front().number);
  ThreadPool pool(1);
  ModelRunner runner(*run.model, run.input, pool);
  const auto all = logit_gradients(runner, run.trace, {0, place, made.token, {}}, run.asked.ablate);
  REQUIRE(all);
  CHECK(made.value == Approx(all->value));
  REQUIRE(made.maps->shape() == all->relevance.shape());
  const Index n = all->relevance.dim(1);
  double of_others = 0;
  for (Index l = 0; l < all->relevance.dim(0); ++l)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const float shown = (*made.maps)[(l * n + i) * n + j], whole = all->relevance[(l * n + i) * n + j];
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
  CHECK_FALSE(driver.model().net.relevance.maps);  // nobody has asked
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
  act(driver, ShowScreen{Screen::figure});
  CHECK(driver.shows("figure/check/Relevance has no figure"));
  act(driver, ShowScreen{Screen::explore});
  act(driver, ViewLayers{LayersView::rollout});
  CHECK(driver.shows("layers/of/0"));
  act(driver, ShowScreen{Screen::figure});
  CHECK_FALSE(driver.shows("figure/check/Relevance has no figure"));
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
