// All layers of a model in the window, driven as a person would.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "app/actions/action_table.h"
#include "app/model/network_run.h"
#include "app/reading/head_measures.h"
#include "app/reading/printed.h"
#include "tests/app/model_folder.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// A window in which somebody drops the folder.
struct Shown {
  ModelFolder folder;
  Driver driver;
  explicit Shown(float width = 1600, float height = 1000) : driver(width, height) {
    driver.session().act(Open{folder.model});
    driver.session().finish_files();
    driver.settle();
    driver.session().act(SetModelInput{ModelReads::text, "abc a", false});
    driver.settle();
  }
  const NetworkLook& look() const { return driver.model().document.network->look; }
};

}  // namespace

TEST_CASE("heads are chosen by clicks and keys, a layer opens by Enter, and B leads back") {
  Shown window;
  Driver& d = window.driver;
  REQUIRE(d.shows("layers/1/1"));
  d.click("layers/1/0");
  CHECK(ModelHead{window.look().layer, window.look().head} == ModelHead{1, 0});
  CHECK(d.widget("layers/head").value == "1 0");
  d.press(Key::right);
  d.press(Key::up);
  CHECK(ModelHead{window.look().layer, window.look().head} == ModelHead{0, 1});
  CHECK(d.model().stage() == 1);
  d.click("layers/tokens/2");  // it asks
  d.click("layers/tokens/2");  // and answers
  CHECK((window.look().query == 2 && window.look().key == 2));
  d.settle();
  const auto& map = *d.model().net.run->parts[0].maps[0];
  CHECK(d.widget("layers/weight").value == fmt::format("{:.4f}", map[1 * 25 + 2 * 5 + 2]));
  d.press(Key::enter);
  d.settle();
  CHECK_FALSE(d.model().shows_network());
  CHECK(d.shows("heads/1"));
  d.press(Key::b);
  d.settle();
  CHECK(d.model().shows_network());
  d.press(Key::o);
  d.settle();
  CHECK(d.model().document.network->asked.ablate == std::vector{ModelHead{0, 1}});
  d.click("layers/on/0/1");
  d.settle();
  CHECK(d.model().document.network->asked.ablate.empty());
}

TEST_CASE("what comes next is listed with its probability, and bars that are small end where they can be seen") {
  Shown window;
  Driver& d = window.driver;
  act(d, SetModelInput{ModelReads::text, "cab", false});
  const NetworkRun& run = *d.model().net.run;
  const auto list = run.likely(run.output_part().queries() - 1);
  CHECK(d.widget("layers/likely/0/number").value == number_text(list[0].probability));
  double most = 0;
  for (const double came : run.likelihoods)
    if (std::isfinite(came)) most = std::max(most, came);
  const double end = std::stod(d.widget("layers/came/end").value);
  REQUIRE(most < 0.2);  // in a bar up to 1 it would be a line of a few px
  CHECK(end >= most);
  CHECK(end < 3 * most);
  d.session().act(SetScaling{{Scaling::Space::logarithmic, false}});
  d.settle();
  CHECK(d.widget("layers/bar").value == "weight, log, one scale for all 4 maps");
  d.press(Key::enter);  // the layer that is opened is drawn on the same scale
  d.settle();
  CHECK(d.model().document.look.scaling.space == Scaling::Space::logarithmic);
}

TEST_CASE("a click switches each head off in turn, and the list has what is lost, the most first") {
  Shown window;
  Driver& d = window.driver;
  d.session().act(MarkBy{Measure::ablation});
  d.session().act(MarkHeads{HeadMarks::sort});
  d.session().act(ViewLayers{LayersView::measure});
  d.settle();
  CHECK_FALSE(d.shows("layers/ranked/0/0"));
  d.click("layers/without");
  d.settle();
  CHECK_FALSE(d.shows("layers/without"));  // nothing is left to do
  const AblationLosses& lost = d.model().net.without;
  float above = 0;
  std::vector<ModelHead> heads = lost.heads;
  std::ranges::sort(heads, std::greater<>(), [&](const ModelHead& head) { return lost.of(head, 2); });
  for (const ModelHead& head : heads) {
    const auto widget = d.widget(fmt::format("layers/ranked/{}/{}", head.layer, head.head));
    CHECK(widget.value == measure_text(lost.of(head, 2)));
    CHECK(widget.rect.y > above);
    above = widget.rect.y;
  }
  act(d, ShowScreen{Screen::figure});
  CHECK(d.shows("figure/check/This measure has no figure"));
}

TEST_CASE("what is typed runs the model again, and every view is drawn at every size") {
  for (const auto& [width, height] : {std::pair{1600.0F, 1000.0F}, {1366.0F, 768.0F}, {700.0F, 500.0F}}) {
    Shown window(width, height);
    Driver& d = window.driver;
    for (int view = 0; view <= static_cast<int>(LayersView::measure); ++view)
      for (int marks = 0; marks <= static_cast<int>(HeadMarks::off); ++marks) {
        d.session().act(ViewLayers{static_cast<LayersView>(view)});
        d.session().act(MarkHeads{static_cast<HeadMarks>(marks)});
        d.settle();
        CHECK((d.shows("layers/0/0") || d.shows("layers/of/0")));
      }
    if (!d.shows("layers/text")) continue;
    d.click("layers/text");
    d.press(Key::end);
    d.type("b");
    d.settle();
    CHECK(*d.model().document.network->asked.tokens->text == "abc ab");
    CHECK(d.model().net.run->parts[0].queries() == 6);
  }
}

TEST_CASE(
    "a folder that cannot be read says why in the middle, with ways to begin, and shows no text that it would read") {
  for (const char* config :
       {"{\"model_type\": ", R"({"model_type": "gpt2", "n_layer": 1, "n_head": 1, "n_embd": 4})"}) {
    const Scratch folder;
    std::filesystem::create_directory(folder / "broken");
    std::ofstream(folder / "broken/config.json") << config;
    Driver d(1366, 768);
    d.session().act(Open{folder / "broken"});
    d.session().finish_files();
    d.settle();
    REQUIRE(d.shows("layers/refused"));
    CHECK(d.widget("layers/refused").value == d.model().error);
    CHECK(d.model().error.find("broken") != std::string::npos);
    for (const char* field : {"layers/ids", "layers/text", "layers/reads", "error"}) CHECK_FALSE(d.shows(field));
    d.click("empty/example");
    d.settle();
    CHECK((!d.model().shows_network() && d.model().trace()));
  }
}

TEST_CASE("tabs that are of one layer say why they wait, and the list of actions has what a model needs") {
  Shown window;
  Driver& d = window.driver;
  d.click("top/view/compare");
  CHECK(d.model().shows_network());
  d.session().act(ShowDialog{Dialog::palette});
  d.settle();
  d.type("switch this head");
  d.press(Key::enter);
  d.settle();
  CHECK(d.model().document.network->asked.ablate.size() == 1);
}

TEST_CASE("what a view is stands beside its title where enough of it can be read") {
  int told = 0, left_out = 0;
  for (float width = 760; width <= 1600; width += 120) {
    Shown window(width);
    Driver& d = window.driver;
    const auto says = [&](const std::string& words) {
      return std::ranges::count(d.log().texts, words, &LoggedText::text) > 0;
    };
    INFO(width);
    const std::string words = "weights after softmax";
    const bool told_here = d.shows("layers/view/words");
    for (std::size_t cut = 1; cut < words.size() / 3; ++cut) CHECK_FALSE(says(words.substr(0, cut) + "…"));
    (told_here ? told : left_out) += 1;
  }
  CHECK(told > 0);
  CHECK(left_out > 0);
}

TEST_CASE("names of the stack's stops keep apart in a narrow window, the first too, which begins at its node") {
  Shown window;
  Driver& d = window.driver;
  for (int width = 1600; width >= 700; width -= 20) {
    d.resize(width, 768);
    d.settle();
    INFO(width);
    float right = 0;
    for (int i = 0; i <= 4; ++i) {
      const std::string name = fmt::format("stepper/{}/name", i);
      if (!d.shows(name)) continue;
      CHECK(d.widget(name).rect.x >= right);
      right = d.widget(name).rect.right();
    }
    CHECK(d.shows(fmt::format("stepper/{}/name", window.look().depth)));
  }
}

TEST_CASE("a model of text says by its masks, not by a map of one cell, whether tokens come next or stand there") {
  for (const auto& [name, next] : {std::pair{"gpt2", true}, {"mistral", true}, {"roberta", false}, {"esm", false}})
    for (const char* ids : {"3", "3, 1, 4"}) {
      INFO(name << " of " << ids);
      const bool one = std::string(ids).size() == 1;
      Driver driver;
      driver.session().act(Open{fmt::format("{}/tests/reference/models/{}", HEADLIGHT_SOURCE_DIR, name)});
      driver.session().finish_files();
      driver.settle();
      driver.session().act(SetModelInput{ModelReads::ids, ids, false});
      driver.settle();
      REQUIRE(driver.model().net.run);
      const NetworkRun& run = *driver.model().net.run;
      CHECK(run.predicts_next() == next);
      CHECK(std::isnan(run.likelihoods.front()) == next);  // nothing foretells the first of a text
      CHECK(driver.shows("layers/came") == (next && one));
      CHECK(why_not(Action(AppendToken{2}), driver.model()).empty() == next);
      act(driver, ViewLayers{LayersView::relevance});
      REQUIRE(driver.session().settle());
      driver.settle();
      const std::string words = driver.widget("layers/view/words").value;
      CHECK((words.find("” after ") != std::string::npos) == next);
      CHECK((words.find("” in place of ") != std::string::npos) != next);
      const std::string title = driver.model().net.relevance.steps.front().info.title;
      CHECK((title.find("” after “") != std::string::npos) == next);
    }
}
