// Every screen at five sizes: nothing is cut or printed over something else, every control can be reached, and the map
// keeps its room.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <span>

#include "app/reading/inputs.h"
#include "engine/io/file.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

struct Size {
  float width, height, scale;
};
// The sanitizers look at memory, not at layout, and are slow: one narrow size is enough for them, without the
// keyboard's rounds.
#ifdef HEADLIGHT_ADDRESS_SANITIZER
constexpr bool goes_round = false;
constexpr Size sizes[] = {{1366, 768, 1}};
#else
constexpr bool goes_round = true;
constexpr Size sizes[] = {{1366, 768, 1}, {1366, 768, 1.5F}, {1920, 1080, 2}, {1600, 1000, 1}, {2560, 1440, 1}};
#endif
// Those with the least room, for inputs whose runs are long.
constexpr auto narrow_sizes = std::span(sizes).first(std::min<std::size_t>(3, std::size(sizes)));

bool overlap(Rect a, Rect b, float tolerance) {
  const Rect both = intersection(a, b);
  return both.w > tolerance && both.h > tolerance;
}

bool within(Rect inner, Rect outer, float tolerance) {
  return inner.x >= outer.x - tolerance && inner.y >= outer.y - tolerance &&
         inner.right() <= outer.right() + tolerance && inner.bottom() <= outer.bottom() + tolerance;
}

// Words of the person's own may be as long as they like: tokens, names of files and folders, labels of heads.
// Everything else says what it says in the room it has.
bool must_be_whole(const LoggedText& text) {
  switch (text.type) {
    case Type::number:
    case Type::number_note:
    case Type::number_small:
    case Type::result:
    case Type::heading:
    case Type::title:
    case Type::control:
    case Type::note:
    case Type::label:
      return true;
    default:
      return false;
  }
}

std::string at(Rect r) {
  return fmt::format("({:.0f}, {:.0f}, {:.0f} × {:.0f})", r.x, r.y, r.w, r.h);
}

std::set<std::string> own_words(const Model& model) {
  std::set<std::string> words;
  if (!model.trace()) return words;
  for (const auto& head : model.trace()->heads) words.insert(head.name);
  for (const auto& step : model.trace()->steps)
    for (const auto& axis : step.info.axes)
      if (!axis.grid) words.insert(axis.labels.begin(), axis.labels.end());
  return words;
}

// What is wrong with the texts of a frame.
void check_texts(const WidgetLog& log, Rect window, const std::set<std::string>& own, std::set<std::string>& faults) {
  std::vector<std::pair<const LoggedText*, Rect>> seen;
  for (const LoggedText& text : log.texts) {
    const Rect visible = intersection(text.rect, text.clip);
    if (visible.w <= 0 || visible.h <= 0) continue;                 // scrolled away
    seen.emplace_back(&text, visible.inset(0, visible.h * 0.15F));  // lines are higher than their letters
    if (text.cut && must_be_whole(text) && !own.contains(text.text))
      faults.insert(fmt::format("\"{}\" is cut with …", text.text));
    // The strip of steps scrolls sideways where it is too long, and its ends say so.
    const auto strip = log.find("pipeline");
    if (strip != log.end() && strip->second.value == "scrolls" && within(text.clip, strip->second.rect, 20)) continue;
    if (text.rect.x < text.clip.x - 1.5F || text.rect.right() > text.clip.right() + 1.5F)
      faults.insert(fmt::format("\"{}\" {} is cut at the side", text.text, at(text.rect)));
    if (!within(text.rect, window, 1.5F) && text.clip.h >= window.h)
      faults.insert(fmt::format("\"{}\" {} is outside the window", text.text, at(text.rect)));
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    for (std::size_t j = i + 1; j < seen.size(); ++j)
      if (seen[i].first->layer == seen[j].first->layer && overlap(seen[i].second, seen[j].second, 3))
        faults.insert(fmt::format("\"{}\" {} and \"{}\" {} are printed over each other", seen[i].first->text,
                                  at(seen[i].second), seen[j].first->text, at(seen[j].second)));
}

// A number that ends a line stands apart from the words before it.
void check_gaps(const WidgetLog& log, std::set<std::string>& faults) {
  for (const LoggedText& number : log.texts) {
    const Rect ends = intersection(number.rect, number.clip);
    if (number.type != Type::number || ends.w <= 0 || ends.h <= 0) continue;
    for (const LoggedText& words : log.texts) {
      const Rect before = intersection(words.rect, words.clip);
      const float gap = ends.x - before.right();
      const float shared = std::min(ends.bottom(), before.bottom()) - std::max(ends.y, before.y);
      if (&words != &number && words.layer == number.layer && before.w > 0 && gap > -3 && gap < 4 &&
          shared > ends.h / 2)
        faults.insert(fmt::format("\"{}\" and \"{}\" touch", words.text, number.text));
    }
  }
}

void check_boxes(const WidgetLog& log, std::set<std::string>& faults) {
  for (auto a = log.begin(); a != log.end(); ++a)
    for (auto b = std::next(a); b != log.end(); ++b) {
      const LoggedWidget &one = a->second, &other = b->second;
      if (!one.pressable || !other.pressable || one.layer != other.layer) continue;
      if (!overlap(one.seen, other.seen, 1.5F)) continue;
      if (within(one.seen, other.seen, 1) || within(other.seen, one.seen, 1)) continue;  // one is a part of the other
      faults.insert(fmt::format("{} {} and {} {} overlap", a->first, at(one.seen), b->first, at(other.seen)));
    }
}

// The tile of the step that is shown stands whole in the strip.
void check_strip(const WidgetLog& log, std::set<std::string>& faults) {
  const auto strip = log.find("pipeline");
  if (strip == log.end()) return;
  for (const auto& [path, widget] : log) {
    if (!path.starts_with("pipeline/") || widget.state != "selected") continue;
    if (!within(widget.rect, strip->second.rect, 1))
      faults.insert(fmt::format("{} {} is shown and cut off", path, at(widget.rect)));
    for (const char* edge : {"pipeline/cut/left", "pipeline/cut/right"})
      if (const auto cut = log.find(edge); cut != log.end() && overlap(widget.rect, cut->second.rect, 1))
        faults.insert(fmt::format("{} {} is shown and fades", path, at(widget.rect)));
  }
}

// The map with its labels and bars fills at least half of what the view leaves it.
void check_map(const WidgetLog& log, std::set<std::string>& faults) {
  const auto map = log.find("heatmap"), room = log.find("heatmap/room");
  if (map == log.end() || room == log.end()) return;
  const Rect cells = map->second.rect, free = room->second.rect;
  const float share = (cells.right() - free.x) * (cells.bottom() - free.y) / (free.w * free.h);
  if (share < 0.5F) faults.insert(fmt::format("the map fills {:.0f} % of its view", share * 100));
}

// What is chosen of a list stands in its control.
void check_choices(const WidgetLog& log, std::set<std::string>& faults) {
  for (const auto& [path, widget] : log)
    if (widget.chooses && widget.value.empty()) faults.insert(fmt::format("{} shows nothing that is chosen", path));
}

class Walk {
 public:
  Walk(const Size& size, const Experiment& experiment)
      : driver(size.width, size.height, size.scale, experiment), window{0, 0, size.width, size.height} {}

  void look(const std::string& where) {
    std::set<std::string> found;
    check_texts(driver.log(), window, own_words(driver.model()), found);
    check_boxes(driver.log(), found);
    check_map(driver.log(), found);
    check_strip(driver.log(), found);
    check_gaps(driver.log(), found);
    check_choices(driver.log(), found);
    report(where, found);
  }
  void act(const Action& action) {
    driver.session().act(action);
    driver.settle();
  }
  // The keyboard comes to every control, and each is in view when it does.
  void tab(const std::string& where) {
    if (!goes_round) return;
    driver.settle();
    std::set<std::string> found;
    const std::size_t count = driver.memory().ui.focus_order.size();
    for (std::size_t i = 0; i < count; ++i) {
      driver.press(Key::tab);
      const std::string& focus = driver.memory().ui.focus;
      const auto widget = driver.log().find(focus);
      if (widget == driver.log().end()) continue;
      if (!within(widget->second.rect, intersection(widget->second.seen, window), 1.5F))
        found.insert(fmt::format("{} {} has the focus out of view", focus, at(widget->second.rect)));
    }
    report(where, found);
  }

  Driver driver;

 private:
  void report(const std::string& where, const std::set<std::string>& found) {
    for (const auto& fault : found)
      if (told_.insert(fault).second) {
        INFO(fmt::format("{} × {}: {}", window.w, window.h, where));
        FAIL_CHECK(fault);
      }
  }

  Rect window;
  std::set<std::string> told_;
};

void walk_results(Walk& walk, std::initializer_list<ViewMode> modes) {
  std::vector<std::string> steps;
  for (const auto& stage : walk.driver.model().trace()->stages) steps.push_back(stage.steps.front());
  for (const ViewMode mode : modes) {
    walk.act(SetMode{mode});
    for (const auto& step : steps) {
      walk.act(ShowStep{step});
      walk.look(fmt::format("{} in view {}", step, static_cast<int>(mode)));
    }
  }
  walk.act(SetMode{ViewMode::map});
  walk.act(ShowStep{"weights"});
}

// The report on heads, in other orders, with what is found and what is not.
void walk_heads(Walk& walk) {
  walk.act(SetMode{ViewMode::heads});
  walk.look("the report on heads");
  walk.act(SortHeads{Measure::induction, false});
  walk.act(PlotHeads{Measure::induction, Measure::ablation});
  walk.look("heads by induction");
  for (const char* words : {"previous", "nothing of that name", ""}) {
    walk.act(FindHeads{words});
    walk.look(fmt::format("heads found by \"{}\"", words));
  }
  walk.tab("the keyboard goes round the report");
  walk.act(AblateHeads{true});
  walk.look("heads switched off");
  walk.act(SetMode{ViewMode::map});
}

void walk_sides(Walk& walk) {
  walk.act(Fold{Side::drawer, false});
  walk.look("the drawer");
  if (walk.driver.shows("left/tab/inspector")) {
    walk.driver.click("left/tab/inspector");
    std::vector<std::string> steps;
    for (const auto& stage : walk.driver.model().trace()->stages) steps.push_back(stage.steps.back());
    for (const auto& step : steps) {
      walk.act(ShowStep{step});
      walk.look("the inspector as a tab: " + step);
    }
    walk.act(ShowStep{"weights"});
    walk.driver.click("left/tab/setup");
  }
  walk.act(Fold{Side::drawer, true});
  walk.act(Fold{Side::setup, true});
  walk.act(Fold{Side::inspector, true});
  walk.look("both sides folded away");
  walk.act(Fold{Side::setup, false});
  walk.act(Fold{Side::inspector, false});
}

void walk_screens(Walk& walk) {
  for (const Screen screen : {Screen::figure, Screen::worksheet}) {
    walk.act(ShowScreen{screen});
    const char* where = screen == Screen::figure ? "figure" : "worksheet";
    walk.look(where);
    walk.tab(where);
  }
  walk.act(ShowScreen{Screen::explore});
  const std::string step = walk.driver.model().step()->info.id;
  walk.act(ShowStep{walk.driver.model().trace()->sources.front().info.id});
  walk.act(ShowScreen{Screen::figure});
  walk.look("the figure of an input");
  walk.act(ShowScreen{Screen::explore});
  walk.act(ShowStep{step});
  walk.act(ShowScreen{Screen::compare});
  walk.look("nothing to compare with");
  walk.act(TryWhatIf{"no-mask"});
  for (const ContrastView view : {ContrastView::difference, ContrastView::ratio, ContrastView::blink}) {
    walk.act(SetContrast{view});
    walk.look(fmt::format("contrast {}", static_cast<int>(view)));
  }
  walk.act(SetContrast{ContrastView::difference});
  walk.tab("the keyboard goes round A and B");
  walk.act(KeepOneOfBoth{true});
  walk.act(ShowChange{true});
  walk.look("what changed");
  walk.act(ShowChange{false});
  walk.act(ShowScreen{Screen::masks});
  walk.look("masks");
  walk.act(SwitchLayer{"causal", true});
  walk.act(PadKeys{true, 2});
  walk.act(SwitchLayer{"window", true});
  walk.act(PaintMask{true, 3, 4, 2, 2});
  walk.look("masks in layers");
  walk.tab("the keyboard goes round the mask");
  for (int i = 0; i < 4; ++i) walk.act(Undo{});
  walk.act(ShowScreen{Screen::explore});
  for (const Dialog dialog : {Dialog::open, Dialog::save, Dialog::keys, Dialog::leave, Dialog::appearance}) {
    walk.act(ShowDialog{dialog});
    const std::string where = fmt::format("dialog {}", static_cast<int>(dialog));
    walk.look(where);
    walk.tab(where);
    INFO(where);
    for (int i = 0; i < 2 && walk.driver.model().dialog != Dialog::none; ++i)  // a field gives itself up first
      walk.driver.press(Key::escape);
    CHECK(walk.driver.model().dialog == Dialog::none);
  }
  for (const char* typed : {"", "redo", "a step", "temperature", "nothing of that name"}) {
    walk.act(ShowDialog{Dialog::none});
    walk.driver.frame();
    walk.act(ShowDialog{Dialog::palette});
    walk.driver.type(typed);
    walk.look(fmt::format("the palette with \"{}\"", typed));
  }
  walk.act(ShowDialog{Dialog::none});
}

Experiment block() {
  Experiment experiment = example_experiment();
  experiment.params.set("block", std::string("pre_norm"));
  experiment.params.set("ffn", true);
  return experiment;
}

}  // namespace

TEST_CASE("a sentence fits every screen at five sizes") {
  for (const Size& size : sizes) {
    Walk walk(size, example_experiment());
    walk_results(walk, {ViewMode::map, ViewMode::lines, ViewMode::numbers});
    walk.tab("the keyboard goes round");
    walk_heads(walk);
    walk_sides(walk);
    walk_screens(walk);
  }
}

TEST_CASE("a network that learns fits every size") {
  for (const Size& size : sizes) {
    Walk walk(size, example_experiment());
    walk.act(ShowScreen{Screen::train});
    for (const learn::Task* task : learn::all_tasks()) {
      const std::string& name = task->info().title;
      walk.act(ChooseTask{task->info().id});
      walk.look(name + " before the first step");
      walk.act(TrainTo{30});
      walk.look(name + " at step 30");
      walk.act(PinTrainCell{0, 0, 3, 2});
      walk.look(name + ", a weight pinned");
    }
    walk.tab("the keyboard goes round what learns");
    walk.act(TrainTo{300});
    walk.look("at its end");
    walk.act(ChooseTask{"repeat"});
    walk.act(TrainTo{20});
    walk.act(SetTraining{"positions", std::string("none")});
    walk.act(TrainTo{10});
    walk.look("with the curves before");
    walk.act(SetTraining{"heads", Index{3}});
    walk.look("options that do not go together");
    walk.act(Undo{});
    walk.act(SetTraining{std::string(rate_option), 1e30});
    walk.act(TrainTo{20});
    walk.look("a loss that is no number");
    walk.act(Undo{});
    walk.act(SetTrainSteps{10});
    walk.act(TryCounterTest{"One layer"});
    walk.act(PlayTraining{false});
    walk.act(TrainTo{10});
    walk.act(TrainSeeds{true});
    walk.look("a counter-test at its end, and other seeds");
    walk.act(SetTrainText{"she sells sea shells"});
    walk.look("a text that is too short");
    walk.act(Fold{Side::drawer, false});
    walk.look("the drawer of what learns");
  }
}

TEST_CASE("an empty field fits every size") {
  for (const Size& size : sizes) {
    Walk walk(size, example_experiment());
    walk.act(SetText{"x_q", ""});
    walk.look("an empty field");
    CHECK(walk.driver.shows("empty/example"));
  }
}

TEST_CASE("two texts fit every size") {
  for (const Size& size : sizes) {
    Walk walk(size, example_experiment());
    walk.act(SetCross{true});
    walk_results(walk, {ViewMode::map, ViewMode::lines, ViewMode::numbers});
    walk.tab("the keyboard goes round two texts");
    walk_heads(walk);
    walk_sides(walk);
  }
}

TEST_CASE("frames and a signal fit every size") {
  for (const Size& size : narrow_sizes)
    for (const InputKind kind : {InputKind::frames, InputKind::signal}) {
      Walk walk(size, example_experiment());
      walk.act(UseExample{kind});
      walk_results(walk, {ViewMode::map, ViewMode::numbers});
      walk_heads(walk);
      walk.tab("the keyboard goes round");
    }
}

TEST_CASE("a block of sixteen steps fits every size") {
  for (const Size& size : sizes) {
    Walk walk(size, block());
    walk_results(walk, {ViewMode::map});
  }
}

TEST_CASE("the step that is shown stays whole in the strip when there is less room or there are more steps") {
  Driver driver(2560, 1440, 1, example_experiment());
  const auto faults = [&] {
    driver.settle();
    std::set<std::string> found;
    check_strip(driver.log(), found);
    return found;
  };
  driver.session().act(ShowStep{"output"});
  CHECK(faults().empty());
  driver.resize(1024, 600);
  CHECK(faults().empty());
  driver.session().act(SetParam{"block", std::string("post_norm")});
  driver.session().act(SetParam{"ffn", true});
  driver.session().act(ShowStep{"output"});
  CHECK(faults().empty());
  driver.session().act(SetScale{1.5F});
  CHECK(faults().empty());
  driver.session().act(SetScale{1.0F});
  driver.resize(700, 600);
  CHECK(faults().empty());
}

TEST_CASE("the question about a file that has changed fits every size") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "a lesson of mine.headlight";
  for (const Size& size : sizes) {
    std::filesystem::remove(file);
    REQUIRE(write_experiment(example_experiment(), file));
    Walk walk(size, example_experiment());
    walk.act(Open{file});
    REQUIRE(write_file(file, "{\"variant\": \"multi_head\"}"));
    walk.act(SetText{"x_q", "the cat sat on the mat because the cat was cold"});
    walk.act(Save{});
    REQUIRE(walk.driver.model().dialog == Dialog::replace);
    walk.look("the file has changed");
    walk.tab("the file has changed");
    CHECK(walk.driver.shows("dialog/reload"));
    CHECK(walk.driver.shows("dialog/other-name"));
    if (size.width > 1366) continue;
    walk.act(SetScale{3});  // the answers stand in two rows
    const WidgetLog& log = walk.driver.log();
    for (const char* answer : {"dialog/cancel", "dialog/replace", "dialog/reload", "dialog/other-name"})
      CHECK(within(log.at(answer).rect, {0, 0, size.width, size.height}, 0));
    CHECK(log.at("dialog/other-name").rect.y < log.at("dialog/cancel").rect.y);
  }
}

TEST_CASE("what mechanisms do fits every size") {
  const std::vector<std::pair<const char*, ParamValue>> choices{{"rotary", std::string("half")},
                                                                {"relative", std::string("t5")},
                                                                {"relative", std::string("alibi")},
                                                                {"normalize", std::string("softmax_sink")},
                                                                {"talking_heads", std::string("weights")},
                                                                {"differential", true},
                                                                {"window_left", Index{3}}};
  for (const Size& size : sizes) {
    Walk walk(size, example_experiment());
    for (const auto& [id, value] : choices) {
      walk.act(BackToPlain{});
      walk.act(SetParam{id, value, false});
      walk.act(SetMode{ViewMode::mechanism});
      walk.look(fmt::format("the mechanism of {}", id));
      if (std::string_view(id) == "rotary") walk.tab("the keyboard goes round the mechanism of rotary");
    }
    walk.act(BackToPlain{});
    walk.act(SetParam{"kv_heads", Index{2}, false});
    walk.look("shared keys");
    walk.act(SetVariant{"linear_attention"});
    walk.look("a running state");
  }
}

TEST_CASE("a picture fits every size") {
  for (const Size& size : sizes) {
    Walk walk(size, example_experiment());
    walk.act(UseExample{InputKind::image});
    walk_results(walk, {ViewMode::map, ViewMode::matrix, ViewMode::numbers});
    walk.tab("the keyboard goes round a picture");
    walk_sides(walk);
  }
}

TEST_CASE("cells of three axes are named whole in the narrow inspector") {
  for (const Size& size : sizes) {
    Walk walk(size, example_experiment());
    walk.act(SetVariant{"additive"});
    walk.act(SetCross{true});
    walk.act(ShowStep{"features"});
    walk.act(Select{{2, 3}, true});
    walk_sides(walk);
    walk.act(UseExample{InputKind::image});
    walk.act(SetVariant{"stand_alone_2d"});
    walk.act(Select{{528, 17}, true});
    walk_sides(walk);
  }
}

TEST_CASE("windows, tables, frames and signals fit every size") {
  for (const Size& size : narrow_sizes)
    for (const auto& [variant, kind] : {std::pair{"stand_alone_2d", InputKind::image},
                                        {"memory_block", InputKind::image},
                                        {"non_local", InputKind::frames},
                                        {"non_local", InputKind::signal},
                                        {"multi_head", InputKind::image}}) {
      INFO(variant);
      Walk walk(size, example_experiment());
      walk.act(UseExample{kind});
      walk.act(SetVariant{variant});
      walk.act(ShowStep{"weights"});
      walk.act(Select{{40, 4}, true});
      walk_results(walk, {ViewMode::map});
      if (std::string_view(variant) != "stand_alone_2d") continue;
      walk.act(SetParam{"extent", Index{7}, false});
      walk_results(walk, {ViewMode::map});
    }
}
