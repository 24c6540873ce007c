// Choices under the questions that they answer: chips of the left panel.
#include "app/actions/palette.h"
#include "app/panels/setup/parts.h"
#include "app/reading/choices_offered.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

const std::string all_keys = "params/choice/Who may look?", no_place = "params/choice/How are places told?";

bool filled(const Driver& driver, const std::string& path) {
  return driver.widget(path).state == "selected";
}

}  // namespace

TEST_CASE("every choice of every mechanism with questions can be had and be left, and says what it is") {
  for (const Variant* variant : all_variants())
    for (const ParamQuestion question :
         {ParamQuestion::positions, ParamQuestion::visible, ParamQuestion::keys, ParamQuestion::weights}) {
      const ParamValues plain = ParamValues::defaults(variant->params());
      const auto offered = choices_offered(variant->params(), question, plain);
      for (const OfferedChoice& choice : offered) {
        INFO(variant->info().id << " " << choice.id);
        CHECK(choice.chosen == choice.plain);
        CHECK(choice.help.ends_with('.'));
        ParamValues with = plain;
        REQUIRE(with.set(choice.param, choice.on));
        const auto spec = std::ranges::find(variant->params(), choice.param, &ParamSpec::id);
        CHECK(check_param(*spec, choice.on));
        // It alone is chosen, of its parameter.
        for (const OfferedChoice& now : choices_offered(variant->params(), question, with))
          if (now.param == choice.param) CHECK(now.chosen == (now.id == choice.id));
        REQUIRE(with.set(choice.param, choice.off));
        CHECK(with == plain);
      }
    }
}

TEST_CASE("a choice is one click and one undo, and what belongs to it is asked for below") {
  Driver driver(1600, 2400);
  driver.settle();
  const auto params = [&]() -> const ParamValues& { return driver.model().document.experiment->params; };
  CHECK(filled(driver, "params/choice/mask/causal"));
  CHECK_FALSE(filled(driver, all_keys));
  CHECK_FALSE(driver.shows("params/window_left"));
  driver.click("params/choice/window_left");
  CHECK(params().integer("window_left") == 3);
  CHECK(filled(driver, "params/choice/mask/causal"));  // both combine
  CHECK(driver.shows("params/window_left"));
  CHECK(driver.shows("params/not-plain/window_left"));
  driver.press(Key::z, {.ctrl = true});
  CHECK(params().is_automatic("window_left"));
  // Those of one parameter exclude each other; a click on what is chosen leaves it.
  driver.click("params/choice/relative/t5");
  driver.click("params/choice/relative/alibi");
  CHECK(filled(driver, "params/choice/relative/alibi"));
  CHECK_FALSE(filled(driver, "params/choice/relative/t5"));
  driver.click("params/choice/relative/alibi");
  CHECK(params().choice("relative") == "none");
  // Softmax is chosen until another is, and stays when it is clicked.
  driver.click("params/choice/normalize/softmax");
  CHECK(params().choice("normalize") == "softmax");
  driver.click("params/choice/rotary");
  driver.click("params/choice/positions/learned");
  CHECK(driver.shows("params/rotary_base"));
  driver.click(no_place);
  CHECK((params().choice("rotary") == "none" && params().choice("positions") == "none"));
  CHECK(filled(driver, no_place));
  CHECK(driver.model().history.undo.back().name == "How are places told? none");
  const auto changes = driver.model().history.undo.size();
  driver.click(no_place);  // nothing is left to take away
  CHECK(driver.model().history.undo.size() == changes);
  driver.press(Key::z, {.ctrl = true});
  CHECK((params().choice("rotary") == "interleaved" && params().choice("positions") == "learned"));
}

TEST_CASE(
    "every choice of multi_head can be drawn once it is taken, and numbers that are found by themselves be given") {
  Driver driver(1600, 2400);
  const auto& specs = find_variant("multi_head")->params();
  const auto params = [&]() -> const ParamValues& { return driver.model().document.experiment->params; };
  for (const ParamQuestion question :
       {ParamQuestion::positions, ParamQuestion::visible, ParamQuestion::keys, ParamQuestion::weights})
    for (const OfferedChoice& choice : choices_offered(specs, question, ParamValues::defaults(specs))) {
      INFO(choice.id);
      driver.settle();
      if (choice.plain) continue;
      driver.click("params/choice/" + choice.id);
      CHECK(filled(driver, "params/choice/" + choice.id) == (params().get(choice.param) == choice.on));
    }
  driver.click("params/choice/normalize/sigmoid");
  CHECK(params().is_automatic("sigmoid_bias"));
  CHECK_FALSE(driver.shows("params/sigmoid_bias/number"));
  driver.click("params/sigmoid_bias");
  CHECK(params().real("sigmoid_bias") == 0);
  CHECK(driver.shows("params/sigmoid_bias/number"));
  driver.click("params/sigmoid_bias");
  CHECK(params().is_automatic("sigmoid_bias"));
}

TEST_CASE("nothing is asked for that takes no part, and no question stands without an answer") {
  Driver driver(1600, 2400);
  driver.settle();
  CHECK_FALSE(driver.shows("params/kept"));  // each query head has a key head
  act(driver, SetVariant{"mla"});
  driver.settle();
  const auto says = [&](std::string_view words) {
    return std::ranges::count(driver.log().texts, words, &LoggedText::text) > 0;
  };
  CHECK_FALSE(says("How are places told?"));  // rows of its own alone, under All
  CHECK(driver.shows("params/choice/latent_norm"));
  CHECK_FALSE(driver.shows("params/choice/How are keys shared?"));  // "None" would be said of the keys
  driver.click("params/more");
  CHECK(says("How are places told?"));
  driver.click("params/more");
  act(driver, SetVariant{"linear_attention"});
  driver.settle();
  CHECK_FALSE(driver.shows("params/features"));
  act(driver, SetParam{"feature_map", std::string("favor"), false});
  driver.settle();
  CHECK(driver.shows("params/features"));
}

TEST_CASE("a question folds to its answer, and weights come into sight") {
  Driver driver(1600, 1000);
  driver.settle();
  for (const auto& [question, answer] : {std::pair("How are places told?", "Sinusoidal"),
                                         {"Who may look?", "Causal"},
                                         {"How are weights made?", "Softmax"},
                                         {"How are keys shared?", "Key heads 8"}}) {
    INFO(question);
    const std::string heading = fmt::format("params/fold/{}", question);
    driver.click(heading);
    driver.settle();
    CHECK(driver.memory().get<FoldsMemory>().folded.size() > 0);
    CHECK(driver.widget(fmt::format("params/answer/{}", question)).value == answer);
  }
  CHECK_FALSE(driver.shows("params/choice/mask/causal"));
  CHECK(driver.widget("weights/textbook").rect.bottom() < 1000 - 56);  // above the stepper
  driver.click("params/fold/Who may look?");
  CHECK(driver.shows("params/choice/mask/causal"));
}

TEST_CASE("choices stand whole in the panel at every scale, and the keyboard reaches them") {
  for (const float scale : {1.0F, 2.0F}) {
    Driver driver(1600 * scale, 1600 * scale, scale);
    driver.settle();
    int chips = 0;
    for (const auto& logged : driver.log()) {
      if (!logged.first.starts_with("params/choice/")) continue;
      INFO(logged.first);
      ++chips;
      const auto& widget = logged.second;
      CHECK((widget.rect.x >= 0 && widget.rect.right() <= 300 * scale));
      const auto inside = [&](const LoggedText& text) {
        return text.text == widget.value && widget.rect.contains(text.rect.middle());
      };
      const auto label = std::ranges::find_if(driver.log().texts, inside);
      REQUIRE(label != driver.log().texts.end());
      CHECK_FALSE(label->cut);
    }
    CHECK(chips > 15);
  }
  Driver driver(1600, 1600);
  const auto found = find_in_palette(palette_entries(driver.model()), "alibi", {});
  REQUIRE(!found.entries.empty());
  CHECK(found.entries.front().label == "Relative: ALiBi");
  CHECK(found.entries.front().about.ends_with("(Press et al. 2022)."));
  for (int i = 0; i < 80 && driver.memory().ui.focus != "params/choice/relative/t5"; ++i) driver.press(Key::tab);
  driver.press(Key::enter);
  CHECK(driver.model().document.experiment->params.choice("relative") == "t5");
}
