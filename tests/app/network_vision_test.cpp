// Models whose layers are of several sizes, and models of two towers: every view of every part, in the window.
#include <cmath>

#include "app/actions/action_table.h"
#include "app/model/network_run.h"
#include "app/session/session.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

const fs::path models = fs::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/models";

std::shared_ptr<const NetworkRun> opened(Driver& driver, const char* name) {
  driver.session().act(Open{models / name});
  driver.session().finish_files();
  driver.settle();
  INFO(driver.model().error);
  REQUIRE(driver.model().net.run);
  return driver.model().net.run;
}

// What may be looked at without leaving the model.
void walk(Driver& driver) {
  const auto run = driver.model().net.run;
  for (const PartRun& part : run->parts)
    for (Index l = 0; l < part.layers(); ++l)
      for (Index m = 0; m < part.heads_of(l); ++m) {
        act(driver, ChoosePart{part.part});
        act(driver, ChooseHead{l, m});
        const auto look = [&]() -> const NetworkLook& { return driver.model().document.network->look; };
        CHECK((look().part == part.part && look().layer == l && look().head == m));
        for (const Index query : {Index{0}, part.queries_of(l) - 1}) {
          act(driver, ChoosePair{{query, part.keys_of(l) - 1}});
          for (const LayersView view :
               {LayersView::maps, LayersView::token, LayersView::rollout, LayersView::average, LayersView::measure}) {
            act(driver, ViewLayers{view});
          }
          CHECK(look().query == query);
        }
      }
  const auto last = static_cast<int>(run->last_stop(driver.model().document.network->look.part));
  for (int depth = 0; depth <= last; ++depth) {
    act(driver, GoStage{depth});
  }
}

}  // namespace

TEST_CASE("a model whose layers have several sizes is looked at in every view") {
  Driver driver;
  const auto run = opened(driver, "swin");
  CHECK(run->plan().heads_in_words() == "1 to 2");
  const PartRun& part = run->parts.front();
  REQUIRE(part.staged);
  CHECK(part.heads() == 4);
  CHECK(run->heads_of_all_parts() == 4);
  CHECK((part.queries_of(0) == 16 && part.queries_of(2) == 4 && part.keys_of(0) == 4));
  CHECK(part.query_words_of(0)[6] == "1, 2");
  CHECK(part.matching_query(6, 0, 2) == 1);   // row 1, column 2 of 4 × 4 lies in row 0, column 1 of 2 × 2
  CHECK(part.matching_query(3, 2, 0) == 10);  // and the last of 2 × 2 begins at row 2, column 2
  walk(driver);
  // Distances have no end: a bound of shares would ring every head.
  const NetworkLook rings = driver.model().document.network->look;
  REQUIRE(rings.measure == Measure::distance);
  int ringed = 0;
  for (Index l = 0; l < part.layers(); ++l)
    for (Index m = 0; m < part.heads_of(l); ++m) ringed += part.measure(Measure::distance, l, m) >= rings.from;
  CHECK((ringed >= 1 && ringed < 4));
  // A click on the photograph asks from there.
  act(driver, ChooseHead{2, 0});
  const Rect photograph = driver.widget("layers/photograph").rect;
  driver.click_at({photograph.right() - 3, photograph.bottom() - 3});
  driver.settle();
  CHECK(driver.model().document.network->look.query == 3);  // the last of 2 × 2
  act(driver, MarkBy{Measure::confidence});
  CHECK(driver.model().document.network->look.from == LayersLook{}.from);
  // A query stays where it is on the picture while layers change.
  act(driver, ChooseHead{0, 0});
  act(driver, ChoosePair{{6, 1}});
  act(driver, ChooseHead{2, 1});
  CHECK(driver.model().document.network->look.query == 1);
  CHECK_FALSE(driver.model().document.network->look.key);
  // A head that a layer does not have is not chosen; one that it has is switched off.
  act(driver, ChooseHead{0, 1});
  CHECK(driver.model().document.network->look.head == 0);
  act(driver, ChooseHead{2, 1});
  act(driver, SwitchHead{2, 1, false});
  REQUIRE(driver.model().net.run->whole);
  CHECK(*driver.model().net.run->divergence > 0);
  act(driver, AblateHeads{});
}

TEST_CASE("views of all layers together are refused for their sizes where layers have several") {
  Driver driver;
  opened(driver, "swin");
  for (const LayersView view : {LayersView::rollout, LayersView::rollout_row, LayersView::average}) {
    CHECK(why_not(ViewLayers{view}, driver.model()) == several_sizes);
  }
  CHECK(why_not(ViewLayers{LayersView::token}, driver.model()).empty());
}

TEST_CASE("a layer in windows opens from its model, and its maps are the model's") {
  Driver driver;
  const auto run = opened(driver, "swin");
  act(driver, OpenLayer{1});
  const auto& model = driver.model();
  REQUIRE(model.trace());
  CHECK(model.trace()->variant == "swin");
  Tensor map = *run->parts.front().maps[1];
  for (float& value : map.values()) value = std::isinf(value) ? 0 : value;
  CHECK(std::ranges::equal(model.trace()->map()->tensor().values(), map.values()));
  act(driver, CloseLayer{});
  CHECK(driver.model().shows_network());
}

TEST_CASE("a model of two towers shows each, and what they say of each other") {
  Driver driver;
  auto run = opened(driver, "clip");
  REQUIRE(run->parts.size() == 2);
  CHECK((run->has(ModelPart::text) && run->has(ModelPart::vision)));
  CHECK(driver.model().document.network->look.part == ModelPart::text);
  CHECK(driver.model().document.network->asked.pixels);
  const double number = run->trace.find("logits_per_image")->tensor()[0];
  std::string said = driver.widget("layers/alike").value;
  const std::string minus = "−";  // as the C library reads it
  for (auto at = said.find(minus); at != std::string::npos; at = said.find(minus)) said.replace(at, minus.size(), "-");
  double shown = 0, cosine = 0, scale = 0;
  REQUIRE(std::sscanf(said.c_str(), "Picture and text are alike by %lf: cosine %lf × the model's scale %lf", &shown,
                      &cosine, &scale) == 3);
  CHECK(shown == Approx(number).margin(1e-4));
  CHECK(cosine * scale == Approx(number).margin(1e-3));
  walk(driver);
  // The whole picture asks first.
  act(driver, ChoosePart{ModelPart::text});
  act(driver, ChoosePart{ModelPart::vision});
  CHECK(driver.model().document.network->look.query == 0);
  for (const ModelPart part : {ModelPart::text, ModelPart::vision}) {
    act(driver, ChoosePart{part});
    act(driver, SwitchHead{1, 0, false});
    const auto off = driver.model().net.run;
    REQUIRE(off->whole);
    const auto alike = [](const NetworkRun& of) { return of.trace.find("logits_per_image")->tensor()[0]; };
    CHECK(alike(*off) != alike(*off->whole));
    act(driver, OpenLayer{0});
    REQUIRE(driver.model().trace());
    INFO(driver.model().title());
    CHECK(driver.model().title().find(fmt::format("{} layer 0", name_of(part))) != std::string::npos);
    act(driver, CloseLayer{});
    act(driver, SwitchHead{1, 0, true});
  }
}

TEST_CASE("figures are of either tower, and of stages with their own numbers of heads") {
  Driver driver;
  opened(driver, "clip");
  for (const ModelPart part : {ModelPart::text, ModelPart::vision}) {
    act(driver, ChoosePart{part});
    act(driver, ShowScreen{Screen::figure});
    CHECK(driver.model().document.figure.part == part);
    act(driver, ShowScreen{Screen::explore});
  }
  opened(driver, "swin");
  act(driver, ShowScreen{Screen::figure});
}
