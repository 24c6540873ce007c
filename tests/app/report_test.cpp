// The report on heads: what it says of the numbers, and what keys and clicks in it do.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "app/formula/formula_tree.h"
#include "app/panels/heads/parts.h"
#include "app/reading/head_measures.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

Driver& opened(Driver& driver) {
  driver.settle();
  act(driver, SetMode{ViewMode::heads});
  REQUIRE(driver.model().head_report.measures);
  return driver;
}

std::vector<Index> rows(const Driver& driver) {
  std::vector<std::pair<float, Index>> found;
  for (const auto& [path, widget] : driver.log())
    if (path.starts_with("report/head/")) found.emplace_back(widget.rect.y, std::stoll(path.substr(12)));
  std::ranges::sort(found);
  std::vector<Index> heads;
  for (const auto& [y, head] : found) heads.push_back(head);
  return heads;
}

}  // namespace

TEST_CASE("heads of the example are found by what they do, with the score that says so") {
  Driver driver;
  const HeadMeasures& measures = *opened(driver).model().head_report.measures;
  const Trace& trace = *driver.model().trace();
  const auto first = [&](const char* words) { return find_heads(measures, trace, words)->heads.at(0); };
  CHECK(first("previous") == 0);
  CHECK(first("Induction") == 2);
  CHECK(first("sink") == 3);
  CHECK(first("broad") == 7);
  const Found found = *find_heads(measures, trace, "previous");
  CHECK(found.measure == Measure::previous);
  for (Index head = 0; head < 8; ++head) {
    const bool reaches = measures[Measure::previous].values[static_cast<std::size_t>(head)] >= 0.3;
    CHECK(reaches == (std::ranges::find(found.heads, head) != found.heads.end()));
  }
  CHECK(found.words.starts_with(fmt::format("{} of 8 heads: weight on the previous place", found.heads.size())));
  CHECK(find_heads(measures, trace, "two back")->heads == std::vector<Index>{5});
  CHECK(find_heads(measures, trace, "zebra")->heads.empty());
  CHECK(!find_heads(measures, trace, "  "));
  CHECK(find_heads(measures, trace, "important")->words == missing_in_words(Missing::runs));
}

TEST_CASE("the report sorts by clicks, walks by arrows and opens by Enter or a click") {
  Driver driver;
  opened(driver);
  CHECK(rows(driver).front() == 0);
  driver.click("report/by/previous");
  driver.settle();
  CHECK(driver.model().head_table.by == Measure::previous);
  const auto order = rows(driver);
  CHECK(order.front() == 0);
  driver.click("report/by/previous");
  driver.settle();
  CHECK(driver.model().head_table.ascending);
  CHECK(rows(driver).front() != 0);
  driver.click_at({5, driver.widget("report/head/0").rect.y});  // the focus leaves the heading
  driver.session().act(SetHead{rows(driver).front()});
  driver.settle();
  const auto now = rows(driver);
  if (!driver.memory().ui.focus.empty()) driver.press(Key::escape);
  driver.press(Key::down);
  driver.settle();
  CHECK(driver.model().document.look.head == now.at(1));
  driver.press(Key::enter);
  driver.settle();
  CHECK(driver.model().document.look.mode == ViewMode::map);
  act(driver, SetMode{ViewMode::heads});
  driver.click("report/head/3");
  driver.settle();
  CHECK(driver.model().document.look.head == 3);
  CHECK(driver.model().document.look.mode == ViewMode::map);
  CHECK(driver.model().document.look.step == driver.model().trace()->map()->info.id);
}

TEST_CASE("heads with the same numbers stand beside each other in the plot") {
  Experiment alike = example_experiment();
  alike.params.set("positions", std::string("none"));
  alike.params.set("mask", std::string("none"));
  alike.view = {};
  Driver driver(1600, 1000, 1, alike);
  opened(driver);
  std::vector<Rect> marks, measured;
  for (const auto& [path, widget] : driver.log()) {
    if (path.starts_with("report/plot/") && std::isdigit(static_cast<unsigned char>(path.back())) != 0)
      marks.push_back(widget.rect);
    if (path.starts_with("report/lead/")) measured.push_back(widget.rect);
  }
  REQUIRE(marks.size() == 8);
  // A line leads from each that was moved to where it belongs, and those that coincide share that place.
  REQUIRE(measured.size() > 1);
  const Rect& first = measured.front();
  CHECK(std::ranges::count_if(measured,
                              [&](const Rect& at) { return std::hypot(at.x - first.x, at.y - first.y) < 9; }) > 1);
  for (std::size_t i = 0; i < marks.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(std::hypot(marks[i].x - marks[j].x, marks[i].y - marks[j].y) > 9);
}

TEST_CASE("typing finds heads, and the others go") {
  Driver driver;
  opened(driver);
  driver.click("report/find");
  driver.type("induction");
  driver.settle();
  CHECK(driver.model().head_table.find == "induction");
  CHECK(rows(driver).front() == 2);
  CHECK(rows(driver).size() < 8);
  CHECK(driver.widget("report/said").value.find("of 8 heads") != std::string::npos);
}

TEST_CASE("each head is switched off in turn, and Esc stops it") {
  Driver driver;
  opened(driver);
  CHECK((*driver.model().head_report.measures)[Measure::ablation].missing == Missing::runs);
  driver.session().act(AblateHeads{true});
  CHECK(driver.model().head_report.ablating);
  driver.session().act(AblateHeads{false});
  CHECK(!driver.model().head_report.ablating);
  act(driver, AblateHeads{true});
  CHECK(!driver.model().head_report.ablating);
  const HeadValues& changes = (*driver.model().head_report.measures)[Measure::ablation];
  CHECK(changes.missing == Missing::nothing);
  for (const double change : changes.values) CHECK((change >= 0 && change < 2));
  CHECK(changes.values[1] > changes.values[3]);  // the sink hands on next to nothing
  act(driver, SetText{"x_q", "another sentence altogether"});
  CHECK((*driver.model().head_report.measures)[Measure::ablation].missing == Missing::runs);
}

TEST_CASE("the report measures once for each result, and its rows are made once") {
  Driver driver;
  opened(driver);
  const auto before = driver.model().head_report.measures;
  const auto* order = driver.memory().get<HeadRows>().order.data();
  for (int i = 0; i < 5; ++i) driver.frame();
  driver.session().act(SetHead{4});
  driver.settle();
  CHECK(driver.model().head_report.measures == before);
  CHECK(driver.memory().get<HeadRows>().order.data() == order);
  act(driver, SetText{"x_q", "a b a"});
  CHECK(driver.model().head_report.measures != before);
}

TEST_CASE("one head, many heads, two texts, pictures and signals have a report") {
  for (const Index heads : {Index{1}, Index{512}}) {
    Experiment experiment = example_experiment();
    experiment.params.set("heads", heads);
    Driver driver(1366, 768, 1, experiment);
    opened(driver);
    CHECK(driver.model().head_report.measures->heads == heads);
    CHECK(rows(driver).size() < 30);
    act(driver, SetHead{heads - 1});
    driver.frame();
    CHECK(rows(driver).back() == heads - 1);  // it came into view
  }
  Driver crossed;
  act(crossed, SetCross{true});
  opened(crossed);
  for (const InputKind kind : {InputKind::image, InputKind::signal}) {
    Driver driver;
    act(driver, UseExample{kind});
    CHECK(opened(driver).shows("report/find"));
  }
}

TEST_CASE("every measure's formula can be set, and all have words") {
  for (const MeasureRow& words : measure_rows()) {
    INFO(words.title);
    const auto parsed = parse_formula(words.formula);
    CHECK(parsed.has_value());
    CHECK(std::string(words.says).ends_with("."));
    CHECK(*words.source);
  }
}

TEST_CASE("the table is written as CSV beside the experiment, and asked about before it replaces a file") {
  const Scratch folder;
  Driver driver;
  opened(driver);
  act(driver, Save{folder / "mine.headlight"});
  act(driver, SaveHeads{});
  std::ifstream in(folder / "mine-heads.csv");
  std::string line;
  std::getline(in, line);
  CHECK(line.starts_with("head,name,entropy,ln_n_k,"));
  std::getline(in, line);
  CHECK(line.starts_with("0,Previous token,"));
  std::ofstream(folder / "mine-heads.csv") << "of somebody else, and longer";
  act(driver, SaveHeads{});
  CHECK(driver.model().dialog == Dialog::replace);
}

TEST_CASE("of a batch the table that is written has every item, and says which") {
  const Scratch folder;
  Experiment experiment = default_experiment("multi_head");
  std::vector<float> numbers;
  for (int i = 0; i < 2 * 4 * 8; ++i) numbers.push_back(std::sin(static_cast<float>(i) * 1.7F));
  experiment.inputs["x_q"] = LiteralInput{{2, 4, 8}, numbers};
  Driver driver(1600, 1000, 1, experiment);
  opened(driver);
  act(driver, SetBatch{1});
  act(driver, Save{folder / "mine.headlight"});
  act(driver, SaveHeads{});
  const HeadReport& report = driver.model().head_report;
  REQUIRE(report.items.size() == 2);
  std::ifstream in(folder / "mine-heads.csv");
  std::string line;
  std::getline(in, line);
  CHECK(line.starts_with("batch,head,name,entropy,ln_n_k,"));
  for (std::size_t item = 0; item < 2; ++item)
    for (Index head = 0; head < report.measures->heads; ++head) {
      REQUIRE(std::getline(in, line));
      const double entropy = (*report.items[item])[Measure::entropy].values[static_cast<std::size_t>(head)];
      const std::string part = fmt::format(",{:.7g},", entropy);
      INFO(line << " " << part);
      CHECK(line.starts_with(fmt::format("{},{},", item, head)));
      CHECK(line.find(part) != std::string::npos);
    }
  CHECK_FALSE(std::getline(in, line));
}
