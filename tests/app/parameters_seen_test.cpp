// The list of all parameters: what takes no part is not asked for, and what is shown is said whole.
#include <algorithm>

#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// A window so high that the whole list is seen.
struct Tall : Driver {
  Tall() : Driver(1600, 2400) {
    settle();
    click("params/more");
    settle();
  }
};

}  // namespace

TEST_CASE("a parameter of an option that is off is not asked for, unless it was set") {
  Tall driver;
  CHECK(driver.shows("params/choice/rotary"));
  CHECK_FALSE(driver.shows("params/rotary_base"));
  CHECK_FALSE(driver.shows("params/chunk_left"));
  CHECK_FALSE(driver.shows("params/prefix_length"));
  act(driver, SetParam{"rotary", std::string("half")});
  act(driver, SetParam{"chunk", Index{3}});
  act(driver, SetParam{"mask", std::string("prefix")});
  for (const char* id : {"rotary_base", "chunk_left", "prefix_length"})
    CHECK(driver.shows(fmt::format("params/{}", id)));
  act(driver, SetParam{"rotary_base", 500.0});
  act(driver, SetParam{"rotary", std::string("none")});
  CHECK(driver.shows("params/rotary_base"));
  CHECK_FALSE(driver.shows("params/rotary_fraction"));
}

TEST_CASE("a parameter that two choices share is asked for under either") {
  Tall driver;
  for (const char* relative : {"none", "alibi", "t5", "shaw", "shaw_keys"}) {
    INFO(relative);
    act(driver, SetParam{"relative", std::string(relative)});
    CHECK(driver.shows("params/clip") == std::string_view(relative).starts_with("shaw"));
    CHECK(driver.shows("params/buckets") == (std::string_view(relative) == "t5"));
  }
}

TEST_CASE("large numbers and names stand whole beside each other") {
  Tall driver;
  act(driver, SetParam{"rotary", std::string("half")});
  act(driver, SetParam{"ffn", true});
  CHECK(driver.widget("params/rotary_base/number").value == "10000");
  constexpr float panel = 300, label_column = 108, air = 4;
  for (const LoggedText& text : driver.log().texts) {
    INFO(text.text);
    if (text.rect.x < panel) CHECK_FALSE(text.cut);
    if (text.type == Type::label && text.rect.x < 20) CHECK(text.rect.w <= label_column - air);
  }
}

TEST_CASE("the scale is called 1/√d only where it is that") {
  Tall driver;
  const auto says = [&](const char* words) {
    return std::ranges::any_of(driver.log().texts, [&](const LoggedText& text) { return text.text == words; });
  };
  CHECK(says("Scale 1/√d"));
  act(driver, SetParam{"qk_norm", std::string("l2")});
  CHECK_FALSE(says("Scale 1/√d"));
  CHECK(says("Scale"));
}

TEST_CASE("the root beside a head's width is what the scores of the run are divided by") {
  Tall driver;
  const auto said = [&] {
    std::vector<std::string> roots;
    for (const LoggedText& text : driver.log().texts)
      if (text.text.starts_with("√") && text.rect.x < 300) roots.push_back(text.text);
    return roots;
  };
  CHECK(said() == std::vector<std::string>{"√8 = 2.83"});
  act(driver, SetParam{"temperature", 2.0});
  CHECK(said() == std::vector<std::string>{"√8 = 2.83"});
  act(driver, SetParam{"scale", 1.0});
  CHECK(said().empty());
  act(driver, SetVariant{"mla"});
  CHECK(said() == std::vector<std::string>{"√12 = 3.46"});
  act(driver, SetVariant{"aft"});
  CHECK(said().empty());
}

TEST_CASE("all parameters stand under their questions, and a known layer is chosen by its name") {
  Tall driver;
  std::vector<std::string> questions;
  for (const LoggedText& text : driver.log().texts)
    if (text.text.ends_with("?") && text.text != "New here?" &&
        (text.type == Type::heading || text.type == Type::label))
      questions.push_back(text.text);
  CHECK(questions == std::vector<std::string>{"How are places told?", "Who may look?", "How are keys shared?",
                                              "How are weights made?", "What stands around it?",
                                              "Does the order matter?"});  // the last is of another panel
  const Index heads = driver.model().params().integer("heads");
  act(driver, UsePreset{"llama"});
  CHECK(driver.model().params().choice("norm") == "rms_norm");
  CHECK(driver.model().params().integer("heads") == heads);
  REQUIRE(driver.model().preset());
  CHECK(driver.model().preset()->title == "Llama");
  act(driver, SetParam{"norm", std::string("layer_norm")});
  CHECK_FALSE(driver.model().preset());
  CHECK(driver.shows("weights/words") == false);  // heads that claim nothing are made by hand all the same
  act(driver, Undo{});
  act(driver, Undo{});
  CHECK(driver.model().params().choice("rotary") == "none");
}

TEST_CASE("while a run is refused nothing of the run before is told beside what is set") {
  Driver driver;
  driver.settle();
  const auto told = [&](const char* words) {
    return std::ranges::any_of(driver.log().texts, [&](const LoggedText& text) {
      return text.rect.x < 300 && text.text.find(words) != std::string::npos;
    });
  };
  const auto of_run = {"8 hand-made heads", "d_model 32", "√8 = 2.83"};
  for (const char* words : of_run) CHECK(told(words));
  act(driver, SetParam{"kv_heads", Index{3}, false});  // which does not divide eight heads
  REQUIRE(driver.model().shows_older());
  for (const char* words : {"hand-made", "d_model", "√8 =", "seed"}) {
    INFO(words);
    CHECK_FALSE(told(words));
  }
  act(driver, SetParam{"kv_heads", Index{4}, false});
  for (const char* words : of_run) CHECK(told(words));
  CHECK(told("12 tokens"));
  act(driver, SetParam{"kv_heads", Index{3}, false});
  CHECK(told("because"));  // the text is the same
  act(driver, SetText{"x_q", "one owl", false});
  REQUIRE(driver.model().shows_older());
  CHECK(told("owl"));
  CHECK_FALSE(told("because"));
  CHECK_FALSE(told("tokens"));
  act(driver, SetParam{"kv_heads", Index{4}, false});
  CHECK(told("3 tokens"));
  act(driver, UseExample{InputKind::signal});
  CHECK(driver.shows("input/signal"));
  act(driver, SetInput{driver.model().primary_input(), SignalInput{"gone.csv"}});
  REQUIRE(driver.model().shows_older());
  CHECK_FALSE(driver.shows("input/signal"));
}

TEST_CASE("while a run is refused, what an array's rows are called and which weights it can have stay as they are") {
  Experiment experiment = default_experiment("multi_head");
  LiteralInput numbers{{1, 3, 8}, std::vector<float>(24, 0.5F)};
  numbers.labels.tokens.lists = {{"one", "two", "three"}};
  experiment.inputs["x_q"] = numbers;
  Driver driver(1600, 1000, 1, experiment);
  driver.settle();
  const auto chosen = [&](const char* path) { return driver.widget(path).state == "selected"; };
  const auto has_token = [&] {
    return std::ranges::any_of(driver.log().texts,
                               [](const LoggedText& text) { return text.rect.x < 300 && text.text == "two"; });
  };
  CHECK(has_token());
  CHECK(chosen("weights/random"));
  act(driver, SetParam{"kv_heads", Index{3}, false});  // which does not divide eight heads
  REQUIRE(driver.model().shows_older());
  CHECK(has_token());
  CHECK(chosen("weights/random"));
  CHECK(driver.widget("weights/textbook").state == "disabled");
}
