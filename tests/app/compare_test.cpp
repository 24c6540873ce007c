// Two runs beside each other: which positions stand for each other, B − A against the traces' own numbers, what is held
// and what undo brings back, and every line that the screen prints.
#include <cmath>
#include <set>

#include "app/actions/action_table.h"
#include "app/actions/what_if.h"
#include "app/panels/common/contrast.h"
#include "app/platform/input.h"
#include "app/reading/cell_trace.h"
#include "app/reading/difference.h"
#include "app/reading/key_place.h"
#include "app/reading/printed.h"
#include "app/reading/step_words.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/gui/wander.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

Axis words(std::vector<std::string> labels) {
  const auto size = static_cast<Index>(labels.size());
  return {.symbol = "n", .name = "query", .size = size, .labels = std::move(labels), .role = Role::query};
}

Experiment sentence(const std::string& text) {
  Experiment experiment = example_experiment();
  std::get<TextInput>(experiment.inputs.begin()->second).text = text;
  return experiment;
}

RanExperiment with(const char* param, ParamValue value) {
  Experiment experiment = example_experiment();
  REQUIRE(experiment.params.set(param, std::move(value)));
  return ran(experiment);
}

float weight(const Trace& trace, Index head, Index query, Index key) {
  return trace.map()->tensor().at({0, head, query, key});
}

// "+.27 on→cat", "−.05 cat→⟨s⟩".
double change_said(const std::string& said) {
  const std::string minus = "−";
  return said.starts_with(minus) ? -std::stod("0" + said.substr(minus.size())) : std::stod("0" + said.substr(1));
}

std::string saved(const Model& model) {
  return to_json(*model.document.experiment, {});
}

}  // namespace

TEST_CASE("tokens are matched by a longest common subsequence, and what is left over is named") {
  const Axis a = words({"the", "cat", "sat", "on", "a", "mat"}),
             b = words({"the", "big", "cat", "on", "the", "mat", "."});
  const auto found = match(&a, 0, &b, 0);
  REQUIRE(found);
  CHECK(found->a == std::vector<Index>{0, 1, 3, 5});
  CHECK(found->b == std::vector<Index>{0, 2, 3, 5});
  CHECK(found->only_a == std::vector<Index>{2, 4});
  CHECK(found->only_b == std::vector<Index>{1, 4, 6});
  CHECK(found->by_token);
  CHECK(found->partner_in_a(2) == 1);
  CHECK(found->partner_in_b(1) == 2);
  CHECK_FALSE(found->partner_in_a(1));
  CHECK(found->place_of_b(3) == 2);
}

TEST_CASE("axes of one length are matched place by place, others without names or of another grid not at all") {
  const Axis a = words({"the", "cat"}), b = words({"a", "dog"});
  REQUIRE(match(&a, 0, &b, 0));
  CHECK(match(&a, 0, &b, 0)->a == std::vector<Index>{0, 1});
  Axis bare = a, longer = a;
  bare.labels.clear();
  longer.labels.clear();
  longer.size = 3;
  CHECK_FALSE(match(&bare, 0, &longer, 0));
  Axis wide = bare, high = bare;
  wide.size = high.size = 6;
  wide.grid = Grid{1, 2, 3};
  high.grid = Grid{1, 3, 2};
  CHECK_FALSE(match(&wide, 0, &high, 0));
  CHECK(match(&wide, 0, &wide, 0));
  CHECK_FALSE(match(&a, 0, nullptr, 0));
}

TEST_CASE("a difference is B − A in every cell, and what is masked in either is no number") {
  const RanExperiment a = ran(example_experiment()), b = with("scale", 1.0), open = with("mask", std::string("none"));
  for (Index head = 0; head < 8; ++head) {
    const Focus focus{.head = head, .flat = true};
    const auto d =
        difference_of(*a.trace, *a.trace->map(), focus, *b.trace, *b.trace->map(), focus, Contrast::difference);
    REQUIRE(d);
    float greatest = 0;
    for (Index i = 0; i < 12; ++i)
      for (Index j = 0; j < 12; ++j) {
        const float cell = d->cells.at({i, j}), change = weight(*b.trace, head, i, j) - weight(*a.trace, head, i, j);
        CHECK((j > i ? is_masked(cell) : cell == change));
        if (j <= i) greatest = std::max(greatest, std::abs(change));
      }
    CHECK(d->greatest == greatest);
    CHECK(std::abs(d->cells.at({d->row, d->column})) == greatest);
    CHECK(d->masked_in_a + d->masked_in_b == 0);
  }
  const auto seen =
      difference_of(*a.trace, *a.trace->map(), {}, *open.trace, *open.trace->map(), {}, Contrast::difference);
  REQUIRE(seen);
  CHECK(seen->masked_in_a == 66);  // 12 · 11 / 2
  CHECK(is_masked(seen->cells.at({3, 7})));
  const auto back =
      difference_of(*open.trace, *open.trace->map(), {}, *a.trace, *a.trace->map(), {}, Contrast::difference);
  CHECK(back->masked_in_b == 66);
}

TEST_CASE("a ratio is log2 of B / A, and nothing where A is 0 or the signs differ") {
  const RanExperiment a = ran(example_experiment()), b = with("temperature", 2.0);
  const Step *of_a = counterpart(*a.trace, *b.trace, *b.trace->scores_before(*b.trace->map())),
             *of_b = b.trace->scores_before(*b.trace->map());
  REQUIRE(of_a);
  const auto d = difference_of(*a.trace, *of_a, {}, *b.trace, *of_b, {}, Contrast::ratio);
  REQUIRE(d);
  for (Index i = 0; i < 12; ++i)
    for (Index j = 0; j <= i; ++j) CHECK(d->cells.at({i, j}) == Approx(-1).margin(1e-4));  // scores are halved
}

TEST_CASE("texts of other length are compared where their tokens have partners") {
  const RanExperiment a = ran(sentence("the cat sat")), b = ran(sentence("the big cat sat"));
  const auto d = difference_of(*a.trace, *a.trace->map(), {}, *b.trace, *b.trace->map(), {}, Contrast::difference);
  REQUIRE(d);
  CHECK(d->rows.only_b == std::vector<Index>{2});
  CHECK(d->cells.shape() == Shape{4, 4});
  const Index in_b[] = {0, 1, 3, 4};  // ⟨s⟩ the cat sat
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j <= i; ++j)
      CHECK(d->cells.at({i, j}) == weight(*b.trace, 0, in_b[i], in_b[j]) - weight(*a.trace, 0, i, j));
  const PositionMatch positions = match_positions(*a.trace, *b.trace, 0);
  CHECK(partner_in_a(positions, {.query = 3, .key = 2}) == Selection{.query = 2, .key = std::nullopt});
  CHECK(partner_in_b(positions, {.query = 2, .key = 1}) == Selection{.query = 3, .key = 1});
  const RanExperiment other = ran(sentence("zwei Hunde")), lone = with("heads", Index{2});
  CHECK(difference_of(*a.trace, *a.trace->map(), {}, *other.trace, *other.trace->map(), {}, Contrast::difference));
}

TEST_CASE("means, the change of the output and the numbers of a pair are those of the traces") {
  const RanExperiment a = ran(example_experiment()), b = with("scale", 1.0);
  const auto means = means_of(*b.trace, *b.trace->map(), 0, std::nullopt);
  REQUIRE(means);
  double entropy = 0, peak = 0;
  for (Index m = 0; m < 8; ++m)
    for (Index i = 0; i < 12; ++i) {
      double top = 0;
      for (Index j = 0; j <= i; ++j) {
        const double w = weight(*b.trace, m, i, j);
        top = std::max(top, w);
        if (w > 0) entropy -= w * std::log(w);
      }
      peak += top;
    }
  CHECK(*means->entropy == Approx(entropy / 96));
  CHECK(means->peak == Approx(peak / 96));
  CHECK(means->sum == Approx(1));
  CHECK(*means->later == 0);
  const RanExperiment open = with("mask", std::string("none"));
  double later = 0;
  for (Index m = 0; m < 8; ++m)
    for (Index i = 0; i < 12; ++i)
      for (Index j = i + 1; j < 12; ++j) later += weight(*open.trace, m, i, j);
  CHECK(*means_of(*open.trace, *open.trace->map(), 0, std::nullopt)->later == Approx(later / 96));

  const Tensor &out_a = a.trace->output()->tensor(), &out_b = b.trace->output()->tensor();
  double change = 0, size = 0;
  for (Index i = 0; i < out_a.size(); ++i) {
    change += std::pow(double{out_b[i]} - out_a[i], 2);
    size += std::pow(double{out_a[i]}, 2);
  }
  CHECK(*relative_change(*a.trace->output(), *b.trace->output(), 0, 0) == Approx(std::sqrt(change / size)));

  const Focus focus{.head = 2, .selection = {.query = 9, .key = 3}};
  const auto numbers = pair_numbers(*a.trace, focus, *b.trace, *b.trace->map(), focus);
  const auto number = [&](const std::string& name) {
    const auto found = std::ranges::find(numbers, name, &PairNumber::name);
    REQUIRE(found != numbers.end());
    return *found;
  };
  CHECK(number("weight").a == weight(*a.trace, 2, 9, 3));
  CHECK(number("weight").b == weight(*b.trace, 2, 9, 3));
  const Step* scores = b.trace->scores_before(*b.trace->map());
  double other = -HUGE_VAL;
  for (Index j = 0; j <= 9; ++j)
    if (j != 3) other = std::max<double>(other, scores->tensor().at({0, 2, 9, j}));
  CHECK(number("gap to runner-up").b == Approx(scores->tensor().at({0, 2, 9, 3}) - other));
  double row = 0;
  for (Index j = 0; j <= 9; ++j)
    if (const double w = weight(*a.trace, 2, 9, j); w > 0) row -= w * std::log(w);
  CHECK(number("row entropy").a == Approx(row));
}

TEST_CASE("A stays what it was while B runs; swap, drop and settle can be undone by name") {
  Driver driver;
  driver.settle();
  const std::string first = saved(driver.model());
  const auto trace_a = driver.model().shown.trace;
  act(driver, HoldA{});
  CHECK(undo_name(driver.model().history) == "holding A");
  CHECK(why_not(HoldA{}, driver.model()) == "It is held as A");
  act(driver, SetParam{"temperature", 2.0, false});
  act(driver, SetParam{"scale", 1.0, false});
  const std::string second = saved(driver.model());
  CHECK(driver.model().comparison.a.outcome.trace == trace_a);
  act(driver, SwapHeld{});
  CHECK(saved(driver.model()) == first);
  CHECK(to_json(*driver.model().document.held, {}) == second);
  CHECK(undo_name(driver.model().history) == "swapping A and B");
  act(driver, Undo{});
  CHECK(saved(driver.model()) == second);
  CHECK(driver.model().comparison.a.outcome.trace);
  act(driver, DropA{});
  CHECK_FALSE(driver.model().document.held);
  CHECK_FALSE(driver.model().comparison.a.outcome.trace);
  act(driver, Undo{});
  REQUIRE(driver.model().document.held);
  act(driver, ShowScreen{Screen::compare});
  CHECK(driver.model().comparison.a.outcome.trace);  // made again where it was let go
  act(driver, KeepOneOfBoth{true});
  CHECK(saved(driver.model()) == first);
  CHECK_FALSE(driver.model().document.held);
  CHECK(driver.model().screen == Screen::explore);
  CHECK(undo_name(driver.model().history) == "settling on A");
  act(driver, Undo{});
  act(driver, KeepOneOfBoth{false});
  CHECK(saved(driver.model()) == second);
  while (!driver.model().history.undo.empty()) act(driver, Undo{});
  CHECK(saved(driver.model()) == first);
  CHECK_FALSE(driver.model().document.held);
}

TEST_CASE("a selection goes along with its tokens when A and B of other length are swapped") {
  Driver driver(1600, 1000, 1, sentence("the cat sat"));
  driver.settle();
  act(driver, HoldA{});
  act(driver, SetText{driver.model().primary_input(), "the big cat sat", false});
  act(driver, Select{{.query = 4, .key = 3}, true});
  act(driver, SwapHeld{});
  CHECK(driver.model().document.look.selection == Selection{.query = 3, .key = 2});
}

TEST_CASE("each what-if holds what was there, makes one change, is one entry of undo, and can be run") {
  Driver driver;
  driver.settle();
  const std::string first = saved(driver.model());
  std::set<std::string> ids;
  for (const WhatIf& what : what_ifs(driver.model())) ids.insert(what.id);
  for (const char* id : {"scale-off", "temperature-2", "no-mask", "start-token-off", "positions-off", "uniform",
                         "head-off", "permuted", "first-key-hidden"})
    CHECK(ids.contains(id));
  for (const std::string& id : ids) {
    INFO(id);
    const auto entries = driver.model().history.undo.size();
    act(driver, TryWhatIf{id});
    CHECK(driver.model().error.empty());
    CHECK(driver.model().screen == Screen::compare);
    CHECK(driver.model().history.undo.size() == entries + 1);
    CHECK(undo_name(driver.model().history).starts_with("what if: "));
    CHECK(to_json(*driver.model().document.held, {}) == first);
    CHECK(saved(driver.model()) != first);
    const auto& a = *driver.model().comparison.a.outcome.trace;
    CHECK(relative_change(*a.output(), *driver.model().trace()->output(), 0, 0).value_or(1) > 1e-6);
    act(driver, Undo{});
    CHECK(saved(driver.model()) == first);
    act(driver, ShowScreen{Screen::explore});
  }
}

TEST_CASE("uniform, head off and a hidden key do what they say") {
  Driver driver;
  driver.settle();
  const Index head = driver.model().document.look.head;
  act(driver, TryWhatIf{"uniform"});
  for (Index j = 0; j <= 9; ++j) CHECK(weight(*driver.model().trace(), 4, 9, j) == Approx(0.1));
  act(driver, TryWhatIf{"uniform-back"});  // a second press takes it back
  CHECK(driver.model().document.experiment->edits.empty());
  act(driver, TryWhatIf{"head-off"});
  const Step* gathered = driver.model().trace()->find(driver.model().document.experiment->edits.front().array);
  REQUIRE(gathered);
  for (Index m = 0; m < 8; ++m) CHECK((gathered->tensor().at({0, m, 5, 1}) == 0) == (m == head));
  act(driver, Undo{});
  act(driver, TryWhatIf{"first-key-hidden"});
  for (Index i = 1; i < 12; ++i) CHECK(weight(*driver.model().trace(), 3, i, 0) == 0);
  CHECK(weight(*driver.model().trace(), 3, 0, 0) == 1);
}

TEST_CASE("a classic mistake says what goes wrong as numbers: row sums, weight on later keys, the output") {
  Driver driver;
  driver.settle();
  act(driver, TryWhatIf{"mistake-mask_after_softmax"});
  const Trace &a = *driver.model().comparison.a.outcome.trace, &b = *driver.model().trace();
  REQUIRE(b.maps().size() == 2);
  const Tensor &before = b.maps()[0]->tensor(), &after = b.maps()[1]->tensor();
  double sum = 0, later = 0;
  for (Index m = 0; m < 8; ++m)
    for (Index i = 0; i < 12; ++i)
      for (Index j = 0; j < 12; ++j) {
        sum += after.at({0, m, i, j}) / 96;
        if (j > i) later += before.at({0, m, i, j}) / 96;
      }
  CHECK(sum == Approx(1 - later));
  CHECK(later > 0.1);
  CHECK(driver.widget("compare/means/Mean row sum").value == fmt::format("1.000 {:.3f}", sum));
  CHECK(driver.widget("compare/means/On later keys").value == fmt::format("0.000 {:.3f}", later));
  const double change = *relative_change(*a.output(), *b.output(), 0, 0);
  CHECK(change > 0.01);
  CHECK(driver.widget("compare/means/Output change").value == fmt::format("{:.1f} % of A ", 100 * change));
  // What is masked too late is masked there: no 0 is shown in its place.
  act(driver, ShowStep{b.maps()[1]->info.id});
  CHECK(why_masked(b, *b.maps()[1], 1) == "masked by causal: key 1 comes after query 0");
  CHECK(why_masked(b, *b.maps()[0], 1).empty());
  const auto ids = [&] {
    std::set<std::string> found;
    for (const WhatIf& what : what_ifs(driver.model())) found.insert(what.id);
    return found;
  };
  CHECK(ids().contains("mistake-undone"));
  act(driver, SetParam{"mistake", std::string("none"), false});
  CHECK(ids().contains("mistake-merge_without_transpose"));
  act(driver, SetParam{"mask", std::string("none"), false});
  CHECK_FALSE(ids().contains("mistake-mask_after_softmax"));  // it would change nothing
}

TEST_CASE("where the window is low the pair is scrolled to instead of left out") {
  Driver driver(1600, 1000, 2);
  act(driver, Select{{.query = 9, .key = 3}, true});
  act(driver, TryWhatIf{"scale-off"});
  CHECK(driver.shows("compare/pair"));
  driver.resize(1600, 760);
  driver.settle();
  REQUIRE(driver.shows("compare/pair"));
  const auto below = [&] { return driver.widget("compare/pair").rect.bottom() - 760; };
  const float before = below();
  CHECK(before > 0);
  driver.move_to(driver.widget("compare/a").rect.middle());
  for (int i = 0; i < 8; ++i) {
    send_wheel(-1);
    driver.empty_queue();
  }
  driver.settle();
  CHECK(below() < before);
  CHECK(driver.widget("compare/pair").seen.h == driver.widget("compare/pair").rect.h);
}

TEST_CASE("the screen prints the numbers of both traces, and what is set there is B's") {
  Driver driver;
  act(driver, Select{{.query = 9, .key = 3}, true});
  act(driver, TryWhatIf{"scale-off"});
  const Trace &a = *driver.model().comparison.a.outcome.trace, &b = *driver.model().trace();
  const Index head = driver.model().document.look.head;
  const std::string pair = driver.widget("compare/pair").value;
  CHECK(pair.find(fmt::format("weight {} → {};", number_text(weight(a, head, 9, 3)),
                              number_text(weight(b, head, 9, 3)))) != std::string::npos);
  CHECK(driver.widget("compare/line/Scale").state == "differs");
  CHECK(driver.widget("compare/line/Scale").value == "1/√d | off");
  CHECK(driver.widget("compare/line/Heads").state.empty());
  CHECK(driver.widget("compare/line/Scale").rect.y < driver.widget("compare/line/Mechanism").rect.y);
  for (Index m = 0; m < 8; ++m) {
    float most = 0;
    for (Index i = 0; i < 12; ++i)
      for (Index j = 0; j <= i; ++j)
        if (const float change = weight(b, m, i, j) - weight(a, m, i, j); std::abs(change) > std::abs(most))
          most = change;
    const std::string said = driver.widget(fmt::format("compare/heads/{}/largest", m)).value;
    INFO(said);
    CHECK(change_said(said) == Approx(most).margin(0.0051));
  }
  const auto means = means_of(a, *a.map(), 0, std::nullopt), means_b = means_of(b, *b.map(), 0, std::nullopt);
  CHECK(driver.widget("compare/means/Mean entropy").value ==
        fmt::format("{:.2f} {:.2f}", *means->entropy, *means_b->entropy));
  CHECK(driver.widget("compare/means/Output change").value ==
        fmt::format("{:.1f} % of A ", 100 * *relative_change(*a.output(), *b.output(), 0, 0)));
  driver.click("params/scale");  // B's again as A's
  CHECK(driver.model().document.experiment->params.is_automatic("scale"));
  CHECK(driver.widget("compare/line/Scale").state.empty());
}

TEST_CASE("a key of a window is called by where it lies from its query, in the maps and below them") {
  Driver driver;
  act(driver, SetVariant{"stand_alone_2d"});
  act(driver, SetParam{"extent", Index{7}});
  act(driver, HoldA{});
  act(driver, SetParam{"position", 0.0});
  act(driver, ShowScreen{Screen::compare});
  act(driver, Select{{.query = 40, .key = 3}, true});
  driver.settle();
  std::set<std::string> texts;
  for (const auto& text : driver.log().texts) texts.insert(text.text);
  for (const char* offset : {"−3", "−1", "+1", "+3"}) CHECK(texts.contains(offset));
  for (const char* slot : {"5", "6"}) CHECK_FALSE(texts.contains(slot));
  int told = 0;
  for (Index m = 0; m < 4; ++m) {
    const std::string said = driver.widget(fmt::format("compare/heads/{}/largest", m)).value;
    if (said == "no change") continue;
    ++told;
    INFO(said);
    REQUIRE(said.find(" at ") != std::string::npos);
    const std::string cell = said.substr(said.find(" at ") + 4);
    const Index row = cell.starts_with("−") ? -(cell[3] - '0') : cell[cell.starts_with("+")] - '0';
    CHECK((row >= -1 && row <= 3));  // of pixel 1, 8: two rows of its window lie outside the picture
    CHECK((row == 0 || cell.starts_with("−") || cell.starts_with("+")));
  }
  CHECK(told > 0);
}

TEST_CASE("heads are sorted by how much they changed, the cell under the pointer and the step are linked") {
  Driver driver;
  act(driver, TryWhatIf{"scale-off"});
  CHECK(driver.widget("compare/heads/0").rect.x < driver.widget("compare/heads/4").rect.x);
  driver.click("compare/heads/order");
  CHECK(driver.model().document.contrast.by_size);
  CHECK(driver.widget("compare/heads/4").rect.x <
        driver.widget("compare/heads/3").rect.x);  // window: most; sink: least
  driver.click("compare/heads/4");
  CHECK(driver.model().document.look.head == 4);
  const Rect map = driver.widget("compare/a").rect;
  driver.click_at({map.x + map.w * 2.5F / 12, map.y + map.h * 6.5F / 12});
  CHECK(driver.model().document.look.selection == Selection{.query = 6, .key = 2});
  CHECK(driver.model().document.look.pinned);
  const std::string step = driver.model().step()->info.id;
  act(driver, Release{});
  driver.press(Key::left);
  CHECK(driver.model().step()->info.id != step);
  CHECK(driver.shows("compare/between"));
  driver.press(Key::escape);
  CHECK(driver.model().screen == Screen::explore);
}

TEST_CASE("D shows what the newest change did: held for as long as it is down, pressed until the next press") {
  Driver driver;
  driver.settle();
  CHECK_FALSE(why_not(ShowChange{true}, driver.model()).empty());
  const auto before = driver.model().shown.trace;
  act(driver, SetParam{"temperature", 1.5, true});  // one drag
  act(driver, SetParam{"temperature", 2.0, true});
  act(driver, EndEdit{});
  CHECK(driver.model().comparison.before.outcome.trace == before);
  CHECK(driver.shows("change/show"));  // in a window of the usual size, whatever else the header says
  driver.press(Key::d);
  driver.settle();
  REQUIRE(driver.shows("change"));
  const Trace& now = *driver.model().trace();
  const Index head = driver.model().document.look.head;
  float most = 0;
  for (Index i = 0; i < 12; ++i)
    for (Index j = 0; j <= i; ++j)
      if (const float change = weight(now, head, i, j) - weight(*before, head, i, j); std::abs(change) > std::abs(most))
        most = change;
  // The head is the one that Compare says changes most: of which all changes together are the largest.
  std::vector<double> totals(8);
  for (Index m = 0; m < 8; ++m)
    for (Index i = 0; i < 12; ++i)
      for (Index j = 0; j <= i; ++j)
        totals[static_cast<std::size_t>(m)] +=
            std::pow(static_cast<double>(weight(now, m, i, j)) - weight(*before, m, i, j), 2);
  const auto most_changed = std::ranges::max_element(totals) - totals.begin();
  const std::string said = driver.widget("change").value;
  CHECK(said.find(fmt::format(", most in head {}: ", most_changed)) != std::string::npos);
  CHECK(said.starts_with(fmt::format("largest {}{}, most in head ", most > 0 ? "+" : "", number_text(most))));
  CHECK(said.ends_with(
      fmt::format(", output changed by {:.1f} %", 100 * *relative_change(*before->output(), *now.output(), 0, 0))));
  driver.press(Key::d);
  driver.settle();
  CHECK_FALSE(driver.shows("change"));
  send_key(Key::d, true);
  driver.frame();
  CHECK(driver.model().comparison.change_shown);
  for (int i = 0; i < 60; ++i) driver.frame();  // a second of frames
  driver.settle();
  CHECK(driver.shows("change"));
  send_key(Key::d, false);
  driver.frame();
  driver.settle();
  CHECK_FALSE(driver.model().comparison.change_shown);
  act(driver, Undo{});
  act(driver, ShowChange{true});  // undo is a change too
  CHECK(driver.widget("change").value.find("largest ") != std::string::npos);
}

TEST_CASE("every mechanism and kind of input is compared, or a line says why not") {
  for (const Start& start : starts()) {
    INFO(start.name);
    Driver driver(1366, 768, 1, start.experiment);
    driver.settle();
    REQUIRE(driver.model().trace());
    act(driver, HoldA{});
    const auto list = what_ifs(driver.model());
    act(driver, SetWeights{"normal", 7});
    act(driver, ShowScreen{Screen::compare});
    for (const ViewMode mode : {ViewMode::map, ViewMode::matrix}) {
      act(driver, SetMode{mode});
      for (const Stage& stage : driver.model().trace()->stages) {
        act(driver, ShowStep{stage.steps.front()});
        INFO(stage.id);
        CHECK(driver.shows("compare/between") != driver.shows("compare/reason"));
      }
    }
    for (const WhatIf& what : list) {
      INFO(what.id);
      act(driver, TryWhatIf{what.id});
      CHECK((driver.shows("compare/between") || driver.shows("compare/reason")));
      act(driver, Undo{});
    }
  }
}

TEST_CASE("other sizes and other inputs say why they cannot be compared") {
  Driver driver;
  driver.settle();
  act(driver, HoldA{});
  act(driver, UseExample{InputKind::image});
  act(driver, ShowScreen{Screen::compare});
  CHECK(driver.widget("compare/reason").value ==
        "These cannot be compared: this step is a picture in one of both alone");
  act(driver, SetMode{ViewMode::matrix});
  CHECK(driver.widget("compare/reason").value.find("another grid") != std::string::npos);
  act(driver, Undo{});  // the view
  act(driver, Undo{});
  act(driver, SetParam{"d_head", Index{4}, false});
  act(driver, ShowScreen{Screen::compare});
  CHECK(driver.shows("compare/between"));  // weights have the same shape
  act(driver, ShowStep{driver.model().trace()->stages[1].steps.front()});
  CHECK(driver.shows("compare/reason"));  // queries of 8 channels and of 4
}

TEST_CASE("holding a result says so on the screen that does not show it, and not on the one that does") {
  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  session.act(HoldA{});
  REQUIRE(session.model().notices.size() == 1);
  CHECK(session.model().notices[0].text ==
        "This is held as A. What you change now is B, and Compare shows both with their difference.");
  session.act(ShowScreen{Screen::compare});
  CHECK(session.model().notices.empty());
  session.act(DropA{});
  session.act(ShowScreen{Screen::explore});
  session.act(HoldA{});
  session.act(DropA{});
  CHECK(session.model().notices.empty());
  session.act(ShowScreen{Screen::compare});
  session.act(HoldA{});
  CHECK(session.model().notices.empty());
}

TEST_CASE("a parameter that is changed on the empty screen of both is laid beside what was open") {
  Driver driver;
  driver.settle();
  act(driver, ShowScreen{Screen::compare});
  const auto open = driver.model().shown.experiment;
  act(driver, SetParam{"mistake", std::string("mask_after_softmax"), false});
  REQUIRE(driver.model().document.held == open);
  CHECK(driver.shows("compare/means/Output change"));
  act(driver, Undo{});
  CHECK_FALSE(driver.model().document.held);
  act(driver, ShowScreen{Screen::explore});
  act(driver, SetParam{"temperature", 2.0, false});
  CHECK_FALSE(driver.model().document.held);
}

TEST_CASE("maps of two mechanisms are named where their heads are called otherwise") {
  Driver driver;
  driver.settle();
  act(driver, HoldA{});
  act(driver, ShowScreen{Screen::compare});
  act(driver, SetParam{"temperature", 2.0, false});
  CHECK(driver.widget("compare/head/a").value.find("Previous token") == std::string::npos);
  act(driver, SetVariant{"additive"});
  const std::string a = driver.widget("compare/head/a").value, b = driver.widget("compare/head/b").value;
  CHECK(a.starts_with(head_name(*driver.model().comparison.a.outcome.trace, 0) + " · "));
  CHECK(b.starts_with(head_name(*driver.model().trace(), 0) + " · "));
}

TEST_CASE("while another mechanism is asked for and has not run, the parameters of the one that is shown are not set") {
  Driver driver;
  driver.settle();
  for (const Action& action :
       {Action(HoldA{}), Action(SetParam{"positions", std::string("none")}), Action(ShowScreen{Screen::compare})})
    act(driver, action);
  driver.frame();
  CHECK(driver.shows("params/positions"));
  driver.session().act(SetVariant{"additive"});
  driver.frame();  // of the run before
  driver.settle();
  CHECK(driver.model().shown.experiment->variant == "additive");
}

TEST_CASE("a ratio far below 1 is told by what it divides, and a change of rounding is none") {
  const auto told = [](double ratio) {
    return contrast_text(static_cast<float>(std::log2(ratio)), {-30, 30}, Contrast::ratio);
  };
  CHECK(told(1.5) == "×1.5");
  CHECK(told(0.5) == "×0.5");
  CHECK(told(1.0 / 43) == "÷43");
  CHECK(told(1e-6) == "÷1e6");
  CHECK(told(4e7) == "×1e8");
  CHECK(told(998) == "×998");
  CHECK(told(12) == "×12");
  Step step;
  step.extents = {{.finite = 2, .least = -2, .greatest = 1}};
  CHECK(is_rounding(5e-7F, step));
  CHECK_FALSE(is_rounding(2e-6F, step));
}

TEST_CASE("in a low window what A and B have in common is a line that opens, and what changed is in sight") {
  Driver driver(1366, 768);
  act(driver, TryWhatIf{"scale-off"});
  CHECK(driver.widget("compare/line/Scale").state == "differs");
  CHECK(driver.widget("compare/same").state == "folded");
  CHECK_FALSE(driver.shows("compare/line/Mechanism"));
  const LoggedWidget& means = driver.widget("compare/means/Output change");
  CHECK(means.seen.h == means.rect.h);
  driver.click("compare/same");
  CHECK(driver.shows("compare/line/Mechanism"));
  driver.click("compare/same");
  CHECK_FALSE(driver.shows("compare/line/Mechanism"));
  Driver high(1600, 1000);
  act(high, TryWhatIf{"scale-off"});
  CHECK(high.shows("compare/line/Mechanism"));
  CHECK_FALSE(high.shows("compare/same"));
}

TEST_CASE("what keys are called stands beside the columns, and what queries are above the rows") {
  for (const float height : {768.0F, 1000.0F}) {
    Driver driver(1366, height);
    driver.settle();
    act(driver, HoldA{});
    act(driver, ShowScreen{Screen::compare});
    for (const char* path : {"compare/a", "compare/between"}) {
      const Rect map = driver.widget(path).rect;
      for (const LoggedText& query : driver.log().texts) {
        if (query.text != "query i ↓") continue;
        CHECK(query.rect.bottom() <= map.y);
        CHECK(query.rect.bottom() > map.y - 20);
        for (const LoggedText& key : driver.log().texts)
          if (key.text == "key j →") CHECK(key.rect.bottom() <= query.rect.y + 1);
      }
    }
  }
}

TEST_CASE("of a run that is refused nothing is compared, and what is shown says that it is of the run before") {
  Driver driver;
  driver.settle();
  act(driver, HoldA{});
  act(driver, ShowScreen{Screen::compare});
  CHECK_FALSE(driver.model().shows_older());
  CHECK(driver.shows("compare/words-of-change"));
  act(driver, SetParam{"kv_heads", Index{3}, false});  // which does not divide eight heads
  REQUIRE(driver.model().shows_older());
  CHECK_FALSE(driver.shows("compare/words-of-change"));
  act(driver, ShowScreen{Screen::explore});
  CHECK(driver.widget("view/older").value == "of the run before");
  act(driver, SetParam{"kv_heads", Index{4}, false});
  CHECK_FALSE(driver.model().shows_older());
  CHECK_FALSE(driver.shows("view/older"));
}

TEST_CASE("that a result is of the run before is said at every step and size, beside the way to what changed too") {
  for (const float width : {1180.0F, 1366.0F, 1600.0F}) {
    Driver driver(width, 900);
    driver.settle();
    act(driver, SetParam{"temperature", 2.0, false});
    act(driver, SetParam{"kv_heads", Index{3}, false});  // which does not divide eight heads
    REQUIRE(driver.model().shows_older());
    for (const Step& step : driver.model().trace()->steps) {
      act(driver, ShowStep{step.info.id});
      INFO(width << " px, " << step.info.id);
      for (const ViewMode mode : {ViewMode::map, ViewMode::mechanism, ViewMode::lines, ViewMode::arrows,
                                  ViewMode::numbers, ViewMode::heads}) {
        act(driver, SetMode{mode});
        INFO(static_cast<int>(mode));
        CHECK(driver.shows("view/older"));
      }
    }
    act(driver, Present{true});
    CHECK(driver.shows("present/older"));
    act(driver, Present{false});
    act(driver, ShowScreen{Screen::figure});
    CHECK(std::ranges::count(driver.log().texts, "Of what is set", &LoggedText::text) == 1);
  }
}

namespace {

RanExperiment of_picture(const std::string& variant, const std::string& params) {
  return ran(parse_experiment(
      fmt::format(R"({{"variant": "{}", "params": {{{}}}, "inputs": {{"x": {{"image": "scene.png", "size": [12, 12]}}}},
                      "weights": {{"init": "normal"}}}})",
                  variant, params),
      HEADLIGHT_SOURCE_DIR "/assets/examples", ""));
}

std::string why_not_compared(const RanExperiment& a, const RanExperiment& b) {
  const Focus focus{.selection = {.query = 30}};
  const auto made =
      difference_of(*a.trace, *a.trace->map(), focus, *b.trace, *b.trace->map(), focus, Contrast::difference);
  return made ? "" : made.error().message;
}

}  // namespace

TEST_CASE("keys of shifted windows are compared by the pixel, in cells, partners and names") {
  const RanExperiment a = of_picture("swin", R"("window": 4, "shift": 2, "heads": 1)"),
                      b = of_picture("swin", R"("window": 4, "shift": 0, "heads": 1)");
  const Step &map_a = *a.trace->map(), &map_b = *b.trace->map();
  const auto d = difference_of(*a.trace, map_a, {}, *b.trace, map_b, {}, Contrast::difference);
  if (!d) FAIL(d.error().message);
  const Axis &keys_a = *map_a.axis(AxisRole::key), &keys_b = *map_b.axis(AxisRole::key);
  const PositionMatch positions = match_positions(*a.trace, *b.trace, 0);
  Index compared = 0, moved = 0;
  for (Index query = 0; query < 144; ++query)
    for (Index key = 0; key < 16; ++key) {
      const auto partner = partner_in_a(positions, {.query = query, .key = key}).key;
      CHECK(partner == d->column_in_a(query, key));
      const float cell = d->cells.at({query, key});
      if (!partner) {
        CHECK(is_masked(cell));
        continue;
      }
      CHECK(keys_a.position_of(query, *partner) == keys_b.position_of(query, key));
      CHECK(partner_in_b(positions, {.query = query, .key = *partner}).key == key);
      moved += *partner != key;
      if (is_masked(cell)) continue;
      ++compared;
      CHECK(cell == map_b.tensor()[query * 16 + key] - map_a.tensor()[query * 16 + *partner]);
    }
  CHECK((compared > 100 && moved > 100 && d->outside_a > 0 && d->outside_b > 0));
  const Slice slice = slice_of(map_b, {});
  const Index pixel = keys_b.position_of(5, 6);
  CHECK(cell_in_words(*b.trace, slice, 5, 6, {}, " → ") == fmt::format("0, 5 → {}, {}", pixel / 12, pixel % 12));
}

TEST_CASE("keys that do not stand for each other are named, and the grid is blamed only where it differs") {
  const RanExperiment whole = of_picture("stand_alone_2d", ""), five = of_picture("stand_alone_2d", R"("extent": 5)"),
                      three = of_picture("stand_alone_2d", R"("extent": 3)"),
                      pooled = of_picture("non_local", R"("sub_sample": true)"),
                      open = of_picture("non_local", R"("sub_sample": false)");
  CHECK(why_not_compared(five, three) ==
        "a query of A looks at 5 × 5 keys round it and one of B at 3 × 3 keys round it, which do not stand for each "
        "other");
  CHECK(
      why_not_compared(pooled, open).starts_with("a query of A looks at 6 × 6 keys of the picture and one of B at 12"));
  CHECK(why_not_compared(three, whole).find("at 3 × 3 keys round it and one of B at 12 × 12") != std::string::npos);
  CHECK(why_not_compared(five, five).empty());
}

TEST_CASE("runs that differ by rounding alone are told to be the same but for that") {
  Driver driver;
  driver.settle();
  act(driver, HoldA{});
  act(driver, ShowScreen{Screen::compare});
  const Trace& before = *driver.model().trace();
  Outcome a = driver.model().comparison.a.outcome;
  REQUIRE(a.trace);
  // What a run in another order of sums would give.
  auto rounded = std::make_shared<Trace>(*a.trace);
  for (Step& step : rounded->steps) {
    Tensor values = step.tensor();
    for (float& value : values.values())
      if (std::isfinite(value)) value = std::nextafter(value, 2.0F);
    step.values = std::make_shared<const Tensor>(std::move(values));
  }
  a.trace = rounded;
  a.ticket += 1000;
  ContrastMemory contrast;
  const SideBySide both = contrast.side_by_side(driver.model(), a);
  const ContrastMaps& maps = contrast.maps(driver.model(), both, Contrast::difference);
  REQUIRE_FALSE(maps.heads.empty());
  CHECK((maps.greatest > 0 && maps.rounding));
  const RunNumbers& numbers = contrast.numbers(driver.model(), a);
  CHECK(numbers.output_rounded);
  CHECK(numbers.first_changed.empty());
  CHECK_FALSE(numbers.most_at);
  CHECK(before.output());
}
