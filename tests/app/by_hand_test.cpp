// Numbers set by hand in the window: what is offered does what it says, to every mechanism, and can be taken back one
// by one.
#include <algorithm>
#include <cmath>

#include "app/model/masks.h"
#include "app/reading/cell_trace.h"
#include "app/reading/edits_offered.h"
#include "app/reading/masks/mask_layers.h"
#include "engine/measures/head_outputs.h"
#include "engine/run/run.h"
#include "engine/variants/variant.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/gui/wander.h"

using namespace headlight;
using namespace headlight::app;

namespace {

void act(Session& session, const Action& action) {
  session.act(action);
  REQUIRE(session.settle());
}
// With the weights of head 2 shown, and query 9 on key 3 pinned.
void look_at_a_pair(Session& session) {
  REQUIRE(session.settle());
  for (const Action& action : {Action(ShowStep{"weights"}), Action(SetHead{2}), Action(Select{{9, 3}, true})})
    act(session, action);
}

EditOffer offered(const Model& model, const std::string& id) {
  for (EditOffer& offer : edits_offered(*model.trace(), *model.step(), focus_of(model.document.look)))
    if (offer.id == id) return offer;
  FAIL("nothing offers " << id);
  return {};
}

// The weights of head 2, query 9.
std::vector<float> row_of(const Model& model) {
  const Tensor& weights = model.trace()->find("weights")->tensor();
  const Index keys = weights.dim(3), first = (2 * weights.dim(2) + 9) * keys;
  std::vector<float> row;
  for (Index j = 0; j < keys; ++j) row.push_back(weights[first + j]);
  return row;
}

float sum_of(const std::vector<float>& row) {
  float sum = 0;
  for (const float value : row) sum += value;
  return sum;
}

}  // namespace

TEST_CASE("what is offered at a pair of query and key does what it says") {
  Session session(example_experiment(), {}, {});
  look_at_a_pair(session);
  const Model& model = session.model();
  const std::vector<float> plain = row_of(model);
  const auto output = model.trace()->output()->tensor();

  act(session, AddEdit{offered(model, "uniform").edit});
  CHECK(row_of(model)[3] == 0.1F);  // query 9 sees ten keys
  CHECK(row_of(model)[11] == 0);
  act(session, Undo{});
  CHECK(row_of(model) == plain);

  act(session, AddEdit{offered(model, "one-hot").edit});
  CHECK(row_of(model)[3] == 1);
  CHECK(sum_of(row_of(model)) == 1);
  act(session, Undo{});

  act(session, AddEdit{offered(model, "cut").edit});
  CHECK(row_of(model)[3] == 0);
  CHECK(sum_of(row_of(model)) == Approx(1));
  CHECK(row_of(model)[2] == Approx(plain[2] / (1 - plain[3])));
  act(session, Undo{});

  act(session, AddEdit{offered(model, "permuted").edit});
  auto moved = row_of(model), sorted = plain;
  CHECK(moved != plain);
  std::ranges::sort(moved);
  std::ranges::sort(sorted);
  CHECK(moved == sorted);
  act(session, Undo{});

  const EditOffer off = offered(model, "head-off");
  CHECK(off.label == "Switch head 2 off");
  act(session, AddEdit{off.edit});
  const Tensor& heads = head_outputs(*model.trace())->tensor();
  const Index each = heads.dim(2) * heads.dim(3);
  for (Index i = 0; i < each; ++i) REQUIRE(heads[2 * each + i] == 0);
  const auto others = heads.values().subspan(static_cast<std::size_t>(3 * each));
  CHECK(std::ranges::any_of(others, [](float value) { return value != 0; }));
  CHECK_FALSE(std::ranges::equal(model.trace()->output()->tensor().values(), output.values()));
  CHECK(row_of(model) == plain);  // where it looked is another matter
}

TEST_CASE("an edge that is cut stays cut when the mask is switched off and on again") {
  Session session(example_experiment(), {}, {});
  look_at_a_pair(session);
  const Model& model = session.model();
  act(session, AddEdit{offered(model, "cut").edit});
  for (const char* mask : {"causal", "none", "prefix"}) {
    INFO(mask);
    act(session, SetParam{"mask", std::string(mask), false});
    CHECK(model.error.empty());
    CHECK(row_of(model)[3] == 0);
    CHECK(sum_of(row_of(model)) == Approx(1));
    const Step& map = *model.trace()->map();
    const Index cell = ((0 * map.tensor().dim(1) + 2) * map.tensor().dim(2) + 9) * map.tensor().dim(3) + 3;
    CHECK(why_masked(*model.trace(), map, cell) != "");
    const Step* scores = model.trace()->scores_before(map);
    CHECK(
        why_masked(*model.trace(), *scores, cell).starts_with("set by edit 1 (scaled_scores, head 2, query 9, key 3"));
    const MaskReading reading = mask_of(model);
    CHECK(reading.hidden(9, 3));
    CHECK(hidden_by_words(reading, 9, 3) == "Cut");
  }
}

TEST_CASE("of a pair that is masked nothing is offered that would change nothing") {
  Session session(example_experiment(), {}, {});
  look_at_a_pair(session);
  const auto ids = [&] {
    std::vector<std::string> list;
    const Model& model = session.model();
    for (const EditOffer& offer : edits_offered(*model.trace(), *model.step(), focus_of(model.document.look)))
      list.push_back(offer.id);
    return list;
  };
  CHECK(ids() == std::vector<std::string>{"head-off", "uniform", "permuted", "one-hot", "cut"});
  act(session, Select{{9, 11}, true});
  CHECK(ids() == std::vector<std::string>{"head-off", "uniform", "permuted"});
}

TEST_CASE("every mechanism takes every edit that it is offered, by the cell that is looked at too") {
  for (const Start& start : starts()) {
    INFO(start.name);
    Session session(start.experiment, {}, {});
    REQUIRE(session.settle());
    const Model& model = session.model();
    if (!model.trace() || !model.trace()->map()) continue;
    act(session, ShowStep{model.trace()->map()->info.id});
    act(session, Select{{1, 1, 1}, true});
    const auto offers = edits_offered(*model.trace(), *model.step(), focus_of(model.document.look));
    CHECK(offers.empty() == (start.name == "given, layers"));  // whose maps nothing takes
    for (const EditOffer& offer : offers) {
      INFO(offer.label);
      act(session, AddEdit{offer.edit});
      CHECK(model.error.empty());
      CHECK(model.trace()->edits.size() == 1);
      act(session, RemoveEdits{});
    }
    const auto cell = cell_looked_at(*model.step(), focus_of(model.document.look));
    if (!cell) continue;
    act(session, AddEdit{edit_of_cell(*model.step(), *cell, 0.75)});
    CHECK(model.error.empty());
    CHECK(model.step()->tensor()[*cell] == 0.75F);
  }
}

TEST_CASE("a number of the pinned cell is typed over where it is explained, and what follows from it with it") {
  Driver driver(1600, 1000, 1);
  driver.settle();
  look_at_a_pair(driver.session());
  act(driver, ShowStep{"scores"});
  driver.click("by hand/number");
  for (int i = 0; i < 16; ++i) driver.press(Key::backspace);
  driver.type("-2.5");
  driver.press(Key::enter);
  driver.settle();
  const Tensor& scores = driver.model().trace()->find("scores")->tensor();
  CHECK(scores[(2 * scores.dim(2) + 9) * scores.dim(3) + 3] == -2.5F);
  REQUIRE(driver.model().document.experiment->edits.size() == 1);
  CHECK(undo_name(driver.model().history) == "edit by hand");
  driver.frame();
  REQUIRE(driver.shows("by hand/edit/1"));
  CHECK(driver.widget("by hand/edit/1").value == "1  scores, head 2, query 9, key 3 set to −2.5");

  driver.click("by hand/edit/1/on");
  driver.settle();
  CHECK_FALSE(driver.model().document.experiment->edits[0].on);
  CHECK(driver.model().trace()->edits.empty());
  CHECK(undo_name(driver.model().history) == "edit 1 off");
  driver.click("by hand/edit/1/remove");
  driver.settle();
  CHECK(driver.model().document.experiment->edits.empty());
  CHECK(undo_name(driver.model().history) == "removing edit 1");
  for (int i = 0; i < 3; ++i) act(driver, Undo{});
  CHECK(driver.model().document.experiment->edits.empty());
  CHECK(driver.model().history.redo.size() >= 3);
}

TEST_CASE("a block is marked by a drag with Shift, and one number set in all of its cells") {
  Driver driver(1600, 1000, 1);
  driver.settle();
  act(driver, ShowStep{"scores"});
  const Tensor before = driver.model().trace()->find("scores")->tensor();
  driver.move_to(driver.cell(7, 5));
  send_modifiers({.shift = true});
  send_mouse_button(0, true);
  driver.frame();
  for (const auto& [row, column] : {std::pair{7, 7}, {3, 1}, {5, 3}}) {
    driver.move_to(driver.cell(row, column));
    driver.frame();
  }
  send_mouse_button(0, false);
  driver.frame();
  send_modifiers({});
  driver.settle();
  CHECK(driver.model().document.look.selection == Selection{7, 5});
  CHECK(driver.model().document.look.second == Selection{5, 3});
  REQUIRE(driver.shows("heatmap/block"));
  REQUIRE(driver.shows("by hand/block"));
  driver.click("by hand/block");
  for (int i = 0; i < 16; ++i) driver.press(Key::backspace);
  driver.type("1.5");
  driver.press(Key::enter);
  driver.settle();
  const Tensor& after = driver.model().trace()->find("scores")->tensor();
  const Index n = before.dim(2), head = driver.model().document.look.head;
  for (Index i = 0; i < before.size(); ++i) {
    const Index row = i / n % n, column = i % n;
    const bool inside = i / (n * n) == head && row >= 5 && row <= 7 && column >= 3 && column <= 5;
    CHECK((inside ? after[i] == 1.5F : after[i] == before[i]));
  }
  CHECK(driver.model().document.experiment->edits.size() == 1);
  act(driver, Undo{});
  CHECK(driver.model().document.experiment->edits.empty());
}

TEST_CASE("an edited block is moved by Alt and arrows, named in undo, and stays where the map ends") {
  Driver driver(1600, 1000, 1);
  driver.settle();
  act(driver, ShowStep{"scores"});
  act(driver, Select{{7, 5}, true});
  CHECK_FALSE(driver.shows("by hand/moves"));
  const Step& step = *driver.model().step();
  const Tensor before = step.tensor();
  const auto first = cell_looked_at(step, focus_of(driver.model().document.look));
  act(driver, AddEdit{edit_of_cells(step, *first, *first + 2 * before.dim(3) + 1, 1.5)});  // queries 7-9, keys 5-6
  CHECK(driver.widget("by hand/moves").value == "Edit 1 holds this cell: Alt and an arrow move it.");
  driver.press(Key::up, {.alt = true});
  driver.press(Key::left, {.alt = true});
  driver.press(Key::left, {.alt = true});
  CHECK(undo_name(driver.model().history) == "moving edit 1");
  CHECK(driver.model().document.look.selection == Selection{6, 3});
  const auto check_block = [&](Index query, Index key) {
    const Tensor& after = driver.model().trace()->find("scores")->tensor();
    const Index n = before.dim(2), head = driver.model().document.look.head;
    for (Index i = 0; i < before.size(); ++i) {
      const Index row = i / n % n, column = i % n;
      const bool inside = i / (n * n) == head && row >= query && row < query + 3 && column >= key && column < key + 2;
      REQUIRE(after[i] == (inside ? 1.5F : before[i]));
    }
  };
  check_block(6, 3);
  act(driver, MoveEdit{1, 4, 7});
  check_block(6, 3);
  CHECK(driver.model().notices.back().text.find("Edit 1 was not moved: it would leave the map") == 0);
  act(driver, MoveEdit{1, 3, 0});
  check_block(9, 3);
  act(driver, Undo{});
  act(driver, Undo{});
  check_block(6, 4);
  // The whole weight of a query goes on to another key; what is of all queries and keys has nowhere to go.
  act(driver, RemoveEdits{});
  act(driver, ShowStep{"weights"});
  act(driver, Select{{9, 3}, true});
  act(driver, AddEdit{offered(driver.model(), "one-hot").edit});
  driver.press(Key::right, {.alt = true});
  CHECK(driver.model().document.experiment->edits[0].key == 4);
  act(driver, RemoveEdits{});
  act(driver, AddEdit{offered(driver.model(), "uniform").edit});
  CHECK_FALSE(driver.shows("by hand/moves"));
  const auto edits = driver.model().document.experiment->edits;
  driver.press(Key::right, {.alt = true});
  CHECK(driver.model().document.experiment->edits == edits);
}

TEST_CASE("an edit of the same cells takes the place of the one before, and of other cells stands beside it") {
  Session session(example_experiment(), {}, {});
  look_at_a_pair(session);
  const Model& model = session.model();
  const auto cell = cell_looked_at(*model.step(), focus_of(model.document.look));
  REQUIRE(cell);
  act(session, AddEdit{edit_of_cell(*model.step(), *cell, 0.5)});
  act(session, AddEdit{edit_of_cell(*model.step(), *cell, 0.25)});
  CHECK(model.document.experiment->edits.size() == 1);
  CHECK(row_of(model)[3] == 0.25F);
  act(session, AddEdit{edit_of_cell(*model.step(), *cell + 1, 0.125)});
  CHECK(model.document.experiment->edits.size() == 2);
  const auto undo = model.history.undo.size();
  act(session, AddEdit{edit_of_cell(*model.step(), *cell + 1, 0.125)});
  CHECK(model.history.undo.size() == undo);  // nothing new
}

TEST_CASE("numbers of a spreadsheet are laid over the map from the pinned cell on, and what does not fit is said") {
  std::string held;
  Surroundings surroundings;
  surroundings.clipboard = [&] { return held; };
  Session session(example_experiment(), {}, surroundings);
  look_at_a_pair(session);
  act(session, ShowStep{"scores"});
  const Model& model = session.model();
  const auto score = [&](Index query, Index key) {
    const Tensor& scores = model.trace()->find("scores")->tensor();
    return scores[(2 * scores.dim(2) + query) * scores.dim(3) + key];
  };
  for (const char* text : {"1.5\t-2\n0.25\t3e1\n", "1,5\t\u22122\r\n0,25\t30\r\n", "1.5, -2\n.25,30",
                           "1.5  -2\n0.25 30", "1,5;-2\n0,25;+30"}) {
    INFO(text);
    held = text;
    act(session, PasteNumbers{});
    REQUIRE(model.document.experiment->edits.size() == 1);
    CHECK(score(9, 3) == 1.5F);
    CHECK(score(9, 4) == -2);
    CHECK(score(10, 3) == 0.25F);
    CHECK(score(10, 4) == 30);
    act(session, Undo{});
    REQUIRE(model.document.experiment->edits.empty());
  }
  const auto refused = [&](const std::string& text) {
    held = text;
    act(session, PasteNumbers{});
    CHECK(model.document.experiment->edits.empty());
    CHECK((model.notices.empty() || model.notices.back().level == Notice::Level::warning));
    return model.notices.empty() ? "" : model.notices.back().text;
  };
  // One number or two, nobody knows; where something tells, it is taken as that.
  CHECK(refused("1,5") ==
        "Nothing was pasted: \"1,5\" is one number or two: write a point in numbers, or a tab or ; between them.");
  CHECK(refused("1,5\n2,25").starts_with("Nothing was pasted: \"1,5\" is one number or two"));
  CHECK(refused("") == "Nothing was pasted: the clipboard holds no numbers.");
  CHECK(refused("1\t2\n3") == "Nothing was pasted: line 2 of the clipboard has 1 number, and line 1 has 2.");
  CHECK(refused("1\tcat") == "Nothing was pasted: \"cat\" in line 1 of the clipboard is not a number.");
  CHECK(refused("1\n2\n3\n4") == "Nothing was pasted: 4 × 1 numbers do not fit from this cell on: Scores has 12 × 12.");
  CHECK(refused("1e300").find("is not a number") != std::string::npos);
}
