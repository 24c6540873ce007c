// The whole screen by scripted clicks and keys, on a backend without a window.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <span>

#include "app/actions/action_table.h"
#include "app/actions/update.h"
#include "app/actions/what_if.h"
#include "app/figures/figure_choices.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

constexpr Modifiers ctrl{.ctrl = true};
constexpr Modifiers ctrl_shift{.ctrl = true, .shift = true};

const ParamValues& params(const Driver& driver) {
  return driver.model().document.experiment->params;
}

// The sanitizers look at memory, not at layout, and are slow: one size is enough for them.
#ifdef HEADLIGHT_ADDRESS_SANITIZER
constexpr std::size_t sizes_at_most = 1;
#else
constexpr std::size_t sizes_at_most = 100;
#endif

template <class Sizes>
auto sizes_of(const Sizes& sizes) {
  return std::span(sizes).first(std::min(sizes_at_most, std::size(sizes)));
}

constexpr float every_size[][3] = {{1366, 768, 2}, {1600, 1000, 1}, {683, 384, 1}};

// Whether anything is drawn whose path begins so.
bool shows_any(const Driver& driver, std::string_view begin) {
  return std::ranges::any_of(driver.log(), [&](const auto& widget) { return widget.first.starts_with(begin); });
}

}  // namespace

TEST_CASE("the stepper of heads runs again with more heads, and undo takes it back") {
  Driver driver;
  driver.click("params/heads/+");
  CHECK(params(driver).integer("heads") == 9);
  CHECK(driver.model().trace()->find("weights")->tensor().dim(1) == 9);
  CHECK(driver.widget("params/heads").value == "9");
  driver.press(Key::z, ctrl);
  CHECK(params(driver).integer("heads") == 8);
  driver.press(Key::z, ctrl_shift);
  CHECK(params(driver).integer("heads") == 9);
}

TEST_CASE("a known layer is chosen from its list") {
  Driver driver;
  driver.click("preset");
  REQUIRE(driver.shows("preset/BERT"));
  driver.click("preset/BERT");
  CHECK(params(driver).choice("positions") == "learned");
  CHECK_FALSE(driver.shows("preset/BERT"));
}

TEST_CASE("switch and slider change the run; a drag is one entry of undo") {
  Driver driver(1600, 1600);
  driver.click("params/scale");
  CHECK_FALSE(params(driver).is_automatic("scale"));
  const Rect slider = driver.widget("params/temperature").rect;
  driver.move_to(slider.middle());
  send_mouse_button(0, true);
  driver.frame();
  for (int i = 1; i <= 5; ++i) driver.move_to({slider.middle().x + static_cast<float>(i) * 8, slider.middle().y});
  send_mouse_button(0, false);
  driver.frame();
  driver.settle();
  CHECK(params(driver).real("temperature") > 1.5);
  CHECK(undo_name(driver.model().history) == "temperature");
  driver.press(Key::z, ctrl);
  CHECK(params(driver).real("temperature") == 1.0);
}

TEST_CASE("typing gives new tokens, and undo takes it back word by word") {
  Driver driver;
  driver.click("input/x_q");
  driver.press(Key::end, ctrl);
  for (const char* letters : {" an", "d ", "cold"}) driver.type(letters);
  const auto* text = driver.model().text_of("x_q");
  REQUIRE(text);
  CHECK(text->ends_with("warm and cold"));
  CHECK(driver.model().shown.problem->labels.at("n_q").back() == "cold");
  CHECK(driver.shows("tokens/x_q/13"));
  driver.click_at(driver.cell(11, 11));
  while (undo_name(driver.model().history) != "text") driver.session().act(Undo{});
  driver.session().act(Undo{});
  CHECK(*driver.model().text_of("x_q") == "the cat sat on the mat because the cat was warm and");
  driver.session().act(Undo{});
  CHECK(*driver.model().text_of("x_q") == "the cat sat on the mat because the cat was warm");
}

TEST_CASE("keys go through steps and heads") {
  Driver driver;
  driver.press(Key::escape);
  const int at = driver.model().stage();
  driver.press(Key::right);
  CHECK(driver.model().stage() == at + 1);
  driver.press(Key::page_up);
  CHECK(driver.model().stage() == at);
  driver.press(Key::home);
  CHECK(driver.model().stage() == 0);
  driver.press(Key::end);
  CHECK(driver.model().stage() + 1 == static_cast<int>(driver.model().trace()->stages.size()));
  driver.press(Key::five);
  CHECK(driver.model().document.look.head == 5);
  driver.press(Key::left_bracket);
  CHECK(driver.model().document.look.head == 4);
  driver.press(Key::space);
  CHECK(driver.model().playing);
}

TEST_CASE("a click pins a cell, arrows move it, Escape releases it") {
  Driver driver;
  driver.click_at(driver.cell(7, 4));
  CHECK(driver.model().document.look.pinned);
  CHECK(driver.model().document.look.selection.query == 7);
  CHECK(driver.model().document.look.selection.key == 4);
  driver.press(Key::up);
  driver.press(Key::left);
  CHECK(driver.model().document.look.selection.query == 6);
  CHECK(driver.model().document.look.selection.key == 3);
  CHECK(driver.shows("trace/result"));
  driver.press(Key::escape);
  CHECK_FALSE(driver.model().document.look.pinned);
}

TEST_CASE("the cell under the pointer is traced while none is pinned") {
  Driver driver;
  driver.press(Key::escape);
  driver.move_to(driver.cell(5, 2));
  driver.frame();
  REQUIRE(driver.model().hover);
  CHECK(driver.model().hover->selection.key == 2);
  driver.frame();
  CHECK(driver.widget("trace/result").value.starts_with("0."));
}

TEST_CASE("tiles, nodes, thumbnails and tokens answer to clicks") {
  Driver driver;
  driver.click("pipeline/scores");
  CHECK(driver.model().step()->info.id == "scores");
  driver.click("stepper/0");
  CHECK(driver.model().stage() == 0);
  driver.click("stepper/play");
  CHECK(driver.model().playing);
  driver.click("stepper/play");
  driver.session().act(ShowStep{"weights"});
  driver.settle();
  driver.click("heads/5");
  CHECK(driver.model().document.look.head == 5);
  driver.click("tokens/x_q/4");
  CHECK(driver.model().document.look.selection.query == 4);
}

TEST_CASE("mechanism and weights are chosen") {
  Driver driver;
  driver.click("mechanism");
  driver.click("mechanism/Cross-attention");
  CHECK(driver.model().document.experiment->inputs.contains("x_k"));
  CHECK(driver.model().trace()->find("weights")->tensor().dim(-1) == 10);
  driver.click("mechanism");
  driver.click("mechanism/Scaled dot-product");
  driver.click("weights/random");
  CHECK(driver.model().document.experiment->weights->init == "xavier_normal");
  CHECK(driver.model().trace()->heads.empty());
  const std::string text = *driver.model().text_of("x_q");
  driver.click("mechanism");
  driver.click("mechanism/Key content only");  // its input has another name, and is the same text
  CHECK(driver.model().trace()->variant == "key_content_only");
  CHECK(*driver.model().text_of("x") == text);
  driver.click("mechanism");
  driver.click("mechanism/Additive");
  CHECK(driver.model().trace()->variant == "additive");
  CHECK(*driver.model().text_of("x_q") == text);
}

TEST_CASE("an empty text says so and keeps the last map") {
  Driver driver;
  const Trace* before = driver.model().trace();
  driver.session().act(SetStartToken{"x_q", false});
  driver.settle();
  before = driver.model().trace();
  driver.session().act(SetText{"x_q", "", false});
  driver.settle();
  REQUIRE(driver.shows("error"));
  CHECK(driver.widget("error").value.find("no tokens") != std::string::npos);
  CHECK(driver.model().trace() == before);
  CHECK(driver.shows("heatmap"));
}

TEST_CASE("dialogs open, take the pointer and close") {
  Driver driver;
  driver.click("top/open");
  REQUIRE(driver.shows("dialog/path"));
  const auto heads = driver.model().document.experiment->params.integer("heads");
  driver.click("params/heads/+");  // behind the dialog
  CHECK(driver.model().document.experiment->params.integer("heads") == heads);
  driver.press(Key::escape);
  CHECK_FALSE(driver.shows("dialog/path"));
  driver.type("?");
  CHECK(driver.model().dialog == Dialog::keys);
  driver.click("dialog/close");
  CHECK(driver.model().dialog == Dialog::none);
}

TEST_CASE("Tab walks through the controls and Enter presses them") {
  Driver driver;
  const auto has_focus = [&](const char* path) { return driver.shows(path) && driver.widget(path).state == "focused"; };
  for (int i = 0; i < 80 && !has_focus("preset"); ++i) driver.press(Key::tab);
  REQUIRE(has_focus("preset"));
  driver.press(Key::enter);
  REQUIRE(driver.shows("preset/BERT"));
  driver.press(Key::escape);
  driver.press(Key::tab, {.shift = true});
  driver.press(Key::tab);
  CHECK(has_focus("preset"));
}

TEST_CASE("pointing at a symbol lights its tensor") {
  Driver driver;
  bool lit = false;
  for (int i = 1; i < 40 && !lit; ++i) {
    const std::string path = "formula/" + std::to_string(i);
    if (!driver.shows(path)) break;
    driver.move_to(driver.widget(path).rect.middle());
    driver.frame();
    lit = driver.model().lit == "masked_scores";
  }
  CHECK(lit);
}

TEST_CASE("a formula is set and drawn once") {
  Driver driver;
  driver.frame();
  const auto set = driver.memory().ui.formulas_set;
  const auto drawn = driver.memory().ui.formulas;
  REQUIRE(set.size() == 1);
  REQUIRE(drawn.size() == 1);
  driver.move_to(driver.widget("formula/1").rect.middle());
  for (int i = 0; i < 3; ++i) driver.frame();
  CHECK(!driver.model().lit.empty());
  CHECK(driver.memory().ui.formulas_set == set);
  CHECK(driver.memory().ui.formulas == drawn);
  driver.session().act(GoStage{2});
  driver.settle();
  CHECK(driver.memory().ui.formulas_set.size() == 2);
  CHECK(driver.memory().ui.formulas != drawn);
}

TEST_CASE("every size and scale draws, with nothing beyond the sides") {
  const float sizes[][3] = {{683, 384, 1},   {1280, 720, 1},  {1366, 768, 1},  {1366, 768, 2}, {1600, 1000, 0.75F},
                            {1600, 1000, 2}, {1600, 1000, 3}, {3200, 2000, 2}, {800, 1200, 1}};
  for (const auto& size : sizes_of(sizes)) {
    Driver driver(size[0], size[1], size[2]);
    INFO(size[0] << "×" << size[1] << " at " << size[2]);
    for (const char* path : {"top/picture", "stepper/play", "heatmap"}) {
      const Rect r = driver.widget(path).rect;
      INFO(path);
      CHECK(r.x >= 0);
      CHECK(r.right() <= size[0]);
      CHECK(r.y >= 0);
      CHECK(r.bottom() <= size[1]);
    }
    for (int stage = 0; stage < 9; ++stage) {
      driver.session().act(GoStage{stage});
      driver.settle();
    }
  }
}

TEST_CASE("questions that the line below the numbers has no room for are counted, and shown when asked for") {
  Driver driver(1366, 768);
  driver.press(Key::n);
  const auto list = what_ifs(driver.model());
  const auto shown = [&] {
    return std::ranges::count_if(list, [&](const WhatIf& what) { return driver.shows("whatif/" + what.label); });
  };
  const auto says = [&](const std::string& words) {
    return std::ranges::count(driver.log().texts, words, &LoggedText::text) > 0;
  };
  const auto before = shown();
  REQUIRE(before < std::ssize(list));
  CHECK(says(fmt::format("+{} more", std::ssize(list) - before)));
  driver.click("whatif-more");
  CHECK(shown() == std::ssize(list));
  const Rect total = driver.widget("numbers/total").rect;
  for (const WhatIf& what : list) {
    INFO(what.label);
    const Rect place = driver.widget("whatif/" + what.label).rect;
    CHECK(place.y >= total.bottom());
    CHECK(place.right() <= 1366);
    CHECK(place.bottom() <= driver.widget("stepper/0").rect.y);
  }
  CHECK(driver.shows("numbers/0"));
  driver.click("whatif-more");
  CHECK(shown() == before);
}

TEST_CASE("nodes of the stepper keep apart, however many there are and however large all is") {
  Experiment experiment = example_experiment();
  for (const auto& [id, value] : {std::pair("block", "pre_norm"), std::pair("rotary", "half")})
    experiment.params.set(id, ParamValue(std::string(value)));
  experiment.params.set("ffn", ParamValue(true));
  for (const auto& [width, scale] : {std::pair(1600.0F, 1.0F), std::pair(1366.0F, 2.0F), std::pair(1366.0F, 2.6F)}) {
    INFO(scale);
    Driver driver(width, 768, scale, experiment);
    driver.settle();
    int nodes = 0;
    for (; driver.shows(fmt::format("stepper/{}/dot", nodes + 1)); ++nodes) {
      const Rect here = driver.widget(fmt::format("stepper/{}/dot", nodes)).rect,
                 next = driver.widget(fmt::format("stepper/{}/dot", nodes + 1)).rect;
      CHECK(here.right() + 1 <= next.x);
    }
    CHECK(nodes > 10);
  }
}

TEST_CASE("the same cells as a map, as lines and as numbers") {
  Driver driver;
  driver.press(Key::n);
  REQUIRE(driver.model().document.look.mode == ViewMode::numbers);
  CHECK_FALSE(driver.shows("heatmap"));
  CHECK(driver.widget("numbers/3").state == "selected");
  CHECK(driver.widget("numbers/total").value == "1.0000");
  CHECK(driver.widget("numbers/11").value == "causal: key 11 comes after query 9");
  driver.click("numbers/5");
  CHECK(driver.model().document.look.selection.key == 5);
  driver.click("whatif/No mask");
  CHECK(params(driver).choice("mask") == "none");
  CHECK(driver.model().screen == Screen::compare);
  driver.click("top/view/explore");
  CHECK_FALSE(driver.widget("numbers/11").value.starts_with("causal"));
  driver.click("view/lines");
  REQUIRE(driver.model().document.look.mode == ViewMode::lines);
  driver.click("lines/query/2");
  CHECK(driver.model().document.look.selection.query == 2);
  driver.click("lines/key/7");
  CHECK(driver.model().document.look.selection.key == 7);
  CHECK(driver.widget("lines/count").value.ends_with("of 144"));
  const auto lines_from = [&](double least) {
    driver.session().act(SetThreshold{least});
    driver.settle();
    const Tensor& weights = driver.model().trace()->find("weights")->tensor();
    const Index head = driver.model().document.look.head * 144;
    Index strong = 0;
    for (Index cell = 0; cell < 144; ++cell) strong += weights[head + cell] >= static_cast<float>(least) ? 1 : 0;
    CHECK(driver.widget("lines/count").value == fmt::format("{} of 144", strong));
    return strong;
  };
  CHECK(lines_from(0.5) > lines_from(1.0));
  driver.session().act(ShowStep{"q"});
  driver.settle();
  driver.click("lines/weights");  // q has no pairs: the way back is offered
  CHECK(driver.model().step()->info.id == "weights");
  driver.press(Key::h);
  CHECK(driver.shows("heatmap"));
}

TEST_CASE("every step draws in every view, at every size") {
  constexpr float scales[] = {1.0F, 2.0F};
  for (const float scale : sizes_of(scales)) {
    Driver driver(1366, 768, scale);
    for (const char* mode : {"matrix", "lines", "numbers"}) {
      driver.session().act(*parse_action(std::string("mode ") + mode));
      for (int stage = 0; stage < driver.model().stages(); ++stage) {
        driver.session().act(GoStage{stage});
        driver.settle();
        INFO(mode << ", step " << driver.model().step()->info.id);
        CHECK(driver.shows("heatmap") == (std::string(mode) == "matrix"));
        CHECK(shows_any(driver, "lines/") == (std::string(mode) == "lines"));
        CHECK(shows_any(driver, "numbers/") == (std::string(mode) == "numbers"));
      }
    }
  }
}

TEST_CASE("tokens and other heads point at the same cells as the map") {
  Driver driver;
  driver.press(Key::escape);
  driver.move_to(driver.widget("tokens/x_q/4").rect.middle());
  driver.frame();
  REQUIRE(driver.model().hover);
  CHECK(driver.model().hover->selection.query == 4);
  CHECK(driver.model().hover->selection.key == 3);  // the one selected before
  const Rect thumbnail = driver.widget("heads/1").rect;
  driver.move_to({thumbnail.x + 20, thumbnail.bottom() - 20});
  driver.frame();
  REQUIRE(driver.model().hover);
  CHECK(driver.model().hover->head == 1);
  driver.move_to({800, 5});
  driver.frame();
  CHECK_FALSE(driver.model().hover);
}

TEST_CASE("a step cross-fades for a fifth of a second, and then nothing moves") {
  Driver driver;
  driver.session().act(SetReduceMotion{false});
  driver.settle();
  CHECK(driver.next_redraw() > 1e299);
  driver.session().act(ShowStep{"scores"});
  driver.frame();
  const double began = driver.now();
  while (driver.next_redraw() < 1e299) driver.frame();
  CHECK(driver.now() - began == Approx(0.2).margin(0.04));
  driver.press(Key::down);  // a pinned cell glides
  driver.session().act(MoveSelection{1, 0});
  driver.frame();
  CHECK(driver.next_redraw() < 1e299);
  driver.session().act(SetReduceMotion{true});
  driver.session().act(ShowStep{"weights"});
  driver.frame();
  driver.frame();
  CHECK(driver.next_redraw() > 1e299);
}

TEST_CASE("after a cancel the window says that its picture is older than its settings") {
  Driver driver;
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "word ";
  driver.session().act(SetText{"x_q", text, false});
  driver.session().act(Cancel{});
  driver.settle();
  REQUIRE(driver.model().cancelled);
  REQUIRE(driver.shows("cancelled"));
  CHECK(driver.widget("cancelled").value.starts_with("Cancelled. The picture is of the last run"));
  driver.session().act(SetText{"x_q", "one two", false});
  driver.settle();
  CHECK_FALSE(driver.shows("cancelled"));
}

TEST_CASE("a first run that is cancelled leaves no word of a picture") {
  Experiment experiment = example_experiment();
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "word ";
  std::get<TextInput>(experiment.inputs.at("x_q")).text = text;
  Session session(std::move(experiment), {}, {});
  session.act(Cancel{});
  REQUIRE(session.settle());
  REQUIRE_FALSE(session.model().trace());
  REQUIRE(session.model().cancelled);
}

TEST_CASE("theme, size and motion are set in one place") {
  Driver driver;
  driver.click("top/appearance");
  driver.click("appearance/theme/high-contrast");
  CHECK(driver.model().settings.theme == ThemeName::high_contrast);
  driver.click("appearance/scale/+");
  CHECK(driver.model().settings.scale == 1.25F);
  driver.click("appearance/motion");
  CHECK_FALSE(driver.model().settings.reduce_motion);
}

TEST_CASE("a switch that is off has another ground than one that is on, in every theme") {
  for (const ThemeId id : {ThemeId::light, ThemeId::dark, ThemeId::high_contrast}) {
    Driver driver;
    act(driver, SetTheme{static_cast<ThemeName>(id)});
    act(driver, ShowScreen{Screen::masks});
    const auto ground = [&](const std::string& path) {
      Color32 color = 0;
      const app::Point middle = driver.widget(path).rect.middle();
      for (const LoggedFill& fill : driver.log().fills)
        if (fill.rect.contains(middle)) color = fill.color;
      return color;
    };
    CHECK(ground("masks/layer/causal/on") == theme(id).ink);
    CHECK(ground("masks/layer/prefix/on") != theme(id).ink);
  }
}

TEST_CASE("totals stand under the numbers that they are of") {
  for (const float scale : {1.0F, 2.0F}) {
    Driver driver(1366 * scale, 768 * scale, scale);
    act(driver, SetMode{ViewMode::numbers});
    const Rect row = driver.widget("numbers/3").rect, total = driver.widget("numbers/total").rect;
    const Model& model = driver.model();
    const Selection selection = effective_selection(model);
    const std::string weight = fmt::format(
        "{:.4f}", model.trace()->find("weights")->tensor().at({0, model.document.look.head, *selection.query, 3}));
    float of_row = 0, of_total = 0;
    for (const LoggedText& text : driver.log().texts) {
      if (text.text == weight && row.contains(text.rect.middle())) of_row = text.rect.right();
      if (text.text == "1.0000" && total.contains(text.rect.middle())) of_total = text.rect.right();
    }
    CHECK(of_row > 0);
    CHECK(of_total == of_row);
  }
}

TEST_CASE("every mechanism draws every step of its example at every size, in every view") {
  for (const auto& [kind, variant] : {std::pair{"text", "additive"},
                                      {"text", "key_content_only"},
                                      {"image", "multi_head"},
                                      {"image", "stand_alone_2d"},
                                      {"image", "memory_block"},
                                      {"frames", "non_local"},
                                      {"signal", "non_local"},
                                      {"signal", "multi_head"}}) {
    for (const auto& size : sizes_of(every_size)) {
      INFO(kind << " through " << variant << " at " << size[0] << "×" << size[1]);
      Driver driver(size[0], size[1], size[2]);
      driver.session().act(*parse_action(std::string("example ") + kind));
      driver.session().act(SetVariant{variant});
      driver.settle();
      REQUIRE(driver.model().trace()->variant == variant);
      CHECK(driver.model().error.empty());
      const auto stages = static_cast<int>(driver.model().trace()->stages.size());
      for (const char* mode : {"map", "matrix", "lines", "numbers"}) {
        driver.session().act(*parse_action(std::string("mode ") + mode));
        for (int stage = 0; stage < stages; ++stage) {
          driver.session().act(GoStage{stage});
          driver.frame();
          const Rect play = driver.widget("stepper/play").rect;
          CHECK(play.bottom() <= size[1]);
        }
      }
    }
  }
}

TEST_CASE("of many messages the newest are seen, and how many wait behind them") {
  Driver driver;
  driver.clipboard() = "0.5";
  act(driver, PasteNumbers{});
  REQUIRE(driver.shows("edits"));  // a card that follows
  for (int i = 0; i < 5; ++i) act(driver, Open{fmt::format("/nowhere/{}.headlight", i)});
  REQUIRE(driver.model().notices.size() == 5);
  CHECK_FALSE(driver.shows("notice/2"));
  CHECK(driver.widget("notice/4").value.find("/nowhere/4.headlight") != std::string::npos);
  CHECK(driver.widget("notice/older").value == "3 older messages behind these");
  CHECK(driver.widget("notice/older").rect.h >= 16);
  CHECK(driver.widget("notice/older").rect.y >= driver.widget("notice/4").rect.bottom());
  // And of all cards the weightiest: the map stays in sight.
  CHECK_FALSE(driver.shows("edits"));
  CHECK(driver.widget("notices/more").value == "1 more: show");
  driver.click("notices/more");
  CHECK(driver.widget("notice/older").rect.bottom() <= driver.widget("edits").rect.y);
  CHECK(driver.widget("notices/more").value == "Show fewer");
  driver.click("notices/more");
  CHECK_FALSE(driver.shows("edits"));
  driver.click("notice/4/dismiss");
  driver.click("notice/3/dismiss");
  driver.click("notice/2/dismiss");
  CHECK_FALSE(driver.shows("notice/older"));
  CHECK(driver.widget("notice/0").value.find("/nowhere/0.headlight") != std::string::npos);
}

TEST_CASE("the query is picked on the picture and the key where it looks") {
  Driver driver;
  act(driver, SetVariant{"stand_alone_2d"});  // a sentence has no rows and columns: the bundled picture comes with it
  REQUIRE(driver.model().trace()->variant == "stand_alone_2d");
  CHECK(driver.model().notices.size() == 1);
  REQUIRE(driver.model().document.look.selection.query);  // somebody asks from the start
  const Rect input = driver.widget("input/picture").rect;
  driver.click_at({input.x + input.w * 3.5F / 32, input.y + input.h * 7.5F / 32});
  CHECK(driver.model().document.look.selection.query == 7 * 32 + 3);
  const Rect map = driver.widget("picture").rect;
  driver.click_at({map.x + map.w * 4.5F / 32, map.y + map.h * 3.5F / 32});
  CHECK(driver.model().document.look.pinned);
  CHECK(driver.model().document.look.selection.key == 3 * 32 + 4);
  CHECK(driver.widget("picture/key").value.starts_with("key 3, 4 · weight"));
  CHECK(driver.widget("picture/key").value.ends_with("4 up, 1 right"));
  CHECK(driver.widget("relative/row_table").value == "3 − 7 + 31 = 27");
  CHECK(driver.widget("relative/col_table").value == "4 − 3 + 31 = 32");
  driver.press(Key::right);  // arrows move the pinned key over the picture
  CHECK(driver.model().document.look.selection.key == 3 * 32 + 5);
  driver.click("input/grid");
  driver.click("input/grid/8 × 8");
  CHECK(driver.model().trace()->find("weights")->tensor().dim(2) == 64);
  driver.press(Key::z, ctrl);
  driver.press(Key::z, ctrl);
  CHECK(driver.model().trace()->find("weights")->tensor().dim(2) == 1024);
}

TEST_CASE("frames are scrubbed, and every similarity is run beside") {
  Driver driver;
  driver.click("input/kind/video");
  driver.click("mechanism");
  driver.click("mechanism/Non-local");
  REQUIRE(driver.model().trace()->variant == "non_local");
  CHECK(driver.model().params().integer("dimension") == 3);  // taken from the input
  driver.click("frames/2");
  CHECK(driver.model().document.look.frame == 2);
  double shares = 0;
  for (int f = 0; f < 8; ++f) shares += std::stod(driver.widget("frames/" + std::to_string(f)).value);
  CHECK(shares == Approx(1).margin(1e-3));
  CHECK(driver.model().beside.traces.size() == 4);
  driver.click("similarity/dot_product");
  CHECK(driver.model().document.experiment->params.choice("mode") == "dot_product");
}

TEST_CASE("a dropped picture becomes the input, whatever the mechanism was") {
  Driver driver;
  const std::string scene = HEADLIGHT_SOURCE_DIR "/assets/examples/scene.png";
  driver.session().act(Open{scene});
  driver.settle();
  CHECK(driver.model().trace()->variant == "multi_head");  // which takes pictures as patches
  CHECK(driver.model().trace()->find("x_q")->tensor().dim(1) == 1024);
  CHECK(driver.model().document.experiment->params.choice("mask") == "none");  // the sentence's mask went with it
  driver.session().act(SetVariant{"stand_alone_2d"});
  driver.settle();
  CHECK(driver.model().trace()->find("x")->tensor().dim(2) == 32);
  driver.session().act(SetText{"x", "a cat", false});
  driver.click("input/kind/text");
  CHECK(driver.model().trace()->variant == "multi_head");
  driver.session().act(Open{HEADLIGHT_SOURCE_DIR "/README.md"});
  driver.settle();
  REQUIRE(!driver.model().notices.empty());
  CHECK(driver.model().notices.back().level == Notice::Level::error);
}

TEST_CASE("positions are shuffled and shifted, and the window says whether the output moved along") {
  Experiment experiment = example_experiment();
  experiment.params.set("mask", std::string("none"));
  experiment.params.set("positions", std::string("none"));
  experiment.view = {};
  Driver driver(1600, 1600, 1, experiment);
  CHECK_FALSE(driver.shows("arrange/down"));  // a sentence has no rows
  driver.session().act(SetHead{0});
  driver.session().act(ShowStep{"weights"});
  driver.settle();
  CHECK(driver.widget("inspector/silence").value == "Here every row looks at everything nearly alike.");
  CHECK(driver.widget("arrange/off").state == "disabled");
  driver.click("arrange/shuffle");
  CHECK(driver.model().document.experiment->arrange == Arrangement(Shuffle{1}));
  CHECK(driver.widget("arrange/words").value.starts_with("The output moves along: no position is more than "));
  CHECK(driver.widget("arrange/map").value == "1×12");
  driver.click("arrange/shuffle");
  CHECK(driver.model().document.experiment->arrange == Arrangement(Shuffle{2}));
  driver.session().act(SetParam{"positions", std::string("sinusoidal"), false});
  driver.settle();
  CHECK(driver.widget("arrange/words").value.starts_with("The output does not move along: "));
  CHECK(driver.widget("arrange/words").value.find("mask") == std::string::npos);
  driver.session().act(SetParam{"mask", std::string("causal"), false});
  driver.settle();
  CHECK(driver.widget("arrange/words")
            .value.ends_with("The mask stays where it is: it hides places, whatever stands there now."));
  for (int i = 0; i < 12; ++i) driver.click("arrange/right");
  CHECK_FALSE(driver.model().document.experiment->arrange);  // once round
  driver.click("arrange/right");
  CHECK(driver.model().document.experiment->arrange == Arrangement(Shift{0, 1}));
  driver.click("arrange/off");
  CHECK_FALSE(driver.model().document.experiment->arrange);
  CHECK_FALSE(driver.shows("arrange/map"));
}

TEST_CASE("on a picture the border is told from the rest, and the section fits every width") {
  const std::string folder = std::string(HEADLIGHT_SOURCE_DIR) + "/assets/examples";
  Experiment experiment = default_experiment("stand_alone_2d");
  experiment.inputs["x"] = ImageInput{folder + "/scene.png", GridSize{8, 8}};
  for (const auto& [id, value] : std::initializer_list<std::pair<const char*, ParamValue>>{
           {"extent", Index{3}}, {"padding", std::string("masked")}})
    experiment.params.set(id, value);
  const float sizes[][3] = {{1600, 1600, 1}, {2000, 4000, 2}, {1100, 1400, 1}};
  for (const auto& size : sizes) {
    Driver driver(size[0], size[1], size[2], experiment);
    INFO(size[0] << "×" << size[1] << " at " << size[2]);
    if (driver.shows("left/tab/inspector")) driver.click("left/tab/inspector");
    driver.click("arrange/down");
    CHECK(driver.model().document.experiment->arrange == Arrangement(Shift{1, 0}));
    CHECK(driver.widget("arrange/words").value ==
          "The output moves along except at 24 of 64 positions, all at the border.");
    const Rect panel = driver.widget("arrange/words").rect;
    for (const char* path : {"arrange/shuffle", "arrange/right", "arrange/down", "arrange/off", "arrange/map"}) {
      INFO(path);
      CHECK(driver.widget(path).rect.x >= panel.x);
      CHECK(driver.widget(path).rect.right() <= panel.right() + 1);
    }
  }
}

TEST_CASE("offsets are shown as staircases, channel by channel, and every cell has its history") {
  Driver driver;
  driver.click("mechanism");
  driver.click("mechanism/Stand-alone 2-D");
  driver.session().act(ShowStep{"row_embedding"});
  driver.settle();
  CHECK(driver.widget("heatmap").value == "32×32");
  driver.click_at(driver.cell(5, 9));
  CHECK(driver.shows("trace/result"));
  const auto query = driver.model().document.look.selection.query;
  driver.click("channel/+");
  CHECK(driver.model().document.look.selection.channel == 1);
  CHECK(driver.model().document.look.selection.query == query);  // the pixel that asks is another matter
}

TEST_CASE("a step shows its lines of NumPy, and the run is copied as a script") {
  Driver driver(1600, 1600, 1, example_experiment());
  CHECK(driver.widget("code/lines").value == "weights = softmax(masked_scores)");
  for (const char* language : {"numpy", "pytorch"}) {
    while (!driver.model().notices.empty()) driver.session().act(Dismiss{0});
    driver.click(std::string("code/") + language);
    CHECK(driver.model().notices.size() == 1);
  }
  driver.session().act(ShowStep{"x_q"});
  driver.settle();
  CHECK_FALSE(driver.shows("code/lines"));  // an input is not computed
  CHECK(driver.shows("code/numpy"));
}

TEST_CASE("frames go by keys") {
  Driver driver;
  driver.click("input/kind/video");
  driver.click("mechanism");
  driver.click("mechanism/Non-local");
  const Index at = driver.model().document.look.frame;
  driver.press(Key::right_bracket, {.shift = true});
  CHECK(driver.model().document.look.frame == at + 1);
  driver.press(Key::left_bracket, {.shift = true});
  CHECK(driver.model().document.look.frame == at);
}

TEST_CASE("a picture of too many pairs states its bytes and offers one query, which is then moved about") {
  Driver driver;
  act(driver, UseExample{InputKind::image});
  act(driver, SetVariant{"stand_alone_2d"});
  act(driver, SetParam{"heads", Index{1}});
  act(driver, SetGrid{"x", {72, 72}});
  CHECK(driver.widget("error").value ==
        "5184 queries × 5184 keys in one head: this run needs about 411 MiB. The grid is 72 × 72.");
  CHECK(driver.widget("error/button3").value == "Grid 36 × 36");
  REQUIRE(driver.shows("error/button2"));  // it would fit
  CHECK(driver.widget("error/button2").value == "Run it whole");
  driver.click("error/button");
  CHECK_FALSE(driver.shows("error"));
  CHECK(params(driver).integer("only_query") == 36 * 72 + 36);
  REQUIRE(driver.model().trace()->find("weights"));
  CHECK(driver.model().trace()->find("weights")->tensor().shape() == Shape{1, 1, 1, 5184});
  CHECK(driver.widget("one query").value.find("query 36, 36") != std::string::npos);

  // A click on the picture asks from there.
  const Rect picture = driver.widget("input/picture").rect;
  driver.click_at({picture.x + picture.w * 10.5F / 72, picture.y + picture.h * 20.5F / 72});
  CHECK(params(driver).integer("only_query") == 20 * 72 + 10);
  CHECK(driver.model().document.look.selection.query == 20 * 72 + 10);
  CHECK(driver.model().trace()->find("weights")->axis(AxisRole::query)->only == 20 * 72 + 10);
  // Pointing elsewhere moves nothing: there is no other row.
  driver.move_to({picture.x + 3, picture.y + 3});
  CHECK(driver.widget("one query").value.find("query 20, 10") != std::string::npos);

  for (const ViewMode mode : {ViewMode::matrix, ViewMode::lines, ViewMode::numbers, ViewMode::map}) {
    act(driver, SetMode{mode});
    for (const auto& step : driver.model().trace()->steps) act(driver, ShowStep{step.info.id});
  }
  act(driver, ShowStep{"weights"});
  driver.press(Key::z, ctrl);  // the way back is one step at a time
  act(driver, SetGrid{"x", {8, 8}});
  CHECK(params(driver).is_automatic("only_query"));
  CHECK_FALSE(driver.shows("one query"));
}

TEST_CASE("a large run starts when it is told to, and then goes on without asking") {
  Driver driver;
  act(driver, UseExample{InputKind::image});
  act(driver, SetVariant{"non_local"});
  act(driver, SetGrid{"x", {65, 65}});
  REQUIRE(driver.shows("error/button2"));
  driver.click("error/button2");
  CHECK_FALSE(driver.shows("error"));
  CHECK(driver.model().trace()->find("weights")->tensor().shape() == Shape{1, 1, 4225, 4225});
  act(driver, SetParam{"bias", true});
  CHECK_FALSE(driver.shows("error"));
  CHECK(driver.model().trace()->find("b_g"));
}

TEST_CASE("a figure is made in the window: settings, words, command, file, and its recipe brings it back") {
  const Scratch folder;
  Driver driver;
  driver.press(Key::e, ctrl);
  REQUIRE(driver.shows("figure/preview"));
  CHECK(driver.widget("figure/command").value.starts_with("headlight render --step weights"));
  CHECK(driver.shows("figure/check/One bar, one scale"));
  const std::string before = driver.widget("figure/preview").value;

  CHECK_FALSE(driver.shows("figure/command/warning"));  // the command has the built-in example too
  driver.click("figure/key");
  CHECK(driver.widget("figure/command").value.find("--key 3") != std::string::npos);
  driver.click("figure/key");
  CHECK(driver.widget("figure/command").value.find("--key") == std::string::npos);
  driver.click("figure/head/2");  // all but the third
  CHECK(driver.model().document.figure.heads == std::vector<Index>{0, 1, 3, 4, 5, 6, 7});
  driver.click("figure/shared");
  CHECK(driver.shows("figure/check/A bar for each scale"));
  driver.press(Key::z, ctrl);
  driver.click("figure/bar");
  driver.click("figure/bar/None");
  CHECK(driver.widget("figure/command").value.find("--bar none") != std::string::npos);
  CHECK(driver.widget("figure/check/Scale in the caption").state == "ok");
  driver.click("figure/numbers/all");
  driver.click("figure/preset");
  driver.click("figure/preset/IEEE, one column");
  CHECK(driver.model().document.figure.width == "ieee-column");
  CHECK(driver.widget("figure/preview").value != before);
  CHECK(driver.widget("figure/command").value.find("--width ieee-column") != std::string::npos);
  driver.click("figure/vision/grey");
  driver.click("figure/where/only");
  CHECK(driver.shows("figure/preview"));
  driver.click("figure/extra/csv");
  act(driver, SetFigure{"range", "1:0"});  // refused in words, and nothing changes
  REQUIRE_FALSE(driver.model().notices.empty());
  CHECK(driver.model().notices.back().text == "--range is 1:0: it must be auto, or LOW:HIGH such as 0:1");
  act(driver, Dismiss{0});

  for (const char* extension : {".pdf", ".svg", ".png", ".tex"}) {
    const fs::path path = folder / (std::string("fig") + extension);
    act(driver, SetFigurePath{path.string()});
    driver.press(Key::e, ctrl);
    REQUIRE(fs::exists(path));
    CHECK(fs::exists(folder / "fig.csv"));
    Session other(example_experiment(), {}, {});
    other.act(Open{path});
    REQUIRE(other.settle());
    const auto drawn = [](const Model& model) { return without_idle_choices(model.document.figure, *model.trace()); };
    CHECK(drawn(other.model()) == drawn(driver.model()));
    CHECK(other.model().screen == Screen::figure);
    CHECK(other.model().trace()->find("weights")->tensor().dim(1) == 8);
  }
  act(driver, SetParam{"heads", Index{4}});
  CHECK(driver.shows("figure/command/warning"));  // what is shown is in no file
  driver.press(Key::escape);
  CHECK(driver.model().screen == Screen::explore);
}

TEST_CASE("the button at the top leads to the figure, and says that it leads back from there and from the worksheet") {
  Driver driver;
  driver.settle();
  CHECK(driver.widget("top/picture").value == "Export figure");
  driver.click("top/picture");
  CHECK(driver.model().screen == Screen::figure);
  for (const Screen screen : {Screen::figure, Screen::worksheet}) {
    act(driver, ShowScreen{screen});
    CHECK(driver.widget("top/picture").value == "Close");
    driver.click("top/picture");
    CHECK(driver.model().screen == Screen::explore);
  }
}

TEST_CASE("many figures are exported from the window, with their progress and a way to stop") {
  const Scratch folder;
  Driver driver;
  act(driver, ShowScreen{Screen::figure});
  CHECK_FALSE(driver.shows("figure/file/name"));
  driver.click("figure/each");
  driver.click("figure/each/Each head");
  CHECK(driver.widget("figure/path").value == "weights_{head}.pdf");
  CHECK(driver.widget("figure/command").value.ends_with("-o 'weights_{head}.pdf' --each head"));
  CHECK(driver.widget("figure/file/name").value == "weights_0.pdf");
  driver.click("figure/file/+");
  CHECK(driver.widget("figure/file/name").value == "weights_1.pdf");
  act(driver, SetFigurePath{(folder / "fig.pdf").string()});
  CHECK(driver.shows("figure/path/error"));
  act(driver, SetFigurePath{(folder / "fig_{head}.pdf").string()});
  CHECK_FALSE(driver.shows("figure/path/error"));
  std::ofstream(folder / "fig_3.pdf") << "mine";
  act(driver, SetFigureExtra{"csv", true});
  CHECK(driver.widget("figure/replaced").value == "Replaces 1 file that is there.");
  driver.press(Key::e, ctrl);
  REQUIRE(driver.shows("dialog/question"));
  CHECK(driver.widget("dialog/question").value.starts_with("fig_3.pdf is there already."));
  CHECK_FALSE(fs::exists(folder / "fig_7.csv"));
  driver.click("dialog/replace");
  CHECK(fs::exists(folder / "fig_7.csv"));
  CHECK(driver.widget("notice/0").value == "Saved 8 figures in " + folder.path().string());
  CHECK_FALSE(driver.shows("figure/replaced"));

  driver.session().act(SetFigureEach{{"step", "head", "query"}});
  driver.session().act(SetFigure{"dpi", "300"});
  driver.session().act(SetFigurePath{(folder / "{step}_{head}_{query}.png").string()});
  driver.session().act(SaveFigure{});
  for (int i = 0; i < 10000 && !driver.shows("figure/progress"); ++i) driver.frame();
  REQUIRE(driver.shows("figure/progress"));
  CHECK_FALSE(driver.shows("figure/save"));
  CHECK(driver.widget("figure/progress").value.find(" of ") != std::string::npos);
  SECTION("by its button") {
    driver.click("figure/stop");
  }
  SECTION("by Esc") {
    driver.press(Key::escape);
  }
  CHECK(driver.model().screen == Screen::figure);
  CHECK(driver.model().notices.back().text.starts_with("Cancelled: "));
  CHECK(driver.shows("figure/save"));
}

TEST_CASE("a worksheet and its key are made in the window") {
  const Scratch folder;
  Driver driver;
  driver.press(Key::e, ctrl);
  driver.click("export/what/worksheet");
  REQUIRE(driver.shows("sheet/preview"));
  CHECK(driver.widget("sheet/command").value == "headlight worksheet --head 2 --query 9 -o example-sheet.pdf");
  driver.click("sheet/seed");
  driver.click("sheet/paper/letter");
  driver.click("sheet/head");
  driver.click("sheet/head/Same token");
  driver.click("sheet/blanks/-");
  CHECK(driver.widget("sheet/command").value ==
        "headlight worksheet --head 1 --query 9 --blanks 11 --seed 2 --paper letter -o example-sheet.pdf");
  driver.click("sheet/side/key");
  CHECK(driver.shows("sheet/preview"));
  act(driver, SetSheet{"blanks", "90"});
  CHECK(driver.widget("sheet/error").value.starts_with("--blanks is 90"));
  act(driver, SetSheet{"blanks", "auto"});
  act(driver, SetSheet{"path", (folder / "s.txt").string()});
  CHECK(driver.shows("sheet/path/error"));
  act(driver, SetSheet{"path", (folder / "s.pdf").string()});
  driver.press(Key::e, ctrl);
  CHECK(fs::exists(folder / "s.pdf"));
  CHECK(fs::exists(folder / "s-key.pdf"));
  CHECK(driver.widget("notice/0").value == "Saved s.pdf, s-key.pdf in " + folder.path().string());
  driver.press(Key::e, ctrl);  // over its own files only where that is wanted
  CHECK(driver.model().dialog == Dialog::replace);
  act(driver, Decide{Decision::cancel});
  driver.click("sheet/copies/+");
  CHECK(driver.widget("sheet/command").value.find("--copies 2") != std::string::npos);
  CHECK(driver.shows("sheet/preview"));
  driver.click("sheet/run/by-hand");
  CHECK(driver.widget("sheet/command").value.find("worksheet --by-hand --seed 2 --copies 2") != std::string::npos);
  CHECK_FALSE(driver.shows("sheet/head"));
  CHECK_FALSE(driver.shows("sheet/error"));
  driver.click("sheet/run/shown");
  driver.click("sheet/copies/-");
  driver.click("sheet/rows");
  driver.type("3, 5, 9");
  driver.settle();
  CHECK(driver.model().sheet.rows == std::vector<Index>{3, 5, 9});
  CHECK_FALSE(driver.shows("sheet/copies"));
  CHECK(driver.widget("sheet/command").value.find("--rows 3,5,9") != std::string::npos);
  driver.type(", x");
  driver.settle();
  CHECK(driver.widget("sheet/rows/error").value.find("numbers of queries, such as 3, 5, 9") != std::string::npos);
  CHECK(driver.model().sheet.rows.size() == 3);
  act(driver, SetSheet{"rows", "auto"});
  driver.click("sheet/key");
  CHECK(driver.widget("sheet/command").value.find("--no-key") != std::string::npos);
  act(driver, SetParam{"heads", Index{4}});
  CHECK(driver.shows("sheet/command/warning"));
  driver.press(Key::escape);
  CHECK(driver.model().screen == Screen::explore);
}

TEST_CASE("a worksheet is shown of every kind of input, at every size") {
  constexpr std::pair<float, float> sizes[] = {{1366, 1}, {1600, 1}, {1600, 2}};
  for (const auto& [width, scale] : sizes_of(sizes)) {
    Driver driver(width, 900, scale);
    for (const InputKind kind : {InputKind::text, InputKind::image, InputKind::frames, InputKind::signal}) {
      act(driver, UseExample{kind});
      act(driver, ShowScreen{Screen::worksheet});
      CHECK(driver.shows("sheet/preview"));
      CHECK_FALSE(driver.shows("sheet/error"));
    }
  }
}

TEST_CASE("the figure screen draws every step at every size") {
  constexpr float sizes[][3] = {{1366, 768, 1}, {1600, 1000, 1}, {1600, 1000, 2}, {1366, 768, 3}};
  for (const auto& [width, height, scale] : sizes_of(sizes)) {
    Driver driver(width, height, scale);
    act(driver, ShowScreen{Screen::figure});
    for (const auto& step : driver.model().trace()->steps) {
      INFO(step.info.id);
      act(driver, SetFigure{"step", step.info.id});
      CHECK_FALSE(driver.shows("figure/error"));
      CHECK(driver.shows("figure/preview"));
    }
  }
}

TEST_CASE("words that are longer than a line are parted, and a result has its whole name") {
  Driver driver(1366, 768);
  driver.session().act(ShowStep{"concat"});
  driver.session().act(Select{{3, {}, 0}, true});
  driver.settle();
  driver.click("left/tab/inspector");
  const auto find = [&](const std::string& words) {
    const auto& texts = driver.log().texts;
    const auto found =
        std::ranges::find_if(texts, [&](const LoggedText& text) { return text.text.find(words) != std::string::npos; });
    REQUIRE(found != texts.end());
    return *found;
  };
  CHECK_FALSE(find("concatenated heads").cut);
  const Rect code = driver.widget("code/lines").rect;
  std::string printed;
  for (const LoggedText& text : driver.log().texts)
    if (text.rect.y >= code.y && text.rect.bottom() <= code.bottom() + 1 && text.rect.x >= code.x &&
        text.rect.x < code.right()) {
      INFO(text.text);
      CHECK(text.rect.right() <= code.right());
      printed += text.text;
    }
  std::string lines = driver.widget("code/lines").value;
  std::erase_if(lines, [](char c) { return c == ' ' || c == '\n'; });
  CHECK(printed == lines);  // and nothing is lost where a word is parted
}

TEST_CASE("a second text goes where it came, whatever the mechanism") {
  Driver driver;
  driver.session().act(SetCross{true});
  driver.session().act(SetVariant{"additive"});
  driver.settle();
  REQUIRE(driver.shows("input/x_k"));
  CHECK(why_not(SetCross{false}, driver.model()).empty());
  driver.click("input/x_k/remove");
  CHECK_FALSE(driver.model().document.experiment->inputs.contains("x_k"));
  CHECK_FALSE(driver.shows("input/x_k"));
  CHECK(driver.model().error.empty());
}

TEST_CASE("the row of a map of more keys than pixels has its bars") {
  Experiment experiment = example_experiment();
  std::string text;
  for (int i = 0; i < 1200; ++i) text += fmt::format("w{} ", i);
  std::get<TextInput>(experiment.inputs["x_q"]).text = text;
  Driver driver(1366, 768, 1, experiment);
  driver.settle();
  driver.session().act(SetMode{ViewMode::map});
  driver.session().act(Select{{700, 3}, false});
  driver.settle();
  const Rect map = driver.widget("heatmap").rect;
  REQUIRE(map.w < 1200);
  CHECK(driver.widget("row/bars").value == std::to_string(static_cast<int>(map.w)));
}

TEST_CASE("what went wrong is told on whatever screen one is, and a lesson too") {
  const auto check_told = [](Driver& driver, const std::string& where) {
    INFO(where);
    const std::size_t before = driver.model().notices.size();
    act(driver, Open{"/nowhere/x.headlight"});
    REQUIRE(driver.model().notices.size() == before + 1);
    const std::string card = fmt::format("notice/{}", before);
    REQUIRE(driver.shows(card));
    CHECK(driver.widget(card).value.find("/nowhere/x.headlight") != std::string::npos);
    driver.click(card + "/dismiss");
    CHECK_FALSE(driver.shows(card));
  };
  for (const float width : {1600.0F, 1024.0F}) {
    Driver driver(width, 700);
    for (const Screen screen : {Screen::explore, Screen::figure, Screen::worksheet, Screen::compare, Screen::masks,
                                Screen::train, Screen::lessons}) {
      act(driver, ShowScreen{screen});
      check_told(driver, fmt::format("screen {}, {} wide", static_cast<int>(screen), width));
    }
    act(driver, OpenLesson{fs::path(HEADLIGHT_SOURCE_DIR) / "assets/lessons/masks.lesson.md"});
    REQUIRE(driver.model().learner.played);
    check_told(driver, fmt::format("a lesson, {} wide", width));
  }
}
