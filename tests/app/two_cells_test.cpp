// A second cell beside the pinned one: what each line and operand of both says, and where they part.
#include <algorithm>
#include <cmath>

#include "app/actions/update.h"
#include "app/platform/input.h"
#include "app/reading/cell_pair.h"
#include "app/reading/printed.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

void shift_click(Driver& driver, app::Point at) {
  driver.move_to(at);
  send_modifiers({.shift = true});
  send_mouse_button(0, true);
  send_mouse_button(0, false);
  send_modifiers({});
  driver.empty_queue();
  driver.settle();
}

Index cell_of(const Driver& driver, Index query, Index key) {
  return flat_at_index(driver.model().trace()->map()->tensor().shape(),
                       std::vector<Index>{0, driver.model().document.look.head, query, key});
}

}  // namespace

TEST_CASE("a second cell is pinned with Shift, moves with the arrows, and goes before the first") {
  Driver driver;
  driver.session().act(Select{{9, 3}, true});
  driver.settle();
  shift_click(driver, driver.cell(9, 5));
  const auto& look = driver.model().document.look;
  CHECK(look.selection == Selection{9, 3});
  REQUIRE(look.second == Selection{9, 5});
  CHECK(second_cell(driver.model()) == cell_of(driver, 9, 5));
  CHECK(driver.shows("heatmap/second"));
  CHECK_FALSE(driver.shows("trace/result"));
  REQUIRE(driver.shows("pair/words"));
  driver.press(Key::up, {.shift = true});
  driver.settle();
  CHECK(look.second == Selection{8, 5});
  driver.press(Key::escape);
  driver.settle();
  CHECK_FALSE(look.second);
  CHECK(look.pinned);
  CHECK(driver.shows("trace/result"));
  driver.press(Key::right, {.shift = true});  // from the pinned one on
  CHECK(look.second == Selection{9, 4});
  shift_click(driver, driver.cell(9, 4));  // once more lets it go
  CHECK_FALSE(look.second);
  driver.press(Key::escape);
  CHECK_FALSE(look.pinned);
  shift_click(driver, driver.cell(2, 1));  // without a first it is the first
  CHECK(look.pinned);
  CHECK(look.selection == Selection{2, 1});
}

TEST_CASE("both stories stand side by side with the numbers of the trace, and part at the first line that differs") {
  Driver driver;
  driver.session().act(Select{{9, 3}, true});
  driver.session().act(PinSecond{{9, 5}});
  driver.settle();
  const Trace& trace = *driver.model().trace();
  const Step& map = *trace.map();
  const CellTrace a = trace_cell(trace, map, cell_of(driver, 9, 3)), b = trace_cell(trace, map, cell_of(driver, 9, 5));
  const CellPair pair = pair_of(a, b);
  REQUIRE(pair.rows.size() == a.table->rows.size());
  double sum = 0;
  for (std::size_t i = 0; i < pair.rows.size(); ++i) {
    CHECK(pair.rows[i].a == a.table->rows[i].product);
    CHECK(pair.rows[i].b == b.table->rows[i].product);
    sum += pair.rows[i].difference();
    CHECK(std::abs(pair.rows[i].difference()) <= std::abs(pair.rows[*pair.most_by].difference()));
    const auto shown = driver.widget(fmt::format("pair/row/{}", i)).value;
    CHECK(shown == number_text(*pair.rows[i].a) + " " + number_text(*pair.rows[i].b));
  }
  CHECK(sum == Approx(a.table->sum - b.table->sum));
  REQUIRE(pair.parts_at);
  for (std::size_t i = 0; i < *pair.parts_at; ++i) CHECK(pair.lines[i].a == pair.lines[i].b);
  CHECK(pair.lines[*pair.parts_at].a != pair.lines[*pair.parts_at].b);
  CHECK(driver.widget(fmt::format("pair/{}", *pair.parts_at)).state == "parts");
  CHECK(pair.lines.back().a == a.result);
  CHECK(pair.lines.back().b == b.result);
  CHECK(pair.words == driver.widget("pair/words").value);
  CHECK(pair.words.find(pair.lines[*pair.parts_at].a) != std::string::npos);
  // The same cell parts nowhere; every line of both is told, whatever they are.
  CHECK_FALSE(pair_of(a, a).parts_at);
  for (const Step& step : trace.steps) {
    if (!step.explain || step.tensor().size() < 2) continue;
    const CellTrace one = trace_cell(trace, step, 0), other = trace_cell(trace, step, step.tensor().size() - 1);
    const CellPair both = pair_of(one, other);
    std::size_t of_a = 0, of_b = 0;
    for (const PairedLine& line : both.lines) {
      of_a += line.a.empty() ? 0 : 1;
      of_b += line.b.empty() ? 0 : 1;
    }
    CHECK(of_a == one.lines.size() + 1);
    CHECK(of_b == other.lines.size() + 1);
  }
}

TEST_CASE("both traces are copied, and the cell that was pinned before is compared by its name in the menu") {
  Driver driver;
  std::string clipboard;
  driver.session().act(Select{{9, 3}, true});
  driver.session().act(Select{{4, 2}, true});
  driver.settle();
  REQUIRE(driver.model().pinned_before == Selection{9, 3});
  driver.session().act(PinSecond{*driver.model().pinned_before});
  driver.settle();
  const auto effects = [&](const Action& action) {
    Model model = driver.model();
    return update(model, action);
  };
  const auto copied = effects(CopyTrace{}).clipboard;
  REQUIRE(copied);
  const Trace& trace = *driver.model().trace();
  const std::string first = to_text(trace_cell(trace, *trace.map(), cell_of(driver, 4, 2)), trace),
                    second = to_text(trace_cell(trace, *trace.map(), cell_of(driver, 9, 3)), trace);
  CHECK(*copied == first + "\n" + second);
  const float value = trace.map()->tensor()[cell_of(driver, 4, 2)];
  CHECK(std::stof(*effects(CopyValue{}).clipboard) == value);
  // Where the text is shorter there is no such cell.
  driver.session().act(SetText{"x_q", "a cat sat on it"});
  driver.settle();
  CHECK_FALSE(driver.model().document.look.second);
}

TEST_CASE("in a narrow panel the line that differs is marked before its name") {
  Driver driver(1366, 768);
  driver.click_at(driver.cell(9, 3));
  driver.settle();
  shift_click(driver, driver.cell(9, 5));
  const auto marked = [](const LoggedText& text) { return text.text == "≠ dot product" && !text.cut; };
  CHECK(std::ranges::any_of(driver.log().texts, marked));
}
