// The Train page as a person uses it: what is chosen begins, what is turned begins again or goes on, and everything
// that is shown is of the training.
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "app/actions/palette.h"
#include "app/figures/training_curves.h"
#include "app/figures/training_figure.h"
#include "engine/core/parallel.h"
#include "engine/io/file.h"
#include "engine/learn/training_folder.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// On the page, with step 0 drawn.
struct OnPage {
  Driver driver;
  OnPage() {
    driver.click("top/view/learn");
    driver.click("learn/room/train");
    REQUIRE(driver.model().screen == Screen::train);
    REQUIRE(driver.model().training.film);
  }
  const TrainingShown& shown() const { return driver.model().training; }
  void act(const Action& action) { app::act(driver, action); }
  std::string value(const std::string& path) const { return driver.widget(path).value; }
};

std::optional<PaletteEntry> entry_of(const Model& model, const std::string& label) {
  for (auto& entry : palette_entries(model))
    if (entry.label == label) return entry;
  return std::nullopt;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The process may take so many more bytes, until the end.
class LittleRoom {
 public:
  explicit LittleRoom(std::uint64_t bytes) {
    REQUIRE(getrlimit(RLIMIT_AS, &before_) == 0);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
  }
  ~LittleRoom() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("the tab leads to a network that has learned nothing, and each step is taken by a press") {
  OnPage page;
  CHECK(page.shown().at == 0);
  CHECK(page.value("train/shown") == "a held-out example, weights at step 0");
  CHECK(page.value("train/where") == "Step 0 of 300, taken: 0");
  CHECK(page.value("train/weights") == "37 248 weights to learn");
  page.driver.click("train/next");
  page.driver.press(Key::right);
  CHECK(page.shown().film->step == 2);
  CHECK(page.value("train/shown") == "a held-out example, weights at step 2");
  page.driver.press(Key::left);
  CHECK(page.shown().at == 1);
  CHECK_FALSE(page.shown().follows);
  CHECK(page.value("train/where") == "Step 1 of 300, taken: 2");
  page.driver.press(Key::right);  // that was taken already
  CHECK(page.shown().film->step == 2);
  page.driver.press(Key::home);
  CHECK(page.shown().at == 0);
  page.driver.press(Key::end);
  CHECK(page.shown().at == 2);
  page.driver.press(Key::r);
  CHECK(page.shown().film->step == 0);
}

TEST_CASE("numbers on the page are those of the training, at the step that is looked at") {
  OnPage page;
  page.act(TrainTo{112});
  page.act(LookAtTrainStep{103});  // which was not kept
  REQUIRE(page.shown().frame->step == 103);
  const learn::FilmFrame& frame = *page.shown().frame;
  CHECK(page.value("train/figure/loss") == fmt::format("{:.3f}", frame.loss));
  CHECK(page.value("train/figure/accuracy") == fmt::format("{:.3f}", frame.figures.find("accuracy")->second));
  page.act(PinTrainCell{1, 0, 16, 6});
  CHECK(page.value("train/weight") == fmt::format("{:.4f}", *weight_in(frame, {1, 0, 16, 6})));
  page.act(PinTrainCell{1, 0, 6, 16});
  CHECK(page.value("train/weight") == "masked");
  page.driver.press(Key::escape);
  CHECK_FALSE(page.shown().pinned);
  CHECK_FALSE(page.driver.shows("train/weight"));
}

TEST_CASE("the page says why a weight grows, in the numbers of the step, and shows slopes in place of weights") {
  OnPage page;
  page.act(TrainTo{132});
  page.act(LookAtTrainStep{125});
  page.act(PinTrainCell{1, 0, 12, 3});
  REQUIRE(page.shown().frame->slopes);  // it was kept without them
  const learn::Slopes::OfMap& slopes = page.shown().frame->slopes->maps[1];
  const Index cell = 12 * slopes.scores->dim(2) + 3;
  // As PyTorch has them of the same network.
  CHECK(page.shown().frame->slopes->loss == Approx(15.7408).epsilon(1e-3));
  CHECK((*slopes.weights)[cell] == Approx(-5.303).epsilon(1e-3));
  CHECK((*slopes.scores)[cell] == Approx(-0.5042).epsilon(1e-3));
  CHECK(page.value("train/slope") == "−0.5042");
  CHECK(page.value("train/loss words").starts_with("Right there is O: it gets 0.13, a loss of 2.07. L, over all 21 "));
  CHECK(page.value("train/push") ==
        fmt::format("This example pushes the score up, more than any other of its row. Five steps later its weight is "
                    "{:.2f}: a step follows all examples of its batch.",
                    *weight_in(*page.shown().film->frame_at(130), {1, 0, 12, 3})));
  CHECK(page.value("train/slopes together") == "Slopes of the row's scores add up to 0.00000");
  page.driver.press(Key::g);
  CHECK(page.value("train/bar") == "∂L/∂score, linear, one scale at this step");
  page.act(LookAtTrainStep{103});  // which was not kept at all
  CHECK(page.shown().frame->step == 103);
  CHECK(page.shown().frame->slopes);
  page.driver.press(Key::g);
  CHECK(page.value("train/bar") == "weight, linear, one scale for all maps and steps");
}

TEST_CASE("two steps are marked and compared, and without marks step 0 with the one that is looked at") {
  OnPage page;
  CHECK(why_not(CompareTraining{}, page.driver.model()) == "Both would be one step: mark another with A or B");
  page.act(TrainTo{12});
  CHECK(page.value("train/compare") == "Compare 0 with 12");
  page.act(LookAtTrainStep{4});
  page.driver.press(Key::a);
  page.act(LookAtTrainStep{9});
  page.driver.press(Key::b);
  CHECK(page.value("train/mark/A") == "4");
  CHECK(page.value("train/mark/B") == "9");
  page.act(PinTrainCell{1, 1, 16, 6});
  page.act(CompareTraining{});
  page.driver.settle();
  const Model& model = page.driver.model();
  CHECK(model.screen == Screen::compare);
  REQUIRE(model.document.held);
  CHECK(model.document.held->name == "Repeat · layer 1 · step 4");
  CHECK(model.name == "Repeat · layer 1 · step 9");
  CHECK(model.document.look.head == 1);
  REQUIRE(model.comparison.a.outcome.trace);
  CHECK(page.value("compare/line/Weights") == "step 4 | step 9");
  CHECK(page.value("compare/line/Input") == "an array | another");  // by another first layer
  page.act(Undo{});
  CHECK_FALSE(page.driver.model().document.held);
}

TEST_CASE("a click in a map pins its weight, and once more releases it") {
  OnPage page;
  const Rect map = page.driver.widget("train/1/0").rect;
  const app::Point at{map.x + map.w * 6.5F / 32, map.y + map.h * 16.5F / 32};
  page.driver.click_at(at);
  REQUIRE(page.shown().pinned);
  CHECK(*page.shown().pinned == TrainCell{1, 0, 16, 6});
  page.driver.click_at(at);
  CHECK_FALSE(page.shown().pinned);
}

TEST_CASE("a changed option begins again, what was there stays grey, and undo brings the option back") {
  OnPage page;
  page.act(TrainTo{12});
  page.act(SetTraining{"layers", Index{1}});
  CHECK(page.shown().film->step == 0);
  CHECK(page.shown().film->plan->options.values.integer("layers") == 1);
  REQUIRE(page.shown().before);
  CHECK(page.value("train/before") == "before: layers 2, same seed");
  CHECK(undo_name(page.driver.model().history) == "layers");
  page.act(Undo{});
  CHECK(page.shown().film->plan->options.values.integer("layers") == 2);
  CHECK(page.shown().film->step == 0);
  page.act(ChooseTask{"dates"});
  CHECK(page.shown().film->plan->task->info().id == "dates");
  CHECK_FALSE(page.shown().before);
}

TEST_CASE("the rate is turned while it runs: nothing begins again, and undo turns it back") {
  OnPage page;
  page.act(TrainTo{10});
  const auto example = page.shown().film->example;
  page.act(SetTraining{std::string(rate_option), 0.01});
  CHECK(page.shown().film->example == example);
  page.act(TrainTo{12});
  CHECK(page.shown().film->step == 12);
  CHECK(page.shown().film->schedule == learn::Schedule{{0, {0.003, 32}}, {10, {0.01, 32}}});
  page.act(Undo{});
  page.act(TrainTo{13});
  CHECK(page.shown().film->schedule.at(12).rate == 0.003);
  CHECK(page.shown().film->example == example);
  for (const double rate : {0.02, 0.03, 0.04}) {  // along its slider
    page.act(SetTraining{std::string(rate_option), rate});
    page.act(TrainTo{page.shown().film->step + 2});
  }
  const std::map<Index, std::string> events{{17, "rate 0.04"}};  // where it came to rest
  CHECK(events_in_words(*page.shown().film) == events);
}

TEST_CASE("the batch is turned while it runs, and what began with another is no other training") {
  OnPage page;
  page.act(TrainTo{3});
  const auto example = page.shown().film->example;
  page.driver.click("train/option/batch/+");
  page.act(TrainTo{40});  // beyond its words
  CHECK(page.shown().film->example == example);
  CHECK(page.shown().film->schedule == learn::Schedule{{0, {0.003, 32}}, {3, {0.003, 33}}});
  CHECK(page.value("train/change/0") == "batch 33");
  CHECK_FALSE(page.shown().before);
  page.act(TrainAgain{});  // from the first step with what is asked now
  CHECK(page.shown().film->schedule == learn::Schedule{{0, {0.003, 33}}});
}

TEST_CASE("a batch for which there is no room is told, and the training stands as it was") {
  OnPage page;
  page.act(TrainTo{1});
  const auto example = page.shown().film->example;
  {
    const LittleRoom room(std::uint64_t{2} << 30);
    page.act(SetTraining{"batch", Index{4096}});
  }
  INFO(page.shown().error);
  CHECK(page.shown().error.find("The network needs more than ") == 0);
  CHECK(page.driver.widget("train/error").value.find("It rests as it is shown.") != std::string::npos);
  CHECK(why_not(PlayTraining{true}, page.driver.model()) == "What is asked for cannot be learned: undo it");
  page.driver.click("train/error/button");
  CHECK(page.shown().error.empty());
  CHECK(page.shown().film->example == example);
  page.act(TrainTo{2});
  CHECK(page.shown().film->step == 2);
  CHECK(page.shown().film->schedule.rbegin()->second.batch == 32);
}

TEST_CASE("heads go up by numbers that divide the width, and others are told in words") {
  OnPage page;
  page.driver.click("train/option/heads/+");
  CHECK(page.shown().film->plan->options.values.integer("heads") == 4);
  page.act(SetTraining{"heads", Index{3}});
  CHECK(page.shown().error == "Heads 3 does not divide Width 64");
  CHECK_FALSE(page.shown().before);  // it is the very one that is shown
  CHECK(page.driver.widget("train/error").value.starts_with("Heads 3 does not divide Width 64."));
  page.driver.click("train/error/button");
  CHECK(page.shown().error.empty());
  CHECK(page.shown().film->plan->options.values.integer("heads") == 4);
}

TEST_CASE("a loss that is no number is told with its step and array, and one press begins again") {
  OnPage page;
  page.act(SetTraining{std::string(rate_option), 1e30});
  page.act(TrainTo{20});
  REQUIRE(page.shown().film->broken);
  const std::string told = page.driver.widget("train/broken").value;
  CHECK(told.find(fmt::format("The loss of step {} is no number: {} is the first", page.shown().film->broken->step,
                              page.shown().film->broken->array)) == 0);
  CHECK(why_not(PlayTraining{true}, page.driver.model()) == "A loss is no number: begin again");
  page.driver.click("train/broken/button");
  CHECK_FALSE(page.shown().film->broken);
  CHECK(page.shown().film->step == 0);
}

TEST_CASE("the palette has training, and Space plays and pauses it") {
  OnPage page;
  const Model& model = page.driver.model();
  const auto play = entry_of(model, "Train"), pause = entry_of(model, "Pause training");
  REQUIRE((play && pause));
  CHECK(play->why_not.empty());
  CHECK(pause->why_not == "It rests");
  CHECK(entry_of(model, "Learn: Dates"));
  CHECK(entry_of(model, "Train a network, and watch its attention learn"));
  page.act(SetPace{1});
  page.driver.press(Key::space);
  CHECK(page.shown().playing);
  page.driver.press(Key::space);
  CHECK_FALSE(page.shown().playing);
  CHECK(page.shown().film->step <= 2);
}

TEST_CASE("the pinned head is switched off and on and drawn anew, and the page says so") {
  OnPage page;
  const Model& model = page.driver.model();
  CHECK(why_not(SwitchTrainHead{1, 0, false}, model) == "Nothing has been learned yet");
  page.act(TrainTo{20});
  page.act(PinTrainCell{1, 0, 16, 6});
  page.act(LookAtTrainStep{7});
  CHECK(why_not(SwitchTrainHead{1, 0, true}, model) == "The head is on");
  CHECK(why_not(RedrawTrainHead{2, 0}, model) == "There is no such head");
  const double loss = page.shown().film->newest->loss;
  page.driver.click("train/head-off");
  CHECK(page.shown().at == 20);
  CHECK(page.shown().film->newest->loss != loss);
  CHECK(page.value("train/1/0/title") == "layer 1 · head 0 · off");
  CHECK(page.value("train/change/0") == "layer 1 · head 0 off");
  CHECK_FALSE(page.shown().playing);
  page.act(LookAtTrainStep{19});
  CHECK(page.value("train/1/0/title") == "layer 1 · head 0");
  page.driver.press(Key::o);
  CHECK(page.shown().film->plan->changes.empty());
  CHECK(page.shown().film->newest->loss == loss);
  page.act(SetPace{1});
  page.driver.click("train/redraw");
  CHECK(page.shown().playing);
  CHECK(page.shown().film->newest->loss != loss);
  CHECK(page.value("train/change/0") == "layer 1 · head 0 drawn anew");
  page.act(PlayTraining{false});
  page.act(TrainAgain{});
  CHECK(page.shown().film->plan->changes.empty());
  CHECK(page.value("train/before") == "before: heads changed, same seed");
  page.act(ChooseTask{"frames"});
  page.act(TrainTo{1});
  CHECK(why_not(SwitchTrainHead{0, 0, false}, model) == "This network has no heads that can be switched off");
  CHECK_FALSE(page.driver.shows("train/heads"));
}

TEST_CASE("undo goes back over what was done to heads: the same steps as they would have come") {
  OnPage page;
  page.act(TrainTo{10});
  page.act(SwitchTrainHead{.map = 1, .head = 0, .on = false});
  page.act(TrainTo{14});
  const double with = page.shown().film->newest->loss;
  page.act(LookAtTrainStep{9});
  page.act(MarkTraining{true});
  page.act(Undo{});
  page.driver.settle();
  CHECK(page.shown().film->plan->changes.empty());
  CHECK(page.shown().film->step == 14);
  CHECK(page.shown().mark_a == 9);
  const double without = page.shown().film->newest->loss;
  CHECK(without != with);
  page.act(Redo{});
  page.driver.settle();
  CHECK(page.shown().film->plan->changes == std::vector<learn::HeadChange>{{10, {1, 0}, learn::HeadChange::To::off}});
  CHECK(page.shown().film->step == 14);
  CHECK(page.shown().film->newest->loss == with);
  page.act(TrainAgain{});
  CHECK(page.shown().film->step == 0);
  CHECK(page.shown().film->plan->changes.empty());
  CHECK_FALSE(page.shown().mark_a);
  page.act(TrainTo{14});
  CHECK(page.shown().film->newest->loss == without);
}

TEST_CASE("which heads matter is measured beside the maps, and the one that is missed least goes off") {
  OnPage page;
  const Model& model = page.driver.model();
  page.act(TrainTo{30});
  CHECK(why_not(PruneTraining{}, model) == "Which heads matter was not measured yet");
  page.driver.click("train/heads");
  REQUIRE(page.shown().heads);
  for (const learn::WithoutHead& without : page.shown().heads->importance.alone)
    CHECK(page.value("train/without/" + learn::name_of(without.head) + "/value") ==
          fmt::format("{:.3f}", without.figures.find("accuracy")->second));
  const learn::TrainedHead least = page.shown().heads->importance.alone.back().head;
  page.act(SetPace{1});
  page.driver.click("train/prune");
  CHECK(page.shown().playing);
  page.act(PlayTraining{false});
  REQUIRE(page.shown().film->plan->changes.size() == 1);
  CHECK(page.shown().film->plan->changes.front().head == least);
  CHECK(page.shown().heads->importance.alone.size() == 3);  // measured anew
  CHECK(page.driver.shows("train/without/" + learn::name_of(least)));
  const learn::TrainedHead next = page.shown().heads->importance.alone.front().head;
  page.driver.click("train/without/" + learn::name_of(next));
  CHECK(page.shown().film->plan->changes.size() == 2);
  page.act(PruneTraining{});
  CHECK(why_not(PruneTraining{}, model) == "One head is left");
}

TEST_CASE("at rest the page does not change by itself") {
  OnPage page;
  page.act(TrainTo{5});
  page.driver.settle();
  CHECK(page.driver.next_redraw() > page.driver.now() + 1e6);
}

TEST_CASE("every task that is offered can be watched, with words for every place of its maps") {
  OnPage page;
  for (const learn::Task* task : learn::all_tasks()) {
    INFO(task->info().id);
    page.act(ChooseTask{task->info().id});
    page.act(TrainTo{2});
    const learn::Film& film = *page.shown().film;
    CHECK(film.plan->task == task);
    CHECK(film.newest->maps.size() == film.example->maps.size());
    const auto& words = film.example->words;
    for (std::size_t i = 0; i < film.newest->maps.size() && !words.read.empty(); ++i) {
      const Tensor& map = *film.newest->maps[i];
      const auto& asks = film.example->maps[i].by_answers ? words.answered : words.read;
      CHECK(map.dim(1) == std::ssize(asks));
      CHECK(map.dim(2) == std::ssize(words.read));
    }
    for (const learn::FigureWords& figure : task->figures()) CHECK(page.driver.shows("train/figure/" + figure.id));
  }
}

TEST_CASE("the scale of the maps lies beside or below them, never on one, at every size and for every task") {
  OnPage page;
  bool stood_beside = false, stood_below = false;
  for (const auto& [width, height] : {std::pair{1600, 1000}, {1366, 768}, {1024, 700}}) {
    page.driver.resize(width, height);
    for (const learn::Task* task : learn::all_tasks()) {
      INFO(width << "×" << height << ", " << task->info().id);
      page.act(ChooseTask{task->info().id});
      const Rect bar = page.driver.widget("train/bar").rect;
      CHECK(bar.right() <= static_cast<float>(width));
      const auto& maps = page.shown().film->newest->maps;
      for (std::size_t m = 0; m < maps.size(); ++m)
        for (Index head = 0; head < maps[m]->dim(0); ++head) {
          const std::string path = fmt::format("train/{}/{}", m, head);
          if (!page.driver.shows(path)) continue;  // scrolled away
          const Rect map = page.driver.widget(path).rect;
          const bool beside = bar.x >= map.right(), below = bar.y >= map.bottom();
          CHECK((beside || below));
          stood_beside = stood_beside || !below;
          stood_below = stood_below || !beside;
        }
    }
  }
  CHECK(stood_beside);
  CHECK(stood_below);
}

TEST_CASE("a network that learns knows nothing of what is open, and what is open knows nothing of it") {
  OnPage page;
  const auto text = *page.driver.model().text();
  page.act(TrainTo{3});
  page.act(SetTraining{"layers", Index{1}});
  CHECK(*page.driver.model().text() == text);
  CHECK_FALSE(page.driver.model().changed());
  page.driver.click("top/view/explore");
  CHECK(page.driver.model().screen == Screen::explore);
  CHECK(page.shown().film->step == 0);
}

TEST_CASE("more steps go on from where it stands, and fewer end it there") {
  OnPage page;
  page.act(SetTrainSteps{6});
  page.act(TrainTo{100});
  REQUIRE(page.shown().film->is_at_end());
  CHECK(page.shown().film->step == 6);
  const auto example = page.shown().film->example;
  page.driver.click("train/steps/+");
  page.act(TrainTo{100});
  CHECK(page.shown().film->step == 7);
  CHECK(page.shown().film->example == example);  // nothing began again
  page.act(Undo{});
  CHECK(page.shown().film->step == 7);
  CHECK(page.shown().film->is_at_end());
  page.act(SetTrainSteps{9});
  page.act(TrainTo{100});
  const auto end = page.shown().film->newest;
  page.act(TrainAgain{});
  page.act(TrainTo{100});
  CHECK(page.shown().film->newest->step == 9);
  CHECK(page.shown().film->newest->loss == end->loss);
}

TEST_CASE("the maps over the steps are drawn with the curves, and a folder is gone on with") {
  const Scratch scratch;
  OnPage page;
  page.act(SetTraining{"d", Index{16}});
  page.act(TrainTo{40});
  page.act(SaveTrainingFigure{scratch / "figure.svg"});
  const auto svg = read_file(scratch / "figure.svg", 1 << 24);
  REQUIRE(svg);
  for (const Index step : milestone_steps(*page.shown().film)) CHECK(has(*svg, fmt::format("step {}", step)));
  for (const auto& curves : {loss_curves(*page.shown().film), figure_curves(*page.shown().film)})
    for (const TrainCurve& curve : curves) CHECK(has(*svg, curve.name));
  CHECK(has(*svg, "Repeat: layer 1, head 0, over 40 steps of training, seed 1"));
  page.act(PinTrainCell{.map = 0, .head = 1, .query = 2, .key = 1});
  page.act(SaveTrainingFigure{scratch / "figure.pdf"});
  CHECK(read_file(scratch / "figure.pdf", 1 << 24)->starts_with("%PDF"));
  page.act(SaveTrainingFigure{scratch / "figure.tex"});
  CHECK(has(page.driver.model().notices.back().text, "a training is drawn as .pdf, .svg or .png"));

  page.act(SaveTraining{scratch / "net"});
  const auto then = page.shown().film->newest;
  page.act(TrainAgain{});
  CHECK(page.shown().film->step == 0);
  page.act(TrainOn{scratch / "net"});
  CHECK(page.shown().film->step == 40);
  CHECK(page.shown().film->newest->loss == then->loss);
  CHECK(page.shown().film->frame_at(17));  // and any step before
  page.act(TrainTo{41});
  CHECK(page.shown().film->step == 41);
  const auto heads = page.shown().film->plan->options.values.integer("heads");
  page.act(SetTraining{"heads", Index{1}});
  page.act(TrainOn{scratch / "net"});
  CHECK(page.shown().film->plan->options.values.integer("heads") == heads);
  CHECK_FALSE(has(page.driver.model().notices.back().text, "Taken once more"));
  page.act(Undo{});  // back to what was turned
  CHECK(page.shown().film->plan->options.values.integer("heads") == 1);
  CHECK(learn::loss_mismatch({{}, {{40, {{"loss", 2.0}}}}}, 40, 2.01).empty());
  CHECK(has(learn::loss_mismatch({{}, {{40, {{"loss", 2.0}}}}}, 40, 2.1), "2.1; the folder's is 2."));
  CHECK_FALSE(why_not(command_named("train-on"), page.driver.model()).empty());
  page.act(Open{scratch / "net"});  // a model of layers
  REQUIRE(page.driver.model().shows_network());
  page.driver.click("layers/train-on");
  CHECK(page.driver.model().screen == Screen::train);
  CHECK(page.shown().film->step == 40);
}

TEST_CASE("a folder whose heads had more steps to heal is taken to its end, and other numbers are told") {
  const Scratch scratch;
  OnPage page;
  page.act(SetTraining{"d", Index{16}});
  page.act(SetTrainSteps{8});
  page.act(TrainTo{8});
  page.act(SwitchTrainHead{.map = 0, .head = 1, .on = false});
  page.act(TrainTo{12});
  page.act(SaveTraining{scratch / "net"});
  page.act(TrainAgain{});
  page.act(TrainOn{scratch / "net"});
  CHECK(page.shown().film->step == 12);
  CHECK_FALSE(has(page.driver.model().notices.back().text, "Taken once more"));
  std::string figures = *read_file(scratch / "net" / "figures.csv", 1 << 20);
  REQUIRE(figures.starts_with("step,accuracy,induction,loss,"));
  const auto accuracy = figures.rfind("\n12,") + 4;
  const auto loss = figures.find(',', figures.find(',', accuracy) + 1) + 1;
  figures.replace(loss, figures.find_first_of(",\n", loss) - loss, "9.5");
  REQUIRE(write_file(scratch / "net" / "figures.csv", figures));
  page.act(TrainOn{scratch / "net"});
  CHECK(has(page.driver.model().notices.back().text, "Taken once more, step 12 comes to a loss of"));
}

TEST_CASE("the folder of a network that is no stack of layers opens where it is trained") {
  const Scratch scratch;
  OnPage page;
  page.act(ChooseTask{"picture"});
  page.act(TrainTo{3});
  page.act(SaveTraining{scratch / "net"});
  page.act(ShowScreen{Screen::explore});
  page.act(ChooseTask{"repeat"});
  page.act(Open{scratch / "net"});
  CHECK(page.driver.model().screen == Screen::train);
  CHECK(page.shown().film->plan->task->info().id == "picture");
  CHECK(page.shown().film->step == 3);
  page.act(TrainOn{scratch / "nowhere"});
  CHECK(has(page.driver.model().notices.back().text, "config.json"));
  CHECK(page.shown().film->step == 3);
}

TEST_CASE("steps that tell how it came are kept ones, in their order, from the first to the last") {
  for (const learn::Task* task : learn::all_tasks()) {
    INFO(task->info().id);
    OnPage page;
    page.act(ChooseTask{task->info().id});
    page.act(TrainTo{task->info().id == "text" ? 4 : 12});
    const learn::Film& film = *page.shown().film;
    const auto steps = milestone_steps(film);
    CHECK(steps.front() == 0);
    CHECK(steps.back() == film.frames.back()->step);
    CHECK(std::ranges::is_sorted(steps));
    for (const Index step : steps) CHECK(film.frame_at(step));
    const Index last = std::ssize(film.example->maps) - 1;
    CHECK(training_figure(film, {last, 0}, font_files_in(page.driver.model().fonts), FigureFormat::png));
    CHECK(training_figure(film, {last + 1, 0}, font_files_in(page.driver.model().fonts), FigureFormat::png)
              .error()
              .message.starts_with("--map"));
  }
}
