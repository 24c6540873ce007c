// Whatever is looked at of a batch is called by the words of its item: in the window, in figures, on worksheets.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "app/actions/action_table.h"
#include "app/figures/figure_of.h"
#include "app/model/document.h"
#include "app/model/network_run.h"
#include "app/reading/cell_trace.h"
#include "app/reading/row_numbers.h"
#include "app/reading/slice.h"
#include "app/worksheets/worksheet_of.h"
#include "tests/app/model_folder.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

constexpr Index items = 3;
using Texts = std::vector<std::string>;

std::string word(Index item, Index position) {
  return fmt::format("i{}w{}", item, position);
}

std::string lists_of_words(Index positions) {
  std::string json = "[";
  for (Index item = 0; item < items; ++item) {
    json += item > 0 ? ", [" : "[";
    for (Index i = 0; i < positions; ++i) json += fmt::format("{}\"{}\"", i > 0 ? ", " : "", word(item, i));
    json += "]";
  }
  return json + "]";
}

// Rows that add up to 1, no two alike, as JSON of that shape.
std::string numbers(std::vector<Index> shape, Index at = 0) {
  const Index count = shape.front();
  shape.erase(shape.begin());
  std::string json = "[";
  for (Index i = 0; i < count; ++i) {
    const Index place = at * count + i;
    const double number = (1.0 + static_cast<double>((7 * place) % 5 == i)) / static_cast<double>(count + 1);
    json += (i > 0 ? ", " : "") + (shape.empty() ? fmt::format("{}", number) : numbers(shape, place));
  }
  return json + "]";
}

Experiment of_sentences() {
  return *parse_experiment(
      fmt::format(R"({{"variant": "multi_head", "params": {{"heads": 2, "d_head": 4, "mask": "causal"}}, "inputs":
                     {{"x_q": {{"array": {}, "tokens": {}}}}}, "weights": {{"init": "normal", "seed": 3}}}})",
                  numbers({items, 4, 8}), lists_of_words(4)),
      {}, "batch.json");
}

// Of another mechanism: its first input has that shape.
RanExperiment run_of(const char* variant, const char* params, const char* input, const std::vector<Index>& shape) {
  return ran(parse_experiment(
      fmt::format(R"({{"variant": "{}", "params": {}, "inputs": {{"{}": {{"array": {}, "tokens": {}}}}}}})", variant,
                  params, input, numbers(shape), lists_of_words(4)),
      {}, "batch.json"));
}

Experiment of_saved_layers() {
  return *parse_experiment(fmt::format(R"({{"variant": "given", "inputs": {{"weights": {{"axes": "lbhqk", "array": {},
                                            "tokens": {}}}}}}})",
                                       numbers({2, items, 2, 4, 4}), lists_of_words(4)),
                           {}, "saved.json");
}

// Those that have words of all items at once, or a word of another; `allowed` may stand wherever it does.
Texts strange(const Texts& texts, Index item, const std::set<std::string>& allowed = {}) {
  Texts found;
  for (const std::string& text : texts) {
    bool bad = false;
    for (Index i = 0; i < 4; ++i) bad = bad || text.find(fmt::format("w{} | i", i)) != std::string::npos;
    for (Index other = 0; other < items; ++other)
      for (Index i = 0; other != item && i < 4; ++i)
        bad = bad || (text.find(word(other, i)) != std::string::npos && !allowed.contains(word(other, i)));
    if (bad) found.push_back(text);
  }
  return found;
}

bool has_words_of(const Texts& texts, Index item) {
  return std::ranges::any_of(
      texts, [&](const std::string& text) { return text.find(fmt::format("i{}w", item)) != std::string::npos; });
}

// All that the window says: what is drawn, and what widgets tell of themselves.
Texts said(const Driver& driver) {
  Texts texts;
  for (const LoggedText& text : driver.log().texts) texts.push_back(text.text);
  for (const auto& [path, widget] : driver.log()) {
    texts.push_back(path);
    texts.push_back(widget.value);
  }
  return texts;
}

void check_window(const Driver& driver, Index item, const std::set<std::string>& allowed = {}) {
  CHECK(strange(said(driver), item, allowed) == Texts{});
  CHECK(has_words_of(said(driver), item));
}

// Every step, view and screen of what is open, with a pair pinned.
void walk(Driver& driver) {
  for (const Index item : {1, 0, 2}) {
    INFO("item " << item);
    act(driver, SetBatch{item});
    REQUIRE(driver.model().document.look.batch == item);
    act(driver, Select{{.query = 2, .key = 1}, true});
    for (const ViewMode mode :
         {ViewMode::map, ViewMode::lines, ViewMode::numbers, ViewMode::mechanism, ViewMode::heads, ViewMode::layers}) {
      INFO("view " << static_cast<int>(mode));
      act(driver, SetMode{mode});
      check_window(driver, item);
    }
    act(driver, SetMode{ViewMode::map});
    const auto trace = driver.model().shown.trace;
    for (const Step& step : trace->steps) {
      INFO(step.info.id);
      act(driver, ShowStep{step.info.id});
      check_window(driver, item);
    }
    act(driver, ShowStep{trace->map()->info.id});
    act(driver, PinSecond{Selection{.query = 3, .key = 0}});
    check_window(driver, item);
    for (const Screen screen : {Screen::masks, Screen::worksheet, Screen::figure}) {
      INFO("screen " << static_cast<int>(screen));
      act(driver, ShowScreen{screen});
      CHECK(strange(said(driver), item) == Texts{});
      CHECK((screen == Screen::masks || has_words_of(said(driver), item)));  // which not every mechanism has
      act(driver, ShowScreen{Screen::explore});
    }
    Texts offered;
    for (const ActionRow& row : action_table())
      if (row.offers)
        for (const Offer& offer : row.offers(driver.model())) offered.push_back(offer.label);
    CHECK(strange(offered, item) == Texts{});
  }
}

Texts words_of_figure(const RanExperiment& run, const FigureRequest& request) {
  const auto made = figure_of(*run.trace, *run.problem, request, {});
  if (!made) FAIL(made.error().message);
  const Figure& figure = made->figure;
  Texts texts{caption_of(figure), alt_of(figure), figure.title, figure.description, figure.query, figure.key};
  for (const Panel& panel : figure.panels) {
    texts.push_back(panel.title);
    texts.insert(texts.end(), panel.row_labels.begin(), panel.row_labels.end());
    texts.insert(texts.end(), panel.column_labels.begin(), panel.column_labels.end());
  }
  return texts;
}

void check_figures(const RanExperiment& run) {
  FigureRequest request;
  request.query = 2;
  for (request.batch = 0; *request.batch < items; ++*request.batch)
    for (const FigureKind kind : {FigureKind::map, FigureKind::lines, FigureKind::bars, FigureKind::layers}) {
      request.kind = kind;
      INFO("item " << *request.batch << ", kind " << static_cast<int>(kind));
      const Texts texts = words_of_figure(run, request);
      CHECK(strange(texts, *request.batch) == Texts{});
      CHECK(has_words_of({texts.front()}, *request.batch));  // the caption
    }
}

}  // namespace

TEST_CASE("every view of a run shows the words of the item that is looked at") {
  Driver driver(1600, 1000, 1, of_sentences());
  driver.settle();
  walk(driver);
  act(driver, HoldA{});
  act(driver, SetParam{"mask", std::string("none")});
  act(driver, ShowScreen{Screen::compare});
  check_window(driver, 2);
}

TEST_CASE("every view of saved layers shows the words of the item that is looked at") {
  Driver driver(1600, 1000, 1, of_saved_layers());
  driver.settle();
  walk(driver);
  act(driver, SetMode{ViewMode::layers});
  for (const Index item : {1, 2})
    for (const LayersView view : {LayersView::maps, LayersView::token, LayersView::rollout, LayersView::average}) {
      INFO("item " << item << ", view " << static_cast<int>(view));
      act(driver, SetBatch{item});
      act(driver, ViewLayers{view});
      check_window(driver, item);
    }
}

TEST_CASE("figures, worksheets and tables of a batch have the words of their item") {
  const RanExperiment sentences = ran(of_sentences()), saved = ran(of_saved_layers());
  check_figures(saved);
  for (Index item = 0; item < items; ++item) {
    INFO("item " << item);
    WorksheetRequest request{.steps = {"weights"}, .batch = item, .query = 2, .blanks = 0};
    const auto sheet = make_worksheet(*sentences.trace, request);
    REQUIRE(sheet);
    Texts texts{sheet->sheet.subject};
    for (const SheetTable& table : sheet->sheet.tables) {
      texts.insert(texts.end(), table.column_labels.begin(), table.column_labels.end());
      for (const SheetRow& row : table.rows) texts.push_back(row.label);
    }
    const Step& weights = *sentences.trace->find("weights");
    const Focus focus{.batch = item, .selection = {.query = 2, .key = 1}, .flat = true};
    texts.push_back(to_tsv(row_numbers(*sentences.trace, weights, focus, 2)));
    const Step& sums = *sentences.trace->find("head_outputs");
    const Index cell = flat_at_index(sums.tensor().shape(), std::vector<Index>{item, 0, 2, 0});
    texts.push_back(to_text(trace_cell(*sentences.trace, sums, cell), *sentences.trace));
    for (const std::string& text : texts) CHECK(strange({text}, item) == Texts{});
    CHECK(has_words_of({texts.front()}, item));
    CHECK(has_words_of({texts[texts.size() - 2]}, item));
    CHECK(has_words_of({texts.back()}, item));
  }
}

TEST_CASE("words of each item stay where a run has one row of them, one more, or pools them") {
  const RanExperiment one = run_of("multi_head", R"({"only_query": 2})", "x_q", {items, 4, 8}),
                      decoder = run_of("bahdanau_decoder", "{}", "y", {items, 4, 8}),
                      signal = run_of("non_local", R"({"dimension": 1})", "x", {items, 6, 4}),
                      pooled = run_of("non_local", R"({"dimension": 1, "sub_sample": true})", "x", {items, 6, 4});
  const auto label = [](const RanExperiment& run, const char* step, std::size_t axis, Index position) {
    return label_of(&run.trace->find(step)->info.axes[axis], position, 1);
  };
  CHECK(label(one, "weights", 2, 0) == word(1, 2));
  CHECK(label(one, "weights", 3, 3) == word(1, 3));
  CHECK(label(decoder, "states", 1, 0) == "start");
  CHECK(label(decoder, "states", 1, 2) == word(1, 1));
  const Step& map = *signal.trace->map();
  CHECK(label_of(map.axis(AxisRole::query), 3, 1) == word(1, 3));
  CHECK(label_of(map.axis(AxisRole::key), 3, 1) == word(1, 3));
  CHECK(pooled.trace->map()->axis(AxisRole::key)->given_labels.empty());
}

TEST_CASE("every view of a model's layers is of the item of the batch that is chosen, which is kept and undone") {
  const ModelFolder folder;
  std::ofstream(folder.model / "tokenizer.json")
      << R"({"model": {"type": "BPE", "vocab": {"i0w0": 0, "i0w1": 1, "i0w2": 2, "i1w0": 3, "i1w1": 4, "i1w2": 5,
             "i2w0": 6, "i2w1": 7, "i2w2": 8, "j": 9, "Ġ": 10}, "merges": []}, "pre_tokenizer": {"type": "ByteLevel",
             "add_prefix_space": false, "use_regex": true}, "decoder": {"type": "ByteLevel"}})";
  std::ofstream(folder / "batch.headlight")
      << R"({"model": "gpt2", "inputs": {"tokens": {"ids": [[0, 1, 2], [3, 4, 5], [6, 7, 8]]}}, "params": {"top": 1}})";
  Driver driver;
  driver.session().act(Open{folder / "batch.headlight"});
  driver.session().finish_files();
  driver.settle();
  REQUIRE(driver.model().net.run);
  const std::uint64_t stamp = driver.model().net.run->stamp;
  for (const Index item : {1, 2, 0}) {
    INFO("item " << item);
    if (item > 0) driver.session().act(SetBatch{item});
    if (item == 0) driver.session().act(*parse_action("batch 0"));
    driver.settle();
    const NetworkRun& run = *driver.model().net.run;
    REQUIRE(run.item == item);
    CHECK(run.stamp == stamp);  // nothing was run again
    CHECK(driver.widget("batch").value == fmt::format("{}", item));
    std::set<std::string> likely;  // what comes next may be any token
    for (Index place = 0; place < 3; ++place) likely.insert(run.likely(place).front().name);
    for (const LayersView view : {LayersView::maps, LayersView::token, LayersView::rollout, LayersView::average}) {
      INFO("view " << static_cast<int>(view));
      act(driver, ViewLayers{view});
      check_window(driver, item, likely);
    }
    for (const int stop : {0, 3, 4, 1}) {
      INFO("stop " << stop);
      act(driver, GoStage{stop});
      check_window(driver, item, likely);
    }
    // As the item alone would be run.
    ModelExperiment alone = driver.model().document.network->asked;
    alone.tokens->ids = {alone.tokens->ids[static_cast<std::size_t>(item)]};
    OpenModel open(folder.model);
    ThreadPool pool(2);
    std::atomic<float> progress = 0;
    const auto one = run_network(open, alone, 0, nullptr, pool, {}, progress);
    REQUIRE(one);
    const PartRun &here = run.parts.front(), &there = (*one)->parts.front();
    CHECK(here.query_words == there.query_words);
    for (const auto& [a, b] : {std::pair{here.means, there.means}, {here.rollout, there.rollout}})
      for (Index i = 0; i < b->size(); ++i) CHECK((*a)[i] == Approx((*b)[i]).margin(1e-6));
    for (std::size_t i = 1; i < run.likelihoods.size(); ++i)
      CHECK(run.likelihoods[i] == Approx((*one)->likelihoods[i]));
    CHECK(run.likely(2).front().name == (*one)->likely(2).front().name);
    CHECK(run.likely(2).front().probability == Approx((*one)->likely(2).front().probability));
    act(driver, OpenLayer{1});
    CHECK(driver.model().document.look.batch == item);
    for (const ViewMode mode : {ViewMode::map, ViewMode::lines, ViewMode::numbers}) {
      act(driver, SetMode{mode});
      check_window(driver, item);
    }
    act(driver, CloseLayer{});
  }
  act(driver, SetBatch{2});
  CHECK(with_view(*driver.model().document.network).view.batch == 2);
  act(driver, ShowScreen{Screen::figure});
  CHECK(driver.model().document.figure.batch == 2);
  act(driver, ShowScreen{Screen::explore});
  act(driver, SetBatch{1});
  act(driver, Undo{});
  CHECK(driver.model().document.network->look.item != 1);
  CHECK(driver.model().net.run->item == driver.model().document.network->look.item);
}

TEST_CASE("the report on heads is of the item that is looked at, and says which it is") {
  Driver driver(1600, 1000, 1, of_sentences());
  driver.settle();
  act(driver, SetMode{ViewMode::heads});
  act(driver, AblateHeads{true});
  std::vector<std::shared_ptr<const HeadMeasures>> seen;
  for (Index item = 0; item < items; ++item) {
    act(driver, SetBatch{item});
    driver.frame();
    const auto measures = driver.model().head_report.measures;
    REQUIRE(measures);
    seen.push_back(measures);
    const Tensor& map = driver.model().trace()->map()->tensor();
    for (Index head = 0; head < 2; ++head) {
      double self = 0;
      for (Index i = 0; i < 4; ++i) self += map.at({item, head, i, i}) / 4;
      CHECK((*measures)[Measure::self].values[static_cast<std::size_t>(head)] == Approx(self));
      CHECK((*measures)[Measure::ablation].values[static_cast<std::size_t>(head)] > 0);
    }
    const std::string which = fmt::format("item {} of 0–{}", item, items - 1);
    CHECK(std::ranges::any_of(driver.log().texts,
                              [&](const LoggedText& text) { return text.text.find(which) != std::string::npos; }));
  }
  // What each head changes is of the item too.
  CHECK((*seen[0])[Measure::ablation].values != (*seen[1])[Measure::ablation].values);
}
